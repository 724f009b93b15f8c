"""`tallymark demo`: the main job on a real data set."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli import SETTINGS, examples
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from pathlib import Path

    from tallymark.drawing import Document
    from tallymark.evaluation import Evaluation

COSTS = {"malignant": {"benign": 10}, "benign": {"malignant": 1}}
COMPARED = ("accuracy", "recall", "precision", "specificity", "f1", "mcc", "total_cost")

# The names under which the documents use them.
FILES = {"predictions.csv": "breast_cancer.csv", "tumours.csv": "tumours.csv"}

EXAMPLES = examples(
    "tallymark demo",
    "tallymark demo --data .",
)


@click.command("demo", context_settings=SETTINGS, epilog=EXAMPLES)
@click.option(
    *("-o", "--output", "path"),
    metavar="OUT.html",
    help="Write the page to this file. [default: tallymark-demo.html]",
)
@click.option(
    *("--data", "folder"),
    metavar="FOLDER",
    help="Only put two data files there, predictions.csv and tumours.csv: those of the documents' examples.",
)
def command(path: str | None, folder: str | None) -> None:
    """Evaluate a decision tree and a naive Bayes model on 569 tumours, write a page about both to look at in
    a browser, and say what to type next. The data set comes with tallymark, and nothing is sent anywhere."""
    if folder is not None:
        if path is not None:
            raise OptionError("--data writes data files and -o a page.", hint="use one of them at a time.")
        _put_data(folder)
        return
    from tallymark import data
    from tallymark.cli.demo_page import written
    from tallymark.cli.failures import visible
    from tallymark.drawing import text
    from tallymark.evaluation import evaluate

    source = data.path("breast_cancer.csv")
    known: dict[str, Any] = {"actual": "actual", "pos_label": "malignant", "costs": COSTS}
    tree, bayes = (evaluate(source, predicted=f"{model}_predicted", **known) for model in ("tree", "bayes"))
    parts = [text(_introduction()), text(tree.document()), text(_beside(tree, bayes)), _next(source, tree)]
    page = written(path, source, **known)
    parts.append(f"Both models on one page with pictures, to open in a browser: {visible(str(page))}")
    sys.stdout.write("\n\n".join(parts) + "\n")


def _put_data(folder: str) -> None:
    """The shipped files under the names that the documents use; what is there already stays."""
    from pathlib import Path

    from tallymark import data
    from tallymark.cli.failures import visible
    from tallymark.errors import FileError

    for name, shipped in FILES.items():
        content = data.path(shipped).read_bytes()
        place = Path(folder, name)
        if place.exists() and place.read_bytes() != content:
            raise FileError(
                f"{str(place)!r} exists already, and is another file.", hint="name another folder."
            )
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        except OSError as error:
            raise FileError(f"{str(place)!r} cannot be written: {error.strerror}.") from None
        click.echo(f"wrote {visible(str(place))}")


def _introduction() -> Document:
    from tallymark.drawing import Document, Paragraph, Section

    data = (
        "Is a tumour malignant? 569 real cases and the answers of two models, a decision tree and naive "
        "Bayes, each given by a fit that had not seen the case. A missed malignant tumour is taken to cost "
        "10, a false alarm 1. First the tree in full, then both side by side."
    )
    source = (
        "Data: Wolberg, Mangasarian, Street and Street (1993), Breast Cancer Wisconsin (Diagnostic), UCI "
        "Machine Learning Repository, doi:10.24432/C5DW2B, CC BY 4.0; the answers are ours. It was read "
        "from this machine, and nothing was sent anywhere."
    )
    return Document("tallymark demo", (Section("", (Paragraph(data), Paragraph(source))),))


def _beside(tree: Evaluation, bayes: Evaluation) -> Document:
    from tallymark.comparison import compare
    from tallymark.drawing import Column, Document, Paragraph, Section, Table

    columns = (Column("", "left"), Column("tree"), Column("naive Bayes"))
    rows = tuple((name, _shown(tree, name), _shown(bayes, name)) for name in COMPARED)
    remark = (
        "Each number with its 95 % interval. Both models answered the same rows, so intervals that overlap "
        "do not mean that the models are equally good; the comparison of row with row tells:"
    )
    verdict = compare({"tree": tree, "naive Bayes": bayes}).verdict
    blocks = (Table(columns, rows), Paragraph(remark), Paragraph(verdict))
    return Document("", (Section("Both models", blocks),))


def _shown(ev: Evaluation, name: str) -> str:
    from tallymark.drawing import interval, number

    estimate = ev[name]
    value = int(float(estimate)) if name == "total_cost" else estimate.value
    return f"{number(value)} {interval(estimate.low, estimate.high)}"


def _next(path: Path, tree: Evaluation) -> str:
    """Not through the text pen: a command must stay on one line to be copied."""
    assert tree.confusion is not None
    at = f"{shlex.quote(str(path))} --actual actual --positive malignant"
    evaluate = f"tallymark evaluate {at}"
    models = "--model tree=tree_score --model bayes=bayes_score"
    typed = "; ".join(" ".join(map(str, row)) for row in tree.confusion.matrix.tolist())
    costs = shlex.quote(json.dumps(COSTS))
    learn = f"{shlex.quote(str(path.parent / 'tumours.csv'))} --target diagnosis --id id"
    lines = [
        "What to type next",
        "-----------------",
        "",
        "naive Bayes in full:",
        f"  {evaluate} --predicted bayes_predicted",
        "where recall comes from, with its numbers:",
        f"  {evaluate} --predicted bayes_predicted --explain recall",
        "whether the tree is really better, by every number, and the picture of it:",
        f"  tallymark compare {at} {models} --costs {costs}",
        f"  tallymark compare {at} {models} --costs {costs} -o better.png",
        "the page about both models, with pictures:",
        f"  tallymark report {at} {models} --costs {costs} -o tumours.html",
        "the threshold at which the tree's score is cheapest, what it saves, and its picture:",
        f"  tallymark decide {at} --score tree_score --costs {costs}",
        f"  tallymark decide {at} --score tree_score --costs {costs} -o decision.png",
        "whether naive Bayes' probabilities can be taken at their word:",
        f"  tallymark calibration {at} --score bayes_score",
        "both ROC curves, where each model is best, and their picture:",
        f"  tallymark roc {at} {models}",
        f"  tallymark roc {at} {models} -o roc.png",
        "how many tumours must be looked at to find nine of ten malignant ones:",
        f"  tallymark gains {at} --score bayes_score --recall 0.9",
        "models of your own, trained and tried on the measurements of the same tumours (extra validate):",
        f"  tallymark validate {learn} --positive malignant --model logistic --model tree --compare",
        f"  tallymark learn {learn} --model bayes -o learning.png",
        "the tree's matrix as if typed from a slide:",
        f"  tallymark matrix '{typed}' --labels benign,malignant --positive malignant",
        "what a test set of this size can tell:",
        f"  tallymark plan --rows {tree.rows} --expected {float(tree['accuracy']):.2f}",
        "what a number means, and all of them:",
        "  tallymark explain mcc",
        "  tallymark metrics",
    ]
    return "\n".join(lines)
