"""`tallymark permute`: has the model learned anything?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

ROWS = 60
RANDOM = np.random.default_rng(11)
Y = np.arange(ROWS) % 2
CALL = ("permute", "--target", "y", "--permutations", "19")
MODULE = """
from sklearn.naive_bayes import GaussianNB

bayes = GaussianNB()


class Shy(GaussianNB):
    \"\"\"Learns the real classes only, which take turns.\"\"\"

    def fit(self, X, y):
        order = X["n"].to_numpy().argsort()
        taken = X["n"].to_numpy()[order].astype(int) % 2
        if (taken != y[order]).any():
            raise ValueError("these are not the classes")
        return super().fit(X, y)
"""


@pytest.fixture(autouse=True)
def files(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    noise = RANDOM.normal(0, 1, ROWS).round(4)
    pl.DataFrame({"x": noise + 3 * Y, "y": Y}).write_csv("signal.csv")
    pl.DataFrame({"x": noise, "y": Y}).write_csv("noise.csv")
    pl.DataFrame({"n": np.arange(ROWS), "y": Y}).write_csv("turns.csv")
    Path("own_for_permute.py").write_text(MODULE)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "own_for_permute", raising=False)


def test_a_signal_is_found(run: Any) -> None:
    form = run(*CALL, "signal.csv", "--model", "own_for_permute:bayes", "--metric", "brier", "--json").json
    assert (form["metric"], form["better"]) == ("brier", "lower")
    assert form["schema"] == "tallymark/permutation-test/1"
    # No permutation does as well: p = (0 + 1) / (19 + 1).
    assert (form["p_value"], form["at_least_as_good"]) == (0.05, 0)
    assert len(form["permuted"]["values"]) == 19


def test_the_value_is_that_of_validate(run: Any) -> None:
    form = run(*CALL, "signal.csv", "--model", "bayes", "--method", "kfold:4", "--json").json
    other = run(
        "validate", "signal.csv", "--target", "y", "--model", "bayes", "--method", "kfold:4", "--json"
    ).json
    expected = other["models"][0]["metrics"]["accuracy"]["mean_of_folds"]["value"]
    assert form["value"] == pytest.approx(expected)
    assert form["permute"] == "training"


def test_noise_is_noise(run: Any) -> None:
    form = run(*CALL, "noise.csv", "--model", "bayes", "--seed", "1", "--json").json
    as_good = sum(value >= form["value"] - 1e-12 for value in form["permuted"]["values"])
    assert form["p_value"] == (as_good + 1) / 20
    assert form["p_value"] > 0.05


def test_parameters_are_chosen_each_time(run: Any) -> None:
    params = ("--param", "var_smoothing=1e-9,0.1")
    form = run(*CALL, "signal.csv", "--model", "bayes", *params, "--json").json
    assert form["candidates"] == 2


def test_parameters_are_chosen_with_few_groups(run: Any) -> None:
    pl.read_csv("signal.csv").with_columns(g=pl.Series(np.arange(ROWS) // 20)).write_csv("groups.csv")
    call = (*CALL, "groups.csv", "--model", "bayes", "--group", "g", "--param", "var_smoothing=1e-9,0.1")
    form = run(*call, "--json").json
    assert form["candidates"] == 2
    assert any("chosen by 2 inner folds instead of 5" in note for note in form["notes"])


def test_all_classes(run: Any) -> None:
    form = run(*CALL, "signal.csv", "--model", "bayes", "--permute", "all", "--json").json
    assert form["permute"] == "all"


def test_it_stops_when_the_verdict_is_clear(run: Any) -> None:
    call = ("permute", "noise.csv", "--target", "y", "--model", "majority", "--permutations", "1000")
    form = run(*call, "--early-stop", "--json").json
    # The majority is never better than itself. 0.05^5 is below 0.001 n / (1000 + n), and 0.01^3 too.
    assert form["stopped"] == {"after": 5, "of": 1000, "side": "high", "risk": 0.001, "level": 0.95}
    assert run(*call, "--early-stop", "--confidence", "0.99", "--json").json["stopped"]["after"] == 3
    text = run(*call, "--early-stop").out
    assert "Drawing stopped after 5 of 1,000 permutations, when it was clear that p is above 0.050" in text
    form = run(*CALL, "noise.csv", "--model", "majority", "--json").json
    assert (form["early_stop"], form["stopped"], form["n_permutations"]) == (False, None, 19)


def test_the_report_and_the_picture(run: Any) -> None:
    text = run(*CALL, "signal.csv", "--model", "bayes", "--metric", "brier").out
    for said in ("Permutation test", "Verdict", "19 permutations", "p = 0.050", "most frequent class"):
        assert said in text, said
    assert all(len(line) <= 100 for line in text.splitlines())
    assert run(*CALL, "signal.csv", "--model", "bayes", "-o", "p.png").err == "wrote p.png\n"
    assert Path("p.png").read_bytes().startswith(b"\x89PNG")
    assert run(*CALL, "signal.csv", "--model", "bayes", "-o", "p.csv").code == 0
    assert len(pl.read_csv("p.csv")) == 20


@pytest.mark.parametrize("number", ["-5", "0"])
def test_at_least_one_permutation(run: Any, number: str) -> None:
    result = run("permute", "signal.csv", "--target", "y", "--model", "bayes", "--permutations", number)
    assert result.code == 2
    assert f"--permutations {number} compares with nothing; a number from 1 up is expected." in result.err


def test_fits_that_fail_are_exit_code_3(run: Any) -> None:
    result = run(*CALL, "turns.csv", "--model", "own_for_permute:Shy")
    assert result.code == 3
    assert "ValueError: these are not the classes" in result.err
    assert result.err.count("\n") == 1
    assert "p-value" in result.out
