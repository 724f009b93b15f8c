"""The verdict, read aloud in every case."""

from __future__ import annotations

from typing import Any

import pytest

from tallymark.comparison.difference import NO_TEST, Difference
from tallymark.comparison.verdict import judge
from tallymark.inference import Estimate, undefined
from tallymark.tests.outcome import Outcome


def difference(
    value: float | None = 0.1,
    low: float | None = 0.02,
    high: float | None = 0.18,
    p: float | None = 0.01,
    *,
    pair: tuple[str, str] = ("a", "b"),
    metric: str = "accuracy",
    better: Any = "higher",
    alternative: Any = "two-sided",
    **more: Any,
) -> Difference:
    """As wide at every level as it is said to be at 95 %, in proportion to 1.96 standard errors."""
    if value is None:
        return Difference(
            metric, *pair, undefined("b: nothing was predicted positive"), True, better, lambda: None
        )  # type: ignore[arg-type, return-value]

    def ends(level: float) -> tuple[float, float]:
        from scipy.stats import norm

        assert low is not None
        assert high is not None
        times = norm.ppf((1 + level) / 2) / norm.ppf(0.975)
        return value - times * (value - low), value + times * (high - value)

    estimate = Estimate(
        value,
        0.95,
        "tango",
        100,
        remark="it is lost" if low is None else None,
        ends_at=None if low is None else ends,
    )
    outcome = Outcome(
        NO_TEST if p is None else "McNemar, exact",
        None,
        p,
        alternative=alternative,
        why="it is lost" if p is None else None,
    )
    return Difference(metric, *pair, estimate, True, better, lambda: outcome, **more)


VALUES = {"a": 0.9, "b": 0.8, "c": 0.85}


def verdict(*differences: Difference, values: Any = VALUES, **options: Any) -> str:
    return judge(differences, values, level=0.95, **options).text


# --- two models -------------------------------------------------------------------------------------


def test_the_better_model_is_named_with_numbers_interval_and_test() -> None:
    found = judge([difference()], VALUES, level=0.95)
    assert found.winner == "a"
    assert found.text == (
        "'a' is better than 'b': accuracy 0.900 against 0.800, a difference of 0.100 [0.020, 0.180] (95 %), "
        "p = 0.010 (McNemar, exact)."
    )


def test_the_better_model_comes_first_whichever_was_given_first() -> None:
    found = judge([difference(-0.1, -0.18, -0.02)], {"a": 0.8, "b": 0.9}, level=0.95)
    assert found.winner == "b"
    assert found.text.startswith(
        "'b' is better than 'a': accuracy 0.900 against 0.800, a difference of 0.100 [0.020, 0.180]"
    )


def test_a_lower_number_may_be_better() -> None:
    found = judge([difference(metric="brier", better="lower")], {"a": 0.3, "b": 0.2}, level=0.95)
    assert found.winner == "b"
    assert found.text.startswith(
        "'b' is better than 'a': brier 0.200 against 0.300 (lower is better), a difference of -0.100 "
        "[-0.180, -0.020] (95 %)"
    )


def test_what_cannot_be_told_says_what_could_have_been_found() -> None:
    found = judge([difference(low=-0.05, high=0.25, p=0.2)], VALUES, level=0.95, reach="It takes more.")
    assert found.winner is None
    assert found.text == (
        "cannot tell: 'a' has accuracy 0.900 and 'b' 0.800, a difference of 0.100 [-0.050, 0.250] (95 %), "
        "p = 0.200 (McNemar, exact). It takes more."
    )


def test_what_cannot_be_told_is_in_the_order_given() -> None:
    found = judge([difference(-0.1, -0.25, 0.05, p=0.2)], {"a": 0.8, "b": 0.9}, level=0.95)
    assert found.text == (
        "cannot tell: 'a' has accuracy 0.800 and 'b' 0.900, a difference of -0.100 [-0.250, 0.050] (95 %), "
        "p = 0.200 (McNemar, exact)."
    )


def test_numbers_close_to_each_other_can_be_told_apart() -> None:
    close = {"a": 0.99912, "b": 0.99903}
    assert "'a' has accuracy 0.9991 and 'b' 0.9990, a difference of 0.0001 [-0.0001, 0.0003]" in verdict(
        difference(0.00009, -0.00008, 0.00026, 0.3), values=close
    )


def test_a_clear_verdict_needs_no_reach() -> None:
    assert "It takes more." not in verdict(difference(), reach="It takes more.")


def test_undefined_numbers_say_why() -> None:
    assert verdict(difference(None, metric="precision")) == (
        "cannot tell: precision is undefined: b: nothing was predicted positive."
    )


def test_equal_numbers() -> None:
    assert verdict(difference(0.0, 0.0, 0.0, 1.0), values={"a": 0.9, "b": 0.9}) == (
        "cannot tell: 'a' has accuracy 0.900 and 'b' 0.900, no difference, p = 1.000 (McNemar, exact)."
    )


