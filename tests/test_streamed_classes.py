"""One probability per class in files of which no rows are kept, against the same files in memory."""

from __future__ import annotations

import math
import pickle
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from tallymark.errors import OptionError
from tallymark.evaluation.tallying import tally

TWO, THREE, FIVE = ["no", "yes"], ["a", "b", "c"], [0, 3, 7, 10, 12]
_PAIRS = ("auc_ovo_macro", "auc_ovo_weighted")
_MEANS = ("auc_ovr_macro", "auc_ovr_weighted")


def _table(labels, rows=120, *, ties=False, seed=0):
    """Rows whose own class is somewhat more probable, with weights, slices and answers of another model."""
    rng, size = np.random.default_rng(seed), len(labels)
    actual = rng.integers(0, size, rows)
    logits = rng.normal(size=(rows, size))
    logits[np.arange(rows), actual] += 1
    table = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    if ties:
        table = np.array([rng.multinomial(8, row) / 8 for row in table])
    named = np.array(labels)
    columns = {
        "y": named[actual],
        "said": named[rng.integers(0, size, rows)],
        "w": rng.integers(1, 9, rows) / 4,
        "n": rng.integers(0, 3, rows),
        "region": np.array(["north", "south"])[rng.integers(0, 2, rows)],
    }
    # Not in the order of the labels.
    order = [*range(1, size), 0]
    return pl.DataFrame(columns | {f"p_{labels[at]}": table[:, at] for at in order})


def _written(folder, table, kind="csv", cuts=(30, 70)):
    ends, paths = [0, *cuts, len(table)], []
    for part, (start, end) in enumerate(pairwise(ends)):
        path = folder / f"part{part}.{kind}"
        rows = table[start:end]
        rows.write_csv(path) if kind == "csv" else rows.write_parquet(path)
        paths.append(path)
    return paths


def _columns(table):
    return [name for name in table.columns if name.startswith("p_")]


def _counted(paths, *, approximate=False, **options):
    return tally(paths, actual="y", approximate=approximate, **options)


def _both(paths, **options):
    """In memory, and from counts."""
    return tm.evaluate(paths, actual="y", **options), _counted(paths, **options).evaluate()


def _same(one, two, path="", skip=()):
    """Every number of two documents, but for rounding."""
    if path.endswith(skip):
        return
    if isinstance(one, dict):
        assert set(one) == set(two), path
        for key in one:
            _same(one[key], two[key], f"{path}/{key}", skip)
    elif isinstance(one, list):
        assert len(one) == len(two), path
        for at, (first, second) in enumerate(zip(one, two, strict=True)):
            _same(first, second, f"{path}/{at}", skip)
    elif isinstance(one, float):
        assert two == pytest.approx(one, rel=1e-9, abs=1e-12), path
    else:
        assert one == two, path


def _same_but_pairs(memory, counted):
    first, second = memory.to_dict(), counted.to_dict()
    assert sorted(first.pop("notes")) == sorted(second.pop("notes"))
    _same(first, second, skip=(*_PAIRS, *_MEANS))
    for one, two in zip([memory, *memory.slices], [counted, *counted.slices], strict=True):
        for name in _MEANS:
            known, found = one[name], two[name]
            assert found.value == pytest.approx(known.value, rel=1e-12)
            # What rows would add makes the interval narrower, never wider.
            assert found.low <= known.low
            assert known.high <= found.high


@pytest.mark.parametrize(
    ("labels", "kind"),
    [(TWO, "csv"), (THREE, "csv"), (FIVE, "parquet")],
    ids=["two", "three", "five-parquet"],
)
def test_every_number_is_that_of_rows_in_memory(tmp_path, labels, kind):
    table = _table(labels)
    memory, counted = _both(_written(tmp_path, table, kind), probabilities=_columns(table))
    _same_but_pairs(memory, counted)


@pytest.mark.parametrize(
    "options",
    [
        {"weight": "w"},
        {"weight": "n", "weight_kind": "frequency"},
        {"predicted": "said"},
        {"predicted": "said", "weight": "w", "slices": ["region"]},
        {"clip": 0.01, "pos_label": "b"},
        {"labels": ["c", "a", "b"]},
    ],
    ids=["weights", "frequencies", "answers", "answers-weights", "clip", "labels"],
)
def test_every_number_with_options(tmp_path, options):
    table = _table(THREE, ties=True)
    _same_but_pairs(*_both(_written(tmp_path, table), probabilities=_columns(table), **options))


def test_ties_are_counted_and_the_first_label_is_taken(tmp_path):
    table = pl.DataFrame({"y": ["a", "b"], "p_b": [0.5, 0.4], "p_a": [0.5, 0.6]})
    memory, counted = _both(_written(tmp_path, table, cuts=(1,)), probabilities=["p_b", "p_a"])
    assert counted.confusion.matrix.tolist() == [[1, 0], [1, 0]]
    assert counted.notes == memory.notes
    assert counted.notes[0].startswith("1 row has a tie")


