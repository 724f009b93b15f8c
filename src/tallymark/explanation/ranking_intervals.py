"""How the interval of a number from scores comes about, so that a pocket calculator can follow."""

from __future__ import annotations

import math

from tallymark.drawing import level_text
from tallymark.explanation.spread import end_of, natural, wilson_lines
from tallymark.explanation.steps import (
    Steps,
    as_printed,
    assignments,
    chain,
    equation,
    line_by_line,
    precise,
    prose,
    shown,
)
from tallymark.inference import Estimate, Losses, Ranking
from tallymark.inference.influence import Spread
from tallymark.inference.ranking import WIDER, Part, reach
from tallymark.inference.sets import UNLIKE
from tallymark.intervals import newcombe_bounds, wilson_reaching, z_quantile
from tallymark.metrics import Asked, formulas
from tallymark.tallies import Sums

_NEWCOMBE = "area * (1 - area) * (1 + m * ((1 - area) / (2 - area) + area / (1 + area))) / (n1 * n2)"
_DRAWN = f"sqrt((n1 * n1 * variance + {UNLIKE:g} * largest) / (n1 + {UNLIKE:g}) / n1)"


def ranked_interval(asked: Asked, found: Ranking | Losses, estimate: Estimate) -> Steps:
    if estimate.value is None:
        return []
    if estimate.low is None or estimate.high is None:
        return [prose(f"no interval: {estimate.note}")]
    method = (estimate.method or "").removesuffix("_groups")
    title = prose(f"{level_text(estimate.level)} {_TITLES[method]}")
    said = [prose(estimate.note)] if estimate.note else []
    if isinstance(found, Losses):
        steps = _of_losses(asked, found, estimate)
    else:
        steps = _of_ranking(asked, found, estimate, method)
    return [title, *said, *steps, *end_of(estimate)]


_TITLES = {
    "delong": "interval on the logit scale, with DeLong's variance",
    "linearised": "interval on the logit scale, with the variance of the rows' influences",
    "newcombe": "interval of Newcombe (2006), method 5",
    "wilson": "Wilson score interval",
    "wilson_mean": "Wilson score interval, in which acc stands for the mean loss",
    "log_mean": "interval on the log scale",
}


def _of_ranking(asked: Asked, ranking: Ranking, estimate: Estimate, method: str) -> Steps:
    assert estimate.value is not None
    part = ranking.part(asked, estimate.value)
    spread = ranking.spread(asked, part)
    quantile = reach(spread, estimate.level)
    n = spread.worth[0], max(1.0, part.limit * spread.worth[1])
    steps = [] if ranking.groups is None else _by_group(spread.freedom)
    if method == "newcombe":
        made, ends = _newcombe(ranking, part, n, quantile), newcombe_bounds(part.share, *n, quantile)
    elif method == "wilson":
        student = None if ranking.groups is None else quantile
        made = wilson_lines(part.share * n[0], n[0], estimate.level, student)
        ends = wilson_reaching(part.share * n[0], n[0], quantile)
    else:
        made, ends = _logit(asked, ranking, part, spread, quantile)
    steps += made
    if WIDER in (estimate.note or ""):
        others = newcombe_bounds(part.share, *n, quantile)
        steps.append(prose("Newcombe's low and high are {} and {}:".format(*map(precise, others))))
        steps += _newcombe(ranking, part, n, quantile)
        ends = min(ends[0], others[0]), max(ends[1], others[1])
    back, ends = _way_back(asked.name, ends, part.scale, part.shift)
    return [*steps, *back, *_widened(estimate, ends)]


def _by_group(freedom: float) -> Steps:
    return [
        prose("groups are what is independent, so what the rows of a group do is added up first"),
        prose(f"t is Student's quantile with {shown(freedom)} degrees of freedom, for groups are few"),
    ]


def _sizes(ranking: Ranking, part: Part, rows: str = "positives and negatives") -> Steps:
    """What the interval takes for the number of rows."""
    names = "n1 and n2 are" if " and " in rows else "n1 is"
    of = f"how many {rows} there are"
    if ranking.groups is not None:
        of = f"how many independent {rows} would tell as much as these groups"
    elif ranking.scores.squares is not None:
        of = f"Kish's effective number, (sum of w)^2 / sum of w^2, of {rows}"
    return [prose(f"{names} {of}{'' if part.limit == 1 else ', of the latter the share max_fpr'}")]


def _newcombe(ranking: Ranking, part: Part, n: tuple[float, float], quantile: float) -> Steps:
    letter = _letter(ranking)
    return [
        prose(f"low and high are the areas {letter} = {precise(quantile)} of their own standard errors away"),
        prose(f"from {precise(part.share)}, and an area has the variance"),
        equation("variance", _NEWCOMBE),
        *_sizes(ranking, part),
        assignments({"n1": n[0], "n2": n[1], "m": sum(n) / 2 - 1}, precise),
    ]


def _letter(found: Ranking | Losses) -> str:
    return "z" if found.groups is None else "t"


