from __future__ import annotations

import ast
import doctest
import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, f1_score, fbeta_score, matthews_corrcoef

from tallymark.metrics import formulas
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
    PRECISION,
    MCC,
    F_BETA,
    BALANCED,
    F1,
    WEIGHTED_ACCURACY,
    COST,
    NO_INFORMATION,
    MACRO,
    WEIGHTED_AVERAGE,
    KAPPA,
    "sqrt(recall * specificity)",
    "exp(log(recall) - log(fpr))",
    "1 - abs(tp - fn) / min(tp, fn)",
]

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


# names


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (PRECISION, ("tp", "fp")),
        (F_BETA, ("beta", "tp", "fn", "fp")),
        (COST, ("n", "q", "p", "accuracy")),
        (WEIGHTED_AVERAGE, ("support_k", "precision_k", "n")),
        ("sqrt(2)", ()),
        ("max(b, a) - a", ("b", "a")),
    ],
)
def test_names_are_the_variables_in_order_of_appearance(formula: str, expected: tuple[str, ...]) -> None:
    assert names(formula) == expected


# value


@pytest.mark.parametrize(
    ("formula", "numbers", "expected"),
    [
        (PRECISION, COUNTS, 282 / 744),
        ("tp / (tp + fn)", COUNTS, 282 / 357),
        ("tp * 2 - 1", {"tp": 3}, 5),
        ("-2**2", {}, -4),
        ("2**3**2", {}, 512),
        ("8 / 4 / 2", {}, 1),
        ("8 - 4 - 2", {}, 2),
        (COST, {"n": 10, "q": 3, "p": -1, "accuracy": 0.5}, 10),
        (NO_INFORMATION, {"row_k": [546, 92, 926], "n": 1564}, 926 / 1564),
        (MACRO, {"recall_k": [0.25, 0.5, 0.75], "K": 3}, 0.5),
        (
            "sum(support_k * precision_k) / n",
            {"support_k": [1, 3], "precision_k": [0.5, 0.25], "n": 4},
            0.3125,
        ),
        ("sum(max(a_k, b_k, 2))", {"a_k": [1, 5], "b_k": [4, 0]}, 9),
        ("sum(a_k / sum(a_k))", {"a_k": [1, 3]}, 1),
        ("sum(weight * a_k)", {"weight": 2, "a_k": [1, 3]}, 8),
        ("sum(w_k * a_k)", {"w_k": 2, "a_k": [1, 3]}, 8),
        ("tp_k / (tp_k + fn_k)", {"tp_k": 1, "fn_k": 3}, 0.25),
        ("min(a_k**2)", {"a_k": [-3, 2]}, 4),
        ("sum(a_k)", {"a_k": []}, 0),
        ("sum(a_k)", {"a_k": [7]}, 7),
    ],
)
def test_value_by_hand(formula: str, numbers: dict[str, Any], expected: float) -> None:
    assert value(formula, numbers) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("formula", "numbers"),
    [
        (PRECISION, {"tp": 0, "fp": 0}),
        ("tp / fp", {"tp": 1.0, "fp": 0.0}),
        ("a**(-1)", {"a": 0}),
        ("sqrt(a)", {"a": -1}),
        ("a**0.5", {"a": -1}),
        ("log(a)", {"a": 0}),
        ("exp(a)", {"a": 1000}),
        ("a * a", {"a": 1e200}),
        ("sum(1 / a_k)", {"a_k": [1, 0]}),
        ("sum(a_k * a_k) ", {"a_k": [1e200, 1]}),
        ("max(a_k)", {"a_k": []}),
        (BALANCED, {"recall": None, "specificity": 0.9}),
        (BALANCED, {"recall": math.nan, "specificity": 0.9}),
        ("1 / a", {"a": math.inf}),
        (MACRO, {"recall_k": [0.5, None], "K": 2}),
        (PRECISION, {"tp": np.int64(0), "fp": np.float64(0)}),
    ],
)
def test_value_is_none_where_the_formula_has_no_finite_value(formula: str, numbers: dict[str, Any]) -> None:
    assert value(formula, numbers) is None


def test_integers_stay_exact_until_a_division() -> None:
    huge = 2**60
    assert value("(a + 1) - a", {"a": huge}) == 1
    assert value("(a * a + 1) - a * a", {"a": np.int64(huge)}) == 1
    assert value("sum(a_k) - b", {"a_k": [huge, 1], "b": huge}) == 1
    assert isinstance(value("a + 1", {"a": 1}), int)


