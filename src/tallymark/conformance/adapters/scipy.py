"""scipy.stats: tests over data sets and folds, intervals of a share, and two areas by their statistics."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from tallymark.conformance.case import Case, NotOffered

_INTERVALS = {"wilson": "wilson", "clopper_pearson": "exact"}


def _given(case: Case, found: Any) -> Any:
    return found.statistic if case.question["give"] == "statistic" else found.pvalue


def _wilcoxon(case: Case, **options: Any) -> Any:
    return _given(case, stats.wilcoxon(case.input["a"], case.input["b"], **options))


def _every_sign(case: Case) -> Any:
    return _wilcoxon(case, method=stats.PermutationMethod())


def _sign(case: Case) -> Any:
    gaps = np.subtract(case.input["a"], case.input["b"])
    wins, losses = int((gaps > 0).sum()), int((gaps < 0).sum())
    return stats.binomtest(wins, wins + losses).pvalue


def _friedman(case: Case) -> Any:
    if case.question["method"] != "chi2":
        raise NotOffered("no F of Iman and Davenport")
    return _given(case, stats.friedmanchisquare(*np.transpose(case.input["table"])))


def _paired_t(case: Case) -> Any:
    return _given(case, stats.ttest_rel(case.input["a"], case.input["b"]))


def _interval(case: Case) -> Any:
    question = case.question
    if question["interval"] not in _INTERVALS:
        raise NotOffered("no such method")
    found = stats.binomtest(case.input["correct"], case.input["of"])
    ends = found.proportion_ci(question["confidence_level"], method=_INTERVALS[question["interval"]])
    return getattr(ends, question["give"])


def _sides(case: Case) -> tuple[list[float], list[float]]:
    rows = list(zip(case.is_positive, case.unweighted().needs("score").score, strict=True))
    return [s for a, s in rows if a], [s for a, s in rows if not a]


def _auc(case: Case) -> Any:
    positives, negatives = _sides(case)
    return stats.mannwhitneyu(positives, negatives).statistic / (len(positives) * len(negatives))


def _ks(case: Case) -> Any:
    return stats.ks_2samp(*_sides(case)).statistic


CALLS = {
    "wilcoxon": _wilcoxon,
    "sign": _sign,
    "friedman": _friedman,
    "paired_t": _paired_t,
    "interval": _interval,
    "auc": _auc,
    "ks": _ks,
}
REMEDIES = {"wilcoxon": [("method=PermutationMethod()", _every_sign)]}
