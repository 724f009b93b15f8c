"""The interval of an estimate worked out, by the method that made it."""

from __future__ import annotations

from typing import Any

from tallymark.drawing import level_text
from tallymark.explanation.facts import COUNTS
from tallymark.explanation.steps import (
    Step,
    Steps,
    assignments,
    both_ends,
    chain,
    in_one_line,
    precise,
    prose,
    shown,
    words,
)
from tallymark.inference import AnySample, Estimate, Sample, SetSample, closed
from tallymark.inference.draws import ENOUGH_DRAWS, ENOUGH_IN_TAIL, PRIOR_MASS, Drawn, reach_of, tail_of
from tallymark.inference.sets import is_pooled
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


def interval_steps(asked: Asked, sample: AnySample, position: int | None, estimate: Estimate) -> Steps:
    """How low and high come about; nothing where there is no value."""
    if estimate.value is None:
        return []
    if estimate.low is None or estimate.high is None:
        return [prose(f"no interval: {estimate.note}")]
    if isinstance(sample, SetSample):
        return [prose(_title(asked, estimate)), *_of_sets(asked, sample, estimate), *end_of(estimate)]
    method = estimate.method
    if method == "group_bootstrap":
        steps = _regrouped(asked, sample, position)
    elif method == "dirichlet":
        steps = _drawn(asked, sample, position)
    elif asked.average:
        steps = _carried_over(asked, sample)
    elif asked.metric.about == "all":
        successes = getattr(sample.margins, asked.metric.share[0]) if asked.metric.share else 0
        steps = [*_kish(sample), *wilson_lines(*sample.among_all(float(successes)), sample.level)]
    else:
        asked = plainly(asked)
        steps = _closed(asked, sample, position or 0)
    if estimate.bounds is not None:
        steps.append(prose("the same is made for all that the bin leaves open; low and high hold all of it"))
    return [prose(_title(asked, estimate)), *steps, *end_of(estimate)]


def certified(estimate: Estimate) -> Steps:
    """Between what the exact value lies, when only bins of the scores were counted."""
    if estimate.bounds is None or estimate.value is None:
        return []
    numbers = {"least": estimate.bounds[0], "most": estimate.bounds[1]}
    return [
        prose("only bins of the scores were counted: the exact value lies anywhere from least to most"),
        assignments(numbers, precise),
    ]


def _title(asked: Asked, estimate: Estimate) -> str:
    share = "" if asked.metric.name == "accuracy" else f", in which acc stands for {asked.metric.name}"
    names = {
        "wilson": "Wilson score interval" + (" of the accuracy, carried over" if asked.average else share),
        "wilson_jaccard": "Wilson score interval, in which acc stands for J = tp / (tp + fp + fn)",
        "log": "interval on the log scale",
        "dirichlet": "interval from Dirichlet draws over the cells",
        "group_bootstrap": "interval from resampled groups",
        "wilson_mean": f"Wilson score interval{share}",
        "mean_of_intervals": "interval: the mean of the intervals of the labels",
        "mover": "interval, from the intervals of the labels",
    }
    return f"{level_text(estimate.level)} {names[estimate.method or '']}"


def _of_sets(asked: Asked, sample: SetSample, estimate: Estimate) -> Steps:
    """Rows are what is independent, not the labels in them."""
    if estimate.method == "mean_of_intervals":
        return [
            prose(
                "how the labels of a row hang together was not counted; whatever it is, the deviation of a"
            ),
            prose("mean is at most the mean deviation, so the interval errs on the wide side"),
        ]
    from_labels = asked.average in ("macro", "weighted") and not is_pooled(asked)
    if estimate.method == "mover" or (estimate.method == "group_bootstrap" and from_labels):
        return [
            prose("the distances of the labels' values from their limits were added as deviations are, with"),
            prose("the correlations that rows or groups show (Zou and Donner 2008); labels with fewer than"),
            prose("five hits or errors were taken to go together, which is the widest"),
        ]
    if estimate.method == "group_bootstrap":
        return _resampled(sample.drawn, sample.level)
    if estimate.method == "dirichlet":
        return [
            prose(
                f"{sample.drawn.number} sets of rows were drawn, all plausible given these: from a Dirichlet"
            ),
            prose("distribution over the kinds of rows"),
            prose(f"low and high hold the middle {level_text(sample.level)} of the values"),
        ]
    value = estimate.value or 0.0
    steps: Steps = []
    if estimate.method == "wilson_mean":
        steps.append(prose("N is how many rows that score 0 or 1 would tell as much about the mean as these"))
    n = sample.worth(sample.row_values(asked), value)
    return [*steps, *wilson_lines(value * n, n, sample.level)]


def end_of(estimate: Estimate) -> Steps:
    low, high = both_ends(estimate.low or 0.0, estimate.high or 0.0)
    made = estimate.ends_at(estimate.level) if estimate.ends_at else (estimate.low, estimate.high)
    widened = [prose("widened so that it holds the value itself")]
    end = Step(
        f"low = {low}, high = {high}",
        rf"\text{{low}} = {formulas.latex(low)},\quad \text{{high}} = {formulas.latex(high)}",
    )
    return [*(widened if made != (estimate.low, estimate.high) else []), end]


# --- with a formula --------------------------------------------------------------------------


