"""Tests of two models on the same folds: paired t, corrected t, and the two tests of 5x2 cross-validation."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from tallymark.errors import OptionError, ShapeError
from tallymark.intake.sources import only_column, refuse_shuffled
from tallymark.intervals import checked_level, student_quantile
from tallymark.tests.outcome import Alternative, Outcome, checked_alternative
from tallymark.tests.scores import Floats, checked_choice, differences, overlap

FiveByTwo = Literal["t", "f"]

ONE_FOLD = "one fold does not show how much folds vary"


def paired_t(
    a: Any, b: Any, *, alternative: Alternative = "two-sided", confidence_level: float = 0.95
) -> Outcome:
    """Student's t of the differences a - b per fold, with k - 1 degrees of freedom.

    t = mean d / (sd / sqrt(k)). Folds of cross-validation share training rows, so their differences are not
    independent and this test is too sure there; `corrected_t` is for them.
    Undefined when all differences are equal and not 0, or there is one fold.

    >>> round(paired_t([0.9, 0.8, 0.7], [0.8, 0.8, 0.5]).p_value, 4)
    0.2254
    """
    first, second, d = differences(a, b, "fold")
    counts = _counts(first, second, d)
    made: dict[str, Any] = {
        "method": "paired t",
        "assumption": "independent normal differences",
        "counts": counts,
    }
    return _t_test(d, 1 / len(d), alternative, confidence_level, made)


def corrected_t(
    a: Any,
    b: Any,
    n_train: Any = None,
    n_test: Any = None,
    *,
    runs: int = 1,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> Outcome:
    """The t test for folds whose training sets overlap (Nadeau and Bengio 2003, Machine Learning 52:239).

    t = mean d / (sd * sqrt(1/k + n_test/n_train)), with k - 1 degrees of freedom. The sizes are one number or
    one per fold. Without them the k scores are taken as cross-validation repeated `runs` times, where
    n_test/n_train = 1/(folds per run - 1) (Bouckaert and Frank 2004).

    >>> found = corrected_t([0.9, 0.8, 0.7], [0.8, 0.8, 0.5], n_train=90, n_test=30)
    >>> round(found.p_value, 4)
    0.3453
    """
    first, second, d = differences(a, b, "fold")
    ratio, said = overlap(len(d), n_train, n_test, runs)
    counts = _counts(first, second, d) | {"test_by_train": ratio}
    made: dict[str, Any] = {
        "method": "corrected t",
        "assumption": "normal differences that correlate by n_test / (n_train + n_test)",
        "counts": counts,
        "note": said or None,
    }
    return _t_test(d, 1 / len(d) + (ratio or 0), alternative, confidence_level, made)


def five_by_two(
    a: Any,
    b: Any,
    method: FiveByTwo = "t",
    *,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> Outcome:
    """A test of 5 runs of 2-fold cross-validation: 5 x 2 scores, or 10 in order of runs.

    With s2 the sum of squared deviations of each run's two differences from their mean: "t" is the first
    difference / sqrt(mean s2), 5 degrees of freedom (Dietterich 1998, Neural Computation 10:1895); "f" is the
    sum of all 10 squared differences / (2 sum s2), 10 and 5 degrees of freedom (Alpaydin 1999, Neural
    Computation 11:1885). `value` and the interval are of the first difference for "t", of the mean for "f".
    Undefined when the two differences of every run are equal and not all are 0.
    """
    checked_choice("method", method, FiveByTwo)
    alternative, level = checked_alternative(alternative), checked_level(confidence_level)
    if method == "f" and alternative != "two-sided":
        raise OptionError(
            f"the F test has no direction; got alternative={alternative!r}.", hint='use method="t".'
        )
    refuse_shuffled(a, b)
    first, second, d = differences(_ten(a, "a"), _ten(b, "b"), "fold")
    runs = d.reshape(5, 2)
    spread = float(((runs - runs.mean(axis=1, keepdims=True)) ** 2).sum())
    counts = _counts(first, second, d) | {"runs": 5}
    made: dict[str, Any] = {
        "method": f"5x2cv {'F' if method == 'f' else 't'}",
        "df": (10, 5) if method == "f" else 5,
        "alternative": alternative,
        "assumption": "normal differences, independent between runs",
        "counts": counts,
        "level": level,
    }
    if not d.any():
        return Outcome(**made, statistic=0.0, p_value=1.0, value=0.0, low=0.0, high=0.0)
    if not spread:
        value = float(d.mean() if method == "f" else d[0])
        return Outcome(**made, statistic=None, p_value=None, value=value, why=_EQUAL_RUNS)
    return _alpaydin(d, spread, level, made) if method == "f" else _dietterich(d, spread, level, made)


_EQUAL_RUNS = "the two differences of every run are equal, so there is no spread to judge them by"


def _dietterich(d: Floats, spread: float, level: float, made: dict[str, Any]) -> Outcome:
    value, se = float(d[0]), math.sqrt(spread / 5)
    half = student_quantile(level, 5) * se
    note = f"the test is of the first of the ten differences; their mean is {d.mean():.4g}"
    p = _student_p(value / se, 5, made["alternative"])
    return Outcome(**made, statistic=value / se, p_value=p, value=value, low=value - half, high=value + half,
                   se=se, note=note)  # fmt: skip


def _alpaydin(d: Floats, spread: float, level: float, made: dict[str, Any]) -> Outcome:
    from scipy.special import fdtrc, fdtri

    statistic = float(d @ d) / (2 * spread)
    mean = float(d.mean())
    # All shifts of the differences that the test would not reject: a quadratic in the shift.
    room = mean**2 - (float(d @ d) - 2 * spread * float(fdtri(10, 5, level))) / 10
    note = None if room >= 0 else "runs differ so much from each other that no difference fits them all"
    ends = (None, None) if room < 0 else (mean - math.sqrt(room), mean + math.sqrt(room))
    return Outcome(**made, statistic=statistic, p_value=float(fdtrc(10, 5, statistic)), value=mean,
                   low=ends[0], high=ends[1], note=note)  # fmt: skip


def _ten(given: Any, name: str) -> Any:
    given = only_column(given)
    try:
        shape = np.shape(given)
    except ValueError:
        shape = ()
    if shape not in ((5, 2), (10,)):
        hint = "it takes 5 x 2 scores, or 10: run 1 fold 1, run 1 fold 2, run 2 fold 1 and so on."
        raise ShapeError(f"{name} must have the scores of 5 runs of 2 folds; got shape {shape}.", hint=hint)
    return np.asarray(given).ravel()


def _counts(first: Floats, second: Floats, d: Floats) -> dict[str, Any]:
    sd = float(d.std(ddof=1)) if len(d) > 1 else None
    return {"folds": len(d), "mean_a": float(first.mean()), "mean_b": float(second.mean()), "sd": sd}


def _t_test(
    d: Floats, factor: float, alternative: Alternative, level: float, made: dict[str, Any]
) -> Outcome:
    """The t test of mean d, whose variance is that of the differences by `factor`."""
    made |= {"alternative": checked_alternative(alternative), "level": checked_level(level)}
    value = float(d.mean())
    if len(d) == 1:
        return Outcome(**made, statistic=None, p_value=None, value=value, why=ONE_FOLD)
    made["df"] = len(d) - 1
    if not np.ptp(d):
        if not value:
            return Outcome(**made, statistic=0.0, p_value=1.0, value=0.0, low=0.0, high=0.0, se=0.0)
        why = f"the difference is {value:.4g} in every fold, so there is no spread to judge it by"
        return Outcome(**made, statistic=None, p_value=None, value=value, se=0.0, why=why)
    se = math.sqrt(float(d.var(ddof=1)) * factor)
    half = student_quantile(made["level"], made["df"]) * se
    p = _student_p(value / se, made["df"], made["alternative"])
    return Outcome(
        **made, statistic=value / se, p_value=p, value=value, low=value - half, high=value + half, se=se
    )


def _student_p(t: float, freedom: float, alternative: Alternative) -> float:
    from scipy.special import stdtr

    if alternative == "two-sided":
        return float(2 * stdtr(freedom, -abs(t)))
    return float(stdtr(freedom, -t if alternative == "greater" else t))
