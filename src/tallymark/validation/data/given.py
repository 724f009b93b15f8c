"""What users hand in: data sets in any form, and models by object or by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from os import PathLike
from typing import Any

from tallymark.errors import OptionError, naming
from tallymark.evaluation.settings import declared_labels
from tallymark.intake import frames
from tallymark.intake.files.lists import files_named
from tallymark.intake.sets.columns import is_sparse
from tallymark.tallies import Label
from tallymark.tallies.labels import quoted
from tallymark.validation.data.data_set import DataSet, data_set
from tallymark.validation.fits.fitting import checked_model, require_joblib

_READING = ("features", "ignore", "id", "text", "missing", "missing_words", "delimiter")


def one_data_set(
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    groups: Any = None,
    labels: Sequence[Label] | None = None,
    pos_label: object = None,
    name: str | None = None,
    **reading: Any,
) -> DataSet:
    """Features and classes as arrays; or a table, in memory or in files, with the classes in a column.

    `reading` is about tables: features, ignore, id, text, missing, missing_words, delimiter.
    """
    if isinstance(X, DataSet):
        return X
    said: dict[str, Any] = {"labels": labels, "pos_label": pos_label}
    if X is None:
        raise OptionError("the data are missing.", hint="pass X and y, or a table and target=.")
    if target is None and not _are_paths(X):
        if reading:
            option = next(iter(reading))
            _refuse_unknown(option)
            raise OptionError(f"{option} is about tables whose classes are in a column: name it, target=.")
        return data_set(X, y, groups=groups, name=name or "data", **said)
    if target is None:
        raise OptionError("a file has its classes in a column.", hint="name it: target= (--target).")
    if y is not None:
        raise OptionError("the classes are given twice: as y, and as the column target.")
    from tallymark.validation.data.tables import table_data

    for option in reading:
        _refuse_unknown(option)
    declared_labels(labels)  # before a file is read, for it is not about the file
    with naming(files_named(X)):
        return table_data(X, target=target, groups=groups, name=name, **said, **reading)


def _refuse_unknown(option: str) -> None:
    if option not in _READING:
        close = get_close_matches(option, (*_READING, "metric", "metrics", "scoring", "groups", "cv"), n=1)
        hint = f"did you mean {close[0]}?" if close else None
        raise OptionError(f"there is no argument {option!r}.", hint=hint)


def data_sets_of(X: Any, y: Any = None, **options: Any) -> dict[str, DataSet]:
    """One data set, or several by name: `{"iris": (X, y), "wine": frame}`."""
    if not are_several(X):
        found = one_data_set(X, y, **options)
        return {found.name: found}
    if y is not None:
        raise OptionError(
            "several data sets have their classes beside them.", hint='write {"a": (X, y), ...}.'
        )
    if not X:
        raise OptionError("there are no data sets.")
    return {str(name): _named(str(name), given, options) for name, given in X.items()}


def are_several(X: Any) -> bool:
    """Whether these are data sets by name; a sparse matrix of SciPy's dictionary of keys is no such thing."""
    return isinstance(X, Mapping) and not frames.is_frame(X) and not is_sparse(X)


def _named(name: str, given: Any, options: Mapping[str, Any]) -> DataSet:
    if not isinstance(given, tuple):
        return one_data_set(given, **{**options, "name": name})
    if len(given) not in (2, 3):
        raise OptionError(f"data set {quoted(name)} is a tuple of {len(given)}; (X, y) is expected.")
    mine = {**options, "name": name, "target": None}
    if len(given) == 3:
        mine["groups"] = given[2]
    return one_data_set(given[0], given[1], **mine)


def models_of(models: Any) -> dict[str, Any]:
    """Models by name: one, a list of them, or a mapping; each an estimator, or the name of a learner."""
    require_joblib()
    if isinstance(models, Mapping):
        if not models:
            raise OptionError("there is no model.")
        return {str(name): _model(str(name), model) for name, model in models.items()}
    found: dict[str, Any] = {}
    for model in models if isinstance(models, list | tuple) else [models]:
        kind = model if isinstance(model, type) else type(model)
        name = model if isinstance(model, str) else kind.__name__
        if name in found:
            raise OptionError(
                f"two models are called {quoted(name)}.",
                hint='give them names: {"shallow": ..., "deep": ...}.',
            )
        found[name] = _model(name, model)
    if not found:
        raise OptionError("there is no model.")
    return found


def _model(name: str, model: Any) -> Any:
    if isinstance(model, str):
        from tallymark.validation.learners.by_name import learner

        return learner(model)
    return checked_model(name, model)


def _are_paths(data: Any) -> bool:
    listed = isinstance(data, list | tuple) and bool(data)
    return isinstance(data, str | PathLike) or (listed and all(isinstance(d, PathLike) for d in data))
