"""Results belong to themselves: they do not follow the caller's data, and what they hand out is read-only."""

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
from collected import each

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
SETS, SETS_CALLED = RANDOM.integers(0, 2, (2, N, 3))
IDS = np.arange(N) * 10
EVERYTHING = {"y": TRUE, "s": SCORE, "w": WEIGHT, "g": PATIENT, "r": REGION, "i": IDS, "c": CALLED}
COSTS = [[0, 5], [1, 0]]


def overwrite(*buffers: Any) -> None:
    """Write other values of the same type into the caller's own buffers."""
    for values in buffers:
        if isinstance(values, Mapping):
            overwrite(*values.values())
        elif isinstance(values, list):
            values[:] = values[::-1]
        elif isinstance(values, np.ndarray):
            values[...] = np.roll(values[::-1], 1, axis=0)
            if values.ndim == 2:
                values[...] = values[:, ::-1].copy()
        else:
            for name in list(values.columns):
                values.loc[:, name] = np.roll(values[name].to_numpy()[::-1], 1)


ARRAYS: dict[str, Callable[[np.ndarray], Any]] = {
    "array": np.copy,
    "strided": lambda values: np.repeat(values, 2)[::2],
    "column": lambda values: values.reshape(-1, 1).copy(),
    "list": lambda values: values.tolist(),
    "objects": lambda values: values.astype(object),
}


def checked(make: Callable[..., tm.Evaluation], data: Callable[[], dict[str, Any]]) -> None:
    """`make` of data that is overwritten afterwards gives what it gives of untouched data."""

    def made(found: dict[str, Any]) -> tm.Evaluation:
        first, *others = found
        return make(found[first], **{name: found[name] for name in others})

    spoilt = data()
    evaluation = made(spoilt)
    overwrite(spoilt)
    untouched = made(data())
    # Only now is computed what is computed when it is first asked for.
    assert (evaluation.to_dict(), str(evaluation)) == (untouched.to_dict(), str(untouched))


@each("kind", ARRAYS)
@each("of_type", [np.float64, np.float32, np.int8, np.uint64, np.bool_])
def test_labels_and_scores(kind: str, of_type: type) -> None:
    is_bool, is_float = of_type is np.bool_, of_type in (np.float64, np.float32)
    times = 1 if is_bool else 3
    score = (SCORE if is_float else np.round(SCORE * 10)).astype(np.float64 if is_bool else of_type)
    columns = {"y_true": (TRUE * times).astype(of_type), "y_pred": (CALLED * times).astype(of_type)}
    checked(
        lambda y, **more: tm.evaluate(y, **more, pos_label=True if is_bool else 3),
        lambda: {name: ARRAYS[kind](values) for name, values in (columns | {"y_score": score}).items()},
    )


def test_other_inputs() -> None:
    def copies(**columns: np.ndarray) -> Callable[[], dict[str, Any]]:
        return lambda: {name: values.copy() for name, values in columns.items()}

    of_scores = {"y_true": TRUE, "y_score": SCORE}
    beside = copies(**of_scores, sample_weight=WEIGHT, groups=PATIENT, id=IDS)
    checked(tm.evaluate, lambda: beside() | {"slices": {"region": REGION.copy()}})
    for kind in ("sampling", "frequency"):
        whole = copies(**of_scores, sample_weight=(WEIGHT * 3).astype(np.int64))
        checked(lambda y, kind=kind, **more: tm.evaluate(y, **more, weight_kind=kind), whole)
    for order in ("C", "F"):
        checked(
            lambda y, **more: tm.evaluate(y, **more, labels=[0, 1, 2]),
            lambda order=order: {"y_true": CLASSES.copy(), "y_score": TABLE.copy(order)},
        )
    for of_type in (np.int64, np.bool_, np.float64):
        checked(tm.evaluate, copies(y_true=SETS.astype(of_type), y_pred=SETS_CALLED.astype(of_type)))
    columns: dict[str, Any] = {"actual": "y", "score": "s", "predicted": "c", "weight": "w", "groups": "g"}
    for types in ({}, dict.fromkeys("ycgri", str)):
        checked(
            lambda frame: tm.evaluate(frame, **columns, slices=["r"], id="i"),
            lambda types=types: {"frame": pd.DataFrame(EVERYTHING).astype(types)},
        )
    # A Polars frame can hold a numpy array without a copy of its own.
    score = SCORE.copy()
    ev = tm.evaluate(pl.DataFrame({"y": TRUE, "s": score}), actual="y", score="s")
    score[:] = TRUE
    assert ev["auc"].value == tm.evaluate(TRUE, y_score=SCORE)["auc"].value < 1
    assert not tm.check(ev, require=["auc >= 0.999"]).passed


