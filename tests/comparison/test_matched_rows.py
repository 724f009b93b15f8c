"""Which rows of several models are the same: by id, by place, or not at all."""

import pickle
import re

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from scored import classes, refusals

Y = [1, 0, 1, 0, 1]
A, B = [1, 0, 0, 0, 1], [0, 0, 1, 1, 1]
IDS = [11, 12, 13, 14, 15]
OTHER = [11, 99, 13, 98, 15]
SCORES = [0.1, 0.2, 0.3, 0.4, 0.5]
MIXED = np.random.default_rng(2).integers(0, 2, 100).tolist()
of = tm.evaluate


def dropping(actual, predicted, **options):
    return of(actual, predicted, missing="drop", **options)


def matched(*evs, **options):
    return tm.compare(dict(zip("abcd", evs, strict=False)), metrics=["accuracy"], **options)


def agreement(found):
    """How many rows neither, one or both of two models have right."""
    (table,) = found.to_dict()["agreement"]
    return [table[cell] for cell in ("n00", "n01", "n10", "n11")]


def counted(first, second):
    """The same row by row, from what is right by id: n01 are right in the first alone."""
    cells = [0, 0, 0, 0]
    for row in first.keys() & second.keys():
        cells[[(0, 0), (1, 0), (0, 1), (1, 1)].index((int(first[row]), int(second[row])))] += 1
    return cells


def right(actual, predicted, ids):
    return {
        row: p == y
        for row, y, p in zip(ids, actual, predicted, strict=True)
        if y is not None and p is not None
    }


# --- every row meets itself --------------------------------------------------------------------------


