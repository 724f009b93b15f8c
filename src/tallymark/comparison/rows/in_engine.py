"""Models in tables of one engine: their rows are matched there, and counted where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallymark.comparison.question import Question
from tallymark.comparison.result import Comparison
from tallymark.comparison.rows.engine_rows import ColumnsOfOne, JoinedById
from tallymark.comparison.rows.joined import MatchedRows, compare_joined
from tallymark.comparison.rows.on_disk import checks_of, roles_of
from tallymark.comparison.rows.probing import Probed, probed
from tallymark.errors import InputError, LabelError, MemoryLimitError, NotNumbersError, OptionError, naming
from tallymark.evaluation.counted import number_or_word
from tallymark.evaluation.stored import why_rows
from tallymark.intake.costs import CostsGiven
from tallymark.intake.engines.joined_rows import ModelTable, survey
from tallymark.intake.engines.tables import EngineStore
from tallymark.intake.roles import Roles, refuse_twice, with_guesses
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    import polars as pl

_SWAPPED = "swapping scores"


@dataclass(frozen=True)
class InEngine:
    """How tables of an engine are compared."""

    question: Question
    options: Mapping[str, Any]
    """Arguments of `evaluate`."""
    memory: int
    approximate: bool
    design: str | None
    notes: tuple[str, ...] = ()
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The arguments of `evaluate` by model, where they are not the same for all."""
    files: Mapping[str, Sequence[str | Path]] = field(default_factory=dict)
    """The files of each model, where models have some."""

    @property
    def costs(self) -> CostsGiven | None:
        return self.options["costs"]  # type: ignore[no-any-return]

    def of(self, name: str) -> Mapping[str, Any]:
        """How the rows of one model are read."""
        return self.own.get(name, self.options)

    def naming(self, name: str) -> AbstractContextManager[None]:
        """Errors name the model, and its files."""
        return naming(self.files.get(name, ()), _title(name))


def compare_tables(stores: Mapping[str, EngineStore], asked: InEngine) -> Comparison:
    """Models that have a table each."""
    tables, said = dict[str, ModelTable](), list[str]()
    for name, store in stores.items():
        with asked.naming(name):
            tables[name], guesses = _table(store, roles_of(asked.of(name)), name, asked)
        said += guesses
    made = dict[str, Probed]()
    for name, table in tables.items():
        with asked.naming(name):
            made[name] = probed(survey(table, asked.memory), asked.of(name), asked.costs)
    engine = next(iter(stores.values())).engine
    how = f"rows were joined in {engine}, counted part by part, and are not kept."
    with JoinedById(list(tables.values()), [model.rows for model in made.values()]) as rows:
        return _compared(made, rows, asked, [how, *said])


def compare_columns(store: EngineStore, columns: Mapping[str, str], asked: InEngine) -> Comparison:
    """Models that are columns of one table: numbers are scores, unless all of them are labels."""
    tables, made, said = list[ModelTable](), dict[str, Probed](), list[str]()
    for name, column in columns.items():
        with asked.naming(name):
            table, guesses, made[name] = _of_column(store, column, name, asked)
        tables.append(table)
        said += guesses
    if asked.options["threshold"] is not None and all(model.ev.ranked is None for model in made.values()):
        raise OptionError("threshold has no effect: no model has scores.", hint="leave it out.")
    how = f"rows stay in {store.engine}, were counted part by part, and are not kept."
    rows = ColumnsOfOne(tables, [model.rows for model in made.values()])
    return _compared(made, rows, asked, [how, *said])


def _title(name: str) -> str:
    return f"model {quoted(name)}"


def _compared(
    made: Mapping[str, Probed], rows: MatchedRows, asked: InEngine, said: Sequence[str]
) -> Comparison:
    return compare_joined(
        made,
        rows,
        asked.question,
        costs=asked.costs,
        design=asked.design,
        memory=asked.memory,
        notes=tuple(dict.fromkeys((*said, *asked.notes))),
        approximate=asked.approximate,
    )


def _table(store: EngineStore, roles: Roles, name: str, asked: InEngine) -> tuple[ModelTable, list[str]]:
    """A table with each of its columns known, and what must be said of that."""
    roles, guesses = with_guesses(roles, store.names)
    refuse_twice(roles)
    store.check_columns(roles.used)
    return ModelTable(store, roles, checks_of(asked.of(name), roles), _title(name)), guesses


# --- columns of one table ------------------------------------------------------------------------

_Read = tuple[ModelTable, list[str], Probed]
"""A model's table, what must be said of it, and how its rows are read."""