def wilson_lines(successes: float, n: float, level: float, student: float | None = None) -> Steps:
    if n < 1:  # Kish's number of one row, which is 1 but for rounding
        successes, n = successes / n, 1.0
    return [Step(text, latex, _sides(text)) for text, latex in wilson_steps(successes, n, level, student)]


def _sides(text: str) -> tuple[str, ...]:
    """Those of `a = b = c`; a list such as `N = 100, z = 1.96` has none."""
    left, *others = text.split(" = ")
    return () if any("," in side for side in others) else (left, *others)


def _closed(asked: Asked, sample: Sample, position: int) -> Steps:
    tally = sample.basis(asked.metric, position)
    if asked.metric.share:
        successes, n = (getattr(tally, name) for name in asked.metric.share)
        return [*_kish(sample), *wilson_lines(successes, n, sample.level)]
    if asked.metric.interval == "log":
        return [*_kish(sample), *_log_scale(asked.metric.name, tally, sample.level)]
    steps = [*_kish(sample), *wilson_lines(tally.tp, tally.relevant, sample.level)]
    if asked.metric.interval == "f1":
        ends = closed.jaccard(tally, sample.level)
        steps.append(prose("F is 2 J / (1 + J), which only goes up with J"))
        for name, end in zip(("low", "high"), ends, strict=True):
            steps.append(in_one_line(name, "2 * J / (1 + J)", {"J": end}, 2 * end / (1 + end)))
    return steps


def _kish(sample: Sample) -> Steps:
    """What stands in for the number of rows when rows have weights."""
    if sample.confusion.squares is None:
        return []
    return [
        prose("rows have weights w, so their number is Kish's effective one, (sum of w)^2 / sum of w^2,"),
        prose("and counts are the same shares of it"),
    ]


def _carried_over(asked: Asked, sample: Sample) -> Steps:
    size = len(sample.confusion.labels)
    correct, n = sample.among_all(float(sample.margins.correct))
    steps = [*_kish(sample), *wilson_lines(correct, n, sample.level)]
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
        steps.append(natural(in_one_line(name, longer, numbers, numbers[name])))
    return steps


def natural(step: Step) -> Step:
    """With the logarithm called `ln`."""
    sides = tuple(side.replace("log(", "ln(") for side in step.sides)
    return Step(step.text.replace("log(", "ln("), step.latex.replace(r"\log", r"\ln"), sides)


# --- without one -----------------------------------------------------------------------------


def _regrouped(asked: Asked, sample: Sample, position: int | None) -> Steps:
    drawn = _draws(asked, sample, position)
    steps = _resampled(drawn, sample.level)
    if sample.shares is not None:
        steps.append(prose("in each of them the class shares were set to those asked for"))
    if drawn.moves(asked.metric.range):
        steps.append(prose("moved back by the bias the draws show"))
    return steps


def _resampled(drawn: Drawn[Any], level: float) -> Steps:
    groups = drawn.groups or 0
    steps = [
        prose(f"for each of {drawn.number} resamples {groups} groups, as many as there are, were drawn with"),
        prose("replacement, with all of their rows: groups are what is independent, not rows"),
    ]
    if drawn.prior:
        steps.append(prose(f"{PRIOR_MASS:g} rows spread over all cells were added, each as heavy as one"))
        steps.append(prose("independent row is worth here"))
    if drawn.number * tail_of(level, groups) >= ENOUGH_IN_TAIL and drawn.number >= ENOUGH_DRAWS:
        share = shown(1 - 2 * tail_of(level, groups))
        steps.append(prose(f"low and high hold the middle {share} of the values: more than {shown(level)}"))
        steps.append(prose("because groups are few (Hesterberg 2015)"))
    else:
        reach = shown(reach_of(level, groups))
        steps.append(
            prose(f"low and high are the value -+ {reach} deviations of the values, or the outermost")
        )
        steps.append(prose("values where those lie further out"))
    return steps


def _draws(asked: Asked, sample: Sample, position: int | None) -> Drawn[Any]:
    one_class = asked.metric.about == "class" and not asked.average
    return sample.draws.binary(position or 0) if one_class else sample.draws.margins


def _drawn(asked: Asked, sample: Sample, position: int | None) -> Steps:
    drawn = _draws(asked, sample, position)
    given = f"its count plus {PRIOR_MASS:g} / {drawn.cells}" if drawn.prior else "its count"
    cells = f"{drawn.cells} cells" if drawn.prior else f"{drawn.cells} cells that are not empty"
    steps = [
        prose(f"{drawn.number} tables were drawn, all plausible given these counts: from a Dirichlet"),
        prose(f"distribution over the {cells}, each with {given}"),
    ]
    if sample.confusion.squares is not None:
        steps.append(prose("rows have weights: the count of a cell is Kish's effective number of its rows"))
    if sample.shares is not None:
        steps.append(prose("in each of them the class shares were set to those asked for"))
    if drawn.number >= ENOUGH_DRAWS:
        times, middle = "twice ", f"low and high hold the middle {level_text(sample.level)} of the values"
    else:
        z = shown(z_quantile(sample.level))
        times, middle = "", f"low and high are the value -+ z = {z} deviations of the drawn values"
    steps.append(prose(middle))
    if drawn.moves(asked.metric.range):
        steps.append(prose(f"moved back by {times}their bias: their mean less the value of the mean table"))
    return steps