def test_without_interval_and_test() -> None:
    assert verdict(difference(low=None, high=None, p=None)) == (
        "cannot tell: 'a' has accuracy 0.900 and 'b' 0.800, a difference of 0.100 (no interval: it is lost), "
        "and no p-value."
    )
    assert verdict(difference(p=None)).endswith("(95 %), no p-value (it is lost).")


def test_one_sided_tests_say_which_side() -> None:
    assert verdict(difference(alternative="greater")).endswith(
        "p = 0.010 (McNemar, exact; one-sided, whether that of 'a' is greater)."
    )
    other = difference(-0.1, -0.18, -0.02, alternative="less")
    assert "whether that of 'a' is less" in verdict(other, values={"a": 0.8, "b": 0.9})


def test_interval_and_test_that_do_not_agree() -> None:
    assert (
        "The interval just leaves out 0, but the test, the stricter one here, finds no difference."
        in verdict(difference(p=0.0625))
    )
    assert "The interval still holds 0, so this is not as sure as it looks." in verdict(
        difference(low=-0.001, p=0.049)
    )
    assert "interval" not in verdict(difference(low=-0.001, p=0.049, alternative="greater")).replace(
        "interval,", ""
    )


def test_a_number_that_is_neither_better_high_nor_low() -> None:
    found = judge([difference(metric="predicted_positive_rate", better=None)], VALUES, level=0.95)
    assert found.winner is None
    assert found.text.startswith("'a' and 'b' differ: predicted_positive_rate 0.900 against 0.800")
    assert found.text.endswith(
        "Neither is better for it: predicted_positive_rate is not a number to be high or low."
    )
    assert verdict(difference(metric="prevalence", better=None, p=0.5)).startswith(
        "cannot tell: 'a' has prevalence"
    )


# --- a margin ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said"),
    [
        # The 90 % interval reaches 0.8389 times as far as the 95 % one.
        (
            (0.0, -0.04, 0.04, 1.0),
            "Within 0.050 'a' and 'b' are equivalent: the 90 % interval [-0.034, 0.034] lies inside.",
        ),
        (
            (0.02, 0.01, 0.03, 0.001),
            "But within 0.050 'a' and 'b' are equivalent: the 90 % interval [0.012, 0.028] lies inside.",
        ),
        ((0.1, 0.06, 0.14, 0.001), "'a' is better by more than 0.050: 90 % interval [0.066, 0.134]."),
        (
            (0.1, 0.02, 0.18, 0.001),
            "'a' is not shown to be better by more than 0.050: 90 % interval [0.033, 0.167].",
        ),
        (
            (0.06, -0.01, 0.13, 0.2),
            "'a' is worse than 'b' by less than 0.050, if at all: 90 % interval [0.001, 0.119].",
        ),
        (
            (0.0, -0.2, 0.2, 0.9),
            "Neither is shown to be within 0.050 of the other: 90 % interval [-0.168, 0.168].",
        ),
    ],
)
def test_margins(given: tuple[float, float, float, float], said: str) -> None:
    assert said in verdict(difference(*given), margin=0.05)


def test_a_margin_of_a_number_to_be_low() -> None:
    said = verdict(difference(0.06, -0.01, 0.13, 0.2, metric="brier", better="lower"), margin=0.05)
    assert "'b' is worse than 'a' by less than 0.050, if at all: 90 % interval [0.001, 0.119]." in said


def test_a_margin_without_interval() -> None:
    said = verdict(difference(low=None, high=None, p=None), margin=0.05)
    assert said.endswith("Nothing can be said of the margin of 0.050: there is no interval.")


# --- many models ------------------------------------------------------------------------------------


def three(*p_values: float, better: Any = "higher") -> list[Difference]:
    pairs = (("a", "b", 0.1), ("a", "c", 0.05), ("b", "c", -0.05))
    return [
        difference(
            gap, gap - 0.04, gap + 0.04, p, pair=(one, two), better=better, adjusted=p, adjusted_by="Holm"
        )
        for (one, two, gap), p in zip(pairs, p_values, strict=True)
    ]


ALIKE = Outcome("Cochran's Q", 1.0, 0.4)
APART = Outcome("Cochran's Q", 20.0, 0.0001)


def test_one_that_is_better_than_all() -> None:
    found = judge(three(0.01, 0.02, 0.3), VALUES, level=0.95, omnibus=APART)
    assert found.winner == "a"
    assert found.text == (
        "'a' is better than 'b': accuracy 0.900 against 0.800, a difference of 0.100 [0.060, 0.140] (95 %), "
        "p = 0.010 after Holm (McNemar, exact); and than 'c': accuracy 0.900 against 0.850, a difference of "
        "0.050 [0.010, 0.090] (95 %), p = 0.020 after Holm (McNemar, exact)."
    )


