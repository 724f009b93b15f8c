"""`tallymark decide`: the threshold, the region to decline and the class of every row; expected by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FILES = {
    "five.csv": "y,s\n1,0.9\n1,0.8\n0,0.7\n1,0.6\n0,0.3\n",
    "other.csv": "y,s\n1,0.85\n0,0.8\n0,0.7\n1,0.6\n0,0.3\n0,0.2\n",
    "words.csv": "y,s,now\nyes,0.9,yes\nno,0.2,no\nyes,0.4,no\nno,0.6,yes\n",
    "three.csv": "y,a,b,c\na,0.7,0.2,0.1\nb,0.5,0.4,0.1\nc,0.1,0.1,0.8\n",
    "numbered.csv": "y,p_0,p_1,p_2\n0,0.7,0.2,0.1\n1,0.5,0.4,0.1\n2,0.1,0.1,0.8\n",
    "values.csv": "y,s\n1,2.5\n1,-0.3\n0,0.4\n0,-3\n",
    "weights.csv": "y,s,w,g\n1,0.9,2,a\n0,0.8,1,a\n1,0.7,1,b\n0,0.2,3,b\n0,0.4,1,c\n1,0.3,1,c\n",
    "votes.csv": "y,a,b,c\nyes,yes,yes,no\nno,no,no,no\nyes,no,yes,no\nno,yes,no,no\n",
    "holes.csv": "y,s\n1,0.9\n1,\n0,0.7\n,0.6\n0,0.3\n1,0.8\n",
    "only_ones.csv": "y,s\n1,0.9\n1,0.2\n",
    "guessed.csv": "actual,score\n1,0.9\n0,0.2\n",
    "costs.json": '{"labels": ["yes", "no"], "cost": [[0, 10], [1, 0]]}',
    "costs.csv": "actual,predicted,cost\nyes,no,10\nno,yes,1\n",
}
FIVE = ("decide", "five.csv", "--actual", "y", "--score", "s")
PRICED = (*FIVE, "--labels", "1,0", "--costs", "0 10; 1 0")
WORDS = ("decide", "words.csv", "--actual", "y", "--score", "s", "--positive", "yes")
THREE = ("decide", "three.csv", "--actual", "y", "--probabilities", "a,b,c")
OF_THREE = (*THREE, "--labels", "a,b,c", "--costs", "0 1 1; 9 0 1; 1 1 0")


@pytest.fixture
def decide(run: Any) -> Any:
    for name, content in FILES.items():
        Path(name).write_text(content)
    return run


def test_the_cheapest_threshold(decide: Any) -> None:
    # From the highest threshold down it costs 30, 20, 10, 11, 1 and 2.
    form = decide(*PRICED, "--json").json
    assert form["schema"] == "tallymark/decision/1"
    assert (form["threshold"], form["low"], form["high"], form["others"]) == (0.6, 0.3, 0.6, 0)
    assert (form["cost"], form["mean_cost"], form["saving"]) == (1, 0.2, 0)
    assert form["confusion"] == {"labels": ["1", "0"], "matrix": [[3, 0], [1, 1]]}
    assert {name: way["cost"] for name, way in form["against"].items()} == {
        "as is": 1,
        "all positive": 2,
        "all negative": 30,
    }
    assert form["closed_form"]["threshold"] == pytest.approx(1 / 11)
    text = decide(*PRICED)
    assert (text.code, text.err) == (0, "")
    assert "Call a row 1 when its score is at least 0.6." in text.out
    assert "An actual 1 called 0 costs 10." in text.out
    assert "so the cost here is optimistic" in text.out


def test_what_json_tells(decide: Any) -> None:
    form = decide(*PRICED, "--json").json
    told = "schema task rows dropped labels positive threshold low high others other_intervals region aim"
    told += (
        " prevalence chosen_on cost mean_cost value rejected confusion counts saving saving_against against"
    )
    told += " metrics closed_form chow optimistic cross_fitted formula findings notes"
    assert list(form) == told.split()
    assert (form["task"], form["rows"], form["positive"], form["labels"]) == ("binary", 5, "1", ["1", "0"])


@pytest.mark.parametrize(
    "costs",
    ['{"yes": {"no": 10}, "no": {"yes": 1}}', "costs.json", "costs.csv"],
    ids=["typed", "json", "csv"],
)
def test_costs_by_names_need_no_order(decide: Any, costs: str) -> None:
    # Thresholds 0.9, 0.6, 0.4, 0.2 cost 10, 11, 1 and 2; none costs 20.
    form = decide(*WORDS, "--costs", costs, "--json").json
    assert (form["threshold"], form["low"], form["cost"]) == (0.4, 0.2, 1)
    assert form["aim"]["costs"] == {"tp": 0, "fn": 10, "fp": 1, "tn": 0}


def test_the_order_of_labels_is_that_of_the_costs(decide: Any) -> None:
    form = decide(*WORDS, "--labels", "no,yes", "--costs", "0 1; 10 0", "--json").json
    assert form["aim"]["costs"] == {"tp": 0, "fn": 10, "fp": 1, "tn": 0}
    assert form["labels"] == ["yes", "no"]


def test_answers_of_their_own_are_as_is(decide: Any) -> None:
    asked = (*WORDS, "--predicted", "now", "--costs", "costs.json")
    form = decide(*asked, "--json").json
    # One of the two 'yes' is missed, one 'no' is called 'yes': 11, and 1 at 0.4.
    assert (form["against"]["as is"]["cost"], form["saving"], form["saving_against"]) == (11, 10, "as is")


def test_a_cut_is_as_is(decide: Any) -> None:
    form = decide(*PRICED, "--threshold", "0.75", "--json").json
    assert (form["against"]["as is"]["cost"], form["saving"]) == (10, 9)
    form = decide(*PRICED, "--threshold", "best:cost", "--json").json
    assert form["saving"] == 0
    assert [finding["code"] for finding in form["findings"]] == ["TM007"]


def test_from_standard_input(decide: Any) -> None:
    asked = ("--actual", "y", "--score", "s", "--labels", "1,0", "--costs", "0 10; 1 0", "--json")
    assert decide("decide", "-", *asked, stdin=FILES["five.csv"]).json == decide(*PRICED, "--json").json


@pytest.mark.parametrize(
    ("asked", "threshold", "value"),
    [
        (("--min", "recall=0.6", "--best", "precision"), 0.8, 1),
        (("--min", "recall=1"), 0.6, 6 / 7),
        (("--min", "sensitivity=0.5", "--max", "fpr=0.1", "--best", "accuracy"), 0.8, 0.8),
        (("--max", "share=0.2"), 0.9, 0.5),
        (("--best", "f_beta:2"), 0.6, 15 / 16),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else None,
)
def test_what_is_asked_of_the_threshold(
    decide: Any, asked: tuple[str, ...], threshold: float, value: float
) -> None:
    form = decide(*FIVE, *asked, "--json").json
    assert form["threshold"] == threshold
    assert form["value"] == pytest.approx(value)
    assert (form["cost"], form["saving"], form["closed_form"]) == (None, None, None)


def test_a_bound_beside_costs(decide: Any) -> None:
    # Cheapest is 0.6; with no false alarm allowed it is 0.8, where one of three is missed.
    form = decide(*PRICED, "--min", "specificity=1", "--json").json
    assert (form["threshold"], form["cost"]) == (0.8, 10)
    assert form["aim"]["constraints"] == [{"metric": "specificity", "at_least": 1, "on_limit": False}]
    assert form["against"]["as is"]["saving"]["value"] == -9


def test_the_cost_may_be_named_as_what_is_best(decide: Any) -> None:
    assert decide(*PRICED, "--best", "cost", "--json").json == decide(*PRICED, "--json").json


def test_on_the_lower_bound(decide: Any) -> None:
    # Wilson's lower limit of 3 of 3 is 3 / (3 + 1.96**2) = 0.4385.
    asked = (*FIVE, "--min", "recall=0.43", "--on-lower-bound")
    assert decide(*asked, "--json").json["threshold"] == 0.6
    assert decide(*asked, "--confidence", "0.99").err == (
        "tallymark: recall of at least 0.43 by its lower confidence limit cannot be met: the highest lower"
        " 99 % limit of recall is 0.311 (at the threshold 0.6).\n"
    )


def test_rows_to_decline(decide: Any) -> None:
    # Declined are the 0 at 0.7 and the 1 at 0.6, for 1 each; any single threshold has one error, for 5.
    asked = (*FIVE, "--labels", "1,0", "--costs", "0 5; 5 0", "--reject-cost", "1")
    form = decide(*asked, "--json").json
    region = {"lower": 0.6, "upper": 0.8, "lower_interval": [0.3, 0.6], "upper_interval": [0.7, 0.8]}
    assert form["region"] == {**region, "cost_without": 5}
    assert (form["cost"], form["rejected"], form["saving"]) == (2, 0.4, 3)
    assert form["counts"] == {"tp": 2, "fn": 0, "fp": 0, "tn": 1}
    assert form["chow"] == [0.2, 0.8]
    assert "and 0 when it is below 0.6, and decline to answer between" in " ".join(decide(*asked).out.split())


@pytest.mark.parametrize("cost", ["5", "1e99"])
def test_declining_that_is_too_dear(decide: Any, cost: str) -> None:
    form = decide(*PRICED, "--reject-cost", cost, "--json").json
    assert (form["region"], form["rejected"], form["threshold"]) == (None, 0, 0.6)


def test_chosen_on_other_rows(decide: Any) -> None:
    # There thresholds cost 20, 10, 11, 12, 2, 3 and 4.
    asked = (*PRICED, "--choose-on", "other.csv")
    form = decide(*asked, "--json").json
    assert (form["threshold"], form["low"], form["cost"]) == (0.6, 0.3, 1)
    assert (form["chosen_on"], form["rows"]) == ({"rows": 6, "dropped": {}}, 5)
    assert (form["optimistic"], form["cross_fitted"]) == (None, None)
    assert "No threshold costs less on the 6 rows it was chosen on." in decide(*asked).out
    piped = decide(*PRICED, "--choose-on", "-", "--json", stdin=FILES["other.csv"]).json
    assert piped == form


def test_rows_to_choose_on_need_no_answers(decide: Any) -> None:
    Path("plain.csv").write_text("y,s\nyes,0.8\nno,0.5\n")
    asked = (*WORDS, "--predicted", "now", "--costs", "costs.json", "--choose-on", "plain.csv")
    form = decide(*asked, "--json").json
    assert (form["threshold"], form["against"]["as is"]["cost"]) == (0.8, 11)


def test_rows_to_choose_on_that_were_dropped(decide: Any) -> None:
    asked = (*FIVE, "--best", "f1", "--choose-on", "holes.csv", "--drop-missing")
    form = decide(*asked, "--json").json
    dropped = {"missing_actual": 1, "missing_score": 1}
    assert (form["dropped"], form["chosen_on"]) == ({}, {"rows": 4, "dropped": dropped})
    assert "Dropped of the rows it was chosen on: 1 row (missing actual)." in decide(*asked).out


def test_dropped_rows(decide: Any) -> None:
    asked = ("decide", "holes.csv", "--actual", "y", "--score", "s", "--best", "f1", "--drop-missing")
    form = decide(*asked, "--json").json
    assert (form["rows"], form["dropped"]) == (4, {"missing_actual": 1, "missing_score": 1})
    assert "Dropped: 1 row (missing score)." in decide(*asked).out


def test_other_shares(decide: Any) -> None:
    # One of five is positive: at 0.8 a third of it is missed, 10 / 3; at 0.6 half of four are alarms, 2.
    form = decide(*PRICED, "--prevalence", "0.2", "--json").json
    assert (form["threshold"], form["prevalence"]) == (0.6, 0.2)
    assert (form["cost"], form["mean_cost"]) == (pytest.approx(2), pytest.approx(0.4))
    # Odds of 1 to 10 where 0.2 are positive are 6 times as high where 0.6 are: 0.6 / 1.6.
    assert form["closed_form"]["on_these_scores"] == pytest.approx(0.375)
    assert any("class shares are not the sample's" in note for note in form["notes"])


def test_weights_and_groups(decide: Any) -> None:
    asked = (
        "decide",
        "weights.csv",
        "--actual",
        "y",
        "--score",
        "s",
        "--labels",
        "1,0",
        "--costs",
        "0 3; 1 0",
    )
    # At 0.3 the negatives at 0.8 and 0.4, of weight 1, are alarms; at 0.5 one of them, and one is missed.
    form = decide(*asked, "--weight", "w", "--group", "g", "--json").json
    assert (form["threshold"], form["cost"], form["against"]["as is"]["cost"]) == (0.3, 2, 4)
    assert form["mean_cost"] == pytest.approx(2 / 9)
    assert form["against"]["as is"]["saving"]["method"] == "group_bootstrap"
    assert [finding["code"] for finding in form["findings"]] == ["TM009"]
    form = decide(*asked, "--weight", "w", "--weight-kind", "frequency", "--json").json
    assert (form["rows"], form["cost"]) == (9, 2)


def test_decision_values(decide: Any) -> None:
    asked = (
        "decide",
        "values.csv",
        "--actual",
        "y",
        "--score",
        "s",
        "--labels",
        "1,0",
        "--costs",
        "0 1; 1 0",
    )
    form = decide(*asked, "--json").json
    assert list(form["against"]) == ["all positive", "all negative"]
    assert form["closed_form"]["on_these_scores"] is None
    assert "where the score is cut now was not said" in form["notes"][-1]
    assert not any("pass one" in note for note in form["notes"])
    # At 0 one of either class is wrong; at 2.5 one positive.
    form = decide(*asked, "--threshold", "0", "--json").json
    assert (form["against"]["as is"]["cost"], form["threshold"], form["cost"]) == (2, 2.5, 1)
    assert decide(*asked, "--threshold", "0", "--prevalence", "0.5").code == 0


def test_votes(decide: Any) -> None:
    asked = (
        "decide",
        "votes.csv",
        "--actual",
        "y",
        "--votes",
        "a,b,c",
        "--positive",
        "yes",
        "--best",
        "recall",
    )
    assert decide(*asked, "--json").json["threshold"] == 1


def test_one_class_only(decide: Any) -> None:
    asked = (
        "decide",
        "only_ones.csv",
        "--actual",
        "y",
        "--score",
        "s",
        "--labels",
        "1,0",
        "--costs",
        "0 1; 1 0",
    )
    form = decide(*asked, "--json").json
    assert (form["threshold"], form["low"], form["cost"], form["saving"]) == (0.2, None, 0, 1)
    assert form["metrics"]["specificity"]["value"] is None
    assert decide(*asked).code == 0
    assert decide(*asked, "-o", "one.svg").code == 0


@pytest.mark.parametrize("costs", ["0 0; 0 0", "2 2; 2 2"])
def test_costs_that_decide_nothing(decide: Any, costs: str) -> None:
    asked = (*FIVE, "--labels", "1,0", "--costs", costs)
    form = decide(*asked, "--json").json
    assert (form["closed_form"]["kind"], form["saving"], form["threshold"]) == ("indifferent", 0, None)
    text = decide(*asked)
    assert "Every threshold costs the same." in " ".join(text.out.split())
    assert decide(*asked, "-o", "same.svg").code == 0


def test_a_guessed_column_is_said(decide: Any) -> None:
    notes = decide("decide", "guessed.csv", "--best", "f1", "--prevalence", "0.3", "--json").json["notes"]
    assert "column 'score' was taken as score (guessed from its name)." in notes
    assert any("class shares are not the sample's" in note for note in notes)


# --- many classes ------------------------------------------------------------------------------


def test_the_cheapest_class(decide: Any) -> None:
    # Expected costs of a, b, c: 1.9 0.8 0.9; 3.7 0.6 0.9; 1.7 0.9 0.2. So b, b, c; the first is wrong.
    form = decide(*OF_THREE, "--json").json
    assert form["confusion"] == {"labels": ["a", "b", "c"], "matrix": [[0, 1, 0], [0, 1, 0], [0, 0, 1]]}
    assert form["most_probable"]["matrix"] == [[1, 0, 0], [1, 0, 0], [0, 0, 1]]
    assert (form["cost"], form["saving"], form["rejected"], form["positive"]) == (1, 8, 0, None)
    assert form["believed_mean_cost"] == pytest.approx(1.6 / 3)
    text = decide(*OF_THREE)
    assert (text.code, text.err) == (0, "")
    assert "An actual 'b' called 'a' costs 9." in text.out
    assert "3 rows, 3 classes." in text.out


def test_labels_are_text_in_json(decide: Any) -> None:
    asked = ("decide", "numbered.csv", "--actual", "y", "--probabilities", "p_0,p_1,p_2", "--labels", "0,1,2")
    form = decide(*asked, "--costs", "0 1 1; 9 0 1; 1 1 0", "--json").json
    assert form["labels"] == form["confusion"]["labels"] == form["most_probable"]["labels"] == ["0", "1", "2"]


def test_rows_of_many_classes_to_decline(decide: Any) -> None:
    form = decide(*OF_THREE, "--reject-cost", "0.5", "--json").json
    assert (form["cost"], form["declined"], form["rejected"]) == (1, [1, 1, 0], pytest.approx(2 / 3))


def test_one_of_many_classes(decide: Any) -> None:
    asked = (*THREE, "--positive", "a")
    # Its own probability is 0.7, and 0.5 and 0.1 of the others.
    form = decide(*asked, "--best", "f1", "--json").json
    assert (form["threshold"], form["low"], form["labels"]) == (0.7, 0.5, ["a", "rest"])
    for rest in ("rest", "not a"):
        costs = json.dumps({"a": {rest: 5}, rest: {"a": 1}})
        form = decide(*asked, "--costs", costs, "--json").json
        assert (form["cost"], form["against"]["as is"]["cost"]) == (0, 1)
        assert form["notes"][-1] == "['b', 'c'] were pooled as 'rest', against 'a'."
        Path("same.csv").write_text(FILES["three.csv"])
        assert decide(*asked, "--costs", costs, "--choose-on", "same.csv", "--json").json["cost"] == 0
        pooled = ("decide", "three.csv", "--actual", "y", "--score", "a", "--positive", "a")
        assert decide(*pooled, "--costs", costs, "--json").json["labels"] == ["a", "rest"]


def test_one_of_many_classes_beside_one_that_is_called_rest(decide: Any) -> None:
    Path("rest.csv").write_text(FILES["three.csv"].replace("c", "rest"))
    asked = ("decide", "rest.csv", "--actual", "y", "--probabilities", "a,b,rest", "--positive", "a")
    costs = '{"a": {"not a": 5}, "not a": {"a": 1}}'
    assert decide(*asked, "--costs", costs, "--json").json["labels"] == ["a", "not a"]
    result = decide(*asked, "--costs", costs.replace("not a", "rest"))
    assert (result.code, result.out) == (2, "")
    assert "so costs are of 'a' and 'not a'; they name ['a', 'rest']." in result.err


def test_one_share_of_many_classes(decide: Any) -> None:
    # b and c have a row each, so they share what a leaves.
    asked = (*THREE, "--positive", "a", "--best", "f1", "--json")
    one, each = (decide(*asked, "--prevalence", shares).json for shares in ("0.5", "a=0.5,b=0.25,c=0.25"))
    assert one.pop("notes")[-2] == (
        "class shares are not the sample's but 'a' 0.5, 'b' 0.25, 'c' 0.25 (all but 'a' in proportion to "
        "their rows); counts are expected counts."
    )
    assert each.pop("notes")
    assert one == each
    # Of three rows a half is a, and all of it is called so from 0.7 up.
    assert one["counts"]["tp"] == pytest.approx(1.5)


# --- formats -----------------------------------------------------------------------------------


def test_tables(decide: Any) -> None:
    decide(*PRICED, "-o", "out.csv")
    lines = Path("out.csv").read_text().splitlines()
    assert lines[:2] == ["threshold,tp,fp,fn,tn,total,mean", "inf,0,0,3,2,30.0,6.0"]
    assert lines[-2:] == ["0.6,3,1,0,1,1.0,0.2", "0.3,3,2,0,0,2.0,0.4"]
    decide(*OF_THREE, "-o", "classes.csv")
    lines = Path("classes.csv").read_text().splitlines()
    assert lines[:2] == ["actual,answer,cost,most_probable,cheapest", "a,a,0.0,1,0"]


@pytest.mark.parametrize(
    "asked", [PRICED, (*FIVE, "--min", "recall=0.5"), OF_THREE], ids=["two", "bound", "three"]
)
@pytest.mark.parametrize("suffix", ["txt", "md", "tex", "json", "csv", "png", "svg", "pdf"])
def test_every_format(decide: Any, asked: tuple[str, ...], suffix: str) -> None:
    result = decide(*asked, "-o", f"out.{suffix}")
    assert (result.code, result.out, result.err) == (0, "", f"wrote out.{suffix}\n")
    assert Path(f"out.{suffix}").stat().st_size


def test_the_picture(decide: Any) -> None:
    decide(*PRICED, "-o", "out.svg")
    words = Path("out.svg").read_text()
    for said in ("mean cost of a row", "cheapest, 0.200 at 0.6", "as is, 0.200 at 0.5", "equal cost, slope"):
        assert said in words