def test_places_of_the_actual_class(tmp_path):
    table = _table(FIVE, ties=True)
    memory, counted = _both(_written(tmp_path, table, "parquet"), probabilities=_columns(table), weight="w")
    for k in range(1, 6):
        name = f"top_k_accuracy:{k}"
        _same(memory[name].to_dict(), counted[name].to_dict())


def test_a_class_that_is_not_in_every_part(tmp_path):
    table = _table(THREE).sort("y")
    _same_but_pairs(*_both(_written(tmp_path, table), probabilities=_columns(table)))


def test_a_class_that_no_row_is_of(tmp_path):
    table = _table(THREE).filter(pl.col("y") != "b", pl.col("said") != "b")
    for options in ({}, {"predicted": "said"}):
        memory, counted = _both(_written(tmp_path, table), probabilities=_columns(table), **options)
        assert counted.labels == ("a", "b", "c")
        _same(memory.to_dict(), counted.to_dict(), skip=(*_PAIRS, *_MEANS))


def test_tallies_of_parts_are_added(tmp_path):
    table = _table(THREE, ties=True)
    paths = _written(tmp_path, table)
    options = {"probabilities": _columns(table), "weight": "w"}
    for approximate in (False, True):
        parts = [_counted(path, approximate=approximate, **options) for path in paths]
        whole, added = _counted(paths, approximate=approximate, **options), sum(parts[1:], parts[0])
        assert added.counted == whole.counted
        assert added.classes.columns == whole.classes.columns
        assert added.classes.margins == whole.classes.margins
        assert added.classes.place_squares.tolist() == whole.classes.place_squares.tolist()
        for one, two in zip(added.classes.losses, whole.classes.losses, strict=True):
            _same(one.to_dict(), two.to_dict())


def test_counts_of_a_frame_are_those_of_its_file(tmp_path):
    table = _table(FIVE)
    options = {"actual": "y", "probabilities": _columns(table), "slices": "region"}
    assert tally(table, **options) == tally(_written(tmp_path, table, "parquet", cuts=())[0], **options)


# --- on a grid ---------------------------------------------------------------------------------


def _estimates(form, path=""):
    """Every number of a document with what is said of it."""
    if isinstance(form, dict):
        if "value" in form:
            yield path, form
        for key, each in form.items():
            yield from _estimates(each, f"{path}/{key}")
    elif isinstance(form, list):
        for at, each in enumerate(form):
            yield from _estimates(each, f"{path}/{at}")


def _numbers(ev):
    form = ev.to_dict()
    return {key: form[key] for key in ("metrics", "per_class", "slices")}


def _on_wide_bins(monkeypatch, bins=25):
    monkeypatch.setattr("tallymark.evaluation.streamed.BINS", bins)


@pytest.mark.parametrize(
    ("labels", "options"),
    [(TWO, {}), (THREE, {"weight": "w"}), (THREE, {"slices": ["region"]}), (FIVE, {})],
    ids=["two", "three-weights", "three-slices", "five"],
)
def test_bounds_on_a_grid_hold_what_rows_in_memory_say(tmp_path, monkeypatch, labels, options):
    _on_wide_bins(monkeypatch)
    table = _table(labels, seed=len(labels))
    paths = _written(tmp_path, table)
    options = {"probabilities": _columns(table), "pos_label": labels[1], **options}
    memory, counted = tm.evaluate(paths, actual="y", **options), _counted(paths, approximate=True, **options)
    known, bounded = dict(_estimates(_numbers(memory))), 0
    for path, found in _estimates(_numbers(counted.evaluate())):
        if path.endswith(_PAIRS) or found["value"] is None:
            continue
        low, high = found.get("bounds", (found["value"],) * 2)
        bounded += high > low
        assert low - 1e-9 <= known[path]["value"] <= high + 1e-9, path
        if path.endswith(_MEANS):
            assert found["low"] <= known[path]["low"], path
            assert known[path]["high"] <= found["high"], path
    assert bounded > len(labels)


def test_losses_and_places_are_exact_on_a_grid(tmp_path, monkeypatch):
    _on_wide_bins(monkeypatch)
    table = _table(THREE)
    paths = _written(tmp_path, table)
    memory = tm.evaluate(paths, actual="y", probabilities=_columns(table))
    counted = _counted(paths, approximate=True, probabilities=_columns(table)).evaluate()
    for name in ("accuracy", "brier", "log_loss", "top_k_accuracy:2"):
        _same(memory[name].to_dict(), counted[name].to_dict())
    assert "grid (25 bins" in counted.notes[-1]


def test_areas_and_rejection_on_a_grid_are_near(tmp_path):
    table = _table(THREE)
    paths = _written(tmp_path, table)
    memory = tm.evaluate(paths, actual="y", probabilities=_columns(table))
    counted = tm.evaluate(paths, actual="y", probabilities=_columns(table), approximate=True)
    assert counted.rejection.area == pytest.approx(memory.rejection.area, abs=1e-3)
    assert counted.per_class["b"].roc.auc == pytest.approx(memory.per_class["b"].roc.auc, abs=1e-3)
    assert counted["ece"].value == pytest.approx(memory["ece"].value, abs=1e-3)


