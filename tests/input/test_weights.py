"""Weights, groups and slices: which values they may have, and which rows count for nothing."""

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from inputs import matrix, refusals, written

import tallymark as tm

ACTUAL, PREDICTED = [1, 0, 1, 0], [1, 0, 0, 1]
NAN = math.nan


def weighed(weight: Any, **options: Any) -> tm.Evaluation:
    return tm.evaluate(ACTUAL, PREDICTED, sample_weight=weight, **options)


def test_weights_are_whole_as_long_as_their_sum_is_exact() -> None:
    for weight, kind in (
        ([1, 2, 3, 0], "i"),
        ([1.0, 2.0, 0.0, 3.0], "i"),
        ([1, 2.5, 1, 1], "f"),
        ([2**52, 2**52 - 1, 0, 0], "i"),
        ([2**53, 1, 0, 0], "f"),  # whose sum as floats is 2**53
        ([2**52, 2**52, 0, 0], "f"),
    ):
        tally = weighed(weight).confusion
        assert tally is not None
        assert tally.matrix.dtype.kind == kind, weight
        assert matrix(weighed(weight)) == [[weight[1], weight[3]], [weight[2], weight[0]]]
    # Weights of these sizes can be computed with; what is much smaller counts for nothing.
    for weight in ([1e50] * 4, [1e-50] * 4, [1, 1, 1, 1e-71]):
        assert weighed(weight)["accuracy"].value == pytest.approx(0.5 if weight[3] >= 1e-50 else 2 / 3)
    assert [weighed([1, 1, 1, small]).rows for small in (0.99e-70, 1e-70)] == [3, 4]


def test_what_is_said_of_rows_without_weight_and_of_frequencies(snapshot: Any) -> None:
    ev = weighed([1, 0, 0, 2])
    assert (ev.rows, ev["accuracy"].value) == (2, pytest.approx(1 / 3))
    assert weighed(np.array([True, True, False, True]))["accuracy"].value == pytest.approx(2 / 3)
    often: dict[str, Any] = {"weight_kind": "frequency"}
    assert (weighed([5, 1, 2, 2], **often).rows, weighed([1.0, 2.0, 0, 1], **often).rows) == (10, 4)
    assert weighed([2**52, 2**52 - 1, 0, 0], **often).rows == 2**53 - 1
    found = {
        "two of no weight": ev,
        "one of no weight": weighed([1, 0, 1, 2]),
        "frequencies": weighed([5, 1, 2, 2], **often),
        "frequencies and one of no weight": weighed([5, 0, 2, 2], **often),
        "one line": tm.evaluate([1], [1], sample_weight=[3], **often),
        "dropped": weighed([1, None, 1, 1], missing="drop"),
    }
    assert (found["dropped"].dropped, found["dropped"].rows) == ({"missing_weight": 1}, 3)
    snapshot("notes_weights", {name: "\n".join(each.notes) for name, each in found.items()})


GROUPS: list[Any] = [[1, 2, 1, 3], [2**40, 2**41, 2**40, 2**60], ["10", "9", "10", "a"], [0.5, 1, 0.5, 2.5]]
GROUPS += [[True, 2, True, 3], pd.Series([0.5, 1, 0.5, 2.5])]