def test_sum_of_floats_does_not_drift() -> None:
    assert value("sum(a_k)", {"a_k": [0.1] * 10}) == 1.0


def test_arrays_are_lists_too() -> None:
    assert value(NO_INFORMATION, {"row_k": np.array([1, 3]), "n": np.int64(4)}) == 0.75


def as_rows(tp: int, fn: int, fp: int, tn: int) -> tuple[list[int], list[int]]:
    return [1] * (tp + fn) + [0] * (fp + tn), [1] * tp + [0] * fn + [1] * fp + [0] * tn


@pytest.mark.parametrize(
    ("formula", "peer"),
    [
        (MCC, matthews_corrcoef),
        (F_BETA, lambda actual, predicted: fbeta_score(actual, predicted, beta=2)),
        (F1, f1_score),
        (KAPPA, cohen_kappa_score),
    ],
)
def test_value_agrees_with_scikit_learn(formula: str, peer: Callable[..., float]) -> None:
    numbers: dict[str, Any] = {
        **COUNTS,
        "beta": 2,
        "precision": 282 / 744,
        "recall": 282 / 357,
        "accuracy": (282 + 4841) / 5660,
        "row_k": [282 + 75, 462 + 4841],
        "column_k": [282 + 462, 75 + 4841],
        "n": 5660,
    }
    assert value(formula, numbers) == pytest.approx(peer(*as_rows(**COUNTS)), rel=1e-12)


@given(expressions(), three_integers())
def test_value_is_what_python_makes_of_it(formula: str, numbers: dict[str, int]) -> None:
    assert value(formula, numbers) == by_python(formula, numbers)


# text


@pytest.mark.parametrize("formula", GALLERY)
def test_text_keeps_a_formula_that_is_already_tidy(formula: str) -> None:
    assert text(formula) == formula


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("((tp))/((tp)+fp)", "tp / (tp + fp)"),
        ("(a*b)*c - (d/e)", "a * b * c - d / e"),
        ("a-(b-c)", "a - (b - c)"),
        ("a+(b+c)", "a + (b + c)"),  # floats do not associate, so this is not a + b + c
        ("(a-b)-c", "a - b - c"),
        ("a/(b*c)", "a / (b * c)"),
        ("a*(b/c)", "a * (b / c)"),
        ("(a**b)**c", "(a**b)**c"),
        ("a**(b**c)", "a**b**c"),
        ("(-a)**2", "(-a)**2"),
        ("-(a**2)", "-a**2"),
        ("-(a*b)", "-(a * b)"),
        ("-a*b", "(-a) * b"),
        ("a--b", "a - (-b)"),
        ("-a+b", "-a + b"),
        ("a**-1", "a**(-1)"),
        (" max( a ,b+1 ) ", "max(a, b + 1)"),
        ("0.25*a+1e-7", "0.25 * a + 1e-07"),
    ],
)
def test_text_has_only_the_parentheses_it_needs(formula: str, expected: str) -> None:
    assert text(formula) == expected


@given(expressions(), three_integers())
def test_text_means_the_same(formula: str, numbers: dict[str, int]) -> None:
    printed = text(formula)
    assert by_python(printed, numbers) == by_python(formula, numbers)
    assert value(printed, numbers) == value(formula, numbers)
    assert text(printed) == printed


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


@given(expressions())
def test_no_parentheses_of_text_can_be_left_out(formula: str) -> None:
    printed = text(formula)
    for start, end in bracket_pairs(printed):
        belongs_to_a_call = start > 0 and printed[start - 1].isalpha()
        holds_a_sign = printed[start + 1] == "-"  # (-1) * 150: kept on purpose
        if not belongs_to_a_call and not holds_a_sign:
            shorter = printed[:start] + printed[start + 1 : end] + printed[end + 1 :]
            assert shape(shorter) != shape(printed)


# worked


