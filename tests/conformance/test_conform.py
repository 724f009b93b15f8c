"""Libraries are asked, and judged by what they say."""

import math
import sys
import warnings
from importlib.metadata import version
from typing import Any

import pytest

from collected import each
from scored import classes, refusals
from tallymark.conformance import Case, Conformance, NotOffered, conform

HERE = ["sklearn", "pycm", "mlxtend", "statsmodels", "scipy", "imblearn"]
PACKAGES = ["scikit-learn", *HERE[1:-1], "imbalanced-learn"]
"""Installed for the tests; torchmetrics needs torch, see docs/conformance.md."""


@pytest.fixture(scope="module")
def everyone() -> Conformance:
    return conform(HERE)


def test_tallymark_is_right_everywhere(everyone: Conformance) -> None:
    """To the last digits, and without an error but where one is as good as the answer."""
    assert everyone.passed
    for vector in everyone.vectors:
        reply = everyone.libraries[0].replies[vector.id]
        assert reply.verdict == "right", vector.id
        assert not reply.said or vector.refusal, vector.id
        if vector.answer.kind == "number" and not vector.refusal:
            assert reply.value == pytest.approx(vector.answer.value, rel=1e-11, abs=1e-13), vector.id


def test_everyone_agrees_on_plain_questions(everyone: Conformance) -> None:
    """What is special about no input is what all mean by a name: so the answers are checked from outside."""
    plain = [vector for vector in everyone.vectors if "/plain" in vector.id or "-plain/" in vector.id]
    assert len(plain) > 50
    asked = 0
    for one in everyone.libraries[1:]:
        for vector in plain:
            reply = one.replies[vector.id]
            assert reply.verdict in ("right", "not offered"), (one.name, vector.id, reply)
            asked += reply.verdict == "right"
    assert asked > 100


def test_each_library_is_asked_something(everyone: Conformance) -> None:
    for one, package in zip(everyone.libraries[1:], PACKAGES, strict=True):
        assert (one.name, one.version) == (HERE[PACKAGES.index(package)], version(package))
        assert one.counts()["right"] > 10


def test_a_known_difference_and_its_remedy(everyone: Conformance) -> None:
    replies = {one.name: one.replies["rates/never-called/precision"] for one in everyone.libraries}
    assert (replies["sklearn"].verdict, replies["sklearn"].value) == ("warned", 0.0)
    assert replies["sklearn"].remedy == "zero_division=np.nan"
    assert replies["pycm"].verdict == replies["mlxtend"].verdict == "right"
    assert replies["scipy"].verdict == "not offered"


# --- judging ---------------------------------------------------------------------------------------


def warns(value: float, category: type[Warning] = UserWarning) -> Any:
    def call(_: Case) -> float:
        warnings.warn("ill-defined", category, stacklevel=1)
        print("loud")
        print("louder", file=sys.stderr)
        return value

    return call


def fails(problem: Exception) -> Any:
    def call(_: Case) -> float:
        raise problem

    return call


# The mean F1 is 835 / 1144, by another convention 32489 / 44328.
# Where nothing is predicted precision is undefined.
F1, OTHER = "classes/plain/f1_macro", 32489 / 44328
NONE = "rates/never-called/precision"


@each(
    "question, call, verdict",
    [
        (F1, lambda _: 835 / 1144, "right"),
        (F1, warns(835 / 1144), "right"),
        (F1, lambda _: OTHER, "convention"),
        (F1, warns(OTHER), "warned"),
        (F1, warns(0.7), "warned"),
        (F1, warns(0.7, FutureWarning), "wrong"),
        (F1, lambda _: 0.7, "wrong"),
        (F1, lambda _: math.nan, "wrong"),
        (F1, fails(ValueError("no")), "error"),
        (F1, fails(NotOffered("takes no weights")), "not offered"),
        (NONE, lambda _: math.nan, "right"),
        (NONE, lambda _: None, "right"),
        (NONE, lambda _: "None", "right"),
        (NONE, fails(ValueError("one class")), "right"),
        (NONE, lambda _: 0.7, "wrong"),
    ],
)
def test_verdicts(question: str, call: Any, verdict: str, capsys: pytest.CaptureFixture[str]) -> None:
    topic, _, name = question.split("/")
    mine = conform(own={"mine": {name: call}}, topics=[topic]).libraries[1]
    assert mine.replies[question].verdict == verdict
    assert mine.replies[f"{topic}/plain/mcc"].verdict == "not offered"
    assert capsys.readouterr() == ("", "")  # what a library prints is not seen


# --- what may be named -----------------------------------------------------------------------------


def test_names_of_packages_are_taken_too() -> None:
    found = conform(["scikit-learn", "sklearn"], topics=["costs"])
    assert [one.name for one in found.libraries] == ["tallymark", "sklearn"]


def test_what_cannot_be_asked(monkeypatch: pytest.MonkeyPatch, snapshot: Any) -> None:
    calls: dict[str, Any] = {
        "a slip": lambda: conform(["skleran"]),
        "nothing like it": lambda: conform(["weka"]),
        "topic": lambda: conform(topics=["rate"]),
    }
    refused = refusals(calls)
    assert classes(refused) == dict.fromkeys(calls, "OptionError")
    with monkeypatch.context() as changed:
        changed.setitem(sys.modules, "tallymark.conformance.adapters.pycm", None)
        broken = refusals({"broken": lambda: conform(["pycm"])})
    with monkeypatch.context() as changed:
        # What is not installed cannot be found.
        changed.setattr("tallymark.conformance.peers.find_spec", lambda *_: None)
        absent = refusals({"not installed": lambda: conform(["imblearn"])})
        assert conform(["all"], topics=["costs"]).installed == ()
    assert classes(broken | absent) == {"broken": "MissingExtraError", "not installed": "MissingExtraError"}
    snapshot("conformance_errors", refused | absent | {"broken": broken["broken"].partition(": ")[2][:60]})


def test_calls_of_ones_own() -> None:
    found = conform(own={"mine": {"total_cost": lambda case: case.input["costs"][0][0]}}, topics=["costs"])
    assert [(one.name, one.version) for one in found.libraries[1:]] == [("mine", "own")]
    assert found.libraries[1].counts()["wrong"] == len(found.differences) == 3
    assert found.passed


def test_a_matrix_that_is_too_large_to_write_out_has_weights() -> None:
    seen: dict[str, Case] = {}

    def kept(case: Case) -> float:
        seen[case.vector.id] = case
        return float(not case.unweighted())

    mine = conform(own={"mine": {"mcc": kept}}, topics=["rates"]).libraries[1]
    large, plain = seen["rates/large/mcc"], seen["rates/plain/mcc"]
    assert mine.replies["rates/large/mcc"].verdict == "not offered"  # for it takes no weights
    assert large.weights == [float(n) for row in large.input["matrix"] for n in row]
    one, two = large.labels
    assert list(zip(large.actual, large.predicted, strict=True)) == [
        (one, one), (one, two), (two, one), (two, two),
    ]  # fmt: skip
    assert (plain.weights, len(plain.actual)) == (None, 20)