def _logit(
    asked: Asked, ranking: Ranking, part: Part, spread: Spread, quantile: float
) -> tuple[Steps, tuple[float, float]]:
    area, told, made_of, lines = _deviation(asked, ranking, part, spread)
    q = _letter(ranking)
    numbers = {area: part.share, **made_of, q: quantile}
    steps = [
        *told,
        assignments(numbers, precise),
        *line_by_line(
            numbers,
            *lines,
            ("centre", f"log({area} / (1 - {area}))"),
            ("half", f"{q} * se / ({area} * (1 - {area}))"),
            ("low", "1 / (1 + exp(half - centre))"),
            ("high", "1 / (1 + exp(-half - centre))"),
        ),
    ]
    return [natural(step) for step in steps], (numbers["low"], numbers["high"])


def _deviation(
    asked: Asked, ranking: Ranking, part: Part, spread: Spread
) -> tuple[str, Steps, dict[str, float], tuple[tuple[str, str], ...]]:
    """What the share is called, what must be said, and what the standard error is made of, and how."""
    if asked.metric.name == "average_precision":
        sizes = _sizes(ranking, part, "positives")
        told = prose("the variance is drawn towards the largest there is, as if four positives had shown it")
        lines = ("largest", "ap * (1 - ap)"), ("se", _DRAWN)
        return "ap", [told, *sizes], {"variance": spread.variance, "n1": spread.worth[0]}, lines
    se = {"se": math.sqrt(spread.variance)}
    if asked.parameters:
        standard = "" if asked.metric.name == "partial_auc" else ", before it is standardised,"
        return "share", [prose(f"share is the partial area{standard} divided by max_fpr")], se, ()
    if ranking.groups is not None:
        return "auc", [], se, ()
    (n1, n2), (first, second) = spread.worth, spread.parts
    told_of_placements = [
        prose("the placement of a row is the share of the other class it is ranked rightly against; s1 and"),
        prose("s2 are the variances of the placements of the positives and of the negatives"),
    ]
    numbers = {"s1": first * n1, "n1": n1, "s2": second * n2, "n2": n2}
    told_of_placements += _sizes(ranking, part)
    return "auc", told_of_placements, numbers, (("se", "sqrt(s1 / n1 + s2 / n2)"),)


def _way_back(
    name: str, ends: tuple[float, float], scale: float, shift: float = 0.0
) -> tuple[Steps, tuple[float, float]]:
    """From a share between 0 and 1 to the number itself."""
    if (scale, shift) == (1.0, 0.0):
        return [], ends
    sign = "-" if shift < 0 else "+"
    formula = "scale * share" + (f" {sign} shift" if shift else "")
    steps, found = [], []
    for left, end in zip(("low", "high"), ends, strict=True):
        numbers = {"scale": scale, "shift": abs(shift), "share": end}
        given = {name: as_printed(number) for name, number in numbers.items()}
        found.append(formulas.value(formula, given) or 0.0)
        steps.append(
            chain(
                (left, formulas.latex(left)),
                (formulas.worked(formula, given), formulas.latex(formula, given)),
                (precise(found[-1]), formulas.latex(precise(found[-1]))),
            )
        )
    off = f" {sign} {shown(abs(shift))}" if shift else ""
    return [prose(f"{name} is {shown(scale)} times that{off}"), *steps], (found[0], found[1])


def _widened(estimate: Estimate, ends: tuple[float, float]) -> Steps:
    """By what bins leave open."""
    if estimate.bounds is None or estimate.value is None:
        return []
    assert estimate.low is not None
    assert estimate.high is not None
    steps = []
    if estimate.se_bounds is not None:
        steps += [
            prose("by how far the influences of rows can be off, the standard error lies anywhere between"),
            assignments({"least_se": estimate.se_bounds[0], "most_se": estimate.se_bounds[1]}, precise),
        ]
    made = {"low": ends[0], "high": ends[1], "lowest": estimate.low, "highest": estimate.high}
    return [
        *steps,
        prose("the same is made at least and at most, with the largest standard error; the ends of all are"),
        assignments({name: made[name] for name in ("lowest", "highest")}, precise),
        *line_by_line(made, ("low", "min(low, lowest)"), ("high", "max(high, highest)")),
    ]


def _of_losses(asked: Asked, losses: Losses, estimate: Estimate) -> Steps:
    spread = losses.spread(asked)
    quantile = spread.reach(estimate.level)
    steps = [] if losses.groups is None else _by_group(spread.freedom)
    if losses.classes:
        steps.append(
            prose("the shares of the classes are given, so rows spread around the mean of their class")
        )
    if asked.metric.name == "log_loss":
        numbers = {"log_loss": spread.mean, "se": math.sqrt(spread.variance), "t": quantile}
        return [
            *steps,
            assignments(numbers, precise),
            *line_by_line(
                numbers,
                ("half", "t * se / log_loss"),
                ("low", "log_loss * exp(-half)"),
                ("high", "log_loss * exp(half)"),
            ),
        ]
    assert isinstance(losses.sums, Sums)
    most = losses.sums.most
    n = spread.worth(most)
    student = None if losses.groups is None else quantile
    ends = wilson_reaching(spread.mean / most * n, n, student or z_quantile(estimate.level))
    scale = 1.0 if asked.metric.name == "brier_half" else float(most)
    return [
        *steps,
        prose(
            "N is how many rows that lose nothing or everything would tell as much about the mean as these"
        ),
        *wilson_lines(spread.mean / most * n, n, estimate.level, student),
        *_way_back(asked.name, ends, scale)[0],
    ]
