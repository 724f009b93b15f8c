"""Models as they were given: arrays beside the truth, columns of one table, files or data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Number
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.comparison.rows.on_disk import ModelFiles
from tallymark.errors import ColumnError, LabelError, NotNumbersError, OptionError, naming
from tallymark.evaluation import Evaluation, evaluate
from tallymark.evaluation.given import addresses_in
from tallymark.intake import frames
from tallymark.intake.columns import is_missing
from tallymark.intake.encoded import distinct
from tallymark.intake.files.lists import files_named
from tallymark.intake.roles import Roles, likely
from tallymark.tallies import Confusion
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.intake.engines.tables import EngineStore

_TRIED = 1_000


def by_text(data: Any) -> dict[str, Any] | None:
    """The models by name, which may have been a number; None when this is something else."""
    if not isinstance(data, Mapping) or not len(data) or frames.is_frame(data):
        return None
    names = [str(name) for name in data]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"two models are called {quoted(twice)}.", hint="give each a name of its own.")
    return dict(zip(names, data.values(), strict=True))


def by_name(models: Mapping[str, str] | Sequence[str] | None) -> dict[str, str] | None:
    """Columns by the name of the model, which is the column's own if none was given."""
    if models is None:
        return None
    if isinstance(models, Mapping):
        return {str(name): str(column) for name, column in models.items()}
    return {str(column): str(column) for column in ([models] if isinstance(models, str) else models)}


def refuse_bare_values(models: Mapping[str, Any]) -> None:
    """Values that nothing tells the meaning of."""
    for name, given in models.items():
        listed = isinstance(given, list | tuple | np.ndarray) or frames.is_series(given)
        alone = given is None or isinstance(given, Number)
        if alone or (listed and not _are_paths(given)):
            came = repr(given) if alone else "a list of values"
            raise OptionError(
                f"{quoted(name)} is {came}, and nothing says what {'that is' if alone else 'they are'}.",
                hint="answers or scores of rows need y_true=; scores by fold or by data set need per='fold' "
                "or per='dataset'; accuracies and their numbers of rows are pairs, (0.85, 30), for all.",
            )


def _are_paths(given: Any) -> bool:
    listed = isinstance(given, list | tuple) and bool(given)
    return listed and all(isinstance(each, PathLike) for each in given)


def of_arrays(models: Mapping[str, Any], y_true: Any, options: dict[str, Any]) -> dict[str, Evaluation]:
    """Answers or scores of the same rows, beside what is true."""
    evs = {str(name): _of_array(str(name), given, y_true, options) for name, given in models.items()}
    return _with_scores(evs, options)


def _with_scores(evs: dict[str, Evaluation], options: Mapping[str, Any]) -> dict[str, Evaluation]:
    """The same, unless a threshold was given and there is nothing to cut."""
    if options["threshold"] is not None and all(ev.ranked is None for ev in evs.values()):
        raise OptionError("threshold has no effect: no model has scores.", hint="leave it out.")
    return evs


def _evaluated(name: str, *given: Any, **options: Any) -> Evaluation:
    """One of the models; what is wrong with it is said of it."""
    with naming((), f"model {quoted(name)}"):
        return evaluate(*given, **options)


def _of_array(name: str, given: Any, y_true: Any, options: dict[str, Any]) -> Evaluation:
    if isinstance(given, Mapping):
        unknown = set(given) - {"y_pred", "y_score"}
        if unknown or not given:
            raise OptionError(f"{quoted(name)}: a model of several columns has y_pred and y_score.")
        return _evaluated(name, y_true, given.get("y_pred"), y_score=given.get("y_score"), **options)
    if isinstance(given, Evaluation | Confusion):
        raise OptionError(
            f"{quoted(name)} is evaluated already, so y_true has no place beside it.",
            hint="compare evaluations without y_true, or give all models as answers or scores.",
        )
    if _is_score(given, y_true, options):
        ev = _evaluated(name, y_true, y_score=given, **options)
        whole = isinstance(given, list | tuple | np.ndarray) and np.asarray(given).dtype.kind in "iu"
        said = "answers in whole numbers that are not all labels are taken as scores."
        return replace(ev, notes=(*ev.notes, said)) if whole else ev
    return _evaluated(name, y_true, given, **{**options, "threshold": None})


