"""A tally of scores as JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.tallies.scores import SCHEMA, Scores
from tallymark.tallies.sums import Sums


def form_of(t: Scores) -> dict[str, Any]:
    """The versioned JSON form."""
    form: dict[str, Any] = {
        "schema": SCHEMA,
        "positive": t.positive,
        "score": t.score.tolist(),
        "positives": t.positives.tolist(),
        "negatives": t.negatives.tolist(),
        "rows": t.rows,
        "dropped": dict(t.dropped),
    }
    for name in ("edges", "reach", "totals"):
        if (values := getattr(t, name)) is not None:
            form[name] = values.tolist()
    if t.squares is not None:
        form["squares"] = [side.tolist() for side in t.squares]
    if t.known is not None:
        form["known"] = [side.to_dict() for side in t.known]
    return form


def read_form(form: Mapping[str, Any]) -> Scores:
    """The tally that was written."""
    try:
        return _read(form)
    except (AttributeError, KeyError, TypeError) as problem:
        raise InputError(f"this is not the JSON form of a tally of scores: {problem!r}.") from problem


def _read(form: Mapping[str, Any]) -> Scores:
    if form["schema"] != SCHEMA:
        raise InputError(f"expected the schema {SCHEMA}; got {form['schema']!r}.")

    def array(name: str, kind: Any = None) -> NDArray[Any]:
        values = form[name]
        return np.asarray(values, kind if kind or values else np.int64)

    squares = known = None
    if "squares" in form:
        first, second = (np.asarray(side) for side in form["squares"])
        squares = (first, second)
    if "known" in form:
        of_positives, of_rest = (Sums.from_dict(side) for side in form["known"])
        known = (of_positives, of_rest)
    return Scores(
        array("score", np.float64),
        array("positives"),
        array("negatives"),
        squares=squares,
        positive=form["positive"],
        rows=form["rows"],
        dropped=form["dropped"],
        known=known,
        **{name: array(name, np.float64) for name in ("edges", "reach", "totals") if name in form},
    )
