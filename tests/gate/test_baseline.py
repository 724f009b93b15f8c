"""No worse than the baseline: by the difference where there are rows, else like with like."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy import stats

from tallymark import Confusion, compare, evaluate, tally
from tallymark.errors import InputError, OptionError, TallymarkError
from tallymark.evaluation import Evaluation
from tallymark.gate import check

Ends = Callable[[int, int], tuple[float, float]]
WHOLE = b'{"schema": "tallymark/evaluation/1", "task": "", "labels": ["a"], "positive": "a", "rows": %s}'
ALONE = "the baseline is known from its numbers alone, so like is held against like, which is not a test"


@dataclass(frozen=True)
class Models:
    actual: NDArray[Any]
    new: NDArray[Any]
    main: NDArray[Any]

    def evaluated(self, score: NDArray[Any], **more: Any) -> Evaluation:
        return evaluate(self.actual, y_score=score, **more)


@pytest.fixture(scope="module")
def models() -> Models:
    rng = np.random.default_rng(5)
    actual = rng.integers(0, 2, 250)
    main = np.clip(0.3 * actual + 0.7 * rng.random(250), 0.01, 0.99)
    return Models(actual, np.clip(main + rng.normal(0, 0.05, 250), 0.01, 0.99), main)


@pytest.fixture(scope="module")
def new(models: Models) -> Evaluation:
    return models.evaluated(models.new)


@pytest.fixture(scope="module")
def main(models: Models) -> Evaluation:
    return models.evaluated(models.main)


def loss(actual: NDArray[Any], score: NDArray[Any]) -> NDArray[Any]:
    return -np.log(np.where(actual == 1, score, 1 - score))


# --- from rows -----------------------------------------------------------------------------------


def test_the_difference_is_judged_by_the_end_of_its_paired_interval(
    models: Models, new: Evaluation, main: Evaluation
) -> None:
    # The paired t interval of scipy is that of the mean difference in the log loss.
    losses = [loss(models.actual, score) for score in (models.new, models.main)]
    theirs = stats.ttest_rel(*losses)
    high = theirs.confidence_interval(0.95).high
    outcomes = [
        check(new, baseline=main, no_worse="log_loss", margin=margin).outcomes[0]
        for margin in (high - 1e-9, high + 1e-9)
    ]
    assert [each.passed for each in outcomes] == [False, True]
    failed = outcomes[0]
    assert (failed.kind, failed.paired, failed.judged, failed.operator) == ("difference", True, "high", "<=")
    assert failed.found == pytest.approx(high)
    assert failed.value == pytest.approx(np.mean(losses[0]) - np.mean(losses[1]))
    assert failed.limit == failed.margin
    assert failed.short_by == pytest.approx(1e-9, rel=1e-3)


def test_a_number_that_is_better_high_is_judged_by_the_lower_end(new: Evaluation, main: Evaluation) -> None:
    [outcome] = check(new, baseline=main, no_worse="auc", margin=0.01).outcomes
    theirs = compare({"a": new, "b": main}, metric="auc")["auc"]
    assert (outcome.found, outcome.limit, outcome.operator) == (theirs.low, -0.01, ">=")
    assert outcome.new is not None
    assert outcome.new.value == new["auc"].value


def test_the_same_scores_are_no_worse_without_a_margin(main: Evaluation) -> None:
    gate = check(main, baseline=main, no_worse=["auc", "log_loss"])
    assert gate.passed
    assert [(each.low, each.high) for each in gate.outcomes] == [(0, 0), (0, 0)]


def test_the_same_answers_to_few_rows_do_not_show_that_models_are_the_same(main: Evaluation) -> None:
    # Had 1 % of all rows another answer, 250 rows would show none of it in 8 % of the cases: 0.99 ** 250.
    [outcome] = check(main, baseline=main, no_worse="accuracy", margin=0.01).outcomes
    assert (outcome.value, outcome.passed) == (0, False)
    assert check(main, baseline=main, no_worse="accuracy", margin=0.03).passed
    assert check(main, baseline=main, no_worse="accuracy.value").passed


def test_values_alone_are_judged_where_that_is_written(new: Evaluation, main: Evaluation) -> None:
    one, two = new["accuracy"].value, main["accuracy"].value
    assert one is not None
    assert two is not None
    [outcome] = check(new, baseline=main, no_worse="accuracy.value", margin=0.05).outcomes
    assert (outcome.judged, outcome.found) == ("value", pytest.approx(one - two))
    assert outcome.passed is (one >= two - 0.05)


def test_a_difference_without_an_interval_is_judged_by_its_value(new: Evaluation, main: Evaluation) -> None:
    [outcome] = check(new, baseline=main, no_worse="ece by 0.9").outcomes
    assert (outcome.passed, outcome.judged) == (True, "value")
    assert "It has no interval, so its value was judged" in outcome.sentence


def test_one_class_is_compared_as_if_it_were_the_positive_one(
    models: Models, new: Evaluation, main: Evaluation
) -> None:
    [outcome] = check(new, baseline=main, no_worse="recall@0", margin=0.5).outcomes
    of_zero = [(score < 0.5)[models.actual == 0].mean() for score in (models.new, models.main)]
    assert outcome.value == pytest.approx(of_zero[0] - of_zero[1])
    assert outcome.name == "recall of '0'"


def test_each_metric_may_have_a_margin_of_its_own(new: Evaluation, main: Evaluation) -> None:
    gate = check(new, baseline=main, no_worse=["auc", "recall by 5%"], margin=0.01)
    assert [(each.requirement, each.margin) for each in gate.outcomes] == [
        ("auc worse by at most 0.01", 0.01),
        ("recall worse by at most 0.05", 0.05),
    ]


def test_without_a_margin_the_reader_is_told_to_give_one(models: Models, main: Evaluation) -> None:
    flipped = models.main.copy()
    wrong = np.flatnonzero((models.main >= 0.5) != (models.actual == 1))
    right = np.flatnonzero((models.main >= 0.5) == (models.actual == 1))
    for place in (wrong[0], right[0]):
        flipped[place] = 1 - flipped[place]
    gate = check(models.evaluated(flipped), baseline=main, no_worse="accuracy")
    assert gate.outcomes[0].value == 0
    assert not gate.passed
    assert "Give a --margin (in Python margin=): a difference that does not matter." in " ".join(
        str(gate).split()
    )


def test_other_rows_are_compared_as_such(models: Models, new: Evaluation) -> None:
    fewer = evaluate(models.actual[:200], y_score=models.main[:200])
    [outcome] = check(new, baseline=fewer, no_worse="accuracy", margin=0.2).outcomes
    assert (outcome.kind, outcome.paired) == ("difference", False)


# --- from numbers --------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["counts", "dictionary", "json", "tally"])
def test_numbers_alone_are_held_against_each_other_end_by_end(
    form: str, ev: Evaluation, wilson: Ends, tmp_path: Path
) -> None:
    rows = ["ill"] * 85 + ["ill"] * 15 + ["well"] * 300
    answers = ["ill"] * 85 + ["well"] * 15 + ["ill"] * 30 + ["well"] * 270
    main = evaluate(rows, answers, pos_label="ill")
    given: Any = Confusion([[85, 15], [30, 270]], labels=["ill", "well"]).evaluate(pos_label="ill")
    if form == "dictionary":
        given = main.to_dict()
    if form == "json":
        given = tmp_path / "main.json"
        given.write_text(main.to_json())
    if form == "tally":
        given = tmp_path / "main.tally"
        frame = pl.DataFrame({"y": rows, "p": answers})
        tally(frame, actual="y", predicted="p", pos_label="ill").save(given)
    lost = wilson(85, 100)[0] - wilson(80, 100)[0]
    short, enough = (
        check(ev, baseline=given, no_worse="recall", margin=lost + more) for more in (-1e-9, 1e-9)
    )
    assert (short.passed, enough.passed) == (False, True)
    outcome = short.outcomes[0]
    assert (outcome.kind, outcome.paired, outcome.judged) == ("baseline", None, "low")
    assert outcome.limit == pytest.approx(wilson(85, 100)[0] - lost)
    assert any(note.startswith(ALONE) for note in short.notes)


def test_of_a_number_that_is_better_low_the_upper_ends_are_held(ev: Evaluation, wilson: Ends) -> None:
    main = Confusion([[80, 20], [24, 276]], labels=["ill", "well"]).evaluate(pos_label="ill")
    [outcome] = check(ev, baseline=main, no_worse="fpr", margin=0.01).outcomes
    assert outcome.found == pytest.approx(wilson(30, 300)[1])
    assert outcome.limit == pytest.approx(wilson(24, 300)[1] + 0.01)
    assert not outcome.passed


def test_without_a_margin_the_limit_of_a_difference_is_a_plain_0(main: Evaluation) -> None:
    assert ">= 0 " in str(check(main, baseline=main, no_worse="auc"))


def test_a_loss_of_exactly_the_margin_passes_by_value(ev: Evaluation) -> None:
    # 0.81 - 0.8 is more than 0.01 in floating-point arithmetic.
    assert 0.81 - 0.8 > 0.01
    main = Confusion([[81, 19], [30, 270]], labels=["ill", "well"]).evaluate(pos_label="ill")
    assert check(ev, baseline=main, no_worse="recall.value", margin=0.01).passed
    assert not check(ev, baseline=main, no_worse="recall.value", margin=0.009).passed


def test_a_metric_that_the_json_lacks_is_worked_out_from_its_matrix(ev: Evaluation) -> None:
    form = ev.to_dict()
    assert "f_beta:2" not in form["metrics"]
    [outcome] = check(ev, baseline=form, no_worse="f_beta:2").outcomes
    # (1 + 4) * 80 / ((1 + 4) * 80 + 4 * 20 + 30)
    assert outcome.baseline is not None
    assert outcome.baseline.value == pytest.approx(400 / 510)
    assert check(form, "specificity@well >= 0.7", baseline=form, no_worse="recall@well").passed


def test_what_json_cannot_tell_is_refused_with_what_to_do(new: Evaluation, models: Models) -> None:
    form = new.to_dict()
    with pytest.raises(InputError, match=r"does not hold partial_auc:0.2, and it cannot be worked out"):
        check(form, "partial_auc:0.2 >= 0.1")
    in_groups = models.evaluated(models.new, groups=np.arange(250) // 2).to_dict()
    with pytest.raises(InputError, match="does not hold f_beta:2"):
        check(in_groups, "f_beta:2 >= 0.1")


def test_json_gives_the_same_outcomes_as_the_evaluation(new: Evaluation) -> None:
    asked = ["recall >= 0.5", "ece <= 0.2", "recall@0 >= 0.6", "auc.value >= 0.8", "log_loss <= 0.6"]
    ours, theirs = check(new, asked), check(json.loads(new.to_json()), asked)
    assert [(each.passed, each.found, each.sentence) for each in ours.outcomes] == [
        (each.passed, each.found, each.sentence) for each in theirs.outcomes
    ]


def test_what_is_undefined_on_either_side_fails(ev: Evaluation) -> None:
    never = Confusion([[0, 100], [0, 300]], labels=["ill", "well"]).evaluate(pos_label="ill")
    [here] = check(never, baseline=ev, no_worse="precision", margin=0.5).outcomes
    [there] = check(ev, baseline=never.to_dict(), no_worse="precision", margin=0.5).outcomes
    assert (here.passed, there.passed) == (False, False)
    why = "is undefined (nothing was predicted positive (tp + fp = 0)), so it cannot pass."
    assert here.sentence == f"precision {why}"
    assert there.sentence == f"the baseline's precision {why}"


def test_of_rows_what_is_undefined_fails_as_well() -> None:
    y = [1, 1, 0, 0, 1, 0, 1, 0]
    some, none = evaluate(y, [1, 0, 0, 0, 1, 1, 1, 0]), evaluate(y, [0] * 8)
    for one, two in ((some, none), (none, some)):
        [outcome] = check(one, baseline=two, no_worse="precision", margin=0.5).outcomes
        assert (outcome.passed, outcome.found) == (False, None)
        assert "is undefined (" in outcome.sentence


def test_other_class_shares_are_held_against_the_same_ones(new: Evaluation, main: Evaluation) -> None:
    rare = new.at_prevalence(0.05)
    with pytest.raises(
        InputError, match=r"its class shares are those of its rows, and this model's are 0 0.95, 1"
    ):
        check(rare, baseline=main, no_worse="precision")
    gate = check(rare, baseline=main.at_prevalence(0.05).to_dict(), no_worse="precision", margin=0.5)
    assert gate.passed
    assert any(note.startswith("under other class shares differences are not tested") for note in gate.notes)


def test_of_rows_with_several_labels_like_is_held_against_like() -> None:
    actual = np.array([[1, 0], [0, 1], [1, 1], [0, 0]] * 20)
    worse = actual.copy()
    worse[:4] = 1 - worse[:4]
    evs = [evaluate(actual, each, labels=["a", "b"]) for each in (worse, actual)]
    gate = check(evs[0], "recall@a >= 0.8", baseline=evs[1], no_worse="hamming_loss.value", margin=0.05)
    # By hand: 8 of 160 labels are wrong, and none of the baseline's.
    assert (gate.passed, gate.outcomes[1].found, gate.outcomes[1].limit) == (True, 0.05, 0.05)
    assert any(
        note.startswith("rows have several labels, of which differences are not") for note in gate.notes
    )


# --- what does not fit ---------------------------------------------------------------------------


def confusion(labels: list[str], positive: str | None, level: float = 0.95) -> Evaluation:
    size = len(labels)
    counts = (np.eye(size, dtype=int) * 8 + 2).tolist()
    return Confusion(counts, labels=labels).evaluate(pos_label=positive, confidence_level=level)


@pytest.mark.parametrize(
    ("baseline", "said"),
    [
        (confusion(["ill", "well", "dead"], "ill"), "its task is multiclass, and this model's is binary"),
        (confusion(["ill", "sick"], "ill"), "its labels are ['ill', 'sick'], and this model's are"),
        (confusion(["ill", "well"], "well"), "its positive class is 'well', and this model's is 'ill'"),
        (confusion(["ill", "well"], "ill", 0.9), "its confidence level is 0.9, and this model's is 0.95"),
    ],
)  # fmt: skip
def test_a_baseline_that_does_not_fit_is_refused_with_both_sides(
    ev: Evaluation, baseline: Evaluation, said: str
) -> None:
    with pytest.raises(InputError) as problem:
        check(ev, baseline=baseline.to_dict(), no_worse="accuracy")
    assert said in str(problem.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty; the JSON of an evaluation is expected."),
        (b"\xff\x00\x01", "is not text, so it is not the JSON of an evaluation."),
        (b'{"schema": "tallymark/evaluation/1", "task"', "is not whole JSON (line 1)."),
        (b"[1, 2]", "is not the JSON of an evaluation (tallymark/evaluation/1) but something else."),
        (b'{"schema": "tallymark/plan/1"}', "but of schema 'tallymark/plan/1'."),
        (
            b'{"schema": "tallymark/evaluations/1", "models": [{"name": "a"}, {"name": "b"}]}',
            "holds several models (a, b), and one is expected.",
        ),
        (b'{"schema": "tallymark/evaluation/1", "task": "binary"}', "is not a whole evaluation: rows is"),
        (WHOLE % b'"x"', "rows is not as `tallymark evaluate` writes it."),
        (WHOLE % b'3, "metrics": {"recall": {"value": "high"}}', "metrics.recall.value is not as"),
        (None, "there is no file "),
    ],
)
def test_a_file_that_holds_no_evaluation(
    ev: Evaluation, tmp_path: Path, content: bytes | None, said: str
) -> None:
    path = tmp_path / "main.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as problem:
        check(ev, baseline=path, no_worse="recall")
    assert said in str(problem.value)


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        ("rows", 10**400, "rows"),
        ("dropped", 3, "dropped"),
        ("confusion.matrix", [[1, "2"], [3, 4]], "confusion.matrix[0][1]"),
        ("costs", {"matrix": 5}, "costs.matrix"),
        ("metrics.recall.low", None, "metrics.recall"),
        ("metrics.recall.high", float("nan"), "metrics.recall.high"),
        ("metrics.recall.level", 95, "metrics.recall.level"),
        ("metrics.recall.bounds", [0.1], "metrics.recall.bounds"),
        ("metrics.recall.assumption", [], "metrics.recall.assumption"),
        ("slices", [{"slice": "north"}], "slices[0].slice"),
        ("per_class", [{"label": "ill", "recall": {}}], "per_class[0].recall"),
        ("findings", [{"code": "TM007"}], "findings[0].message"),
        ("notes", "none", "notes"),
    ],
)
def test_a_part_that_is_broken_is_named(ev: Evaluation, path: str, value: Any, named: str) -> None:
    form: Any = json.loads(ev.to_json())
    *inside, key = path.split(".")
    place = form
    for name in inside:
        place = place[name]
    place[key] = value
    with pytest.raises(InputError) as problem:
        check(form, "recall >= 0.1")
    assert f"is not a whole evaluation: {named} is not as `tallymark evaluate` writes it." in str(
        problem.value
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"no_worse": "recall"}, "'recall' is to be no worse than a baseline, and there is none."),
        ({"require": "recall >= 0.1", "margin": 0.1}, "a margin was given, and nothing that must not get"),
        ({"require": "recall >= 0.1", "baseline": {}}, "a baseline was given, and nothing that must not be"),
        ({"no_worse": "recall", "baseline": {}, "margin": -1}, "a number from 0 up; got -1."),
        ({"no_worse": "recall by 2", "baseline": {}}, "no difference is beyond a margin of 2. Hint:"),
        ({"no_worse": "prevalence", "baseline": {}}, "nothing tells whether prevalence is better when"),
        ({"no_worse": "recall[sex]", "baseline": {}}, "names a slice, and models are compared on all rows."),
        ({"no_worse": "recall", "baseline": "main.csv"}, "of which nothing tells the columns. Hint:"),
        ({"no_worse": "recall", "baseline": 3}, "the baseline is an evaluation, its JSON document"),
    ],
)  # fmt: skip
def test_what_cannot_be_held(ev: Evaluation, given: dict[str, Any], said: str) -> None:
    with pytest.raises(TallymarkError) as problem:
        check(ev, **given)
    assert said in str(problem.value)


def test_a_design_needs_rows_on_both_sides(ev: Evaluation) -> None:
    with pytest.raises(OptionError, match="one of them is known from its numbers alone"):
        check(ev, baseline=ev.to_dict(), no_worse="recall", design="same rows")