def test_comparisons() -> None:
    # The loop over models that keeps one frame: the models differ, so the comparison must.
    frame = pd.DataFrame({"y": TRUE, "s": 0.0})
    evaluations = {}
    for name, scores in {"good": SCORE, "poor": OTHER}.items():
        frame.loc[:, "s"] = scores
        evaluations[name] = tm.evaluate(frame, actual="y", score="s")
    kept = [one.value for one in tm.compare(evaluations).differences]
    fresh = tm.compare({"good": SCORE, "poor": OTHER}, y_true=TRUE)
    assert kept == [one.value for one in fresh.differences]
    assert any(kept)
    y, first, second = TRUE.copy(), SCORE.copy(), OTHER.copy()
    comparison = tm.compare({"good": first, "poor": second}, y_true=y)
    overwrite(y, first, second)
    assert comparison.to_dict() == fresh.to_dict()

    def compared(scores: dict[str, np.ndarray]) -> tm.Comparison:
        folds = {name: tm.FoldScores(one, "same", n_train=90, n_test=10) for name, one in scores.items()}
        return tm.compare(folds)

    folds = {"a": SCORE[:10].copy(), "b": OTHER[:10].copy()}
    of_folds = compared(folds)
    overwrite(folds)
    assert of_folds.to_dict() == compared({"a": SCORE[:10], "b": OTHER[:10]}).to_dict()


def test_functions_of_the_user_counts_and_costs() -> None:
    seen: list[bool] = []

    def spoil(y_true: Any, y_pred: Any, y_score: Any) -> float:
        for values in (y_true, y_pred, y_score):
            seen.append(values.flags.writeable)
            if values.flags.writeable:
                values[:] = 0
        return 1.0

    y, s = TRUE.copy(), SCORE.copy()
    ev = tm.evaluate(y, y_score=s, extra={"spoil": spoil})
    y[:], s[:] = 0, 0
    assert (ev["spoil"].value, len(seen) >= 3) == (1, True)
    clean = tm.evaluate(TRUE, y_score=SCORE)
    assert (ev["auc"].value, ev["auc"].low) == (clean["auc"].value, clean["auc"].low)
    assert str(ev.worst_errors(5).to_dict()) == str(clean.worst_errors(5).to_dict())
    matrix, positives, negatives = np.array([[5, 1], [2, 7]]), np.array([1, 4, 9]), np.array([8, 3, 1])
    edges = np.array([0.0, 0.3, 0.6, 1.0])
    confusion, scores = tm.Confusion(matrix), tm.Scores.from_bins(positives, negatives, edges)
    first, second, costs = SCORE[:10].copy(), OTHER[:10].copy(), np.array(COSTS, float)
    outcome = tm.tests.bayesian_t(first, second, rope=0.01)
    before = confusion.to_dict(), scores.to_dict(), str(outcome), outcome.better
    priced = tm.evaluate(TRUE, y_score=SCORE, labels=[0, 1], costs=costs)
    decision = tm.evaluate(TRUE, y_score=SCORE, labels=[0, 1]).decide(costs=costs)
    for values in (matrix, positives, negatives, edges, first, second, costs):
        values[...] = 0
    assert (confusion.to_dict(), scores.to_dict(), str(outcome), outcome.better) == before
    fresh = tm.evaluate(TRUE, y_score=SCORE, labels=[0, 1], costs=COSTS)
    assert (priced.to_dict(), decision.cost) == (fresh.to_dict(), fresh.decide(costs=COSTS).cost)


