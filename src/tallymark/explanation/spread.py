"""The interval of an estimate worked out, by the method that made it."""

from __future__ import annotations

from typing import Any

from tallymark.explanation.facts import COUNTS
from tallymark.explanation.steps import (
    Step,
    Steps,
    assignments,
    both_ends,
    chain,
    in_one_line,
    prose,
    shown,
    words,
)
from tallymark.inference import Estimate, Sample, closed
from tallymark.inference.draws import ENOUGH_DRAWS, PRIOR_MASS, Drawn
from tallymark.intervals import wilson_steps, z_quantile
from tallymark.metrics import Asked, formulas, plainly
from tallymark.tallies import Binary

_LOG_SCALE = {
    "lr_plus": (
        "(tp / (tp + fn)) / (fp / (fp + tn))",
        "1 / tp - 1 / (tp + fn) + 1 / fp - 1 / (fp + tn)",
    ),
    "lr_minus": (
        "(fn / (tp + fn)) / (tn / (fp + tn))",
        "1 / fn - 1 / (tp + fn) + 1 / tn - 1 / (fp + tn)",
    ),
    "diagnostic_odds_ratio": (
        "tp * tn / (fp * fn)",
        "1 / tp + 1 / fn + 1 / fp + 1 / tn",
    ),
}


def interval_steps(asked: Asked, sample: Sample, position: int | None, estimate: Estimate) -> Steps:
    """How low and high come about; nothing where there is no value."""
    if estimate.value is None:
        return []
    if estimate.low is None or estimate.high is None:
        return [prose(f"no interval: {estimate.note}")]
    method = estimate.method
    if method == "dirichlet":
        steps = _drawn(asked, sample, position)
    elif asked.average:
        steps = _carried_over(asked, sample)
    elif asked.metric.about == "all":
        successes = getattr(sample.margins, asked.metric.share[0]) if asked.metric.share else 0
        steps = _wilson(float(successes), sample.confusion.n, sample.level)
    else:
        asked = plainly(asked)
        steps = _closed(asked, sample, position or 0)
    return [prose(_title(asked, estimate)), *steps, *_end(estimate)]


def _title(asked: Asked, estimate: Estimate) -> str:
    share = "" if asked.metric.name == "accuracy" else f", in which acc stands for {asked.metric.name}"
    names = {
        "wilson": "Wilson score interval" + (" of the accuracy, carried over" if asked.average else share),
        "wilson_jaccard": "Wilson score interval, in which acc stands for J = tp / (tp + fp + fn)",
        "log": "interval on the log scale",
        "dirichlet": "interval from Dirichlet draws over the cells",
    }
    return f"{_percent(estimate.level)} {names[estimate.method or '']}"


def _percent(level: float) -> str:
    return f"{shown(round(level * 100, 10))} %"


def _end(estimate: Estimate) -> Steps:
    low, high = both_ends(estimate.low or 0.0, estimate.high or 0.0)
    made = estimate.ends_at(estimate.level) if estimate.ends_at else (estimate.low, estimate.high)
    widened = [prose("widened so that it holds the value itself")]
    end = Step(
        f"low = {low}, high = {high}",
        rf"\text{{low}} = {formulas.latex(low)},\quad \text{{high}} = {formulas.latex(high)}",
    )
    return [*(widened if made != (estimate.low, estimate.high) else []), end]


# --- with a formula --------------------------------------------------------------------------


def _wilson(successes: float, n: float, level: float) -> Steps:
    return [Step(text, latex, _sides(text)) for text, latex in wilson_steps(successes, n, level)]


def _sides(text: str) -> tuple[str, ...]:
    """Those of `a = b = c`; a list such as `N = 100, z = 1.96` has none."""
    left, *others = text.split(" = ")
    return () if any("," in side for side in others) else (left, *others)


