"""The .632 and .632+ estimates from the fits of a bootstrap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tallymark.resampling.efron import Bootstrap632, bootstrap_632
from tallymark.resampling.folds import Fold
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.fits.fitting import Fit


def bootstrapped(data: DataSet, apparent: Fit, made: Sequence[tuple[Fold, Fit]]) -> Bootstrap632:
    """From what the fit on all rows said about them, and every other one about rows it had not drawn."""
    in_bag = np.ones((len(made), data.rows), bool)
    for sample, (fold, _) in enumerate(made):
        in_bag[sample, fold.test] = False
    answers = [fit.answers for _, fit in made]
    return bootstrap_632(data.actual, apparent.answers, replicates=answers, in_bag=in_bag)
