"""The door for tables of scores: models by folds, by data sets, or by the folds of several data sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ColumnError, InputError, MissingValueError, OptionError, ShapeError
from tallymark.intake.columns import Where
from tallymark.intake.score_columns import Columns, opened
from tallymark.intake.score_layouts import Layout, Per, layout_of
from tallymark.tallies.labels import listed, quoted

Scale = Literal["share", "percent"]
_SHOWN = 3
_DROP = (
    "to leave out such folds (or data sets) for all models, use --drop-missing (in Python missing='drop')."
)


@dataclass(frozen=True, eq=False)
class Folds:
    """The scores of all models on the folds of one data set; a single one where only its mean is known."""

    names: tuple[str, ...]
    """One empty name where folds are not known."""
    scores: NDArray[np.float64]
    """Folds x models."""
    runs: int = 1
    """How often the cross-validation was repeated."""
    n_train: tuple[float, ...] | None = None
    n_test: tuple[float, ...] | None = None


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """The scores of models on every data set, fold by fold where folds are known."""

    models: tuple[str, ...]
    data_sets: tuple[str, ...]
    """Empty when the folds of one data set were given without its name."""
    folds: tuple[Folds, ...]
    """One for each data set."""
    metric: str | None = None
    """What the scores are, where the table tells."""
    notes: tuple[str, ...] = ()
    library: str | None = None

    @property
    def design(self) -> Literal["same folds", "many data sets"]:
        """What can be compared: models on the folds of one data set, or on several data sets."""
        alone = len(self.folds) == 1 and any(self.folds[0].names)
        return "same folds" if alone or not self.data_sets else "many data sets"

    @property
    def has_folds(self) -> bool:
        return any(len(each.names) > 1 for each in self.folds)

    @property
    def means(self) -> NDArray[np.float64]:
        """Data sets x models: the mean over the folds."""
        return np.array([each.scores.mean(axis=0) for each in self.folds])

    def by_model(self) -> dict[str, list[float]]:
        """A model's scores on the folds of the one data set, or its means on the data sets."""
        table = self.folds[0].scores if self.design == "same folds" else self.means
        return {model: table[:, place].tolist() for place, model in enumerate(self.models)}


def read_scores(
    data: Any,
    *,
    metric: str | None = None,
    per: Per | None = None,
    columns: Mapping[str, str] | None = None,
    models: Sequence[str] | None = None,
    scale: Scale = "share",
    missing: Literal["error", "drop"] = "error",
    missing_words: Sequence[str] = (),
    delimiter: str | None = None,
) -> ScoreTable:
    """A table of scores from a file, a data frame, a mapping of columns, or {data set: {model: scores}}.

    Wide: a column for each model and a row for each fold or data set, named in a column `fold` or
    `data set`; `per` says which they are where there is no such column. Long: the columns model and score,
    beside data set, run and fold as far as there are any. `columns` names these parts where they are called
    otherwise, `models` those to compare, and `metric` the score where there are several.
    `scale="percent"` divides by 100. What WEKA's Experimenter writes, CSV or ARFF, is known by its columns.
    """
    _check(per=per, missing=missing, scale=scale)
    words = (missing_words,) if isinstance(missing_words, str) else tuple(missing_words)
    where: Where = _by_name
    notes: tuple[str, ...] = ()
    library = None
    if _is_nested(data):
        if columns:
            raise OptionError("columns is for tables; these scores are given by data set and model.")
        layout = Layout((), data_set="", fold="", metric=metric)
        cells = list(_nested(data))
    else:
        source = opened(data, delimiter)
        layout = layout_of(source.names, columns=columns, models=models, metric=metric)
        table = source.load(layout.used)
        table = replace(table, missing_words=("?", *words) if layout.weka else words)
        cells, where = list(_cells(table, layout, _per(layout, per))), table.where
        library, notes = source.library, source.notes
    whole = _arranged(cells, models, where)
    board, dropped = _complete(whole, where, missing)
    _refuse_contrary(board, per)
    divisor = 100.0 if layout.percent or scale == "percent" else 1.0
    return ScoreTable(
        board.models,
        tuple(board.sets) if layout.data_set is not None or per == "dataset" else (),
        tuple(_folds(folds, whole.sets[name], board.models, divisor) for name, folds in board.sets.items()),
        layout.metric,
        (*notes, *_said(layout), *dropped),
        library,
    )


