"""`tallymark compare`: is one model better than another?"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli import SETTINGS, examples
from tallymark.cli.compared import Given, stated_design
from tallymark.cli.options import (
    Command,
    confidence_option,
    number,
    output_options,
    seed_option,
    whole,
    with_options,
)
from tallymark.cli.output import CSV, DRAWN, JSON, PICTURES, Output, as_json
from tallymark.cli.rows import Rows, row_options
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.comparison.result import Comparison

EXAMPLES = examples(
    r"printf 'y,tree,forest\n1,1,1\n0,1,0\n1,0,1\n0,0,0\n' | "
    "tallymark compare - --actual y --model tree=tree --model forest=forest",
    "tallymark compare --accuracy 0.85:30 --accuracy 0.75:5000",
    "tallymark compare --matrix M1='150 40; 60 250' --matrix M2='250 45; 5 200' --labels +,- "
    "--costs '-1 100; 1 0'",
    r"printf 'fold,tree,forest\n1,0.81,0.84\n2,0.79,0.83\n3,0.85,0.85\n' | tallymark compare - --per fold",
    r"printf 'dataset,tree,forest\niris,0.94,0.95\nwine,0.91,0.97\nglass,0.68,0.77\n' | "
    "tallymark compare - --per dataset",
)

# Named here so that --help need not import the arithmetic; a test compares them.
TESTS = ("auto", "corrected", "uncorrected", "exact", "mid_p", "permutation")
METHODS = ("wald", "newcombe", "newcombe_cc", "agresti_caffo", "miettinen_nurminen", "mee")
ADJUSTMENTS = ("holm", "shaffer", "bergmann_hommel", "bonferroni")
KINDS = ("differences", "roc", "agreement", "folds", "critical-difference", "posterior", "scores")

_ASKED = (
    click.option("--metric", "metrics", multiple=True, metavar="NAME",
                 help="What to compare: the verdict is about the first; more are compared beside it. "
                 "[default: accuracy, or auc where there are no answers, and the usual numbers beside it]"),
    click.option("--costs", metavar="COSTS",
                 help="What each answer costs: '0 10; 1 0' in the order of --labels, JSON by "
                 "names, or a file."),
    click.option("--margin", type=number, metavar="D",
                 help="A difference that does not matter: also say whether models are equivalent within it, "
                 "or one not worse by more."),
    click.option("--alternative", type=click.Choice(["two-sided", "greater", "less"]), default="two-sided",
                 show_default=True, help="Test whether the first model's number is greater, or less."),
    click.option("--test", type=click.Choice(TESTS), default="auto", show_default=True,
                 help="How right and wrong answers to the same rows are tested; auto is McNemar's corrected "
                 "test, or the exact one when the models disagree on fewer than 25 rows."),
    click.option("--method", type=click.Choice(METHODS),
                 help="Interval of a difference in shares on other rows. [default: newcombe; wald, the "
                 "textbook's, for --accuracy]"),
    click.option("--adjust", type=click.Choice(ADJUSTMENTS), default="holm", show_default=True,
                 help="How p-values are adjusted for the pairs of more than two models."),
    click.option("--permutations", type=whole, metavar="N", default="10000", show_default=True,
                 help="How often answers are swapped at random in a permutation test."),
    click.option("--clip", type=number, metavar="E",
                 help="Keep probabilities so far from 0 and 1 in the log loss."),
)  # fmt: skip
_DRAWS = (confidence_option, seed_option)
_QUESTION = ("margin", "alternative", "test", "method", "adjust", "permutations")
_FOLDING = (
    *("n_train", "n_test", "runs", "independent_training", "rope", "better", "baseline", "scale"),
    "columns",
)
_FOLDS = (
    click.option("--per", type=click.Choice(["fold", "dataset"]),
                 help="FILE holds scores: a row per fold or data set and a column per model, or the columns "
                 "model and score beside dataset, run and fold."),
    click.option("--n-train", type=number, metavar="N", help="Rows each fold was trained on."),
    click.option("--n-test", type=number, metavar="N", help="Rows each fold was tested on."),
    click.option("--runs", type=whole, metavar="N",
                 help="How often the cross-validation was repeated; 5 with 10 scores is 5x2."),
    click.option("--independent-training", is_flag=True,
                 help="The training sets of the folds have no rows in common."),
    click.option("--rope", type=number, metavar="D", default="0.01", show_default=True,
                 help="Differences up to this are practically none, in the Bayesian tests."),
    click.option("--better", type=click.Choice(["higher", "lower"]),
                 help="Which way the scores are better, if their name does not say."),
    click.option("--baseline", metavar="MODEL",
                 help="The model the others are marked against, data set by data set. [default: the first]"),
    click.option("--scale", type=click.Choice(["share", "percent"]), default="share", show_default=True,
                 help="What the scores are written in."),
    click.option("--columns", metavar="PART=COL,...",
                 help="What the parts of a table of scores are called: dataset=, run=, fold=, model=, "
                 "score=, n_train=, n_test=."),
)  # fmt: skip


def question_options(function: Command) -> Command:
    """Gather what is asked, and what is known of folds, into `asked` and `folding`."""

    @functools.wraps(function)
    def gathered(*, metrics: tuple[str, ...], confidence: float, seed: int, **others: Any) -> None:
        asked = {name: others.pop(name) for name in _QUESTION}
        asked |= {"metrics": metrics, "confidence_level": confidence, "random_state": seed}
        folding = {name: others.pop(name) for name in _FOLDING}
        function(asked=asked, folding=folding, **others)

    return with_options((*_ASKED, *_FOLDS, *_DRAWS), gathered)


@click.command("compare", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME=FILE",
    help="A model and its predictions; after FILE, NAME=COLUMN with its answers or scores, and with --per "
    "the column of its scores. Repeatable.",
)
@click.option(
    "--accuracy",
    "accuracies",
    multiple=True,
    metavar="[NAME=]A:N",
    help="A model's accuracy and the number of rows it was measured on. Repeatable.",
)
@click.option(
    "--matrix", "matrices", multiple=True, metavar="NAME=MATRIX", help="A confusion matrix. Repeatable."
)
@click.option("--other-rows", is_flag=True, help="The models were tried on other rows each.")
@click.option("--same-rows", is_flag=True, help="The models were tried on the same rows, in the same order.")
@row_options
@question_options
@click.option(
    "--picture",
    metavar="KIND",
    help=f"Which picture -o OUT.png (.svg, .pdf) is: {', '.join(KINDS)}. [default: the most telling one]",
)
@output_options
def command(
    *,
    files: tuple[str, ...],
    models: tuple[str, ...],
    accuracies: tuple[str, ...],
    matrices: tuple[str, ...],
    other_rows: bool,
    same_rows: bool,
    rows: Rows,
    per: str | None,
    asked: dict[str, Any],
    folding: dict[str, Any],
    costs: str | None,
    clip: float | None,
    picture: str | None,
    output: Output,
) -> None:
    """Is one model better than another? Give each model's predictions as a file, or as a column of one
    file; or accuracies, confusion matrices, or scores by fold or data set. The design is recognised, the
    test that is valid for it is made, and the verdict is said in a sentence: who, by how much, how sure; or
    that it cannot be told. Rows of several files are matched by --id; without it they are the same if the
    actual classes agree row by row. Files that take more than --memory together are matched by --id on
    disk."""
    output.check((JSON, CSV, *DRAWN, *PICTURES))
    _check_picture(picture, output)
    design = stated_design(other_rows=other_rows, same_rows=same_rows)
    given = Given(files, models, accuracies, matrices, per, design)
    given.check(rows, asked, folding, {"--costs": costs, "--clip": clip})
    found = given.compared(rows, asked, folding, costs, clip)
    output.write(_writers(found, picture))


def _check_picture(picture: str | None, output: Output) -> None:
    if picture is None:
        return
    if picture not in KINDS:
        raise OptionError(f"--picture is one of {', '.join(KINDS)}; got {picture!r}.")
    if output.suffix not in PICTURES:
        raise OptionError("--picture needs a file to draw it in: -o OUT.png (.svg, .pdf).")


def _writers(found: Comparison, picture: str | None) -> dict[str, Any]:
    from tallymark.comparison.outputs.saving import writers

    return {**writers(found, picture), JSON: lambda: as_json(found.to_dict())}
