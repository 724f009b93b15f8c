"""What all tests and intervals have in common: fields of results, how tables are read, texts and errors."""

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallymark as tm
from tallymark.errors import ColumnError, ShapeError, TallymarkError

T = tm.tests
RNG = np.random.default_rng(4)
A, B = RNG.normal(0.8, 0.05, 10).round(3), RNG.normal(0.78, 0.05, 10).round(3)
TABLE = RNG.normal(size=(9, 3)).round(3)
Y, S, R = [1, 0, 1, 0, 1, 0], [0.9, 0.3, 0.8, 0.4, 0.35, 0.6], [0.9, 0.3, 0.2, 0.4, 0.7, 0.1]
PLAIN = str, int, float, list, tuple, dict, type(None)
OF_TABLES = (T.friedman, T.nemenyi, T.post_hoc)
OF_COLUMNS = (
    T.paired_t, T.corrected_t, T.five_by_two, T.wilcoxon, T.sign, T.bayesian_t, T.bayesian_signed_rank,
)  # fmt: skip
ASKED: dict[str, Callable[..., Any]] = {
    "mcnemar": lambda **given: T.mcnemar(5, 15, **given),
    "cochran_q": lambda **given: T.cochran_q([[1, 0], [1, 1], [0, 1]], **given),
    "delong": lambda **given: T.delong(Y, S, R, **given),
    "delong_unpaired": lambda **given: T.delong_unpaired(Y, S, Y, R, **given),
    "difference": lambda **given: tm.difference((56, 70), (48, 80), **given),
    "paired_difference": lambda **given: tm.paired_difference(n11=1, n01=1, n10=7, n00=12, **given),
    **{test.__name__: lambda test=test, **given: test(A, B, **given) for test in OF_COLUMNS},
    **{test.__name__: lambda test=test, **given: test(TABLE, **given) for test in OF_TABLES},
}


def test_every_result_has_the_same_fields() -> None:
    others = {"adjust", "Outcome", "Nemenyi", "PostHoc", "Posterior"}
    assert set(T.__all__) - others == set(ASKED) - {"difference", "paired_difference"}
    for name, ask in ASKED.items():
        found = ask(alternative="two-sided")
        form = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        for field in ("statistic", "p_value", "df", "alternative", "method", "assumption"):
            value = getattr(found, field)
            assert form[field] == (list(value) if isinstance(value, tuple) else value), (name, field)
        assert found.alternative == "two-sided"
        assert form["counts"], name
        assert form["p_value"] is not None or form["why"], name


def test_results_as_text(snapshot: Any) -> None:
    made = {name: ask() for name, ask in ASKED.items() if "bayesian_signed" not in name} | {
        "greater": T.paired_t(A, B, alternative="greater"),
        "beyond floating point": T.mcnemar(0, 100_000, alternative="less"),
        "weights": T.mcnemar(12.5, 2, "exact"),
        "no variance": tm.difference((10, 10), (0, 20), "wald"),
        "wald of agreement": tm.paired_difference(n11=8, n01=0, n10=0, n00=2, method="wald"),
        "no disagreement": T.cochran_q([[1, 1, 1], [0, 0, 0]]),
        "equal differences": T.paired_t([0.9, 0.8, 0.7], [0.8, 0.7, 0.6]),
        "one fold": T.corrected_t([0.9], [0.8]),
        "sizes that differ": T.corrected_t(A, B, n_train=[89, *[90] * 9], n_test=[11, *[10] * 9]),
        "runs without spread": T.five_by_two([2.0] * 10, [1.0] * 10),
        "runs far apart": T.five_by_two(np.outer([0, 1, 2, 3, 4], [90, 100.0]), np.zeros((5, 2)), "f"),
        "zeros dropped": T.wilcoxon([3, 1, 5, 2, 2, 4, 5, 6], [1, 2, 1, 2, 2, 1, 1, 1]),
        "too few for an interval": T.sign([1, 2, 3, 4, 5], [0] * 5),
        "one data set": T.nemenyi([[0.9, 0.8, 0.7]]),
        "signed rank of one data set": T.bayesian_signed_rank([0.9], [0.8], prior_strength=0),
        "pooled classes": T.delong([2, 0, 2, 1, 2, 0], S, [None, *R[1:]], 2, missing="drop"),
        "one class": T.delong([0] * 6, S, R),
        "area of 1": tm.auc_interval(1, n_positive=10, n_negative=10, method="hanley_mcneil"),
    }

    def text(found: Any) -> str:
        said = [str(found)] if "__str__" in vars(type(found)) else []
        said += [f"{part}: {line}" for part in ("note", "why") if (line := getattr(found, part, None))]
        return "\n".join(said) or "nothing but numbers"

    snapshot("statistics", {name: text(found) for name, found in made.items()})


