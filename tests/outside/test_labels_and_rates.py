"""Labels, matrices of one class, rates of decisions and printed formulas say what they stand for.

Labels given as text stay text; those of a text file, which has no types, may be read as whole numbers.
"""

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from collected import each

ACTUAL, PREDICTED = ["0", "1", "1", "10"], ["0", "1", "0", "10"]
TEXT, WHOLE = ("0", "1", "10"), (0, 1, 10)
COLUMNS = {"y": ACTUAL, "p": PREDICTED}
NAMES = {"actual": "y", "predicted": "p"}


def named(data: Any, **options: Any) -> tm.Evaluation:
    return tm.evaluate(data, **NAMES, **options)


def written(folder: Path) -> dict[str, Path]:
    """The same table in files of each kind."""
    frame = pl.DataFrame(COLUMNS)
    frame.write_csv(folder / "x.csv")
    frame.write_csv(folder / "x.tsv", separator="\t")
    frame.write_ndjson(folder / "x.ndjson")
    frame.write_parquet(folder / "x.parquet")
    frame.write_ipc(folder / "x.arrow")
    np.savez(folder / "x.npz", **{name: np.array(values) for name, values in COLUMNS.items()})
    values = "{0, 1, 10}"
    rows = "\n".join(map(",".join, zip(ACTUAL, PREDICTED, strict=True)))
    head = f"@relation x\n@attribute y {values}\n@attribute p {values}\n@data\n"
    (folder / "x.arff").write_text(head + rows + "\n")
    return {path.suffix: path for path in sorted(folder.iterdir())}


def test_text_files_are_read_as_numbers_and_typed_files_are_not(tmp_path: Path) -> None:
    files = written(tmp_path)
    typed = {".parquet", ".arrow", ".npz"}
    expected = {kind: TEXT if kind in typed else WHOLE for kind in files}
    tallies = {kind: tm.tally(path, **NAMES) for kind, path in files.items()}
    assert {kind: named(path).labels for kind, path in files.items()} == expected
    assert {kind: tally.evaluate().labels for kind, tally in tallies.items()} == expected
    for kind, tally in tallies.items():
        saved = tmp_path / f"{kind[1:]}.tally"
        tally.save(saved)
        assert tm.evaluate(saved).labels == expected[kind], kind
        assert (pickle.loads(pickle.dumps(tally)) + tally).evaluate().labels == expected[kind], kind
    # Parts of both kinds: what is typed as text is text, whichever part comes first.
    both = tallies[".csv"] + tallies[".parquet"], tallies[".parquet"] + tallies[".csv"]
    assert [each.evaluate().labels for each in both] == [TEXT, TEXT]
    assert (tallies[".csv"] + tallies[".ndjson"]).evaluate().labels == WHOLE
    # DuckDB keeps the text of typed tables.
    assert named(files[".parquet"], engine="duckdb").labels == TEXT
    assert named(files[".csv"], engine="duckdb").labels == WHOLE


def test_scores_probabilities_and_sets() -> None:
    ev = tm.evaluate(["0", "1", "1"], y_score=[0.2, 0.6, 0.7])
    assert (ev.labels, ev.positive, ev["recall"].value) == (("0", "1"), "1", 1.0)
    # A lone class of the convention has its partner, as text as well.
    assert tm.evaluate(["1", "1"], ["1", "1"]).labels == ("0", "1")
    table = {"y": ["0", "1", "2"], "p_0": [0.5, 0.2, 0.1], "p_1": [0.3, 0.6, 0.1], "p_2": [0.2, 0.2, 0.8]}
    ev = tm.evaluate(pl.DataFrame(table), actual="y", probabilities=["p_0", "p_1", "p_2"])
    assert (ev.labels, ev["accuracy"].value) == (("0", "1", "2"), 1.0)
    assert tm.evaluate([{"0"}, {"1"}], [{"0"}, {"0"}]).labels == ("0", "1")
    cells = pl.DataFrame({"y": ["0;1", "1"], "p": ["0", "1"]})
    assert named(cells, set_delimiter=";").labels == ("0", "1")


# --- one class -----------------------------------------------------------------------------------


