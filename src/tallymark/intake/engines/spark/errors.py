"""What Spark complains of, in one sentence: its own words are pages of Java."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tallymark._version import __version__
from tallymark.errors import EngineError, TallymarkError
from tallymark.intake.engines.partitions import a_partition
from tallymark.intake.engines.tables import one_line

_STOPPED = ("SESSION_OR_CONTEXT_NOT_EXISTS", "stopped SparkContext", "SparkContext was shut down")
# What PySpark makes of a lost connection when it asks for the types of columns.
_UNREAD = "CANNOT_PARSE_DATATYPE"
_WAITED = "Exception thrown in awaitResult"
_TASK = re.compile(r"Task (\d+) in stage \S+ failed \d+ times, most recent failure: .*?\): ", re.DOTALL)
_CLASS = re.compile(r"^(?:Exception in thread \"main\" )?(?:[a-z]\w*\.)+[A-Z]\w*(?:: |$)")
_STATE = re.compile(r"\.?\s*SQLSTATE: \w+;?\s*$")
_RAISED = re.compile(r"^(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit)\b.*$", re.MULTILINE)
_NO_MODULE = re.compile(r"No module named '(\w+)")
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


@contextmanager
def failing(called: Callable[[int], str] = a_partition) -> Iterator[None]:
    """Spark's own errors become one of ours; what it writes of them, or of other libraries, is not shown."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with warnings.catch_warnings(), _quiet_loggers():
            warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
            yield
    except TallymarkError:
        raise
    except (PySparkException, Py4JError, ConnectionError) as problem:
        raise told(problem, called) from problem


@contextmanager
def _quiet_loggers() -> Iterator[None]:
    """Queries that fail are logged by PySpark with all of Java's traceback."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


def told(problem: BaseException, called: Callable[[int], str] = a_partition) -> EngineError:
    """Spark's error, as ours."""
    from py4j.protocol import Py4JNetworkError

    gone = ConnectionError | Py4JNetworkError
    if isinstance(problem, gone) or (_UNREAD in str(problem) and isinstance(problem.__context__, gone)):
        return EngineError("Spark's Java process does not answer.", hint="start a new session.")
    if is_stopped(problem):
        return _stopped()
    texts = [text for text in _texts(problem) if _WAITED not in text]
    whole = "\n".join(texts)
    lacking = _NO_MODULE.search(whole)
    if lacking is not None:
        return _lacking(lacking[1])
    if "spark.driver.maxResultSize" in whole:
        return EngineError(
            "what was counted is larger than Spark may send here (spark.driver.maxResultSize).",
            hint="count scores on a grid, which gives certified bounds: add --approximate (in Python "
            "approximate=True), or allow Spark more.",
        )
    task = _TASK.search(whole)
    where = "" if task is None else f" at {called(int(task[1]))}"
    return EngineError(f"Spark failed{where}: {_reason(texts)}.")


def is_stopped(problem: BaseException) -> bool:
    """Whether it is raised because a session is stopped."""
    return any(word in text for text in _texts(problem) for word in _STOPPED)


def refuse_stopped(session: Any) -> None:
    """Refuse a session that is stopped: what PySpark says of it has no words."""
    context = getattr(session, "_sc", None)
    if context is not None and context._jsc is None:
        raise _stopped()


def _stopped() -> EngineError:
    return EngineError(
        "the Spark session of this table is stopped.", hint="read the table again with a new session."
    )


def _lacking(module: str) -> EngineError:
    if module == "tallymark":
        return EngineError(
            "the executors of Spark cannot import tallymark, which counts rows there.",
            hint=f"install tallymark {__version__} on them, or send an environment that has it along with "
            "--archives (spark.archives).",
        )
    return EngineError(
        f"the executors of Spark have no Python package {module!r}.", hint="install it on all of them."
    )


def _texts(problem: BaseException) -> Iterator[str]:
    """What an error says, and all that caused it."""
    java: Any = getattr(problem, "java_exception", None)
    if java is None:
        yield str(problem)
        java = getattr(problem, "_origin", None)
        java = None if java is None else java.getCause()
    while java is not None:
        yield str(java.toString())
        java = java.getCause()


def _reason(texts: list[str]) -> str:
    """The words that say what happened, without the names of Java's classes."""
    files = [place for place, text in enumerate(texts) if "FAILED_READ_FILE" in text]
    first, *causes = texts[files[-1] if files else 0 :] or ["no reason is given"]
    reason = words(first)
    return f"{reason} ({words(causes[-1])})" if files and causes else reason


def words(text: str) -> str:
    """The first that are said, without what is for programs."""
    text = _CLASS.sub("", _TASK.split(text)[-1])
    raised = _RAISED.findall(text) if "Traceback (most recent call last)" in text else []
    return _STATE.sub("", one_line(EngineError(raised[-1]) if raised else RuntimeError(text))).rstrip(".;")