# --- tables and columns ----------------------------------------------------------------------


def test_rows_that_two_columns_order_differently_are_refused() -> None:
    a, b = pd.Series(A), pd.Series(B)
    for test in OF_COLUMNS:
        with pytest.raises(ShapeError):
            test(a, b[::-1])
        assert test(a, b[::-1].to_numpy()).to_dict() == test(A, B[::-1]).to_dict()
        assert test(a, b.set_axis(range(10, 20))).to_dict() == test(A, B).to_dict()
    with pytest.raises(ShapeError):
        T.five_by_two(pd.DataFrame(A.reshape(5, 2)), pd.DataFrame(B.reshape(5, 2))[::-1])
    for test in (*OF_TABLES, T.cochran_q):
        with pytest.raises(ShapeError):
            test({"a": pd.Series([1, 0, 1]), "b": pd.Series([1, 1, 0])[::-1]})


def test_frames_of_one_column_and_names_that_are_numbers() -> None:
    for test in OF_COLUMNS:
        expected = test(A, B).to_dict()
        assert test(pd.DataFrame({"x": A}), pd.DataFrame({"y": B})).to_dict() == expected
        assert test(pl.DataFrame({"x": A}), pa.table({"y": B})).to_dict() == expected
        with pytest.raises(ShapeError):
            test(pd.DataFrame({"x": A, "y": B}), B)
    rows = [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    twice = pd.DataFrame([[1, 0, 1], [0, 1, 1]], columns=["a", "a", "b"])
    for test in (*OF_TABLES, T.cochran_q):
        named = test(pd.DataFrame(rows, columns=["0", "1", "2"])).to_dict()
        assert test(pd.DataFrame(rows)).to_dict() == named
        assert test(dict(enumerate(zip(*rows, strict=True)))).to_dict() == named
        for table in (twice, pa.table([[1, 0], [0, 1]], names=["a", "a"]), {1: [1, 0], "1": [0, 1]}):
            with pytest.raises(ColumnError):
                test(table)


# --- errors ----------------------------------------------------------------------------------

NAMED = pd.DataFrame(TABLE, columns=["a", "b", "c"])
NUMBERS = ("5", [5], None, True, -1, math.inf)


def every(name: str, *values: Any) -> list[dict[str, Any]]:
    return [{name: value} for value in values]


def of(function: Callable[..., Any], usual: dict[str, Any], *cases: dict[str, Any]) -> list[Any]:
    """A function, what it is usually given, and what is wrong instead, one thing each."""
    return [(function, usual, wrong) for wrong in cases]


WRONG = [
    *of(
        *(T.mcnemar, {"n01": 5, "n10": 15}, *every("n01", *NUMBERS), {"n00": 3}, {"n11": 3}),
        *({"n00": 3, "n11": -1}, {"method": "yates"}, {"alternative": "more"}, {"confidence_level": 1}),
    ),
    *of(
        *(tm.paired_difference, {"n11": 20, "n01": 12, "n10": 2, "n00": 16}, {"n11": "3"}, {"n11": -1}),
        *({"n10": math.nan}, {"n11": 0, "n01": 0, "n10": 0, "n00": 0}, {"method": "mcnemar"}),
        {"alternative": "more"},
    ),
    *of(
        *(tm.difference, {"first": (56, 70), "second": (48, 80)}, {"second": (48,)}, {"first": 56}),
        *({"first": "56/70"}, {"first": (0.85, 30), "second": (0.75, 5000)}),
        *(*every("first", (71, 70), (-1, 70), (0, 0)), *every("second", (True, 80), (48, math.inf))),
        *({"first": (math.nan, 80)}, *every("method", "score", None), {"alternative": "bigger"}),
        {"confidence_level": 95},
    ),
    *of(
        *(tm.auc_interval, {"auc": 0.9, "n_positive": 10, "n_negative": 10}),
        *(*every("auc", 1.2, 88.9, -0.1, "0.9", math.nan), {"n_positive": 0}),
        *(*every("n_negative", 0.5, None), *every("method", "delong", "wald"), {"confidence_level": 95}),
    ),
    *of(
        *(T.paired_t, {"a": [0.9, 0.8], "b": [0.7, 0.6]}, {"b": [1, 2, 3]}, {"a": [], "b": []}),
        *({"a": 0.9, "b": 0.8}, {"a": [[1, 2], [3]]}, {"a": [[1, 2]], "b": [[1, 2]]}, {"a": [1, None]}),
        *(*every("b", [1, math.nan], [1, math.inf]), *every("a", [1e200, 2], ["x", "y"], [True, False])),
        *({"alternative": "both"}, {"a": np.array(["2020-01-01"], "M8[D]"), "b": [1]}),
    ),
    *of(
        *(T.corrected_t, {"a": A, "b": B}, {"n_train": 90}, {"n_test": 90}, {"n_train": 90, "n_test": 0}),
        *(
            {"n_train": "many", "n_test": 1},
            *every("runs", 3, 10, 0, 1.5),
            {"n_train": [90, 90], "n_test": 10},
        ),
    ),
    *of(
        *(T.five_by_two, {"a": A, "b": B}, {"a": A[:9], "b": B[:9]}, {"a": [[1, 2], [3]]}, {"method": "F"}),
        {"method": "f", "alternative": "less"},
    ),
    *of(
        *(T.wilcoxon, {"a": [1, 2], "b": [2, 1]}, {"b": [1]}, {"zeros": "keep"}, {"method": "fast"}),
        *({"correction": True}, {"a": np.arange(1, 1102.0), "b": np.zeros(1101), "method": "exact"}),
    ),
    *of(
        *(T.friedman, {"table": TABLE}, *every("table", [[1, 2], [3]], [1, 2], [], [[1], [2]], "abc")),
        *every("table", {"a": [1, 2], "b": [1]}, pd.DataFrame({"set": ["x"], "a": [1], "b": [2]})),
        *every("table", [[1, 2], [None, 2]], pl.DataFrame({"a": [1.0, None], "b": [1.0, 2.0]})),
        *({"method": "F"}, {"ties": "yes"}),
    ),
    *of(T.nemenyi, {"table": TABLE}, {"alpha": 5}),
    *of(T.post_hoc, {"table": NAMED}, *every("control", "e", 4, True), {"table": TABLE, "control": 7}),
    *of(
        *(T.adjust, {"p_values": [0.1]}, {"p_values": [0.1, 0.2], "method": "shaffer"}),
        *({"p_values": [1.0] * 78, "method": "bergmann_hommel"}, *every("p_values", [0.1, 1.2], [-0.1])),
        *({"method": "none"}, *every("p_values", [], [0.1, None], [0.1, math.nan], 0.1, ["a"])),
    ),
    *of(
        *(T.bayesian_t, {"a": A, "b": B}, {"a": [0.9], "b": [0.8]}, {"rope": -1}, {"runs": 3}, {"b": B[:5]}),
        {"alternative": "greater"},
    ),
    *of(
        *(T.bayesian_signed_rank, {"a": A, "b": B}, *every("draws", 10, 1000.5), {"random_state": -1}),
        *({"prior_strength": -1}, *every("rope", -0.1, None), {"a": np.arange(1001), "b": np.arange(1001)}),
    ),
    *of(
        *(T.cochran_q, {"correct": [[1, 0, 1], [0, 1, 1]]}),
        *every("correct", [1, 0, 1], None, [[1], [0]], np.empty((0, 3)), [[1, 0], [1]], [[1, 0], [1, 2]]),
        *every("correct", [[1, 0], [1, math.nan]], [[1, None]], [["1", "0"]], [[0.9, 0.2]], {}),
        *(*every("correct", {"a": [1, 0, 1], "b": [1, 1]}, {"a": 1, "b": 1}), {"alternative": "less"}),
    ),
    *of(
        *(T.delong, {"y_true": Y, "score_a": S, "score_b": R}, {"score_a": S[:5]}),
        *({"score_b": np.column_stack([R, R])}, {"y_true": [], "score_a": [], "score_b": []}),
        *({"groups": [0] * 6}, {"y_true": ["yes", "no"] * 3}, {"score_b": ["x"] * 6}),
        *({"score_a": [math.inf, *S[1:]]}, {"score_b": [None, *R[1:]]}, {"weight_kind": "frequency"}),
    ),
]


def test_errors(snapshot: Any) -> None:
    """The class and the text of every error."""
    texts, not_refused = {}, []
    for function, usual, wrong in WRONG:
        said = (f"{key}={value!r}" if isinstance(value, PLAIN) else key for key, value in wrong.items())
        case = f"{function.__name__} {', '.join(said)}"[:100]
        try:
            function(**usual | wrong)
            not_refused.append(case)
        except TallymarkError as error:
            texts[case] = f"{type(error).__name__}: {error}"
    assert not not_refused
    snapshot("errors_statistics", texts)
