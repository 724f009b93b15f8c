"""The formulas that are shown: their value, plain text, LaTeX and worked form come from one string."""

import ast
import math
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallymark.metrics.formulas import latex, names, reduced, text, value, worked

PRECISION = "tp / (tp + fp)"
MCC = "(tp * tn - fp * fn) / sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))"
F_BETA = "(1 + beta**2) * tp / ((1 + beta**2) * tp + beta**2 * fn + fp)"
BALANCED = "(recall + specificity) / 2"
F1 = "2 * precision * recall / (precision + recall)"
WEIGHTED_ACCURACY = "(w1 * tp + w4 * tn) / (w1 * tp + w2 * fn + w3 * fp + w4 * tn)"
COST = "n * (q - (q - p) * accuracy)"
NO_INFORMATION = "max(row_k) / n"
MACRO = "sum(recall_k) / K"
WEIGHTED_AVERAGE = "sum(support_k * precision_k) / n"
KAPPA = "(accuracy - sum(row_k * column_k) / n**2) / (1 - sum(row_k * column_k) / n**2)"
GALLERY = [
    PRECISION, MCC, F_BETA, BALANCED, F1, WEIGHTED_ACCURACY, COST, NO_INFORMATION, MACRO, WEIGHTED_AVERAGE,
    KAPPA, "sqrt(recall * specificity)", "exp(log(recall) - log(fpr))", "1 - abs(tp - fn) / min(tp, fn)",
]  # fmt: skip

COUNTS = {"tp": 282, "fn": 75, "fp": 462, "tn": 4841}
THREE = {"support_k": [546, 92, 926], "precision_k": [0.9309, 0.5203, 0.9596], "n": 1564}

# What Python itself makes of a formula, as the reference for `value`.
FUNCTIONS = {"sqrt": math.sqrt, "log": math.log, "exp": math.exp, "abs": abs, "min": min, "max": max}


def by_python(formula: str, numbers: dict[str, int]) -> float | None:
    try:
        result = eval(formula, {"__builtins__": {}, **FUNCTIONS}, dict(numbers))
    except (ArithmeticError, ValueError):
        return None
    return result if math.isfinite(result) else None


def expressions() -> st.SearchStrategy[str]:
    """Random formulas over a, b, c with every part in parentheses, so their meaning needs no precedence."""

    def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        exponents = st.sampled_from(["0", "1", "2", "(-1)", "(2**1)", "(1 + 1)"])
        return st.one_of(
            st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner),
            st.builds("(-{})".format, inner),
            st.builds("({}**{})".format, inner, exponents),
            st.builds("sqrt({})".format, inner),
            st.builds("abs({})".format, inner),
            st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), inner, inner),
        )

    leaves = st.one_of(st.sampled_from("abc"), st.integers(0, 9).map(str))
    return st.recursive(leaves, grown, max_leaves=8)


def three_integers() -> st.SearchStrategy[dict[str, int]]:
    return st.fixed_dictionaries({name: st.integers(-20, 20) for name in "abc"})


