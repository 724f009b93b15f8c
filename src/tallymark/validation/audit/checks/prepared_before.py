"""TM022: columns, or parts of a model, that were fitted before the split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tallymark.drawing import count
from tallymark.findings.finding import Finding
from tallymark.tallies.labels import listed, quoted
from tallymark.validation.audit.columns_prepared import prepared_columns

if TYPE_CHECKING:
    from tallymark.validation.audit.protocol import Protocol

_WORDS = {
    "standardised": "with mean 0 and standard deviation 1 over all rows",
    "scaled": "with the same least and greatest value over all rows, as after scaling",
    "components": "with mean 0 and no correlation over all rows, as principal components",
    "imputed": "with one value many times that is the mean or the median of all rows, as after filling gaps",
}


def check(protocol: Protocol) -> Finding | None:
    columns = prepared_columns(protocol.data.X, protocol.data.groups)
    parts = {name: found for name, model in protocol.models.items() if (found := _fitted_parts(model))}
    if not columns and not parts:
        return None
    said = [*_of_columns(columns), *_of_models(parts)]
    return Finding("TM022", " ".join(said), {"columns": columns, "models": parts})


def _of_columns(columns: Mapping[str, list[str | int]]) -> Iterator[str]:
    found = [
        f"{count(len(names))} column{'' if len(names) == 1 else 's'} {_WORDS[kind]}: {listed(names)[1:-1]}"
        for kind, names in columns.items()
    ]
    if found:
        yield (
            f"there are {'; '.join(found)}. They look prepared before the split, with the test rows. Scaling "
            "alone tells a model little of them; columns chosen, gaps filled or components made at the same "
            "time may tell it much. Give the columns as they were measured, and prepare inside the fold: "
            "--prepare (make_pipeline(StandardScaler(), model))."
        )


def _of_models(parts: Mapping[str, list[str]]) -> Iterator[str]:
    for name, found in parts.items():
        yield (
            f"model {quoted(name)} has parts that are not fitted in the fold ({', '.join(found)}): if they "
            "learned from test rows, results are too good. Fit them inside the fold, or on other rows."
        )


def _fitted_parts(model: Any) -> list[str]:
    """Parameters that keep what they learned before."""
    try:
        from sklearn.frozen import FrozenEstimator
    except ImportError:  # older than 1.6
        FrozenEstimator = ()
    own = {"": model} if isinstance(model, FrozenEstimator) else {}
    parameters = model.get_params(deep=True) if hasattr(model, "get_params") else {}
    frozen = [
        f"{name}={type(value).__name__}" if name else type(value).__name__
        for name, value in {**own, **parameters}.items()
        if isinstance(value, FrozenEstimator)
    ]
    prefit = [
        f"{name}={value!r}"
        for name, value in parameters.items()
        if (name.rpartition("__")[2], value) in (("prefit", True), ("cv", "prefit"))
    ]
    return sorted(frozen + prefit)
