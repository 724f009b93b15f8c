"""`tallymark roc`: true against false positive rate, worked out."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import click

from tallymark.cli import SETTINGS, curves, examples, pictures, roc_classes
from tallymark.cli.models import Model, about_one_class, read_models
from tallymark.cli.options import confidence_option, number
from tallymark.cli.output import Output
from tallymark.cli.roc_counts import (
    Binned,
    one_source,
    read_binned,
    read_settings,
    unknown_thresholds,
    without_thresholds,
)
from tallymark.cli.rows import Rows
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.curves import Roc, Several
    from tallymark.drawing import Document, Section, Table
    from tallymark.inference import Estimate

SCHEMA = "tallymark/roc/1"
MOST_TRAPEZOIDS = 4096
_NO_ROWS: dict[str, Any] = {
    "schema": SCHEMA,
    "positive": None,
    "rows": None,
    "dropped": {},
    "notes": [],
    "findings": [],
}
Method = Literal["delong", "hanley_mcneil", "hanley_mcneil_logit", "newcombe"]

EXAMPLES = examples(
    r"printf 'y,s\n1,0.9\n1,0.8\n0,0.7\n1,0.6\n0,0.3\n' | tallymark roc - --actual y --score s",
    r"printf 'y,s\n1,0.9\n0,0.5\n1,0.5\n0,0.3\n' | "
    "tallymark roc - --actual y --score s --construction sequential --ascending",
    "tallymark roc --bin-counts '1000 0; 900 100; 500 500; 100 900'",
    r"printf 'name,tp,fn,fp,tn\nstrict,5,5,0,10\nlenient,9,1,4,6\n' | tallymark roc --points -",
    r"printf 'y,a,b,c\na,0.7,0.2,0.1\nb,0.5,0.4,0.1\nc,0.1,0.1,0.8\n' | "
    "tallymark roc - --actual y --probabilities a,b,c",
    r"printf 'y,tree,rule\n1,0.9,1\n1,0.4,0\n0,0.6,0\n0,0.1,0\n' | "
    "tallymark roc - --actual y --model tree=tree --model rule=rule --json",
)


@click.command("roc", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "--construction",
    metavar="WAY",
    help="How the curve is made: grouped (a point per distinct score), sequential (a point per "
    "row, in file order where scores are equal), opposite (only where the class changes), bins:N, "
    "quantiles:N. [default: grouped]",
)
@click.option("--ascending", is_flag=True, help="Let the threshold rise instead of fall.")
@click.option(
    "--bin-counts",
    is_flag=True,
    help="FILE holds positives and negatives per bin of the score, best first; or type them: "
    "'1000 0; 900 100'.",
)
@click.option(
    "--points",
    is_flag=True,
    help="FILE holds one classifier, or one setting of it, per row: tp,fn,fp,tn or fpr,tpr, and a name.",
)
@click.option("--max-fpr", type=number, metavar="F", help="Also the area up to this false positive rate.")
@click.option(
    "--interval",
    "method",
    type=click.Choice(get_args(Method)),
    help="How the interval of the area is worked out. [default: delong]",
)
@click.option("--no-band", is_flag=True, help="Draw no confidence band into the picture.")
@confidence_option
@curves.curve_options
def command(
    *,
    files: tuple[str, ...],
    construction: str | None,
    ascending: bool,
    bin_counts: bool,
    points: bool,
    max_fpr: float | None,
    method: Method | None,
    no_band: bool,
    confidence: float,
    rows: Rows,
    models: tuple[str, ...],
    output: Output,
) -> None:
    """The ROC curve of the scores in FILE: the table of thresholds with TP, FP, TN, FN, TPR and FPR, the area
    trapezoid by trapezoid and its confidence interval, what equal scores leave open, and the convex hull.
    With several models: at which false positive rates each is best, and where the curves cross. With one
    probability per class and no positive one named: every class against the rest, which are recognised best,
    and the averages over classes and pairs of them. A picture is written by -o roc.png, .svg or .pdf, and
    all points of the curve by -o roc.csv."""
    output.check(curves.SUFFIXES)
    curves.check_drawn(output, {"--no-band": no_band})
    asked = _Asked(construction or "grouped", ascending, max_fpr, method, not no_band)
    asked.check()
    others: dict[str, Any] = {"--construction": construction, "--model": models}
    if points and bin_counts:
        raise OptionError("--points and --bin-counts were both given.", hint="say which of them FILE holds.")
    if points:
        others |= {"--ascending": ascending, "--max-fpr": max_fpr}
        others |= {"--interval": method, "--no-band": no_band}
        others |= {"--confidence": curves.was_given("confidence")}
        _write_settings(one_source(files, "--points", rows, others), rows, output)
        return
    if bin_counts:
        source = one_source(files, "--bin-counts", rows, others)
        binned = read_binned(source, rows, confidence)
        _write_one(binned.model, asked, output, binned)
        return
    found = curves.with_scores(read_models(files, models, rows, about_one=False, confidence_level=confidence))
    if len(found) == 1 and found[0].of_all_classes:
        given = {"--construction": construction, "--ascending": ascending, "--max-fpr": max_fpr}
        roc_classes.write(found[0], given | {"--interval": method, "--no-band": no_band}, output)
        return
    for model in found:
        about_one_class(model)
    if len(found) == 1:
        _write_one(found[0], asked, output)
    else:
        _write_several(found, asked, output)


class _Asked(NamedTuple):
    """How the curve is made, and what is said of its area."""

    construction: str
    ascending: bool
    max_fpr: float | None
    method: Method | None
    band: bool

    def check(self) -> None:
        """Refuse, before any work is done, what cannot be."""
        import numpy as np

        from tallymark.curves import roc_of_rows

        roc_of_rows(np.empty(0), np.empty(0, np.bool_), self.construction)
        if self.max_fpr is not None:
            curves.check_share("--max-fpr", self.max_fpr)

    def roc(self, model: Model, names: tuple[str, ...] | None = None) -> Roc:
        if names is None:
            return model.ev.roc_as(self.construction, ascending=self.ascending)
        from tallymark.curves import roc_of

        made = roc_of(model.scores, ascending=self.ascending, names=names)
        return replace(made, level=model.ev.roc.level)

    def numbers(self, model: Model) -> dict[str, Estimate]:
        """The area, and that of its part."""
        parts = ("partial_auc", "partial_auc_mcclish") if self.max_fpr is not None else ()
        named = [f"{name}:{self.max_fpr}" for name in parts]
        return {"auc": self._auc(model), **{name: model.ev[name] for name in named}}

    def _auc(self, model: Model) -> Estimate:
        found, scores = model.ev["auc"], model.scores
        if self.method is None or self.method == "delong" or found.value is None:
            return found
        if model.grouped or scores.squares is not None:
            what = "rows belong together in groups" if model.grouped else "rows have weights"
            raise OptionError(
                f"--interval {self.method} stands on how many rows there are, and here {what}.",
                hint="leave it out: delong takes them into account.",
            )
        from tallymark.intervals.auc import auc_bounds, hanley_mcneil_se

        value, sizes, method = found.value, (scores.n_positive, scores.n_negative), self.method

        def ends(level: float) -> tuple[float, float]:
            return auc_bounds(value, *sizes, method, level)

        return replace(found, method=method, ends_at=ends, se=hanley_mcneil_se(value, *sizes), remark=None)


# --- one curve ---------------------------------------------------------------------------------


def _write_settings(source: str, rows: Rows, output: Output) -> None:
    roc = read_settings(source, rows)
    curves.write(
        output,
        document=roc.document,
        form=lambda: _NO_ROWS | roc.to_dict() | _area_of_points(roc.auc),
        table=lambda: roc.table("polars"),
        figure=roc.figure,
    )


def _area_of_points(area: float) -> dict[str, Any]:
    note = "points alone do not tell how sure it is"
    return {"auc": {"value": area, "low": None, "high": None, "note": note}, "trapezoid_area": area}


def _write_one(model: Model, asked: _Asked, output: Output, binned: Binned | None = None) -> None:
    roc = asked.roc(model, None if binned is None else binned.names)
    ordered = binned is not None and not binned.edged

    def form(each: Model) -> dict[str, Any]:
        made = _form(each, roc, asked)
        return without_thresholds(made, roc) if ordered else made

    def table() -> Any:
        points = roc.table("polars")
        return unknown_thresholds(points) if ordered else points

    curves.write(
        output,
        document=lambda: _document(model, roc, asked),
        form=lambda: curves.form(SCHEMA, [model], form),
        table=lambda: curves.stacked({model.name: table()}),
        figure=lambda: pictures.of_roc(roc, model, band=asked.band),
        said=_area(roc),
    )


def _area(roc: Roc) -> str:
    from tallymark.drawing import number as shown

    return "" if roc.auc is None else f"The area under the curve, AUC, is {shown(roc.auc)}."


def _document(model: Model, roc: Roc, asked: _Asked) -> Document:
    from tallymark.drawing import Document, Paragraph, Section
    from tallymark.drawing import number as shown

    worked, auc = roc.document(), model.ev["auc"]
    blocks = curves.estimates(asked.numbers(model))
    if auc.value is not None and roc.auc is not None and shown(auc.value) != shown(roc.auc):
        # Only constructions that do not follow every score: bins of them, or rows in file order.
        said = f"This is the AUC of the scores themselves; the curve above has an area of {shown(roc.auc)}."
        blocks.append(Paragraph(said))
    sure = Section("How sure the area is", tuple(blocks))
    closing = curves.closing([model], curves.findings(model))
    return Document(worked.title, (*worked.sections, *_operating([model]), sure, *closing))


def _operating(models: list[Model]) -> list[Section]:
    """What the threshold asked for gives, if one was, and the answers named beside the scores."""
    from tallymark.drawing import Section

    cut = [model for model in models if model.threshold is not None and not model.only_answers]
    answered = [model for model in models if model.answered is not None]
    sections = []
    if cut:
        sections.append(Section("At the threshold asked for", (_counts(cut),)))
    if answered:
        sections.append(Section(f"The answers in {answered[0].answered!r}", (_counts(answered),)))
    return sections


def _counts(models: list[Model]) -> Table:
    from tallymark.drawing import Column, Table, count, interval
    from tallymark.drawing import number as shown

    rows = []
    for model in models:
        start = () if model.threshold is None else (model.threshold_text,)
        counts = (count(getattr(model.answers, side)) for side in ("tp", "fp", "tn", "fn"))
        rates = (model.ev[name] for name in ("recall", "fpr"))
        ends = (f"{shown(rate.value)} {interval(rate.low, rate.high)}" for rate in rates)
        rows.append((model.name, *start, *counts, *ends))
    titles = (*(("threshold >=",) if models[0].cut else ()), "TP", "FP", "TN", "FN", "TPR", "FPR")
    return Table((Column("", "left"), *map(Column, titles)), tuple(rows))


def _form(model: Model, roc: Roc, asked: _Asked) -> dict[str, Any]:
    strips = roc.trapezoids()
    columns = {"low": strips.low, "high": strips.high, "height": strips.height, "area": strips.area}
    short = len(strips) <= MOST_TRAPEZOIDS
    form = roc.to_dict() | {
        "positive": str(model.ev.positive),
        "trapezoid_area": roc.auc,
        "trapezoids": {name: values.tolist() for name, values in columns.items()} if short else None,
    }
    form |= {name: estimate.to_dict() for name, estimate in asked.numbers(model).items()}
    rates = {"tpr": "recall", "fpr": "fpr"}
    if model.threshold is not None:
        form["at"] = {"threshold": model.threshold} | curves.answers(model, rates)
    if model.answered is not None:
        form["answered"] = {"column": model.answered} | curves.answers(model, rates)
    return form | {"findings": curves.listed(curves.findings(model))}


# --- several models ----------------------------------------------------------------------------


def _write_several(models: list[Model], asked: _Asked, output: Output) -> None:
    from tallymark.curves import Several
    from tallymark.findings import curves_cross

    rocs = {model.name: asked.roc(model) for model in models if not model.only_answers}
    several = Several({model.name: rocs.get(model.name) or model.point for model in models})
    tables = {model.name: partial(_row, model) for model in models}
    tables |= {name: partial(roc.table, "polars") for name, roc in rocs.items()}

    def each(model: Model) -> dict[str, Any]:
        return _form(model, rocs[model.name], asked) if model.name in rocs else _form_of_point(model)

    def form() -> dict[str, Any]:
        crossed = curves_cross.check(several)
        compared = several.to_dict() | {"findings": curves.listed([] if crossed is None else [crossed])}
        del compared["models"]  # there is more to say of each
        return curves.form(SCHEMA, models, each) | compared

    curves.write(
        output,
        document=lambda: _compared(models, several, asked),
        form=form,
        table=lambda: curves.stacked({name: table() for name, table in tables.items()}),
        figure=lambda: pictures.with_cuts(several.figure(), models),
    )


def _compared(models: list[Model], several: Several, asked: _Asked) -> Document:
    from tallymark.drawing import Document, Section
    from tallymark.findings import curves_cross

    areas = {
        model.name if name == "auc" else f"{model.name}, {name}": estimate
        for model in models
        if not model.only_answers
        for name, estimate in asked.numbers(model).items()
    }
    worked = several.document()
    sure = Section("How sure the areas are", tuple(curves.estimates(areas)))
    crossed = curves_cross.check(several)
    found = [*curves.all_findings(models), *([] if crossed is None else [crossed])]
    closing = curves.closing(models, found)
    return Document(worked.title, (*worked.sections, *_operating(models), sure, *closing))


def _form_of_point(model: Model) -> dict[str, Any]:
    fpr, tpr = model.point
    return {"single_point": True, "fpr": [fpr], "tpr": [tpr]}


def _row(model: Model) -> Any:
    import polars as pl

    fpr, tpr = model.point
    cells = {name: [getattr(model.answers, name)] for name in ("tp", "fp", "tn", "fn")}
    return pl.DataFrame({**cells, "tpr": [tpr], "fpr": [fpr]})
