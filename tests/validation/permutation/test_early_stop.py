"""`permutation_test(early_stop=True)`: it looks in the order of drawing, stops, and says so."""

from __future__ import annotations

import json
from typing import ClassVar

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import tallymark as tm
from tallymark.errors import OptionError
from tallymark.inference import Estimate
from tallymark.metrics import ask
from tallymark.resampling import Holdout, KFold
from tallymark.validation.data.data_set import data_set
from tallymark.validation.permutation.result import PermutationTest
from tallymark.validation.permutation.stopping import Rule, Stopped

ROWS = 48
Y = np.arange(ROWS) % 2
NOISE = np.random.default_rng(5).normal(size=(ROWS, 2))
SIGNAL = NOISE + 4 * Y[:, None]


class Counted(GaussianNB):
    """Counts its fits."""

    fits: ClassVar = [0]

    def fit(self, X, y):
        self.fits[0] += 1
        return super().fit(X, y)


def first_stop(as_good):
    """After how many permutations at 5 %, by chances of the binomial among those that are still there."""
    alive, spent, b = {0: 1.0}, [0.0, 0.0], 0
    for n, good in enumerate(as_good, 1):
        b += int(good)
        cells = range(n + 1)
        after = {k: 0.95 * alive.get(k, 0.0) + 0.05 * alive.get(k - 1, 0.0) for k in cells}
        after = {k: chance for k, chance in after.items() if chance}
        may = 0.001 * n / (1000 + n)
        low = {k for k in after if spent[0] + sum(after[j] for j in after if j <= k) <= may}
        high = {k for k in after if spent[1] + sum(after[j] for j in after if j >= k) <= may}
        if b in low | high:
            return n
        spent = [spent[0] + sum(after[k] for k in low), spent[1] + sum(after[k] for k in high)]
        alive = {k: chance for k, chance in after.items() if k not in low | high}
    return None


# --- the run -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="one holdout"),
        pytest.param({"cv": 3, "permute": "all"}, id="folds, all rows"),
        pytest.param({"cv": 3, "metric": "brier"}, id="folds, training rows, lower is better"),
    ],
)
def test_it_is_the_beginning_of_the_whole_test(options):
    whole = tm.permutation_test(GaussianNB(), NOISE, Y, n_permutations=80, **options)
    n = first_stop(whole.as_good)
    assert n is not None
    early = tm.permutation_test(GaussianNB(), NOISE, Y, n_permutations=80, early_stop=True, **options)
    assert early.permuted.tolist() == whole.permuted[:n].tolist()
    assert (early.n_permutations, early.value) == (n, whole.value)
    assert early.stopped == Stopped(n, 80, "high", 0.001, 0.95)
    assert (whole.stopped, whole.rule) == (None, None)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="training rows"),
        pytest.param({"cv": 3, "permute": "all"}, id="all rows"),
    ],
)
# When fits under way are given up, a thread of loky may look for one that is gone already.
@pytest.mark.filterwarnings("ignore:Exception in thread ExecutorManagerThread")
def test_the_number_of_workers_does_not_matter(options):
    # It warns in every fit, and fits made in vain are not among those that warnings are counted of.
    model = LogisticRegression(max_iter=1)
    options = {"n_permutations": 300, "early_stop": True, **options}
    one, two = (tm.permutation_test(model, NOISE, Y, n_jobs=jobs, **options) for jobs in (1, 2))
    assert one.to_dict() == two.to_dict()
    assert one.stopped.after < 300
    assert any("ConvergenceWarning" in note for note in one.notes)


def test_fits_beyond_the_stop_are_not_made():
    Counted.fits[0] = 0
    test = tm.permutation_test(Counted(), NOISE, Y, cv=3, permute="all", n_permutations=500, early_stop=True)
    made = Counted.fits[0]
    # Those of the real classes, those looked at, and one that was under way.
    assert 3 * (test.n_permutations + 1) <= made <= 3 * (test.n_permutations + 1) + 1 < 500


def test_a_signal_stops_low():
    test = tm.permutation_test(GaussianNB(), SIGNAL, Y, metric="brier", n_permutations=1000, early_stop=True)
    # 0.95^173 is the first power below 0.001 n / (1000 + n); of 174 results the real one is the best.
    assert test.stopped == Stopped(173, 1000, "low", 0.001, 0.95)
    assert test.at_least_as_good == 0
    assert test.p_value == pytest.approx(1 / 174)
    assert (test.p_low, test.p_high) == pytest.approx((0, 1 - 0.025 ** (1 / 173)))


def test_another_level_is_clear_at_another_time():
    # At 20 %, 0.8^46 = 3.5e-5 is the first power below 0.001 n / (1000 + n).
    options = {"metric": "brier", "n_permutations": 1000, "early_stop": True}
    test = tm.permutation_test(GaussianNB(), SIGNAL, Y, confidence_level=0.8, **options)
    assert (test.stopped.after, test.stopped.level) == (46, 0.8)


def test_where_it_never_stops_all_are_drawn():
    test = tm.permutation_test(GaussianNB(), SIGNAL, Y, metric="brier", n_permutations=40, early_stop=True)
    assert (test.stopped, test.n_permutations) == (None, 40)
    assert test.p_value == pytest.approx(1 / 41)
    assert "Here it did not: all 40 were drawn." in flat(test)


