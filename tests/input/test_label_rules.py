"""Which labels there are, in which order, which of them is positive, and which rows count."""

import json
import math
from typing import Any

import numpy as np
import polars as pl
from inputs import called, counts, matrix, pairs, refusals, typed, written

import tallymark as tm
from collected import each

SAME = [[1, 0], [0, 1]]

# Labels as they come, as they are ordered (a lone 0 or True brings its partner), and the positive one.
ORDERS: list[tuple[Any, list[Any], Any]] = [([10, 9, -1], [-1, 9, 10], None)]
ORDERS += [(["10", "9", "-1"], ["-1", "10", "9"], None)]
ORDERS += [(["b", "B", "a", "é", "10", "9"], ["10", "9", "B", "a", "b", "é"], None)]
ORDERS += [
    (["yes", "Yes", "yes ", "ye\u0301s", "y\u00e9s"], ["Yes", "yes", "yes ", "ye\u0301s", "y\u00e9s"], None)
]
ORDERS += [([True, False], [False, True], True), ([0, 1], [0, 1], 1), ([1.0, 0.0], [0, 1], 1)]
ORDERS += [(np.array([0, 1], np.uint8), [0, 1], 1), (["1", "0"], ["0", "1"], "1")]
ORDERS += [(["False", "True"], ["False", "True"], "True"), (["false", "true"], ["false", "true"], "true")]
ORDERS += [(["FALSE", "TRUE"], ["FALSE", "TRUE"], "TRUE"), (["False", "true"], ["False", "true"], "true")]
ORDERS += [(["0.0", "1.0"], ["0.0", "1.0"], "1.0"), (["0", "1", "x"], ["0", "1", "x"], None)]
ORDERS += [([0, 1, 2], [0, 1, 2], None), ([1, 2], [1, 2], None), ([-1, 1], [-1, 1], None)]
ORDERS += [(["no", "yes"], ["no", "yes"], None), (["007", "7"], ["007", "7"], None)]
ORDERS += [(["1", "1.5"], ["1", "1.5"], None), ([2**53 + 1, 2**53], [2**53, 2**53 + 1], None)]
ORDERS += [(["1" * 5_000, "1"], ["1", "1" * 5_000], None), (["a"], ["a"], None), ([7], [7], None)]
ORDERS += [
    ([alone], list(pair), pair[1])
    for pair in ((0, 1), ("0", "1"), ("0.0", "1.0"), (False, True), ("False", "True"), ("false", "true"))
    for alone in pair
]
ORDERS += [(["TRUE"], ["FALSE", "TRUE"], "TRUE")]


@each("labels, order, positive", ORDERS, ids=[str(order[0])[:60] for order in ORDERS])
def test_the_order_of_labels_and_the_positive_one(labels: Any, order: list[Any], positive: Any) -> None:
    rows = [*labels, labels[0]]
    ev = tm.evaluate(rows, rows)
    assert typed(ev.labels) == typed(order)
    assert typed([ev.positive]) == typed([positive])
    times = {label: 2 if label == rows[-1] else 1 for label in labels}
    assert pairs(ev) == {(label, label): many for label, many in times.items()}
    assert ev.task == ("binary" if len(order) == 2 else "multiclass")
    assert ev.notes == ()


# Labels found, labels declared, labels of the result.
DECLARED: list[tuple[Any, Any, list[Any]]] = [(["a", "b"], ["b", "a"], ["b", "a"])]
DECLARED += [(["a", "b"], ("b", "c", "a"), ["b", "c", "a"]), (["a", "b"], np.array(["b", "a"]), ["b", "a"])]
DECLARED += [(["0", "1.0"], [0, 1], [0, 1]), (["0", "1.0"], ["0", "1"], ["0", "1"])]
DECLARED += [([0, 1], ["0", "1"], ["0", "1"]), ([0, 1], ["1", "0"], ["1", "0"])]
DECLARED += [([False, True], [0, 1], [0, 1]), ([0, 1], [0.0, 1.0], [0, 1])]
DECLARED += [([0, 1], np.array([0, 1], np.int8), [0, 1]), (["a", "a"], ["a"], ["a"])]