@given(
    st.permutations(range(8)), st.sets(st.integers(0, 7)), st.sets(st.integers(0, 7)), st.sampled_from("nteh")
)
def test_every_row_meets_itself_whatever_was_dropped(turn, gone_a, gone_b, kind):
    actual, predicted = [0, 1, 1, 0, 1, 0, 0, 1], [0, 1, 0, 0, 1, 1, 0, 0]
    ids = [{"n": at * 1_000, "t": f"r{at}", "e": f"{at}", "h": at * 2**60 - 2**62}[kind] for at in range(8)]
    ways = [int(each) if kind == "e" else each for each in ids]  # text that says whole numbers meets these
    if 8 in (len(gone_a), len(gone_b)):
        return
    a = [None if at in gone_a else predicted[at] for at in range(8)]
    b = [None if at in gone_b else 1 - predicted[at] // 2 for at in turn]
    evs = (
        dropping(actual, a, id=ids, labels=[0, 1]),
        dropping([actual[at] for at in turn], b, id=[ways[at] for at in turn], labels=[0, 1]),
    )
    if len(gone_a | gone_b) == 8:
        assert classes(refusals({"": lambda: matched(*evs)})) == {"": "InputError"}
        return
    found = matched(*evs)
    sides = right(actual, a, range(8)), right([actual[at] for at in turn], b, turn)
    assert agreement(found) == counted(*sides)
    assert {model.n for model in found.models} == {8 - len(gone_a | gone_b)}
    lacking = {name: str(len(gone)) for name, gone in (("a", gone_a), ("b", gone_b)) if gone}
    assert dict(re.findall(r"'([ab])'\D*(\d+)", found.notes[0])) == lacking


def test_models_that_are_columns_of_one_table():
    frame = pd.DataFrame({"y": Y, "a": [1, None, 0, 0, 1], "b": [None, 0, 0, 1, 0], "c": B})
    asked = {"actual": "y", "missing": "drop", "metrics": ["accuracy"]}
    found = tm.compare(frame, models=["a", "b"], **asked)
    assert agreement(found) == [1, 2, 0, 0]
    assert tm.compare(frame, models=list("abc"), **asked).models[0].n == 3
    none = frame.assign(a=[1, 0, None, None, None], b=[None, None, 0, 1, 0])
    refused = refusals({"": lambda: tm.compare(none, models=["a", "b"], **asked)})
    assert classes(refused) == {"": "InputError"}


# --- how it is known --------------------------------------------------------------------------------


def rare(positives):
    """So many positives at places of their own among a thousand rows; each makes two changes of class."""
    actual = np.zeros(1000, int)
    actual[np.arange(positives) * 70 + 30] = 1
    return actual


def twice(actual, **options):
    """Two models on these rows."""
    predicted = np.asarray(actual)
    return tuple(of(actual, each, pos_label=None, **options) for each in (predicted, predicted[::-1]))


def ids_like(one, other):
    return of([0, 1], [0, 1], id=[one, "p"]), of([0, 1], [0, 1], id=[other, "q"])


LACKING = [None if at == 7 else each for at, each in enumerate(MIXED)]
COUNTS = tm.Confusion([[3, 2], [1, 4]], labels=[0, 1]).evaluate(pos_label=1)
ALIKE = tm.Confusion([[1, 1], [1, 2]], labels=[0, 1]).evaluate(pos_label=1)
# With and without ids; in another order, with other ids, a part, and with a row left out.
PLAIN, FIRST, SECOND = (of(Y, A), of(Y, B)), of(Y, A, id=IDS), of(Y, B, id=IDS)
TURNED, ELSEWHERE = of(Y[::-1], B, id=IDS[::-1]), of(Y, B, id=[1, 2, 3, 4, 5])
FOUR, THREE, LEFT = of(Y[:4], B[:4], id=[1, 2, 3, 4]), of(Y[:3], B[:3]), dropping(Y, [1, None, 0, 0, 1])
WEIGHTED, GROUPED = of(Y, A, weight=[1, 1, 2, 2, 3], id=IDS), of(Y, A, groups=[1, 1, 2, 2, 3])
PICKLED = pickle.loads(pickle.dumps(PLAIN[1]))


def test_how_rows_are_known_to_be_the_same(snapshot):
    lacking = dropping(Y[::-1], [None, 0, 0, 1, 0], id=IDS[::-1])
    same = {
        "ids": (FIRST, SECOND),
        "ids as text": (FIRST, of(Y[::-1], B, id=[str(at) for at in IDS[::-1]])),
        "ids, two dropped and one": (dropping(Y, [1, None, 0, None, 1], id=IDS), lacking),
        "an unknown id that was dropped": (dropping([*Y, 1], [*A, None], id=[*IDS, 16]), SECOND),
        "three models": (FIRST, TURNED, SECOND),
        "mixed classes": twice(MIXED),
        "mixed classes, dropped alike": (dropping(MIXED, LACKING), dropping(MIXED, LACKING[:])),
        "few rows": PLAIN,
        "sorted": twice([0] * 100 + [1] * 100),
        "forty classes, sorted": twice([each for each in range(40) for _ in range(5)]),
        "by turns": twice([0, 1] * 100),
        "three by turns": twice([0, 1, 2] * 70),
        "ten sorted parts": twice(([0] * 10 + [1] * 10) * 10),
        "ten scattered positives": twice(rare(10)),
        "eleven scattered positives": twice(rare(11)),
        "equal weights": (WEIGHTED, of(Y, B, weight=[1.0, 1.0, 2.0, 2.0, 3.0], id=IDS)),
    }
    stated = {
        "few rows": PLAIN,
        "dropped apart": (LEFT, PLAIN[1]),
        "dropped before": (LEFT, of([1, 1, 0, 1], [1, 1, 0, 0])),
        "groups as text": (GROUPED, of(Y, B, groups=list("11223"))),
    }
    other = {
        "no id in common": (FIRST, FOUR),
        "another number of rows": (PLAIN[0], THREE),
        "counts of other classes": (PLAIN[0], COUNTS),
    }
    stated_other = {
        "no id in common": (ELSEWHERE, FIRST), "few rows": PLAIN, "ids of one": (FIRST, PLAIN[1]),
        "counts": (PLAIN[0], ALIKE), "pickled": (PLAIN[0], PICKLED),
    }  # fmt: skip
    found = {f"same: {name}": matched(*evs) for name, evs in same.items()}
    found |= {f"same, stated: {name}": matched(*evs, design="same rows") for name, evs in stated.items()}
    found |= {f"other: {name}": matched(*evs) for name, evs in other.items()}
    found |= {
        f"other, stated: {name}": matched(*evs, design="other rows") for name, evs in stated_other.items()
    }
    for name, one in found.items():
        assert one.design == ("same rows" if name.startswith("same") else "other rows"), name
    assert agreement(found["same: ids, two dropped and one"]) == [1, 1, 0, 0]
    assert agreement(found["same, stated: dropped apart"]) == [0, 2, 1, 1]
    assert [model.n for model in found["same: an unknown id that was dropped"].models] == [5, 5]
    assert [model.n for model in found["other: no id in common"].models] == [5, 4]
    snapshot("notes_of_matched_rows", {name: one.notes[0] for name, one in found.items()})


def test_what_cannot_be_matched(snapshot):
    words, ids, abc = ["n", "y", "y"], list("pqr"), list("abcab")
    yes, numbers = of(words, words, pos_label="y"), ["1", "2", "3", "4"]
    sets = of([{"a"}, {"b"}, {"a", "b"}], [{"a"}, {"b"}, {"a"}])
    pairs = {
        "no id in common, as many rows": (of(Y, A, id=list("vwxyz")), of(Y, B, id=list("abcde"))),
        "some ids shared": (FIRST, of(Y, B, id=OTHER)),
        "a part of the ids": (FIRST, of(Y[:4], B[:4], id=IDS[:4])),
        "many ids of one": (of([0, 1] * 10, [0, 1] * 10, id=list(range(20))), of([0, 1], [0, 1], id=[0, 1])),
        "the third has others": (FIRST, TURNED, ELSEWHERE),
        "the first has others": (ELSEWHERE, FIRST, TURNED),
        "ids of one": (FIRST, PLAIN[1]),
        "no row of both": [dropping(Y, p, id=IDS) for p in ([1, 0, *[None] * 3], [None, None, 0, 1, 0])],
        "numbers and other text": (FIRST, of(Y, B, id=["11", "12", "013", "x", "15"])),
        "text of numbers": (of(Y, A, id=[*numbers, "x"]), dropping(Y[:4], [*B[:3], None], id=numbers)),
        "leading zeros": ids_like("7", "007"),
        "case": ids_like("b7", "B7"),
        "blanks": ids_like("b7", "b7 "),
        "decimals": ids_like("007", "7.0"),
        "other classes": (PLAIN[0], of([1, 0, 1, 1, 0], B)),
        "all classes are others": (of([0, 1] * 6, [0, 1] * 6), of([1, 0] * 6, [1, 0] * 6)),
        "other classes by id": tuple(
            of(y, words, id=names, pos_label="y") for y, names in ((words, ids), (["y", "n", "y"], ids[::-1]))
        ),
        "other classes of a score": (of(Y, y_score=[2, -1, 3, 4, 9], id=IDS), of([1, 0, 1, 1, 1], B, id=IDS)),
        "fewer rows in one of three": (PLAIN[0], THREE, PLAIN[1]),
        "dropped in one": (LEFT, PLAIN[1]),
        "dropped in both": (LEFT, dropping(Y, [None, 0, 0, 0, 1])),
        "counts of as many classes": (PLAIN[0], ALIKE),
        "pickled": (PLAIN[0], PICKLED),
        "other weights": (WEIGHTED, of(Y, B, weight=[1, 1, 2, 2.5, 3], id=IDS)),
        "weights of one": (WEIGHTED, SECOND),
        "weights of another kind": (WEIGHTED, of(Y, A, weight=[1] * 5, weight_kind="frequency", id=IDS)),
        "other groups": (GROUPED, of(Y, B, groups=list("11224"))),
        "groups of one": (PLAIN[1], GROUPED),
        "other positive classes": (yes, of(words, words, pos_label="n")),
        "one class of three": (of(abc, y_score=SCORES, pos_label="a"), of(abc, abc, pos_label="a")),
        "one model": (PLAIN[0],),
        "label sets": (sets, sets),
    }  # fmt: skip
    stated = {
        "no id in common, stated": ("same rows", FIRST, FOUR),
        "shared ids of other rows": ("other rows", FIRST, TURNED),
        "fewer rows, stated": ("same rows", PLAIN[0], THREE),
        "counts, stated": ("same rows", PLAIN[0], COUNTS),
        "a positive class of one": ("other rows", yes, of(words, words)),
        "design": ("same folds", *PLAIN),
    }
    calls = {name: lambda evs=evs: matched(*evs) for name, evs in pairs.items()}
    calls |= {name: lambda d=d, evs=evs: matched(*evs, design=d) for name, (d, *evs) in stated.items()}
    refused = refusals(calls)
    kinds = {"weights of one", "weights of another kind", "groups of one"}
    kinds |= {"one model", "design", "label sets"}
    labels = {"other positive classes", "a positive class of one", "one class of three"}
    assert classes(refused) == {
        name: "OptionError" if name in kinds else "LabelError" if name in labels else "InputError"
        for name in calls
    }
    snapshot("errors_of_matched_rows", refused)


# --- labels of all models ----------------------------------------------------------------------------


def test_labels_of_all_models_are_put_together():
    # Labels that are numbers in one model alone are compared as text.
    text = of(["0", "1", "1"], ["0", "no", "1"], pos_label="1")
    ordered = [of(["low", "high"], [p, "high"], labels=["low", "mid", "high"]) for p in ("low", "high")]
    cases = [
        (of(["x", "z"], ["x", "z"]), of(["x", "z"], ["x", "y"]), ("x", "y", "z"), None),
        (of([0, 1, 1], [0, 1, 1]), text, ("0", "1", "no"), "1"),
        (of([True, False], [True, True]), of([1, 0], [1, 2], pos_label=1), (0, 1, 2), 1),
        (*ordered, ("low", "mid", "high"), None),
    ]
    for a, b, labels, positive in cases:
        found = matched(a, b, design="same rows")
        for name, before in (("a", a), ("b", b)):
            after = found.evaluations[name]
            assert (after.labels, after.positive) == (labels, positive)
            assert after.confusion.n == before.confusion.n
            assert after["accuracy"].value == before["accuracy"].value
