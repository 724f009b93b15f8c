"""`tallymark metrics`."""

from __future__ import annotations

from typing import Any

from tallymark.metrics import METRICS, SCORE_METRICS, SET_METRICS


def test_text_has_every_name_formula_and_alias(run: Any) -> None:
    result = run("metrics")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    for name, metric in {**METRICS, **SCORE_METRICS, **SET_METRICS}.items():
        assert any(line.split(" ")[0].split(":")[0] == name for line in lines)
        assert any(line.startswith(f"{name} = ") for line in lines)
        assert all(alias in result.out for alias in metric.aliases)
    assert "\nrecall = tp / (tp + fn)\n" in result.out
    assert max(map(len, lines)) <= 100


def test_json(run: Any) -> None:
    form = run("metrics", "--json").json
    assert form["schema"] == "tallymark/metrics/1"
    by_name = {one["name"]: one for one in form["metrics"]}
    assert set(by_name) == {*METRICS, *SCORE_METRICS, *SET_METRICS}
    recall = by_name["recall"]
    assert "sensitivity" in recall["aliases"]
    assert recall["formula"] == "tp / (tp + fn)"
    assert recall["undefined"] == {"tp + fn": "no row is actually positive"}
    assert (recall["better"], recall["range"], recall["about"]) == ("higher", [0.0, 1.0], "class")
    assert (recall["parameters"], recall["classes_formula"]) == ([], None)
    assert recall["meaning"]
    assert recall["reference"]
    assert by_name["lr_plus"]["range"] == [0.0, None]
    assert by_name["total_cost"]["range"] == [None, None]
    assert by_name["f_beta"]["parameters"] == ["beta"]
    assert by_name["accuracy"]["towards"]
