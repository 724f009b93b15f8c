"""Files of which no rows are kept give the counts and the numbers that they give in memory."""

import pickle
from functools import cache

import numpy as np
import polars as pl
import pytest
from inputs import IN_PIECES, refusals, refused, written

import tallymark as tm
from documents import same
from scored import classes

ROWS = 90
COSTS = {1: {0: 5}, 0: {1: 1}}
SCORED, LABELS = {"actual": "y", "score": "s"}, {"actual": "y", "predicted": "p"}


@cache
def table():
    rng = np.random.default_rng(3)
    patient = rng.integers(0, 14, ROWS)
    y = (rng.random(ROWS) < 0.3).astype(int)
    s = np.round(np.clip(rng.beta(2, 5, ROWS) + 0.15 * y + rng.normal(0, 0.05, 14)[patient], 0, 1), 2)
    said = s + rng.normal(0, 0.1, ROWS) > 0.4
    return pl.DataFrame(
        {
            "y": y,
            "p": said.astype(int),
            "s": s,
            "z": s * 4 - 2,
            "truth": y == 1,
            "word": np.where(y == 1, "yes", "no"),
            "said": np.where(said, "yes", "no"),
            "three": rng.choice(["a", "b", "c"], ROWS),
            "named": rng.choice(["a", "b", "c"], ROWS),
            "whole": rng.integers(0, 4, ROWS),
            "share": np.round(rng.random(ROWS), 3),
            "region": rng.choice(["n", "s", "e"], ROWS),
            "step": rng.choice([1, 2, 10], ROWS),
            # Whole at first, so that pieces differ in what they seem to hold.
            "dose": np.r_[np.ones(ROWS // 2), rng.choice([0.5, 1.0, 2.0], ROWS - ROWS // 2)],
            "half": np.where(np.arange(ROWS) < ROWS // 2, patient // 2, patient / 2),
            "patient": patient,
            "name": [f"patient {number}" for number in patient],
            "late": patient > 6,
        }
    )


BOTH = {**SCORED, "predicted": "p"}
LATER = ("costs", "threshold", "undefined", "confidence_level", "random_state")
"""What is not said when rows are counted, but when the tally is evaluated."""
WORDS = {"actual": "word", "predicted": "said"}
CASES = {
    "labels": LABELS, "score": SCORED, "both": {**LABELS, "score": "s"},
    "whole weights": {**SCORED, "weight": "whole"},
    "fractions as weights": {**LABELS, "score": "s", "weight": "share"},
    "frequencies": {**SCORED, "weight": "whole", "weight_kind": "frequency"},
    "frequencies of labels": {**LABELS, "weight": "whole", "weight_kind": "frequency"},
    "slices": {**SCORED, "slices": ["region", "dose*step"]},
    "slices with weights": {**LABELS, "weight": "share", "slices": ["step", "dose"]},
    "text": {"actual": "word", "score": "s", "pos_label": "yes"},
    "text both": {**WORDS, "score": "s", "pos_label": "no"}, "booleans": {"actual": "truth", "score": "s"},
    "declared": {**WORDS, "labels": ["yes", "no"], "costs": [[0, 5], [1, 0]]},
    "declared numbers": {**SCORED, "labels": [1, 0]},
    "three and a positive": {"actual": "three", "score": "s", "pos_label": "b"},
    "three": {"actual": "three", "predicted": "named"}, "a threshold": {**SCORED, "threshold": 0.3},
    "best f1": {**SCORED, "threshold": "best:f1"},
    "best cost": {**SCORED, "threshold": "best:cost", "costs": COSTS}, "clip": {**SCORED, "clip": 1e-3},
    "no probabilities": {"actual": "y", "score": "z", "slices": ["region"]},
    "options": {**SCORED, "undefined": 0, "confidence_level": 0.9, "random_state": 3},
}  # fmt: skip
GROUPS = {
    "groups of labels": {"actual": "three", "predicted": "named", "groups": "name"},
    "groups of both": {**LABELS, "score": "s", "groups": "name"},
    "groups and the best cost": {**CASES["best cost"], "groups": "name"},
    "groups of one of three": {**CASES["three and a positive"], "threshold": 0.3, "groups": "patient"},
    "groups without a threshold": {"actual": "y", "score": "z", "groups": "name"},
    "groups with weights": {**SCORED, "weight": "share", "groups": "patient"},
    "groups of frequencies": {**CASES["frequencies of labels"], "groups": "name"},
    "groups in slices": {**SCORED, "slices": ["region"], "groups": "patient"},
    "groups in slices of labels": {**WORDS, "slices": ["region*late"], "weight": "whole", "groups": "name"},
}


def test_counts_in_pieces():
    """Of CSV every number; the tally of Parquet is to the last bit that of the frame and of its parts."""
    table().with_columns(more=MORE).write_csv("rows.csv")
    table().write_parquet("rows.parquet", row_group_size=20)
    for name, options in (CASES | GROUPS).items():
        same(*(tm.evaluate("rows.csv", **options, **more).to_dict() for more in ({}, IN_PIECES)), name)
        counting = {each: options[each] for each in options if each not in LATER}
        whole, found = tm.tally(table(), **counting), tm.tally("rows.parquet", **counting)
        parts = [tm.tally(table()[start : start + 30], **counting) for start in (0, 30, 60)]
        added = pickle.loads(pickle.dumps(parts[0])) + (parts[1] + parts[2])
        if "share" not in counting.values():  # whose sums are rounded
            assert found == added == whole, name
    with pytest.raises(tm.OptionError):  # no rows are there
        tm.evaluate("rows.csv", **CASES["both"], extra={"own": lambda *_: 0.0}, **IN_PIECES)


HEADER = "y,p,s,w,r\n"
ONES, ZEROS = "1,1,0.4,1,a\n" * 20, "0,1,0.5,1,b\n" * 20
MORE = pl.lit("m" * 40_000)


def long(rows):
    """With a column nobody asks for, so long that a piece has few rows, and at least two pieces."""
    head, *lines = rows.splitlines()
    more = "m" * max(40_000, (5 << 19) // max(1, len(lines)))
    return "".join([f"{head},more\n", *(f"{line},{more}\n" for line in lines)])


PARTS = {
    "only ones first": (ONES + ZEROS, {**SCORED, "slices": ["r"]}),
    "only ones": (ONES, SCORED),
    "only zeros": (ZEROS, LABELS),
    "ones about zero": (ONES, {**SCORED, "pos_label": 0}),
    "1.0 and 0": (ONES.replace("1,1,", "1.0,1,") + ZEROS, SCORED),
    "01 is not 1": (ONES.replace("1,1,", "01,1,") + ONES, {**SCORED, "pos_label": "01"}),
    "words after numbers": (ONES + ZEROS + "no,no,0.1,1,a\n" * 20, {**BOTH, "pos_label": "1"}),
    "named by True": (ONES + ZEROS, {**SCORED, "pos_label": True}),
    "named by text": (ONES + ZEROS, {**SCORED, "pos_label": "0"}),
    "a column without values": (ONES + "0,,0.5,1,a\n" * 20, {**LABELS, "missing": "drop"}),
    "fractions on both sides": ("1,0.5,0.4,1,a\n" * 20 + "0.5,1,0.4,1,a\n" * 20, LABELS),
    "some dropped": (
        ONES + "1,1,,1,a\n0,1,0.2,,a\n,1,0.2,1,a\n" * 9 + ZEROS,
        {**SCORED, "weight": "w", "missing": "drop"},
    ),
    "a weight of a dropped row": (ONES + ZEROS + "1,1,,-1,a\n", {**SCORED, "weight": "w", "missing": "drop"}),
    "words that mean missing": (
        ONES + "1,1,NA,1,a\n0,?,0.3,1,a\n" * 9 + ZEROS,
        {**BOTH, "missing": "drop", "missing_words": ["NA", "?"]},
    ),
    "large weights": (ONES + ZEROS + "1,1,0.3,20000000000,a\n", {**BOTH, "weight": "w"}),
    "dropped for want of a group": (
        ONES + "1,1,0.4,1,\n,1,0.4,1,b\n1,1,0.4,,b\n" * 4 + ZEROS,
        {**SCORED, "weight": "w", "groups": "r", "slices": "p", "missing": "drop"},
    ),
}


def test_parts_that_differ():
    paths = {case: written(long(HEADER + rows), f"{case}.csv") for case, (rows, _) in PARTS.items()}
    kept = {case: tm.evaluate(path, **PARTS[case][1]).to_dict() for case, path in paths.items()}
    for case, path in paths.items():
        same(kept[case], tm.evaluate(path, **PARTS[case][1], **IN_PIECES).to_dict(), case)
    lost = {"missing_actual": 9, "missing_score": 9, "missing_weight": 9}
    assert kept["some dropped"]["dropped"] == lost
    lost = {"missing_actual": 4, "missing_group": 4, "missing_weight": 4}
    assert kept["dropped for want of a group"]["dropped"] == lost


def test_values_that_are_text_in_some_parts_only():
    """Of slices and of groups: fractions are named by text, whole numbers by themselves."""
    rows = pl.DataFrame({"y": [0, 1] * 6, "p": [1, 1, 0] * 4, "dose": [1.0] * 6 + [0.5, 1.0] * 3})
    rows.write_parquet("x.parquet", row_group_size=4)
    ev = tm.tally("x.parquet", **LABELS, slices="dose").evaluate()
    same(tm.evaluate("x.parquet", **LABELS, slices="dose").to_dict(), ev.to_dict())
    assert [(part.slice["dose"], part.rows) for part in ev.slices] == [("0.5", 3), ("1", 9)]
    early = pl.Series("early", ["first"] * 30 + ["second"] * (ROWS - 30))
    frame, half = table().with_columns(early), ROWS // 2
    frame.write_parquet("y.parquet", row_group_size=20)
    for side in ({"score": "s"}, {"predicted": "p"}):
        options = {"actual": "y", "groups": "half", **side}
        one, other, whole = (tm.tally(part, **options) for part in (frame[:half], frame[half:], frame))
        keys = (one.groups or one.score_groups).keys
        assert isinstance(keys[0], int)
        assert one + other == whole == tm.tally("y.parquet", **options)
        options |= {"slices": "early"}
        same(*(tm.tally(data, **options).evaluate().to_dict() for data in (frame, "y.parquet")))


def test_curves_and_decisions_of_groups():
    options = {**SCORED, "weight": "share", "groups": "name"}
    kept = tm.evaluate(table(), **options)
    added = sum(tm.tally(table()[start : start + 30], **options) for start in range(0, ROWS, 30)).evaluate()
    for one, two in ((kept, added), (kept.at_prevalence(0.1), added.at_prevalence(0.1))):
        same(one.decide(costs=COSTS).to_dict(), two.decide(costs=COSTS).to_dict())
        for name in ("roc", "precision_recall", "decision_curve", "rejection", "cost_curve"):
            same(getattr(one.curves, name).to_dict(), getattr(two.curves, name).to_dict())
        same(one.curves.calibration().to_dict(), two.curves.calibration().to_dict())


GOOD = ONES + ZEROS
WEIGHED, FREQUENT = {"weight": "w"}, {"weight": "w", "weight_kind": "frequency"}
WRONG = {
    "missing": ("1,1,,1,a\n0,,0.5,1,a\n", "1,1,,1,a\n", {"predicted": "p"}),
    "missing weights and slices": ("1,1,0.4,,a\n", "1,1,0.3,,\n", {"weight": "w", "slices": ["r"]}),
    "missing groups": ("1,1,,1,\n0,1,0.5,,b\n", "1,1,0.4,1,\n", {"groups": "r"}),
    "words": ("1,1,NA,1,a\n", "1,1,x,1,a\n1,1,NA,1,a\n1,1,y,1,a\n", {}),
    "a word beside a missing group": ("1,1,x,1,\n", "", {"groups": "r"}),
    "decimal comma": ('1,1,"0,5",1,a\n', "", {}), "infinite": ("1,1,inf,1,a\n", "1,1,-inf,1,a\n", {}),
    "words before what is infinite": ("1,1,inf,1,a\n", "1,1,q,1,a\n", {}),
    "what is infinite before what is missing": ("1,1,,1,a\n", "1,1,inf,1,a\n", {}),
    "missing before weights below 0": ("1,1,0.5,-1,a\n", ",1,0.5,1,a\n", WEIGHED),
    "weights before labels": ("9,1,0.5,1,a\n", "1,1,0.5,-1,a\n", {"weight": "w", "labels": [0, 1]}),
    "weights before scores": ("1,1,q,1,a\n", "1,1,1,v,a\n", WEIGHED),
    "beyond what a float holds": ("1,1,9007199254740993,1,a\n", "", {}),
    "negative weights": ("1,1,0.3,-1,a\n", "1,1,0.3,-2.5,a\n", WEIGHED),
    "too large a weight": ("1,1,0.3,1e60,a\n", "", WEIGHED),
    "fractions as frequencies": ("1,1,0.3,1.5,a\n", "1,1,0.3,2.5,a\n", FREQUENT),
    "too many rows": ("1,1,0.3,9007199254740991,a\n", "1,1,0.3,2,a\n", FREQUENT),
    "undeclared labels": ("2,1,0.3,1,a\n10,1,0.3,1,a\n", "-3,1,0.3,1,a\n", {"labels": [0, 1]}),
    "undeclared answers": ("1,2,0.3,1,a\n", "1,4,0.3,1,a\n", {"labels": [0, 1], "predicted": "p"}),
    "answers that are scores": ("1,0.5,0.3,1,a\n", "", {"predicted": "p"}),
    "a column for two roles": ("", "", {"predicted": "y"}),
    "a threshold beside answers": ("", "", {"predicted": "p", "threshold": 0.5}),
    "no such threshold": ("", "", {"threshold": "bestest"}),
    "clip without probabilities": ("", "", {"score": None, "predicted": "p", "clip": 0.1}),
    "one label": ("", "", {"labels": [1]}), "sets": ("", "", {"empty_sets": 0}),
    "two scores": ("", "", {"votes": ["p", "r"]}), "no such column": ("", "", {"score": "zz"}),
    "no such group": ("", "", {"groups": "h"}), "no such label": ("", "", {"pos_label": "zz"}),
    "no such way to weigh": ("", "", {"weight": "w", "weight_kind": "often"}),
    "no such way of missing": ("", "", {"missing": "guess"}),
    "a slice twice": ("", "", {"slices": ["r", "r"]}), "a cost is missing": ("", "", {"costs": {1: {0: 1}}}),
}  # fmt: skip
NOTHING = {
    "all dropped": ("1,1,,1,a\n" * 20, {"missing": "drop"}),
    "all missing": ("1,1,,1,a\n" * 20, {}),
    "no group": ("1,1,0.4,1,\n" * 20, {"groups": "r", "missing": "drop"}),
    "no weight": ("1,1,0.5,0,a\n" * 20, WEIGHED),
    "too little weight": ("1,1,0.5,1e-60,a\n" * 20, WEIGHED),
    "no rows": ("", {}),
    "decimals as answers": (
        "".join(f"{row % 2},0.{row:04}5,0.5,1,a\n" for row in range(1_200)),
        {"score": None, "predicted": "p"},
    ),
}
TYPED = {
    "text as score": ({"y": [1, 0], "s": ["a", "b"]}, SCORED),
    "text beside numbers": ({"y": ["a", "b"], "p": [1, 2]}, LABELS),
    "fractions as labels": ({"y": [1.0, 0.5], "p": [1, 2]}, LABELS),
    "undeclared numbers": ({"y": [10, 1, 9, 1, -3], "p": [1, 1, 1, 1, 1]}, {**LABELS, "labels": [1, 2]}),
}


def test_faults_are_told_as_in_memory(snapshot):
    texts, typed = {}, {}
    for case, (first, second, options) in WRONG.items():
        paths = [written(long(HEADER + GOOD + first + GOOD), f"{case} 1.csv")]
        paths.append(written(long(HEADER + GOOD + second), f"{case} 2.csv"))
        texts[case] = paths, SCORED | options
    for case, (rows, options) in NOTHING.items():
        texts[case] = written(long(HEADER + rows), f"{case}.csv"), SCORED | options
    for case, (columns, options) in TYPED.items():
        pl.DataFrame(columns).write_parquet(f"{case}.parquet", row_group_size=1)
        typed[case] = f"{case}.parquet", options
    kept = refusals(texts) | refusals(typed)
    streamed = refusals(texts, **IN_PIECES) | refusals(typed, tm.tally)
    differ = {case for case in kept if streamed[case] != kept[case]}
    assert differ == {"too little weight"}, [(kept[case], streamed[case]) for case in differ]
    assert "OptionError" not in {classes(kept)[case] for case in (*NOTHING, *TYPED)}
    snapshot("errors_input_in_memory_and_in_pieces", kept)
    empty = pl.DataFrame({"y": ["a", "b"], "p": pl.Series([None, "a"], dtype=pl.String)})
    empty.write_parquet("empty.parquet", row_group_size=1)
    assert tm.tally("empty.parquet", **LABELS, missing="drop").dropped == {"missing_predicted": 1}


def test_groups_that_are_refused(snapshot):
    frame = table().with_columns(pa=pl.col("s") / 2, pb=pl.col("s") / 2, pc=1 - pl.col("s"))
    frame.with_columns(more=MORE).write_csv("rows.csv")
    three = {"actual": "three", "probabilities": {"a": "pa", "b": "pb", "c": "pc"}, "groups": "name"}
    grid = {**SCORED, "groups": "name", "approximate": True}
    one = GOOD.replace(",b\n", ",a\n")
    in_one = [written(long(HEADER + one), "1.csv"), written(long(HEADER + one + ZEROS), "2.csv")]
    by_r = {"actual": "y", "groups": "r", **IN_PIECES}
    tally, without = tm.tally(frame, **SCORED, groups="name"), tm.tally(frame, **SCORED)
    counted = {
        "probabilities of classes": ("rows.csv", three),
        "a grid": ("rows.csv", grid),
        "a table on a grid": (frame, grid),
        "no name": (frame, {**SCORED, "groups": [1, 2]}),
    }
    evaluated = {
        "probabilities evaluated": ("rows.csv", three | IN_PIECES),
        "a grid evaluated": ("rows.csv", grid),
        "one group of scores": (in_one[0], {**by_r, "score": "s"}),
        "one group of labels": (in_one[0], {**by_r, "predicted": "p"}),
    }
    found = refusals(counted, tm.tally) | refusals(evaluated)
    found |= refused({"added to rows without": lambda: tally + without})
    assert set(classes(found).values()) == {"OptionError", "MergeError", "ShapeError"}
    snapshot("errors_input_groups", found)
    # where there are no scores, nothing is approximate
    ev = tm.evaluate("rows.csv", actual="y", predicted="p", groups="name", approximate=True)
    assert ev["accuracy"].method == "group_bootstrap"
    # a part may be of one group, and slices may
    for side in ({"score": "s"}, {"predicted": "p"}):
        slices = tm.evaluate(in_one[1], **by_r, slices="r", **side).slices
        assert [part["accuracy"].low for part in slices] == [None, None]
    # nothing is resampled without a threshold
    outside = written(long(HEADER + one.replace("0.4", "1.4")), "3.csv")
    assert tm.evaluate(outside, **by_r, score="s")["auc"].low is None