def test_a_matrix_of_one_class_is_that_of_its_rows() -> None:
    matrix = tm.Confusion([[12]], labels=["only"])
    of_rows = tm.evaluate(["only"] * 12, ["only"] * 12).to_dict()
    of_matrix = matrix.evaluate().to_dict()
    for form in (of_rows, of_matrix):
        assert form["metrics"]["accuracy"]["value"] == 1
        assert form["labels"] == ["only"]
        assert form["metrics"]["mcc"]["value"] is None
    assert of_matrix["metrics"] == of_rows["metrics"]
    assert (matrix + tm.Confusion([[3]], labels=["only"])).n == 15
    assert tm.Confusion([[4]]).labels == ("class 1",)


def test_a_list_of_one_label_is_declared() -> None:
    assert tm.evaluate(["a", "a"], ["a", "a"], labels=["a"]).labels == ("a",)
    assert tm.evaluate([0, 0], [0, 0], labels=[0]).labels == (0,)
    with pytest.raises(tm.LabelError):
        tm.evaluate(["a", "b"], ["a", "a"], labels=["a"])
    with pytest.raises(tm.LabelError):
        tm.evaluate(["a", "b"], ["a", "a"], labels=[])


def test_a_typed_matrix_of_one_class_needs_its_label(run: Any) -> None:
    assert run("matrix 12 --labels only --json").json["rows"] == 12
    assert run("matrix 12 --json").code == 2
    with pytest.raises(tm.ShapeError):
        tm.Confusion([])


# --- rates of decisions, and a formula -----------------------------------------------------------

RANDOM = np.random.default_rng(7)
SICK = RANDOM.integers(0, 2, 80)
SCORE = np.clip(0.3 * SICK + 0.7 * RANDOM.random(80), 0, 1)
WEIGHT = RANDOM.choice([0.5, 1.0, 2.0, 7.5], 80)
COSTS = [[0, 1], [10, 0]]
RATES = ("recall", "precision", "specificity")


@each("threshold", [0.3, 0.5])
def test_effective_sample_size_of_weights(threshold: float) -> None:
    ev = tm.evaluate(SICK, y_score=SCORE, labels=[0, 1], sample_weight=WEIGHT, threshold=threshold)
    rates = ev.decide(COSTS, threshold=threshold).metrics
    called = threshold <= SCORE
    rows = {"recall": SICK == 1, "precision": called, "specificity": SICK == 0}
    for name in RATES:
        kish = WEIGHT[rows[name]].sum() ** 2 / (WEIGHT[rows[name]] ** 2).sum()
        assert rates[name].n == pytest.approx(kish)
        assert ev[name].n == pytest.approx(kish)


@each("options", [{}, {"sample_weight": np.arange(80) % 3 + 1, "weight_kind": "frequency"}])
def test_counts_of_rows(options: dict[str, Any]) -> None:
    ev = tm.evaluate(SICK, y_score=SCORE, labels=[0, 1], **options)
    rates = ev.decide(COSTS, threshold=0.5).metrics
    times, sides = options.get("sample_weight", np.ones(80)), (SICK == 1, SCORE >= 0.5, SICK == 0)
    assert [(rates[name].n, ev[name].n) for name in RATES] == [(times[side].sum(),) * 2 for side in sides]


def test_rates_do_not_count_other_prevalences_as_rows() -> None:
    ev = tm.evaluate(SICK, y_score=SCORE, labels=[0, 1])
    other = ev.at_prevalence(0.01).decide(COSTS, threshold=0.5).metrics["recall"]
    assert other.n == ev["recall"].n == (SICK == 1).sum()


@each(("only_a", "only_b"), [(10, 10), (3, 4), (15, 5), (0, 1)])
def test_the_printed_formula_of_mcnemar_equals_its_value(only_a: int, only_b: int) -> None:
    """The correction does not go past 0."""
    rows = only_a + only_b + 5
    first = [0] * only_a + [1] * only_b + [0] * 5
    second = [1] * only_a + [0] * only_b + [0] * 5
    text = str(tm.compare({"a": first, "b": second}, [0] * rows, labels=[0, 1]))
    found = re.search(r"M =\s+(.+?)\s+=\s+([0-9.]+)\.", text)
    assert found, text
    formula = re.sub(r"\s+", " ", found[1]).replace("^", "**")
    formula = re.sub(r"\|([^|]+)\|", r"abs(\1)", formula)
    worked = eval(formula, {"abs": abs, "max": max})
    assert worked == pytest.approx(max(abs(only_a - only_b) - 1, 0) ** 2 / (only_a + only_b))
    assert float(found[2]) == pytest.approx(worked, abs=5e-4)
