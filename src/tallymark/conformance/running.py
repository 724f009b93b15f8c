"""Asks libraries, and judges what they say."""

from __future__ import annotations

import contextlib
import io
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tallymark._version import __version__
from tallymark.conformance.case import Call, Case, NotOffered
from tallymark.conformance.peers import PEERS, Adapter, adapter, chosen
from tallymark.conformance.result import US, Conformance, Library, Reply, Verdict
from tallymark.conformance.vector import TOPICS, Vector, read_vectors
from tallymark.errors import OptionError

_LONGEST = 200


def conform(
    peers: Sequence[str] = (),
    *,
    topics: Sequence[str] = (),
    own: Mapping[str, Mapping[str, Call]] | None = None,
) -> Conformance:
    """tallymark and the libraries named, asked every question of the topics (all of them when none is named).

    `own` are calls of yours by the name of the question, `{"mine": {"recall": f}}`: f is given a `Case` and
    returns a number, NaN or None where there is none, or raises.

    >>> conform(topics=["costs"]).passed
    True
    """
    for topic in topics:
        if topic not in TOPICS:
            raise OptionError(f"there is no topic {topic!r}.", hint=f"there are {', '.join(TOPICS)}.")
    asked = chosen(peers)
    vectors = tuple(vector for vector in read_vectors() if not topics or vector.topic in topics)
    libraries = [_library(US, __version__, vectors)]
    libraries += [_library(peer.name, peer.version, vectors) for peer in asked]
    libraries += [_asked(name, "own", Adapter(calls, {}), vectors) for name, calls in (own or {}).items()]
    others = tuple(peer.name for peer in PEERS.values() if peer.installed and peer not in asked)
    return Conformance(vectors, tuple(libraries), others)


def _library(name: str, version: str, vectors: Sequence[Vector]) -> Library:
    with _quiet():
        made = adapter(name)
    return _asked(name, version, made, vectors)


def _asked(name: str, version: str, made: Adapter, vectors: Sequence[Vector]) -> Library:
    return Library(name, version, {vector.id: ask(made, vector) for vector in vectors})


def ask(made: Adapter, vector: Vector) -> Reply:
    """What a library says to one question, and what would mend it."""
    call = made.calls.get(vector.asked)
    if call is None:
        return Reply("not offered")
    reply = _reply(call, vector)
    if not reply.differs:
        return reply
    for remedy, other in made.remedies.get(vector.asked, ()):
        mended = _reply(other, vector)
        if mended.verdict == "right":
            return Reply(reply.verdict, reply.value, reply.said, reply.convention, remedy)
    return reply


def _reply(call: Call, vector: Vector) -> Reply:
    with _quiet(), warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            value = _number(call(Case(vector)))
        except NotOffered as problem:
            return Reply("not offered", said=str(problem))
        except Exception as problem:  # noqa: BLE001 - whatever a library raises is its answer
            said = _short(f"{type(problem).__name__}: {problem}")
            allowed = vector.refusal or vector.answer.kind != "number"
            return Reply("right" if allowed else "error", said=said)
    said = next((_short(str(each.message)) for each in heard if not issubclass(each.category, _NEWS)), "")
    if vector.answer.fits(value):
        return Reply("right", value, said)
    convention = next((name for name, other in vector.alternatives.items() if other.fits(value)), "")
    verdict: Verdict = "warned" if said else "convention" if convention else "wrong"
    return Reply(verdict, value, said, convention)


# About coming versions, not about the answer.
_NEWS = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)


def _number(given: Any) -> float | None:
    """A number, or None for every way to say that there is none."""
    if given is None or (isinstance(given, str) and given.lower() in ("none", "nan")):
        return None
    value = float(given)
    return None if math.isnan(value) else value


def _short(text: str) -> str:
    first = " ".join(text.split())
    return first if len(first) <= _LONGEST else f"{first[: _LONGEST - 3]}..."


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Nothing that a library prints, or warns of while it is imported, is seen."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield
