from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tallymark.errors import CostError, FileError
from tallymark.intake.costs import Costs, Label, read_costs

SIGNS = ("+", "-")
TABLE = ((-1.0, 100.0), (1.0, 0.0))


def at(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "source",
    [
        "-1 100; 1 0",
        "-1, 1e2; +1 -0.0;",
        "[[-1, 100], [1, 0]]",
        '{"matrix": [[-1, 100], [1, 0]]}',
        [[-1, 100], [1, 0]],
        ((-1.0, 100), (1, None)),
        np.array([[-1, 100], [1, 0]]),
        np.array([[-1, 100], [1, 0]], dtype=np.float32),
    ],
)
def test_a_bare_matrix_is_taken_in_the_order_stated(source: Any) -> None:
    assert read_costs(source, labels=SIGNS, order_stated=True) == Costs(SIGNS, TABLE)
    with pytest.raises(CostError) as caught:
        read_costs(source, labels=SIGNS, order_stated=False)
    assert str(caught.value) == (
        "the cost matrix names no labels, and the order of the labels ('+', '-') was not stated. "
        "Hint: state it (--labels +,-), or name the labels in the costs."
    )


def test_no_zero_is_negative() -> None:
    assert str(read_costs("-0 -0.0; 1 0", labels=SIGNS, order_stated=True).matrix[0]) == "(0.0, 0.0)"


NAMED: list[Any] = [
    {"+": {"+": -1, "-": 100}, "-": {"+": 1, "-": 0}},
    {"-": {"+": 1}, "+": {"-": 100, "+": -1}},
    {"labels": ["+", "-"], "cost": [[-1, 100], [1, 0]]},
    {"labels": ["-", "+"], "costs": np.array([[0, 1], [100, -1]])},
    {"labels": ["-", "+"], "matrix": [[None, 1], [100, -1]]},
    {"labels": ["-", "+"], "rows": "predicted", "cost": [[0, 100], [1, -1]]},
    '{"+": {"+": -1, "-": 100}, "-": {"+": 1}}',
    '{"labels": ["-", "+"], "cost": [[0, 1], [100, -1]]}',
]


@pytest.mark.parametrize("order_stated", [True, False])
@pytest.mark.parametrize("source", NAMED)
def test_named_costs_are_read_by_their_names(source: Any, order_stated: bool) -> None:
    assert read_costs(source, labels=SIGNS, order_stated=order_stated) == Costs(SIGNS, TABLE)
    turned = read_costs(source, labels=("-", "+"), order_stated=order_stated)
    assert turned == Costs(("-", "+"), ((0.0, 1.0), (100.0, -1.0)))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("costs.json", '{"labels": ["+", "-"], "cost": [[-1, 100], [1, 0]]}'),
        ("costs.json", '{"+": {"+": -1, "-": 100}, "-": {"+": 1}}'),
        ("costs.csv", ",+,-\n+,-1,100\n-,1,0\n"),
        ("costs.csv", "actual\\predicted,-,+\n-,,1\n+,100,-1\n"),
        ("costs.csv", "predicted,+,-\n-,100,0\n+,-1,1\n"),
        ("costs.csv", ";+;-\n+;-1;100\n-;1;0\n"),
        ("costs.tsv", "truth\t+\t-\n+\t-1\t100\n-\t1\t0\n"),
        ("costs.csv", "actual,predicted,cost\n+,+,-1\n+,-,100\n-,+,1\n"),
        ("costs.csv", "Cost,Prediction,Reference\n100,-,+\n1,+,-\n-1,+,+\n0,-,-\n"),
    ],
)
def test_files_of_named_costs(tmp_path: Path, name: str, content: str) -> None:
    path = at(tmp_path, name, content)
    assert read_costs(path, labels=SIGNS, order_stated=False) == Costs(SIGNS, TABLE)
    assert read_costs(str(path), labels=SIGNS, order_stated=True) == Costs(SIGNS, TABLE)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("costs.json", "[[-1, 100], [1, 0]]"),
        ("costs.txt", "-1 100\n1 0\n"),
        ("costs.csv", "-1,100\n1,0\n"),
    ],
)
def test_files_of_bare_costs(tmp_path: Path, name: str, content: str) -> None:
    path = at(tmp_path, name, content)
    assert read_costs(path, labels=SIGNS, order_stated=True) == Costs(SIGNS, TABLE)
    with pytest.raises(CostError, match=f"^{name} names no labels"):
        read_costs(path, labels=SIGNS, order_stated=False)


