"""Models in files larger than memory: their rows are matched by id on disk, and counted as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from tallymark.comparison.question import Question
from tallymark.comparison.result import Comparison
from tallymark.comparison.rows.joined import by_id, compare_joined
from tallymark.comparison.rows.joined_counts import Counting, Counts, Scored
from tallymark.comparison.rows.joined_sums import Measuring, Spreads
from tallymark.comparison.rows.probing import Probed, probed
from tallymark.errors import MemoryLimitError, OptionError, TallymarkError, naming
from tallymark.evaluation.given import named
from tallymark.evaluation.settings import declared_labels
from tallymark.intake.costs import CostsGiven
from tallymark.intake.engines.parts import Failed
from tallymark.intake.engines.tables import InTurn
from tallymark.intake.roles import Beside, Roles, with_guesses
from tallymark.intake.rows import Checks
from tallymark.intake.streams.joining import joined
from tallymark.intake.streams.memory import in_words
from tallymark.intake.streams.spilling import MOST_PARTITIONS, Spill, spilling_folder, write_rows
from tallymark.intake.weights import check_kind

if TYPE_CHECKING:
    from tallymark.intake.streams.scan import Scan
    from tallymark.intake.streams.spilled_rows import Spilled

_SHARE = 8
"""Rows of one model wait in an eighth of the memory before they go to disk."""


@dataclass(frozen=True)
class ModelFiles:
    """The files of one model, and how they are read."""

    paths: Sequence[str | Path]
    options: Mapping[str, Any]
    """Arguments of `evaluate`."""
    title: str
    """What errors call it."""


@dataclass(frozen=True)
class Outgrown:
    """Files that do not fit the memory, opened."""

    needed: int
    memory: int
    scans: Mapping[str, Scan]
    roles: Mapping[str, Roles]
    notes: tuple[str, ...]


@contextmanager
def outgrown(models: Mapping[str, ModelFiles], memory: int) -> Iterator[Outgrown | None]:
    """The files of all models if they take more memory than that together; None if they fit."""
    with ExitStack() as stack:
        try:
            found = _opened(models, memory, stack)
        except MemoryLimitError:
            raise
        except TallymarkError:
            if _size(models) > memory:
                raise
            found = None  # the way in memory tells what is wrong
        yield found


def _size(models: Mapping[str, ModelFiles]) -> int:
    """Bytes of the files that are there."""
    from tallymark.intake.files.lists import file_list

    total = 0
    for model in models.values():
        with suppress(TallymarkError, OSError):
            total += sum(path.stat().st_size for path in file_list(model.paths)[0])
    return total


def _opened(models: Mapping[str, ModelFiles], memory: int, stack: ExitStack) -> Outgrown | None:
    from tallymark.intake.streams.size import estimated_bytes

    scans: dict[str, Scan] = {}
    roles: dict[str, Roles] = {}
    said: list[str] = []
    for name, model in models.items():
        with naming(model.paths, model.title):
            roles[name], scans[name], notes = scanned(model, memory, stack)
        said += notes
    needed = sum(estimated_bytes(scan) for scan in scans.values())
    return None if needed <= memory else Outgrown(needed, memory, scans, roles, tuple(dict.fromkeys(said)))


def scanned(model: ModelFiles, memory: int, stack: ExitStack) -> tuple[Roles, Scan, list[str]]:
    """Which column is what, the files opened, and what must be said of both."""
    from tallymark.intake.files.lists import file_list
    from tallymark.intake.files.tables import column_names
    from tallymark.intake.streams.scan import scan_files

    files, notes = file_list(model.paths)
    delimiter = model.options.get("delimiter")
    known, guesses = roles_of(model.options), list[str]()
    if known.actual is None or not known.answered:
        known, guesses = with_guesses(known, column_names(files[0], delimiter=delimiter))
    scan = stack.enter_context(scan_files(files, known.used, delimiter=delimiter, memory=memory))
    return known, scan, [*notes, *guesses]


def roles_of(options: Mapping[str, Any]) -> Roles:
    """Which column is what, from the arguments of `evaluate`."""
    given = {name: options.get(name) for name in ("actual", "predicted", "score", "probabilities")}
    roles = named(given["actual"], given["predicted"], given["score"], given["probabilities"], None)
    weight = options.get("weight")
    weight = options.get("sample_weight") if weight is None else weight
    return Beside(weight, options.get("groups"), (), options.get("votes"), options.get("id")).named(roles)


def compare_on_disk(
    models: Mapping[str, ModelFiles],
    found: Outgrown,
    question: Question,
    *,
    costs: CostsGiven | None,
    design: str | None,
    notes: Sequence[str] = (),
) -> Comparison:
    """All that can be said of models on the same rows, which are never all in memory."""
    from tallymark.intake.streams.spilled_rows import spilled

    for name, model in models.items():
        _refuse_unjoined(found, found.roles[name])
        refuse_tolerance(model.options, "on disk")
    partitions = min(MOST_PARTITIONS, max(2, 2 * found.needed // found.memory + 1))
    with spilling_folder() as folder:
        made: dict[str, Probed] = {}
        for place, (name, model) in enumerate(models.items()):
            with naming(model.paths, model.title):
                checks = checks_of(model.options, found.roles[name])
                spill = Spill(folder, f"model-{place}", partitions, found.memory // _SHARE)
                rows = spilled(found.scans[name], found.roles[name], checks, spill, model.title)
                made[name] = probed(rows, model.options, costs)
        beyond = (
            f"the files would take about {in_words(found.needed)} of memory, and {in_words(found.memory)} "
            f"are allowed: rows were matched on disk, in {partitions:,} parts, and are not kept."
        )
        return compare_joined(
            made,
            _DiskRows([cast("Spilled", model.rows) for model in made.values()], folder),
            question,
            costs=costs,
            design=design,
            memory=found.memory,
            notes=(beyond, *found.notes, *notes),
            approximate=any(model.options.get("approximate") for model in models.values()),
        )


class _DiskRows:
    """Rows that lie in a folder, those with one id in one place."""

    where = "on disk"
    room = 0

    def __init__(self, models: Sequence[Spilled], folder: Path) -> None:
        self._models, self._folder = models, folder
        self._files: list[Path] = []
        self.how = by_id(models)

    def count(self, counting: Counting, actual: Sequence[NDArray[np.int64]]) -> Counts | None:
        total, apart = InTurn(), False
        for found, beside in joined(self._models, actual):
            apart = apart or any(note.apart for note in beside)
            # Where models have other rows, nothing but how many is of use.
            total.add(counting(None if apart else found, beside))
            if found is not None and not apart and counting.scoring:
                self._write(counting.scored(found))
        return _sound(total)  # type: ignore[no-any-return]

    def measure(self, measuring: Measuring) -> Spreads:
        total = InTurn()
        for path in self._files:
            total.add(measuring(_read(path)))
        return _sound(total)  # type: ignore[no-any-return]

    def _write(self, scored: Scored) -> None:
        import polars as pl

        columns: dict[str, Any] = {"hit": scored.hit}
        if scored.weight is not None:
            columns["weight"] = scored.weight
        columns |= {f"score {place}": score for place, score in enumerate(scored.scores)}
        self._files.append(self._folder / f"scores-{len(self._files)}.arrow")
        write_rows(pl.DataFrame(columns), self._files[-1])


def _read(path: Path) -> Scored:
    import polars as pl

    table = pl.read_ipc(path.read_bytes())
    weight = table.get_column("weight").to_numpy() if "weight" in table.columns else None
    scores = [table.get_column(name).to_numpy() for name in table.columns if name.startswith("score")]
    return Scored(table.get_column("hit").to_numpy(), weight, scores)


def _sound(total: InTurn) -> Any:
    """What was put together; what went wrong with that is raised."""
    found = total.finished()
    if isinstance(found, Failed):
        raise found.problem
    return found


def _refuse_unjoined(found: Outgrown, roles: Roles) -> None:
    """What takes all rows at once, and rows that nothing tells apart."""
    size, allowed = in_words(found.needed), in_words(found.memory)
    beyond = f"the files of the models would take about {size} of memory, and {allowed} are allowed"
    more = "allow more with --memory SIZE (in Python memory=)"
    if roles.id is None:
        raise OptionError(
            f"{beyond}; rows that are matched on disk are matched by their id, and none is named.",
            hint="name the column that tells the same row in every file: --id COLUMN (in Python id=), or "
            f"{more}.",
        )
    for given, what in (
        (not isinstance(roles.actual, str) or isinstance(roles.predicted, tuple), "rows with several labels"),
        (roles.probabilities is not None, "probabilities of several classes"),
        (bool(roles.votes), "votes of several columns"),
        (roles.group is not None, "groups"),
    ):
        if given:
            raise OptionError(f"{beyond}; {what} are compared in memory only.", hint=f"{more}.")
    twice = [name for name in roles.alone if roles.alone.count(name) > 1]
    if twice:
        raise OptionError(f"column {twice[0]!r} is named for two roles; a column has one.")


def refuse_tolerance(options: Mapping[str, Any], where: str) -> None:
    """Rows of several models are not looked at until bounds are narrow."""
    if options.get("tolerance") is not None:
        raise OptionError(
            f"tolerance (--tolerance) is about one model; rows {where} are looked at once on one grid.",
            hint="leave it out.",
        )


def checks_of(options: Mapping[str, Any], roles: Roles) -> Checks:
    """How rows are taken, refused as `evaluate` does."""
    missing, kind = options.get("missing", "error"), options.get("weight_kind", "sampling")
    if missing not in ("error", "drop"):
        raise OptionError(f"missing must be 'error' or 'drop'; got {missing!r}.")
    if options.get("weight") is not None and options.get("sample_weight") is not None:
        raise OptionError("weight and sample_weight are two words for one thing; pass one of them.")
    check_kind(kind)
    if kind != "sampling" and roles.weight is None:
        raise OptionError(f"weight_kind is {kind!r}, but no weights were named.")
    words = options.get("missing_words", ())
    words = (words,) if isinstance(words, str) else tuple(words)
    return Checks(missing, kind, declared_labels(options.get("labels")), words)