NAMES = {PRECISION: "tp fp", F_BETA: "beta tp fn fp", COST: "n q p accuracy", "max(b, a) - a": "b a"}
VALUES: list[tuple[str, dict[str, Any], float]] = [
    *((PRECISION, COUNTS, 282 / 744), ("-2**2", {}, -4), ("2**3**2", {}, 512), ("8 / 4 / 2", {}, 1)),
    *(("8 - 4 - 2", {}, 2), (COST, {"n": 10, "q": 3, "p": -1, "accuracy": 0.5}, 10)),
    (NO_INFORMATION, {"row_k": [546, 92, 926], "n": 1564}, 926 / 1564),
    (WEIGHTED_AVERAGE, {"support_k": [1, 3], "precision_k": [0.5, 0.25], "n": 4}, 0.3125),
    ("sum(max(a_k, b_k, 2))", {"a_k": [1, 5], "b_k": [4, 0]}, 9),
    *(("sum(a_k / sum(a_k))", {"a_k": [1, 3]}, 1), ("sum(weight * a_k)", {"weight": 2, "a_k": [1, 3]}, 8)),
    *(("sum(w_k * a_k)", {"w_k": 2, "a_k": [1, 3]}, 8), ("min(a_k**2)", {"a_k": [-3, 2]}, 4)),
    *(("tp_k / (tp_k + fn_k)", {"tp_k": 1, "fn_k": 3}, 0.25), ("sum(a_k)", {"a_k": []}, 0)),
]
UNDEFINED: list[tuple[str, dict[str, Any]]] = [
    *((PRECISION, {"tp": 0, "fp": 0}), ("tp / fp", {"tp": 1.0, "fp": 0.0}), ("a**(-1)", {"a": 0})),
    *(("sqrt(a)", {"a": -1}), ("a**0.5", {"a": -1}), ("log(a)", {"a": 0}), ("exp(a)", {"a": 1000})),
    *(("a * a", {"a": 1e200}), ("sum(1 / a_k)", {"a_k": [1, 0]}), ("sum(a_k * a_k) ", {"a_k": [1e200, 1]})),
    *(
        ("max(a_k)", {"a_k": []}),
        (BALANCED, {"recall": None, "specificity": 0.9}),
        ("1 / a", {"a": math.inf}),
    ),
    *((BALANCED, {"recall": math.nan, "specificity": 0.9}), (MACRO, {"recall_k": [0.5, None], "K": 2})),
    (PRECISION, {"tp": np.int64(0), "fp": np.float64(0)}),
]


def test_names_and_values_by_hand() -> None:
    assert {formula: " ".join(names(formula)) for formula in NAMES} == NAMES
    for formula, numbers, expected in VALUES:
        assert value(formula, numbers) == pytest.approx(expected, rel=1e-15), formula
    assert [formula for formula, numbers in UNDEFINED if value(formula, numbers) is not None] == []


def test_sums_and_products_do_not_drift() -> None:
    huge = 2**60
    assert value("(a + 1) - a", {"a": huge}) == 1
    assert value("(a * a + 1) - a * a", {"a": np.int64(huge)}) == 1
    assert value("sum(a_k) - b", {"a_k": [huge, 1], "b": huge}) == 1
    assert isinstance(value("a + 1", {"a": 1}), int)
    assert value("sum(a_k)", {"a_k": [0.1] * 10}) == 1.0
    assert value(NO_INFORMATION, {"row_k": np.array([1, 3]), "n": np.int64(4)}) == 0.75


def bracket_pairs(printed: str) -> Iterator[tuple[int, int]]:
    opened: list[int] = []
    for at, character in enumerate(printed):
        if character == "(":
            opened.append(at)
        elif character == ")":
            yield opened.pop(), at


def shape(printed: str) -> str | None:
    try:
        return ast.dump(ast.parse(printed, mode="eval"))
    except SyntaxError:
        return None


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=6))
def test_worked_sums_have_the_same_value(pairs: list[tuple[int, int]]) -> None:
    numbers = {"a_k": [a for a, _ in pairs], "b_k": [b for _, b in pairs]}
    by_hand = 1 - 2 * sum(a * (a - b) for a, b in pairs) + max(b for _, b in pairs)
    assert value(worked("1 - 2 * sum(a_k * (a_k - b_k)) + max(b_k)", numbers), {}) == by_hand


# Plain LaTeX that matplotlib's mathtext has too (its function and symbol tables).
SHARED_COMMANDS = {
    *(r"\frac", r"\sqrt", r"\cdot", r"\cdots", r"\ldots", r"\left", r"\right", r"\mathrm", r"\mathit"),
    *(r"\sum", r"\max", r"\min", r"\log", r"\exp", r"\beta"),
}