@pytest.mark.parametrize(
    ("source", "labels"),
    [
        ({0: {1: 1}, 1: {0: 5}}, (0, 1)),
        ({"0": {"1": 1}, "1": {"0": 5}}, (0, 1)),
        ({np.int64(0): {np.int64(1): 1}, 1.0: {0.0: 5}}, (0, 1)),
        ('{"labels": [1, 0], "cost": [[0, 5], [1, 0]]}', (0, 1)),
        ({False: {True: 1}, True: {False: 5}}, (False, True)),
        ('{"False": {"True": 1}, "True": {"False": 5}}', (False, True)),
        ('{"labels": [true, false], "cost": [[0, 5], [1, 0]]}', (False, True)),
    ],
)
def test_labels_that_are_not_text_match_by_their_text(source: Any, labels: Sequence[Label]) -> None:
    costs = read_costs(source, labels=labels, order_stated=False)
    assert costs.matrix == ((0.0, 1.0), (5.0, 0.0))
    assert [type(label) for label in costs.labels] == [type(label) for label in labels]


# --- what costs say ------------------------------------------------------------------------------


def test_each_cell_is_told_in_words() -> None:
    assert read_costs("-1 100; 1 0", labels=SIGNS, order_stated=True).words() == (
        "an actual '+' called '+' gains 1 (cost -1)",
        "an actual '+' called '-' costs 100",
        "an actual '-' called '+' costs 1",
        "an actual '-' called '-' costs 0",
    )
    assert read_costs("0 0.1; 2.50 0", labels=(0, 1), order_stated=True).words()[1:3] == (
        "an actual 0 called 1 costs 0.1",
        "an actual 1 called 0 costs 2.5",
    )


def test_words_of_five_labels_are_complete_and_of_six_are_the_cells_that_are_not_zero() -> None:
    five = read_costs(np.zeros((5, 5)), labels=range(5), order_stated=True)
    assert len(five.words()) == 25
    six = read_costs(np.zeros((6, 6)), labels=range(6), order_stated=True)
    assert six.words() == ("every answer costs 0",)
    single = np.zeros((6, 6))
    single[2, 4] = 7
    assert read_costs(single, labels=range(6), order_stated=True).words() == (
        "an actual 2 called 4 costs 7",
        "all other answers cost 0",
    )


def test_words_of_many_cells_say_how_many_more() -> None:
    words = read_costs(1 - np.eye(6), labels=range(6), order_stated=True).words()
    assert len(words) == 26
    assert words[0] == "an actual 0 called 1 costs 1"
    assert words[-1] == "and 5 more cells that are not 0"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("0 1; 1 0", (0.0, 1.0)),
        ("-2 3.5; 3.5 -2", (-2.0, 3.5)),
        ("1 1; 1 1", (1.0, 1.0)),
        ("0 1 1; 1 0 1; 1 1 0", (0.0, 1.0)),
        ("-1 100; 1 0", None),
        ("0 1; 2 0", None),
        ("0 1; 1 5", None),
        ("0 1 1; 1 0 2; 1 1 0", None),
    ],
)
def test_linear_when_right_and_wrong_have_one_cost_each(
    source: str, expected: tuple[float, float] | None
) -> None:
    size = source.count(";") + 1
    assert read_costs(source, labels=range(size), order_stated=True).linear() == expected