@pytest.mark.parametrize(
    ("formula", "numbers", "expected"),
    [
        (PRECISION, COUNTS, "282 / (282 + 462)"),
        (PRECISION, {"tp": 282.0, "fp": np.int64(462)}, "282 / (282 + 462)"),
        ("cost * tp", {"cost": -1, "tp": 150}, "(-1) * 150"),
        ("tp * cost", {"cost": -1, "tp": 150}, "150 * (-1)"),
        ("cost + tp", {"cost": -1, "tp": 150}, "-1 + 150"),
        ("tp - cost", {"cost": -1, "tp": 150}, "150 - (-1)"),
        ("cost**2", {"cost": -1}, "(-1)**2"),
        ("-cost", {"cost": -1}, "-(-1)"),
        ("sqrt(cost)", {"cost": -1}, "sqrt(-1)"),
        (BALANCED, {"recall": 282 / 357, "specificity": 4841 / 5303}, "(0.7899 + 0.9129) / 2"),
        ("a + b", {"a": 0.5, "b": 1234.56789}, "0.5 + 1234.5679"),
        ("a + b", {"a": 0.00123456, "b": 0.0000123456}, "0.001235 + 1.235e-05"),
        ("a + b", {"a": 1e6, "b": 1e300}, "1000000 + 1e+300"),
        ("a + b", {"a": -0.0, "b": 0.99999}, "0 + 1.0"),
        (BALANCED, {"recall": None, "specificity": 0.9}, "(undefined + 0.9) / 2"),
        (MACRO, {"recall_k": [0.938, 0.837, 0.897], "K": 3}, "(0.938 + 0.837 + 0.897) / 3"),
        (
            MACRO,
            {"recall_k": [0.938, 0.837, *[0.5] * 9, 0.897], "K": 12},
            "(0.938 + 0.837 + ... + 0.897) / 12",
        ),
        ("sum(a_k)", {"a_k": [1, 2, 3, 4, 5, 6]}, "1 + 2 + 3 + 4 + 5 + 6"),
        ("sum(a_k)", {"a_k": [1, 2, 3, 4, 5, 6, 7]}, "1 + 2 + ... + 7"),
        ("sum(a_k)", {"a_k": [-1, -2]}, "-1 + (-2)"),
        ("max(a_k)", {"a_k": [-1, -2]}, "max(-1, -2)"),
        ("1 - sum(a_k)", {"a_k": [1, 2]}, "1 - (1 + 2)"),
        (NO_INFORMATION, {"row_k": [546, 92, 926], "n": 1564}, "max(546, 92, 926) / 1564"),
        (NO_INFORMATION, {"row_k": [5, 4, 3, 2, 1, 6, 7], "n": 28}, "max(5, 4, ..., 7) / 28"),
        (WEIGHTED_AVERAGE, THREE, "(546 * 0.9309 + 92 * 0.5203 + 926 * 0.9596) / 1564"),
        (MACRO, {"recall_k": [0.5], "K": 1}, "0.5 / 1"),
        (MACRO, {"recall_k": [], "K": 0}, "0 / 0"),
    ],
)
def test_worked(formula: str, numbers: dict[str, Any], expected: str) -> None:
    assert worked(formula, numbers) == expected


@given(expressions(), three_integers())
def test_worked_is_a_formula_with_the_same_value(formula: str, numbers: dict[str, int]) -> None:
    printed = worked(formula, numbers)
    assert names(printed) == ()
    assert by_python(printed, {}) == by_python(formula, numbers)
    assert value(printed, {}) == value(formula, numbers)


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=6))
def test_worked_sums_have_the_same_value(pairs: list[tuple[int, int]]) -> None:
    numbers = {"a_k": [a for a, _ in pairs], "b_k": [b for _, b in pairs]}
    by_hand = 1 - 2 * sum(a * (a - b) for a, b in pairs) + max(b for _, b in pairs)
    assert value(worked("1 - 2 * sum(a_k * (a_k - b_k)) + max(b_k)", numbers), {}) == by_hand


@given(st.floats(0.001, 1), st.floats(0.001, 1))
def test_worked_floats_are_within_the_rounding(precision: float, recall: float) -> None:
    printed = worked(F1, {"precision": precision, "recall": recall})
    # Four digits each: a relative error of at most 0.0005 in p and r, and F1 scales with both.
    expected = 2 * precision * recall / (precision + recall)
    assert value(printed, {}) == pytest.approx(expected, rel=6e-4)


# reduced


