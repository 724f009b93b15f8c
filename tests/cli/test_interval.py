"""`tallymark interval`."""

from __future__ import annotations

from typing import Any

import pytest
from statsmodels.stats.proportion import proportion_confint

from tallymark.cli.interval import METHODS
from tallymark.intervals import METHODS as EVERY

CALL = ("interval", "--correct", "80", "--of", "100")


def test_methods_are_those_of_the_arithmetic() -> None:
    assert METHODS == EVERY


def test_text(run: Any) -> None:
    """Tan, Steinbach & Kumar, ch. 4: 80 of 100 at 95 % is 71.1 % to 86.7 %."""
    result = run(*CALL)
    assert (result.code, result.err) == (0, "")
    assert result.out == (
        "80 of 100 = 0.8000\n95 % interval: [0.7112, 0.8666] (wilson, assumes independent rows)\n"
    )


def test_json(run: Any) -> None:
    form = run(*CALL, "--json").json
    low, high, z = form.pop("low"), form.pop("high"), form.pop("z")
    assert z == pytest.approx(1.959963984540054)
    assert form == {
        "schema": "tallymark/interval/1",
        "correct": 80,
        "of": 100,
        "value": 0.8,
        "level": 0.95,
        "method": "wilson",
        "assumption": "independent rows",
    }
    assert (low, high) == pytest.approx(proportion_confint(80, 100, method="wilson"))


@pytest.mark.parametrize(
    ("method", "peer"),
    [("clopper_pearson", "beta"), ("jeffreys", "jeffreys"), ("agresti_coull", "agresti_coull")],
)
def test_other_methods(run: Any, method: str, peer: str) -> None:
    form = run(*CALL, "--method", method, "--confidence", "0.9", "--json").json
    assert (form["method"], form["level"]) == (method, 0.9)
    assert (form["low"], form["high"]) == pytest.approx(proportion_confint(80, 100, alpha=0.1, method=peer))


def test_all_methods(run: Any) -> None:
    form = run(*CALL, "--method", "all", "--json").json
    assert [one["method"] for one in form["intervals"]] == list(EVERY)
    assert all(one["low"] < form["value"] < one["high"] for one in form["intervals"])
    text = run(*CALL, "--method", "all").out
    assert text.startswith("80 of 100 = 0.8000\n95 % intervals, assuming independent rows:\n\nmethod ")
    assert "\nwald             0.7216  0.8784\n" in text


def test_steps(run: Any) -> None:
    text = run(*CALL, "--explain").out
    assert "\n  N = 100, acc = 80 / 100 = 0.8, z = 1.96 for a confidence level of 0.95\n" in text
    steps = run(*CALL, "--explain", "--json").json["steps"]
    assert [f"  {step['text']}" for step in steps] == text.splitlines()[3:]
    assert all(step["latex"] for step in steps)


def test_counts_may_be_typed_in_any_way(run: Any) -> None:
    assert run("interval", "--correct", "1e2", "--of", "2.5e2", "--json").json["correct"] == 100
    assert run("interval", "--correct", "1.5", "--of", "3", "--json").json["value"] == 0.5
