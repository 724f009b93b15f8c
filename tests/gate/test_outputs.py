"""A gate on paper, as JSON, for build servers and for GitHub, and as its documentation shows it."""

import json
import re
import shlex
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
import xmlschema
import yaml

import tallymark as tm
from tallymark import data
from tallymark.cli import main

SCHEMA = xmlschema.XMLSchema(Path(__file__).with_name("junit.xsd"))
DOCUMENT = (Path(__file__).parents[2] / "docs" / "gate.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def gate(ev: tm.Evaluation) -> tm.Gate:
    better = tm.Confusion([[82, 18], [30, 270]], labels=["ill", "well"]).evaluate(pos_label="ill")
    asked = ["recall >= 0.75", "fpr.value < 10%", "precision@well >= 0.9", "accuracy >= 0.8"]
    return tm.check(ev, asked, baseline=better, no_worse="recall", margin=0.05)


def test_texts(gate: tm.Gate, ev: tm.Evaluation, scored: tm.Evaluation, snapshot: Any) -> None:
    never = tm.Confusion([[0, 100], [0, 300]], labels=["ill", "well"]).evaluate(pos_label="ill")
    bins = tm.Scores.from_bins([1, 3], [2, 1], [0, 0.5, 1]).evaluate()
    sets = tm.evaluate([[1, 0], [0, 1]] * 20, [[1, 0], [1, 1]] * 20, labels=["a", "b"])
    rare = scored.at_prevalence(0.05)
    dropped = tm.evaluate(["a", "b", None, "a"], ["a", "b", "b", "b"], pos_label="a", missing="drop")
    tuned = tm.evaluate([0, 0, 1, 0, 1, 1], y_score=[0.1, 0.3, 0.35, 0.4, 0.6, 0.9], threshold="best:f1")
    gates = {
        "passed, one": tm.check(ev, "recall >= 0.5"),
        "passed, two": tm.check(ev, ["recall >= 0.5", "fpr <= 0.5"]),
        "failed, one": tm.check(ev, "recall >= 0.9"),
        "failed, one of two": tm.check(ev, ["recall >= 0.9", "fpr <= 0.5"]),
        "failed, both": tm.check(ev, ["recall >= 0.9", "fpr <= 0.1"]),
        "against the direction": tm.check(ev, "recall <= 0.9"),
        "undefined": tm.check(never, "precision >= 0.1"),
        "the baseline undefined": tm.check(ev, baseline=never.to_dict(), no_worse="precision", margin=0.5),
        "no interval": tm.check(scored, ["ece <= 0.5", "ece.high <= 0.5"]),
        "bounds": tm.check(bins, ["auc.value >= 0.4", "auc.value <= 0.9"]),
        "differences, without a margin": tm.check(scored, baseline=scored, no_worse=["auc", "accuracy"]),
        "other class shares": tm.check(rare, baseline=rare.to_dict(), no_worse="precision", margin=0.5),
        "label sets": tm.check(sets, baseline=sets, no_worse="hamming_loss.value"),
        "rows left out": tm.check(dropped, "recall >= 0.1"),
        "a threshold tuned on these rows": tm.check(tuned, "f1 >= 0.1"),
    }
    # The same is known from the JSON document.
    assert tm.check(dropped.to_dict(), "recall >= 0.1").notes == gates["rows left out"].notes != ()
    assert (
        tm.check(tuned.to_dict(), "f1 >= 0.1").notes == gates["a threshold tuned on these rows"].notes != ()
    )
    texts = {"five requirements": str(gate)} | {name: str(each) for name, each in gates.items()}
    sentences = "\n".join(each.sentence for one in gates.values() for each in one.outcomes)
    more = {"repr": repr(gate), "annotations": "\n".join(gate.annotations()), "sentences": sentences}
    snapshot("gate_texts", texts | more | {"summary": gate.summary()})


def test_json_has_every_number(gate: tm.Gate) -> None:
    form = json.loads(gate.to_json(), parse_constant=pytest.fail)
    head = [form[name] for name in ("schema", "passed", "rows", "level")]
    assert head == ["tallymark/check/1", False, 400, 0.95]
    first, *_, last = form["outcomes"]
    asked = [first[name] for name in ("requirement", "metric", "judged", "limit")]
    assert asked == ["recall >= 0.75", "recall", "low", 0.75]
    assert first["found"] == first["estimate"]["low"] == pytest.approx(0.75 - first["short_by"])
    assert (last["kind"], last["margin"], last["baseline"]["value"]) == ("baseline", 0.05, 0.82)
    assert [each["passed"] for each in form["outcomes"]] == [False, False, False, True, True]


def suite_of(gate: tm.Gate) -> Any:
    SCHEMA.validate(gate.to_junit())
    return ElementTree.fromstring(gate.to_junit().partition("?>")[2]).find("testsuite")


def test_junit_is_valid_and_tells_what_failed(gate: tm.Gate) -> None:
    suite = suite_of(gate)
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert [suite.get(name) for name in ("tests", "failures", "errors")] == ["5", "3", "0"]
    failure = cases["recall >= 0.75"].find("failure")
    assert (failure.get("message"), "n = 100" in failure.text) == (gate.outcomes[0].sentence, True)
    assert cases["accuracy >= 0.8"].find("failure") is None
    numbers = {each.get("name"): each.get("value") for each in suite.iter("property")}
    assert (numbers["recall >= 0.75: value"], numbers["recall >= 0.75: limit"]) == ("0.8", "0.75")


def test_labels_that_formats_cannot_hold_are_escaped() -> None:
    def of(label: str) -> tm.Gate:
        counts = tm.Confusion([[5, 1], [1, 5]], labels=[label, "other"]).evaluate(pos_label=label)
        return tm.check(counts, f"recall@{label} >= 0.9")

    (case,) = suite_of(of('a"<&>\x00\x1b[31m\ud800')).iter("testcase")
    assert case.get("name") == 'recall@a"<&>\\x00\\x1b[31m\\ud800 >= 0.9'
    [line] = of("50%,\r\na: b").annotations()
    title, message = line.removeprefix("::error title=").split("::")
    assert title == "tallymark check%3A recall@50%25%2C%0D%0Aa%3A b >= 0.9"
    assert "50%25,\\r\\na: b" in message


def test_files_of_every_format_that_are_not_replaced(gate: tm.Gate, tmp_path: Path) -> None:
    for suffix in ("txt", "md", "tex", "html", "json", "xml"):
        path = tmp_path / f"gate.{suffix}"
        gate.save(path)
        assert "0.039" in path.read_text()  # 0.75 - 0.7112
        with pytest.raises(tm.FileError):
            gate.save(path)
    written = [(tmp_path / name).read_text() for name in ("gate.json", "gate.xml")]
    assert written == [f"{gate.to_json()}\n", f"{gate.to_junit()}\n"]


def test_the_configuration_of_the_documentation_is_all_that_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def blocks(kind: str) -> list[str]:
        return re.findall(rf"^```{kind}\n(.*?)^```", DOCUMENT, re.DOTALL | re.MULTILINE)

    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.chdir(tmp_path)
    for name in ("predictions.csv", "main.csv"):
        shutil.copy(data.path("breast_cancer.csv"), name)
    (table,) = blocks("toml")
    (tmp_path / "pyproject.toml").write_text(table)
    (actions, stage) = map(yaml.safe_load, blocks("yaml"))
    for line in (actions[1]["run"], stage["check-model"]["script"][1]):
        assert main([*shlex.split(line, comments=True)[1:], "--force"]) == 0
    assert (tmp_path / "tallymark.xml").exists()
