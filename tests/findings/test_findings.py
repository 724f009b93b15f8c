"""Each finding about one evaluation fires on its case, with its numbers, and stays silent otherwise."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tallymark as tm
from tallymark.cli import main

Z = 1.959963984540054
SPAM = [[282, 75], [462, 4_841]]


def of_matrix(matrix: list[list[int]], labels: list[Any] | None = None, **options: Any) -> tm.Evaluation:
    names = labels or [chr(97 + position) for position in range(len(matrix))]
    return tm.Confusion(matrix, labels=names).evaluate(**options)


def finding(ev: tm.Evaluation, code: str) -> tm.Finding | None:
    found = [finding for finding in ev.findings if finding.code == code]
    assert len(found) <= 1
    return found[0] if found else None


def numbers(ev: tm.Evaluation, code: str) -> Any:
    found = finding(ev, code)
    assert found is not None
    return found.numbers


def tied(up: int, down: int) -> tm.Evaluation:
    """Ten rows of either class, ranked perfectly but for these, which have one score."""
    score = [0.9] * (10 - up) + [0.5] * (up + down) + [0.1] * (10 - down)
    return tm.evaluate([1] * 10 + [0] * 10, y_score=score)


def weighted(weight: Any, **options: Any) -> tm.Evaluation:
    """180 positives of which all are found, and 4 false alarms of 120 negatives."""
    actual, predicted = [1] * 180 + [0] * 120, [1] * 184 + [0] * 116
    return tm.evaluate(actual, predicted, sample_weight=weight, **options)


def said(probabilities: list[float], came_true: list[float], n: int) -> tm.Evaluation:
    """So many rows for each probability, of which such a proportion came true."""
    y = np.concatenate([np.arange(n) < round(share * n) for share in came_true])
    actual = np.where(y, "yes", "no")
    return tm.evaluate(actual, y_score=np.repeat(probabilities, n), labels=["no", "yes"], pos_label="yes")


def picked(seed: int, objective: str = "youden", **options: Any) -> tm.Evaluation:
    """Scores that have nothing to do with the classes."""
    score = np.random.default_rng(seed).random(60)
    return tm.evaluate(np.arange(60) % 2, y_score=score, threshold=f"best:{objective}", **options)


def alike(labels: list[Any]) -> Callable[[], tm.Evaluation]:
    return lambda: tm.evaluate(labels, labels)


WEIGHT = [1] * 180 + [20] * 120
SCORED = [0, 0, 1, 1], [0.1, 0.2, 0.75, 0.9]
GROUPED = [1, 0] * 20, [1, 0, 0, 0] * 10

FIRE: dict[str, dict[str, Callable[[], tm.Evaluation]]] = {
    "TM001": {
        "always the majority": lambda: of_matrix([[99_900, 0], [100, 0]], [0, 1]),
        "worse than the majority": lambda: of_matrix(SPAM, ["1", "0"]),
        # Wilson for 59 of 100 is 0.492 to 0.681.
        "a little better": lambda: of_matrix([[30, 20], [21, 29]]),
        "other proportions": lambda: of_matrix([[90, 10], [10, 90]], ["1", "0"]).at_prevalence(0.05),
        # 9,991 of 10,000 are right, and 9,992 are 0: two decimals more tell them apart.
        "rare positives": lambda: of_matrix([[9_986, 6], [3, 5]], [0, 1]),
        "rare positives, a little better": lambda: of_matrix([[9_990, 2], [5, 3]], [0, 1]),
    },
    "TM002": {
        "a class": lambda: of_matrix([[99_900, 0], [1_100, 0]], [0, 1]),
        "a class of one row": lambda: of_matrix([[20, 0], [1, 0]]),
        "two classes": lambda: of_matrix([[20, 0, 0], [15, 0, 0], [11, 0, 0]]),
    },
    "TM003": {
        "one row": lambda: of_matrix([[40, 10], [0, 1]]),
        "nine rows": lambda: of_matrix([[40, 10], [0, 9]]),
        "two classes": lambda: of_matrix([[40, 1, 0], [0, 5, 0], [0, 1, 1]]),
    },
    "TM004": {
        "spam": lambda: of_matrix(SPAM, ["1", "0"], pos_label="1"),
        "one false and no true": lambda: of_matrix([[0, 5], [1, 994]], pos_label="a"),
        "false and no true": lambda: of_matrix([[0, 5], [3, 992]], pos_label="a"),
        "one true": lambda: of_matrix([[1, 4], [3, 992]], pos_label="a"),
        "other proportions": lambda: of_matrix(SPAM, ["1", "0"], pos_label="1").at_prevalence(0.01),
        "a rate of one tenth": lambda: of_matrix([[10, 0], [100, 900]], pos_label="a"),
        "rows": lambda: tm.evaluate(["a"] * 20 + ["b"] * 400, ["a"] * 50 + ["b"] * 370, pos_label="a"),
    },
    "TM005": {
        name: alike(labels)
        for name, labels in {
            "letters": ["yes", "Yes", "no"],
            "a blank at the end": ["yes", "yes ", "no"],
            "a blank within": ["a b", "ab", "no"],
            "accents": ["caf\u00e9", "cafe\u0301", "no"],
            "no width": ["x", "x\u200b", "no"],
            "numbers and sharp s": ["7", "007", "STRASSE", "stra\u00dfe"],
            "four pairs": [c for x in "abcd" for c in (x, x.upper())],
        }.items()
    },
    "TM006": {
        "precision": lambda: of_matrix([[20, 2, 0], [3, 20, 0], [5, 5, 0]]),
        "all three": lambda: of_matrix([[20, 2, 0], [3, 20, 0], [0, 0, 0]]),
        "counted as 0": lambda: of_matrix([[20, 2, 0], [3, 20, 0], [5, 5, 0]], undefined=0),
    },
    "TM007": {
        "few rows": lambda: tm.evaluate(SCORED[0], y_score=SCORED[1], threshold="best:youden"),
        "scores that know nothing": lambda: picked(1),
        "costs": lambda: picked(1, "cost", costs=[[0, 1], [3, 0]], labels=[0, 1]),
        "no difference": lambda: tm.evaluate([0, 1] * 50, y_score=[0.1, 0.9] * 50, threshold="best:f1"),
        # Where positives are rare another threshold would have been picked.
        "other proportions": lambda: picked(3, "f1").at_prevalence(0.02),
    },
    "TM008": {
        "one row": lambda: tm.evaluate(["a", "b", "b"], ["a", "c", "b"]),
        "two rows": lambda: tm.evaluate(["a", "b", "b"], ["c", "c", "b"]),
        "none can be right": lambda: tm.evaluate(["yes", "no"] * 600, ["1", "0"] * 600),
    },
    "TM009": {"five groups": lambda: tm.evaluate(*GROUPED, groups=[row // 8 for row in range(40)])},
    "TM010": {"weights of false alarms": lambda: weighted(WEIGHT)},
    "TM011": {
        "the opposite": lambda: tm.evaluate(
            [1, 1, 1, 1, 0, 0, 0, 0] * 5, y_score=[0.1, 0.2, 0.3, 0.4, 0.35, 0.6, 0.7, 0.8] * 5
        ),
        "perhaps guessing": lambda: tm.evaluate([1, 0, 0, 1, 0, 1], y_score=[0.9, 0.8, 0.7, 0.6, 0.5, 0.1]),
        # One positive row above 4,999 of 10,000 others.
        "a little below": lambda: tm.evaluate([1] + [0] * 10_000, y_score=[4999.5, *range(1, 10_001)]),
    },
    "TM012": {
        "two scores": lambda: tm.evaluate(
            [1, 1, 1, 1, 0, 0, 0, 0], y_score=[1, 1, 0, 0, 1, 1, 0, 0], threshold=0.5
        ),
        "5 of 100": lambda: tied(1, 5),
        "6 of 100": lambda: tied(2, 3),
        "15 of 100": lambda: tied(3, 5),
    },
    "TM013": {"scores outside": lambda: tm.evaluate([0, 1, 1], y_score=[-2.5, 3, 1])},
    "TM015": {
        "half of the rows": lambda: said([0.1, 0.9], [0.1, 0.6], 500),
        "rare positives": lambda: said([0.001], [0.0006], 100_000),
        "beyond the smallest float": lambda: said([0.1, 0.9], [0.1, 0.6], 50_000),
        "a rare class": lambda: said([0.02], [0.01], 20_000),
        "predictions": lambda: tm.evaluate(
            np.repeat([0, 1, 2, 0], [280, 60, 60, 400]),
            y_score=np.repeat([[0.95, 0.025, 0.025], [0.6, 0.2, 0.2]], 400, axis=0),
            labels=[0, 1, 2],
        ),
    },
}
SILENT: dict[str, dict[str, Callable[[], tm.Evaluation]]] = {
    "TM001": {
        # 60 of 100: Wilson's low end is 0.502.
        "60 of 100": lambda: of_matrix([[30, 20], [20, 30]]),
        "all right": lambda: of_matrix([[30, 0, 0], [0, 30, 0], [0, 0, 40]]),
        "even": lambda: of_matrix([[90, 10], [10, 90]], ["1", "0"]),
    },
    "TM002": {
        "predicted once": lambda: of_matrix([[20, 1], [15, 0]]),
        "never there": lambda: of_matrix([[20, 1, 0], [15, 9, 0], [0, 0, 0]]),
    },
    "TM003": {
        "ten rows": lambda: of_matrix([[40, 10], [0, 10]]),
        "none": lambda: of_matrix([[40, 10, 0], [0, 10, 0], [0, 0, 0]]),
    },
    "TM004": {
        "as many false as true": lambda: of_matrix([[100, 0], [100, 900]], pos_label="a"),
        "a rate above a tenth": lambda: of_matrix([[10, 0], [101, 899]], pos_label="a"),
        "no negatives": lambda: of_matrix([[10, 0], [0, 0]], pos_label="a"),
        "no false positives": lambda: of_matrix([[10, 0], [0, 900]], pos_label="a"),
        "no positive class": lambda: tm.evaluate(["a"] * 20 + ["b"] * 400, ["a"] * 50 + ["b"] * 370),
        "a matrix about no class": lambda: of_matrix([[5, 5], [5, 5]]),
    },
    "TM005": {
        str(labels): alike(labels)
        for labels in (["yes", "no"], ["7", "70", "x"], [0, 1, 10], ["a-b", "ab"], ["", "0"])
    },
    "TM006": {"defined": lambda: of_matrix([[20, 2], [20, 3]])},
    "TM007": {
        str(cut): lambda cut=cut: tm.evaluate(SCORED[0], y_score=SCORED[1], threshold=cut)
        for cut in (None, 0.75, "0.75")
    },
    "TM008": {"declared": lambda: tm.evaluate(["a", "b"], ["a", "b"], labels=["a", "b", "c"])},
    "TM009": {"ten groups": lambda: tm.evaluate(*GROUPED, groups=[row // 4 for row in range(40)])},
    "TM010": {
        "weights alike": lambda: weighted([1, 2] * 150),
        "drawn again": lambda: weighted(WEIGHT, groups=range(300)),
    },
    "TM011": {"one half": lambda: tm.evaluate([1, 0, 1, 0], y_score=[0.5] * 4)},
    "TM012": {"4 of 100": lambda: tied(2, 2), "1 of 100": lambda: tied(1, 1)},
    "TM013": {"from 0 to 1": lambda: tm.evaluate([0, 1, 1], y_score=[0, 1, 0.5])},
    "TM015": {
        # A million rows show that 0.50 is 0.51; nobody is misled by it.
        "clear but small": lambda: said([0.5], [0.51], 1_000_000),
        "large but not clear": lambda: said([0.5], [0.7], 20),
        "small for a rare class": lambda: said([0.0105], [0.01], 1_000_000),
        "no probabilities": lambda: tm.evaluate([1, 0], y_score=[2.0, 1.0]),
        "other proportions": lambda: said([0.1, 0.9], [0.1, 0.6], 500).at_prevalence(0.1),
    },
}


def test_each_finding_fires_on_its_cases_only(snapshot) -> None:
    messages: dict[str, str] = {}
    wrong = []
    for code, cases in FIRE.items():
        for name, make in cases.items():
            found = finding(make(), code)
            messages[f"{code}: {name}"] = "" if found is None else found.message
            wrong += [(code, name)] if found is None else []
    for code, cases in SILENT.items():
        wrong += [(code, name, "silent") for name, make in cases.items() if finding(make(), code) is not None]
    assert not wrong
    snapshot("findings", messages)


def test_numbers_behind_findings() -> None:
    made = {
        code: {name: numbers(make(), code) for name, make in cases.items()} for code, cases in FIRE.items()
    }
    first = made["TM001"]["always the majority"]
    assert first["accuracy"] == first["no_information_rate"] == 0.999
    assert first["majority"] == "0"
    assert made["TM002"]["two classes"] == {"labels": ["b", "c"], "rows": 26}
    assert made["TM003"]["two classes"] == {"labels": ["b", "c"], "rows": [5, 2], "fewest": 10}
    assert made["TM004"]["spam"] == {"fpr": 462 / 5_303, "fp": 462, "tp": 282, "negatives": 5_303}
    assert made["TM006"]["all three"] == {name: ["c"] for name in ("precision", "recall", "f1")}
    assert made["TM007"]["few rows"] == {"threshold": 0.75, "best_for": "youden"}
    assert set(made["TM007"]["other proportions"]) == {"threshold", "best_for"}
    assert made["TM009"]["five groups"] == {"groups": 5, "fewest": 10}
    # 180 positives of weight 1 and 4 false alarms of weight 20 make up the predicted positives.
    p, total = 180 / 260, 260
    worth = p * (1 - p) * total**2 / (p**2 * 4 * 400 + (1 - p) ** 2 * 180)
    kish = total**2 / (180 + 4 * 400)
    precision = made["TM010"]["weights of false alarms"]["precision"]
    assert precision == {"worth": pytest.approx(worth), "kish": pytest.approx(kish)}
    # Of the 16 kinds of pairs one is in the right order: 0.4 above 0.35.
    assert made["TM011"]["the opposite"]["auc"] == 1 / 16
    # Pairs: 4 x 4; at 1 two of each class, at 0 two of each: 8 tied, 4 won.
    ties = {"tied_share": 0.5, "distinct_scores": 2, "lowest_auc": 0.25, "highest_auc": 0.75}
    assert made["TM012"]["two scores"] == ties
    for pairs in (5, 6, 15):
        some = made["TM012"][f"{pairs} of 100"]
        # All other positives stand above all negatives, and the tied ones above the other negatives.
        assert (some["tied_share"], some["lowest_auc"]) == (pairs / 100, (100 - pairs) / 100)
        assert some["highest_auc"] == 1
    half, rare = made["TM015"]["half of the rows"], made["TM015"]["rare positives"]
    # Half of the rows are 0.3 off: 0.5 x (0.09 - 0.24 / 499) is reliability, and chance is taken off.
    assert half["brier_saving"] == pytest.approx(0.5 * (0.09 - 0.24 / 499) - 0.5 * 0.09 / 499)
    assert rare["brier_saving"] < 0.01 * rare["brier"]
    assert made["TM015"]["beyond the smallest float"]["p_value"] == 0


def test_a_threshold_picked_here_is_tried_on_the_other_rows() -> None:
    some = [numbers(picked(seed), "TM007") for seed in range(40)]
    # The informedness of such scores is 0, wherever they are cut; picked here it looks like something.
    assert np.mean([each["here"] for each in some]) > 0.12
    assert np.mean([each["cross_fitted"] for each in some]) == pytest.approx(0, abs=0.05)
    metrics = {"f1": "f1", "accuracy": "accuracy", "youden": "informedness", "cost": "mean_cost"}
    for objective, metric in metrics.items():
        costs: dict[str, Any] = {"costs": [[0, 1], [3, 0]], "labels": [0, 1]} if objective == "cost" else {}
        ev = picked(1, objective, **costs)
        found, decision = numbers(ev, "TM007"), ev.decide() if costs else ev.decide(best=metric)
        there = decision.cross_fitted.mean_cost if costs else decision.cross_fitted.value
        assert (found["metric"], found["here"], found["cross_fitted"]) == (metric, ev[metric].value, there)
    for options in ({"sample_weight": np.arange(60) % 3 + 0.5}, {"groups": np.arange(60) // 4}):
        some = numbers(picked(2, **options), "TM007")
        assert some["cross_fitted"] < some["here"]
    # Above the second edge: 26 of 41 positives and 10 negatives, f1 = 52 / 77.
    bins = tm.Scores.from_bins([6, 20, 10, 5], [1, 9, 20, 30]).evaluate(threshold="best:f1")
    assert numbers(bins, "TM007")["here"] == pytest.approx(52 / 77)
    assert "cross_fitted" in numbers(bins, "TM007")


def test_findings_stand_in_the_order_of_their_codes_in_every_output() -> None:
    assert of_matrix([[150, 10], [12, 200]], pos_label="a").findings == ()
    predicted = ["no"] * 85 + ["x"] * 5 + ["No"] * 3 + ["no"] * 5
    ev = tm.evaluate(["no"] * 90 + ["No"] * 5 + ["yes"] * 3, predicted)
    codes = [finding.code for finding in ev.findings]
    assert codes == ["TM001", "TM002", "TM003", "TM005", "TM006", "TM008"]
    form = json.loads(ev.to_json())["findings"]
    assert [item["code"] for item in form] == codes
    assert all(set(item) == {"code", "message", "numbers"} for item in form)
    text = " ".join(str(ev).split())
    assert not [each.code for each in ev.findings if each.code not in text or each.message not in text]
    without = tm.evaluate(["a", "A", "a", "A"], y_score=[-5, 3, 2, 1], pos_label="a")
    assert [finding.code for finding in without.findings] == ["TM005", "TM011", "TM013"]


def test_curves_that_cross(tmp_path: Any, capsys: Any) -> None:
    """Early: two positives first, one far behind. Late: one negative first, then all positives."""
    rows = zip([1, 1, 0, 1, 0, 0, 1, 0], [8, 7, 6, 2, 5, 4, 1, 3], [7, 6, 8, 5, 3, 2, 4, 1], strict=True)
    file = tmp_path / "rows.csv"
    file.write_text("y,early,late,perfect\n" + "".join(f"{y},{one},{two},{9 * y}\n" for y, one, two in rows))

    def found(*models: str) -> list[dict[str, Any]]:
        named = [part for model in models for part in ("--model", f"{model}={model}")]
        assert main(["roc", str(file), "--actual", "y", *named, "--json"]) == 0
        every = json.loads(capsys.readouterr().out)["findings"]
        return [each["numbers"] for each in every if each["code"] == "TM014"]

    (numbers,) = found("early", "late")
    # Up to an FPR of 1/4 early has a TPR of 1/2 and late none; from there on late has all positives.
    assert (numbers["best_share"], numbers["crossings"]) == ({"late": 0.75, "early": 0.25}, 1)
    assert found("perfect", "late") == []
