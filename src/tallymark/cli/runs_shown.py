"""Runs described, as documents and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import Any

from tallymark.cli.run_folder import way_to_resume
from tallymark.drawing import Block, Column, Document, Lines, Paragraph, Section, Table, count, number
from tallymark.drawing import name as visible
from tallymark.tallies.labels import quoted
from tallymark.validation.runs.looking import Failure, Look, set_aside
from tallymark.validation.runs.run_records import RUN_SCHEMA

LIST_SCHEMA = "tallymark/runs/1"
_QUESTIONS = {
    "validate": "How good is a model on rows it has not seen?",
    "tune": "Which parameters are best, and how good is the model with them?",
    "learn": "How good does a model get with more training rows?",
    "permute": "Has the model learned anything?",
}
_UNFINISHED = ("interrupted", "stopped")
_WIDTH = 74
_MOST_FAILURES = 20
_MOST_SET_ASIDE = 10
_SPANS = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))


# --- many runs ---------------------------------------------------------------------------------------------


def listed(looks: Sequence[Look]) -> Document:
    """One line per run."""
    folders: dict[str, list[Look]] = {}
    for look in looks:
        folders.setdefault(str(look.folder.path), []).append(look)
    sections = [
        Section(f"Runs in {visible(folder)}", (_table(there), *_way_on(there)))
        for folder, there in folders.items()
    ]
    return Document("", tuple(sections))


def _table(looks: Sequence[Look]) -> Table:
    return Table(_HEADS, tuple(map(_row, looks)))


# Only words that may be cut are on the left.
_HEADS = (
    Column("run"),
    Column("question", "left"),
    Column("data", "left"),
    Column("models", "left"),
    *map(Column, ("fits", "failed", "state", "started")),
)


def _row(look: Look) -> tuple[str, ...]:
    record = look.record
    return (
        look.run,
        record["question"],
        ", ".join(visible(each["name"]) for each in record["data"]),
        ", ".join(visible(each["name"]) for each in record["models"]),
        f"{count(len(look.noted))} of {count(record['total'])}",
        count(_failed(look)),
        look.state,
        _day(record["started"]),
    )


def _failed(look: Look) -> int:
    return sum(each.failed for each in look.noted.values())


def _way_on(looks: Sequence[Look]) -> Iterator[Block]:
    waiting = [(look, way) for look in looks if look.state in _UNFINISHED and (way := _resumed(look))]
    if waiting:
        last, way = max(waiting, key=lambda pair: pair[0].asked)
        yield Paragraph(f"`{way}` goes on where that run was {last.state}.")


def _resumed(look: Look) -> str | None:
    return way_to_resume(look.record["arguments"], str(look.folder.path), look.run)


def list_form(looks: Sequence[Look]) -> dict[str, Any]:
    """The same, with the names and numbers as they are."""
    return {"schema": LIST_SCHEMA, "runs": [_facts(look) for look in looks]}


def _facts(look: Look) -> dict[str, Any]:
    record = look.record
    return {
        "run_folder": str(look.folder.path),
        "run": look.run,
        "question": record["question"],
        "data": [each["name"] for each in record["data"]],
        "models": [each["name"] for each in record["models"]],
        "done": len(look.noted),
        "total": record["total"],
        "failed": _failed(look),
        "state": look.state,
        "started": record["started"],
        "ended": record["ended"],
        "seconds": sum((each.seconds or 0.0 for each in look.noted.values()), 0.0),
    }


# --- one run -----------------------------------------------------------------------------------------------


def shown(look: Look, *, every: bool) -> Document:
    """What was asked, how far it is and what came of it; failures in full where `every` is said."""
    sections = [
        Section(f"Run {look.run}", tuple(_opening(look))),
        Section("Asked from", tuple(_origin(look))),
        Section("Data", (_data(look),)),
        Section("Models", tuple(_models(look))),
    ]
    if look.record["outcome"]:
        sections.append(Section(f"Outcome: {look.record['metric']}", tuple(_outcome(look))))
    if look.failures:
        sections.append(Section("Failed fits", tuple(_failures(look, every=every))))
    if look.versions:
        sections.append(Section("Libraries", tuple(_versions(look))))
    aside = list(set_aside(look.folder))
    if aside:
        sections.append(Section("Set aside", tuple(_set_aside(aside))))
    others = look.on_the_same_rows
    if others:
        sections.append(Section("Other runs that were tested on the same rows", (_table(others),)))
    return Document("", tuple(sections))


def _opening(look: Look) -> Iterator[Block]:
    record = look.record
    asked = _QUESTIONS.get(record["question"], record["question"])
    yield Paragraph(f"{asked} By {record['metric']}; {record['method']}; seed {record['seed']}.")
    failed = f", {count(len(look.failures))} failed" if look.failures else ""
    rows = [
        ("run folder", visible(str(look.folder.path))),
        ("state", look.state),
        ("fits", f"{count(len(look.fits))} of {count(record['total'])}{failed}"),
        ("took", f"{_duration(look.seconds)}, all fits together"),
        ("started", _local(record["started"])),
    ]
    if record["ended"] is not None and look.state != "running":
        rows.append(("ended", _local(record["ended"])))
    yield _pairs(rows)
    yield from (Paragraph(said) for said in _remarks(look))


def _remarks(look: Look) -> Iterator[str]:
    record, done = look.record, len(look.fits)
    if look.state == "stopped":
        yield f"It was stopped by an error: {record['error']}"
    if look.state in _UNFINISHED:
        again = _resumed(look)
        same = "call" if record["arguments"] is None else "command"
        way = f"The same {same}, or `{again}`," if again else f"The same {same}"
        retried = ", and with --retry-failed tries again what failed" if look.failures and again else ""
        yield f"{way} goes on from there{retried}."
    gone = len(look.folder.finished(record)) - done
    if gone:
        which = "record of 1 fit is" if gone == 1 else f"records of {count(gone)} fits are"
        yield f"The {which} gone or cannot be read; what is needed is made anew."
    if look.state == "finished" and done + gone < record["total"]:
        yield "Fits beyond those were not needed, are the same as others, or could not be kept."


def _origin(look: Look) -> Iterator[Block]:
    given = look.record["arguments"]
    if given is None:
        yield Paragraph(f"Python, in {str(look.record['folder'])!r}.")
        return
    yield Paragraph(f"The command line, in {str(look.record['folder'])!r}:")
    yield Lines(tuple(_broken(["tallymark", *map(str, given)])))


def _data(look: Look) -> Table:
    record = look.record
    rows = tuple(
        (visible(each["name"]), count(each["rows"]), count(n), each["hash"] or "-")
        for each, n in zip(record["data"], record["test_rows"], strict=True)
    )
    heads = (Column("", "left"), Column("rows"), Column("tested on"), Column("hash", "left"))
    return Table(heads, rows)


def _models(look: Look) -> Iterator[Block]:
    for each in look.record["models"]:
        yield Paragraph(f"{quoted(each['name'])}: {each['text']}")
    chosen = look.record["chosen"]
    if chosen:
        parameters = ", ".join(f"{name}={value}" for name, value in chosen.get("parameters", {}).items())
        yield Paragraph(f"Chosen: {quoted(chosen['name'])} with {parameters or 'its own parameters'}.")


def _outcome(look: Look) -> Iterator[Block]:
    yield _pairs(list(_flat(look.record["outcome"])), "right")


def _flat(outcome: Mapping[str, Any], before: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Numbers by name; those of several data sets by the name of each."""
    for name, value in outcome.items():
        names = (*before, visible(str(name)))
        if isinstance(value, Mapping):
            yield from _flat(value, names if len(outcome) > 1 else before)
        else:
            told = number(value) if value is None or isinstance(value, int | float) else str(value)
            yield ", ".join(names).replace("_", " "), told