@each("found, declared, labels", DECLARED, ids=str)
def test_declared_labels_settle_order_and_reading(found: Any, declared: Any, labels: list[Any]) -> None:
    ev = tm.evaluate(found, found, labels=declared)
    assert typed(ev.labels) == typed(labels)
    assert np.trace(matrix(ev)) == ev.rows == 2
    assert ev.positive == next((label for label in labels if str(label) == "1"), None)


# Both columns, and the labels and counts that come of them: rows are actual, columns predicted.
BOTH: list[tuple[Any, Any, list[Any], list[list[int]]]] = [
    (["a", "a", "b"], ["b", "b", "b"], ["a", "b"], [[0, 2], [0, 1]])
]
BOTH += [([True, False], [1, 0], [0, 1], SAME), ([1, 0], [True, False], [0, 1], SAME)]
BOTH += [([True, False], [1.0, 0.0], [0, 1], SAME), ([1.0, 0], [True, 0.0], [0, 1], SAME)]
BOTH += [(["1.5", "2.5"], ["1.5", "1.5"], ["1.5", "2.5"], [[1, 0], [1, 0]])]
BOTH += [(["2024-01-01", "2023-12-31"], ["2024-01-01"] * 2, ["2023-12-31", "2024-01-01"], [[0, 1], [0, 1]])]
BOTH += [([2**62, 2**62 + 1], [2**62] * 2, [2**62, 2**62 + 1], [[1, 0], [1, 0]])]


def test_both_columns(snapshot: Any) -> None:
    wrong = []
    for actual, predicted, labels, expected in BOTH:
        ev = tm.evaluate(actual, predicted)
        wrong += [(actual, predicted)] if (typed(ev.labels), matrix(ev)) != (typed(labels), expected) else []
    assert wrong == []
    frame = pl.DataFrame({"y": [0, 1], "p": ["0", "1"]})
    many = [f"{at}.5" for at in range(21)]
    # Decimals are classes where all that is predicted is among a few actual ones, or where they are declared.
    assert tm.evaluate(["1.5", "2", "3"], ["2", "3", "3"]).rows == 3
    assert tm.evaluate(["1.5", *"23"] * 7, ["2"] * 21).rows == 21
    assert tm.evaluate([*many[:19], "1"], ["1"] * 20).rows == 20
    assert tm.evaluate(["1", "0"], ["0.75", "0.25"], labels=["0", "1", "0.25", "0.75"]).rows == 2
    cases: list[tuple[Any, ...]] = [(frame, {"actual": "y", "predicted": "p"}), (["0", "1"], [0, 1], {})]
    cases += [(["1", "0"], ["True", "False"], {})]
    cases += [(["true", "false", None], ["1.0", "0", "0"], {"missing": "drop"})]
    cases += [(["1", "0"], ["0.75", "0.25"], {}), ([1, 0], [0.75, 0.25], {})]
    cases += [(["0.75", "0.25"], ["1", "0"], {}), (["a", "b"], ["1", "0.25"], {})]
    cases += [([*many[:20], "1"], ["1"] * 21, {})]
    cases += [([str(at) for at in range(11)], ["0.5"] * 5 + ["1.5"] * 6, {})]
    snapshot("errors_data_labels_of_both_columns", refusals(cases))


def test_text_files_of_whole_numbers_hold_numbers() -> None:
    roles: dict[str, Any] = {"actual": "y", "predicted": "p"}
    cases = {
        "y,p\n0,0\n1,1.0\n": ((0, 1), 1), "y,p\n0,0\n1,1\n": ((0, 1), 0),
        "y,p\n10,9\n-1,9\n": ((-1, 9, 10), 0), f"y,p\n{2**53},{2**53 + 1}\n": ((2**53, 2**53 + 1), 0),
        f"y,p\n{2**64},1\n": ((1, 2**64), 0), "y,p\n3,3.000\n0.0,0\n": ((0, 3), 1),
        "y,p\n1,1\n1,1\n": ((0, 1), 0), "y,p\n1,x\n2,2\n": (("1", "2", "x"), 0),
    }  # fmt: skip
    found = {text: tm.evaluate(written(text), **roles) for text in cases}
    assert {text: (ev.labels, len(ev.notes)) for text, ev in found.items()} == cases
    # In parts, number text is numbers only where every part has it.
    parts = [written("y,p\n1,2\n", "1.csv"), written("y,p\na,2\n", "2.csv")]
    assert tm.evaluate(parts, **roles).labels == ("1", "2", "a")
    assert counts(tm.evaluate, parts[:1], **roles)[0] == (1, 2)


