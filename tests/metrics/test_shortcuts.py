"""The public names, what importing them costs, and metrics as plain functions."""

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tallymark as tm
from scored import classes, refusals
from tallymark.metrics import METRICS, SCORE_METRICS, SET_METRICS

# tp = 2, fn = 1, fp = 3, tn = 4.
Y_TRUE = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
Y_PRED = [1, 1, 0, 1, 1, 1, 0, 0, 0, 0]
CONFUSION = tm.Confusion([[4, 3], [1, 2]], labels=[0, 1])
BINARY = tm.Binary(tp=2, fn=1, fp=3, tn=4)
FORMS: tuple[tuple[Any, ...], ...]
FORMS = (Y_TRUE, Y_PRED), (CONFUSION,), (BINARY,), (tm.evaluate(Y_TRUE, Y_PRED),)

BY_HAND = {
    "accuracy": 6 / 10, "balanced_accuracy": (2 / 3 + 4 / 7) / 2, "diagnostic_odds_ratio": 8 / 3,
    "error_rate": 4 / 10, "f1": 4 / 8, "false_omission_rate": 1 / 5, "fdr": 3 / 5, "fnr": 1 / 3,
    "fpr": 3 / 7, "g_mean": (2 / 3 * 4 / 7) ** 0.5, "informedness": 2 / 3 - 3 / 7, "jaccard": 2 / 6,
    # Chance: 3 * 5 + 7 * 5 = 50, of n^2 = 100.
    "kappa": (60 - 50) / (100 - 50), "lr_minus": (1 / 3) / (4 / 7), "lr_plus": (2 / 3) / (3 / 7),
    "markedness": 2 / 5 + 4 / 5 - 1, "mcc": (2 * 4 - 3 * 1) / (5 * 3 * 7 * 5) ** 0.5,
    "no_information_rate": 7 / 10, "npv": 4 / 5, "precision": 2 / 5, "predicted_positive_rate": 5 / 10,
    "prevalence": 3 / 10, "recall": 2 / 3, "specificity": 4 / 7,
}  # fmt: skip
WITH_ARGUMENTS = {"f_beta", "weighted_accuracy", "total_cost", "mean_cost"}
exactly = lambda number: pytest.approx(number, rel=1e-14)  # noqa: E731


# --- names -------------------------------------------------------------------------------------------


def test_public_names() -> None:
    assert tm.__all__ == ["__version__", *sorted(set(tm.__all__) - {"__version__"})]
    assert set(tm.__all__) <= set(dir(tm))
    assert [name for name in tm.__all__ if getattr(tm, name) is None] == []
    assert set(METRICS) == set(BY_HAND) | WITH_ARGUMENTS
    assert {*METRICS, *SET_METRICS, *SCORE_METRICS} <= set(tm.__all__)
    with pytest.raises(AttributeError):
        _ = tm.recal
    # The stub lists the same names; there only `import name as name` makes a name public.
    stub, listed = ast.parse(Path(tm.__file__).with_suffix(".pyi").read_text("utf-8")), []
    for node in stub.body:
        if isinstance(node, ast.ImportFrom):
            listed += [alias.name for alias in node.names if alias.asname == alias.name]
        elif isinstance(node, ast.AnnAssign):
            listed.append(node.target.id)
    assert sorted(listed) == sorted(tm.__all__)
    assert (tm.recall.__name__, tm.recall) == ("recall", tm.recall)
    assert METRICS["recall"].formula in str(tm.recall.__doc__)