def _check(**options: object) -> None:
    allowed = {
        "per": (None, "fold", "dataset"),
        "missing": ("error", "drop"),
        "scale": ("share", "percent"),
    }
    for name, value in options.items():
        if value not in allowed[name]:
            words = " or ".join(repr(word) for word in allowed[name] if word)
            raise OptionError(f"{name} must be {words}; got {value!r}.")


def _said(layout: Layout) -> Iterator[str]:
    if layout.weka:
        unit = ", in shares of 1" if layout.percent else ""
        called = "the score" if layout.metric == layout.scores[0] else layout.metric
        yield f"WEKA's Experimenter wrote this table; {layout.scores[0]} is read as {called}{unit}."
    if layout.run and not layout.fold and layout.n_test is None:
        yield (
            "Runs without folds are taken as the folds of one cross-validation; if each was a split of its "
            "own, give n_train and n_test."
        )


def _per(layout: Layout, per: Per | None) -> Per:
    """What a row is about where no column tells, or whether what is stated fits the columns."""
    by_fold, by_set = layout.fold or layout.run, layout.data_set
    if per == "dataset" and by_fold and not by_set:
        raise OptionError(f"scores are stated to be per data set, but there is a column {quoted(by_fold)}.")
    if per == "fold" and by_set and not by_fold:
        raise OptionError(f"scores are stated to be per fold, but there is a column {quoted(by_set)}.")
    if per is None and not by_fold and not by_set:
        raise ColumnError(
            "nothing says whether scores are per fold of one data set or per data set.",
            hint="call the column that names the rows 'fold' or 'data set', or state it: --per fold or "
            "--per dataset (in Python per='fold' or per='dataset').",
        )
    return per or ("dataset" if by_set and not by_fold else "fold")


def _refuse_contrary(board: _Board, per: Per | None) -> None:
    names = list(board.sets)
    if per == "fold" and len(names) > 1:
        raise OptionError(
            f"scores are stated to be per fold of one data set, but there are {listed(names)}.",
            hint="--per dataset compares over all of them (in Python per='dataset').",
        )
    if per == "dataset" and len(names) == 1 and len(board.sets[names[0]]) > 1:
        raise OptionError(
            f"scores are stated to be per data set, but there is only {quoted(names[0])}, with its folds.",
            hint="--per fold compares the models on these (in Python per='fold').",
        )


# --- from rows to cells -----------------------------------------------------------------------------


class _Cell(NamedTuple):
    """One score, and where it belongs and stands."""

    data_set: str
    run: str
    fold: str
    model: str
    score: float
    row: int
    n_train: float | None = None
    n_test: float | None = None

    @property
    def place(self) -> tuple[str, str]:
        return self.run, self.fold

    def __str__(self) -> str:
        return f"{quoted(self.model)}{_on(self.data_set, *self.place)}"


def _on(data_set: str, run: str, fold: str) -> str:
    parts = [("data set ", quoted(data_set) if data_set else ""), ("run ", run), ("fold ", fold)]
    return "".join(
        f"{' on ' if not place else ', '}{word}{name}"
        for place, (word, name) in enumerate(part for part in parts if part[1])
    )


