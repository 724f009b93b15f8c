"""Checks of what people pass to `plan`, one by one."""

from __future__ import annotations

from typing import Any, Literal

from tallymark.errors import OptionError, precise
from tallymark.intervals.checks import checked_number
from tallymark.metrics import METRICS, Metric, ask
from tallymark.planning.power import Models
from tallymark.planning.sampling import WORDS, Sampling

Question = Literal["half_width", "difference", "rows"]

USUAL_POWER = 0.8
SMALLEST = 1e-6
"""Half widths and differences below it need a million million rows."""
MOST_ROWS = 10**12


def checked_question(half_width: Any, difference: Any, rows: Any) -> Question:
    """The one question that was asked; rows may come with a difference, to ask for its power."""
    given = {"half_width": half_width, "difference": difference, "rows": rows}
    asked = [name for name, value in given.items() if value is not None]
    if not asked:
        raise OptionError(
            "nothing was asked: expected one of half_width, difference, rows.",
            hint="half_width=0.01 (--half-width 0.01) asks how many rows make an interval that narrow.",
        )
    if half_width is not None and len(asked) > 1:
        raise OptionError(
            f"{' and '.join(asked)} are separate questions.", hint="ask one at a time: leave the others out."
        )
    return "rows" if rows is not None else "difference" if difference is not None else "half_width"


