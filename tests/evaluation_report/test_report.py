"""The page about one model or several: what it says first, and which sections it has."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import tallymark as tm
from parsed_pages import Page
from tallymark import data

COSTS = {"malignant": {"benign": 10}, "benign": {"malignant": 1}}
LIVE = "Try a threshold"
MOST = 160_000
"""Bytes of a page about two models and their comparison."""


def html(result: tm.Evaluation | tm.Comparison) -> str:
    with TemporaryDirectory() as folder:
        result.save(Path(folder) / "x.html")
        return (Path(folder) / "x.html").read_text()


def page_of(result: tm.Evaluation | tm.Comparison) -> Page:
    return Page(html(result))


def first_screen(ev: tm.Evaluation) -> str:
    return Page(ev._repr_mimebundle_()["text/html"]).text("text", "tspan")


def headings(page: Page, tag: str) -> list[str]:
    return [text for each, text in page.texts if each == tag]


def outline(page: Page, *tags: str) -> str:
    """The texts of some elements, without the live part and the notes that explanations are tested for."""
    found, section = [], ""
    for tag, text in page.texts:
        section = text if tag == "h2" else section
        if tag in tags and (tag in ("h2", "pre") or section not in (LIVE, "All numbers", "Method notes")):
            found.append(f"{tag}: {' '.join(text.split())}")
    return "\n".join(found)


@cache
def tumours(model: str = "bayes", **more: Any) -> tm.Evaluation:
    columns = {"actual": "actual", "predicted": f"{model}_predicted", "score": f"{model}_score"}
    file = data.path("breast_cancer.csv")
    return tm.evaluate(file, **columns, pos_label="malignant", costs=COSTS, **more)  # type: ignore[arg-type]


@cache
def both() -> Page:
    return page_of(tm.compare({"bayes": tumours(), "tree": tumours("tree")}))


def test_the_page_of_two_classes_with_costs(snapshot) -> None:
    ev = tumours()
    page = page_of(ev)
    # 345 + 173 of 569 rows are right, 357 are benign; 173 of 212 are found, and 173 of 185 alarms are true.
    matrix = "benign 345 (96.6%) 12 (3.4%) 357 malignant 39 (18.4%) 173 (81.6%) 212 total 384 185 569"
    text = page.text()
    assert matrix in text
    # 12 x 1 + 39 x 10 = 402, over 569 rows.
    lead = first_screen(ev)
    numbers = ("91.0 %", "62.7 %", "173 of the 212", "173 of its 185", "81.6 %", "93.5 %", "97.6 %", "0.707")
    assert [number for number in numbers if number not in lead] == []
    assert "recall = tp / (tp + fn) = 173 / (173 + 39) = 173 / 212 = 0.816" in " ".join(text.split())
    others = ("_macro", "_micro", "_weighted", "_cost")
    asked = [name for name, one in ev.metrics.items() if one.value is not None and not name.endswith(others)]
    assert [name for name in asked if f"{name}: " not in text] == []
    rows = [table.count("<tr") for table in html(ev).split("<details")[1].split("<table")[1:]]
    assert max(rows, default=0) <= 15
    assert ev._repr_mimebundle_()["text/plain"] == str(ev)
    said = outline(page, "h1", "h2", "h3", "p", "dt", "dd", "caption", "pre")
    snapshot("report_of_one_model", {"bayes": said})


def test_what_the_first_screen_says(snapshot) -> None:
    def of_matrix(matrix: Any) -> tm.Evaluation:
        return tm.Confusion(matrix, labels=["no", "yes"]).evaluate(pos_label="yes")

    matrices = {
        "always no": [[60, 0], [40, 0]], "worse than always no": [[60, 30], [5, 5]],
        "none is actually yes": [[60, 1], [0, 0]], "none is actually or called yes": [[60, 0], [0, 0]],
        "one alarm": [[60, 0], [39, 1]], "one row of yes": [[60, 2], [0, 1]],
        # 9,991 of 10,000 are right, 9,990 are 'no'; Wilson's for 9 wrong ones: 0.99829 to 0.99953.
        "rare positives": [[9986, 4], [5, 5]],
    }  # fmt: skip
    said = {name: first_screen(of_matrix(matrix)) for name, matrix in matrices.items()}
    assert re.search(r"99\.91\D+99\.83\D+99\.95", said["rare positives"])
    sizes = {
        size: tm.Confusion(9 * np.eye(size, dtype=int), labels=list(range(size))) for size in (5, 12, 13)
    }
    said |= {f"{size} classes": first_screen(matrix.evaluate()) for size, matrix in sizes.items()}
    # Cells get shorter with more classes.
    assert said["5 classes"].count("9 (100.0%)") == 5
    assert said["12 classes"].count("9 (100%)") == 12
    sets = tm.evaluate([["a", "b"], ["b"]] * 10, [["a"], ["b", "c"]] * 10)
    said |= {"label sets": first_screen(sets), "nothing called": first_screen(KINDS["nothing called"]())}
    snapshot("report_first_screens", said)


RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 60)
SCORE = np.clip(Y * 0.3 + RNG.random(60) * 0.7, 0, 1)
THREE = np.array(list("abc"))[RNG.integers(0, 3, 60)]
PROBABILITIES = RNG.dirichlet([1, 1, 1], 60)
WEIGHT, GROUP = RNG.random(60), RNG.integers(0, 9, 60)


def three(**options: Any) -> tm.Evaluation:
    return tm.evaluate(THREE, y_score=PROBABILITIES, labels=list("abc"), **options)


def scored(**options: Any) -> tm.Evaluation:
    return tm.evaluate(Y, y_score=SCORE, **options)


KINDS: dict[str, Callable[[], tm.Evaluation]] = {
    "scores": scored,
    "outside 0 to 1": lambda: tm.evaluate(Y, y_score=10 * SCORE - 3),
    "nothing called": lambda: scored(threshold=2),
    "no positive": lambda: tm.evaluate(
        np.where(Y, "y", "n"), y_score=np.c_[1 - SCORE, SCORE], labels=["n", "y"]
    ),
    "weights": lambda: scored(sample_weight=WEIGHT),
    "groups": lambda: scored(groups=GROUP),
    "one class": lambda: tm.evaluate(np.ones(60, int), y_score=SCORE, threshold=0.5),
    "no positives": lambda: tm.evaluate(np.zeros(60, int), y_score=SCORE, threshold=0.5),
    "one row": lambda: tm.evaluate([1], y_score=[0.3]),
    "an empty class": lambda: tm.evaluate(
        THREE, y_score=np.c_[PROBABILITIES, np.zeros(60)], labels=list("abcd")
    ),
    "costs of three": lambda: three(costs=[[0, 1, 2], [3, 0, 1], [5, 5, 0]]),
    "predictions of three": lambda: tm.Confusion(
        [[50, 3, 0], [1, 40, 9], [2, 7, 30]], labels=["a", "b", "c"]
    ).evaluate(),
    "bins": lambda: tm.Scores.from_bins([6, 2, 2], [4, 18, 68]).evaluate(),
    "bins cut": lambda: tm.Scores.from_bins([6, 2], [4, 18], edges=[1, 0.6, 0]).evaluate(threshold=0.6),
    "votes": lambda: tm.evaluate(Y, votes=[Y, (SCORE > 0.5).astype(int), 1 - Y]),
    "sets": lambda: tm.evaluate([["a", "b"], ["b"], []] * 9, [["a"], ["b", "c"], []] * 9),
    "other shares": lambda: scored().at_prevalence(0.01),
    "own metric": lambda: tm.evaluate(Y, Y, extra={"mine": lambda _y, _p: 0.5}),
    "slices": lambda: tm.evaluate(
        [0, 1] * 40, [0, 1] * 20 + [1, 0] * 20, slices={"region": ["north"] * 40 + ["south"] * 40}
    ),
}


def test_every_kind_has_a_page(snapshot) -> None:
    said, wrong = {}, []
    for kind, make in KINDS.items():
        page = page_of(make())
        if "nan" in re.findall(r"\w+", page.text()):
            wrong.append(kind)
        said[kind] = outline(page, "h2", "h3", "p")
    assert not wrong
    snapshot("report_of_every_kind", said)


def test_pages_of_many_classes() -> None:
    matrix = 9 * np.eye(60, dtype=int)
    matrix[59, 0] = 3
    page = page_of(tm.Confusion(matrix, labels=[f"class {place:02d}" for place in range(60)]).evaluate())
    # 2 x 9 / (2 x 9 + 3) = 0.857 for both classes that are confused: they stand first.
    text = page.text("text", "tspan")
    assert "0.857" in text
    assert text.index("class 00 9") < text.index("class 01 9")
    many = 9 * np.eye(600, dtype=int) + np.eye(600, k=1, dtype=int)
    made = html(tm.Confusion(many, labels=list(range(600))).evaluate())
    assert made.count("<tr") > 600
    assert len(made) < 400_000


def test_the_page_of_two_models(snapshot) -> None:
    page = both()
    text = " ".join(page.text().split())
    # What both share is said once, what differs for each.
    assert text.count("net benefit = TP / n") == 1
    assert text.count("bayes: recall = tp / (tp + fn) = 173 / (173 + 39) = 173 / 212 = 0.816") == 1
    assert "tree: recall = 188 / 212 = 0.8868" in text
    assert "0.816 [0.758, 0.862]" in text
    assert "0.887 [0.837, 0.923]" in text
    folded = headings(page, "summary")
    assert (folded.count("bayes"), folded.count("tree")) == (folded.count("tree"), folded.count("bayes"))
    assert folded.count("bayes") >= 10
    snapshot("report_of_two_models", {"bayes and tree": outline(page, "h1", "h2", "h3", "p", "caption")})


def test_pages_of_many_rows_and_of_long_names_are_small() -> None:
    random, sizes = np.random.default_rng(1), {}
    y = (random.random(30_000) < 0.1).astype(int)
    scores = (1 / (1 + np.exp(-(random.normal(size=len(y)) + better * y))) for better in (1.5, 2.0))
    many = {name: tm.evaluate(y, y_score=s, threshold=0.5) for name, s in zip("ab", scores, strict=True)}
    # Some thousand rows are worst: enough for a step at every place, too few to be smooth.
    y = (random.random(3_000) < 0.3).astype(int)
    given, ragged = {"labels": [0, 1], "costs": [[0, 1], [9, 0]]}, {}
    for name, better in (("first", 0.2), ("second", 0.1)):
        score = np.clip(random.normal(0.4 + better * y, 0.2), 0, 1)
        long = f"{name} model, with a name that says all there is to say of it{'!' * 10_000}"
        ragged[long] = tm.evaluate(y, y_score=score, **given)
    for name, models in {"many rows": many, "long names": ragged}.items():
        made = html(tm.compare(models))
        sizes[name] = len(made.encode())
    assert max(sizes.values()) <= MOST, sizes
    assert "first model, with a" in made
    assert "second model, with a" in made


def test_models_of_different_kinds(snapshot) -> None:
    y, score = np.array([0, 1] * 20), np.array([0.2, 0.7, 0.6, 0.9] * 10)
    models = {
        "scores": tm.evaluate(y, y_score=score),
        "answers": tm.evaluate(y, (score > 0.65).astype(int)),
        "logits": tm.evaluate(y, y_score=10 * score - 5, threshold=0),
    }
    labels = list(range(14))
    answers = np.array(labels * 5)
    classes = {name: tm.evaluate(answers, np.roll(answers, by)) for name, by in (("right", 0), ("wrong", 1))}
    pages = {"scores, answers, logits": tm.compare(models), "many classes": tm.compare(classes)}
    tags = ("h1", "h2", "h3", "p", "caption", "summary")
    snapshot("report_of_different_kinds", {name: outline(page_of(one), *tags) for name, one in pages.items()})
