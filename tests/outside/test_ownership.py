"""Results belong to themselves: they do not follow the caller's data, and what they hand out is read-only."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallymark as tm

N = 60
RANDOM = np.random.default_rng(7)
TRUE = np.tile([0, 1, 1], N // 3)
SCORE = np.round(np.clip(0.3 * TRUE + RANDOM.uniform(0, 0.7, N), 0, 1), 2)
OTHER = np.round(RANDOM.uniform(0, 1, N), 2)
CALLED = (SCORE > 0.45).astype(np.int64)
WEIGHT = RANDOM.uniform(0.5, 2, N)
PATIENT = np.repeat(np.arange(N // 3), 3)
REGION = np.tile([0, 1], N // 2)
TABLE = RANDOM.dirichlet([1, 1, 1], N)
CLASSES = np.tile([0, 1, 2], N // 3)
SETS = RANDOM.integers(0, 2, (N, 3))
SETS_CALLED = RANDOM.integers(0, 2, (N, 3))
IDS = np.arange(N) * 10
FRAME = pd.DataFrame({"y": TRUE, "s": SCORE, "g": PATIENT, "r": REGION})


def overwrite(values: Any) -> None:
    """Write other values of the same type into the caller's own buffer."""
    if isinstance(values, Mapping):
        for each in values.values():
            overwrite(each)
    elif isinstance(values, list):
        values[:] = values[::-1] if not isinstance(values[0], list) else [row[::-1] for row in values]
    elif isinstance(values, np.ndarray):
        values[...] = np.roll(values[::-1], 1, axis=0)
        if values.ndim == 2:
            values[...] = values[:, ::-1].copy()
    else:
        for name in list(values.columns):
            values.loc[:, name] = np.roll(values[name].to_numpy()[::-1], 1)


def float32(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float32)


def strided(values: np.ndarray) -> np.ndarray:
    """Every other element of a larger array."""
    wide = np.zeros((len(values), 2), values.dtype)
    wide[:, 0] = values
    return wide[:, 0]


ARRAYS: dict[str, Callable[[np.ndarray], Any]] = {
    "array": np.copy,
    "strided": strided,
    "column": lambda values: values.reshape(-1, 1).copy(),
    "list": lambda values: values.tolist(),
    "objects": lambda values: values.astype(object),
}


def everything(evaluation: tm.Evaluation) -> dict[str, Any]:
    """All that is computed when it is first asked for."""
    return {**evaluation.to_dict(), "text": str(evaluation)}


def checked(make: Callable[..., tm.Evaluation], data: dict[str, Any], fresh: dict[str, Any]) -> None:
    """`make` of data that is overwritten afterwards gives what it gives of untouched data."""
    actual, *_ = data
    evaluation = make(data[actual], **{name: each for name, each in data.items() if name != actual})
    overwrite(data)
    untouched = make(fresh[actual], **{name: each for name, each in fresh.items() if name != actual})
    assert everything(evaluation) == everything(untouched)


@pytest.mark.parametrize("kind", ARRAYS)
@pytest.mark.parametrize("of_type", [np.float64, np.float32, np.int8, np.uint8, np.uint64, np.bool_])
def test_labels_and_scores(kind: str, of_type: type) -> None:
    def data() -> dict[str, Any]:
        whole = of_type not in (np.float64, np.float32)
        labels = [TRUE, CALLED] if of_type is np.bool_ else [TRUE * 3, CALLED * 3]
        score = SCORE if not whole else np.round(SCORE * 10)
        made = ARRAYS[kind]
        return {
            "y_true": made(labels[0].astype(of_type)),
            "y_pred": made(labels[1].astype(of_type)),
            "y_score": made(score.astype(np.float64 if of_type is np.bool_ else of_type)),
        }

    positive = True if of_type is np.bool_ else 3
    checked(lambda y, **each: tm.evaluate(y, **each, pos_label=positive), data(), data())


def test_weights_groups_slices_ids_votes() -> None:
    def data() -> dict[str, Any]:
        return {
            "y_true": TRUE.copy(),
            "y_score": SCORE.copy(),
            "sample_weight": WEIGHT.copy(),
            "groups": PATIENT.copy(),
            "slices": {"region": REGION.copy()},
            "id": IDS.copy(),
        }

    checked(tm.evaluate, data(), data())
    for whole in ("sampling", "frequency"):
        weights = (WEIGHT * 3).astype(np.int64)
        checked(
            lambda y, kind=whole, **each: tm.evaluate(y, **each, weight_kind=kind),
            {"y_true": TRUE.copy(), "y_score": SCORE.copy(), "sample_weight": weights.copy()},
            {"y_true": TRUE.copy(), "y_score": SCORE.copy(), "sample_weight": weights.copy()},
        )


@pytest.mark.parametrize("order", ["C", "F"])
def test_probability_tables(order: Any) -> None:
    def data() -> dict[str, Any]:
        return {"y_true": CLASSES.copy(), "y_score": TABLE.copy(order)}

    checked(lambda y, **each: tm.evaluate(y, **each, labels=[0, 1, 2]), data(), data())


