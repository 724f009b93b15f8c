"""What the columns of a table of scores are: told by their names, or by the user, never by their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from tallymark.errors import ColumnError, OptionError
from tallymark.intake.files.tables import delimiter_hint
from tallymark.intake.frames import check_names
from tallymark.metrics.registry import resolve
from tallymark.tallies.labels import listed, quoted

Per = Literal["fold", "dataset"]
"""What a row of a wide table is about."""
Part = Literal["data_set", "run", "fold", "model", "score", "n_train", "n_test"]

_NAMES: dict[str, Part] = {
    **dict.fromkeys(("dataset", "datasets", "datasetname", "data"), "data_set"),
    **dict.fromkeys(("run", "runs", "repeat", "repetition"), "run"),
    **dict.fromkeys(("fold", "folds", "split"), "fold"),
    **dict.fromkeys(("model", "classifier", "algorithm", "learner", "scheme"), "model"),
    **dict.fromkeys(("score", "value"), "score"),
    "ntrain": "n_train",
    "ntest": "n_test",
}
_WEKA: dict[str, Part] = {
    "Key_Dataset": "data_set",
    "Key_Run": "run",
    "Key_Fold": "fold",
    "Key_Scheme": "model",
    "Number_of_training_instances": "n_train",
    "Number_of_testing_instances": "n_test",
}
_WEKA_KEYS = ("Key_Dataset", "Key_Run", "Key_Scheme")
_WEKA_OPTIONS = "Key_Scheme_options"
_WEKA_SCORES = {
    "accuracy": "Percent_correct",
    "error_rate": "Percent_incorrect",
    "kappa": "Kappa_statistic",
    "auc": "Area_under_ROC",
    "average_precision": "Area_under_PRC",
    "recall": "True_positive_rate",
    "fpr": "False_positive_rate",
    "specificity": "True_negative_rate",
    "fnr": "False_negative_rate",
    "precision": "IR_precision",
    "f1": "F_measure",
    "mcc": "Matthews_correlation",
}
_PERCENT = "Percent_"


@dataclass(frozen=True)
class Layout:
    """Which column plays which part; `model` is None in a wide table, where each score column is a model."""

    scores: tuple[str, ...]
    model: str | None = None
    options: str | None = None
    """WEKA's options of the model, which tell two models of one kind apart."""
    data_set: str | None = None
    run: str | None = None
    fold: str | None = None
    n_train: str | None = None
    n_test: str | None = None
    metric: str | None = None
    weka: bool = False
    percent: bool = False
    """Whether the column says by its name that it is in percent."""

    @property
    def used(self) -> list[str]:
        keys = (self.model, self.options, self.data_set, self.run, self.fold, self.n_train, self.n_test)
        return list(dict.fromkeys([*(key for key in keys if key is not None), *self.scores]))


def layout_of(
    names: Sequence[str],
    *,
    columns: Mapping[str, str] | None = None,
    models: Sequence[str] | None = None,
    metric: str | None = None,
) -> Layout:
    """The layout of a table with these columns.

    `columns` names them by part, `models` those that are compared, and `metric` the number to read where the
    table has several.
    """
    if not columns and set(_WEKA_KEYS) <= set(names):
        return _of_weka(names, metric)
    parts = _stated(names, columns or {})
    taken = set(parts.values())
    for name in names:
        part = _NAMES.get(_plain(name))
        # A model that is compared may have any name.
        if part and part not in parts and name not in taken and (models is None or name not in models):
            parts[part] = name
            taken.add(name)
    left = [name for name in names if name not in taken]
    if "model" in parts:
        return _long(parts, left, names, metric)
    if "score" in parts:
        if columns and "score" in columns:
            raise OptionError(
                "columns names the score but not the model.", hint="a long table needs both: model and score."
            )
        left = [name for name in names if name in {*left, parts.pop("score")}]
    return _wide(parts, left, names, models, metric)


def _plain(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def _stated(names: Sequence[str], columns: Mapping[str, str]) -> dict[Part, str]:
    parts: dict[Part, str] = {}
    check_names(list(columns.values()), names)
    for key, name in columns.items():
        part = _NAMES.get(_plain(str(key)))
        if part is None:
            raise OptionError(f"columns names {quoted(key)}; the parts are {', '.join(get_args(Part))}.")
        if name in parts.values():
            raise OptionError(f"column {quoted(name)} is named for two parts; a column has one.")
        parts[part] = name
    return parts


def _long(parts: dict[Part, str], left: list[str], names: Sequence[str], metric: str | None) -> Layout:
    if metric is not None and (found := _of_metric(left, metric)):
        parts = {**parts, "score": found}
    elif "score" not in parts:
        if len(left) != 1:
            many = f"{listed(left)} could all be it" if left else f"the columns are {listed(names)}"
            raise ColumnError(
                f"there is a column of models, {quoted(parts['model'])}, but which holds the score? {many}.",
                hint="call that column 'score', or name the metric whose name it has.",
            )
        parts = {**parts, "score": left[0]}
    score = parts.pop("score")
    return _with(Layout((score,), metric=metric or _called(score)), parts)


def _called(column: str) -> str | None:
    """The number that a column of scores is named for; None where it is just called the score."""
    known = resolve(column.strip().casefold())
    if known is not None:
        return known.name
    return None if _NAMES.get(_plain(column)) == "score" else column.strip()


def _of_metric(names: Sequence[str], metric: str) -> str | None:
    """The column called like the metric, or by another of its names."""
    wanted = resolve(metric)
    for name in names:
        found = resolve(name.strip().casefold())
        if name.strip() == metric or (wanted is not None and found is wanted):
            return name
    return None


def _wide(
    parts: dict[Part, str],
    left: list[str],
    names: Sequence[str],
    models: Sequence[str] | None,
    metric: str | None,
) -> Layout:
    if models is not None:
        check_names(models, names)
        left = list(models)
    if len(left) < 2:
        raise ColumnError(
            f"a comparison needs two models or more; the columns are {listed(list(names))}, of which "
            f"{listed(left) if left else 'none'} is left for models.",
            hint=delimiter_hint(names)
            or "give each model a column, or every score a line with the columns model and score.",
        )
    return _with(Layout(tuple(left), metric=metric), parts)


def _of_weka(names: Sequence[str], metric: str | None) -> Layout:
    """What WEKA's Experimenter writes."""
    asked = metric or "accuracy"
    known = resolve(asked)
    score = _WEKA_SCORES.get(known.name if known else asked, asked)
    if score not in names:
        have = [name for name, column in _WEKA_SCORES.items() if column in names]
        raise ColumnError(
            f"this table of WEKA's Experimenter has no {quoted(score)} for {quoted(asked)}.",
            hint=f"there is {', '.join(have)}, and every other column by its own name." if have else None,
        )
    ours = next((name for name, column in _WEKA_SCORES.items() if column == score), score)
    parts = {part: column for column, part in _WEKA.items() if column in names}
    options = _WEKA_OPTIONS if _WEKA_OPTIONS in names else None
    percent = score.startswith(_PERCENT)
    return _with(Layout((score,), options=options, metric=ours, weka=True, percent=percent), parts)


def _with(layout: Layout, parts: Mapping[Part, str]) -> Layout:
    return replace(layout, **{str(part): column for part, column in parts.items()})  # type: ignore[arg-type]
