"""Writes docs/honesty.md from what the studies measured (results/*.csv) and the words of honesty.template.md.

python benchmarks/honesty.py
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import TypeVar

import records
from honesty_parts import INTERVALS, TESTS, Part
from records import OURS, Covered, Rejected

WORDS = Path(__file__).parent / "honesty.template.md"
FILE = Path(__file__).parents[1] / "docs" / "honesty.md"
NOT_YET = "Not measured yet."
SMALL = 100
"""Rows or groups up to which a design is called small."""
PEERS = "peers_intervals"
Row = TypeVar("Row", Covered, Rejected)


def main() -> None:
    FILE.write_text(page(), encoding="utf-8")


def page() -> str:
    """All of docs/honesty.md: the words, with tables and numbers in the place of [[their names]]."""
    made = {"versions": versions(), "summary": summary(), "kinds": kinds()}
    made |= {name: f"{number:,}" for name, number in counts().items()}
    made |= {part.title: _intervals(part) for part in INTERVALS}
    made |= {part.title: _tests(part) for part in TESTS}
    return re.sub(r"\[\[(.+?)\]\]", lambda found: made[found[1]], WORDS.read_text(encoding="utf-8"))


def versions() -> str:
    file = records.FOLDER / "versions.csv"
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    return ", ".join(line.replace(",", " ") for line in lines)


# --- what is in a part -----------------------------------------------------------------------


def intervals_of(part: Part) -> list[Covered]:
    """Ours, and beside them what others do about the same numbers."""
    measured = [row for study in part.studies for row in records.intervals(study)]
    return measured + [row for row in records.intervals(PEERS) if row.what in part.beside]


def tests_of(part: Part) -> list[Rejected]:
    found = [row for study in part.studies for row in records.tests(study)]
    return [row for row in found if row.test.startswith(part.beside)]


def counts() -> dict[str, int]:
    """How many lines there are, and how many of ours are marked."""
    intervals = [row for part in INTERVALS for row in intervals_of(part) if row.whose == OURS]
    tests = [row for part in TESTS for row in tests_of(part) if row.whose == OURS]
    return {
        "intervals": len(intervals),
        "short": sum(row.short for row in intervals),
        "tests": len(tests),
        "too_many": sum(row.too_many for row in tests),
    }


def summary() -> str:
    """One line per part: how many designs, how many of them marked, and how bad it gets.

    Methods that are offered with a warning have a column of their own, so that they do not hide the others.
    """
    lines = [
        "| part | designs | marked | lowest coverage | marked, with a warning |",
        "|---|---|---|---|---|",
    ]
    for part in INTERVALS:
        all_ours = [row for row in intervals_of(part) if row.whose == OURS]
        ours = [row for row in all_ours if row.method not in part.warned]
        if not ours:
            continue
        worst = min(ours, key=lambda row: row.coverage)
        lowest = f"{worst.coverage:.3f}: {worst.what}, {worst.method}; {worst.design}"
        marked, warned = sum(row.short for row in ours), sum(row.short for row in all_ours if row not in ours)
        line = f"{part.link} | {len(all_ours)} | {marked or '-'} | {lowest} | {warned or '-'}"
        lines.append(f"| {line} |")
    lines += ["", "| part | designs | marked | most false positives | marked, with a warning |"]
    lines += ["|---|---|---|---|---|"]
    for part in TESTS:
        all_tests = [row for row in tests_of(part) if row.whose == OURS]
        tests = [row for row in all_tests if not row.test.startswith(part.warned or ("nothing",))]
        known = [row for row in tests if not math.isnan(row.false) and not math.isnan(row.promised)]
        if not known:
            continue
        most = max(known, key=lambda row: row.false)
        highest = f"{most.false:.3f}: {most.test}; {most.design}"
        marked = sum(row.too_many for row in tests)
        warned = sum(row.too_many for row in all_tests if row not in tests)
        lines.append(f"| {part.link} | {len(all_tests)} | {marked or '-'} | {highest} | {warned or '-'} |")
    return "\n".join(lines)


def kinds() -> str:
    """Which numbers have which kind of interval, read from the metrics themselves."""
    from tallymark.metrics.registry import METRICS, SCORE_METRICS, SET_METRICS

    found: dict[str, list[str]] = {}
    for name, metric in {**METRICS, **SCORE_METRICS, **SET_METRICS}.items():
        found.setdefault(metric.interval, []).append(name)
    lines = ["| kind of interval | numbers |", "|---|---|"]
    lines += [f"| `{kind}` | {', '.join(sorted(names))} |" for kind, names in sorted(found.items())]
    return "\n".join(lines)


# --- tables ----------------------------------------------------------------------------------


def _intervals(part: Part) -> str:
    rows = intervals_of(part)
    if not rows:
        return NOT_YET
    columns = "least | mean | width"
    head = f"| number | interval, or kind of rows | whose | ≤ 100: {columns} | > 100: {columns} | marked |"
    lines = [head, "|---" * 10 + "|"]
    for group in _grouped(rows, lambda row: (row.what, row.whose != OURS, row.whose, row.method)):
        first = group[0]
        small, usual = (
            _covered([row for row in group if (row.size <= SMALL) == is_small]) for is_small in (True, False)
        )
        name = first.method if first.whose == OURS else f"*{first.method}*"
        lines.append(
            f"| {first.what} | {name} | {_whose(first.whose)} | {small} | {usual} | {_marked(group)} |"
        )
    ours = [row for row in rows if row.whose == OURS and row.short]
    listed = [
        f"| {row.what} | {row.method} | {row.design} | {row.coverage:.3f} | {_width(row.width)} "
        f"| {_runs(row)} |"
        for row in sorted(ours, key=lambda row: row.coverage)
    ]
    heads = "| number | interval | design | coverage | width | samples |\n|---|---|---|---|---|---|"
    return _part(part, rows, lines, _folded(heads, listed))


def _tests(part: Part) -> str:
    rows = tests_of(part)
    if not rows:
        return NOT_YET
    head = "| test | whose | designs | false positives: most | mean | power: least | mean | marked |"
    lines = [head, "|---" * 8 + "|"]
    for group in _grouped(rows, lambda row: (row.test, row.whose != OURS, row.whose)):
        first = group[0]
        name = first.test if first.whose == OURS else f"*{first.test}*"
        false = [row.false for row in group if not math.isnan(row.false)]
        power = [row.power for row in group if not math.isnan(row.power)]
        most = _bold(f"{max(false):.3f}", any(row.too_many for row in group)) if false else "-"
        found = f"{min(power):.2f} | {_mean(power)}" if power else "- | -"
        rates = f"{most} | {_mean(false)} | {found}"
        lines.append(f"| {name} | {_whose(first.whose)} | {len(group)} | {rates} | {_marked(group)} |")
    ours = [row for row in rows if row.whose == OURS and row.too_many]
    listed = [
        f"| {row.test} | {row.design} | {row.false:.3f} | {row.power:.2f} | {_runs(row)} |".replace(
            "| nan |", "| - |"
        )
        for row in sorted(ours, key=lambda row: -row.false)
    ]
    heads = "| test | design | false positives | power | samples |\n|---|---|---|---|---|"
    return _part(part, rows, lines, _folded(heads, listed))


def _part(part: Part, rows: Sequence[Covered | Rejected], lines: list[str], marked: str) -> str:
    notes = records.notes_in_small()
    small = [f"**In small**, {study}: {notes[study]}." for study in part.studies if study in notes]
    return "\n".join([" ".join([simulated(rows), *small]), "", *lines, "", marked])


def simulated(rows: Sequence[Covered | Rejected]) -> str:
    """How many samples there were, and how far off a rate may be."""
    runs = sorted({row.runs for row in rows if row.runs})
    exact = sum(not row.runs for row in rows)
    if not runs:
        return "Worked out exactly, not simulated."
    few, many = runs[0], runs[-1]
    number = f"{few:,}" if few == many else f"{few:,} to {many:,}"
    errors = [f"{records.error(0.05, each):.3f}" for each in (few, many)]
    spread = errors[0] if errors[0] == errors[1] else f"{errors[0]} to {errors[1]}"
    also = f" {exact} lines are worked out exactly." if exact else ""
    return f"{number} samples a design; the standard error of a rate as promised is {spread}.{also}"


def _grouped(rows: Iterable[Row], key: Callable[[Row], tuple[object, ...]]) -> Iterator[list[Row]]:
    """Rows of the same line, in the order in which lines first come; peers below ours."""
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    order = {what: place for place, what in reversed(list(enumerate(each[0] for each in groups)))}
    yield from (groups[each] for each in sorted(groups, key=lambda each: (order[each[0]], each[1])))


def _covered(rows: list[Covered]) -> str:
    if not rows:
        return "- | - | -"
    least = min(rows, key=lambda row: row.coverage)
    width = fmean(row.width for row in rows)
    lowest = _bold(f"{least.coverage:.3f}", any(row.short for row in rows))
    return f"{lowest} | {fmean(row.coverage for row in rows):.3f} | {_width(width)}"


def _width(width: float) -> str:
    if math.isnan(width):
        return "-"
    return "endless" if math.isinf(width) else f"{width:.3g}"


def _mean(values: list[float]) -> str:
    return f"{fmean(values):.3f}" if values else "-"


def _whose(whose: str) -> str:
    return whose if whose == OURS else f"*{whose}*"


def _bold(text: str, marked: bool) -> str:
    return f"**{text}**" if marked else text


def _marked(group: Sequence[Covered | Rejected]) -> str:
    marked = sum(row.short if isinstance(row, Covered) else row.too_many for row in group)
    return f"**{marked} of {len(group)}**" if marked else f"- of {len(group)}"


def _runs(row: Covered | Rejected) -> str:
    return f"{row.runs:,}" if row.runs else "exact"


def _folded(heads: str, listed: list[str]) -> str:
    if not listed:
        return "None of ours is marked."
    lines = "\n".join(listed)
    title = f"<details><summary>Every marked line of ours: {len(listed)}</summary>"
    return f"{title}\n\n{heads}\n{lines}\n\n</details>"


if __name__ == "__main__":
    main()