def test_one_that_is_better_than_some() -> None:
    found = judge(three(0.01, 0.2, 0.3), VALUES, level=0.95, omnibus=APART)
    assert found.winner is None
    assert found.text.endswith("Whether it is better than 'c' cannot be told.")


def test_the_best_number_need_not_be_of_a_better_model() -> None:
    found = judge(three(0.2, 0.2, 0.01), VALUES, level=0.95)
    assert found.text == (
        "'a' has the best number, 0.900. Whether it is better than 'b' or 'c' cannot be told. Of the others, "
        "'c' is better than 'b', p = 0.010 after Holm (McNemar, exact)."
    )


def test_models_that_do_not_differ_together() -> None:
    assert verdict(*three(0.01, 0.2, 0.3), omnibus=ALIKE) == (
        "cannot tell: tested together, the models do not differ in accuracy beyond chance, p = 0.400 "
        "(Cochran's Q)."
    )


def test_pairs_that_do_not_differ() -> None:
    assert verdict(*three(0.2, 0.1, 0.3)) == (
        "cannot tell: no pair of the models differs in accuracy beyond chance; the nearest to it are 'a' and "
        "'c', p = 0.100 after Holm (McNemar, exact)."
    )


def test_many_models_are_not_all_listed() -> None:
    names = [f"m{at}" for at in range(8)]
    values = {name: 0.5 - at / 100 for at, name in enumerate(names)}
    pairs = [
        difference(
            0.1, 0.05, 0.15, 0.5, pair=(one, two), adjusted=0.01 if two == "m1" else 0.9, adjusted_by="Holm"
        )
        for at, one in enumerate(names)
        for two in names[at + 1 :]
    ]
    said = verdict(*pairs, values=values)
    assert said.startswith("'m0' is better than 'm1': ")
    assert said.endswith("Whether it is better than 'm2', 'm3', 'm4' or 3 more cannot be told.")


def paired(**ahead: float) -> list[Difference]:
    """Differences of medians in the pairs ab, ac and bc, each with p = 0.01."""
    return [
        difference(
            *(gap, gap - 0.005, gap + 0.005, 0.01), pair=(pair[0], pair[1]), adjusted=0.01, adjusted_by="Holm"
        )
        for pair, gap in ahead.items()
    ]


def test_the_best_mean_does_not_win_where_its_model_is_beaten() -> None:
    found = judge(paired(ab=-0.01, ac=0.02, bc=0.03), VALUES, level=0.95, omnibus=APART, medians=True)
    assert found.winner == "b"
    assert found.text == (
        "'b' is better than 'a': median difference in accuracy 0.010 [0.005, 0.015] (95 %), means 0.800 and "
        "0.900, p = 0.010 after Holm (McNemar, exact); and than 'c': median difference in accuracy 0.030 "
        "[0.025, 0.035] (95 %), means 0.800 and 0.850, p = 0.010 after Holm (McNemar, exact). Of the others, "
        "'a' is better than 'c', p = 0.010 after Holm (McNemar, exact). The means of 'a' and 'b' are in the "
        "other order: they follow a few large differences, which the median and the test do not."
    )


def test_models_that_are_all_beaten_have_no_best() -> None:
    found = judge(paired(ab=0.01, ac=-0.01, bc=0.01), VALUES, level=0.95, omnibus=APART, medians=True)
    assert found.winner is None
    assert found.text.startswith(
        "cannot tell which is the best: 'a' is better than 'b', p = 0.010 after Holm (McNemar, exact); 'c' "
        "is better than 'a', p = 0.010 after Holm (McNemar, exact); 'b' is better than 'c', p = 0.010 after "
    )


def test_medians_are_not_told_as_the_difference_of_means() -> None:
    found = judge([difference(0.1, 0.05, 0.15)], {"a": 0.733, "b": 0.617}, level=0.95, medians=True)
    assert found.text == (
        "'a' is better than 'b': median difference in accuracy 0.100 [0.050, 0.150] (95 %), means 0.733 and "
        "0.617, p = 0.010 (McNemar, exact)."
    )
    none = judge([difference(0.0, 0.0, 0.0, 1.0)], {"a": 0.7, "b": 0.6}, level=0.95, medians=True)
    assert none.text.startswith(
        "cannot tell: no median difference in accuracy, mean of 'a' 0.700 and of 'b' 0.600, p = 1"
    )


def test_many_models_in_a_number_that_is_neither() -> None:
    said = verdict(*three(0.01, 0.2, 0.3, better=None))
    assert said.startswith("'a' and 'b' differ: accuracy 0.900 against 0.800")
    assert verdict(*three(0.2, 0.2, 0.3, better=None)).startswith("cannot tell: no pair")