@pytest.mark.parametrize(
    ("formula", "numbers", "expected"),
    [
        (PRECISION, COUNTS, "282 / 744"),
        (PRECISION, {"tp": 0, "fp": 0}, "0 / 0"),
        ("(a - b) / (a + b)", {"a": 1, "b": 3}, "(-2) / 4"),
        (BALANCED, {"recall": 0.75, "specificity": 0.5}, "1.25 / 2"),
        (NO_INFORMATION, {"row_k": [546, 92, 926], "n": 1564}, "926 / 1564"),
        ("a / sqrt(b)", {"a": 1, "b": 16}, "1 / 4"),
        ("tp / n", {"tp": 3, "n": 4}, None),
        ("(-a) / n", {"a": 3, "n": 4}, None),
        ("1 - tp / n", {"tp": 3, "n": 4}, None),
        ("tp + fp", COUNTS, None),
        ("a / sqrt(b)", {"a": 1, "b": -1}, None),
        ("(a * a) / (b + 1)", {"a": 1e200, "b": 1}, None),
        (BALANCED, {"recall": None, "specificity": 0.5}, None),
    ],
)
def test_reduced(formula: str, numbers: dict[str, Any], expected: str | None) -> None:
    assert reduced(formula, numbers) == expected


# latex


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (PRECISION, r"\frac{\mathit{TP}}{\mathit{TP} + \mathit{FP}}"),
        (BALANCED, r"\frac{\mathrm{recall} + \mathrm{specificity}}{2}"),
        (
            "(1 + beta**2) * tp / n",
            r"\frac{\left(1 + \beta^{2}\right) \cdot \mathit{TP}}{N}",
        ),
        ("sqrt(tp * fn)", r"\sqrt{\mathit{TP} \cdot \mathit{FN}}"),
        ("w1 * tn", r"w_1 \cdot \mathit{TN}"),
        ("1 - false_omission_rate", r"1 - \mathrm{false\ omission\ rate}"),
        (COST, r"N \cdot \left(q - \left(q - p\right) \cdot \mathrm{accuracy}\right)"),
        ("(a / b)**2", r"\left(\frac{a}{b}\right)^{2}"),
        ("a**(b + 1)", r"a^{b + 1}"),
        ("(a**b)**c", r"\left(a^{b}\right)^{c}"),
        ("(-a)**2", r"\left(-a\right)^{2}"),
        ("-(a / b)", r"-\frac{a}{b}"),
        ("log(p)**2", r"\left(\log\left(p\right)\right)^{2}"),
        ("abs(a - b)", r"\left|a - b\right|"),
        ("recall / fpr", r"\frac{\mathrm{recall}}{\mathrm{FPR}}"),
        (MACRO, r"\frac{\sum_k \mathrm{recall}_k}{K}"),
        ("sum(f1_k) / K", r"\frac{\sum_k F_{1,k}}{K}"),
        (NO_INFORMATION, r"\frac{\max_k \mathrm{row}_k}{N}"),
        (WEIGHTED_AVERAGE, r"\frac{\sum_k \mathrm{support}_k \cdot \mathrm{precision}_k}{N}"),
        ("sum(tp_k + fp_k)", r"\sum_k \left(\mathit{TP}_k + \mathit{FP}_k\right)"),
        ("1 - sum(a_k)", r"1 - \sum_k a_k"),
        ("sum(a_k) * b", r"\left(\sum_k a_k\right) \cdot b"),
        ("max(a_k + 1)", r"\max_k \left(a_k + 1\right)"),
        ("max(a, b)", r"\max\left(a, b\right)"),
    ],
)
def test_latex(formula: str, expected: str) -> None:
    assert latex(formula) == expected


@pytest.mark.parametrize(
    ("formula", "numbers", "expected"),
    [
        (PRECISION, COUNTS, r"\frac{282}{282 + 462}"),
        ("cost * tp", {"cost": -1, "tp": 150}, r"\left(-1\right) \cdot 150"),
        (MACRO, {"recall_k": [0.938, 0.837, 0.897], "K": 3}, r"\frac{0.938 + 0.837 + 0.897}{3}"),
        (MACRO, {"recall_k": [0.25] * 7, "K": 7}, r"\frac{0.25 + 0.25 + \cdots + 0.25}{7}"),
        (NO_INFORMATION, {"row_k": [546, 92, 926], "n": 1564}, r"\frac{\max\left(546, 92, 926\right)}{1564}"),
        ("max(a_k)", {"a_k": [1, 2, 3, 4, 5, 6, 7]}, r"\max\left(1, 2, \ldots, 7\right)"),
        ("a * b", {"a": 3, "b": 0.0000123456}, r"3 \cdot \left(1.235 \cdot 10^{-5}\right)"),
        ("a * b", {"a": -0.0000123456, "b": 3}, r"\left(-1.235 \cdot 10^{-5}\right) \cdot 3"),
        (BALANCED, {"recall": None, "specificity": 0.9}, r"\frac{\mathrm{undefined} + 0.9}{2}"),
    ],
)
def test_worked_latex(formula: str, numbers: dict[str, Any], expected: str) -> None:
    assert latex(formula, numbers) == expected