def test_undeclared_labels_are_named_with_their_places(snapshot: Any) -> None:
    long = "x" * 80
    quoted = written('y,p\n"a\nb",x\n,x\nz,x\n')
    cases = [(["a", "b", "c", "c"], ["a"] * 4, {"labels": ["a", "b"]})]
    cases += [([0, 1, 1], [0, 1, 7], {"labels": [0, 1]})]
    cases += [([None, 0, 1, 2], [0, 0, 1, 1], {"labels": [0, 1], "missing": "drop"})]
    cases += [(["0", "1", "2.0"], ["0", "1", "1"], {"labels": [0, 1]})]
    cases += [(["a", "b"], ["a", long], {"labels": ["a", "b"]})]
    cases += [(quoted, {"actual": "y", "predicted": "p", "labels": ["a\nb", "x"], "missing": "drop"})]
    cases += [([0, 1], [0, 1], {"labels": []}), (["a"], ["a"], {"labels": "ab"})]
    cases += [(["a"], ["a"], {"labels": {"a"}}), (["a"], ["a"], {"labels": {"a": 1, "b": 2}})]
    cases += [(["a"], ["a"], {"labels": 5}), (["a"], ["a"], {"labels": ["a", "b", "a"]})]
    cases += [(["a"], ["a"], {"labels": ["a", 1]}), (["a"], ["a"], {"labels": ["a", None]})]
    cases += [([1], [1], {"labels": [0.5, 1]}), (["a"], ["a"], {"labels": [["a"], ["b"]]})]
    cases += [(["no", "yes"], ["no", "no"], {"pos_label": "Yes"})]
    cases += [(["no", "yes"], ["no", "no"], {"pos_label": "maybe"})]
    cases += [(["a", long], ["a", "a"], {"pos_label": "b"}), (["a", "b"], ["a", "b"], {"pos_label": ["a"]})]
    snapshot("errors_data_declared_labels", refusals(cases))


def test_the_positive_class_is_named_by_value_or_by_text_and_stays_in_its_place() -> None:
    for positive in (0, "0", 0.0, False, np.int64(0), "0.0", "0.00"):
        for given in ({"y_pred": [0, 1]}, {"y_score": [0.1, 0.9]}):
            ev = tm.evaluate([0, 1], pos_label=positive, **given)
            assert (typed([ev.positive]), ev.labels) == (typed([0]), (0, 1))
    for positive in ("a", "b", np.str_("b")):
        ev = tm.evaluate(["a", "b", "c", "b"], ["a", "b", "b", "c"], pos_label=positive)
        assert (ev.labels, ev.positive, ev.task) == (("a", "b", "c"), str(positive), "multiclass")
        assert ev["recall"].value == {"a": 1, "b": 0.5}[positive]


# Actual classes, scores, options; labels, positive class and counts.
SCORED: list[tuple[Any, ...]] = [
    (["0", "1", "1"], [0.1, 0.9, 0.8], {}, ["0", "1"], "1", [[1, 0], [0, 2]]),
    ([False, True, True], [0.1, 0.9, 0.8], {}, [False, True], True, [[1, 0], [0, 2]]),
    ([0.0, 1.0, 1.0], [0.1, 0.9, 0.8], {}, [0, 1], 1, [[1, 0], [0, 2]]),
    (["yes"] * 2, [0.2, 0.9], {"pos_label": "yes"}, ["yes", "not yes"], "yes", [[1, 1], [0, 0]]),
    (["no"] * 2, [0.2, 0.9], {"pos_label": "yes"}, ["no", "yes"], "yes", [[1, 1], [0, 0]]),
    ([0, 1, 2], [0.9, 0.8, 0.2], {"pos_label": 1}, [1, "rest"], 1, [[1, 0], [1, 1]]),
    ([0, 1, 2], [0.9, 0.8, 0.2], {"pos_label": "1.0"}, [1, "rest"], 1, [[1, 0], [1, 1]]),
    (["a", "z", "b"], [0.9, 0.8, 0.2], {"pos_label": "z"}, ["z", "rest"], "z", [[1, 0], [1, 1]]),
    (["rest", "b", "c"], [0.1, 0.6, 0.7], {"pos_label": "b"}, ["b", "not b"], "b", [[1, 0], [1, 1]]),
    (["7", "7.0", "+1"], [0.9, 0.8, 0.1], {"pos_label": "7"}, ["7", "rest"], "7", [[1, 0], [1, 1]]),
    (["a", "b"], [0.9, 0.1], {"labels": ["b", "a"], "pos_label": "a"}, ["b", "a"], "a", [[1, 0], [0, 1]]),
    (
        ["a", "b", "x" * 80], [0.1, 0.9, 0.2], {"pos_label": "x" * 80}, ["x" * 80, "rest"], "x" * 80,
        [[0, 1], [1, 1]],
    ),
]  # fmt: skip