def _cells(table: Columns, layout: Layout, per: Per) -> Iterator[_Cell]:
    scores = [table.numbers(name, "score") for name in layout.scores]
    size = len(scores[0])
    numbered = [str(row + 1) for row in range(size)]
    nameless = [""] * size
    sets = nameless if layout.data_set is None else table.labels(layout.data_set, "data set")
    runs = nameless if layout.run is None else table.labels(layout.run, "run")
    folds = nameless if layout.fold is None else table.labels(layout.fold, "fold")
    if layout.model is None and layout.data_set is None and per == "dataset":
        sets = numbered
    elif layout.model is None and layout.data_set is None and layout.fold is None and layout.run is None:
        folds = numbered
    sizes = [None if name is None else table.numbers(name, name) for name in (layout.n_train, layout.n_test)]
    by_row = _models(table, layout) if layout.model else None
    for row in range(size):
        trained, tested = (None if each is None else float(each[row]) for each in sizes)
        for name, column in zip(layout.scores, scores, strict=True):
            model = by_row[row] if by_row else name
            place = (sets[row], runs[row], folds[row], model)
            yield _Cell(*place, float(column[row]), row, trained, tested)


def _models(table: Columns, layout: Layout) -> list[str]:
    """The models' names; WEKA's lose the package, and keep their options only where these tell them apart."""
    assert layout.model is not None
    names = table.labels(layout.model, "model")
    if not layout.weka:
        return names
    options = [""] * len(names)
    if layout.options is not None:
        options = [each or "" for each in np.asarray(table.values[layout.options]).tolist()]
    short = [name.rpartition(".")[2] for name in names]
    kinds: dict[str, set[tuple[str, str]]] = {}
    for each, name, option in zip(short, names, options, strict=True):
        kinds.setdefault(each, set()).add((name, option))
    return [
        each if len(kinds[each]) == 1 else f"{each} {option}".rstrip()
        for each, option in zip(short, options, strict=True)
    ]


def _is_nested(data: Any) -> bool:
    return (
        isinstance(data, Mapping)
        and bool(data)
        and all(isinstance(value, Mapping) and not hasattr(value, "dtype") for value in data.values())
    )


def _nested(data: Mapping[Any, Mapping[Any, Any]]) -> Iterator[_Cell]:
    row = 0
    for data_set, by_model in data.items():
        many: int | None = None
        for model, given in by_model.items():
            several = hasattr(given, "__len__") and not isinstance(given, str)
            title = f"the score of {quoted(str(model))} on {quoted(str(data_set))}"
            scores = Columns({title: given if several else [given]}, hint=None).numbers(title, title)
            if many is not None and len(scores) != many:
                raise ShapeError(
                    f"on data set {quoted(str(data_set))} {quoted(str(model))} has {len(scores):,} and "
                    f"another model {many:,} scores; folds are compared one by one."
                )
            many = len(scores)
            for fold, score in enumerate(scores.tolist(), 1):
                yield _Cell(str(data_set), "", str(fold) if several else "", str(model), score, row)
                row += 1


def _by_name(_: Sequence[int]) -> str:
    """Scores of a nested mapping are found by their names, which messages give anyway."""
    return ""


# --- from cells to folds ----------------------------------------------------------------------------

_Fold = dict[str, _Cell]


class _Board(NamedTuple):
    """The cells by data set, fold and model."""

    models: tuple[str, ...]
    sets: dict[str, dict[tuple[str, str], _Fold]]


def _arranged(cells: Sequence[_Cell], models: Sequence[str] | None, where: Where) -> _Board:
    known = tuple(dict.fromkeys(cell.model for cell in cells))
    for name in models or ():
        if name not in known:
            raise InputError(f"there is no model {quoted(name)}; the models are {listed(known)}.")
    chosen = known if models is None else tuple(dict.fromkeys(models))
    if len(chosen) < 2:
        raise InputError(f"a comparison needs two models or more; there is {listed(chosen)}.")
    sets: dict[str, dict[tuple[str, str], _Fold]] = {}
    for cell in cells:
        if cell.model in chosen:
            fold = sets.setdefault(cell.data_set, {}).setdefault(cell.place, {})
            if cell.model in fold:
                raise _twice(fold[cell.model], cell, where)
            fold[cell.model] = cell
    return _Board(chosen, {name: _in_order(folds) for name, folds in sets.items()})


