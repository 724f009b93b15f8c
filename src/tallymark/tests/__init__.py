"""Tests of hypotheses, for people who have only the figures: each returns an `Outcome`.

Every difference is a - b, and `alternative="greater"` asks whether a is above b.
"""

from __future__ import annotations

from .adjust import adjust
from .bayes import bayesian_signed_rank, bayesian_t
from .cochran import cochran_q
from .data_sets import sign, wilcoxon
from .delong import delong, delong_unpaired
from .folds import corrected_t, five_by_two, paired_t
from .friedman import Nemenyi, PostHoc, friedman, nemenyi, post_hoc
from .mcnemar import mcnemar
from .outcome import Outcome
from .posterior import Posterior

__all__ = [
    "Nemenyi",
    "Outcome",
    "PostHoc",
    "Posterior",
    "adjust",
    "bayesian_signed_rank",
    "bayesian_t",
    "cochran_q",
    "corrected_t",
    "delong",
    "delong_unpaired",
    "five_by_two",
    "friedman",
    "mcnemar",
    "nemenyi",
    "paired_t",
    "post_hoc",
    "sign",
    "wilcoxon",
]
