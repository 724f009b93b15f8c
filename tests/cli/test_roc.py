"""`tallymark roc`."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import tallymark as tm

SCORES = ("roc", "scores.csv", "--actual", "y", "--score", "s", "--positive", "yes")
TIED = "y,s\n1,0.9\n0,0.5\n1,0.5\n0,0.3\n"
POINTS = "name,tp,fn,fp,tn\nstrict,5,5,0,10\nlenient,9,1,4,6\n"
BEGINS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


def test_the_worked_table_its_area_and_the_interval(run: Any) -> None:
    result = run(*SCORES)
    assert (result.code, result.err) == (0, "")
    # Of four pairs, (0.9, 0.2), (0.9, 0.6) and (0.4, 0.2) are won and (0.4, 0.6) is lost.
    for line in (
        "         inf         0   0   2   2  0/2 = 0.000  0/2 = 0.000",
        "        0.90    1+   1   0   2   1  1/2 = 0.500  0/2 = 0.000",
        "        0.60    1-   1   1   1   1  1/2 = 0.500  1/2 = 0.500",
        "        0.40    1+   2   1   1   0  2/2 = 1.000  1/2 = 0.500",
        "        0.20    1-   2   2   0   0  2/2 = 1.000  2/2 = 1.000",
        "AUC = 0.750, the sum of 2 trapezoids",
        "3 of the 4 pairs",
    ):
        assert line in result.out
    assert "\nHow sure the area is\n" in result.out
    assert "threshold was given" not in result.out


def test_json(run: Any) -> None:
    form = run(*SCORES, "--json").json
    assert form["schema"] == "tallymark/roc/1"
    assert (form["construction"], form["ascending"], form["positive"]) == ("grouped", False, "yes")
    assert (form["rows"], form["dropped"], form["notes"], form["findings"]) == (4, {}, [], [])
    assert form["threshold"] == [None, 0.9, 0.6, 0.4, 0.2]
    assert (form["fpr"], form["tpr"]) == ([0, 0, 0.5, 0.5, 1], [0, 0.5, 0.5, 1, 1])
    assert [form[cell] for cell in ("tp", "fp", "tn", "fn")] == [
        [0, 1, 1, 2, 2], [0, 0, 1, 1, 2], [2, 2, 1, 1, 0], [2, 1, 1, 0, 0],
    ]  # fmt: skip
    assert form["trapezoids"] == {
        "low": [0, 0.5], "high": [0.5, 1], "height": [0.5, 1], "area": [0.25, 0.5],
    }  # fmt: skip
    assert form["trapezoid_area"] == form["auc"]["value"] == 0.75
    assert form["ties"]["pairs"] == 0
    assert form["hull"]["threshold"] == [None, 0.9, 0.4, 0.2]


def test_the_numbers_are_those_of_python(run: Any) -> None:
    ev = tm.evaluate(["yes", "no", "yes", "no"], y_score=[0.9, 0.2, 0.4, 0.6], pos_label="yes",
                     confidence_level=0.8)  # fmt: skip
    assert run(*SCORES, "--confidence", "0.8", "--json").json["auc"] == ev["auc"].to_dict()


@pytest.mark.parametrize(
    ("construction", "area", "points"),
    [
        ("grouped", 0.875, 4),  # the tied pair counts half: 3.5 of 4
        ("opposite", 0.875, 4),
        ("sequential", 0.75, 5),  # in file order the negative of the two comes first
        ("bins:1", 0.5, 2),
        ("quantiles:2", 0.75, 3),
    ],
)
def test_constructions(run: Any, construction: str, area: float, points: int) -> None:
    Path("tied.csv").write_text(TIED)
    tied = ("roc", "tied.csv", "--actual", "y", "--score", "s", "--construction", construction)
    form = run(*tied, "--json").json
    assert (form["construction"], form["trapezoid_area"], form["points"]) == (construction, area, points)
    assert form["auc"]["value"] == 0.875  # that of the scores, however the curve was made
    rising = run(*tied, "--ascending", "--json").json
    assert rising["ascending"]
    assert rising["fpr"] == form["fpr"][::-1] or construction == "sequential"
    assert "The threshold rises" in run(*tied, "--ascending").out


def test_one_row_per_example_in_file_order(run: Any) -> None:
    form = run(
        "roc", "-", "--actual", "y", "--score", "s", "--construction", "sequential", "--json", stdin=TIED
    )
    assert form.json["class"] == [None, "+", "-", "+", "-"]


def test_partial_area(run: Any) -> None:
    form = run(*SCORES, "--max-fpr", "0.5", "--json").json
    assert form["partial_auc:0.5"]["value"] == 0.25
    # McClish: (1 + (0.25 - 0.125) / (0.5 - 0.125)) / 2
    assert form["partial_auc_mcclish:0.5"]["value"] == pytest.approx(2 / 3)
    assert "\npartial_auc:0.5 " in run(*SCORES, "--max-fpr", "0.5").out


def test_other_intervals(run: Any) -> None:
    found = run(*SCORES, "--interval", "hanley_mcneil", "--json").json["auc"]
    # Q1 = 0.6, Q2 = 1.125 / 1.75; variance (0.1875 + 0.0375 + 0.080357) / 4
    assert (found["method"], found["se"]) == ("hanley_mcneil", pytest.approx(0.276296, abs=1e-6))
    assert (found["low"], found["high"]) == (pytest.approx(0.208470, abs=1e-5), 1.0)
    assert run(*SCORES, "--interval", "newcombe", "--json").json["auc"]["method"] == "newcombe"


def test_an_operating_point(run: Any) -> None:
    form = run(*SCORES, "--threshold", "0.5", "--json").json
    assert form["at"]["threshold"] == 0.5
    assert (form["at"]["tpr"]["value"], form["at"]["fpr"]["value"]) == (0.5, 0.5)
    text = run(*SCORES, "--threshold", "0.5").out
    assert "\nAt the threshold asked for\n" in text
    assert "threshold >=  TP  FP  TN  FN" in text
    assert run(*SCORES, "-o", "roc.svg", "--threshold", "0.5").code == 0
    assert "score &gt;= 0.5" in Path("roc.svg").read_text()


def test_a_threshold_picked_on_these_rows_is_pointed_out(run: Any) -> None:
    form = run(*SCORES, "--threshold", "best", "--json").json
    assert form["at"]["threshold"] == 0.4
    assert [finding["code"] for finding in form["findings"]] == ["TM007"]


def test_one_class_only_is_undefined_with_the_reason(run: Any) -> None:
    form = run("roc", "-", "--actual", "y", "--score", "s", "--json", stdin="y,s\n1,0.9\n1,0.2\n").json
    assert form["auc"] == {"value": None, "why": "no row is actually negative (negatives = 0)"}
    assert (form["trapezoid_area"], form["hull"], form["fpr"]) == (None, None, [None, None, None])
    text = run("roc", "-", "--actual", "y", "--score", "s", stdin="y,s\n1,0.9\n1,0.2\n").out
    assert "There is no curve and no area: no row is actually negative." in text


def test_a_single_row(run: Any) -> None:
    assert run("roc", "-", "--actual", "y", "--score", "s", stdin="y,s\n1,0.9\n").code == 0


def test_a_score_is_guessed_before_answers(run: Any) -> None:
    data = "actual,predicted,score\n1,1,0.9\n0,1,0.6\n1,0,0.4\n0,0,0.2\n"
    form = run("roc", "-", "--json", stdin=data).json
    assert form["auc"]["value"] == 0.75
    assert form["notes"][0] == "column 'score' was taken as score (guessed from its name)."
    named = run("roc", "-", "--predicted", "predicted", "--json", stdin=data).json
    assert named["auc"]["value"] == 0.75


def test_one_class_of_three_against_the_rest(run: Any) -> None:
    three = ("roc", "probabilities.csv", "--actual", "y", "--probabilities", "p_a,p_b,p_c")
    form = run(*three, "--positive", "c", "--json").json
    assert (form["positive"], form["auc"]["value"]) == ("c", 1.0)
    assert form["threshold"] == [None, 0.4, 0.1]


def test_votes(run: Any) -> None:
    data = "y,a,b,c\nyes,yes,yes,no\nno,no,no,yes\nyes,no,no,yes\nno,no,no,no\n"
    form = run(
        "roc", "-", "--actual", "y", "--votes", "a,b,c", "--positive", "yes", "--json", stdin=data
    ).json
    assert form["threshold"] == [None, 2, 1, 0]
    assert form["auc"]["value"] == 0.875
    assert form["notes"] == ["the score is the number of votes for 'yes' among 3 columns."]
    assert [finding["code"] for finding in form["findings"]] == ["TM012", "TM013"]


def test_an_area_below_one_half_is_pointed_out(run: Any) -> None:
    result = run(
        "roc", "-", "--actual", "y", "--score", "s", stdin="y,s\n0,0.9\n1,0.5\n1,0.4\n0,0.3\n0,0.8\n"
    )
    assert "\nTM011  the area under the ROC curve is 0.333 " in result.out


def test_a_curve_needs_no_threshold(run: Any) -> None:
    form = run("roc", "-", "--actual", "y", "--score", "s", "--json", stdin="y,s\n1,7\n0,-2\n").json
    assert form["notes"] == []


def test_weights_and_groups(run: Any) -> None:
    Path("w.csv").write_text("y,s,w,g\n1,0.9,2,a\n0,0.6,1,a\n1,0.4,1,b\n0,0.3,1,b\n")
    weighted = ("roc", "w.csv", "--actual", "y", "--score", "s", "--weight", "w")
    # By weight 2 x 2 + 1 x 1 of the 3 x 2 pairs are won.
    form = run(*weighted, "--construction", "sequential", "--json").json
    assert form["auc"]["value"] == form["trapezoid_area"] == pytest.approx(5 / 6)
    grouped = ("roc", "w.csv", "--actual", "y", "--score", "s", "--group", "g")
    assert run(*grouped, "--json").json["auc"]["assumption"] != "independent rows"
    run(*grouped, "-o", "roc.svg")
    assert "No band is drawn" in Path("roc.svg").read_text()


# --- counts ----------------------------------------------------------------------------------


def test_typed_bins(run: Any) -> None:
    form = run("roc", "--bin-counts", "2 0; 1 2", "--positive", "ill", "--json").json
    assert (form["construction"], form["positive"], form["rows"]) == ("bins", "ill", 5)
    assert form["bin"] == [None, "bin 1", "bin 2"]
    # Of 6 pairs 4 are won and 2 tied.
    assert form["trapezoid_area"] == form["auc"]["value"] == pytest.approx(5 / 6)
    assert (form["auc"]["exact"], form["auc"]["bounds"]) == (False, [pytest.approx(4 / 6), 1])
    assert "it lies somewhere in [0.667, 1.000]" in run("roc", "--bin-counts", "2 0; 1 2").out


@pytest.mark.parametrize("ascending", [[], ["--ascending"]])
@pytest.mark.parametrize("rows", ['"[0.5, 1]",2,0\n"[0, 0.5]",1,2\n', '"[0, 0.5]",1,2\n"[0.5, 1]",2,0\n'])
def test_bins_in_a_file(run: Any, rows: str, ascending: list[str]) -> None:
    data = f"bin,positives,negatives\n{rows}"
    form = run("roc", "--bin-counts", "-", *ascending, "--json", stdin=data).json
    best_first = [None, "[0.5, 1]", "[0, 0.5]"]
    assert form["bin"] == (best_first[::-1] if ascending else best_first)
    assert form["auc"]["value"] == pytest.approx(5 / 6)


def test_points(run: Any) -> None:
    form = run("roc", "--points", "-", "--json", stdin=POINTS).json
    assert form["name"] == [None, "strict", "lenient", None]
    assert (form["fpr"], form["tpr"]) == ([0, 0, 0.4, 1], [0, 0.5, 0.9, 1])
    # 0.4 x 0.7 + 0.6 x 0.95
    assert form["auc"]["value"] == form["trapezoid_area"] == pytest.approx(0.85)
    text = run("roc", "--points", "-", stdin=POINTS).out
    assert "\nlenient                      0.400  0.900  on it\n" in text


# --- files -----------------------------------------------------------------------------------


def test_every_point_as_csv(run: Any) -> None:
    assert run(*SCORES, "-o", "roc.csv").err == "wrote roc.csv\n"
    with Path("roc.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream, strict=True))
    assert [row["threshold"] for row in rows] == ["inf", "0.9", "0.6", "0.4", "0.2"]
    assert [row["tpr"] for row in rows] == ["0.0", "0.5", "0.5", "1.0", "1.0"]
    assert [row["negatives"] for row in rows] == ["0", "0", "1", "0", "1"]


@pytest.mark.parametrize("name", ["roc.md", "roc.tex", "roc.txt"])
def test_on_paper(run: Any, name: str) -> None:
    assert run(*SCORES, "-o", name, "--quiet").err == ""
    assert "0.750" in Path(name).read_text()


def test_json_in_a_file_is_that_on_screen(run: Any) -> None:
    run(*SCORES, "-o", "roc.json")
    assert json.loads(Path("roc.json").read_text()) == run(*SCORES, "--json").json


@pytest.mark.parametrize("suffix", BEGINS)
@pytest.mark.parametrize("arguments", [SCORES, ("roc", "--bin-counts", "2 0; 1 2")])
def test_pictures(run: Any, arguments: tuple[str, ...], suffix: str) -> None:
    result = run(*arguments, "-o", f"roc{suffix}")
    assert (result.code, result.out, result.err) == (0, "", f"wrote roc{suffix}\n")
    content = Path(f"roc{suffix}").read_bytes()
    assert content.startswith(BEGINS[suffix])
    if suffix == ".svg":
        words = "".join(ElementTree.fromstring(content).itertext())
        assert "false positive rate" in words
        assert "AUC 0." in words


def test_the_band_has_the_level_asked_for_or_is_left_out(run: Any) -> None:
    run(*SCORES, "--confidence", "0.8", "-o", "roc.svg")
    assert "80 % band" in Path("roc.svg").read_text()
    run(*SCORES, "--no-band", "-o", "roc.svg", "--force")
    assert "% band" not in Path("roc.svg").read_text()


# --- what is not passed over -----------------------------------------------------------------


def test_answers_beside_the_scores_are_a_point(run: Any) -> None:
    Path("both.csv").write_text("y,s,p\n1,0.9,1\n0,0.2,0\n1,0.4,1\n0,0.6,1\n")
    both = ("both.csv", "--actual", "y", "--score", "s", "--predicted", "p")
    form = run("roc", *both, "--json").json
    assert (form["answered"]["column"], form["answered"]["tpr"]["value"]) == ("p", 1.0)
    assert (form["answered"]["fpr"]["value"], form["auc"]["value"]) == (0.5, 0.75)
    assert "\nThe answers in 'p'\n" in run("roc", *both).out
    assert run("pr", *both, "--json").json["answered"]["precision"]["value"] == pytest.approx(2 / 3)
    assert "The answers in 'p' have a precision of 0.667 and a recall of 1.000." in run("pr", *both).out
    gains = run("gains", *both, "--json").json
    assert gains["answered"] == {"column": "p", "share": 0.75, "recall": 1.0, "lift": pytest.approx(4 / 3)}
    assert "Of all rows the answers in 'p' call 75.0% positive" in run("gains", *both).out
    for kind in ("roc", "pr", "roc+pr", "gains", "lift"):
        run("plot", kind, *both, "-o", f"{kind}.svg")
        assert "answers in 'p'" in Path(f"{kind}.svg").read_text()
    notes = run("thresholds", *both, "--json").json["notes"]
    assert "the answers in column 'p' are not shown, because there are scores." in notes


def test_an_area_that_is_not_that_of_the_scores_says_so(run: Any) -> None:
    # The scores win 2 of 4 pairs. In two bins the upper has +--, so a pair in it counts half and the other is
    # half as well, and the lower positive loses both.
    data = "y,s\n1,0.9\n0,0.8\n0,0.7\n1,0.1\n"
    rows = ("roc", "-", "--actual", "y", "--score", "s")
    text = run(*rows, "--construction", "bins:2", stdin=data).out
    binned = run(*rows, "--construction", "bins:2", "--json", stdin=data).json
    assert binned["trapezoid_area"] == 0.25 + 0.0
    assert binned["auc"]["value"] == 0.5
    assert "The area is below 0.5" not in text
    assert "Within a bin the order of the scores is not used" in text
    assert "This is the AUC of the scores themselves; the curve above has an area of 0.250." in text
    tied = run(*rows, "--construction", "sequential", stdin=TIED).out
    assert "The AUC of the scores is 0.875: there equal scores count half, here the order of the file" in tied


def test_bins_without_edges_have_no_thresholds(run: Any) -> None:
    call = ("roc", "--bin-counts", "5 0; 3 2; 1 4")
    form = run(*call, "--json").json
    assert form["threshold"] == [None] * 4
    assert form["hull"]["threshold"] == [None] * len(form["hull"]["fpr"])
    assert form["hull"]["bin"] == [None, "bin 1", "bin 2", "bin 3"]
    run(*call, "-o", "bins.csv")
    with Path("bins.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream, strict=True))
    assert [row["bin"] for row in rows] == ["", "bin 1", "bin 2", "bin 3"]
    assert {row["threshold"] for row in rows} == {""}
    edged = run(
        "roc", "--bin-counts", "-", "--json", stdin="low,high,positives,negatives\n0,0.5,1,2\n0.5,1,3,0\n"
    )
    assert edged.json["threshold"] == [None, 0.5, 0]


def test_perfect_bins_are_not_said_to_lie_somewhere(run: Any) -> None:
    assert "lies somewhere" not in run("roc", "--bin-counts", "5 0; 0 4").out


def test_points_have_the_keys_that_all_have(run: Any) -> None:
    form = run("roc", "--points", "-", "--json", stdin=POINTS).json
    assert (form["positive"], form["rows"], form["dropped"], form["notes"], form["findings"]) == (
        None, None, {}, [], [],
    )  # fmt: skip


def test_a_long_assumption_is_a_sentence(run: Any) -> None:
    Path("w.csv").write_text("y,s,w\n1,0.9,2.5\n0,0.6,1\n1,0.4,1\n0,0.3,1\n")
    text = " ".join(run("roc", "w.csv", "--actual", "y", "--score", "s", "--weight", "w").out.split())
    assert "The interval assumes: independent rows; n is Kish's effective number of them" in text
    assert "…" not in text


def test_a_threshold_is_printed_so_that_it_takes_the_same_rows(run: Any) -> None:
    data = "y,s\n1,0.84230191\n0,0.84229961\n1,0.95\n0,0.1\n"
    rows = ("-", "--actual", "y", "--score", "s", "--threshold")
    assert run("roc", *rows, "best", "--json", stdin=data).json["at"]["threshold"] == 0.84230191
    for command in ("roc", "pr", "gains", "thresholds", "evaluate"):
        text = run(command, *rows, "best", stdin=data).out
        assert "0.8423" in text
        assert "0.842302" not in text
    said = run("evaluate", *rows, "best", stdin=data).out
    assert "Called positive when score >= 0.8423." in said
    again = run("roc", *rows, "0.8423", "--json", stdin=data).json["at"]
    assert (again["tpr"]["value"], again["fpr"]["value"]) == (1.0, 0.0)


def test_a_question_mark_has_its_reason(run: Any) -> None:
    rows = ("scores.csv", "--actual", "y", "--score", "s", "--positive", "yes", "--threshold", "0.95")
    assert "the precision is ? (nothing was predicted positive (tp + fp = 0))" in " ".join(
        run("pr", *rows).out.split()
    )
    assert "Of all rows score >= 0.95 calls none positive, so there is no lift." in run("gains", *rows).out
