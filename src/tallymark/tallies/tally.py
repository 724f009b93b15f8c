"""`Tally`: all that one pass over a table counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tallymark.errors import MergeError
from tallymark.tallies.binned import Binned
from tallymark.tallies.confusion import Confusion
from tallymark.tallies.grid import Grid
from tallymark.tallies.grouped import Grouped
from tallymark.tallies.grouped_scores import GroupedScores
from tallymark.tallies.labels import Label, listed, quoted
from tallymark.tallies.of_classes import OfClasses
from tallymark.tallies.scores import Scores

if TYPE_CHECKING:
    from pathlib import Path

    from tallymark.evaluation import Evaluation

Key = tuple[Label, ...]
"""The values of a slice, one for each of the columns that are crossed."""


@dataclass(frozen=True)
class Declared:
    """What was settled before the first row was counted: only what was declared alike can be added."""

    answers: bool = False
    """Whether there is a column of answers."""
    score: bool = False
    """Whether there is a column of scores."""
    classes: tuple[Label, ...] = ()
    """The classes that there is a probability of, in the order of the labels."""
    labels: tuple[Label, ...] | None = None
    positive: Label | None = None
    """The class that a score is about, as it was named; None leaves it to the convention of 0 and 1."""
    grid: Grid | None = None
    """What scores are counted on; None when every score is kept."""
    threshold: float | None = None
    weights: str | None = None
    """`sampling` or `frequency`, where rows have weights."""
    missing: str = "error"
    slices: tuple[tuple[str, ...], ...] = ()
    clip: float = 0.0
    groups: bool = False
    """Whether rows belong together in groups."""

    def against(self, other: Declared) -> list[tuple[str, str, str]]:
        """What differs: its name and both sides in words."""
        sides = ((each.name, getattr(self, each.name), getattr(other, each.name)) for each in fields(self))
        return [
            (_WORDS.get(name, name), _said(name, one), _said(name, two))
            for name, one, two in sides
            if one != two
        ]


_WORDS = {
    "answers": "a column of answers",
    "score": "a column of scores",
    "classes": "probabilities of classes",
    "positive": "the positive class",
    "grid": "scores",
    "missing": "missing values",
    "clip": "the clip",
    "groups": "rows in groups",
}
_NOTHING = {"grid": "each kept", "positive": "not named", "weights": "none"}


def _said(name: str, value: Any) -> str:
    if value is None:
        return _NOTHING.get(name, "not given")
    if name == "grid":
        return f"on a grid of {value}"
    if name == "missing":
        return "dropped" if value == "drop" else "an error"
    if name == "slices":
        return ", ".join("*".join(spec) for spec in value) or "none"
    if name in ("labels", "classes"):
        return listed(value) if value else "none"
    return ("yes" if value else "no") if isinstance(value, bool) else quoted(value)


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of a table, or of one part of it: `tally(part) + tally(rest)` is the tally of the whole.

    Labels are as they were written; text that is all whole numbers is read as such when all rows are there.
    """

    declared: Declared
    counted: Confusion
    """Actual against predicted; without answers, actual against itself."""
    scores: Scores | Binned | None = None
    """Where there is one score per row; about what is positive by name or by convention."""
    classes: OfClasses | None = None
    """Where there is one probability per class."""
    slices: Mapping[tuple[str, ...], Mapping[Key, Tally]] = field(default_factory=dict)
    """The same of every slice, by the columns that are sliced by."""
    sources: tuple[str, ...] = ()
    """Names of what was counted."""
    notes: tuple[str, ...] = ()
    """What was assumed of the columns."""
    lines: int = 0
    """Rows that were read and not dropped, where they have weights; of a weight of 0 they are not counted."""
    weightless: int = 0
    """Those among them that have a weight of 0."""
    groups: Grouped | None = None
    """The answers of every group, where rows belong together."""
    score_groups: GroupedScores | None = None
    """The scores of every group."""

    def __post_init__(self) -> None:
        frozen = {columns: MappingProxyType(dict(found)) for columns, found in self.slices.items()}
        object.__setattr__(self, "slices", MappingProxyType(frozen))

    @property
    def rows(self) -> int:
        """Rows counted, whatever their weight."""
        return self.counted.rows

    @property
    def dropped(self) -> Mapping[str, int]:
        return self.counted.dropped

    def __eq__(self, other: object) -> bool:
        """Equal counts, wherever they come from."""
        if not isinstance(other, Tally):
            return NotImplemented
        names = ["declared", "counted", "scores", "classes", "slices", "lines", "weightless"]
        names += ["groups", "score_groups"]
        return all(getattr(self, name) == getattr(other, name) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        slices = {columns: dict(found) for columns, found in self.slices.items()}
        return Tally, (
            self.declared,
            self.counted,
            self.scores,
            self.classes,
            slices,
            self.sources,
            self.notes,
            self.lines,
            self.weightless,
            self.groups,
            self.score_groups,
        )

    def __add__(self, other: Tally) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        refuse_unlike(self, other)
        columns = dict.fromkeys([*self.slices, *other.slices])
        groups, score_groups = (
            _added(self.groups, other.groups),
            _added(self.score_groups, other.score_groups),
        )
        return Tally(
            self.declared,
            self.counted + other.counted if groups is None else groups.total,
            _added(self.scores, other.scores) if score_groups is None else score_groups.total,
            _added(self.classes, other.classes),
            {each: _by_key(self.slices.get(each, {}), other.slices.get(each, {})) for each in columns},
            tuple(dict.fromkeys((*self.sources, *other.sources))),
            tuple(dict.fromkeys((*self.notes, *other.notes))),
            self.lines + other.lines,
            self.weightless + other.weightless,
            groups,
            score_groups,
        )

    def __radd__(self, other: object) -> Tally:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def named(self, *sources: str) -> Tally:
        """The same, with the names of what was counted."""
        return replace(self, sources=sources)

    def evaluate(self, **options: Any) -> Evaluation:
        """Everything that can be said from these counts."""
        # The one declared exception to the one-way flow: a tally may hand itself to the evaluation.
        from tallymark.evaluation.from_tally import evaluate_tally

        return evaluate_tally(self, **options)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the counts to a `.tally` file, whole or not at all."""
        from tallymark.evaluation.tally_files import write_tally

        write_tally(self, path, overwrite=overwrite)

    @classmethod
    def load(cls, path: str | Path) -> Tally:
        """The counts in a `.tally` file."""
        from tallymark.evaluation.tally_files import read_tally

        return read_tally(path)

    def __repr__(self) -> str:
        about = [repr(each) for each in (self.scores, self.classes) if each is not None]
        held = self.groups if self.score_groups is None else self.score_groups
        about += [] if held is None else [f"{len(held):,} groups"]
        return f"Tally({', '.join([repr(self.counted), *about])})"


def refuse_unlike(first: Tally, second: Tally) -> None:
    """What was declared differently is not added, and both sides are named."""
    unlike = first.declared.against(second.declared)
    if not unlike:
        return
    one, two = _called(first, "the first tally"), _called(second, "the second")
    said = "; ".join(f"{what}: {here} and {there}" for what, here, there in unlike)
    hint = "count all parts with the same options."
    if (first.declared.grid is None) != (second.declared.grid is None):
        hint = "count all parts with --approximate (in Python approximate=True), or all without it."
    raise MergeError(f"{one} and {two} were declared differently, so they do not add up: {said}.", hint=hint)


def _called(tally: Tally, name: str) -> str:
    more = f" and {len(tally.sources) - 1:,} more" if len(tally.sources) > 1 else ""
    return f"{tally.sources[0]}{more}" if tally.sources else name


def _added(one: Any, two: Any) -> Any:
    return None if one is None else one + two


def _by_key(one: Mapping[Key, Tally], two: Mapping[Key, Tally]) -> Mapping[Key, Tally]:
    found = dict(one)
    for key, tally in two.items():
        found[key] = found[key] + tally if key in found else tally
    return by_written(found)


def by_written(found: Mapping[Key, Tally]) -> Mapping[Key, Tally]:
    """Where fractions made text of the numbers of some parts, those of all are text: 1 and '1' are one."""
    columns = list(zip(*found, strict=True))
    mixed = [len({isinstance(value, str) for value in column}) > 1 for column in columns]
    if not any(mixed):
        return found
    united: dict[Key, Tally] = {}
    for key, part in found.items():
        written = tuple(str(value) if text else value for value, text in zip(key, mixed, strict=True))
        united[written] = united[written] + part if written in united else part
    return united
