"""statsmodels: intervals of shares, tests of tables, corrections for many tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from statsmodels.stats.contingency_tables import cochrans_q, mcnemar
from statsmodels.stats.descriptivestats import sign_test
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

from tallymark.conformance.case import Case, NotOffered

_INTERVALS = {
    "wilson": "wilson",
    "clopper_pearson": "beta",
    "jeffreys": "jeffreys",
    "agresti_coull": "agresti_coull",
    "wald": "normal",
}


def _end(ends: Any, give: str) -> Any:
    return ends[0] if give == "low" else ends[1]


def _interval(case: Case) -> Any:
    question = case.question
    ends = proportion_confint(case.input["correct"], case.input["of"], alpha=1 - question["confidence_level"],
                              method=_INTERVALS[question["interval"]])  # fmt: skip
    return _end(ends, question["give"])


def _difference(case: Case) -> Any:
    ends = confint_proportions_2indep(*case.input["first"], *case.input["second"], method="newcomb",
                                      alpha=1 - case.question["confidence_level"])  # fmt: skip
    return _end(ends, case.question["give"])


def _mcnemar(case: Case) -> Any:
    method = case.question["method"]
    if method == "mid_p":
        raise NotOffered("no mid-p")
    table = [[0, case.input["n01"]], [case.input["n10"], 0]]
    found = mcnemar(table, exact=method == "exact", correction=method == "corrected")
    return found.statistic if case.question["give"] == "statistic" else found.pvalue


def _cochran(case: Case) -> Any:
    found = cochrans_q(np.array(case.input["correct"]), return_object=True)
    return found.statistic if case.question["give"] == "statistic" else found.pvalue


def _sign(case: Case) -> Any:
    return sign_test(np.subtract(case.input["a"], case.input["b"]))[1]


def _adjust(case: Case) -> Any:
    return multipletests(case.input["p_values"], method=case.question["method"])[1][case.question["give"]]


def _kappa(case: Case) -> Any:
    return cohens_kappa(np.array(case.needs("matrix").input["matrix"]), return_results=False)


def _paired_t(case: Case) -> Any:
    t, p, _ = DescrStatsW(np.subtract(case.input["a"], case.input["b"])).ttest_mean(0)
    return t if case.question["give"] == "statistic" else p


CALLS = {
    "interval": _interval,
    "difference": _difference,
    "mcnemar": _mcnemar,
    "cochran_q": _cochran,
    "sign": _sign,
    "adjust": _adjust,
    "kappa": _kappa,
    "paired_t": _paired_t,
}