WRITTEN = [
    *("((tp))/((tp)+fp)", "(a*b)*c - (d/e)", "a-(b-c)", "a+(b+c)", "(a-b)-c", "a/(b*c)", "a*(b/c)"),
    *("(a**b)**c", "a**(b**c)", "(-a)**2", "-(a**2)", "-(a*b)", "-a*b", "a--b", "-a+b", "a**-1"),
    *(" max( a ,b+1 ) ", "0.25*a+1e-7", PRECISION, BALANCED, "(1 + beta**2) * tp / n"),
    *("sqrt(tp * fn)", "w1 * tn", "1 - false_omission_rate", COST, "(a / b)**2", "a**(b + 1)"),
    *("-(a / b)", "log(p)**2", "abs(a - b)", "recall / fpr", MACRO, "sum(f1_k) / K", NO_INFORMATION),
    *(WEIGHTED_AVERAGE, "sum(tp_k + fp_k)", "1 - sum(a_k)", "sum(a_k) * b", "max(a_k + 1)"),
    "max(a, b)",
]
SIGNED, HALVES = {"cost": -1, "tp": 150}, {"recall": 0.75, "specificity": 0.5}
FILLED: list[tuple[str, dict[str, Any]]] = [
    *((PRECISION, COUNTS), (PRECISION, {"tp": 282.0, "fp": np.int64(462)})),
    *((formula, SIGNED) for formula in ("cost * tp", "tp * cost", "cost + tp", "tp - cost")),
    *((formula, {"cost": -1}) for formula in ("cost**2", "-cost", "sqrt(cost)")),
    (BALANCED, {"recall": 282 / 357, "specificity": 4841 / 5303}),
    *(("a + b", {"a": 0.5, "b": 1234.56789}), ("a + b", {"a": 0.00123456, "b": 1.23456e-05})),
    *(("a + b", {"a": 1000000.0, "b": 1e300}), ("a + b", {"a": -0.0, "b": 0.99999})),
    (BALANCED, {"recall": None, "specificity": 0.9}),
    (MACRO, {"recall_k": [0.938, 0.837, 0.897], "K": 3}),
    (MACRO, {"recall_k": [0.938, 0.837, *[0.5] * 9, 0.897], "K": 12}),
    *(("sum(a_k)", {"a_k": list(range(1, size))}) for size in (7, 8)),
    *((formula, {"a_k": [-1, -2]}) for formula in ("sum(a_k)", "max(a_k)")),
    *(("1 - sum(a_k)", {"a_k": [1, 2]}), (NO_INFORMATION, {"row_k": [546, 92, 926], "n": 1564})),
    *((NO_INFORMATION, {"row_k": [5, 4, 3, 2, 1, 6, 7], "n": 28}), (WEIGHTED_AVERAGE, THREE)),
    *(
        (MACRO, {"recall_k": [0.5], "K": 1}),
        (MACRO, {"recall_k": [], "K": 0}),
        (PRECISION, {"tp": 0, "fp": 0}),
    ),
    *(("(a - b) / (a + b)", {"a": 1, "b": 3}), (BALANCED, HALVES), ("a / sqrt(b)", {"a": 1, "b": 16})),
    *(("tp / n", {"tp": 3, "n": 4}), ("(-a) / n", {"a": 3, "n": 4}), ("1 - tp / n", {"tp": 3, "n": 4})),
    *(("tp + fp", COUNTS), ("a / sqrt(b)", {"a": 1, "b": -1}), ("(a * a) / (b + 1)", {"a": 1e200, "b": 1})),
    *((BALANCED, {"recall": None, "specificity": 0.5}), (MACRO, {"recall_k": [0.25] * 7, "K": 7})),
    *(("max(a_k)", {"a_k": [1, 2, 3, 4, 5, 6, 7]}), ("a * b", {"a": 3, "b": 1.23456e-05})),
    ("a * b", {"a": -1.23456e-05, "b": 3}),
]


def test_formulas_as_they_are_written(snapshot: Any) -> None:
    """With only the parentheses they need, as text and in LaTeX, and with numbers for names."""
    shown = {formula: f"{text(formula)}\n{latex(formula)}" for formula in (*GALLERY, *WRITTEN)}
    for at, (formula, numbers) in enumerate(FILLED):
        lines = [worked(formula, numbers), str(reduced(formula, numbers)), latex(formula, numbers)]
        shown[f"{at}: {formula}"] = "\n".join([str(numbers), *lines])
    snapshot("formulas", {name.strip(): each for name, each in shown.items()})
    assert [formula for formula in GALLERY if text(formula) != formula] == []  # which are tidy already
    for formula in GALLERY:
        numbers = {name: [0.5] * 7 if name.endswith("_k") else 2 for name in names(formula)}
        for printed in (latex(formula), latex(formula, numbers)):
            assert set(re.findall(r"\\[A-Za-z]+", printed)) <= SHARED_COMMANDS


