"""Numbers from scores explained: every line can be followed with a pocket calculator."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tallymark.explanation import explain, explain_ranked
from tallymark.inference import Losses, Ranking
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.metrics import SCORE_METRICS, ask
from tallymark.tallies import Scores, Sums

# Of nine pairs 5 are won and 1 is tied.
SIX = Ranking(
    count_scores(np.array([0.9, 0.8, 0.7, 0.7, 0.4, 0.1]), np.array([1, 0, 1, 0, 1, 0], bool), positive="ill")
)
ALL = ("auc", "gini", "ks", "partial_auc:0.5", "partial_auc_mcclish:0.5", "average_precision")
LOSSES = ("brier", "brier_half", "log_loss")


def ranking(n=200, groups=None, **options):
    generator = np.random.default_rng(0)
    positive = generator.random(n) < 0.4
    score = 1 / (1 + np.exp(-generator.normal(size=n) - positive))
    total = count_scores(score, positive, **options)
    if groups is None:
        return Ranking(total)
    group = np.arange(n) % groups
    return Ranking(total, groups=count_groups(total, score, positive, None, group, tuple(range(groups))))


def found_by(made, name):
    asked = ask(name)
    return explain_ranked(asked, made if asked.metric.about == "scores" else made.losses)


def lines(made, name):
    return [line.strip() for line in found_by(made, name).to_text().splitlines()]


def test_the_area_pair_by_pair():
    text = lines(SIX, "auc")
    assert "positives = 3, negatives = 3 (positive: 'ill')" in text
    assert "= (5 + 1 / 2) / (3 * 3)" in text
    assert "= 5.5 / 9" in text
    assert "= 0.6111" in text


def test_gini_goes_through_the_area():
    text = lines(SIX, "gini")
    assert "= 5.5 / 9" in text
    assert "= 2 * 0.6111 - 1" in text
    assert "= 0.2222" in text


def test_ks_names_the_threshold():
    text = lines(SIX, "ks")
    assert "largest where score >= 0.9 is called positive" in text
    assert "ks = abs(tpr - fpr) = abs(0.3333 - 0) = 0.3333" in text
    assert "no interval: the largest over all thresholds, so an interval around it would be biased" in text
    same = Ranking(count_scores(np.array([0.5, 0.5]), np.array([True, False])))
    assert "= 0" in lines(same, "ks")


def test_average_precision_step_by_step():
    text = lines(SIX, "average_precision")
    assert "= 0.3333 * 1 + 0.3333 * 0.5 + 0.3333 * 0.6" in text
    assert "= 0.7" in text


def test_trapezoids_up_to_the_limit():
    # From (0, 1/3) level to (1/3, 1/3), then half of the way to (2/3, 2/3), where the limit is.
    text = lines(SIX, "partial_auc:0.5")
    assert "max_fpr = 0.5" in text
    assert "= 0.3333 * 0.3333 + 0.1667 * 0.4167" in text
    assert "= 0.1806" in text
    text = lines(SIX, "partial_auc_mcclish:0.5")
    assert "= (1 + (0.1806 - 0.5**2 / 2) / (0.5 - 0.5**2 / 2)) / 2" in text


def test_losses_added_up():
    text = lines(SIX, "brier")
    # 0.01 + 0.64 + 0.09 + 0.49 + 0.36 + 0.01
    assert "= 1.6 / 6" in text
    assert "= 0.2667" in text
    assert "= 0.2667 / 1" in lines(SIX, "brier_half")
    total = -sum(map(math.log, (0.9, 0.2, 0.7, 0.3, 0.4, 0.9)))
    assert f"= {total:.4f} / 6" in lines(SIX, "log_loss")
    table = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]])
    several = explain_ranked(ask("brier"), Losses(Sums.of_probabilities(table, np.array([0, 1]))))
    assert "brier = sum(distance_k) / n" in several.to_text()


def test_the_interval_can_be_followed():
    made = ranking()
    estimate = made.of(ask("auc"))
    text = found_by(made, "auc").to_text()
    assert "95 % interval on the logit scale, with DeLong's variance" in text
    assert f"= {estimate.se:.4}" in text
    assert text.count("low = 1 / (1 + exp(half - centre))") == 1
    assert f"low = {estimate.low:.4f}, high = {estimate.high:.4f}" in text


def test_few_rows_show_both_intervals():
    text = found_by(SIX, "auc").to_text()
    assert "its variance rests on few rows" in text
    assert "Newcombe's low and high are" in text


def test_complete_separation_is_explained():
    text = found_by(Ranking(count_scores(np.array([2.0, 1.0]), np.array([True, False]))), "auc").to_text()
    assert "interval of Newcombe (2006), method 5" in text
    assert "complete separation shows no variance" in text
    assert "positives = 1, negatives = 1, m = 0" in text
    assert "- interval:" not in text


@pytest.mark.parametrize("name", [*ALL, *LOSSES])
@pytest.mark.parametrize("kind", ["plain", "groups", "weights", "bins", "share", "tiny"])
def test_everything_can_be_explained(name, kind):
    made = {
        "plain": lambda: ranking(),
        "groups": lambda: ranking(groups=20),
        "weights": lambda: ranking(weight=np.linspace(0.1, 3, 200)),
        "bins": lambda: Ranking(Scores.from_bins([5, 3, 1], [1, 3, 6])),
        "share": lambda: Ranking(ranking().scores, share=0.1),
        "tiny": lambda: SIX,
    }[kind]()
    explanation = found_by(made, name)
    asked = ask(name)
    estimate = (made if asked.metric.about == "scores" else made.losses).of(asked)
    assert (explanation.value, explanation.why) == (estimate.value, estimate.why)
    text = explanation.to_text()
    assert all(len(line) <= 100 for line in text.splitlines())
    if estimate.low is not None:
        assert text.count("low = ") >= 1
    assert explanation.to_latex().startswith("\\[")
    explanation.to_dict()


def test_the_last_line_is_the_interval():
    for name in ("auc", "average_precision", "brier", "log_loss", "partial_auc:0.3"):
        made = ranking()
        asked = ask(name)
        estimate = (made if asked.metric.about == "scores" else made.losses).of(asked)
        last = found_by(made, name).interval[-1].text
        low, high = (float(side.split(" = ")[1]) for side in last.split(", "))
        assert (low, high) == pytest.approx((estimate.low, estimate.high), abs=1e-4)


def test_a_million_steps_are_not_written_out():
    generator = np.random.default_rng(0)
    made = Ranking(count_scores(generator.random(5000), generator.random(5000) < 0.5))
    assert any("(over 2," in line for line in lines(made, "average_precision"))


def test_why_there_is_nothing_to_explain():
    one_class = Ranking(count_scores(np.array([0.1, 0.2]), np.array([True, True])))
    text = found_by(one_class, "auc").to_text()
    assert "undefined: no row is actually negative (negatives = 0)" in text
    assert "auc = (won + tied / 2) / (positives * negatives)" in text
    without = explain_ranked(ask("auc"), "no scores were given")
    assert (without.value, without.why) == (None, "no scores were given")
    assert "undefined: no scores were given" in without.to_text()


@pytest.mark.parametrize("name", SCORE_METRICS)
def test_every_letter_of_a_formula_is_explained(name):
    text = explain(ask(name, general=True)).to_text()
    assert "of class k" not in text
    assert SCORE_METRICS[name].reference in " ".join(text.split())