def test_scores_know_the_positive_rows(snapshot: Any) -> None:
    notes, wrong = {}, []
    for actual, score, options, labels, positive, expected in SCORED:
        case = called((actual, options))[:80]
        ev = tm.evaluate(actual, y_score=score, **options)
        found = typed([*ev.labels, ev.positive]), matrix(ev)
        wrong += [case] if found != (typed([*labels, positive]), expected) else []
        notes[case] = "\n".join(ev.notes)
        tally = ev.confusion
        # Pooled labels have a stated order, which adds up and comes back.
        assert (tally + tally).matrix.tolist() == (2 * tally.matrix).tolist()
        assert tally.declared == (str(labels[1]).startswith(("rest", "not ")) or "labels" in options)
        assert tm.Confusion.from_dict(json.loads(json.dumps(tally.to_dict()))) == tally
    assert wrong == []
    snapshot("notes_scores_of_classes", notes)
    text, slip = ["no", "yes"], {"y_score": [0, 1], "pos_label": "Yes"}
    cases: list[tuple[Any, ...]] = [(text, {"y_score": [0.1, 0.9]})]
    cases += [([0, 1, 2], {"y_score": [0.1, 0.2, 0.3]}), (["yes"] * 2, slip), (text, slip)]
    cases += [(["a", "b", "c"], {"y_score": [0, 1, 1], "pos_label": "A"})]
    cases += [(text, {"y_score": [0, 1], "pos_label": "yes", "labels": ["yes", "maybe"]})]
    snapshot("errors_data_positive_class", refusals(cases))


def test_dropped_rows_are_counted_once(snapshot: Any) -> None:
    rows = ([None, 1, math.nan, 1, 0, 0], [1, None, None, 1, 0, 0])
    ev = tm.evaluate(*rows, y_score=[0.1, 0.2, 0.3, None, None, 0.4], missing="drop")
    assert ev.dropped == {"missing_actual": 2, "missing_predicted": 1, "missing_score": 2}
    assert ev.rows == 1
    assert json.loads(ev.to_json())["dropped"] == dict(ev.dropped)
    assert [*ev.dropped] == sorted(ev.dropped)
    assert tm.evaluate([0, 1], [0, 1], missing="drop").dropped == {}
    kept = tm.evaluate(np.array([1.0, math.nan, 0.0]), [1, 1, 0], missing="drop")
    assert (typed(kept.labels), matrix(kept)) == (typed([0, 1]), SAME)
    cases = [([None, 1, math.nan, 1, None, 0, None], [1, None, 1, 1, None, 0, 1])]
    cases += [([None, 1], [1, None], {"missing": "drop"}), ([0, 1], [0, 1], {"missing": "ignore"})]
    cases += [(["a", None], ["x", "y"], {"labels": ["a", "b"]})]
    cases += [(["0", "1", None], ["False", "True", "True"], {"missing": "drop"})]
    cases += [([0, 1], [0, 1], {"undefined": 0.5}), ([0, 1], [0, 1], {"random_state": -1})]
    cases += [([0, 1], [0, 1], {"random_state": 0.5}), ([0, 1], [0, 1], {"random_state": True})]
    cases += [([0, 1], [0, 1], {"random_state": "0"}), ([0, 1], [0, 1], {"confidence_level": 95})]
    cases += [([0, 1], [0, 1], {"confidence_level": 0})]
    snapshot("errors_data_missing", refusals(cases))
    same = tm.evaluate([0, 0, 1, 1, 1], [0, 1, 1, 1, 0])["mcc"]
    again = tm.evaluate([0, 0, 1, 1, 1], [0, 1, 1, 1, 0], random_state=None)["mcc"]
    assert (same.low, same.high) == (again.low, again.high)