# --- what failed ---------------------------------------------------------------------------------------


def _failures(look: Look, *, every: bool) -> Iterator[Block]:
    failures = look.failures
    listed = failures if every else failures[:_MOST_FAILURES]
    data = len(look.record["data"]) > 1
    tuned = any(each.parameters for each in failures)
    heads = [Column("model", "left"), Column("fit", "left"), Column("training rows"), Column("test rows")]
    heads[1:1] = [Column("parameters", "left")] * tuned
    heads[1:1] = [Column("data", "left")] * data
    rows = [
        (
            visible(each.model),
            *((visible(each.data),) if data else ()),
            *((_parameters(each),) if tuned else ()),
            each.place,
            count(each.n_train),
            count(each.n_test),
            " ".join(map(str, each.seed)),
            visible(each.error),
        )
        for each in listed
    ]
    yield Table((*heads, Column("seed", "left"), Column("error", "left")), tuple(rows))
    kinds: dict[tuple[str, ...], list[Failure]] = {}
    for each in failures:
        kinds.setdefault(each.kind, []).append(each)
    traced = list(failures) if every else [alike[0] for alike in kinds.values()]
    for each in traced:
        yield Paragraph(_heading(each, 1 if every else len(kinds[each.kind])))
        yield Lines(tuple(f"  {line}" for line in each.trace.splitlines()))
    left = len(failures) - min(len(listed), len(traced))
    if left:
        yield Paragraph(
            "--all shows every failed fit with its traceback; `runs resume --retry-failed` tries them again."
        )


