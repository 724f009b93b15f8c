"""Faults that were found from outside, so that they stay mended."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tallymark as tm
from tallymark.cli import main
from tallymark.metrics import ask

RANDOM = np.random.default_rng(0)
ACTUAL = RANDOM.integers(0, 2, 500)
PREDICTED = np.where(RANDOM.random(500) < 0.8, ACTUAL, 1 - ACTUAL)
WEIGHT = RANDOM.random(500) + 0.5
SETS = RANDOM.random((100, 6)) < 0.4
GIVEN = np.where(RANDOM.random((100, 6)) < 0.03, ~SETS, SETS)


def test_other_shares_do_not_depend_on_the_scale_of_weights() -> None:
    for weight in (WEIGHT, WEIGHT / WEIGHT.sum(), WEIGHT * 1e6):
        moved = tm.evaluate(ACTUAL, PREDICTED, weight=weight).at_prevalence(0.1)
        assert moved["prevalence"].value == pytest.approx(0.1)
        assert moved["precision"].value == pytest.approx(
            float(tm.evaluate(ACTUAL, PREDICTED, weight=WEIGHT).at_prevalence(0.1)["precision"])
        )


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3, 4e9])
def test_numbers_of_label_sets_do_not_depend_on_the_scale_of_weights(scale: float) -> None:
    weight = RANDOM.integers(1, 5, 100)
    plain = tm.evaluate(SETS, GIVEN, weight=weight)
    scaled = tm.evaluate(SETS, GIVEN, weight=weight * scale)
    for name in ("f1_example", "recall_macro", "f1_weighted", "mcc_micro"):
        assert scaled[name].value == pytest.approx(plain[name].value)
        assert scaled[name].low == pytest.approx(plain[name].low, abs=1e-6), name
        assert scaled[name].n == pytest.approx(plain[name].n)


def test_large_frequencies_of_label_sets_stay_whole() -> None:
    ev = tm.evaluate(SETS, GIVEN, weight=np.full(100, 2 * 10**8), weight_kind="frequency")
    assert ev.rows == 2 * 10**10
    assert isinstance(ev.to_dict()["per_class"][0]["tp"], int)


def test_groups_without_weight_are_no_groups() -> None:
    group = np.concatenate([np.arange(300) % 5, 10 + np.arange(200)])
    weight = np.concatenate([np.ones(300), np.zeros(200)])

    def right(y_true: Any, y_pred: Any, sample_weight: Any) -> float:
        return float(np.average(y_true == y_pred, weights=sample_weight))

    options: dict[str, Any] = {"groups": group, "weight": weight, "extra": {"right": right}}
    ev = tm.evaluate(ACTUAL, PREDICTED, **options)
    alone = tm.evaluate(
        ACTUAL[:300], PREDICTED[:300], groups=group[:300], weight=weight[:300], extra={"right": right}
    )
    several = tm.evaluate(
        ACTUAL[:, None] == [0, 1], PREDICTED[:, None] == [0, 1], **options | {"extra": None}
    )
    for name in ("accuracy", "right"):
        assert ev[name].assumption == "independent groups (5 of them)"
        assert (ev[name].low, ev[name].high) == (alone[name].low, alone[name].high)
    assert several["subset_accuracy"].assumption == "independent groups (5 of them)"
    assert {finding.code for finding in several.findings} >= {"TM009"}


def test_a_plan_from_an_evaluation_knows_its_weights_and_groups() -> None:
    weight = np.where(np.arange(500) < 50, 50.0, 1.0)
    ev = tm.evaluate(ACTUAL, PREDICTED, weight=weight)
    assert tm.plan(rows=ev).n == int(weight.sum() ** 2 / (weight**2).sum())
    with pytest.raises(tm.OptionError, match="belong to groups"):
        tm.plan(rows=tm.evaluate(ACTUAL, PREDICTED, groups=np.arange(500) // 10))


def test_slices_let_their_draws_go() -> None:
    site = np.arange(6_000) % 60
    actual = RANDOM.integers(0, 6, 6_000)
    predicted = np.where(RANDOM.random(6_000) < 0.7, actual, RANDOM.integers(0, 6, 6_000))
    ev = tm.evaluate(actual, predicted, slices={"site": site})
    ev.slices[0].evaluation.to_json()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    ev.to_json()
    gc.collect()
    after, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 30e6
    assert peak - before < 120e6


def test_draws_do_not_depend_on_what_groups_are_called(tmp_path: Path) -> None:
    group = np.arange(500) // 20
    names = np.array([f"p{(7 * number) % 25}" for number in range(25)])[group]
    plain, named = (tm.evaluate(ACTUAL, PREDICTED, groups=given) for given in (group, names))
    table = pd.DataFrame({"y": ACTUAL, "p": PREDICTED, "g": group})
    table.to_csv(tmp_path / "t.csv", index=False)
    read = tm.evaluate(tmp_path / "t.csv", actual="y", predicted="p", groups="g")
    for name in ("accuracy", "mcc", "f1"):
        assert plain[name].low == named[name].low == read[name].low


def test_n_with_groups_and_weights_is_rows() -> None:
    ev = tm.evaluate(ACTUAL, PREDICTED, groups=np.arange(500) // 10, weight=np.full(500, 10.0))
    assert {ev[name].n for name in ("accuracy", "recall", "precision", "f1", "f1_macro")} == {500}


def test_slices_of_a_frame_in_another_order_are_refused() -> None:
    actual, predicted = pd.Series([1, 0, 1, 0]), pd.Series([1, 0, 0, 1])
    site = pd.DataFrame({"site": ["lo", "lo", "hi", "hi"]}, index=[3, 2, 1, 0])
    with pytest.raises(tm.ShapeError, match="different order"):
        tm.evaluate(actual, predicted, slices=site)
    assert len(tm.evaluate(actual, predicted, slices=site.sort_index()).slices) == 2


@pytest.mark.parametrize("delimiter", [";", ""])
def test_a_set_delimiter_is_not_ignored_with_arrays(delimiter: str) -> None:
    with pytest.raises(tm.OptionError, match="set_delimiter is about columns"):
        tm.evaluate(["a;b", "b"], ["a", "b"], set_delimiter=delimiter)


def test_answers_beside_a_frame_are_told_where_to_go() -> None:
    frame = pd.DataFrame({"y": [1, 0], "s": [0.2, 0.3]})
    with pytest.raises(tm.OptionError, match="in its columns") as caught:
        tm.evaluate(frame, y_score=[0.2, 0.3], actual="y")
    assert caught.value.hint == "name them with predicted= or score=."


def test_no_slices_and_no_path() -> None:
    assert tm.evaluate([1, 0], [1, 0], slices=None).slices == ()
    for slices in (5, ["a"], "a", np.array(["a", "b"])):
        with pytest.raises(tm.OptionError, match="slices are columns by name"):
            tm.evaluate([1, 0], [1, 0], slices=slices)
    with pytest.raises(tm.OptionError, match="the path of a file is expected"):
        tm.evaluate([1, 0], [1, 0]).save(None)  # type: ignore[arg-type]


def test_marks_and_multiplicity_are_in_json_and_frames() -> None:
    site = np.where(np.arange(500) < 20, "small", "large")
    wrong = np.where(site == "small", 1 - ACTUAL, ACTUAL)
    ev = tm.evaluate(ACTUAL, wrong, slices={"site": site})
    small = ev.to_dict()["slices"][1]
    assert small["few_rows"] is True
    assert small["compared"] == {"slices": 2, "adjustment": "bonferroni"}
    assert small["differences"]["accuracy"]["differs"] is True
    frame = ev.to_frame("pandas")
    note = frame[(frame["slice"] == "site=small") & (frame["metric"] == "accuracy_difference")]["note"].item()
    assert note == "few rows; differs, also with the error shared out among 2 slices (Bonferroni)"


def test_latex_does_not_cut_our_own_words(tmp_path: Path) -> None:
    ev = tm.evaluate([1, 0] * 30, [1, 0, 0] * 20, slices={"r": ["n", "s"] * 30})
    ev.save(tmp_path / "x.tex")
    assert "…" not in (tmp_path / "x.tex").read_text()


def test_a_panic_of_the_reader_is_one_line(tmp_path: Path) -> None:
    columns = [pa.array(["yes", "no"])] * 4
    with pa.ipc.new_file(tmp_path / "x.arrow", pa.schema([(name, pa.string()) for name in "yqqp"])) as file:
        file.write_batch(pa.record_batch(columns, names=list("yqqp")))
    command = [sys.executable, "-m", "tallymark", "evaluate", str(tmp_path / "x.arrow")]
    done = subprocess.run(
        [*command, "--actual", "y", "--predicted", "p"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert "several columns of one name" in done.stderr


def test_weighted_costs_are_worked_out_from_the_weights() -> None:
    ev = tm.evaluate(ACTUAL, PREDICTED, labels=[0, 1], weight=WEIGHT, costs=[[0, 1], [1, 0]])
    total = float((WEIGHT * (ACTUAL != PREDICTED)).sum())
    assert ev["total_cost"].value == pytest.approx(total)
    assert f"{WEIGHT.sum():,.2f}".rstrip("0") in str(ev).split("follows")[1]


def test_nothing_to_normalize_in_label_sets() -> None:
    with pytest.raises(tm.OptionError, match="no matrix to normalize"):
        tm.evaluate(SETS, GIVEN).to_dict(normalize="actual")


def test_groups_come_back_from_a_pickle_frozen() -> None:
    ev = tm.evaluate(ACTUAL, PREDICTED, groups=np.arange(500) // 10)
    assert ev.sample is not None
    again = pickle.loads(pickle.dumps(ev.sample.groups))
    assert again == ev.sample.groups
    assert not again.counts.flags.writeable


def test_pooled_averages_with_groups_are_explained_as_drawn() -> None:
    ev = tm.evaluate(SETS, GIVEN, groups=np.arange(100) // 5)
    told = {
        name: " ".join(step.text for step in ev.explain(name).interval) for name in ("f1_micro", "f1_macro")
    }
    assert "resamples" in told["f1_micro"]
    assert "correlations" in told["f1_macro"]
    assert ask("f1_micro").average == "micro"


def test_a_slice_without_weight_is_no_slice() -> None:
    sets = tm.evaluate(
        [{1}, {2}, {1}],
        [{1}, {1}, {1}],
        sample_weight=[0, 1, 1],
        groups=[1, 1, 2],
        slices={"s": ["x", "y", "z"]},
    )
    assert [part.slice for part in sets.slices] == [{"s": "y"}, {"s": "z"}]
    assert len(sets.to_frame())
    classes = [*range(25), 1]
    many = tm.evaluate(
        classes, [*range(25), 2], sample_weight=[1] * 25 + [0], slices={"s": ["y"] * 25 + ["x"]}, undefined=0
    )
    assert [part.rows for part in many.slices] == [25]
    many.to_json()


@pytest.mark.parametrize("name", ["f_beta_macro:2", "f_beta_weighted:2", "f_beta_micro:2"])
def test_parametrised_averages_of_label_sets_are_explained(name: str) -> None:
    ev = tm.evaluate([{1}, {2}], [{1}, {1}])
    assert ev.explain(name).value == ev[name].value


@pytest.mark.parametrize("weight", [0.1, 7.7, 0.3])
def test_one_row_with_a_weight_is_explained(weight: float) -> None:
    ev = tm.evaluate([1, 0, 0, 0, 0], [1, 0, 0, 0, 0], sample_weight=[weight] * 5)
    for name in ("recall", "f1", "accuracy", "recall_micro"):
        low = ev[name].low
        assert low is not None
        assert f"low = {low:.4f}".rstrip("0") in ev.explain(name).interval[-1].text


def test_one_label_may_be_stated_for_label_sets() -> None:
    ev = tm.evaluate([{0}, set()], [{0}, {0}], labels=[0])
    assert ev["f1_macro"].value == pytest.approx(2 / 3)
    with pytest.raises(tm.LabelError, match="at least two labels"):
        tm.evaluate([0, 0], [0, 0], labels=[0])


def test_a_name_with_a_comma_is_told_to_stand_in_quotes(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "t.csv"
    path.write_text('y,"p, pred",q\n1,1,0\n0,1,2\n')
    assert main(["evaluate", str(path), "--actual", "y", "--predicted", "p, pred"]) == 2
    assert capsys.readouterr().err.endswith("stands in double quotes: '\"p, pred\"'.\n")
    assert main(["evaluate", str(path), "--actual", "y", "--predicted", '"p, pred"', "--quiet"]) == 0
    # Other faults of several columns keep their own words.
    assert main(["evaluate", str(path), "--actual", "y,yy", "--predicted", "q,p"]) == 2
    assert "double quotes" not in capsys.readouterr().err
