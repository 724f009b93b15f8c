"""Sessions of Spark: the one that there is, or a new one."""

from __future__ import annotations

import logging
import os
import shutil
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import urlsplit

from tallymark.errors import EngineError, MissingExtraError, OptionError
from tallymark.intake.engines.interrupts import interrupts_held_back
from tallymark.intake.engines.spark.errors import failing, is_stopped, words
from tallymark.tallies.labels import quoted

_QUIET = Path(__file__).with_name("log4j2.properties")
_STANDALONE = "spark://"
_PATIENCE = 10
"""Seconds to wait for a master to listen."""
_ADDRESSES = ("spark.driver.host", "spark.driver.bindAddress")
"""By default those of this machine, where anybody on its network could connect to a local session."""
_JAVA = "apt install openjdk-17-jre-headless, or set JAVA_HOME to where it is."


@contextmanager
def session_of(master: str | None = None, app_name: str = "tallymark") -> Iterator[Any]:
    """The session that is active, or a new one of this master, which is stopped afterwards."""
    try:
        from pyspark import SparkContext
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError("Spark needs PySpark.", hint="pip install 'tallymark[spark]'") from None
    active = SparkSession.getActiveSession()
    if active is None and SparkContext._active_spark_context is not None:
        active = SparkSession.builder.getOrCreate()  # a session is active in the thread that made it
    if active is not None:
        _refuse_other(active, master)
        yield active
        return
    with _quiet_py4j(), _new_session(master, app_name) as session:
        yield session


@contextmanager
def _new_session(master: str | None, app_name: str) -> Iterator[Any]:
    try:
        with failing():
            session = _started(master, app_name)
    except KeyboardInterrupt:
        _end_java()
        raise
    try:
        yield session
    finally:
        session.stop()


@contextmanager
def _quiet_py4j() -> Iterator[None]:
    """Py4J logs tracebacks when Java is interrupted too, as by `kill` of a process group."""
    root, py4j = logging.getLogger(), logging.getLogger("py4j")
    level = py4j.level
    root.addFilter(_is_of_others)
    py4j.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        py4j.setLevel(level)
        root.removeFilter(_is_of_others)


def _is_of_others(record: logging.LogRecord) -> bool:
    """Whether a message is none of Py4J's, which writes pages about Ctrl-C in the name of the program."""
    return f"{os.sep}py4j{os.sep}" not in record.pathname


def _refuse_other(active: Any, master: str | None) -> None:
    there = active.conf.get("spark.master", None)
    if master is not None and there is not None and there != master:
        raise OptionError(
            f"a Spark session of the master {quoted(there)} is active, so there can be none of "
            f"{quoted(master)}.",
            hint="stop it, or leave out master=.",
        )


def _started(master: str | None, app_name: str) -> Any:
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    if master is not None and master.startswith("sc://"):
        return SparkSession.builder.remote(master).appName(app_name).getOrCreate()
    if master is not None and master.startswith(_STANDALONE):
        _refuse_silent(master)
    settings = {
        "spark.app.name": app_name,
        "spark.log.level": "ERROR",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower(),
    }
    if master is not None:
        settings["spark.master"] = master
    if SparkContext._gateway is None:
        _start_java(settings)
    conf = SparkConf()
    conf.setAll(list(settings.items()))
    variables = {}
    if conf.get("spark.master", "local").startswith("local"):
        conf.set("spark.ui.enabled", "false")
        if not any(map(conf.contains, _ADDRESSES)):
            for name in _ADDRESSES:
                conf.set(name, "127.0.0.1")
        # Elsewhere a path of this machine means nothing.
        variables = {"PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON", sys.executable)}
    with _environment(variables):
        try:
            return SparkSession(SparkContext(conf=conf))
        except Py4JError as problem:
            if not is_stopped(problem):
                raise
            raise _no_answer(conf.get("spark.master", "")) from problem


def _refuse_silent(master: str) -> None:
    """Raise where no master listens, which Spark takes minutes to find out."""
    for place in master.removeprefix(_STANDALONE).split(","):
        try:
            at = urlsplit(f"//{place}")
            socket.create_connection((at.hostname or "", at.port or 7077), _PATIENCE).close()
        except (OSError, ValueError):
            continue
        return
    raise _no_answer(master)


def _no_answer(master: str) -> EngineError:
    return EngineError(
        f"no master of Spark answers at {quoted(master)}.",
        hint="a master tells its address when it starts, such as spark://10.0.0.5:7077.",
    )


def _start_java(settings: Mapping[str, str]) -> None:
    """Spark's Java process; what it writes while it starts is shown on a terminal only."""
    launch_gateway: Any
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway

    home = os.environ.get("JAVA_HOME")
    if shutil.which("java" if home is None else os.path.join(home, "bin", "java")) is None:
        raise EngineError("Spark needs Java 17 or newer, and there is none here.", hint=_JAVA)
    conf = SparkConf(loadDefaults=False)
    conf.setAll(list(settings.items()))
    options = f"{os.environ.get('SPARK_SUBMIT_OPTS', '')} -Dlog4j2.configurationFile={_QUIET.as_uri()}"
    with TemporaryFile() as written, _environment({"SPARK_SUBMIT_OPTS": options}):
        shown = {} if sys.stderr.isatty() else {"stderr": written}
        try:
            with interrupts_held_back():
                gateway = launch_gateway(conf, shown)
                SparkContext._ensure_initialized(gateway=gateway)
        except PySparkRuntimeError as problem:
            written.seek(0)
            raise _not_started(written.read().decode(errors="replace"), settings) from problem


def _end_java() -> None:
    """End Spark's Java process, which a session that has half begun would keep."""
    from pyspark import SparkContext

    gateway: Any = SparkContext._gateway
    if gateway is not None:
        gateway.proc.kill()
        gateway.proc.wait()
        SparkContext._gateway = SparkContext._jvm = None


def _not_started(written: str, settings: Mapping[str, str]) -> EngineError | OptionError:
    lines = [line for line in written.splitlines() if not line.startswith("WARNING")]
    said = f": {words(lines[0])}" if lines else ""
    if "Master must" in said:
        return OptionError(
            f"{quoted(settings['spark.master'])} is no master of Spark{said}.",
            hint="write local[2], spark://HOST:7077, yarn or k8s://https://HOST:PORT.",
        )
    hint = None if settings.get("spark.master") == "yarn" else f"Java 17 or newer is needed: {_JAVA}"
    return EngineError(f"Spark's Java process ended before it began{said}.", hint=hint)


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """These variables of the environment, meanwhile."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