@pytest.mark.parametrize("of_type", [np.int64, np.bool_, np.float64])
def test_label_sets(of_type: type) -> None:
    def data() -> dict[str, Any]:
        return {"y_true": SETS.astype(of_type), "y_pred": SETS_CALLED.astype(of_type)}

    checked(tm.evaluate, data(), data())


@pytest.mark.parametrize("text", [False, True])
def test_frames(text: bool) -> None:
    def frame() -> pd.DataFrame:
        made = pd.DataFrame(
            {"y": TRUE, "s": SCORE, "w": WEIGHT, "g": PATIENT, "r": REGION, "i": IDS, "c": CALLED}
        )
        return made.astype({"y": str, "c": str, "g": str, "r": str, "i": str}) if text else made

    def ask(frame: pd.DataFrame) -> tm.Evaluation:
        return tm.evaluate(
            frame, actual="y", score="s", predicted="c", weight="w", groups="g", slices=["r"], id="i"
        )

    checked(ask, {"frame": frame()}, {"frame": frame()})


def test_polars_over_the_callers_memory() -> None:
    """A Polars frame can hold a numpy array without a copy of its own."""
    score = SCORE.copy()
    evaluation = tm.evaluate(pl.DataFrame({"y": TRUE, "s": score}), actual="y", score="s")
    score[:] = TRUE
    assert evaluation["auc"].value == tm.evaluate(TRUE, y_score=SCORE)["auc"].value < 1


def test_a_score_column_that_is_used_again() -> None:
    """The loop over models that keeps one frame: the models differ, so the comparison must."""
    frame = pd.DataFrame({"y": TRUE, "s": 0.0})
    evaluations = {}
    for name, scores in {"good": SCORE, "poor": OTHER}.items():
        frame.loc[:, "s"] = scores
        evaluations[name] = tm.evaluate(frame, actual="y", score="s")
    kept = tm.compare(evaluations)
    fresh = tm.compare({"good": SCORE, "poor": OTHER}, y_true=TRUE)
    assert [each.value for each in kept.differences] == [each.value for each in fresh.differences]
    assert any(each.value for each in kept.differences)


def test_a_gate_does_not_pass_by_writing_to_the_scores() -> None:
    score = SCORE.copy()
    evaluation = tm.evaluate(TRUE, y_score=score)
    score[:] = TRUE
    assert not tm.check(evaluation, require=["auc >= 0.999"]).passed


def test_own_metrics_and_worst_errors() -> None:
    seen: list[bool] = []

    def spoil(y_true: Any, y_pred: Any, y_score: Any) -> float:
        for values in (y_true, y_pred, y_score):
            seen.append(values.flags.writeable)
            if values.flags.writeable:
                values[:] = 0
        return 1.0

    y, s = TRUE.copy(), SCORE.copy()
    evaluation = tm.evaluate(y, y_score=s, extra={"spoil": spoil})
    y[:], s[:] = 0, 0
    assert evaluation["spoil"].value == 1
    clean = tm.evaluate(TRUE, y_score=SCORE)
    assert evaluation["auc"].value == clean["auc"].value
    assert evaluation["auc"].low == clean["auc"].low
    assert str(evaluation.worst_errors(5).to_dict()) == str(clean.worst_errors(5).to_dict())


def test_comparisons_of_arrays() -> None:
    y, first, second = TRUE.copy(), SCORE.copy(), OTHER.copy()
    comparison = tm.compare({"a": first, "b": second}, y_true=y)
    for values in (y, first, second):
        overwrite(values)
    assert comparison.to_dict() == tm.compare({"a": SCORE, "b": OTHER}, y_true=TRUE).to_dict()


def test_fold_scores_and_tables_of_scores() -> None:
    def compared(scores: dict[str, np.ndarray]) -> tm.Comparison:
        folds = {name: tm.FoldScores(each, "same", n_train=90, n_test=10) for name, each in scores.items()}
        return tm.compare(folds)

    scores = {"a": SCORE[:10].copy(), "b": OTHER[:10].copy()}
    kept = compared(scores)
    overwrite(scores)
    assert kept.to_dict() == compared({"a": SCORE[:10], "b": OTHER[:10]}).to_dict()


def test_tallies_from_counts() -> None:
    matrix, positives, negatives = np.array([[5, 1], [2, 7]]), np.array([1, 4, 9]), np.array([8, 3, 1])
    edges = np.array([0.0, 0.3, 0.6, 1.0])
    confusion, scores = tm.Confusion(matrix), tm.Scores.from_bins(positives, negatives, edges)
    before = confusion.to_dict(), scores.to_dict()
    for values in (matrix, positives, negatives, edges):
        values[...] = 0
    assert (confusion.to_dict(), scores.to_dict()) == before


def test_tests_and_splits_keep_their_inputs() -> None:
    first, second = SCORE[:10].copy(), OTHER[:10].copy()
    outcome = tm.tests.bayesian_t(first, second, rope=0.01)
    said = str(outcome), outcome.better
    overwrite(first)
    overwrite(second)
    assert (str(outcome), outcome.better) == said