def read_back(printed: str) -> str:
    """LaTeX as Python, read as a person reads it: a bar, a root and an exponent group, the rest by rank."""
    for command, python in (
        *((r"\left|", "abs("), (r"\right|", ")"), (r"\left(", "("), (r"\right)", ")"), (r"\frac", "")),
        *((r"\cdot", "*"), ("}{", ")/("), ("{", "("), ("}", ")"), ("^", "**"), ("\\", "")),
    ):
        printed = printed.replace(command, python)
    return printed


def as_fraction(formula: str, numbers: dict[str, int]) -> Fraction | None:
    # Any function does for a root here: the question is only what stands under it.
    functions = {"sqrt": lambda x: 3 * x + 1, "abs": abs, "min": min, "max": max, "Fraction": Fraction}
    exact = re.sub(r"\d+", r"Fraction(\g<0>)", formula)
    variables = {name: Fraction(number) for name, number in numbers.items()}
    try:
        result = eval(exact, {"__builtins__": {}, **functions}, variables)
    except ZeroDivisionError:
        return None
    assert isinstance(result, Fraction)
    return result


@given(expressions(), three_integers())
def test_any_formula_is_worked_out_written_and_read_back(formula: str, numbers: dict[str, int]) -> None:
    """As Python works it out; with only the parentheses it needs; and so it is with numbers for names."""
    expected, fraction = by_python(formula, numbers), as_fraction(formula, numbers)
    assert value(formula, numbers) == expected
    printed, filled = text(formula), worked(formula, numbers)
    assert by_python(printed, numbers) == value(printed, numbers) == expected
    assert text(printed) == printed
    for start, end in bracket_pairs(printed):
        belongs_to_a_call = start > 0 and printed[start - 1].isalpha()
        holds_a_sign = printed[start + 1] == "-"  # (-1) * 150: kept on purpose
        if not belongs_to_a_call and not holds_a_sign:
            shorter = printed[:start] + printed[start + 1 : end] + printed[end + 1 :]
            assert shape(shorter) != shape(printed)
    assert names(filled) == ()
    assert by_python(filled, {}) == value(filled, {}) == expected
    for typeset, words in ((latex(formula), numbers), (latex(formula, numbers), {})):
        assert as_fraction(read_back(typeset), words) == fraction
        assert typeset.count(r"\left") == typeset.count(r"\right")
        assert typeset.count("{") == typeset.count("}")


REFUSED = [
    *("", "tp +", "tp; fp", "tp = 1", "tp // fp", "tp % fp"),
    *("+tp", "not tp", "tp < fp", "tp if fp else tn", "tp.real", "tp[0]"),
    *("[tp]", "'tp'", "True", "1j", "1e999", "lambda: tp"),
    *("open(tp)", "sqrt(tp, fp)", "sqrt()", "sqrt(*tp)", "log(tp, base=2)", "(sqrt)(tp)(fp)"),
    *("sum(tp)", "sum(a_k, b_k)", "max()", "max(tp)", "sum(sum(a_k))", "__import__('os')"),
]


def test_anything_else_is_refused() -> None:
    for formula in REFUSED:
        with pytest.raises(ValueError):  # noqa: PT011
            names(formula)
    for formula, numbers in {
        "recall_k / 2": {"recall_k": [1, 2]},
        "sum(a * b_k)": {"a": [1, 2], "b_k": [1, 2]},
        "sum(a_k * b_k)": {"a_k": [1, 2], "b_k": [1, 2, 3]},
        "sum(a_k)": {"a_k": 1},
    }.items():
        for use in (value, worked, latex):
            with pytest.raises(ValueError):  # noqa: PT011
                use(formula, numbers)
    with pytest.raises(KeyError, match="fp"):
        value(PRECISION, {"tp": 1})