def _parameters(failure: Failure) -> str:
    return ", ".join(f"{name}={value}" for name, value in failure.parameters.items())


def _heading(failure: Failure, alike: int) -> str:
    which = ", ".join(filter(None, (quoted(failure.model), failure.place)))
    more = "" if alike == 1 else f", the first of {count(alike)} of this kind"
    return f"{which}{more}:"


# --- beside it -------------------------------------------------------------------------------------------


def _versions(look: Look) -> Iterator[Block]:
    found = look.versions
    if len(found) > 1:
        yield Paragraph("Its fits were made with different versions:")
    for each in found:
        yield Paragraph(f"{', '.join(f'{name} {version}' for name, version in each.items())}.")


def _set_aside(aside: Sequence[tuple[Path, str]]) -> Iterator[Block]:
    yield Paragraph(f"Records that could not be used; they are in {str(aside[0][0].parent)!r}:")
    yield Lines(tuple(f"  {place.name}: {why}" for place, why in aside[:_MOST_SET_ASIDE]))
    if len(aside) > _MOST_SET_ASIDE:
        yield Paragraph(f"And {count(len(aside) - _MOST_SET_ASIDE)} more.")


def show_form(look: Look) -> dict[str, Any]:
    """The record of the run, and how it stands."""
    return {
        **look.record,
        "schema": RUN_SCHEMA,
        "run_folder": str(look.folder.path),
        "state": look.state,
        "done": len(look.fits),
        "failed": len(look.failures),
        "seconds": look.seconds,
        "versions": look.versions,
        "failures": [asdict(each) for each in look.failures],
        "set_aside": [{"file": place.name, "why": why} for place, why in set_aside(look.folder)],
        "same_test_rows": [each.run for each in look.on_the_same_rows],
    }


# --- what can be pasted -----------------------------------------------------------------------------------


def _broken(words: Sequence[str]) -> Iterator[str]:
    """A command on lines that fit a page and still are one command when pasted."""
    line = ""
    for word in map(quote, words):
        if line and len(line) + len(word) > _WIDTH:
            yield f"{line} \\"
            line = "   "
        line = f"{line} {word}" if line else f"  {word}"
    yield line


# --- small things ----------------------------------------------------------------------------------------


def _pairs(rows: Sequence[tuple[str, str]], align: Any = "left") -> Table:
    return Table((Column("", "left"), Column("", align)), tuple(rows))


def _local(moment: Any, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """A moment by the clock of this place."""
    try:
        return datetime.fromisoformat(str(moment)).astimezone().strftime(form)
    except ValueError:
        return "-"


def _day(moment: Any) -> str:
    """Of this year to the minute, of others the day: a list is narrow."""
    year = datetime.now().astimezone().strftime("%Y")
    return _local(moment, "%m-%d %H:%M" if _local(moment, "%Y") == year else "%Y-%m-%d")


def _duration(seconds: float) -> str:
    """In the two largest units it has."""
    if seconds < 10:
        return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds:.1g} s"
    rest = round(seconds)
    parts: list[str] = []
    for unit, size in _SPANS:
        whole, rest = divmod(rest, size)
        if whole or parts:
            parts.append(f"{whole} {unit}")
    return " ".join(parts[:2])