def _twice(first: _Cell, second: _Cell, where: Where) -> InputError:
    return InputError(
        f"{second} has two scores, at {where([first.row, second.row])}.",
        hint="one score for each is expected; a column 'fold' (and 'run') tells folds apart."
        if not first.fold
        else "one score for each is expected.",
    )


def _in_order(folds: dict[tuple[str, str], _Fold]) -> dict[tuple[str, str], _Fold]:
    """By run and fold where these are whole numbers, else as they came."""
    if all(part.isdecimal() or not part for place in folds for part in place):
        return dict(sorted(folds.items(), key=lambda item: [int(part or 0) for part in item[0]]))
    return folds


def _complete(board: _Board, where: Where, missing: str) -> tuple[_Board, tuple[str, ...]]:
    """Only folds that every model has a score on; others are an error, or left out and said."""
    gaps: list[str] = []
    kept: dict[str, dict[tuple[str, str], _Fold]] = {}
    left_out = 0
    for name, folds in board.sets.items():
        for place, fold in folds.items():
            lacking = [model for model in board.models if model not in fold or np.isnan(fold[model].score)]
            gaps += (_gap(model, fold, name, place, where) for model in lacking)
            left_out += bool(lacking)
            if not lacking:
                kept.setdefault(name, {})[place] = fold
    if not gaps:
        return board, ()
    shown = "; ".join(gaps[:_SHOWN]) + (f"; and {len(gaps) - _SHOWN:,} more" if len(gaps) > _SHOWN else "")
    many = "1 score is" if len(gaps) == 1 else f"{len(gaps):,} scores are"
    if missing == "error":
        raise MissingValueError(f"{many} missing: {shown}.", hint=_DROP)
    if not kept:
        raise MissingValueError(f"nothing is left that every model has a score on; {many} missing: {shown}.")
    return _Board(board.models, kept), (_left_out(board, kept, left_out, shown),)


def _gap(model: str, fold: _Fold, data_set: str, place: tuple[str, str], where: Where) -> str:
    at = where([fold[model].row]) if model in fold else ""
    return f"{quoted(model)}{_on(data_set, *place)}{f', at {at}' if at else ''}"


def _left_out(board: _Board, kept: Mapping[str, Any], folds: int, shown: str) -> str:
    gone = [name for name in board.sets if name not in kept]
    if any(len(each) > 1 for each in board.sets.values()):
        many = "1 fold was" if folds == 1 else f"{folds:,} folds were"
        whole = f", with it all of {listed(gone)}" if gone else ""
    else:
        many = "1 data set was" if folds == 1 else f"{folds:,} data sets were"
        whole = ""
    return f"{many} left out for all models, because a score is missing{whole}: {shown}."


def _folds(
    folds: Mapping[tuple[str, str], _Fold],
    whole: Mapping[tuple[str, str], _Fold],
    models: Sequence[str],
    divisor: float,
) -> Folds:
    """The folds that are left of the whole cross-validation."""
    scores = np.array([[fold[model].score for model in models] for fold in folds.values()]) / divisor
    firsts = [fold[models[0]] for fold in folds.values()]
    n_train = _sizes([cell.n_train for cell in firsts])
    n_test = _sizes([cell.n_test for cell in firsts])
    runs = Counter(run for run, fold in whole if run and fold)
    per_run = max(runs.values(), default=len(whole))
    if len(folds) < len(whole) and n_train is None and per_run > 1:
        # Those left out were trained on all the same, so what is left does not tell the sizes any more.
        n_train, n_test = ((1 - 1 / per_run,) * len(folds), (1 / per_run,) * len(folds))
    return Folds(tuple(_name(*place) for place in folds), scores, len(runs) or 1, n_train, n_test)


def _sizes(sizes: Sequence[float | None]) -> tuple[float, ...] | None:
    known = tuple(size for size in sizes if size is not None and not np.isnan(size))
    return known if len(known) == len(sizes) else None


def _name(run: str, fold: str) -> str:
    return f"run {run}, fold {fold}" if run and fold else fold or run
