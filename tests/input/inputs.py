"""What the tests of input ask: the rows that were read, the counts made of them, and the errors."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import tallymark as tm
from tallymark.cli import main

Row = list[str | None]
NO_LABEL = "no such label"
"""Declared beside labels that look like numbers, it keeps all of them text."""
IN_PIECES: dict[str, Any] = {"memory": "1MB"}
"""With so little memory text is read in pieces of PIECE bytes, behind three that may be a byte order mark."""
PIECE = 1 << 20


def written(content: str | bytes, name: str = "x.csv") -> str:
    """A file of that content, by its name."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def filled(room: int, start: bytes, end: bytes, letter: bytes = b"z") -> bytes:
    """So many bytes in rows of some 10,000, each a long word between `start` and `end`."""
    rows = max(1, room // 10_000)
    sizes = [room // rows] * (rows - 1) + [room - room // rows * (rows - 1)]
    return b"".join(start + letter * (size - len(start + end)) + end for size in sizes)


def cut_at(places: Iterable[int], head: bytes, rest: bytes, start: bytes, end: bytes) -> bytes:
    """A head, and `rest` once for each place in it at which a piece ends, with long rows between them."""
    text = [head]
    for number, place in enumerate(places, 1):
        room = number * PIECE + 3 - place - sum(map(len, text))
        text += [filled(room, start, end), rest]
    return b"".join(text)


def cut_csv(content: bytes, places: Iterable[int] | None = None, delimiter: str = ",") -> bytes:
    """Delimited text, cut at places behind its header; by default at up to six that are evenly spread."""
    sign, at, ending = delimiter.encode(), len(content), b"\n"
    for found in re.finditer(rb"\r\n|\n|\r", content):
        try:
            if by_csv(content[: found.end()], delimiter)[0]:
                at, ending = found.end(), found[0]
                break
        except csv.Error:
            continue
    columns = len(by_csv(content[:at], delimiter)[0])
    rest = content[at:] if content.endswith((b"\n", b"\r")) else content[at:] + ending
    spread = range(0, len(rest), -(-len(rest) // 6)) if places is None else places
    text = cut_at(spread, content[:at], rest, b"", sign + sign.join([b"1"] * (columns - 1)) + ending)
    return text if rest == content[at:] else text[: -len(ending)]


def rows_of(data: Any, *more: Any, **options: Any) -> tuple[list[Any], ...]:
    """The columns as a metric of one's own gets them: actual, predicted and the score, row by row."""
    found: list[tuple[Any, ...]] = []

    def two(y_true: Any, y_pred: Any) -> float:
        found.append((y_true, y_pred))
        return 0.0

    def three(y_true: Any, y_pred: Any, y_score: Any) -> float:
        found.append((y_true, y_pred, y_score))
        return 0.0

    scored = {"score", "y_score", "probabilities", "votes"} & set(options)
    tm.evaluate(data, *more, extra={"kept": three if scored else two}, **options)
    return tuple(np.asarray(column).tolist() for column in found[0])


def matrix(found: tm.Evaluation) -> list[list[Any]]:
    assert found.confusion is not None
    counts: list[list[Any]] = found.confusion.matrix.tolist()
    return counts


def typed(labels: Any) -> list[tuple[type, Any]]:
    return [(type(label), label) for label in labels]


def pairs(found: tm.Evaluation) -> dict[tuple[Any, Any], int]:
    """How many rows have each actual and predicted label."""
    assert found.confusion is not None
    labels, counts = found.confusion.labels, found.confusion.matrix
    return {(labels[i], labels[j]): int(counts[i, j]) for i, j in np.argwhere(counts)}


def as_text(rows: list[Row]) -> dict[str, Any]:
    """The option that keeps all labels as they are written in these rows."""
    return {"labels": [*sorted({cell for row in rows for cell in row if cell is not None}), NO_LABEL, "-"]}


def naive(rows: list[Row]) -> tuple[dict[tuple[str, str], int], dict[str, int]]:
    """The pairs of the first two columns, and what was dropped, counted one by one."""
    whole = [(row[0], row[1]) for row in rows if row[0] is not None and row[1] is not None]
    lost = ["missing_actual" if row[0] is None else "missing_predicted" for row in rows if None in row[:2]]
    return dict(Counter(whole)), dict(Counter(lost))


def by_csv(content: bytes, delimiter: str = ",") -> tuple[list[str], list[Row]]:
    """Header and rows by the csv module in its strict mode; ragged rows raise ValueError."""
    file = io.StringIO(content.decode("utf-8-sig"), newline="")
    limit = csv.field_size_limit(10_000_000)
    try:
        records = list(csv.reader(file, delimiter=delimiter, strict=True))
    finally:
        csv.field_size_limit(limit)
    header, *rows = [record for record in records if record] or [[]]
    if any(len(row) != len(header) for row in rows):
        raise ValueError("ragged")
    return header, [[cell or None for cell in row] for row in rows]


def counts(count: Callable[..., Any], data: Any, **asked: Any) -> tuple[Any, ...]:
    """Labels, pairs and dropped rows of an evaluation or tally; or class, message and hint of its error."""
    try:
        found = count(data, **asked)
        found = found.evaluate() if isinstance(found, tm.Tally) else found
        return found.labels, pairs(found), dict(found.dropped), found.rows
    except tm.TallymarkError as error:
        return type(error).__name__, error.message, error.hint


def refused(calls: Mapping[str, Callable[[], Any]]) -> dict[str, str]:
    """The public class and the message of each error, which is one line that can be printed."""
    found, wrong = {}, []
    for name, call in calls.items():
        try:
            wrong.append(f"{name} is not refused: {call()!r}")
        except tm.TallymarkError as error:
            public = next(kind for kind in type(error).__mro__ if kind is getattr(tm, kind.__name__, None))
            found[name] = f"{public.__name__}: {error}"
            if not str(error).isprintable():
                wrong.append(f"{name} is not one line: {error}")
        except Exception as error:  # noqa: BLE001
            wrong.append(f"{name} ends with {type(error).__name__}: {error}")
    assert not wrong, "\n".join(wrong)
    return found


def of_contents(
    table: Mapping[str, str | bytes], name: str, count: Any = None, **asked: Any
) -> dict[str, str]:
    """The errors of files of these contents, all of one name."""
    count = count or tm.evaluate
    return refused(
        {case: lambda text=text: count(written(text, name), **asked) for case, text in table.items()}
    )


def called(case: Any) -> str:
    """A case by what it is, in one line."""
    if isinstance(case, tuple) and not hasattr(case, "_fields"):
        return ", ".join(filter(None, map(called, case)))
    if isinstance(case, dict):
        return ", ".join(f"{name}={called(value)}" for name, value in case.items())
    text = f"{type(case).__name__} of {[*case.columns]}" if hasattr(case, "columns") else repr(case)
    return type(case).__name__ if " at 0x" in text else " ".join(text.split())


def refusals(table: Iterable[Any], count: Any = None, **asked: Any) -> dict[str, str]:
    """The errors of evaluations: each case is what is passed by place, and last what is passed by name."""

    def evaluation(data: tuple[Any, ...]) -> Callable[[], Any]:
        *values, options = data if isinstance(data[-1], dict) else (*data, {})
        return lambda: (count or tm.evaluate)(*values, **asked | options)

    if isinstance(table, Mapping):
        return refused({name: evaluation(case) for name, case in table.items()})
    calls: dict[str, Callable[[], Any]] = {}
    for case in table:
        name = called(case)[:100].strip()
        calls[name if name not in calls else f"{name} ({len(calls)})"] = evaluation(case)
    return refused(calls)


def command(*words: str) -> Any:
    """The document that a command prints with --json; or its error, which is one line."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*words, "--json"])
    if code == 0:
        assert err.getvalue() == ""
        return json.loads(out.getvalue())
    assert (code, out.getvalue()) == (2, ""), (words, code)
    (line,) = err.getvalue().splitlines()
    return line


def refused_with(
    call: Callable[..., Any], table: Mapping[str, Mapping[str, Any]], *data: Any, **asked: Any
) -> dict[str, str]:
    """The errors of one call with the options of each case."""
    return refused({case: partial(call, *data, **asked, **options) for case, options in table.items()})