def _is_score(given: Any, y_true: Any, options: Mapping[str, Any]) -> bool:
    """Numbers are scores, unless all of them are labels; a table is a probability per class."""
    table = not isinstance(given, np.ndarray | list | tuple) and frames.is_frame(given)
    values, labels = _column(given), _column(y_true)
    if table or (values is not None and values.ndim > 1):
        return True
    if values is None or values.ndim == 0 or values.dtype.kind not in "iuf":
        return False  # what is no column is refused where answers are read
    if labels is None or labels.ndim != 1 or labels.dtype.kind not in "biuf":
        return True
    first = values[:_TRIED]
    if values.dtype.kind == "f" and labels.dtype.kind != "f" and bool((first[np.isfinite(first)] % 1).any()):
        return True
    if _is_binary(values) and _is_binary(labels):
        return False  # a model may answer what is nowhere true
    whole = labels.dtype.kind in "biu"
    known = distinct(labels.astype(np.int64, copy=False))[0] if whole else np.unique(labels)
    known = np.union1d(known, [label for label in options["labels"] or () if isinstance(label, int | float)])
    if len(known) > 2 and options["pos_label"] is None and values.dtype.kind != "f":
        return False  # of several classes one number is no score, unless it is said of which
    # Some rows tell scores from labels nearly always.
    return not (_are_among(values[:_TRIED], known) and _are_among(values, known))


def _column(given: Any) -> NDArray[Any] | None:
    """As an array, without what is missing if that hides its type; None when rows are not equally long."""
    try:
        values = np.asarray(given)
        if values.dtype.kind != "O" or values.ndim != 1:
            return values
        return np.asarray([each for each in values.tolist() if not is_missing(each)])
    except ValueError:
        return None


def _is_binary(values: Any) -> bool:
    """Whether all are zeros and ones, or missing."""
    if not len(values) or values.dtype.kind == "f":
        return _are_among(values[:_TRIED], (0, 1)) and _are_among(values, (0, 1))
    # Zeros and ones have no other bit, and a negative number has them all.
    return bool(np.bitwise_or.reduce(values) in (0, 1))


def _are_among(values: Any, known: Any) -> bool:
    """Whether all values are known, those that are missing aside."""
    found = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    return bool(np.isin(found, known).all())


def of_columns(
    data: Any, models: Mapping[str, str] | Sequence[str], options: dict[str, Any]
) -> dict[str, Evaluation]:
    """Columns of one table: numbers are scores unless all of them are labels, other columns are answers."""
    columns = named_columns(models, options)
    try:
        evs = {name: _of_column(data, column, options) for name, column in columns.items()}
    except ColumnError:
        refuse_absent_columns(data, list(columns.values()), options)
        raise
    return _with_scores(evs, options)


def refuse_absent_columns(data: Any, columns: Sequence[str], options: Mapping[str, Any]) -> None:
    """Name the absent columns of all models, and not those of the first alone."""
    beside = (options.get(role) for role in ("actual", "weight", "id", "groups"))
    asked = [*(name for name in beside if isinstance(name, str)), *columns]
    if frames.is_frame(data):
        frames.check_names(asked, frames.frame_names(data))
    elif paths := files_named(data):
        from tallymark.intake.files.lists import file_list
        from tallymark.intake.files.tables import refuse_absent

        if not addresses_in(data):
            for path in file_list([Path(each) for each in paths])[0]:
                refuse_absent(path, asked, delimiter=options.get("delimiter"))