def test_ties_count_as_good():
    # Always the same answer: all are the same, and the fifth makes it clear.
    test = tm.permutation_test(DummyClassifier(), NOISE, Y, n_permutations=100, early_stop=True)
    assert (test.stopped.after, test.ties, test.p_value) == (5, 5, pytest.approx(1))


def test_fits_that_fail_count_as_good_and_only_those_looked_at():
    class Shy(GaussianNB):
        def fit(self, X, y):
            if (np.asarray(X)[:, 1] != y).any():
                raise ValueError("these are not the classes")
            return super().fit(X, y)

    X = np.column_stack((NOISE[:, 0], Y))
    test = tm.permutation_test(Shy(), X, Y, n_permutations=100, early_stop=True)
    assert (test.stopped.after, test.failed, test.undefined) == (5, 5, 5)
    assert any(note.startswith("5 of 5 permutations have no result") for note in test.notes)


def test_parameters_are_chosen_as_without():
    options = {"param_grid": {"var_smoothing": [1e-9, 0.1]}, "inner_cv": 2, "n_permutations": 30}
    whole = tm.permutation_test(GaussianNB(), NOISE, Y, **options)
    early = tm.permutation_test(GaussianNB(), NOISE, Y, early_stop=True, **options)
    n = first_stop(whole.as_good)
    assert early.permuted.tolist() == whole.permuted[:n].tolist()
    assert early.candidates == 2


@pytest.mark.parametrize("given", [0.001, "yes", None, 1], ids=str)
def test_it_is_said_or_not(given):
    with pytest.raises(OptionError, match="early_stop is True or False; got"):
        tm.permutation_test(GaussianNB(), NOISE, Y, early_stop=given)


# --- on paper ------------------------------------------------------------------------------------


def made(value, permuted, *, most=1000, level=0.95, **more):
    """A result of numbers chosen here."""
    options = {"permute": "training", "folds": Holdout().folds(Y, Y), **more}
    return PermutationTest(
        "tree",
        data_set(np.zeros((ROWS, 1)), Y),
        ask("accuracy"),
        options["folds"],
        value,
        np.array(permuted, float),
        Estimate(0.5),
        options["permute"],
        "rows",
        None,
        0,
        level,
        rule=Rule(most, level),
    )


def flat(result):
    return " ".join(str(result).split())


LOW = made(0.9, [0.5] * 173)
HIGH = made(0.5, [0.4] * 4 + [0.6] * 6)


def test_a_low_stop_in_words():
    assert LOW.verdict == (
        "'tree' has accuracy 0.900 with the real classes, better than with all 173 permutations: p = 0.006. "
        "Drawing stopped after 173 of 1,000 permutations, when it was clear that p is 0.050 or less, by a "
        "rule that is wrong in at most 1 of 1,000 tests. The classes have to do with the features, and the "
        "model finds some of it."
    )
    said = flat(LOW)
    assert "173 of 1,000 permutations of the classes of the training rows" in said
    assert "p 0.006 (the least of a test that stops)" in said
    assert "leaves the boundaries of Gandy (2009) for 0.050." in said
    assert "Here it did not" not in said
    assert "(b + 1)" not in said
    assert "Monte Carlo error" not in said
    assert "More permutations could move" not in said


def test_a_high_stop_in_words():
    said = HIGH.verdict
    assert "better than with 4 of 10 permutations" in said
    assert "Drawing stopped after 10 of 1,000 permutations, when it was clear that p is above 0.050" in said
    assert "no relation between features and classes is shown" in said
    # Ten could not show anything, but more were to come if there had been need.
    assert "are needed at least" not in said
    assert "misses much" in flat(HIGH)


def test_too_few_were_asked_for():
    assert "With 15 permutations p cannot be 0.050 or less" in made(0.5, HIGH.permuted, most=15).verdict


def test_another_level_keeps_the_rule_and_moves_the_interval():
    other = LOW.interval(0.999)
    assert other.stopped == LOW.stopped
    assert other.p_value == LOW.p_value
    assert other.p_high == pytest.approx(1 - 0.0005 ** (1 / 173))
    assert "With 173 permutations p cannot be 0.001 or less: 999 are needed at least." in other.verdict
    assert "it was clear that p is 0.050 or less" in other.verdict


def test_an_approximate_p_stays_approximate():
    said = made(0.9, [0.5] * 173, folds=KFold(4).folds(Y, Y)).verdict
    assert said.index("Drawing stopped") < said.index("p is approximate with folds")


def test_json_says_where_it_stopped():
    form = json.loads(HIGH.to_json())
    assert form["early_stop"] is True
    assert form["stopped"] == {"after": 10, "of": 1000, "side": "high", "risk": 0.001, "level": 0.95}
    assert (form["n_permutations"], form["at_least_as_good"]) == (10, 6)
    assert form["p_error"] is None
    assert form["p_low"] < form["at_least_as_good"] / 10 < form["p_high"]
    drawn = json.loads(made(0.9, [0.5] * 40, most=40).to_json())
    assert (drawn["early_stop"], drawn["stopped"]) == (True, None)


def test_the_picture_says_that_it_stopped():
    assert "permuted 10 times" in HIGH.figure().note
    assert "Stopped before 1,000: the verdict at 0.050 was clear" in HIGH.figure().note
    assert "Stopped" not in made(0.9, [0.5] * 40, most=40).figure().note