def _of_column(store: EngineStore, column: str, name: str, asked: InEngine) -> _Read:
    """A model that is a column, which may be of answers or of scores."""
    roles = replace(roles_of(asked.options), id=None)

    def read(roles: Roles, options: Mapping[str, Any]) -> _Read:
        table, guesses = _table(store, roles, name, asked)
        return table, guesses, probed(survey(table, asked.memory), options, asked.costs)

    def answers() -> _Read:
        return read(replace(roles, predicted=column), {**asked.options, "threshold": None})

    try:
        found = read(replace(roles, score=column), asked.options)
    except NotNumbersError:
        return answers()
    except LabelError as problem:
        # Of several classes one number is no score, unless it is said of which: then they are answers.
        if asked.options["pos_label"] is not None:
            raise
        try:
            return answers()
        except LabelError:
            raise problem from None
    return answers() if _are_labels(store, column, found[2]) else found


def _are_labels(store: EngineStore, column: str, model: Probed) -> bool:
    """Whether all scores are labels, which are whole numbers."""
    import narwhals.stable.v2 as nw

    labels = [float(label) for label in model.ev.labels if isinstance(label, int)]
    if len(labels) < len(model.ev.labels) or not set(model.rows.scores) <= set(labels):
        return False
    score = nw.col(column).cast(nw.Float64)
    if store.kinds[column].is_float():
        score = nw.when(~score.is_nan()).then(score)
    others = store.frame.filter(~score.is_in(labels)).select(nw.len().alias("rows"))
    return not store.brought(others, "looking at scores")["rows"][0]


# --- what is refused, and what needs rows here -----------------------------------------------------


def refuse_apart(stores: Mapping[str, EngineStore | None], *, named: bool) -> None:
    """Rows are matched in one engine, by their ids."""
    first, *others = stores
    held = {name: "here" if store is None else f"in {store.engine}" for name, store in stores.items()}
    for name in others:
        if held[name] != held[first]:
            raise InputError(
                f"the rows of {quoted(first)} are {held[first]} and those of {quoted(name)} are "
                f"{held[name]}, so they cannot be matched.",
                hint="give all models as tables of one engine; if these are other rows, say "
                "design='other rows'.",
            )
    if not named:
        raise OptionError(
            f"rows {held[first]} have no order of their own, so they are matched by their id, and none is "
            "named.",
            hint="name the column that tells the same row in every table: --id COLUMN (in Python id=).",
        )


def brought_here(
    stores: Mapping[str, EngineStore], columns: Sequence[str], asked: InEngine
) -> tuple[dict[str, pl.DataFrame], str] | None:
    """The rows of all models, and what must be said of that; None if they can be counted where they are."""
    why = _why_here(stores, asked)
    if why is None or (why == _SWAPPED and asked.approximate):
        return None
    if asked.approximate:
        raise OptionError(
            f"{why}: this takes every row here, so nothing can be approximate.",
            hint="leave out approximate=.",
        )
    found: dict[str, pl.DataFrame] = {}
    try:
        for name, store in stores.items():
            with asked.naming(name):
                used = _used(store, columns, asked)
                found[name] = store.collected(used, asked.memory // len(stores), why)
    except MemoryLimitError:
        if why != _SWAPPED:
            raise
        return None
    called = next(iter(stores.values())).called
    return found, f"{called} were brought here: {why} takes all of them."


def refuse_needing_rows(stores: Mapping[str, EngineStore], asked: InEngine) -> None:
    """Files that an engine reads can be read here as well, where rows are needed."""
    why = _why_here(stores, asked)
    if why not in (None, _SWAPPED):
        engine = next(iter(stores.values())).engine
        raise OptionError(
            f"{why} takes every row here, and the rows of the models are joined in {engine}.",
            hint="leave out --engine (in Python engine=).",
        )


def _why_here(stores: Mapping[str, EngineStore], asked: InEngine) -> str | None:
    """What is asked that takes rows, and cannot be counted where they are."""
    found = (_why_of(store, asked.of(name), asked.question) for name, store in stores.items())
    return next((why for why in found if why is not None), None)


def _why_of(store: EngineStore, options: Mapping[str, Any], question: Question) -> str | None:
    roles, threshold = roles_of(options), options["threshold"]
    why = why_rows(store, roles, {})
    cut = isinstance(threshold, str) and isinstance(number_or_word(threshold), str)
    scored = roles.score is not None or roles.predicted is None
    reasons = (
        (why is not None, str(why)),
        (roles.probabilities is not None, "a probability for every class"),
        (roles.group is not None, "a comparison by groups"),
        (cut, f"threshold {threshold!r}"),
        (scored and question.test == "permutation", _SWAPPED),
    )
    return next((what for given, what in reasons if given), None)


def _used(store: EngineStore, columns: Sequence[str], asked: InEngine) -> list[str]:
    """The columns that are needed; those of models are columns of answers or scores, as votes are."""
    roles = roles_of(asked.options)
    roles, _ = with_guesses(replace(roles, votes=tuple(columns)) if columns else roles, store.names)
    store.check_columns(roles.used)
    return roles.used
