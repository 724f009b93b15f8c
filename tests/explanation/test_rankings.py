"""Numbers from scores explained: every line can be followed with a pocket calculator."""

from __future__ import annotations

import math
import re

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
    assert f"= {estimate.se:.6f}" in text
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
    assert "n1 = 1, n2 = 1, m = 0" in text
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


# --- with a calculator -----------------------------------------------------------------------

FUNCTIONS = {"ln": math.log, "exp": math.exp, "sqrt": math.sqrt, "max": max, "min": min}


def calculated(printed):
    return float(eval(printed.replace("^", "**"), {"__builtins__": {}}, FUNCTIONS))


def last_digit(printed):
    return 10.0 ** -len(printed.partition(".")[2])


def newcombes(steps):
    """The areas so many of their own standard errors away, from what is printed about them."""
    text = " ".join(step.text for step in steps)
    reach = float(re.search(r"areas [zt] = (\S+) of their own", text)[1])
    share = float(re.search(r"standard errors away from (\S+),", text)[1])
    letters = {name: float(re.search(rf"{name} = ([^\s,]+)", text)[1]) for name in ("n1", "n2", "m")}
    variance = next(step.sides[1] for step in steps if step.sides[:1] == ("variance",))

    def too_far(area):
        return abs(share - area) > reach * math.sqrt(eval(variance, {"area": area} | letters))

    ends = []
    for outer in (0.0, 1.0):
        inner = share
        for _ in range(60):
            middle = (inner + outer) / 2
            inner, outer = (inner, middle) if too_far(middle) else (middle, outer)
        ends.append(inner)
    return ends


def followed(explanation):
    """Low and high as a reader gets them who works out every line of print."""
    steps = explanation.interval
    found = {}
    if any("their own standard errors" in step.text for step in steps):
        found["low"], found["high"] = newcombes(steps)
    before = dict(found)
    for step in steps:
        if len(step.sides) < 2 or not re.match(r"[-\d.e]+$", step.sides[-1]):
            continue
        worked, printed = step.sides[-2:]
        # Wilson's lines are of five digits and say no more.
        exact = "N acc" not in " ".join(step.sides) and "root" not in step.sides[0] + step.sides[1]
        room = 0.51 * last_digit(printed) if exact else 2e-4 * abs(float(printed))
        assert calculated(worked) == pytest.approx(float(printed), abs=max(room, 1e-12)), step.text
        found[step.sides[0]] = float(printed)
        if "Newcombe's low" in str([each.text for each in steps]) and step.sides[1].startswith(
            "1 / (1 + exp("
        ):
            wider = min if step.sides[0] == "low" else max
            found[step.sides[0]] = wider(found[step.sides[0]], before[step.sides[0]])
    return found["low"], found["high"]


def near_one():
    generator = np.random.default_rng(1)
    positive = np.arange(8000) < 4000
    score = 1 / (1 + np.exp(-generator.normal(size=8000) - 5 * positive + 2.5))
    return Ranking(count_scores(score, positive))


KINDS = {
    "plain": ranking,
    "weights": lambda: ranking(weight=np.linspace(0.1, 3, 200)),
    "groups": lambda: ranking(groups=20),
    "bins": lambda: Ranking(Scores.from_bins([0, 50, 30, 10], [0, 10, 30, 60])),
    "share": lambda: Ranking(ranking().scores, share=0.1),
    "near 1": near_one,
    "tiny": lambda: SIX,
}


@pytest.mark.parametrize("name", [*(name for name in ALL if name != "ks"), *LOSSES])
@pytest.mark.parametrize("kind", KINDS)
def test_a_calculator_comes_to_the_same_interval(name, kind):
    made, asked = KINDS[kind](), ask(name)
    estimate = (made if asked.metric.about == "scores" else made.losses).of(asked)
    if estimate.low is None:
        return
    low, high = followed(found_by(made, name))
    assert (low, high) == pytest.approx((estimate.low, estimate.high), abs=0.002 * (high - low))


def test_an_area_near_1_is_printed_with_what_it_lacks():
    made = near_one()
    area = made.of(ask("auc")).value
    assert 0.9995 < area < 0.9999
    assert f"ln({area:.9f} / (1 - {area:.9f}))" in found_by(made, "auc").to_text()


def test_students_quantile_has_its_own_letter():
    # Perfect, in three groups: t of 2 degrees of freedom is 4.3027 in every table.
    score, positive = np.array([0.9, 0.8, 0.3, 0.2, 0.1, 0.1]), np.array([1, 1, 0, 0, 0, 0], bool)
    total = count_scores(score, positive)
    group = np.array([0, 1, 2, 0, 1, 2])
    made = Ranking(total, groups=count_groups(total, score, positive, None, group, ("a", "b", "c")))
    explanation = found_by(made, "average_precision")
    text = explanation.to_text()
    assert "t is Student's quantile with 2 degrees of freedom" in text
    assert "t = 4.3027 for a confidence level of 0.95" in text
    # Wilson's of 2 of 2: 2 / (2 + t^2).
    assert followed(explanation)[0] == pytest.approx(2 / (2 + 4.3027**2), abs=1e-4)
    for name in ("auc", "brier", "log_loss", "partial_auc:0.3"):
        text = found_by(ranking(groups=20), name).to_text()
        assert "t = 2.093" in text
        assert "z = " not in text


def test_weighted_rows_are_not_called_their_effective_number():
    made = ranking(weight=np.linspace(0.1, 3, 200))
    text = found_by(made, "auc").to_text()
    assert "n1 and n2 are Kish's effective number" in text
    assert f"n1 = {made.scores.effective[0]:.4f}" in text
    assert text.count("positives = ") == 2  # how many there are, and when it is undefined


def test_what_bins_leave_open_widens_the_interval_in_print():
    made = KINDS["bins"]()
    text = found_by(made, "auc").to_text()
    # Of 90 x 100 pairs 50 x 90 + 30 x 60 are won and 50 x 10 + 30 x 30 + 10 x 60 are tied.
    assert "least = 0.7, most = 0.9222222" in text
    assert "low = min(low, lowest) = min(0.7" in text
    assert "only bins" not in found_by(ranking(), "auc").to_text()


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


def test_bins_are_said_to_leave_values_open():
    """One bin with 1 positive and 1 negative, and a negative below: won 1 of 2 pairs, 1 is open."""
    bins = Scores(np.array([0.5, 0.1]), np.array([1, 0]), np.array([1, 1]), reach=np.array([0.9, 0.1]))
    said = "only bins of the scores were counted: the exact value lies anywhere from least to most"
    for name, least, most in (("auc", 0.5, 1), ("ks", 0.5, 1), ("average_precision", 0.5, 1)):
        texts = [step.text for step in explain_ranked(ask(name), Ranking(bins)).steps]
        assert said in texts
        ends = re.fullmatch(r"least = (.*), most = (.*)", texts[texts.index(said) + 1])
        assert ends is not None
        assert tuple(map(float, ends.groups())) == pytest.approx((least, most), abs=1e-9)
    pairs = [step.text for step in explain_ranked(ask("auc"), Ranking(bins)).steps]
    assert any("or one in the same bin" in text for text in pairs)
    exact = explain_ranked(ask("auc"), SIX)
    assert said not in [step.text for step in exact.steps]
