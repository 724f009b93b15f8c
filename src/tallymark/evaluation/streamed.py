"""Files that are read in pieces and counted as they come: when, in how many passes, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.decisions import objective_of
from tallymark.errors import OptionError, precise
from tallymark.evaluation.counted import checked_threshold, nothing_to_cut, number_or_word
from tallymark.evaluation.from_classes import refuse_threshold
from tallymark.evaluation.from_tally import evaluate_tally
from tallymark.evaluation.needing_rows import refuse_groups_on_grid, refuse_rows, rows_for, sides_of
from tallymark.evaluation.outside_grid import named_ends
from tallymark.evaluation.refining import finer_grid, wide_slices
from tallymark.evaluation.settings import checked_clip, no_use_of_clip
from tallymark.intake.answers import unnamed_positive
from tallymark.intake.engines.store import Store
from tallymark.intake.files.lists import file_list
from tallymark.intake.files.tables import column_names
from tallymark.intake.roles import Roles, refuse_twice, with_guesses
from tallymark.intake.rows import Checks, check_missing, finished
from tallymark.intake.streams.class_columns import from_some_labels, refuse_otherwise
from tallymark.intake.streams.counting import asked_cuts
from tallymark.intake.streams.door import Reading
from tallymark.intake.streams.memory import parsed_memory
from tallymark.intake.streams.stray_labels import refuse_stray
from tallymark.intake.weights import check_kind
from tallymark.tallies.binned import Binned
from tallymark.tallies.grid import BINS, SLICE_BINS, Grid
from tallymark.tallies.labels import may_be_positive
from tallymark.tallies.plain_numbers import whole_numbers
from tallymark.tallies.tally import Declared, Tally

if TYPE_CHECKING:
    from tallymark.evaluation.result import Evaluation
    from tallymark.intake.costs import CostsGiven
    from tallymark.intake.engines.files import Engine
    from tallymark.intake.streams.scan import Scan

MOST_PASSES = 8
_MANY_CLASSES = 20
_PLAIN = (".csv", ".tsv", ".txt", ".ndjson", ".jsonl", ".json", ".arff")
_FURTHEST = 1e300
_MOST_TIMES = 100
"""How many times the size of a text file the rows in it can take in memory, and more."""


@dataclass(frozen=True)
class Streaming:
    """How much memory there is, and what may be approximated."""

    memory: int
    approximate: bool = False
    tolerance: float | None = None
    """How wide certified bounds may be; None takes them as one pass gives them."""
    grid: tuple[float, float] | None = None
    """From where to where scores are counted in bins; None finds out."""
    merging: bool = False
    """Whether the tally is to be added to others, which must be on the same grid."""

    @classmethod
    def of(cls, memory: Any, approximate: bool, tolerance: Any, grid: Any = None) -> Streaming:
        """Checked, as a user gave them."""
        if tolerance is not None:
            number = isinstance(tolerance, int | float) and not isinstance(tolerance, bool)
            if not number or not 0 < tolerance < 1:
                raise OptionError(f"tolerance is a number between 0 and 1, such as 1e-6; got {tolerance!r}.")
            if not approximate:
                raise OptionError(
                    "tolerance is about approximate numbers, and none was asked for.",
                    hint="add --approximate (in Python approximate=True).",
                )
        return cls(parsed_memory(memory), approximate, tolerance, grid)


def evaluate_streamed(
    paths: Sequence[Path],
    roles: Roles,
    checks: Checks,
    streaming: Streaming,
    *,
    refuse: Callable[[], None],
    pos_label: object,
    threshold: float | str | None,
    costs: CostsGiven | None,
    clip: float | None,
    delimiter: str | None,
    missing_words: Sequence[str],
    engine: Engine | None,
    **options: Any,
) -> Evaluation | None:
    """The evaluation of files that are not to be held in memory; None where they can be.

    What needs rows is refused as soon as it is known that none are kept.
    """
    if engine is None and not streaming.approximate and _is_small(paths, streaming.memory):
        return None
    counted = count_table(
        paths,
        roles,
        checks,
        streaming,
        pos_label=pos_label,
        threshold=threshold,
        clip=clip,
        delimiter=delimiter,
        missing_words=missing_words,
        refuse=refuse,
        unless_fits=not streaming.approximate,
        engine=engine,
    )
    if counted is None:
        return None
    tally, notes = counted
    return evaluate_tally(
        tally, pos_label=pos_label, threshold=threshold, costs=costs, notes=notes, **options
    )


def _is_small(paths: Sequence[Path], memory: int) -> bool:
    """Whether plain files are so small that nobody need look closer; others may unpack to anything."""
    try:
        plain = all(path.is_file() and path.suffix.lower() in _PLAIN for path in paths)
        return plain and sum(path.stat().st_size for path in paths) * _MOST_TIMES < memory
    except (OSError, ValueError):
        return False


def fits(scan: Scan, memory: int) -> bool:
    """Whether the rows can all be held in memory at once."""
    from tallymark.intake.streams.size import estimated_bytes

    return estimated_bytes(scan) <= memory


def count_table(
    paths: Sequence[str | Path],
    roles: Roles,
    checks: Checks,
    streaming: Streaming,
    *,
    pos_label: object = None,
    threshold: float | str | None = None,
    clip: float | None = None,
    delimiter: str | None = None,
    missing_words: Sequence[str] = (),
    refuse: Callable[[], None] = lambda: None,
    unless_fits: bool = False,
    engine: Engine | None = None,
) -> tuple[Tally, list[str]] | None:
    """The tally of files, and what must be said of it; None if they fit into memory and that was asked.

    An `engine` counts them in any case.
    """
    from tallymark.intake.streams.file_store import FileStore
    from tallymark.intake.streams.scan import scan_files

    files, notes = file_list(paths)
    names = column_names(files[0], delimiter=delimiter)
    roles, guesses = with_guesses(roles, names)
    roles, slices = roles.crossed(names)
    refuse_twice(roles)
    check_missing(checks.missing)
    check_kind(checks.weight_kind)
    with ExitStack() as open_files:
        options: dict[str, Any] = {"delimiter": delimiter, "memory": streaming.memory}
        scan = open_files.enter_context(scan_files(files, roles.used, **options))
        if engine is None and unless_fits and fits(scan, streaming.memory):
            return None
        store: Store = FileStore(scan, files, delimiter)
        lists = any(map(store.holds_lists, sides_of(roles)))
        refuse_rows(rows_for(roles, lists), streaming, engine)
        refuse()
        if engine is not None:
            store = open_files.enter_context(engine.opened(scan, files, **options))
            notes = [*notes, counted_by(engine)]
        asked: dict[str, Any] = {
            "pos_label": pos_label,
            "threshold": threshold,
            "clip": clip,
            "missing_words": missing_words,
        }
        tally, said = count_store(store, roles, slices, checks, streaming, **asked)
    return tally.named(*map(str, paths)), [*notes, *guesses, *said]


def counted_by(engine: Engine) -> str:
    """What must be said of it."""
    return f"counted by {engine.called}, where the rows are."


def count_store(
    store: Store,
    roles: Roles,
    slices: tuple[tuple[str, ...], ...],
    checks: Checks,
    streaming: Streaming,
    *,
    pos_label: object = None,
    threshold: float | str | None = None,
    clip: float | None = None,
    missing_words: Sequence[str] = (),
) -> tuple[Tally, list[str]]:
    """The tally of rows that are counted where they are, and what must be said of it."""
    if roles.predicted is not None and threshold is not None:
        raise nothing_to_cut()
    refuse_groups_on_grid(roles, streaming)
    if roles.id is not None:
        store.refuse_repeated(roles.id, streaming.memory)
        roles = replace(roles, id=None)
    words = (missing_words,) if isinstance(missing_words, str) else tuple(missing_words)
    drop, kind = checks.missing == "drop", checks.weight_kind
    reading = Reading(roles, store.text, drop, words, kind, checks.labels, as_written=store.as_written)
    declared = declared_of(roles, checks, slices, pos_label, threshold, clip)
    if declared.clip and not (roles.score or roles.probabilities):
        raise no_use_of_clip()
    if roles.probabilities is None:
        tally, said = _counted(store, reading, declared, streaming)
    else:
        if roles.predicted is None:
            refuse_threshold(threshold)
        tally, said = _counted_classes(store, reading, declared, streaming)
    refuse_stray(store, reading, tally, merging=streaming.merging)
    return tally, said


def declared_of(
    roles: Roles,
    checks: Checks,
    slices: tuple[tuple[str, ...], ...],
    pos_label: object,
    threshold: float | str | None,
    clip: float | None,
) -> Declared:
    """What is settled before rows are counted, but for the grid and for what probabilities are about."""
    return Declared(
        answers=roles.predicted is not None,
        score=roles.score is not None,
        labels=checks.labels,
        positive=_plain(pos_label),
        threshold=_number(threshold),
        weights=None if roles.weight is None else checks.weight_kind,
        missing=checks.missing,
        slices=slices,
        clip=checked_clip(clip),
        groups=roles.group is not None,
    )


def _plain(pos_label: Any) -> Any:
    """The class as it was named; a number that came as text, or as a float, is the number."""
    plain = pos_label.item() if isinstance(pos_label, np.generic) else pos_label
    if isinstance(plain, float) and plain.is_integer():
        return int(plain)
    numbers = whole_numbers([plain]) if isinstance(plain, str) else None
    return numbers[plain] if numbers is not None and str(numbers[plain]) == plain else plain


def _number(threshold: float | str | None) -> float | None:
    """The threshold, if it is known before rows are counted."""
    found = number_or_word(threshold) if isinstance(threshold, str) else threshold
    if isinstance(found, str):
        objective_of(found)  # refuses other words
        return None
    return None if found is None else checked_threshold(found)


def _counted_classes(
    store: Store, reading: Reading, declared: Declared, streaming: Streaming
) -> tuple[Tally, list[str]]:
    """With what the first rows say each probability is about, unless all rows say otherwise."""
    notes: list[str] = []
    settled = from_some_labels(store.some_labels(reading), reading, notes)
    tally, said = _counted(store, settled, replace(declared, classes=settled.classes), streaming)
    refuse_otherwise(reading, tally.counted)
    return replace(tally, notes=tuple(notes)), said


def _counted(
    store: Store, reading: Reading, declared: Declared, streaming: Streaming
) -> tuple[Tally, list[str]]:
    """As many passes as it takes."""
    ranked = declared.score or bool(declared.classes)
    if not streaming.approximate or not ranked:
        return store.count(reading, declared, streaming.memory, check=check_positive), []
    low, high = streaming.grid or (0.0, 1.0)
    declared = replace(declared, grid=cut_grid(low, high, declared.threshold, len(declared.classes)))
    tally = store.count(reading, declared, streaming.memory, check=check_positive)
    if streaming.merging:
        refuse_outside(tally, streaming.grid)
        return tally, []
    passes = 1
    if streaming.grid is None and isinstance(tally.scores, Binned) and tally.scores.outside:
        low, high = _span(tally.scores.low, tally.scores.high)
        declared = replace(declared, grid=cut_grid(low, high, declared.threshold, len(declared.classes)))
        tally = store.count(reading, declared, streaming.memory, "reading again, for scores leave [0, 1]")
        passes = 2
    first = ", first to see where scores lie that leave [0, 1]" if passes > 1 else ""
    notes: list[str] = []
    if streaming.tolerance is not None:
        tally, passes, notes = _refined(store, reading, tally, streaming, passes)
    if passes > 1:
        notes.append(f"{store.called} were read {passes} times{first}.")
    return tally, notes


def _span(low: float, high: float) -> tuple[float, float]:
    """From the least to the highest score, as far as their distance, and the bins in it, are finite."""
    low, high = max(low, -_FURTHEST), min(high, _FURTHEST)
    return (low, high) if high - low > 1 / _FURTHEST else (low - 1 / _FURTHEST, high + 1 / _FURTHEST)


def _refined(
    store: Store, reading: Reading, tally: Tally, streaming: Streaming, passes: int
) -> tuple[Tally, int, list[str]]:
    """Counted again in finer bins until bounds are narrow enough; how often that was, and what stays wide."""
    declared, always, tolerance = tally.declared, tally.declared.grid, streaming.tolerance
    assert always is not None
    assert tolerance is not None
    notes: list[str] = []
    grid = finer_grid(tally, always, tolerance, streaming.memory)
    while isinstance(grid, Grid) and passes < MOST_PASSES:
        passes += 1
        declared = replace(declared, grid=grid)
        tally = store.count(reading, declared, streaming.memory, f"reading again (pass {passes})")
        grid = finer_grid(tally, always, tolerance, streaming.memory)
    if grid is not None:
        enough = "1 pass is" if passes == 1 else f"{passes} passes are"
        why = f"{enough} not enough" if isinstance(grid, Grid) else grid
        notes.append(f"bounds stay wider than the tolerance of {tolerance:g}: {why}.")
    slices = wide_slices(tally, tolerance)
    if slices and grid is None:
        have = "1 slice stay" if slices == 1 else f"{slices:,} slices stay"
        notes.append(f"bounds of {have} wider than the tolerance: slices are counted in wider bins.")
    return tally, passes, notes


def refuse_outside(tally: Tally, grid: tuple[float, float] | None) -> None:
    """A grid of its own for every part would not add up, so one for all must be named."""
    scores = tally.scores
    if grid is not None or not isinstance(scores, Binned) or (scores.low >= 0 and scores.high <= 1):
        return
    low, high = named_ends(scores)
    raise OptionError(
        f"scores are counted on a grid from 0 to 1, and these reach from {precise(scores.low, 0, 1)} to "
        f"{precise(scores.high, 0, 1)}.",
        hint=f"name a grid that holds the scores of all parts, the same for each: --grid {low}:{high} "
        f"(in Python grid=({low}, {high})).",
    )


def cut_grid(low: float, high: float, threshold: float | None, classes: int = 0) -> Grid:
    """A grid with the threshold, and where bins of a calibration curve end, in bins of their own.

    With many classes, each of which is counted on it, bins are wider.
    """
    grid = Grid(low, high, SLICE_BINS if classes > _MANY_CLASSES else BINS)
    return grid.cut_at(asked_cuts(low, high, threshold))


def check_positive(tally: Tally) -> None:
    """Whether any label can be the one that a score is about; if not, more rows do not help."""
    declared = tally.declared
    if not declared.score or declared.positive is not None or declared.answers:
        return
    labels = finished(tally.counted, []).labels
    if len(labels) > 1 and not any(may_be_positive(label, None) for label in labels):
        raise unnamed_positive(labels)