# --- what is handed out --------------------------------------------------------------------------

NOT_HANDED_OUT = {"counted", "ranked", "sliced", "sets", "sample", "margins", "detail", "chosen_among", "aim"}
"""Inner parts of results, which are in no documentation."""
KEEP: list[Any] = []
"""Objects whose identities were noted stay alive, so that no other gets the same one."""


def attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """Everything public that an object of ours holds or computes without being called."""
    names = {field.name for field in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else set()
    for kind in type(value).__mro__:
        names |= {name for name, one in vars(kind).items() if isinstance(one, property | cached_property)}
    for name in sorted(names - NOT_HANDED_OUT):
        if not name.startswith("_"):
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
    inside: list[tuple[str, Any]] = []
    if isinstance(value, np.ndarray):
        if value.flags.writeable:
            yield path
    elif isinstance(value, Mapping):
        inside = [(f"[{name!r}]", one) for name, one in value.items()]
    elif isinstance(value, tuple | list):
        inside = [(f"[{place}]", one) for place, one in enumerate(value[:4])]
    elif type(value).__module__.startswith("tallymark"):
        for name, one in attributes(value):
            if not isinstance(one, np.ndarray) or np.may_share_memory(one, getattr(value, name)):
                inside.append((f".{name}", one))
    for name, one in inside:
        yield from writeable(one, path + name, seen, depth + 1)


def scored(**more: Any) -> tm.Evaluation:
    return tm.evaluate(TRUE, y_score=SCORE, **more)


def tallied(**more: Any) -> tm.Tally:
    return tm.tally(pd.DataFrame(EVERYTHING), actual="y", score="s", groups="g", **more)


RESULTS: dict[str, Callable[[], Any]] = {
    "labels": lambda: tm.evaluate(TRUE, CALLED),
    "scores": scored,
    "everything": lambda: scored(sample_weight=WEIGHT, groups=PATIENT, slices={"r": REGION}, id=IDS),
    "probabilities": lambda: tm.evaluate(CLASSES, y_score=TABLE, labels=[0, 1, 2]),
    "label sets": lambda: tm.evaluate(SETS, SETS_CALLED, groups=PATIENT),
    "matrix": lambda: tm.Confusion([[5, 1], [2, 7]], labels=["a", "b"]).evaluate(pos_label="a"),
    "tally": lambda: tallied(slices=["r"]),
    "from a tally": lambda: tallied().evaluate(),
    "bins": lambda: tm.Scores.from_bins([1, 4, 9], [8, 3, 1], [0, 0.3, 0.6, 1]),
    "comparison": lambda: tm.compare({"a": SCORE, "b": OTHER}, y_true=TRUE),
    "folds": lambda: tm.compare(
        {"a": tm.FoldScores(SCORE[:9], "same"), "b": tm.FoldScores(OTHER[:9], "same")}
    ),
    "decision": lambda: scored().decide(costs={0: {0: 0, 1: 1}, 1: {0: 5, 1: 0}}, reject_cost=0.1),
    "another prevalence": lambda: scored().at_prevalence(0.1),
}


@each("name", RESULTS)
def test_what_results_hand_out_is_read_only(name: str) -> None:
    found, seen = list(writeable(RESULTS[name](), name, set())), len(KEEP)
    KEEP.clear()
    assert (found, seen > 10) == ([], True)


def test_curves_are_read_only_after_their_table_and_picture() -> None:
    evaluation = scored()
    for name in ("roc", "precision_recall", "gains", "lift", "rejection", "calibration", "cost_curve"):
        curve = getattr(evaluation, name)
        curve.to_dict()
        assert not list(writeable(curve, name, set()))
    KEEP.clear()
    with pytest.raises(ValueError, match="read-only"):
        evaluation.roc.tpr[0] = 1
