"""Requirements as people write them, and what is said of those that are none."""

from __future__ import annotations

import math

import pytest

from tallymark.errors import OptionError
from tallymark.gate import requirement
from tallymark.gate.requirement import Target, amount, checked_margin, no_worse

FORM = "write METRIC >= LIMIT, such as 'recall >= 0.8'; >=, >, <= and < are understood."


@pytest.mark.parametrize(
    ("text", "target", "operator", "limit", "judged"),
    [
        ("recall >= 0.8", Target("recall"), ">=", 0.8, "low"),
        ("recall>=.8", Target("recall"), ">=", 0.8, "low"),
        ("  ece<0.05 ", Target("ece"), "<", 0.05, "high"),
        ("recall <= 0.3", Target("recall"), "<=", 0.3, "high"),
        ("f1.value > 70%", Target("f1", "value"), ">", 0.7, "value"),
        ("recall.high >= 7 %", Target("recall", "high"), ">=", 0.07, "high"),
        ("f_beta:0.5.low >= 0.1", Target("f_beta:0.5", "low"), ">=", 0.1, "low"),
        ("weighted_accuracy:2,1,1,0 >= 0.5", Target("weighted_accuracy:2,1,1,0"), ">=", 0.5, "low"),
        ("mcc >= -1e-2", Target("mcc"), ">=", -0.01, "low"),
        ("recall@not ill >= 0.8", Target("recall", None, "not ill"), ">=", 0.8, "low"),
        ("recall@<=50K >= 0.8", Target("recall", None, "<=50K"), ">=", 0.8, "low"),
        ("recall@<none> >= 0.8", Target("recall", None, "<none>"), ">=", 0.8, "low"),
        ("recall.value@>50K > 0.8", Target("recall", "value", ">50K"), ">", 0.8, "value"),
        ("recall[region] >= 0.8", Target("recall", None, None, (("region", None),)), ">=", 0.8, "low"),
        (
            "recall[region=north, sex=f]@ill >= 0.8",
            Target("recall", None, "ill", (("region", "north"), ("sex", "f"))),
            ">=",
            0.8,
            "low",
        ),
    ],
)
def test_what_is_read(text: str, target: Target, operator: str, limit: float, judged: str) -> None:
    found = requirement(text)
    assert (found.target, found.operator, found.limit, found.judged) == (target, operator, limit, judged)
    assert found.text == text.strip()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("recall => 0.8", "the requirement 'recall => 0.8' has '=>', which is no comparison."
         " Hint: write 'recall >= 0.8'."),
        ("recall > = 0.8", "the requirement 'recall > = 0.8' has '> =', which is no comparison."
         " Hint: write 'recall >= 0.8'."),
        ("recall ≤ 0.8", "the requirement 'recall ≤ 0.8' has '≤', which is no comparison."
         " Hint: write 'recall <= 0.8'."),
        ("recall == 0.8", "the requirement 'recall == 0.8' asks for one exact number, which no measured"
         " number hits. Hint: say what it must reach: 'recall >= 0.8', or 'recall <= 0.8'."),
        ("recall != 0.8", f"the requirement 'recall != 0.8' has '!=', which is no comparison. Hint: {FORM}"),
        ("recall", f"the requirement 'recall' compares nothing. Hint: {FORM}"),
        ("0.8 <= recall", "the requirement '0.8 <= recall': expected a limit such as 0.8 or 80%; got"
         " 'recall'. Hint: write 'recall >= 0.8'."),
        ("f1 > 0.1, fpr < 0.2", "the requirement 'f1 > 0.1, fpr < 0.2' compares more than once."
         " Hint: write each on its own: --require 'recall >= 0.8' --require 'fpr <= 0.1'."),
        ("recall[sex=f]", f"the requirement 'recall[sex=f]' compares nothing. Hint: {FORM}"),
        ("recall >=", f"the requirement 'recall >=' has no limit. Hint: {FORM}"),
        (">= 0.8", f"the requirement '>= 0.8' names no metric. Hint: {FORM}"),
        ("@ill >= 0.8", f"'@ill >= 0.8' names no metric. Hint: {FORM}"),
        ("recall >= high", "the requirement 'recall >= high': expected a limit such as 0.8 or 80%; got 'high'"
         f". Hint: {FORM}"),
        ("recall >= nan", "the requirement 'recall >= nan': expected a limit such as 0.8 or 80%; got 'nan'."
         f" Hint: {FORM}"),
        ("recall >= 0,8", "the requirement 'recall >= 0,8': expected a limit such as 0.8 or 80%; got '0,8'."
         " Hint: write 0.8 with a point."),
        ("recall@ >= 0.8", "'recall@ >= 0.8' names no class behind @."
         " Hint: write it as 'recall@malignant >= 0.8'."),
        ("recall[] >= 0.8", "'recall[] >= 0.8' names no slice in its brackets."
         " Hint: write 'recall[region=north] >= 0.8', or 'recall[region] >= 0.8' for every region."),
    ],
)  # fmt: skip
def test_what_is_no_requirement(text: str, said: str) -> None:
    with pytest.raises(OptionError) as problem:
        requirement(text)
    assert str(problem.value) == said


def test_a_number_is_no_requirement() -> None:
    with pytest.raises(OptionError, match=r"a requirement is text, such as 'recall >= 0.8'; got 0.8"):
        requirement(0.8)  # type: ignore[arg-type]


def test_rounding_decides_nothing_and_nan_never_passes() -> None:
    reached, beyond = requirement("f1 >= 0.3"), requirement("f1 > 0.3")
    # 0.1 + 0.2 is above 0.3 in floating-point arithmetic, and 0.7 - 0.4 is below it.
    assert 0.7 - 0.4 < 0.3 < 0.1 + 0.2
    assert reached.kept(0.7 - 0.4)
    assert not beyond.kept(0.1 + 0.2)
    for text in ("f1 >= 0", "f1 > 0", "f1 <= 1", "f1 < 1"):
        assert not requirement(text).kept(math.nan)


@pytest.mark.parametrize("percent", [1, 7, 29, 55, 57, 99.9, 12.5])
def test_a_percentage_is_the_number_that_one_would_write(percent: float) -> None:
    assert amount(f"{percent}%", "", "", "") == round(percent / 100, 6)


def test_what_must_not_get_worse() -> None:
    assert no_worse("f1", 0.01).margin == 0.01
    own = no_worse("f1.value@ill by 2%", 0.01)
    assert (own.target, own.margin) == (Target("f1", "value", "ill"), 0.02)


@pytest.mark.parametrize("text", ["f1 >= 0.2", "", None, "f1 by much", "f1 by -0.1"])
def test_what_cannot_get_worse(text: str) -> None:
    with pytest.raises(OptionError):
        no_worse(text, 0.0)


@pytest.mark.parametrize("margin", [-0.1, math.nan, math.inf, True, "0.1"])
def test_margins_are_numbers_from_0_up(margin: object) -> None:
    with pytest.raises(OptionError, match="margin is how much worse does not matter, a number from 0 up"):
        checked_margin(margin)