def _closed(asked: Asked, sample: Sample, position: int) -> Steps:
    # Rates within an actual class do not depend on the class shares: their rows are the counted ones.
    tally = sample.confusion.binary(sample.confusion.labels[position])
    if asked.metric.share:
        successes, n = (getattr(tally, name) for name in asked.metric.share)
        return _wilson(successes, n, sample.level)
    if asked.metric.interval == "log":
        return _log_scale(asked.metric.name, tally, sample.level)
    steps = _wilson(tally.tp, tally.tp + tally.fp + tally.fn, sample.level)
    if asked.metric.interval == "f1":
        ends = closed.jaccard(tally, sample.level)
        steps.append(prose("F is 2 J / (1 + J), which only goes up with J"))
        for name, end in zip(("low", "high"), ends, strict=True):
            steps.append(in_one_line(name, "2 * J / (1 + J)", {"J": end}, 2 * end / (1 + end)))
    return steps


def _carried_over(asked: Asked, sample: Sample) -> Steps:
    n, size = sample.confusion.n, len(sample.confusion.labels)
    correct = float(sample.margins.correct)
    steps = _wilson(correct, n, sample.level)
    if asked.average == "weighted":
        return [*steps, prose("recall weighted by the rows of each class is the accuracy itself")]
    steps.append(prose("each error is a miss of one class and a false alarm of another, so the added-up"))
    steps.append(prose("counts, and with them the metric, follow from the accuracy alone"))
    for end in closed.wilson(correct, n, sample.level):
        hits = end * n
        pooled = Binary(hits, n - hits, n - hits, (size - 2) * n + hits)
        value = shown(float(asked.metric(pooled, *asked.parameters)))
        left = f"at an accuracy of {shown(end)}: {asked.metric.name}_micro"
        typeset = words(f"at an accuracy of {shown(end)}: ") + formulas.latex(f"{asked.metric.name}_micro")
        steps.append(chain((left, typeset), (value, formulas.latex(value))))
    return steps


def _log_scale(name: str, tally: Binary, level: float) -> Steps:
    counts: dict[str, Any] = {count: getattr(tally, count) for count in COUNTS}
    steps: Steps = []
    if 0 in counts.values():
        counts = {count: number + 0.5 for count, number in counts.items()}
        steps = [prose("a count is 0, so 0.5 is added to each (Haldane 1956)"), assignments(counts)]
    formula, spread = _LOG_SCALE[name]
    numbers: dict[str, float] = {"z": z_quantile(level)}
    numbers["ratio"] = formulas.value(formula, counts) or 0.0
    numbers["variance"] = formulas.value(spread, counts) or 0.0
    steps.append(in_one_line("ratio", formula, counts, numbers["ratio"]))
    steps.append(in_one_line("variance", spread, counts, numbers["variance"]))
    for name, longer in (
        ("centre", "log(ratio)"),
        ("half", "z * sqrt(variance)"),
        ("low", "exp(centre - half)"),
        ("high", "exp(centre + half)"),
    ):
        numbers[name] = formulas.value(longer, numbers) or 0.0
        steps.append(_natural(in_one_line(name, longer, numbers, numbers[name])))
    return steps


def _natural(step: Step) -> Step:
    """With the logarithm called `ln`."""
    sides = tuple(side.replace("log(", "ln(") for side in step.sides)
    return Step(step.text.replace("log(", "ln("), step.latex.replace(r"\log", r"\ln"), sides)


# --- without one -----------------------------------------------------------------------------


def _drawn(asked: Asked, sample: Sample, position: int | None) -> Steps:
    one_class = asked.metric.about == "class" and not asked.average
    drawn: Drawn[Any] = sample.draws.binary(position or 0) if one_class else sample.draws.margins
    given = f"its count plus {PRIOR_MASS:g} / {drawn.cells}" if drawn.prior else "its count"
    cells = f"{drawn.cells} cells" if drawn.prior else f"{drawn.cells} cells that are not empty"
    steps = [
        prose(f"{drawn.number} tables were drawn, all plausible given these counts: from a Dirichlet"),
        prose(f"distribution over the {cells}, each with {given}"),
    ]
    if sample.shares is not None:
        steps.append(prose("in each of them the class shares were set to those asked for"))
    if drawn.number >= ENOUGH_DRAWS:
        times, middle = "twice ", f"low and high hold the middle {_percent(sample.level)} of the values"
    else:
        z = shown(z_quantile(sample.level))
        times, middle = "", f"low and high are the value -+ z = {z} deviations of the drawn values"
    steps.append(prose(middle))
    if drawn.moves(asked.metric.range):
        steps.append(prose(f"moved back by {times}their bias: their mean less the value of the mean table"))
    return steps