def test_tolerance_reads_again_until_bounds_of_every_class_are_narrow(tmp_path, monkeypatch):
    _on_wide_bins(monkeypatch, 8)
    table = _table(THREE)
    paths = _written(tmp_path, table)
    counted = tm.evaluate(paths, actual="y", probabilities=_columns(table), approximate=True, tolerance=1e-9)
    memory = tm.evaluate(paths, actual="y", probabilities=_columns(table))
    for label in THREE:
        assert counted.per_class[label]["auc"].value == pytest.approx(memory.per_class[label]["auc"].value)


def test_many_classes_are_counted_in_wider_bins(tmp_path):
    table = _table([f"k{number:02}" for number in range(21)], rows=200)
    paths = _written(tmp_path, table, cuts=())
    assert _counted(paths, approximate=True, probabilities=_columns(table)).declared.grid.bins == 4_096
    two = _table(TWO)
    paths = _written(tmp_path, two, cuts=())
    assert _counted(paths, approximate=True, probabilities=_columns(two)).declared.grid.bins == 61_440


# --- what takes rows ---------------------------------------------------------------------------


def test_what_takes_rows_says_so(tmp_path):
    table = _table(THREE)
    counted = _counted(_written(tmp_path, table), probabilities=_columns(table), labels=THREE).evaluate()
    assert counted["auc_ovo_macro"].why == "it compares rows of every two classes, and the rows were not kept"
    assert "its standard error is taken as the largest it can be" in counted["auc_ovr_macro"].note
    with pytest.raises(OptionError, match="the rows were not kept") as caught:
        counted.decide([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert "files that do not fit into memory" in caught.value.hint
    assert "not kept" in str(counted.explain("auc_ovo_macro"))
    assert "0 to 1" in str(counted.explain("auc_ovr_weighted"))


def test_other_class_shares_are_answered_for_losses_only(tmp_path):
    table = _table(THREE)
    shares = {"a": 0.7, "b": 0.2, "c": 0.1}
    memory, counted = (
        ev.at_prevalence(shares) for ev in _both(_written(tmp_path, table), probabilities=_columns(table))
    )
    for name in ("brier", "log_loss", "accuracy"):
        _same(memory[name].to_dict(), counted[name].to_dict())
    for why in (counted["ece"].why, counted["auc_ovr_macro"].why, counted.per_class["a"]["auc"].why):
        assert why == "under other class shares it takes rows, which were not kept"


def test_other_shares_of_two_classes(tmp_path):
    table = _table(TWO)
    memory, counted = (
        ev.at_prevalence(0.1)
        for ev in _both(_written(tmp_path, table), probabilities=_columns(table), pos_label="yes")
    )
    for name in ("auc", "average_precision", "log_loss", "ece"):
        _same(memory[name].to_dict(), counted[name].to_dict())


def test_a_pickled_evaluation_says_the_same(tmp_path):
    table = _table(THREE)
    counted = _counted(_written(tmp_path, table), probabilities=_columns(table), slices="region").evaluate()
    _same(counted.to_dict(), pickle.loads(pickle.dumps(counted)).to_dict())


def test_a_class_of_one_row_still_has_an_interval(tmp_path):
    table = _table(THREE).filter((pl.col("y") != "b") | (pl.col("y").cum_count().over("y") == 1))
    assert table["y"].value_counts().filter(y="b")["count"].item() == 1
    memory, counted = _both(_written(tmp_path, table), probabilities=_columns(table))
    for name in _MEANS:
        assert counted[name].value == pytest.approx(memory[name].value)
        assert counted[name].low <= memory[name].low < memory[name].high <= counted[name].high


def test_rows_of_one_class_only(tmp_path):
    table = _table(THREE).filter(pl.col("y") == "a")
    memory, counted = _both(_written(tmp_path, table), probabilities=_columns(table))
    _same(memory.to_dict(), counted.to_dict())
    assert counted["auc_ovo_macro"].why == memory["auc_ovo_macro"].why


def test_a_threshold_is_refused_before_anything_is_read(tmp_path):
    table = _table(THREE)
    with pytest.raises(OptionError, match="the most probable class is the answer"):
        _counted(_written(tmp_path, table), probabilities=_columns(table), threshold=0.3)


def test_means_spread_at_most_as_if_classes_went_together():
    """Brute force: the standard deviation over samples is not above what is taken for it."""
    means, errors = [], []
    for seed in range(40):
        table = _table(THREE, rows=90, seed=seed)
        found = _counted(table, probabilities=_columns(table)).evaluate()["auc_ovr_macro"]
        low, high = (math.log(end / (1 - end)) for end in (found.low, found.high))
        means.append(found.value)
        errors.append((high - low) / 2 / 1.959964 * found.value * (1 - found.value))
    assert np.std(means) < 1.1 * np.mean(errors)
