"""`tallymark calibration`, `rejection`, `cost-curve` and `decision-curve`; by hand or by scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

FILES = {
    "five.csv": "y,s\n1,0.9\n1,0.8\n0,0.7\n1,0.6\n0,0.3\n",
    "words.csv": "y,s\nyes,0.9\nno,0.2\n",
    "three.csv": "y,a,b,c\na,0.7,0.2,0.1\nb,0.5,0.4,0.1\nc,0.1,0.1,0.8\n",
    "again.csv": "y,a,b,c\na,0.6,0.3,0.1\nb,0.1,0.8,0.1\nc,0.1,0.1,0.8\n",
    "two.csv": "y,a,b,rule\n1,0.9,0.7,1\n1,0.4,0.8,0\n0,0.6,0.1,0\n0,0.1,0.2,0\n",
    "values.csv": "y,s\n1,2.5\n1,-0.3\n0,0.4\n0,-3\n",
    "weights.csv": "y,s,w,g\n1,0.9,2,a\n0,0.8,1,a\n1,0.7,1,b\n0,0.2,3,b\n0,0.4,1,c\n1,0.3,1,c\n",
    "votes.csv": "y,a,b,c\nyes,yes,yes,no\nno,no,no,no\nyes,no,yes,no\nno,yes,no,no\n",
    "holes.csv": "y,s\n1,0.9\n1,\n0,0.7\n,0.6\n0,0.3\n1,0.8\n",
    "only_ones.csv": "y,s\n1,0.9\n1,0.2\n",
}
COMMANDS = ("calibration", "rejection", "cost-curve", "decision-curve")
ABOUT_ONE = ("cost-curve", "decision-curve")
FIVE = ("five.csv", "--actual", "y", "--score", "s")
THREE = ("three.csv", "--actual", "y", "--probabilities", "a,b,c")
VALUES = ("values.csv", "--actual", "y", "--score", "s")
VOTES = ("votes.csv", "--actual", "y", "--votes", "a,b,c", "--positive", "yes")
TWO = ("two.csv", "--actual", "y", "--model", "first=a", "--model", "second=b")


@pytest.fixture
def show(run: Any) -> Any:
    for name, content in FILES.items():
        Path(name).write_text(content)
    return run


def many(path: str, rows: int = 400) -> tuple[Any, Any]:
    """Probabilities that promise too much: the share of positives is their square."""
    rng = np.random.default_rng(5)
    said = rng.uniform(0, 1, rows).round(3)
    came_true = (rng.uniform(0, 1, rows) < said**2).astype(int)
    lines = [f"{y},{s},{row // 8}" for row, (y, s) in enumerate(zip(came_true, said, strict=True))]
    Path(path).write_text("\n".join(["y,s,g", *lines]) + "\n")
    return came_true, said


# --- calibration -------------------------------------------------------------------------------


def test_calibration(show: Any) -> None:
    form = show("calibration", *FIVE, "--json").json
    assert (form["schema"], form["positive"], form["rows"]) == ("tallymark/calibration/1", "1", 5)
    # Every row has a bin of its own: 0.1, 0.2, 0.7, 0.4 and 0.3 away.
    assert (form["ece"], form["mce"]) == (pytest.approx(1.7 / 5), pytest.approx(0.7))
    assert form["brier"] == pytest.approx((0.01 + 0.04 + 0.49 + 0.16 + 0.09) / 5)
    parts = form["decomposition"]
    total = parts["reliability"] - parts["resolution"] + parts["uncertainty"] + parts["within"]
    assert total == pytest.approx(form["brier"])
    assert form["count"] == [1, 1, 1, 1, 1]
    text = show("calibration", *FIVE)
    assert (text.code, text.err) == (0, "")
    assert "5 rows, 3 positive and 2 negative. Positive class: 1." in text.out
    assert "What recalibration would gain" in text.out


@pytest.mark.parametrize(("strategy", "theirs"), [("width", "uniform"), ("mass", "quantile")])
def test_calibration_is_that_of_scikit_learn(show: Any, strategy: str, theirs: str) -> None:
    y, s = many("many.csv")
    asked = ("many.csv", "--actual", "y", "--score", "s", "--bins", "7", "--strategy", strategy)
    form = show("calibration", *asked, "--json").json
    observed, predicted = calibration_curve(y, s, n_bins=7, strategy=theirs)
    assert form["observed"] == pytest.approx(observed.tolist())
    assert form["predicted"] == pytest.approx(predicted.tolist())
    assert form["brier"] == pytest.approx(brier_score_loss(y, s))
    assert form["recalibration"]["isotonic"]["brier"]["before"] == pytest.approx(brier_score_loss(y, s))


def test_what_is_not_calibrated_is_found(show: Any) -> None:
    many("many.csv")
    asked = ("many.csv", "--actual", "y", "--score", "s")
    assert [each["code"] for each in show("calibration", *asked, "--json").json["findings"]] == ["TM015"]
    assert "TM015  the probabilities are not calibrated" in show("calibration", *asked).out
    grouped = show("calibration", *asked, "--group", "g", "--json").json
    assert "groups" in grouped["test"]["assumption"]


def test_calibration_of_the_answers(show: Any) -> None:
    # a with 0.7 is right, a with 0.5 is not, c with 0.8 is: 0.3, 0.5 and 0.2 away.
    form = show("calibration", *THREE, "--json").json
    assert (form["of"], form["positive"]) == ("answers", None)
    assert form["ece"] == pytest.approx(1 / 3)
    assert "3 rows, 3 classes." in show("calibration", *THREE).out


def test_calibration_of_one_of_many_classes(show: Any) -> None:
    # Of a 0.7, 0.5 and 0.1 are said, and the first comes true.
    form = show("calibration", *THREE, "--positive", "a", "--json").json
    assert (form["of"], form["positive"]) == ("positive", "a")
    assert (form["ece"], form["observed"]) == (pytest.approx(0.3), [0, 0, 1])
    assert form["recalibration"]["why"]


def test_calibration_by_weight(show: Any) -> None:
    form = show("calibration", "weights.csv", "--actual", "y", "--score", "s", "--weight", "w", "--json").json
    # Weights times distances: 2 x 0.1, 0.8, 0.3, 3 x 0.2, 0.4 and 0.7, of 9.
    assert form["ece"] == pytest.approx(3 / 9)
    assert form["count"] == [3, 1, 1, 1, 1, 2]


# --- rejection ---------------------------------------------------------------------------------


def test_rejection(show: Any) -> None:
    # Margins 0.8, 0.6, 0.4, 0.2 and 0.4; only 0.7 is on the wrong side.
    form = show("rejection", *FIVE, "--json").json
    assert form["schema"] == "tallymark/rejection/1"
    assert form["theta"] == [0.2, 0.4, 0.6, 0.8]
    assert form["rejected"] == pytest.approx([0, 0.2, 0.6, 0.8])
    assert form["correct"] == pytest.approx([0.8, 0.75, 1, 1])
    assert form["correct_of_all"] == pytest.approx([0.8, 0.6, 0.4, 0.2])
    # Each share right times how much is rejected until the next one holds.
    assert form["area"] == pytest.approx(0.2 * 0.8 + 0.4 * 0.75 + 0.4)
    assert "To have 90 % right, reject at least 60 % (theta 0.6)" in show("rejection", *FIVE).out


def test_rejection_with_many_classes(show: Any) -> None:
    # Margins 0.5, 0.1 and 0.7; the second is wrong.
    form = show("rejection", *THREE, "--json").json
    assert (form["form"], form["positive"]) == ("margin", None)
    assert form["theta"] == pytest.approx([0.1, 0.5, 0.7])
    assert form["correct"] == pytest.approx([2 / 3, 1, 1])
    # Whether it is a: 0.7 and 0.1 tell, 0.5 does not.
    form = show("rejection", *THREE, "--positive", "a", "--json").json
    assert form["theta"] == pytest.approx([0, 0.4, 0.8])
    assert form["correct"] == pytest.approx([2 / 3, 1, 1])


def test_rejection_by_distance(show: Any) -> None:
    form = show("rejection", *VALUES, "--threshold", "0", "--json").json
    assert (form["form"], form["theta"]) == ("distance", [0.3, 0.4, 2.5, 3])
    assert form["correct"] == pytest.approx([0.5, 2 / 3, 1, 1])
    votes = show("rejection", *VOTES, "--threshold", "2", "--json").json
    # Votes 2, 0, 1 and 1, of which the third row is missed.
    assert (votes["theta"], votes["correct"]) == ([0, 1, 2], pytest.approx([0.75, 2 / 3, 1]))


# --- cost curve and decision curve -------------------------------------------------------------


def test_cost_curve(show: Any) -> None:
    # At 0.8 a third is missed, x / 3; at 0.6 half are alarms, (1 - x) / 2; equal at x = 0.6.
    form = show("cost-curve", *FIVE, "--json").json
    assert form["schema"] == "tallymark/cost_curve/1"
    assert form["probability_cost"] == pytest.approx([0, 0.6, 1])
    assert form["cost"] == pytest.approx([0, 0.2, 0])
    assert form["threshold"] == [0.8, 0.6, 0.6]
    assert (form["area"], form["operating_range"]) == (pytest.approx(0.1), [0, 1])
    assert show("cost-curve", *VALUES, "--json").json["area"] == pytest.approx(0.125)


def test_decision_curve(show: Any) -> None:
    form = show("decision-curve", *FIVE, "--json").json
    assert form["schema"] == "tallymark/decision_curve/1"
    at = form["threshold"].index(0.5)
    assert form["net_benefit"][at] == pytest.approx(3 / 5 - 1 / 5)
    assert form["all"][at] == pytest.approx(3 / 5 - 2 / 5)
    # At 0.75 nobody is called in vain; acting on all would cost 2 / 5 x 3.
    at = form["threshold"].index(0.75)
    assert (form["net_benefit"][at], form["all"][at]) == (pytest.approx(0.4), pytest.approx(-0.6))


# --- all of them -------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("suffix", ["txt", "md", "tex", "json", "csv", "png", "svg", "pdf"])
def test_every_format(show: Any, command: str, suffix: str) -> None:
    result = show(command, *FIVE, "-o", f"out.{suffix}")
    assert (result.code, result.out, result.err) == (0, "", f"wrote out.{suffix}\n")
    assert Path(f"out.{suffix}").stat().st_size


@pytest.mark.parametrize(
    ("command", "columns"),
    [
        ("calibration", "above,up_to,predicted,observed,low,high,count"),
        ("rejection", "theta,rejected,correct,correct_of_all,low,high,accepted,right"),
        ("cost-curve", "probability_cost,cost,threshold,fpr,fnr"),
        ("decision-curve", "threshold,net_benefit,low,high,all,avoided"),
    ],
)
def test_tables(show: Any, command: str, columns: str) -> None:
    show(command, *FIVE, "-o", "out.csv")
    assert Path("out.csv").read_text().splitlines()[0] == columns
    show(command, *TWO, "-o", "two.csv.csv")
    first, *rows = Path("two.csv.csv").read_text().splitlines()
    assert first == f"model,{columns}"
    assert {row.split(",")[0] for row in rows} == {"first", "second"}


@pytest.mark.parametrize("command", COMMANDS)
def test_several_models(show: Any, command: str) -> None:
    form = show(command, *TWO, "--json").json
    assert [model["name"] for model in form["models"]] == ["first", "second"]
    assert all("findings" in model for model in form["models"])
    text = show(command, *TWO).out
    titles = [title for title in text.splitlines() if title.endswith((", first", ", second"))]
    assert len(titles) == (4 if command == "calibration" else 2)
    show(command, *TWO, "-o", "two.svg")
    assert "second" in Path("two.svg").read_text()


@pytest.mark.parametrize("command", ["calibration", "rejection"])
def test_several_models_of_many_classes(show: Any, command: str) -> None:
    asked = ("--model", "old=three.csv", "--model", "new=again.csv", *THREE[1:])
    form = show(command, *asked, "--json").json
    assert (form["positive"], [model["rows"] for model in form["models"]]) == (None, [3, 3])


@pytest.mark.parametrize("command", COMMANDS)
def test_from_standard_input(show: Any, command: str) -> None:
    piped = show(command, "-", *FIVE[1:], "--json", stdin=FILES["five.csv"]).json
    assert piped == show(command, *FIVE, "--json").json


@pytest.mark.parametrize("command", COMMANDS)
def test_dropped_rows(show: Any, command: str) -> None:
    asked = (command, "holes.csv", *FIVE[1:], "--drop-missing")
    form = show(*asked, "--json").json
    assert (form["rows"], form["dropped"]) == (4, {"missing_actual": 1, "missing_score": 1})
    for suffix in ("txt", "md", "tex"):
        show(*asked, "-o", f"out.{suffix}")
        told = Path(f"out.{suffix}").read_text()
        assert "Dropped: 1 row (missing actual)." in told
        assert "Dropped: 1 row (missing score)." in told


UNDEFINED = {
    ("calibration", VALUES): "there is no curve: scores leave [0, 1], so they are no probabilities.",
    ("decision", VALUES): "there is no curve: scores leave [0, 1], so they are no probabilities.",
    ("cost", ("only_ones.csv", *FIVE[1:])): "there is no curve: no row is actually negative.",
}


@pytest.mark.parametrize(("asked", "message"), UNDEFINED.items(), ids=[kind for kind, _ in UNDEFINED])
def test_where_there_is_no_curve_nothing_is_written(show: Any, asked: Any, message: str) -> None:
    kind, rows = asked
    command = kind if kind in COMMANDS else f"{kind}-curve"
    named = ("--model", "good=five.csv", "--model", f"bad={rows[0]}", *rows[1:])
    for given, said in ((rows, f"{rows[0]}: {message}"), (named, f"model 'bad': {message}")):
        for call in (
            (command, *given),
            (command, *given, "--json"),
            (command, *given, "-o", "none.svg"),
            (command, *given, "-o", "none.csv"),
            ("plot", kind, *given, "-o", "none.svg"),
        ):
            result = show(*call)
            assert (result.code, result.out, result.err) == (2, "", f"tallymark: {said}\n")
    assert not list(Path().glob("none.*"))


@pytest.mark.parametrize("command", ["calibration", "rejection", "decision-curve"])
def test_one_class_only(show: Any, command: str) -> None:
    asked = (command, "only_ones.csv", *FIVE[1:])
    assert show(*asked, "--json").json["rows"] == 2
    assert show(*asked).code == 0
    assert show(*asked, "-o", "one.svg").code == 0


@pytest.mark.parametrize("command", ["calibration", "rejection", "decision-curve"])
def test_confidence(show: Any, command: str) -> None:
    wide = show(command, *FIVE, "--json").json
    narrow = show(command, *FIVE, "--confidence", "0.5", "--json").json
    assert narrow["level"] == 0.5
    assert all(new > old for new, old in zip(narrow["low"], wide["low"], strict=True) if old > 0)


@pytest.mark.parametrize("kind", ["rejection", "calibration", "cost", "decision"])
def test_plot_draws_the_same(show: Any, kind: str) -> None:
    command = {"cost": "cost-curve", "decision": "decision-curve"}.get(kind, kind)
    show("plot", kind, *FIVE, "-o", "plot.svg")
    show(command, *FIVE, "-o", "command.svg")
    assert Path("plot.svg").read_text() == Path("command.svg").read_text()
    if kind not in ("cost", "decision"):
        show("plot", kind, *THREE, "--positive", "a", "-o", "class.svg")
        show(command, *THREE, "--positive", "a", "-o", "same.svg")
        assert Path("class.svg").read_text() == Path("same.svg").read_text()


# --- bad calls ---------------------------------------------------------------------------------

NO_CUT = "the curve does not depend on where the score is cut, so --threshold would have no effect."
BAD: list[tuple[tuple[str, ...], str]] = [
    *(
        ((command,), "FILE is missing."
         " Hint: name a file, - for standard input, or models: --model NAME=FILE.")
        for command in COMMANDS
    ),
    *(
        ((command, "answers.csv"), "answers.csv: a curve needs scores, and no column is named for them; the"
         " columns are 'actual', 'predicted'. Hint: say which with --score COLUMN (or --probabilities, or"
         " --votes).")
        for command in COMMANDS
    ),
    *(
        ((command, "two.csv", "--actual", "y", "--model", "x=a", "--model", "r=rule"),
         "'r' has answers and no scores, so there is no threshold to move."
         " Hint: leave it out, or name a column with its scores.")
        for command in COMMANDS
    ),
    *(
        ((command, "words.csv", "--actual", "y", "--score", "s"),
         "words.csv: a score needs to know the positive class; the labels are ['no', 'yes']."
         " Hint: name it, for example --positive yes (in Python pos_label='yes').")
        for command in COMMANDS
    ),
    *(
        ((command, *THREE), "three.csv: a curve needs to know the positive class; the labels are"
         " ['a', 'b', 'c']. Hint: name it, for example --positive c (in Python pos_label='c').")
        for command in ABOUT_ONE
    ),
    *(
        ((command, *FIVE, "--threshold", "0.5"), NO_CUT)
        for command in ("calibration", *ABOUT_ONE)
    ),
    *(
        (("plot", kind, *FIVE, "--threshold", "0.5", "-o", "out.svg"), NO_CUT)
        for kind in ("calibration", "cost", "decision")
    ),
    *(
        (("calibration", *FIVE, "--bins", bins),
         f"--bins: expected a whole number from 1 to 10,000; got {bins}.")
        for bins in ("0", "-3", "2.5", "nan", "10000000")
    ),
    (
        ("calibration", *FIVE, "--bins", "ten"),
        "--bins: expected a number; got 'ten'. Hint: `tallymark calibration --help` shows how it is used.",
    ),
    (
        ("calibration", *FIVE, "--strategy", "even"),
        "--strategy: 'even' is not one of 'width', 'mass'."
        " Hint: `tallymark calibration --help` shows how it is used.",
    ),
    *(
        (
            (command, *VOTES),
            "votes.csv: there is no curve: the scores are votes, so they are no probabilities.",
        )
        for command in ("calibration", "decision-curve")
    ),
    (
        ("rejection", *VALUES),
        "values.csv: scores leave [0, 1], so they are no probabilities, and where they are cut was not said."
        " Hint: pass a threshold; decision values are usually cut at 0.",
    ),
    (
        ("rejection", *VOTES),
        "there is no curve: votes have no default threshold."
        " Hint: pass the threshold, as many votes as make a row positive.",
    ),
    (
        ("rejection", *THREE, "--threshold", "0.3"),
        "with one probability per class the most probable class is the answer, not a threshold."
        " Hint: pass the positive class's column as the score to use a threshold.",
    ),
    (
        ("rejection", *FIVE, "--threshold", "best:cost"),
        "--threshold best:cost needs costs, and this command takes none."
        " Hint: `tallymark decide FILE --costs ...` finds it; give that number here: --threshold T.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(call) for call, _ in BAD])
def test_bad_call_is_one_clear_line(show: Any, arguments: tuple[str, ...], message: str) -> None:
    before = sorted(Path().iterdir())
    result = show(*arguments)
    assert result.err == f"tallymark: {message}\n"
    assert (result.code, result.out) == (2, "")
    assert sorted(Path().iterdir()) == before