def named_columns(models: Mapping[str, str] | Sequence[str], options: Mapping[str, Any]) -> dict[str, str]:
    """The columns of models by the names of these."""
    if isinstance(models, str) or not len(models):
        raise OptionError(f"models are columns by name: {{'tree': 'column', ...}}; got {models!r}.")
    for option in ("predicted", "score", "probabilities"):
        if options.get(option) is not None:
            raise OptionError(f"{option} and models both say where the answers are.", hint="leave one out.")
    named = models if isinstance(models, Mapping) else {column: column for column in models}
    return {str(name): str(column) for name, column in named.items()}


def _of_column(data: Any, column: str, options: dict[str, Any]) -> Evaluation:
    answers = {**options, "predicted": column, "threshold": None}
    try:
        ev = evaluate(data, **{**options, "score": column})
    except NotNumbersError:
        return evaluate(data, **answers)
    except LabelError as problem:
        # Of several classes one number is no score, unless it is said of which: then they are answers.
        if options["pos_label"] is not None:
            raise
        try:
            return evaluate(data, **answers)
        except LabelError:
            raise problem from None
    assert ev.ranked is not None
    if ev.ranked.rows is None:
        raise too_large()
    labels = [label for label in ev.labels if isinstance(label, int)]
    if len(labels) == len(ev.labels) and bool(np.isin(ev.ranked.rows.score, labels).all()):
        return evaluate(data, **answers)
    return ev


def too_large() -> OptionError:
    """The error for a table that was counted and not kept, so that its columns cannot be compared."""
    return OptionError(
        "the table would take more memory than is allowed, and models that are its columns are compared in "
        "memory only.",
        hint="allow more with --memory SIZE (in Python memory=); or give every model a file, and name the "
        "column that tells its rows apart: --model NAME=FILE --id COLUMN.",
    )


def guessed_id(models: Sequence[Any], options: Mapping[str, Any]) -> str | None:
    """The column called `id`, or much like it, in every one of several files or data frames."""
    taken = [options[role] for role in ("actual", "predicted", "score", "weight", "groups")]
    roles = Roles(slices=tuple(name for name in taken if isinstance(name, str)))
    found = {likely("id", _names_of(each, options["delimiter"]), roles) for each in models}
    return found.pop() if len(found) == 1 else None


def _names_of(model: Any, delimiter: str | None) -> Sequence[str]:
    if isinstance(model, str | PathLike):
        if addresses_in(model):
            return ()
        from tallymark.intake.files.lists import file_list
        from tallymark.intake.files.tables import column_names

        return column_names(file_list([Path(model)])[0][0], delimiter=delimiter)
    return frames.frame_names(model) if frames.is_frame(model) else ()


def files_of(models: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, ModelFiles] | None:
    """The files of all models; None if some are something else."""
    found = {}
    for name, given in models.items():
        paths = files_named(given)
        if not paths:
            return None
        found[name] = ModelFiles(paths, options, f"model {quoted(name)}")
    return found


def stores_of(models: Mapping[str, Any], *, lazy: bool) -> dict[str, EngineStore | None] | None:
    """Tables that stay in an engine, with None for a model that is something else; None if all models are."""
    from tallymark.intake.engines.recognised import store_of

    found = {
        name: None
        if isinstance(given, Evaluation | Confusion | str | PathLike)
        else store_of(given, lazy=lazy)
        for name, given in models.items()
    }
    return found if any(store is not None for store in found.values()) else None


def said_of_id(column: str) -> str:
    """What must be said of a guess."""
    return f"column {column!r} was taken as id (guessed from its name)."


def of_sources(models: Mapping[str, Any], options: dict[str, Any]) -> dict[str, Evaluation]:
    """Evaluations, counts, data frames and files."""
    return {str(name): _of_source(str(name), given, options) for name, given in models.items()}


def _of_source(name: str, given: Any, options: dict[str, Any]) -> Evaluation:
    if isinstance(given, Evaluation):
        return given
    if isinstance(given, Confusion):
        kept = ("pos_label", "costs", "confidence_level", "random_state")
        return given.evaluate(**{option: options[option] for option in kept})
    with naming(files_named(given), f"model {quoted(name)}"):
        return evaluate(given, **options)