def test_groups_and_slices_may_be_any_labels_or_numbers() -> None:
    expected = weighed(None, groups=["p", "q", "p", "r"])["accuracy"]
    whole = (expected.value, expected.low, expected.high, expected.n)
    for groups in GROUPS:
        found = weighed(None, groups=groups)["accuracy"]
        assert (found.value, found.low, found.high, found.n) == whole
        slices = weighed(None, slices={"by": groups}).slices
        assert [part.rows for part in slices] == [2, 1, 1]
    doses = weighed(None, slices={"dose": [0.5, 10, 2, 10.0]}).slices
    assert [(part.name, part.rows) for part in doses] == [("dose=0.5", 1), ("dose=2", 1), ("dose=10", 2)]
    gaps = weighed(None, slices={"dose": [0.5, None, NAN, 1.5]}, groups=[0.5, 1, 1, 2.5], missing="drop")
    assert (gaps.dropped, gaps.rows) == ({"missing_slice": 2}, 2)
    gaps = weighed([1, NAN, 1, 1], groups=["a", "b", None, "c"], missing="drop")
    assert (gaps.dropped, gaps.rows) == ({"missing_group": 1, "missing_weight": 1}, 2)
    # The same from a frame, from text, and as a frame of slices.
    frame = pl.DataFrame(
        {"y": ACTUAL, "p": PREDICTED, "g": [0.5, 1.0, 0.5, 2.5], "w": [1, 2, 3, 4], "a*b": list("xyxy")}
    )
    roles: dict[str, Any] = {"actual": "y", "predicted": "p", "weight": "w", "groups": "g"}
    arrays = weighed([1, 2, 3, 4], groups=frame["g"], slices=frame[["g", "a*b"]])
    for data in (frame, written(frame.write_csv())):
        found = tm.evaluate(data, slices=["g", "a*b"], **roles)
        assert found.to_dict()["metrics"] == arrays.to_dict()["metrics"]
        assert (
            [part.rows for part in found.slices] == [part.rows for part in arrays.slices] == [2, 1, 1, 2, 2]
        )
    crossed = tm.evaluate(frame, slices="g*p", **roles).slices
    assert sorted(part.rows for part in crossed) == [1, 1, 1, 1]
    assert [part.rows for part in tm.evaluate(frame, slices="y", **roles).slices] == [2, 2]


def test_what_is_refused(snapshot: Any) -> None:
    rows = ACTUAL, PREDICTED
    frame = pl.DataFrame({"y": ACTUAL, "p": PREDICTED, "w": [1, 2, 3, 4]})
    roles = {"actual": "y", "predicted": "p"}
    often = {"weight_kind": "frequency"}
    weights: list[tuple[Any, ...]] = [([1, -2, 3, -4.5], {}), ([1, 1, 1, -0.5], {}), ([0, 0, 0, 0], {})]
    weights += [([-0.0, 0, 0, 0], {}), ([0, None, 0, 0], {"missing": "drop"}), ([1, 1.1e50, 1, 1], {})]
    weights += [([0.9e-50] * 4, {}), (["a", "b", "c", "d"], {}), (["1", "2", "3", "4"], {})]
    weights += [([1, 2, "x", 4], {}), ([1, 1, math.inf, 1], {}), ([1, 1, -math.inf, 1], {})]
    weights += [([1, None, 1, 1], {}), ([1, NAN, 1, 1], {}), ([1, 2, 3], {})]
    weights += [([1] * 4, {"weight_kind": "freq"}), ([1] * 4, {"weight_kind": None})]
    weights += [([1, 2.5, 1, 1.5], often), ([2**52, 2**52, 0, 0], often), ([1] * 4, {"weight": [1] * 4})]
    weights += [("w", {}), (np.ones((4, 2)), {})]
    cases = [(*rows, {"sample_weight": weight} | more) for weight, more in weights]
    cases += [([1, 0, 1, 0], [1, None, 0, 1], {"sample_weight": [1, 1, 1, -1], "missing": "drop"})]
    cases += [(*rows, often), (*rows, {"groups": [1, 2, 3]}), (*rows, {"slices": {"region": ["north"]}})]
    cases += [(*rows, {"groups": "g"}), (*rows, {"slices": ["region"]}), (*rows, {"slices": "region"})]
    cases += [(*rows, {"slices": 5}), (*rows, {"groups": [[1], [2, 3], [4], [5]]})]
    cases += [(*rows, {"groups": ["a", 1, 2, 3]}), (*rows, {"groups": [0.5, math.inf, 1, 2]})]
    cases += [(*rows, {"groups": [1, 1, 1, 1]}), (frame, roles | {"weight": [1, 2, 3, 4]})]
    cases += [(frame, roles | {"groups": np.arange(40)}), (frame, roles | {"slices": {"w": [1, 2, 3, 4]}})]
    cases += [(frame, roles | {"slices": frame}), (frame, roles | {"slices": ["w", "w"]})]
    cases += [(frame, roles | {"slices": ["w*y", "w*y"]}), (frame, roles | {"slices": ["w*w"]})]
    cases += [(frame, roles | {"slices": ["w*"]}), (frame, roles | {"weight": "y"})]
    snapshot("errors_data_weights", refusals(cases))