def refuse_idle(given: dict[str, Any], why: str) -> None:
    """Refuse what was given and would change nothing."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise OptionError(f"{name} has no effect {why}.", hint=f"leave out {name}.")


def checked_share(name: str, value: Any, what: str = "a share") -> float:
    share = float(checked_number(name, value))
    if not 0 < share < 1:
        hint = f"write {share / 100:g} for {share:g} %." if 1 < share < 100 else "write 0.85 for 85 %."
        raise OptionError(
            f"{name} must be {what} strictly between 0 and 1; got {precise(share, 0, 1)}.", hint=hint
        )
    return share


def checked_half_width(value: Any) -> float:
    wanted = float(checked_number("half_width", value))
    if wanted >= 0.5:
        hint = f"write {wanted / 100:g} for {wanted:g} %." if 1 <= wanted < 50 else "0.01 to 0.1 is usual."
        raise OptionError(
            "half_width must be below 0.5, or the interval would span all shares; got "
            f"{precise(wanted, 0.5)}.",
            hint=hint,
        )
    if wanted < SMALLEST:
        raise OptionError(f"half_width must be {SMALLEST:f} or more; got {precise(wanted, SMALLEST)}.")
    return wanted


def checked_difference(value: Any, models: Models) -> float:
    """A difference that two such models can have."""
    difference = float(checked_number("difference", value))
    if abs(difference) < SMALLEST:
        raise OptionError(
            f"difference must be {SMALLEST:f} or more, or as far below 0; got "
            f"{precise(difference, -SMALLEST, SMALLEST)}.",
            hint="no number of rows shows that two models are equal.",
        )
    if abs(difference) >= 1:
        hint = f"write {difference / 100:g} for {difference:g} %." if 1 < abs(difference) < 100 else None
        raise OptionError(
            f"difference must be between -1 and 1; got {precise(difference, -1, 1)}.", hint=hint
        )
    if models.right is not None and not -1e-12 <= models.right + difference <= 1 + 1e-12:
        room = 1 - models.right if difference > 0 else models.right
        word = "better" if difference > 0 else "worse"
        raise OptionError(
            f"no model can be {precise(abs(difference), room)} {word}: from the expected value "
            f"there is only room for {precise(room, abs(difference))}.",
            hint="give a smaller difference, or another expected value.",
        )
    check_disagreement(models, difference)
    return difference


def check_disagreement(models: Models, difference: float | None = None) -> None:
    """Two models of these shares can disagree on so many rows; any difference is left open if None."""
    apart = models.disagreement
    if apart is not None and difference is not None and apart < abs(difference) - 1e-12:
        raise OptionError(
            f"disagreement {precise(apart, abs(difference))} is less than difference "
            f"{precise(abs(difference), apart)}: models whose shares differ disagree on at least as many "
            "rows.",
            hint="give a larger disagreement, or a smaller difference.",
        )
    if apart is None or models.right is None:
        return
    most = models.most_disagreement(difference or 0.0)
    if apart > most + 1e-12 or (difference is None and apart > most - 1e-9):
        raise OptionError(
            f"disagreement {precise(apart, most)} is too much: models of these values disagree on "
            f"{precise(most, apart)} of the rows at most, when they share no error, and on less if one is "
            "better than expected.",
            hint="give a smaller disagreement, or another expected value.",
        )


def checked_power(value: Any, level: float) -> float:
    power = USUAL_POWER if value is None else checked_share("power", value, "a probability")
    if power <= 1 - level:
        raise OptionError(
            f"power must be more than {1 - level:.6g}, which the test has without any difference; "
            f"got {precise(power, 1 - level)}.",
            hint="0.8 or 0.9 is usual, with a confidence level of 0.95.",
        )
    return power


def checked_rows(value: Any) -> int:
    rows = checked_number("rows", value)
    if rows != round(rows) or not 1 <= rows <= MOST_ROWS:
        raise OptionError(f"rows must be a whole number from 1 to {MOST_ROWS:,}; got {rows:g}.")
    return round(rows)


def checked_metric(name: Any) -> Metric:
    """A metric that is a share of rows."""
    asked = ask(name)
    if asked.metric.share is None or asked.average:
        shares = [metric.name for metric in METRICS.values() if metric.share]
        raise OptionError(
            f"only a share of rows can be planned for, and {asked.name} is not one.",
            hint=f"plan for one of {', '.join(shares)}.",
        )
    return asked.metric


def checked_sampling(metric: Metric, arguments: dict[str, Any]) -> Sampling:
    """Which rows count, and in what groups they come."""
    counts = metric.share[1] if metric.share else "n"
    given = {name: arguments[name] for name in ("prevalence", "predicted_positive_rate")}
    needed = {"actual": "prevalence", "predicted": "predicted_positive_rate"}.get(counts.partition("_")[0])
    refuse_idle({name: value for name, value in given.items() if name != needed}, f"on {metric.name}")
    share = 1.0
    if needed is not None:
        if given[needed] is None:
            raise OptionError(
                f"{metric.name} is a share of the {WORDS[counts]}, and how many rows are {WORDS[counts]} is "
                "not known.",
                hint=f"give --{needed.replace('_', '-')} ({needed}=), the share of rows that are "
                f"{counts.partition('_')[0]} positives.",
            )
        share = checked_share(needed, given[needed])
        share = 1 - share if counts.endswith("negative") else share
    if arguments["rows_per_group"] is None and arguments["icc"] is None:
        return Sampling(counts, share)
    return Sampling(counts, share, *_checked_groups(arguments["rows_per_group"], arguments["icc"]))


def _checked_groups(rows_per_group: Any, icc: Any) -> tuple[float, float]:
    if rows_per_group is None or icc is None:
        given, lacking = ("icc", "rows_per_group") if rows_per_group is None else ("rows_per_group", "icc")
        raise OptionError(
            f"{given} was given without {lacking}.",
            hint=f"give --{lacking.replace('_', '-')} ({lacking}=) too; rows_per_group is the mean size of a "
            "group, icc the correlation of two rows of one group.",
        )
    size, correlation = checked_number("rows_per_group", rows_per_group), float(checked_number("icc", icc))
    if not 1 < size <= MOST_ROWS:
        raise OptionError(f"rows_per_group must be more than 1; got {precise(size, 1)}.")
    if not 0 <= correlation <= 1:
        raise OptionError(f"icc must be a correlation from 0 to 1; got {precise(correlation, 0, 1)}.")
    return size, correlation


def figures_of(evaluation: Any, metric: Metric, given: dict[str, Any]) -> dict[str, Any]:
    """Rows of an evaluation, and of its value and class shares those that were not given."""
    counts = metric.share[1] if metric.share else "n"
    names = {"expected": metric.name}
    if counts.startswith("actual"):
        names["prevalence"] = "prevalence"
    if counts.startswith("predicted"):
        names["predicted_positive_rate"] = "predicted_positive_rate"
    found = given | {"rows": _rows_of(evaluation)}
    for argument, name in names.items():
        if given[argument] is not None:
            continue
        estimate = evaluation[name]
        if estimate.value is None:
            raise OptionError(f"{name} of this evaluation is undefined: {estimate.why}.")
        if not 0 < estimate.value < 1:
            raise OptionError(
                f"{name} of this evaluation is {estimate.value:g}, as if it could not be otherwise.",
                hint=f"pass {argument}= with the value you expect on other rows.",
            )
        found[argument] = estimate.value
    return found


def _rows_of(evaluation: Any) -> int:
    """Independent rows of equal weight."""
    sample = getattr(evaluation, "counted", None)
    if getattr(sample, "groups", None) is not None:
        raise OptionError(
            "the rows of this evaluation belong to groups, so it has fewer independent ones than rows.",
            hint="pass rows= as a number, with rows_per_group= and icc=.",
        )
    return max(1, int(evaluation.rows if sample is None else sample.effective_n))


def is_evaluation(rows: Any) -> bool:
    """Whether it has rows, and numbers by name."""
    return isinstance(getattr(rows, "rows", None), int | float) and hasattr(rows, "__getitem__")