def python(code: str, *flags: str) -> str:
    command = [sys.executable, *flags, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_importing_is_light_and_words_are_no_part_of_values() -> None:
    heavy = ["scipy", "polars", "matplotlib", "sklearn", "pandas", "rich", "click", "narwhals", "pyarrow"]
    found = python(
        f"import sys; import tallymark as tm; print([n for n in ['numpy', *{heavy}] if n in sys.modules]);"
        f"print(tm.recall(tm.Binary(2, 1, 3, 4))); print([n for n in {heavy} if n in sys.modules])"
    )
    assert found.split("\n") == ["[]", f"{2 / 3}", "[]", ""]
    assert python("import tallymark as tm; print(tm.recall(tm.Binary(2, 1, 3, 4)))", "-OO") == f"{2 / 3}\n"


# --- values ------------------------------------------------------------------------------------------


def test_values_of_rows_counts_and_evaluations() -> None:
    for data in FORMS:
        found = {name: getattr(tm, name)(*data) for name in BY_HAND}
        assert found == {name: exactly(value) for name, value in BY_HAND.items()}
        # (1 + 4) * 2 / (5 * 2 + 4 * 1 + 3)
        assert tm.f_beta(*data, beta=2) == exactly(10 / 17)
        # 1.25 * 2 / (1.25 * 2 + 0.25 * 1 + 3)
        assert tm.f_beta(*data, beta=0.5) == exactly(2.5 / 5.75)
        assert tm.f_beta(*data, beta=0) == exactly(BY_HAND["precision"])
        assert tm.weighted_accuracy(*data, w1=2, w2=1, w3=1, w4=0) == exactly(4 / 8)
        # (3 * 2 + 0.5 * 4) / (3 * 2 + 2 * 1 + 1 * 3 + 0.5 * 4)
        assert tm.weighted_accuracy(*data, w1=3, w2=2, w3=1, w4=0.5) == exactly(8 / 13)
        assert tm.weighted_accuracy(*data, w1=0, w2=0, w3=0, w4=0) is None
    # A parameter keeps all its digits: a third is not 0.333333.
    square = (1 / 3) ** 2
    assert tm.f_beta(BINARY, beta=1 / 3) == exactly((1 + square) * 2 / ((1 + square) * 2 + square * 1 + 3))


def test_the_positive_class_and_averages() -> None:
    words = [["no", "yes"][label] for label in Y_TRUE], [["no", "yes"][label] for label in Y_PRED]
    for data in FORMS[:2]:
        assert [tm.recall(*data, pos_label=label) for label in (0, 1)] == [exactly(4 / 7), exactly(2 / 3)]
    assert tm.recall(*words, pos_label="yes") == exactly(2 / 3)
    for data in (*FORMS[:2], FORMS[3]):
        # Precision 2/5 and 4/5, of 3 and 7 rows.
        means = {"macro": 3 / 5, "micro": 6 / 10, "weighted": (3 * 2 / 5 + 7 * 4 / 5) / 10}
        assert {name: tm.precision(*data, average=name) for name in means} == exactly(means)
        # The other class has tp = 4, fn = 3, fp = 1: 5 * 4 / (5 * 4 + 4 * 3 + 1).
        assert tm.f_beta(*data, beta=2, average="macro") == exactly((10 / 17 + 20 / 33) / 2)
        for name in ("mcc", "kappa", "accuracy"):  # of two classes both have the same
            assert getattr(tm, name)(*data, average="macro") == exactly(BY_HAND[name])
    three = tm.Confusion([[5, 1, 0], [2, 6, 2], [0, 3, 7]], labels=["a", "b", "c"])
    assert tm.recall(three, pos_label="b") == exactly(6 / 10)
    assert tm.recall(three, average="macro") == exactly((5 / 6 + 6 / 10 + 7 / 10) / 3)
    assert (tm.accuracy(three), tm.recall(three)) == (exactly(18 / 26), None)


def test_costs_frames_and_what_is_undefined() -> None:
    ev = tm.evaluate(Y_TRUE, Y_PRED, labels=[0, 1], pos_label=0, costs=[[0, 1], [10, -2]])
    # Three false alarms at 1, one miss at 10, two hits at -2.
    assert (tm.total_cost(ev), tm.mean_cost(ev)) == (9, exactly(0.9))
    assert tm.total_cost(CONFUSION, costs=[[0, 1], [10, -2]]) == 9
    assert tm.recall(ev) == exactly(4 / 7)
    half = ev.at_prevalence(0.5)
    assert tm.precision(half) == half["precision"].value
    frame = pl.DataFrame({"y": Y_TRUE, "p": Y_PRED})
    assert tm.recall(frame, actual="y", predicted="p") == exactly(2 / 3)
    undefined = (
        tm.precision([1, 0, 1], [0, 0, 0]), tm.recall(tm.Binary(tp=0, fn=0, fp=3, tn=4)),
        tm.mcc(tm.Confusion([[5, 0], [2, 0]])), tm.recall(["a", "b", "a"], ["a", "a", "b"]),
        tm.recall(tm.evaluate([0, 1], y_score=[-5, 5])), tm.total_cost(CONFUSION),
    )  # fmt: skip
    assert undefined == (None,) * 6


def test_what_is_refused(snapshot: Any) -> None:
    ev, calls = tm.evaluate([1, 0], [1, 1]), dict[str, Any]()
    calls |= {
        "a parameter": lambda: tm.f_beta(Y_TRUE, Y_PRED),
        "two parameters": lambda: tm.weighted_accuracy(Y_TRUE, Y_PRED, w1=1, w3=1),
        "an average of costs": lambda: tm.total_cost(CONFUSION, average="macro"),
        "predictions beside an evaluation": lambda: tm.recall(ev, [1, 1]),
        "predictions beside counts": lambda: tm.recall(CONFUSION, [1, 1]),
        "options beside an evaluation": lambda: tm.recall(ev, pos_label=0),
        "explain": lambda: tm.explain("precison"),
        "a positive class of bare costs": lambda: tm.cost_threshold([[0, 9], [1, 0]], pos_label="yes"),
        "costs of three classes": lambda: tm.cost_threshold([[0, 1, 1]] * 3, labels=["a", "b", "c"]),
        "no positive class": lambda: tm.cost_threshold([[0, 9], [1, 0]], labels=["a", "b"]),
    }
    refused = refusals(calls)
    others = {"an average of costs": "MetricError", "explain": "MetricError"}
    others |= dict.fromkeys(("costs of three classes", "no positive class"), "LabelError")
    assert classes(refused) == dict.fromkeys(calls, "OptionError") | others
    snapshot("shortcuts_errors", refused)