# --- refused -------------------------------------------------------------------------------------

FINITE = "; expected a finite number."
TOO_LARGE = "; expected a number up to 1e+100."
LEFT_OUT = " Hint: only right answers may be left out (they then cost 0)."
CASE = " Hint: labels are case-sensitive; leave out those that are not in the data."


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("0 x; 1 0", "row 1, column 2 of the cost matrix holds 'x'" + FINITE),
        ("0 nan; 1 0", "row 1, column 2 of the cost matrix holds 'nan'" + FINITE),
        ("0 1; -inf 0", "row 2, column 1 of the cost matrix holds '-inf'" + FINITE),
        ("0 1e999; 1 0", "row 1, column 2 of the cost matrix holds '1e999'" + FINITE),
        ("[[0, NaN], [1, 0]]", "row 1, column 2 of the cost matrix holds nan" + FINITE),
        ("[[0, true], [1, 0]]", "row 1, column 2 of the cost matrix holds True" + FINITE),
        ([[0, float("inf")], [1, 0]], "row 1, column 2 of the cost matrix holds inf" + FINITE),
        (
            [[0, 10**5000], [1, 0]],
            "row 1, column 2 of the cost matrix holds a number of thousands of digits" + TOO_LARGE,
        ),
        ([[0, None], [1, 0]], "row 1, column 2 of the cost matrix is empty" + FINITE),
        (
            [[0, 10**400], [1, 0]],
            f"row 1, column 2 of the cost matrix holds 1{'0' * 56}...{TOO_LARGE}",
        ),
        ([[0, 1], [-1.1e100, 0]], "row 2, column 1 of the cost matrix holds -1.1e+100" + TOO_LARGE),
        ("0 1e101; 1 0", "row 1, column 2 of the cost matrix holds '1e101'" + TOO_LARGE),
        (
            {"+": {"-": 1e200}, "-": {"+": 1}},
            "actual '+', predicted '-' of the cost matrix holds 1e+200" + TOO_LARGE,
        ),
        (
            [[2e100, 1], [1, 0]],
            f"row 1, column 1 of the cost matrix holds 2e+100{TOO_LARGE}",
        ),
        (
            "0 50%; 1 0",
            f"row 1, column 2 of the cost matrix holds '50%'{FINITE} "
            "Hint: give the numbers themselves, not percentages.",
        ),
        ({"+": {"-": "x"}, "-": {"+": 1}}, "actual '+', predicted '-' of the cost matrix holds 'x'" + FINITE),
        (
            {"+": {"-": float("nan")}, "-": {"+": 1}},
            "actual '+', predicted '-' of the cost matrix holds nan" + FINITE,
        ),
        ({"+": {"-": None}, "-": {"+": 1}}, "actual '+', predicted '-' of the cost matrix is empty" + FINITE),
        (
            {"+": {"-": 1, "+": "x"}, "-": {"+": 1}},
            "actual '+', predicted '+' of the cost matrix holds 'x'" + FINITE,
        ),
        ({"+": {"-": 5}}, "the cost matrix has no cost for an actual '-' called '+'." + LEFT_OUT),
        (
            {"+": {"+": 5}, "-": {"+": 1}},
            "the cost matrix has no cost for an actual '+' called '-'." + LEFT_OUT,
        ),
        ("{}", "the cost matrix has no cost for an actual '+' called '-'." + LEFT_OUT),
        (
            {"+": {"-": 5, "?": 2}, "-": {"+": 1}, "??": {"+": 1}},
            "the cost matrix names '??', '?'; the labels are '+', '-'." + CASE,
        ),
        (
            {"labels": ["+", "-", "x"], "cost": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]},
            "the cost matrix names 'x'; the labels are '+', '-'." + CASE,
        ),
        ('{"+": {"-": 5, "-": 6}, "-": {"+": 1}}', "the cost matrix gives actual '+', predicted '-' twice."),
        ({"1": {"0": 1}, 1: {"0": 2}}, "the cost matrix gives actual '1' twice."),
        ({"labels": ["+", "+"], "cost": [[0, 1], [1, 0]]}, "the labels of the cost matrix hold '+' twice."),
        (
            {"labels": ["+", "-"], "cost": [[0]]},
            "expected as many labels as rows; got 2 ('+', '-') for a 1 x 1 matrix.",
        ),
        (
            {"labels": {"cost": 1}, "cost": {"labels": 1}},
            "expected the cost matrix as rows of numbers; got a mapping. "
            "Hint: write rows such as [[150, 40], [60, 250]], or names: {actual: {predicted: value}}.",
        ),
        (
            {"+": 5, "-": 1},
            "actual '+' of the cost matrix holds 5; expected a value for each predicted label. "
            'Hint: write {actual: {predicted: value}}, or only "labels" and "cost".',
        ),
        ({None: {"+": 1}}, "a name in the cost matrix is None; expected a label (text or a whole number)."),
        (
            "0 1 1; 1 0 1; 1 1 0",
            "expected 2 x 2 costs, one row for each of '+', '-'; the cost matrix is 3 x 3.",
        ),
        ("0 1; 1", "row 2 of the cost matrix has 1 cell; row 1 has 2."),
        ("0 1 1; 1 0 1", "expected as many columns as rows; the cost matrix is 2 x 3."),
        (
            "[[0, 1], [1, 0]",
            "the cost matrix is not valid JSON: Expecting ',' delimiter (line 1, column 16).",
        ),
        (
            5.0,
            "expected the cost matrix as rows of numbers; got float. "
            "Hint: write rows such as [[150, 40], [60, 250]], or names: {actual: {predicted: value}}.",
        ),
        (
            "cheap",
            "'cheap' is neither a cost matrix nor the name of a file that exists. Hint: type rows such as "
            "'0 10; 1 0', or the path of a .json, .csv, .tsv, .txt file.",
        ),
    ],
)
def test_bad_costs_are_named(source: Any, message: str) -> None:
    with pytest.raises(CostError) as caught:
        read_costs(source, labels=SIGNS, order_stated=True)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (",+,-\n+,0,x\n-,1,0\n", "line 2, column '-' of costs.csv holds 'x'" + FINITE),
        (",+,-\n+,0,\n-,1,0\n", "line 2, column '-' of costs.csv is empty" + FINITE),
        ("predicted,+,-\n+,0,1\n-,inf,0\n", "line 3, column '+' of costs.csv holds 'inf'" + FINITE),
        (
            ";+;-\n+;0;0,5\n-;1,5;0\n",
            f"line 2, column '-' of costs.csv holds '0,5'{FINITE} "
            "Hint: write decimals with a point (0.5, not 0,5).",
        ),
        (
            ';+;-\n+;0;"4,841"\n-;1;0\n',
            f"line 2, column '-' of costs.csv holds '4,841'{FINITE} "
            "Hint: write numbers without thousands separators (4841, not 4,841).",
        ),
        (
            "actual,predicted,cost\n+,-,1\n-,+,many\n",
            "line 3, column 'cost' of costs.csv holds 'many'" + FINITE,
        ),
        (
            "actual,predicted,cost\n+,-,1\n-,+,2\n+,-,1\n",
            "costs.csv gives actual '+', predicted '-' twice: line 2, column 'cost' of costs.csv, "
            "and line 4, column 'cost' of costs.csv.",
        ),
        (
            "actual,predicted,cost\n+,-,1\n-,-,2\n",
            "costs.csv has no cost for an actual '-' called '+'." + LEFT_OUT,
        ),
        (
            "actual,predicted,cost\n+,-,1\n-,+,2\nx,+,2\n",
            "costs.csv names 'x'; the labels are '+', '-'." + CASE,
        ),
        (",+,-\n+,0,1\n", "costs.csv has no cost for an actual '-' called '+'." + LEFT_OUT),
        (
            ",+,-,Total\n+,0,1,1\n-,1,0,1\n",
            "costs.csv names 'Total'; the labels are '+', '-'." + CASE,
        ),
        (",+,+\n+,0,1\n-,1,0\n", "line 1 of costs.csv names the column '+' twice."),
        (
            "predicted/pred,+,-\n+,0,1\n-,1,0\n",
            "the corner 'predicted/pred' of costs.csv calls both axes predicted.",
        ),
    ],
)
def test_bad_files_of_costs_are_named_with_the_place(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(CostError) as caught:
        read_costs(at(tmp_path, "costs.csv", content), labels=SIGNS, order_stated=False)
    assert str(caught.value) == message


def test_a_file_that_cannot_be_read_is_a_file_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"there is no file missing\.json"):
        read_costs("missing.json", labels=SIGNS, order_stated=True)
    with pytest.raises(FileError, match=r"line 2 of costs\.csv has 2 cells; line 1 has 3"):
        read_costs(at(tmp_path, "costs.csv", ",+,-\n+,0\n-,1,0\n"), labels=SIGNS, order_stated=True)


