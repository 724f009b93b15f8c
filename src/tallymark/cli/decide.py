"""`tallymark decide`: where the threshold should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os.path import realpath
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tallymark.cli import SETTINGS, curves, examples
from tallymark.cli.models import Model, read_scored
from tallymark.cli.options import confidence_option, named_items, output_options, whole
from tallymark.cli.output import Output
from tallymark.cli.reporting import shares_of
from tallymark.cli.rows import Rows, row_options
from tallymark.cli.thresholds import checked_metrics
from tallymark.errors import CostError, OptionError, naming

if TYPE_CHECKING:
    from tallymark.drawing import Block, Document, Section
    from tallymark.evaluation import Evaluation
    from tallymark.tallies import Label

COSTS = "'0 10; 1 0'"
NAMED = """'{"a": {"rest": 10}, "rest": {"a": 1}}'"""
CHOSEN_ON = "the rows it was chosen on"

EXAMPLES = examples(
    r"printf 'y,s\n1,0.9\n1,0.8\n0,0.7\n1,0.6\n0,0.3\n' | "
    "tallymark decide - --actual y --score s --labels 1,0 --costs '0 10; 1 0'",
    r"printf 'y,s\n1,0.9\n1,0.8\n0,0.7\n1,0.6\n0,0.3\n' | "
    "tallymark decide - --actual y --score s --min recall=0.6 --best precision",
    r"printf 'y,s\n1,0.9\n0,0.8\n0,0.4\n1,0.6\n0,0.3\n' | "
    "tallymark decide - --actual y --score s --labels 1,0 --costs '0 5; 5 0' --reject-cost 1 --json",
    r"printf 'y,a,b,c\na,0.7,0.2,0.1\nb,0.5,0.4,0.1\nc,0.1,0.1,0.8\n' | tallymark decide - --actual y "
    "--probabilities a,b,c --labels a,b,c --costs '0 1 1; 9 0 1; 1 1 0'",
    r"printf 'y,a,b,c\na,0.7,0.2,0.1\nb,0.5,0.4,0.1\nc,0.1,0.1,0.8\n' | tallymark decide - --actual y "
    f"--probabilities a,b,c --positive a --costs {NAMED}",
)


def cost(text: str) -> float:
    """What something costs, up to what costs can be."""
    from tallymark.intake.costs import MOST

    try:
        found = float(text)
    except ValueError:
        raise click.BadParameter(f"expected a number; got {text!r}.") from None
    if not abs(found) <= MOST:
        raise click.BadParameter(f"expected a number up to {MOST:g}; got {text!r}.")
    return found


@click.command("decide", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--costs",
    metavar="COSTS",
    help=f"What each answer costs: {COSTS} in the order of --labels, rows actual and columns predicted; by "
    f"names, {NAMED} (all classes but one are rest); or a file.",
)
@click.option(
    "--reject-cost", type=cost, metavar="C", help="What it costs to reject a row, which then is declined."
)
@click.option(
    "--min", "minimum", metavar="NAME=VALUE", multiple=True,
    help="Only thresholds at which this is at least so much: recall, precision, specificity, share (of rows "
    "called positive), or any number that counts answers. Repeatable.",
)  # fmt: skip
@click.option("--max", "maximum", metavar="NAME=VALUE", multiple=True, help="The same, at most. Repeatable.")
@click.option(
    "--on-lower-bound",
    is_flag=True,
    help="Let --min hold for the lower end of the interval (and --max for the upper), not for the value.",
)
@click.option(
    "--best",
    metavar="METRIC",
    help="What is best among the thresholds left. [default: the cost; without costs f1]",
)
@click.option(
    "--choose-on",
    metavar="FILE",
    help="Choose the threshold on the rows of this file, and report what it does on those of FILE.",
)
@click.option(
    "--prevalence",
    metavar="SHARE",
    help="Other class shares than those of FILE: one for the positive class (all others keep their "
    "proportions), or LABEL=SHARE,...",
)
@confidence_option
@click.option(
    "--seed", type=whole, metavar="N", default="0", show_default=True, help="Seed of the random draws."
)
@row_options
@output_options
def command(
    *,
    files: tuple[str, ...],
    costs: str | None,
    reject_cost: float | None,
    minimum: tuple[str, ...],
    maximum: tuple[str, ...],
    on_lower_bound: bool,
    best: str | None,
    choose_on: str | None,
    prevalence: str | None,
    confidence: float,
    seed: int,
    rows: Rows,
    output: Output,
) -> None:
    """The cheapest threshold of the scores in FILE, over all of them, for any costs of the four kinds of
    answers: what it costs in total and per row, and what it saves against the threshold as it is and against
    calling every row the same, with intervals. --reject-cost finds the two thresholds between which a row is
    better declined. --min and --max restrict the choice. With one probability per class and more than
    two classes it is the cheapest class of every row, unless --positive names one to be told from the rest. A
    picture is written by -o decide.png, .svg or .pdf, and the cost of every threshold by -o decide.csv."""
    output.check(curves.SUFFIXES)
    if (*files, choose_on).count("-") > 1:
        raise OptionError("- (standard input) was given more than once, but it can be read only once.")
    _refuse_own_rows(files, choose_on)
    bounds = _bounds(minimum, "--min"), _bounds(maximum, "--max")
    asked = _Asked(costs, reject_cost, *bounds, on_lower_bound, best)
    asked.check()
    shares = shares_of(prevalence)
    options: dict[str, Any] = {"confidence_level": confidence, "random_state": seed}
    if rows.options["threshold"] == "best:cost":
        options["costs"] = costs
    model, other = _pooled(_uncut(_at(shares, read_scored(files, rows, **options)))), None
    if choose_on is not None:
        with naming([choose_on], option="--choose-on"):
            other = _at(shares, read_scored((choose_on,), _to_choose_on(rows, model), **options))
    decision = asked.decided(model.ev, None if other is None else other.ev)
    curves.write(
        output,
        document=lambda: _document(model, other, decision),
        form=lambda: _form(model, other, decision),
        table=lambda: decision.table("polars"),
        figure=decision.figure,
    )


# --- what is asked -----------------------------------------------------------------------------


class _Asked(NamedTuple):
    """What to decide by."""

    costs: str | None
    reject_cost: float | None
    minimum: dict[str, float] | None
    maximum: dict[str, float] | None
    on_lower_bound: bool
    best: str | None

    def check(self) -> None:
        """Refuse, before any work is done, what cannot be decided by."""
        from tallymark.decisions.constraints import constraints_of

        costs, bounded = self.costs is not None, self.minimum or self.maximum
        if self.best is not None and not self._cheapest:
            checked_metrics((self.best,))
        constraints_of(self.minimum, self.maximum, on_lower_bound=self.on_lower_bound)
        if costs and self.best is not None and not self._cheapest:
            raise OptionError(
                f"--costs and --best {self.best} are two different aims.",
                hint="leave one of them out; --min keeps a number up while the cost is made least.",
            )
        if self.on_lower_bound and not bounded:
            raise OptionError("--on-lower-bound is about --min and --max, and neither was given.")
        if self.reject_cost is not None and bounded:
            raise OptionError(
                "--reject-cost leaves rows without an answer, so --min and --max cannot be kept.",
                hint="leave one or the other out.",
            )
        if costs:
            return
        hint = f"say what answers cost: --costs {COSTS} with --labels POSITIVE,NEGATIVE"
        if self._cheapest:
            raise OptionError(f"--best {self.best} needs to know what answers cost.", hint=f"{hint}.")
        if self.reject_cost is not None:
            raise OptionError("--reject-cost is weighed against what answers cost.", hint=f"{hint}.")
        if not (bounded or self.best):
            raise OptionError(
                "there is nothing to decide by.",
                hint=f"{hint}; or what is asked of the threshold: --min recall=0.9, --best f1.",
            )

    @property
    def _cheapest(self) -> bool:
        """Whether the cost was named as what is best; so it is anyway when there are costs."""
        from tallymark.metrics import ask

        return self.best is not None and ask(self.best).metric.name in ("total_cost", "mean_cost")

    def decided(self, ev: Evaluation, other: Evaluation | None) -> Any:
        """For two classes where to cut, for more the class of every row."""
        about_threshold: dict[str, Any] = {
            "minimum": self.minimum,
            "maximum": self.maximum,
            "on_lower_bound": self.on_lower_bound,
            "best": None if self._cheapest else self.best,
            "choose_on": other,
        }
        if len(ev.labels) == 2:
            return ev.decide(self.costs, reject_cost=self.reject_cost, **about_threshold)
        if ev.positive is None:
            self._refuse(len(ev.labels), about_threshold)
            return ev.decide(self.costs, reject_cost=self.reject_cost)
        self._check_one(ev)
        one = ev.per_class[ev.positive]
        return one.decide(self.costs, reject_cost=self.reject_cost, **about_threshold)

    def _check_one(self, ev: Evaluation) -> None:
        """Costs of one class and the rest name both: the order of those two was never stated."""
        if self.costs is None:
            return
        from tallymark.intake.costs import by_name, labels_in
        from tallymark.tallies.labels import listed, rest_of

        assert ev.positive is not None
        label, rest = str(ev.positive), rest_of(ev.positive, ev.labels)
        named = labels_in(self.costs)
        if named is not None and set(named) <= {label, rest, f"not {label}"}:
            return
        came = "no labels" if named is None else listed(named)
        raise CostError(
            f"--positive {label} sets one class against the rest, so costs are of {label!r} and {rest!r}; "
            f"they name {came}.",
            hint=f"{by_name(label, rest)}; or leave --positive out to choose among all classes.",
        )

    def _refuse(self, classes: int, given: dict[str, Any]) -> None:
        """What is about a threshold has no place where classes are chosen row by row."""
        options = ("--min", "--max", "--on-lower-bound", "--best", "--choose-on")
        for option, value in zip(options, given.values(), strict=True):
            if value:
                raise OptionError(
                    f"{option} is about a threshold, and with {classes} classes there is none.",
                    hint="name the class that is told from the rest: --positive LABEL.",
                )


def _bounds(items: Sequence[str], option: str) -> dict[str, float] | None:
    """Numbers by the metric they are about."""
    if not items:
        return None
    bounds = {}
    for name, text in named_items(items, option, "NAME=VALUE").items():
        try:
            bounds[name] = float(text)
        except ValueError:
            raise OptionError(f"{option} {name}={text}: expected a number; got {text!r}.") from None
    return bounds


# --- rows --------------------------------------------------------------------------------------


def _uncut(model: Model) -> Model:
    """Where scores are not cut yet that is no fault here: a threshold is what is looked for."""
    if model.ev.confusion is not None:
        return model
    from tallymark.evaluation.counted import AboutCut

    notes = [note for note in model.notes if not isinstance(note, AboutCut)]
    said = "where the score is cut now was not said, so nothing is compared with it; --threshold T says so."
    return replace(model, notes=(*notes, said))


def _pooled(model: Model) -> Model:
    """Of more than two classes all but the one named are one here."""
    ev = model.ev
    if ev.positive is None or len(ev.labels) == 2:
        return model
    from tallymark.tallies.labels import pooled

    return replace(model, notes=(*model.notes, pooled(ev.positive, ev.labels)))


def _at(shares: float | dict[Label, float] | None, model: Model) -> Model:
    """The model under other class shares, if any are given."""
    if shares is None:
        return model
    ev = model.ev.at_prevalence(shares)
    own = [note for note in model.notes if note not in model.ev.notes]
    return replace(model, ev=ev, notes=(*own, *ev.notes))


def _refuse_own_rows(files: tuple[str, ...], choose_on: str | None) -> None:
    """A threshold that is chosen on the rows it is reported on is not chosen on others."""
    if choose_on not in (None, "-") and realpath(choose_on) in map(realpath, files):
        raise OptionError(
            f"--choose-on {choose_on} names the file that is reported on.",
            hint="name a file with other rows; without --choose-on what to expect of them is cross-fitted.",
        )


def _to_choose_on(rows: Rows, model: Model) -> Rows:
    """The same columns, less the answers given now; they are no part of choosing."""
    positive = None if model.ev.positive is None else str(model.ev.positive)
    return replace(rows, options=rows.options | {"predicted": None, "threshold": None, "pos_label": positive})


# --- what comes of it --------------------------------------------------------------------------


def _document(model: Model, other: Model | None, decision: Any) -> Document:
    from tallymark.drawing import Document, Section

    worked = decision.document()
    first, *others = worked.sections
    rule, *blocks = first.blocks
    opened = Section(first.title, (curves.opening(model), rule, *_priced(decision), *blocks))
    closing = curves.closing([model], curves.findings(model))
    return Document(worked.title, (opened, *others, *closing, *_chosen_on(model, other)))


def _priced(decision: Any) -> list[Block]:
    """What each answer costs, where the decision does not say so itself."""
    from tallymark.decisions import ClassDecision
    from tallymark.drawing import Paragraph
    from tallymark.intake.costs import Costs

    if not isinstance(decision, ClassDecision):
        return []
    words = Costs(decision.labels, tuple(map(tuple, decision.costs.tolist()))).words()
    return [Paragraph(" ".join(f"{each[:1].upper()}{each[1:]}." for each in words))]


def _chosen_on(model: Model, other: Model | None) -> list[Section]:
    """What must be said of the rows it was chosen on."""
    from tallymark.drawing import Paragraph, Section
    from tallymark.evaluation.counted import AboutCut

    if other is None:
        return []
    left_out = [line.replace("Dropped", f"Dropped of {CHOSEN_ON}", 1) for line in curves.dropped([other])]
    notes = [note for note in other.notes if note not in model.notes and not isinstance(note, AboutCut)]
    said = [*left_out, *(f"Note on {CHOSEN_ON}: {note}" for note in notes)]
    return [Section("", tuple(map(Paragraph, said)))] if said else []


def _form(model: Model, other: Model | None, decision: Any) -> dict[str, Any]:
    ev, form = model.ev, decision.to_dict()
    if other is not None:
        form["chosen_on"] |= {"dropped": dict(other.ev.dropped)}
    start = {
        "schema": form["schema"],
        "task": ev.task,
        "rows": ev.rows,
        "dropped": dict(ev.dropped),
        "labels": form["labels"],
        "positive": None if ev.positive is None else str(ev.positive),
    }
    end = {"findings": curves.listed(curves.findings(model)), "notes": list(model.notes)}
    return start | {name: value for name, value in form.items() if name not in start} | end
