"""The public face: names, their stub, what importing costs, and metrics as plain functions."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tallymark as tm
from tallymark.metrics import METRICS

# tp = 2, fn = 1, fp = 3, tn = 4.
Y_TRUE = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
Y_PRED = [1, 1, 0, 1, 1, 1, 0, 0, 0, 0]
CONFUSION = tm.Confusion([[4, 3], [1, 2]], labels=[0, 1])
BINARY = tm.Binary(tp=2, fn=1, fp=3, tn=4)

BY_HAND = {
    "accuracy": 6 / 10,
    "balanced_accuracy": (2 / 3 + 4 / 7) / 2,
    "diagnostic_odds_ratio": 8 / 3,
    "error_rate": 4 / 10,
    "f1": 4 / 8,
    "false_omission_rate": 1 / 5,
    "fdr": 3 / 5,
    "fnr": 1 / 3,
    "fpr": 3 / 7,
    "g_mean": (2 / 3 * 4 / 7) ** 0.5,
    "informedness": 2 / 3 - 3 / 7,
    "jaccard": 2 / 6,
    # Chance: 3 * 5 + 7 * 5 = 50, of n^2 = 100.
    "kappa": (60 - 50) / (100 - 50),
    "lr_minus": (1 / 3) / (4 / 7),
    "lr_plus": (2 / 3) / (3 / 7),
    "markedness": 2 / 5 + 4 / 5 - 1,
    "mcc": (2 * 4 - 3 * 1) / (5 * 3 * 7 * 5) ** 0.5,
    "no_information_rate": 7 / 10,
    "npv": 4 / 5,
    "precision": 2 / 5,
    "predicted_positive_rate": 5 / 10,
    "prevalence": 3 / 10,
    "recall": 2 / 3,
    "specificity": 4 / 7,
}
WITH_ARGUMENTS = {"f_beta", "weighted_accuracy", "total_cost", "mean_cost"}


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", tm.__all__)
def test_every_public_name_is_there(name):
    assert getattr(tm, name) is not None
    assert name in dir(tm)


def test_names_stand_once_and_in_order():
    assert tm.__all__ == ["__version__", *sorted(set(tm.__all__) - {"__version__"})]


def test_every_metric_is_a_public_function():
    assert set(METRICS) == set(BY_HAND) | WITH_ARGUMENTS
    assert set(METRICS) <= set(tm.__all__)


def test_stub_lists_the_same_names():
    stub = ast.parse(Path(tm.__file__).with_suffix(".pyi").read_text("utf-8"))
    listed = []
    for node in stub.body:
        if isinstance(node, ast.ImportFrom):
            # In a stub only `import name as name` makes a name public.
            listed += [alias.name for alias in node.names if alias.asname == alias.name]
        elif isinstance(node, ast.AnnAssign):
            assert isinstance(node.target, ast.Name)
            listed.append(node.target.id)
    assert sorted(listed) == sorted(tm.__all__)


def test_unknown_name():
    with pytest.raises(AttributeError, match="module 'tallymark' has no attribute 'recal'"):
        _ = tm.recal


def loaded(code, *modules):
    """Which of the modules a fresh interpreter has imported after running the code."""
    ask = f"import sys; {code}; print(*(name for name in {modules} if name in sys.modules))"
    return subprocess.run(
        [sys.executable, "-c", ask], capture_output=True, text=True, check=True
    ).stdout.split()


def test_importing_is_light():
    heavy = ("scipy", "polars", "matplotlib", "sklearn", "pandas", "rich", "click", "narwhals", "pyarrow")
    assert loaded("import tallymark", "tallymark", "numpy", *heavy) == ["tallymark"]


def test_a_metric_from_counts_needs_numpy_only():
    heavy = ("scipy", "polars", "sklearn", "pandas", "rich", "click", "narwhals", "pyarrow")
    code = "import tallymark as tm; tm.recall(tm.Binary(2, 1, 3, 4))"
    assert loaded(code, "numpy", *heavy) == ["numpy"]


def test_without_docstrings_the_numbers_are_the_same():
    ask = "import tallymark as tm; print(tm.recall(tm.Binary(2, 1, 3, 4)))"
    done = subprocess.run([sys.executable, "-OO", "-c", ask], capture_output=True, text=True, check=True)
    assert done.stdout == f"{2 / 3}\n"


# --- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BY_HAND)
@pytest.mark.parametrize(
    "data",
    [
        pytest.param((Y_TRUE, Y_PRED), id="rows"),
        pytest.param((CONFUSION,), id="Confusion"),
        pytest.param((BINARY,), id="Binary"),
    ],
)
def test_value(name, data):
    assert getattr(tm, name)(*data) == pytest.approx(BY_HAND[name], rel=1e-14)


def test_pos_label():
    assert tm.recall(Y_TRUE, Y_PRED, pos_label=1) == pytest.approx(2 / 3, rel=1e-15)
    assert tm.recall(Y_TRUE, Y_PRED, pos_label=0) == pytest.approx(4 / 7, rel=1e-15)
    assert tm.recall(CONFUSION, pos_label=0) == pytest.approx(4 / 7, rel=1e-15)
    words = ["yes" if label else "no" for label in Y_TRUE], ["yes" if label else "no" for label in Y_PRED]
    assert tm.recall(*words, pos_label="yes") == pytest.approx(2 / 3, rel=1e-15)


@pytest.mark.parametrize("data", [(Y_TRUE, Y_PRED), (CONFUSION,), (BINARY,)])
def test_parameters(data):
    # (1 + 4) * 2 / (5 * 2 + 4 * 1 + 3)
    assert tm.f_beta(*data, beta=2) == pytest.approx(10 / 17, rel=1e-15)
    # 1.25 * 2 / (1.25 * 2 + 0.25 * 1 + 3)
    assert tm.f_beta(*data, beta=0.5) == pytest.approx(2.5 / 5.75, rel=1e-15)
    assert tm.weighted_accuracy(*data, w1=2, w2=1, w3=1, w4=0) == pytest.approx(4 / 8, rel=1e-15)
    # (3 * 2 + 0.5 * 4) / (3 * 2 + 2 * 1 + 1 * 3 + 0.5 * 4)
    assert tm.weighted_accuracy(*data, w1=3, w2=2, w3=1, w4=0.5) == pytest.approx(8 / 13, rel=1e-15)


def test_a_parameter_keeps_all_its_digits():
    # F is precision at 0 and recall at infinity; a third is not 0.333333.
    square = (1 / 3) ** 2
    expected = (1 + square) * 2 / ((1 + square) * 2 + square * 1 + 3)
    assert tm.f_beta(BINARY, beta=1 / 3) == pytest.approx(expected, rel=1e-15)


def test_missing_parameters_are_named():
    with pytest.raises(tm.OptionError, match="f_beta needs beta"):
        tm.f_beta(Y_TRUE, Y_PRED)
    with pytest.raises(tm.OptionError, match="weighted_accuracy needs w2, w4"):
        tm.weighted_accuracy(Y_TRUE, Y_PRED, w1=1, w3=1)


def test_zero_is_a_parameter_like_any_other():
    assert tm.f_beta(BINARY, beta=0) == pytest.approx(BY_HAND["precision"], rel=1e-15)
    assert tm.weighted_accuracy(BINARY, w1=0, w2=0, w3=0, w4=0) is None


@pytest.mark.parametrize("data", [(Y_TRUE, Y_PRED), (CONFUSION,)])
@pytest.mark.parametrize(
    ("average", "expected"),
    # Precision 2/5 and 4/5, of 3 and 7 rows.
    [("macro", (2 / 5 + 4 / 5) / 2), ("micro", 6 / 10), ("weighted", (3 * 2 / 5 + 7 * 4 / 5) / 10)],
)
def test_average(data, average, expected):
    assert tm.precision(*data, average=average) == pytest.approx(expected, rel=1e-15)


def test_average_of_a_metric_with_a_parameter():
    # The other class has tp = 4, fn = 3, fp = 1: 5 * 4 / (5 * 4 + 4 * 3 + 1).
    expected = (10 / 17 + 20 / 33) / 2
    assert tm.f_beta(CONFUSION, beta=2, average="macro") == pytest.approx(expected, rel=1e-15)


def test_costs():
    costs = [[0, 1], [10, -2]]
    assert tm.total_cost(CONFUSION, costs=costs) == 3 * 1 + 1 * 10 - 2 * 2
    assert tm.mean_cost(Y_TRUE, Y_PRED, labels=[0, 1], costs=costs) == pytest.approx(0.9, rel=1e-15)


def test_more_than_two_classes():
    three = tm.Confusion([[5, 1, 0], [2, 6, 2], [0, 3, 7]], labels=["a", "b", "c"])
    assert tm.recall(three, pos_label="b") == pytest.approx(6 / 10, rel=1e-15)
    assert tm.recall(three, average="macro") == pytest.approx((5 / 6 + 6 / 10 + 7 / 10) / 3, rel=1e-15)
    assert tm.accuracy(three) == pytest.approx(18 / 26, rel=1e-15)
    assert tm.recall(three) is None


def test_undefined_is_none():
    assert tm.precision([1, 0, 1], [0, 0, 0]) is None
    assert tm.recall(tm.Binary(tp=0, fn=0, fp=3, tn=4)) is None
    assert tm.mcc(tm.Confusion([[5, 0], [2, 0]])) is None
    assert tm.recall(["a", "b", "a"], ["a", "a", "b"]) is None
    assert tm.total_cost(CONFUSION) is None


@pytest.mark.parametrize("name", BY_HAND)
def test_an_evaluation_is_asked_for_its_own_number(name):
    ev = tm.evaluate(Y_TRUE, Y_PRED)
    assert getattr(tm, name)(ev) == ev[name].value == pytest.approx(BY_HAND[name], rel=1e-14)


def test_an_evaluation_keeps_its_positive_class_costs_and_undefined_numbers():
    ev = tm.evaluate(Y_TRUE, Y_PRED, labels=[0, 1], pos_label=0, costs=[[0, 1], [10, -2]])
    assert tm.recall(ev) == pytest.approx(4 / 7, rel=1e-15)
    assert tm.recall(ev, average="macro") == ev["recall_macro"].value
    assert tm.f_beta(ev, beta=2) == ev["f_beta:2"].value
    assert tm.total_cost(ev) == 9
    assert tm.precision(tm.evaluate([1, 0, 1], [0, 0, 0])) is None
    assert tm.recall(tm.evaluate([0, 1], y_score=[-5, 5])) is None
    assert tm.precision(ev.at_prevalence(0.5)) == ev.at_prevalence(0.5)["precision"].value


def test_averages_of_what_is_about_all_classes():
    # Of two classes both have the same MCC, kappa and accuracy.
    for name in ("mcc", "kappa", "accuracy"):
        for average in ("macro", "weighted"):
            assert getattr(tm, name)(CONFUSION, average=average) == pytest.approx(BY_HAND[name], rel=1e-14)
    with pytest.raises(tm.MetricError, match="'total_cost' is about all classes, so it has no macro average"):
        tm.total_cost(CONFUSION, average="macro")


def test_a_frame_works_too():
    import polars as pl

    frame = pl.DataFrame({"y": Y_TRUE, "p": Y_PRED})
    assert tm.recall(frame, actual="y", predicted="p") == pytest.approx(2 / 3, rel=1e-15)


def test_functions_tell_what_they_are():
    assert tm.recall.__name__ == "recall"
    assert "tp / (tp + fn)" in tm.recall.__doc__
    assert tm.recall is tm.recall


def test_explain():
    assert "tp / (tp + fp)" in str(tm.explain("precision"))
    # A formula needs no numbers for its parameters.
    assert "beta" in str(tm.explain("f_beta"))
    with pytest.raises(tm.MetricError, match="did you mean precision"):
        tm.explain("precison")


def test_an_evaluation_takes_no_further_answers_or_options() -> None:
    ev = tm.evaluate([1, 0], [1, 1])
    assert tm.recall(ev) == 1
    for arguments, options in (((ev, [1, 1]), {}), ((ev,), {"pos_label": 0})):
        with pytest.raises(tm.OptionError):
            tm.recall(*arguments, **options)
