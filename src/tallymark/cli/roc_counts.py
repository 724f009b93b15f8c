"""ROC curves from counts alone: bins of the score, and classifiers that are a point each."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from tallymark.cli.models import Model
from tallymark.cli.rows import Rows, opened
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.curves import Roc, RocOfPoints
    from tallymark.intake.curve_counts import BinsGiven

_KNOWN = {"--bin-counts": ("--delimiter", "--positive"), "--points": ("--delimiter",)}


def one_source(files: tuple[str, ...], option: str, rows: Rows, others: Mapping[str, Any]) -> str:
    """The only file, with nothing said of columns that counts do not have."""
    for name, value in {**others, **rows.said()}.items():
        if value and name not in _KNOWN[option]:
            raise OptionError(f"{option} says what FILE holds, so {name} would have no effect.")
    if len(files) != 1:
        hint = "put what is typed into quotes: '1000 0; 900 100'." if option == "--bin-counts" else None
        raise OptionError(f"{option} reads one FILE; got {len(files) or 'none'}.", hint=hint)
    return files[0]


class Binned(NamedTuple):
    """Counted bins."""

    model: Model
    names: tuple[str, ...] | None
    """What the bins are called, best first, unless their edges tell."""
    edged: bool
    """Whether it is known where they end; if not, there are no thresholds but only an order."""


def read_binned(source: str, rows: Rows, confidence: float) -> Binned:
    """The model behind counted bins."""
    from tallymark.evaluation import evaluate_scores
    from tallymark.tallies import Scores

    bins = _bins(source, rows.options["delimiter"])
    positive = rows.options["pos_label"]
    scores = Scores.from_bins(bins.positives, bins.negatives, bins.edges, positive=positive)
    model = Model("", evaluate_scores(scores, confidence_level=confidence), bins.notes, cut=False)
    if bins.edges is not None:
        down = bins.edges[0] > bins.edges[-1]
        return Binned(model, (bins.names if down else bins.names[::-1]) or None, edged=True)
    names = bins.names or tuple(f"bin {place}" for place in range(1, len(bins.positives) + 1))
    return Binned(model, names, edged=False)


def without_thresholds(form: dict[str, Any], roc: Roc) -> dict[str, Any]:
    """JSON of bins that have no edges: their names instead of thresholds."""
    assert roc.names is not None
    form["threshold"] = [None] * len(form["threshold"])
    if form["hull"] is not None:
        names = dict(zip(roc.threshold.tolist(), roc.names, strict=True))
        vertices = [inf if threshold is None else threshold for threshold in form["hull"]["threshold"]]
        bins = [names[threshold] or None for threshold in vertices]
        form["hull"] = form["hull"] | {"threshold": [None] * len(bins), "bin": bins}
    return form


def unknown_thresholds(table: Any) -> Any:
    """The points of bins that have no edges."""
    import polars as pl

    return table.with_columns(pl.lit(None).alias("threshold"))


def _bins(source: str, delimiter: str | None) -> BinsGiven:
    from tallymark.intake.curve_counts import read_bins

    if source != "-":
        return read_bins(source, delimiter=delimiter)
    with opened((source,)) as (path,):
        return read_bins(path, delimiter=delimiter)


def read_settings(source: str, rows: Rows) -> RocOfPoints:
    """A curve of single points."""
    from tallymark.curves import roc_from_points
    from tallymark.intake.curve_counts import read_points

    with opened((source,)) as (path,):
        given = read_points(path, delimiter=rows.options["delimiter"])
    points: dict[str, Any] = {}
    for point in given:
        if point.name in points:
            raise OptionError(
                f"two points are called {point.name!r}.", hint="give each row a name of its own."
            )
        points[point.name] = (point.fpr, point.tpr) if point.binary is None else point.binary
    return roc_from_points(points)