def test_costs() -> None:
    costs = np.array([[0.0, 5.0], [1.0, 0.0]])
    evaluation = tm.evaluate(TRUE, y_score=SCORE, labels=[0, 1], costs=costs)
    decision = tm.evaluate(TRUE, y_score=SCORE, labels=[0, 1]).decide(costs=costs)
    costs[:] = 100
    fresh = tm.evaluate(TRUE, y_score=SCORE, labels=[0, 1], costs=[[0, 5], [1, 0]])
    assert evaluation.to_dict() == fresh.to_dict()
    assert decision.cost == fresh.decide(costs=[[0, 5], [1, 0]]).cost


# --- what is handed out ------------------------------------------------------------------------------


NOT_HANDED_OUT = {"counted", "ranked", "sliced", "sets", "sample", "margins", "detail", "chosen_among", "aim"}
"""Inner parts of results, which are in no documentation."""


def attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """Everything public that an object of ours holds or computes without being called."""
    names = {field.name for field in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else set()
    for kind in type(value).__mro__:
        found = vars(kind).items()
        names |= {name for name, each in found if isinstance(each, property | cached_property)}
    for name in sorted(names):
        if not name.startswith("_") and name not in NOT_HANDED_OUT:
            # Some attributes exist only for other kinds of data.
            with contextlib.suppress(tm.TallymarkError, AssertionError, AttributeError, IndexError):
                yield name, getattr(value, name)


def writeable(value: Any, path: str, seen: set[int], depth: int = 0) -> Iterator[str]:
    """The paths of arrays below a result that can be written to and are read again by it.

    An array that is computed anew each time may be written to: the result does not see it.
    """
    if id(value) in seen or depth > 6:
        return
    seen.add(id(value))
    KEEP.append(value)
    if isinstance(value, np.ndarray):
        if value.flags.writeable:
            yield path
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield from writeable(each, f"{path}[{name!r}]", seen, depth + 1)
    elif isinstance(value, tuple | list):
        for place, each in enumerate(value[:4]):
            yield from writeable(each, f"{path}[{place}]", seen, depth + 1)
    elif type(value).__module__.startswith("tallymark"):
        for name, each in attributes(value):
            if isinstance(each, np.ndarray) and not np.may_share_memory(each, getattr(value, name)):
                continue
            yield from writeable(each, f"{path}.{name}", seen, depth + 1)


KEEP: list[Any] = []
"""Objects whose identities were noted stay alive, so that no other gets the same one."""

RESULTS: dict[str, Callable[[], Any]] = {
    "labels": lambda: tm.evaluate(TRUE, CALLED),
    "scores": lambda: tm.evaluate(TRUE, y_score=SCORE),
    "everything beside scores": lambda: tm.evaluate(
        TRUE, y_score=SCORE, sample_weight=WEIGHT, groups=PATIENT, slices={"r": REGION}, id=IDS
    ),
    "probabilities": lambda: tm.evaluate(CLASSES, y_score=TABLE, labels=[0, 1, 2]),
    "label sets": lambda: tm.evaluate(SETS, SETS_CALLED, groups=PATIENT),
    "matrix": lambda: tm.Confusion([[5, 1], [2, 7]], labels=["a", "b"]).evaluate(pos_label="a"),
    "tally": lambda: tm.tally(FRAME, actual="y", score="s", groups="g", slices=["r"]),
    "from a tally": lambda: tm.tally(FRAME, actual="y", score="s", groups="g").evaluate(),
    "bins": lambda: tm.Scores.from_bins([1, 4, 9], [8, 3, 1], [0, 0.3, 0.6, 1]),
    "comparison": lambda: tm.compare({"a": SCORE, "b": OTHER}, y_true=TRUE),
    "folds": lambda: tm.compare(
        {name: tm.FoldScores(each[:10], "same") for name, each in {"a": SCORE, "b": OTHER}.items()}
    ),
    "decision": lambda: tm.evaluate(TRUE, y_score=SCORE).decide(
        costs={0: {0: 0, 1: 1}, 1: {0: 5, 1: 0}}, reject_cost=0.1
    ),
    "another prevalence": lambda: tm.evaluate(TRUE, y_score=SCORE).at_prevalence(0.1),
}


@pytest.mark.parametrize("name", RESULTS)
def test_what_results_hand_out_is_read_only(name: str) -> None:
    found = list(writeable(RESULTS[name](), name, set()))
    KEEP.clear()
    assert not found


def test_curves_are_read_only_after_their_table_and_picture() -> None:
    evaluation = tm.evaluate(TRUE, y_score=SCORE)
    for name in ("roc", "precision_recall", "gains", "lift", "rejection", "calibration", "cost_curve"):
        curve = getattr(evaluation, name)
        curve.to_dict()
        found = list(writeable(curve, name, set()))
        assert not found
    KEEP.clear()
    with pytest.raises(ValueError, match="read-only"):
        evaluation.roc.tpr[0] = 1