POOLED = ("b", "rest")


@pytest.mark.parametrize(
    "named",
    [
        {"b": {"rest": 10}, "rest": {"b": 1}},
        {"b": {"not b": 10}, "not b": {"b": 1}},
        {"b": {"not b": 10}, "rest": {"b": 1}},
        {"labels": ["not b", "b"], "cost": [[0, 1], [10, 0]]},
    ],
    ids=str,
)
def test_pooled_classes_are_the_rest_of_one_or_not_it(named: Any) -> None:
    assert read_costs(named, labels=POOLED, order_stated=False) == Costs(POOLED, ((0, 10), (1, 0)))


def test_not_a_class_is_no_name_where_no_classes_are_pooled() -> None:
    for labels in (("a", "b"), ("a", "rest", "b"), ("b", "not a"), ("a", "rest")):
        with pytest.raises(CostError, match=r"names ('b', )?'not b'"):
            read_costs({"b": {"not b": 10}, "not b": {"b": 1}}, labels=labels, order_stated=False)
    # One of several classes is called rest, so all others together have another name.
    with pytest.raises(CostError, match="names 'rest'; the labels are 'b', 'not b'"):
        read_costs({"b": {"rest": 10}, "rest": {"b": 1}}, labels=("b", "not b"), order_stated=False)
    with pytest.raises(CostError, match="names 'not b'"):
        read_costs({"b": {"not b": 9, "rest": 1}, "rest": {"b": 1}}, labels=POOLED, order_stated=False)


@pytest.mark.parametrize("labels", [POOLED, ("it's", "not it's")])
def test_the_hint_for_pooled_classes_can_be_followed(labels: tuple[str, str]) -> None:
    """`--labels b,rest` would be refused: rest is no label of the rows."""
    with pytest.raises(CostError) as caught:
        read_costs("0 10; 1 0", labels=labels, order_stated=False)
    assert caught.value.hint is not None
    assert "--labels" not in caught.value.hint
    words = shlex.split(caught.value.hint)
    named = words[words.index("--costs") + 1]
    assert read_costs(named, labels=labels, order_stated=False) == Costs(labels, ((0, 10), (1, 0)))


def test_an_unstated_order_of_many_labels_is_cut_short() -> None:
    with pytest.raises(CostError) as caught:
        read_costs(np.eye(7), labels="abcdefg", order_stated=False)
    assert str(caught.value) == (
        "the cost matrix names no labels, and the order of the labels ('a', 'b', 'c', 'd', 'e' and 2 more) "
        "was not stated. Hint: state it (--labels a,b,c,d,e,...), or name the labels in the costs."
    )