# Plain LaTeX that matplotlib's mathtext has too (its function and symbol tables).
SHARED_COMMANDS = {
    *(r"\frac", r"\sqrt", r"\cdot", r"\cdots", r"\ldots", r"\left", r"\right", r"\mathrm", r"\mathit"),
    *(r"\sum", r"\max", r"\min", r"\log", r"\exp", r"\beta"),
}


@pytest.mark.parametrize("formula", GALLERY)
def test_latex_uses_only_shared_commands(formula: str) -> None:
    numbers = {name: [0.5] * 7 if name.endswith("_k") else 2 for name in names(formula)}
    for printed in (latex(formula), latex(formula, numbers)):
        assert set(re.findall(r"\\[A-Za-z]+", printed)) <= SHARED_COMMANDS


def brace_levels(printed: str) -> list[int]:
    levels = [0]
    for character in printed:
        levels.append(levels[-1] + {"{": 1, "}": -1}.get(character, 0))
    return levels


@given(expressions(), three_integers())
def test_latex_braces_balance(formula: str, numbers: dict[str, int]) -> None:
    for printed in (latex(formula), latex(formula, numbers)):
        levels = brace_levels(printed)
        assert min(levels) == 0
        assert levels[-1] == 0
        assert printed.count(r"\left") == printed.count(r"\right")


def read_back(printed: str) -> str:
    """LaTeX as Python, read as a person reads it: a bar, a root and an exponent group, the rest by rank."""
    for command, python in [
        (r"\left|", "abs("),
        (r"\right|", ")"),
        (r"\left(", "("),
        (r"\right)", ")"),
        (r"\frac", ""),
        (r"\cdot", "*"),
        ("}{", ")/("),
        ("{", "("),
        ("}", ")"),
        ("^", "**"),
        ("\\", ""),
    ]:
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
def test_latex_groups_like_the_formula(formula: str, numbers: dict[str, int]) -> None:
    expected = as_fraction(formula, numbers)
    assert as_fraction(read_back(latex(formula)), numbers) == expected
    assert as_fraction(read_back(latex(formula, numbers)), {}) == expected


# what is refused


@pytest.mark.parametrize(
    "formula",
    [
        "",
        "tp +",
        "tp; fp",
        "tp = 1",
        "tp // fp",
        "tp % fp",
        "+tp",
        "not tp",
        "tp < fp",
        "tp if fp else tn",
        "tp.real",
        "tp[0]",
        "[tp]",
        "'tp'",
        "True",
        "1j",
        "1e999",
        "lambda: tp",
        "open(tp)",
        "sqrt(tp, fp)",
        "sqrt()",
        "sqrt(*tp)",
        "log(tp, base=2)",
        "(sqrt)(tp)(fp)",
        "sum(tp)",
        "sum(a_k, b_k)",
        "max()",
        "max(tp)",
        "sum(sum(a_k))",
        "__import__('os')",
    ],
)
def test_anything_else_is_refused_when_read(formula: str) -> None:
    with pytest.raises(ValueError, match="got"):
        names(formula)


@pytest.mark.parametrize(
    ("formula", "numbers", "message"),
    [
        ("recall_k / 2", {"recall_k": [1, 2]}, "recall_k must be one number here"),
        ("sum(a * b_k)", {"a": [1, 2], "b_k": [1, 2]}, "a must be one number here"),
        (
            "sum(a_k * b_k)",
            {"a_k": [1, 2], "b_k": [1, 2, 3]},
            r"lists of one length; got \{'a_k': 2, 'b_k': 3\}",
        ),
        ("sum(a_k)", {"a_k": 1}, "got no list"),
    ],
)
def test_lists_that_do_not_fit_are_refused(formula: str, numbers: dict[str, Any], message: str) -> None:
    for use in (value, worked, latex):
        with pytest.raises(ValueError, match=message):
            use(formula, numbers)


def test_a_number_that_was_not_given_is_named() -> None:
    with pytest.raises(KeyError, match="fp"):
        value(PRECISION, {"tp": 1})


def test_the_examples_in_the_docstrings() -> None:
    results = doctest.testmod(formulas)
    assert results.attempted >= 6
    assert results.failed == 0
