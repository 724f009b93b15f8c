"""WEKA Experimenter's table: marks and counts."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tallymark.comparison.score_tables.experimenter import experimenter
from tallymark.drawing import Document, Section, latex, text
from tallymark.errors import OptionError
from tallymark.intake.score_tables import ScoreTable, read_scores

# Folds that agree on the order of the models, that do not, and that are the other way round.
FOLDS = {
    "iris": {"base": [0.90, 0.92, 0.91, 0.93, 0.90], "other": [0.95, 0.96, 0.97, 0.97, 0.94]},
    "wine": {"base": [0.80, 0.85, 0.90, 0.75, 0.80], "other": [0.82, 0.80, 0.92, 0.74, 0.83]},
    "vote": {"base": [0.70, 0.72, 0.71, 0.73, 0.70], "other": [0.60, 0.63, 0.60, 0.64, 0.61]},
}


def table(data: Any = FOLDS, **options: Any) -> ScoreTable:
    return read_scores(data, **options)


def drawn(scores: ScoreTable, pen: Callable[[Document], str]) -> str:
    return pen(Document("", (Section("", experimenter(scores).blocks()),)))


def significant(a: list[float], b: list[float]) -> bool:
    d = np.subtract(a, b)
    t = d.mean() / math.sqrt(d.var(ddof=1) * (1 / len(d) + 1 / (len(d) - 1)))
    return bool(2 * stats.t.sf(abs(t), len(d) - 1) <= 0.05)


def test_marks_are_the_corrected_t_test_of_each_data_set() -> None:
    assert [significant(each["other"], each["base"]) for each in FOLDS.values()] == [True, False, True]
    found = experimenter(table())
    assert found.marks == (("v",), ("",), ("*",))
    assert found.counts == ((1, 1, 1),)
    np.testing.assert_allclose(found.means, [[0.912, 0.958], [0.82, 0.822], [0.712, 0.616]])
    np.testing.assert_allclose(
        found.deviations[0], [np.std(FOLDS["iris"][m], ddof=1) for m in ("base", "other")]
    )


def test_another_base_turns_the_marks_round() -> None:
    found = experimenter(table(), baseline="other")
    assert found.models == ("other", "base")
    assert found.marks == (("*",), ("",), ("v",))
    with pytest.raises(OptionError, match=r"there is no model 'x'; the models are \['base', 'other'\]"):
        experimenter(table(), baseline="x")


def test_a_lower_number_is_marked_as_better_where_it_is() -> None:
    errors = {
        name: {model: [1 - score for score in column] for model, column in each.items()}
        for name, each in FOLDS.items()
    }
    assert experimenter(table(errors), metric="error_rate").marks == (("v",), ("",), ("*",))


def test_sizes_and_runs_are_those_of_the_table() -> None:
    rows = [
        {
            "data": name,
            "run": 1 + fold // 3,
            "fold": fold % 3,
            "model": model,
            "score": 0.5 + fold / 100 + add,
        }
        for name in ("p", "q")
        for fold in range(6)
        for model, add in (("a", 0.0), ("b", 0.01 + 0.004 * (fold % 2)))
    ]
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    found = experimenter(table(columns))
    assert found.outcomes[0][0].counts["test_by_train"] == pytest.approx(1 / 2)
    sized = experimenter(table({**columns, "n_train": [90] * len(rows), "n_test": [10] * len(rows)}))
    assert sized.outcomes[0][0].counts["test_by_train"] == pytest.approx(1 / 9)


def test_the_same_difference_in_every_fold_has_no_test_and_says_so() -> None:
    scores = table({"p": {"a": [0.5, 0.6], "b": [0.6, 0.7]}, "q": {"a": [0.5, 0.6], "b": [0.5, 0.6]}})
    found = experimenter(scores)
    assert found.marks == (("?",), ("",))
    assert found.counts == ((0, 2, 0),)
    said = "?: no test, counted as the same: the difference is 0.1 in every fold"
    assert said in " ".join(drawn(scores, text).split())


def test_marks_need_folds() -> None:
    with pytest.raises(OptionError, match="marks need the scores of its folds"):
        experimenter(table({"iris": {"a": 0.5, "b": 0.6}, "wine": {"a": 0.5, "b": 0.6}}))


def test_the_report_has_the_base_in_every_part_of_a_wide_table() -> None:
    generator = np.random.default_rng(5)
    models = [f"model number {place}" for place in range(9)]
    data = {name: {model: generator.uniform(0.5, 0.9, 10) for model in models} for name in ("p", "q", "r")}
    parts = list(experimenter(table(data)).tables())
    assert len(parts) > 1
    assert all(part.columns[2].title == models[0] for part in parts)
    shown = [column.title for part in parts for column in part.columns[3:] if column.title]
    assert shown == models[1:]


def test_latex_and_json() -> None:
    found, tex = experimenter(table()), drawn(table(), latex)
    assert r"\begin{tabular}" in tex
    assert "iris & 5 & 91.20(1.30) & 95.80(1.30) & v" in tex
    assert "(v/ /*) &  &  & (1/1/1)" in tex
    form = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert form["counts"] == {"other": {"better": 1, "same": 1, "worse": 1}}
    assert form["rows"][0]["against_baseline"]["other"]["mark"] == "v"


def test_names_from_data_do_nothing_on_a_terminal() -> None:
    found = drawn(table({"a\x1b[31m\n": FOLDS["iris"], "数据集": FOLDS["wine"]}), text)
    assert "\x1b" not in found
    assert len(found.splitlines()) == len(drawn(table(), text).splitlines()) - 1
