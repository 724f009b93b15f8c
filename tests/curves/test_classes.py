"""Pictures of all classes at once: curves one against the rest, confused pairs, and how scores are spread."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from scored import binned, classes, columns, picture, refusals, scored, shown

# By hand: a wins 3 of 4 pairs, b 4 of 4, c half of its 4, all tied.
TABLE = np.array([[0.5, 0.1, 0.3], [0.6, 0.8, 0.3], [0.4, 0.2, 0.3]])
THREE = tm.Confusion([[50, 3, 0], [1, 40, 9], [2, 7, 30]], labels=["a", "b", "c"])
SPREAD_ROWS = st.lists(st.tuples(st.floats(-3, 3, width=16), st.booleans()), min_size=2)


def of_classes(size: int, n: int = 300, order: slice = slice(None), **options) -> tm.Evaluation:
    """Later classes are set apart better; the probabilities may be put in another order of the classes."""
    rng = np.random.default_rng(0)
    actual = np.arange(n) % size
    table = rng.normal(size=(n, size))
    table[np.arange(n), actual] += 0.5 + 3 * actual / size
    table = np.exp(table)[:, order]
    names = [f"k{own}" for own in range(size)]
    share = table / table.sum(axis=1, keepdims=True)
    return tm.evaluate(np.array(names)[actual], y_score=share, labels=names, **options)


def test_curves_are_listed_best_first() -> None:
    share = TABLE / TABLE.sum(axis=1, keepdims=True)
    ev = tm.evaluate(["a", "b", "c"], y_score=share, labels=["a", "b", "c"])
    found = ev.one_vs_rest
    areas = {label: ev.per_class[label].roc.auc for label in "abc"}
    assert found.order == tuple(sorted(areas, key=lambda label: -areas[label]))
    frame = found.table("pandas")
    assert frame["class"].tolist() == list(found.order)
    assert frame["auc"].tolist() == [areas[label] for label in found.order]
    assert frame["support"].tolist() == [1, 1, 1]
    form = of_classes(3, 1500).one_vs_rest.to_dict(most=50)["classes"][0]
    assert (form["label"], len(form["fpr"]) < 200 < form["points"]) == ("k2", True)
    assert form["auc"]["low"] < form["auc"]["value"] < form["auc"]["high"]


def test_classes_without_rows_come_last_and_many_classes_share_a_colour(snapshot) -> None:
    actual, table = np.arange(90) % 2, np.random.default_rng(0).dirichlet(np.ones(3), 90)
    missing = tm.evaluate(np.array(["x", "y"])[actual], y_score=table, labels=["x", "y", "z"]).one_vs_rest
    assert missing.order[-1] == "z"
    form = json.loads(json.dumps(missing.to_dict()))["classes"][-1]["auc"]
    assert (form["value"], bool(form["why"])) == (None, True)
    shares = TABLE / TABLE.sum(axis=1, keepdims=True)
    one = tm.evaluate(["a"] * 3, y_score=shares, labels=["a", "b", "c"]).one_vs_rest
    assert one.known == ()
    found = {"a class without rows": missing, "one class only": one, "clear": of_classes(3, 1500).one_vs_rest}
    found |= {"intervals overlap": of_classes(3, 30).one_vs_rest}
    found |= {"worse than at random": of_classes(3, 300, slice(None, None, -1)).one_vs_rest}
    said = {name: str(each) for name, each in found.items()}
    named = {}
    for size in (3, 8, 9, 20):
        axes = of_classes(size, 400).one_vs_rest.plot()
        lines = [line for line in axes.get_lines() if len(line.get_xdata()) > 2]
        named[size] = (len(lines), len(axes.get_legend().get_texts()))
    # Beside random guessing; of many classes the three best and the three worst, and all the others.
    assert named == {3: (3, 4), 8: (8, 9), 9: (9, 8), 20: (20, 8)}
    few = of_classes(3, 12, groups=[0] * 9 + [1, 2, 3], slices={"part": ["one"] * 9 + ["rest"] * 3})
    said["one group"] = str(next(part for part in few.slices if part.rows == 9).evaluation.one_vs_rest)
    said["nine classes"] = picture(of_classes(9, 60).one_vs_rest.plot())
    said["picture without a class"] = picture(missing.plot())
    snapshot("text_one_vs_rest", said)


def pairs(matrix, most=10, **options):
    return tm.Confusion(matrix, **options).evaluate().confused_pairs(most)


def test_confused_pairs_by_hand() -> None:
    found = THREE.evaluate().confused_pairs()
    assert (found.errors, found.share) == (22, pytest.approx(1))
    cells = [(pair.first, pair.second, pair.forth, pair.back, pair.count) for pair in found.pairs]
    # The more frequent direction comes first.
    assert cells == [("b", "c", 9, 7, 16), ("a", "b", 3, 1, 4), ("c", "a", 2, 0, 2)]
    first = found.pairs[0]
    assert (first.of_first, first.of_second, first.share) == (9 / 50, 7 / 39, 16 / 22)
    few = THREE.evaluate().confused_pairs(1)
    assert ([pair.count for pair in few.pairs], few.found) == ([16], 3)
    assert found.table("pandas")["count"].tolist() == [16, 4, 2]
    assert json.loads(json.dumps(found.to_dict()))["pairs"][0]["share"] == 16 / 22
    (pair,) = pairs([[5, 2], [0, 0]], labels=["a", "b"]).pairs
    assert (pair.first, pair.of_second) == ("a", None)
    weighted = tm.evaluate(["a", "a", "b"], ["a", "b", "a"], sample_weight=[1.5, 0.25, 0.5]).confused_pairs()
    assert [(pair.first, pair.forth, pair.back) for pair in weighted.pairs] == [("b", 0.5, 0.25)]


def test_confused_pairs_of_many_classes() -> None:
    matrix = np.random.default_rng(0).integers(0, 5, (12, 12))
    found = pairs(matrix, 1_000, labels=list(range(12)))
    expected = [matrix[one, two] + matrix[two, one] for one in range(12) for two in range(one)]
    assert [pair.count for pair in found.pairs] == [each for each in sorted(expected, reverse=True) if each]
    for pair in found.pairs:
        assert (pair.forth, pair.back) == (matrix[pair.first, pair.second], matrix[pair.second, pair.first])
        assert pair.forth >= pair.back


def test_confused_pairs_in_words(snapshot) -> None:
    none = pairs([[5, 0], [0, 3]])
    assert (none.pairs, none.to_dict(), len(none.table())) == ((), {"errors": 0, "found": 0, "pairs": []}, 0)
    weighted = tm.evaluate(["a", "a", "b"], ["a", "b", "a"], sample_weight=[1.5, 0.25, 0.5]).confused_pairs()
    ev = THREE.evaluate()
    texts = {"three classes": ev.confused_pairs(), "one of three": ev.confused_pairs(1), "no errors": none}
    texts |= {"a class without rows": pairs([[5, 2], [0, 0]]), "weights": weighted}
    counts = (0, 1.5, True, "3")
    refused = refusals({f"most {most!r}": lambda most=most: ev.confused_pairs(most) for most in counts})
    assert set(classes(refused).values()) == {"OptionError"}
    snapshot("text_confused_pairs", {name: shown(each) for name, each in texts.items()} | refused)


def spread(score, positive, n_bins=20, **options):
    return scored(score, positive, **options).distribution_as(n_bins)


def test_scores_by_class_by_hand() -> None:
    made = spread([0.9, 0.8, 0.8, 0.4, 0.1], [1, 0, 1, 1, 0], 2)
    assert made.edges.tolist() == [0, 0.5, 1]
    assert (made.positives.tolist(), made.negatives.tolist()) == ([1, 2], [1, 1])
    assert made.share_of_positives.tolist() == [1 / 3, 2 / 3]
    found = made.at(0.5)
    assert (found.low, found.high, found.positives, found.share_of_negatives) == (0.5, 1, 2, 0.5)
    assert made.table().row(1) == (0.5, 1.0, 2, 1, pytest.approx(2 / 3), 0.5)
    weighted = spread([0.1, 0.1, 0.9], [1, 0, 1], 2, sample_weight=[0.5, 2.0, 1.5])
    assert (weighted.positives.tolist(), weighted.negatives.tolist()) == ([0.5, 1.5], [2, 0])
    # Outside of 0 and 1 the bins span the scores.
    wide, alone = spread([-2, 0, 6], [0, 1, 1], 4), spread([7.0], [1], 2)
    assert (wide.edges.tolist(), wide.positives.tolist()) == ([-2, 0, 2, 4, 6], [0, 1, 0, 1])
    assert (alone.edges.tolist(), alone.positives.tolist()) == ([6.5, 7, 7.5], [0, 1])
    only = spread([0.2, 0.4], [0, 0], 2)
    assert only.at(0.2).share_of_positives is None
    json.dumps(only.to_dict(), allow_nan=False)


@given(SPREAD_ROWS, st.integers(1, 30))
def test_scores_by_class_as_numpy_counts(rows: list[tuple[float, bool]], n_bins: int) -> None:
    score, positive = columns(rows)
    made = spread(score, positive, n_bins)
    assert len(made.edges) == n_bins + 1
    for side, counts in ((positive, made.positives), (~positive, made.negatives)):
        assert counts.tolist() == np.histogram(score[side], made.edges)[0].tolist()


def test_edges_within_a_counted_bin_move_to_where_it_begins() -> None:
    made = binned([2, 1, 0], [0, 1, 3], [1, 0.6, 0.3, 0]).distribution_as(4)
    # 0.25 is within [0, 0.3), 0.5 within [0.3, 0.6) and 0.75 within [0.6, 1].
    assert (made.edges.tolist(), made.even) == ([0, 0.3, 0.6, 1], False)
    assert (made.positives.tolist(), made.negatives.tolist()) == ([0, 1, 2], [3, 1, 0])
    assert binned([2, 1], [0, 1], [1, 0.5, 0]).distribution_as(2).even


def test_of_many_classes_it_is_of_right_and_wrong_predictions(snapshot) -> None:
    two = tm.evaluate(["a", "b", "b"], y_score=[0.1, 0.7, 0.9], pos_label="b", threshold=0.5)
    assert (two.distribution_as(2).positives.tolist(), two.distribution.threshold) == ([0, 2], 0.5)
    # The predictions are a, b and a, the last wrong: right with 0.6 and 0.7, wrong with 0.5.
    probabilities = np.array([[0.6, 0.2, 0.2], [0.1, 0.7, 0.2], [0.5, 0.1, 0.4]])
    three = tm.evaluate(["a", "b", "c"], y_score=probabilities, labels=["a", "b", "c"]).distribution_as(10)
    assert (three.positives.nonzero()[0].tolist(), three.negatives.nonzero()[0].tolist()) == ([6, 7], [5])
    made = spread([0.9, 0.8, 0.8, 0.4, 0.1], [1, 0, 1, 1, 0], 2, threshold=0.8)
    texts = {"two classes": made, "three classes": three, "one class": spread([0.2, 0.4], [0, 0], 2)}
    texts |= {"bins": binned([2, 1, 0], [0, 1, 3], [1, 0.6, 0.3, 0]).distribution_as(4)}
    said = {name: f"{each}\n\n{picture(each.plot())}" for name, each in texts.items()}
    refused = refusals({"beyond the bins": lambda: made.at(2), "no bins": lambda: spread([0.1], [1], 0)})
    assert set(classes(refused).values()) == {"OptionError"}
    snapshot("text_distribution", said | refused)
