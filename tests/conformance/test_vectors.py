"""The vectors are what their script makes of definitions, and others agree with them."""

import json
import math
import subprocess
import sys
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from collected import each
from tallymark.conformance import Exact, Vector, read_vectors

MAKER = Path(__file__).parents[2] / "tools" / "conformance" / "make_vectors.py"
FOLDER = files("tallymark.conformance") / "vectors"
TOPICS = ["rates", "classes", "labels", "weights", "ranking", "probabilities", "sets", "costs"]
TOPICS += ["intervals", "comparisons"]
FIELDS = {"id", "topic", "about", "why", "input", "question", "answer"}


@pytest.fixture(scope="module")
def by_id() -> dict[str, Vector]:
    return {vector.id: vector for vector in read_vectors()}


def test_files_are_what_the_script_makes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(MAKER), str(tmp_path)], check=True)
    made = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()}
    assert sorted(made) == sorted(f"{topic}.json" for topic in TOPICS)
    for name, text in made.items():
        assert (FOLDER / name).read_text("utf-8") == text, name


def test_the_script_knows_nothing_of_tallymark() -> None:
    for path in (MAKER, *(MAKER.parent / "making").glob("*.py")):
        lines = path.read_text("utf-8").splitlines()
        imported = {
            line.split()[1].partition(".")[0] for line in lines if line.startswith(("import ", "from "))
        }
        assert imported - {"__future__", "making"} <= set(sys.stdlib_module_names), path.name


@each("topic", TOPICS)
def test_forms_are_as_documented(topic: str) -> None:
    form: dict[str, Any] = json.loads((FOLDER / f"{topic}.json").read_text("utf-8"))
    assert (form["schema"], form["topic"]) == ("tallymark/vectors/1", topic)
    for vector in form["vectors"]:
        assert set(vector) - {"alternatives", "refusal"} == FIELDS
        assert vector["id"].startswith(f"{topic}/")
        assert (
            sum(kind in vector["question"] for kind in ("metric", "test", "curve", "interval", "difference"))
            == 1
        )
        for text in (vector["about"], vector["why"]):
            assert text.endswith((".", ")")), text
        for written in (vector["answer"], *vector.get("alternatives", {}).values()):
            if isinstance(written, str):
                assert str(Fraction(written)) == written
            else:
                assert len({"undefined", "infinite", "sqrt", "decimal"} & set(written)) == 1


def test_ids_are_unique_and_all_topics_are_there(by_id: dict[str, Vector]) -> None:
    assert len(by_id) == len(read_vectors())
    assert {vector.topic for vector in by_id.values()} == set(TOPICS)


def test_no_alternative_is_the_answer(by_id: dict[str, Vector]) -> None:
    for vector in by_id.values():
        for other in vector.alternatives.values():
            assert not vector.answer.fits(None if math.isnan(other.value) else other.value), vector.id


@each(
    "name, published, digits",
    [
        # Newcombe 1998, Statistics in Medicine 17:857, table I: 81 of 263.
        ("intervals/wilson-81-of-263/low", 0.2553, 4),
        ("intervals/wilson-81-of-263/high", 0.3662, 4),
        # Newcombe 1998, Statistics in Medicine 17:873, table II: 56 of 70 less 48 of 80, his method 10.
        ("intervals/newcombe-56-of-70-48-of-80/low", 0.0524, 4),
        ("intervals/newcombe-56-of-70-48-of-80/high", 0.3339, 4),
        # Demsar 2006, table 5: q of 3 models is 2.343; 10 data sets.
        ("comparisons/nemenyi-3-models/critical_difference", 2.343 * math.sqrt(12 / 60), 3),
        ("comparisons/nemenyi-2-models/critical_difference", 1.960 * math.sqrt(6 / 60), 3),
        # Tan, Steinbach and Kumar, chapter 4: two models and their costs.
        ("costs/plain/total_cost", 3910, 0),
        ("costs/more-accurate/total_cost", 4255, 0),
    ],
)
def test_published_figures(by_id: dict[str, Vector], name: str, published: float, digits: int) -> None:
    assert round(by_id[name].answer.value, digits) == pytest.approx(round(published, digits))


@each(
    "written, given, fits",
    [
        ("1/3", 0.3333333, True), ("1/3", 0.33334, False), ("0", 0.0, True), ("0", None, False),
        ({"sqrt": "1/2"}, math.sqrt(0.5), True), ({"sqrt": "1/2", "sign": -1}, -math.sqrt(0.5), True),
        ({"sqrt": "1/2", "sign": -1}, math.sqrt(0.5), False),
        ({"decimal": "0.69314718055994530941", "worked": "ln 2"}, math.log(2), True),
        ({"undefined": "no rows"}, None, True), ({"undefined": "no rows"}, 0.0, False),
        ({"infinite": "x / 0"}, math.inf, True), ({"infinite": "x / 0"}, None, True),
        ({"infinite": "x / 0"}, 1e300, False),
    ],
)  # fmt: skip
def test_what_fits_an_answer(written: Any, given: float | None, fits: bool) -> None:
    assert Exact.of(written).fits(given) is fits


def test_how_answers_and_questions_are_shown(by_id: dict[str, Vector], snapshot: Any) -> None:
    answers = (
        "2/3", "1", {"sqrt": "2/9"}, {"sqrt": "2/9", "sign": -1},
        {"decimal": "0.3085", "worked": "1 - (1/40)^(1/10)"}, {"undefined": "no rows"},
    )  # fmt: skip
    questions = (
        "rates/plain/f_beta-2", "classes/plain/f1_macro", "comparisons/mcnemar-plain/exact-p_value",
        "comparisons/holm-plain/1", "intervals/wilson-0-of-10/low", "ranking/best-4/gains",
    )  # fmt: skip
    shown = {f"answer {each}": str(Exact.of(each)) for each in answers}
    snapshot("conformance_answers", shown | {name: by_id[name].words for name in questions})
