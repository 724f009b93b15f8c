"""Libraries are asked, and judged by what they say."""

from __future__ import annotations

import math
import sys
import warnings
from importlib.util import find_spec
from typing import Any

import pytest

from tallymark.conformance import Conformance, Exact, Vector, conform
from tallymark.conformance.case import Case, NotOffered
from tallymark.conformance.peers import PEERS, Adapter, adapter
from tallymark.conformance.running import ask
from tallymark.errors import MissingExtraError, OptionError

HERE = ["sklearn", "pycm", "mlxtend", "statsmodels", "scipy", "imblearn"]
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


def test_errors_of_ours_are_not_called_exact_answers(everyone: Conformance) -> None:
    said = next(iter(everyone.document().sections[0].blocks))
    total = len(everyone.vectors)
    assert f"exact answer to {total - 2} of {total} questions; to 2 it answers with an error" in str(said)


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


def test_each_library_is_asked_something_and_each_call_is_used(everyone: Conformance) -> None:
    questions = {vector.asked for vector in everyone.vectors}
    for one in everyone.libraries[1:]:
        assert one.version == PEERS[one.name].version
        assert one.counts()["right"] > 10
        unused = set(adapter(one.name).calls) - questions
        assert not unused, (one.name, unused)


def test_a_known_difference_and_its_remedy(everyone: Conformance) -> None:
    replies = {one.name: one.replies["rates/never-called/precision"] for one in everyone.libraries}
    assert (replies["sklearn"].verdict, replies["sklearn"].value) == ("warned", 0.0)
    assert replies["sklearn"].remedy == "zero_division=np.nan"
    assert replies["pycm"].verdict == replies["mlxtend"].verdict == "right"
    assert replies["scipy"].verdict == "not offered"


def test_every_peer_has_an_adapter() -> None:
    for name in PEERS:
        assert find_spec(f"tallymark.conformance.adapters.{name}") is not None


# --- judging ---------------------------------------------------------------------------------------

HALF = Vector("x/y/z", "x", "", "", {}, {"metric": "m"}, Exact.of("1/2"), {"counts as 0": Exact.of("0")})
NONE = Vector("x/y/z", "x", "", "", {}, {"metric": "m"}, Exact.of({"undefined": "no rows"}), {})


def warns(value: float, category: type[Warning] = UserWarning) -> Any:
    def call(_: Case) -> float:
        warnings.warn("ill-defined", category, stacklevel=1)
        return value

    return call


def fails(problem: Exception) -> Any:
    def call(_: Case) -> float:
        raise problem

    return call


@pytest.mark.parametrize(
    ("vector", "call", "verdict"),
    [
        (HALF, lambda _: 0.5, "right"),
        (HALF, warns(0.5), "right"),
        (HALF, lambda _: 0.0, "convention"),
        (HALF, warns(0.0), "warned"),
        (HALF, warns(0.7), "warned"),
        (HALF, warns(0.7, FutureWarning), "wrong"),
        (HALF, lambda _: 0.7, "wrong"),
        (HALF, lambda _: math.nan, "wrong"),
        (HALF, fails(ValueError("no")), "error"),
        (HALF, fails(NotOffered("takes no weights")), "not offered"),
        (NONE, lambda _: math.nan, "right"),
        (NONE, lambda _: None, "right"),
        (NONE, lambda _: "None", "right"),
        (NONE, fails(ValueError("one class")), "right"),
        (NONE, lambda _: 0.0, "wrong"),
    ],
)
def test_verdicts(vector: Vector, call: Any, verdict: str) -> None:
    reply = ask(Adapter({"m": call}, {}), vector)
    assert reply.verdict == verdict
    assert ask(Adapter({}, {}), vector).verdict == "not offered"


def test_a_remedy_is_named_only_when_it_works() -> None:
    made = Adapter({"m": lambda _: 0.0}, {"m": [("a=1", lambda _: 0.7), ("b=1", lambda _: 0.5)]})
    assert ask(made, HALF).remedy == "b=1"
    assert ask(Adapter({"m": lambda _: 0.0}, {"m": [("a=1", lambda _: 0.7)]}), HALF).remedy == ""


def test_what_a_library_prints_is_not_seen(capsys: pytest.CaptureFixture[str]) -> None:
    def call(_: Case) -> float:
        print("loud")
        print("louder", file=sys.stderr)
        return 0.5

    assert ask(Adapter({"m": call}, {}), HALF).verdict == "right"
    assert capsys.readouterr() == ("", "")


# --- what may be named -----------------------------------------------------------------------------


def test_names_of_packages_are_taken_too() -> None:
    found = conform(["scikit-learn", "sklearn"], topics=["costs"])
    assert [one.name for one in found.libraries] == ["tallymark", "sklearn"]


@pytest.mark.parametrize(
    ("names", "topics", "error", "message"),
    [
        (
            ["skleran"],
            [],
            OptionError,
            "no library called 'skleran' can be asked. Hint: did you mean sklearn",
        ),
        (["weka"], [], OptionError, "no library called 'weka' can be asked. Hint: there are sklearn, "),
        ([], ["rate"], OptionError, "there is no topic 'rate'. Hint: there are rates, "),
    ],
)
def test_unknown_names(names: list[str], topics: list[str], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        conform(names, topics=topics)
    assert str(caught.value).startswith(message)


def test_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tallymark.conformance.peers.find_spec", lambda _: None)
    with pytest.raises(
        MissingExtraError, match=r"imblearn is not installed.* Hint: pip install imbalanced-learn"
    ):
        conform(["imblearn"])
    assert conform(["all"], topics=["costs"]).installed == ()


def test_installed_but_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tallymark.conformance.adapters.torchmetrics", None)
    with pytest.raises(MissingExtraError, match="torchmetrics is installed, but cannot be imported: "):
        adapter("torchmetrics")


def test_calls_of_ones_own() -> None:
    found = conform(own={"mine": {"total_cost": lambda case: case.input["costs"][0][0]}}, topics=["costs"])
    assert [(one.name, one.version) for one in found.libraries[1:]] == [("mine", "own")]
    assert found.libraries[1].counts()["wrong"] == len(found.differences) == 3
    assert found.passed


def test_weights_of_a_matrix_that_is_too_large_to_write_out() -> None:
    given = {"labels": [1, 0], "positive": 1, "matrix": [[10**9, 2], [3, 4]]}
    case = Case(Vector("x/y/z", "x", "", "", given, {"metric": "m"}, Exact.of("1"), {}))
    assert case.weights == [1e9, 2.0, 3.0, 4.0]
    assert list(zip(case.actual, case.predicted, strict=True)) == [(1, 1), (1, 0), (0, 1), (0, 0)]
    with pytest.raises(NotOffered):
        case.unweighted()
