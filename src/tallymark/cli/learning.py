"""What commands that fit models share: models, cuts of the rows and parameters by name, and how they end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, isfinite, log
from typing import Any, Protocol

import click

from tallymark.cli.failures import FAILED_FITS, say
from tallymark.cli.learning_data import LearningData
from tallymark.cli.options import comma_list
from tallymark.cli.output import CSV, DRAWN, JSON, PICTURES, Output, as_json
from tallymark.errors import OptionError

# Named here so that --help need not import them; a test compares them.
LEARNERS = ("logistic", "tree", "forest", "boosting", "knn", "bayes", "majority")
_OR = "or your own as module:object"
METHODS = (
    "kfold:10, kfold:5x2 (five runs of two folds), holdout:1/3 (the share to test on), repeated:20, loo, "
    "group:COL, pairs:COL,COL, bootstrap:200"
)

FORMATS = (JSON, CSV, *DRAWN, *PICTURES)
_KINDS_OF_RANGE = ("uniform", "log")
_WORDS = {"true": True, "false": False, "none": None}


def made_up(rows: int) -> str:
    """What makes a table of so many rows, for examples that work when pasted."""
    return f"""seq {rows} | awk 'BEGIN {{print "x,y"}} {{print rand() + $1 % 2 / 2 "," $1 % 2}}'"""


def model_option(*, several: bool) -> Callable[[Any], Any]:
    """What learns."""
    return click.option(
        "--model",
        "models",
        multiple=True,
        metavar="[NAME=]MODEL",
        help=f"What learns: {', '.join(LEARNERS)}, a vote such as vote:tree,knn or vote:tree:25, {_OR}."
        f"{' Repeatable.' if several else ''}",
    )


prepare_option = click.option(
    "--prepare",
    is_flag=True,
    help="Also prepare missing values and text for models of your own, inside the fold, as for the others.",
)


def picture_option(kinds: Sequence[str], more: str = "") -> Callable[[Any], Any]:
    """Which picture is drawn."""
    return click.option(
        "--picture",
        metavar="KIND",
        help=f"Which picture -o OUT.png (.svg, .pdf) is: {', '.join(kinds)}{more}. [default: the first]",
    )


def method_option(default: str) -> Callable[[Any], Any]:
    """Which rows train and which test."""
    return click.option(
        "--method",
        metavar="METHOD",
        default=default,
        show_default=True,
        help=f"Which rows train and which test: {METHODS}.",
    )


def metric_option(about: str) -> Callable[[Any], Any]:
    """The number it is about."""
    return click.option(
        "--metric", "metrics", multiple=True, metavar="NAME", help=f"{about} [default: accuracy]"
    )


def param_option(about: str) -> Callable[[Any], Any]:
    """What is tuned."""
    return click.option(
        "--param",
        "params",
        multiple=True,
        metavar="NAME=VALUE,...",
        help=f"{about} Numbers, true, false, none, or text. Repeatable.",
    )


def check(output: Output, metrics: Sequence[str]) -> None:
    """Refuse, before any work is done, what could not be answered or written."""
    from tallymark.metrics import ask

    output.check(FORMATS)
    for name in metrics:
        ask(name)


def check_picture(picture: str | None, kinds: Sequence[str], output: Output) -> None:
    """The same of the picture asked for."""
    if picture is None:
        return
    if picture not in kinds:
        raise OptionError(f"--picture is one of {', '.join(kinds)}; got {picture!r}.")
    if output.suffix not in PICTURES:
        raise OptionError("--picture needs a file to draw it in: -o OUT.png (.svg, .pdf).")


def one_metric(metrics: Sequence[str]) -> str:
    """The number asked for."""
    if len(metrics) > 1:
        raise OptionError(
            f"one --metric is looked at; got {', '.join(metrics)}.", hint="leave out the others."
        )
    return metrics[0] if metrics else "accuracy"


def models_named(given: Sequence[str], *, prepare: bool) -> dict[str, Any]:
    """The models by name, which is what was typed unless NAME= is in front of it; checked."""
    if not given:
        raise OptionError("--model is missing.", hint=f"choose from {', '.join(LEARNERS)}, {_OR}.")
    words: dict[str, str] = {}
    for item in given:
        first, equals, second = item.partition("=")
        name, word = (first, second) if equals else (item, item)
        if not (name and word):
            raise OptionError(f"--model: expected MODEL or NAME=MODEL; got {item!r}.")
        if name in words:
            raise OptionError(
                f"two models are called {name!r}.", hint=f"give one another name: --model other={word}."
            )
        words[name] = word
    from tallymark.validation.data.given import models_of

    models_of(words)
    return _prepared(words) if prepare else words


def _prepared(words: Mapping[str, str]) -> dict[str, Any]:
    """Models of one's own behind a preparation; the others, which have one, stay words."""
    from tallymark.validation.learners.by_name import has_own_model, learner

    own = [name for name, word in words.items() if has_own_model(word)]
    if not own:
        raise OptionError(
            "--prepare is for models of your own, module:object; the others have their data prepared anyway.",
            hint="leave it out.",
        )
    return {name: learner(word, prepare=True) if name in own else word for name, word in words.items()}


def one_model(given: Sequence[str], command: str, *, prepare: bool) -> dict[str, Any]:
    """The model by name."""
    if len(given) > 1:
        raise OptionError(
            f"`tallymark {command}` takes one --model; got {len(given)}.", hint="call it once for each."
        )
    return models_named(given, prepare=prepare)


def cut(method: str, data: LearningData, seed: int) -> tuple[Any, Any]:
    """The splitter, and the columns that tell which rows belong together."""
    from tallymark.resampling.named import method_named, splitter_named

    try:
        text, columns = method_named(method)
        splitter = splitter_named(text, random_state=seed)
    except OptionError as problem:
        if method not in problem.message:
            problem.message = f"--method {method}: {problem.message}"
        raise
    if columns and data.group not in (None, *columns):
        raise OptionError(
            f"--method {method} and --group {data.group} name different columns for the groups.",
            hint="leave out --group.",
        )
    _check_groups(text.partition(":")[0].lower(), columns, data.group)
    groups = data.group if not columns else columns[0] if len(columns) == 1 else columns
    return splitter, groups


def _check_groups(name: str, columns: Sequence[str], group: str | None) -> None:
    """Which methods need groups and which cannot keep them together, said in words of the command line."""
    if name == "pairs" and not columns:
        raise OptionError("--method pairs does not say of what.", hint="name two columns: pairs:COL,COL.")
    if name == "group" and not columns and group is None:
        raise OptionError("--method group does not say of what.", hint="name the column: group:COL.")
    if name == "loo" and group is not None:
        raise OptionError(
            "--method loo leaves out single rows: the rest of a row's group would be trained on.",
            hint=f"leave out whole groups: --method group:{group}.",
        )


def parameters(given: Sequence[str]) -> dict[str, list[Any] | Range]:
    """Values to try, or what to draw them from, by the name of the parameter."""
    found: dict[str, list[Any] | Range] = {}
    for item in given:
        name, equals, values = item.partition("=")
        if not (name and equals and values):
            raise OptionError(f"--param: expected NAME=VALUE,...; got {item!r}.", hint="max_depth=1,2,4,8")
        if name in found:
            raise OptionError(
                f"--param {name} is given twice.", hint=f"name all values at once: {name}=1,2,4."
            )
        kind, colon, ends = values.partition(":")
        if colon and kind in _KINDS_OF_RANGE:
            found[name] = _range(name, kind, ends)
            continue
        words = comma_list(values, f"--param {name}")
        twice = [word for place, word in enumerate(words) if word in words[:place]]
        if twice:
            raise OptionError(f"--param {name} has {twice[0]} twice.")
        found[name] = [_value(word) for word in words]
    return found


def grid(given: Sequence[str]) -> dict[str, list[Any]]:
    """The same where all combinations are tried."""
    found: dict[str, list[Any]] = {}
    for name, values in parameters(given).items():
        if isinstance(values, Range):
            raise OptionError(
                f"--param {name}={values} is a range to draw from.", hint="say how often: --random N."
            )
        found[name] = values
    return found


@dataclass(frozen=True)
class Range:
    """Draws numbers between two ends, whole ones where both ends are whole."""

    kind: str
    low: float
    high: float

    def __call__(self, rng: Any) -> float:
        whole = isinstance(self.low, int) and isinstance(self.high, int)
        if self.kind == "log":
            drawn = exp(rng.uniform(log(self.low), log(self.high)))
            return round(drawn) if whole else drawn
        return (
            int(rng.integers(self.low, self.high + 1)) if whole else float(rng.uniform(self.low, self.high))
        )

    def __str__(self) -> str:
        return f"{self.kind}:{self.low},{self.high}"


def _range(name: str, kind: str, ends: str) -> Range:
    found = [_value(end) for end in ends.split(",")]
    if len(found) != 2 or not all(type(end) in (int, float) for end in found) or found[0] >= found[1]:
        raise OptionError(f"--param {name}: expected {kind}:LOW,HIGH, two numbers that rise; got {ends!r}.")
    low, high = found
    if kind == "log" and low <= 0:
        raise OptionError(f"--param {name}: log:LOW,HIGH begins above 0; got {low}.")
    return Range(kind, low, high)


def _value(word: str) -> Any:
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    for kind in (int, float):
        try:
            number: int | float = kind(word)
        except ValueError:
            continue
        return number if isfinite(number) else word
    return word


def share(text: str) -> float:
    """A share of the rows: 0.25, 1/4 or 25%."""
    from fractions import Fraction

    try:
        found = float(Fraction(text.strip().removesuffix("%")) / (100 if text.strip().endswith("%") else 1))
    except (ValueError, ZeroDivisionError):
        raise click.BadParameter(f"expected a share such as 0.25 or 1/4; got {text!r}.") from None
    if not 0 < found < 1:
        raise click.BadParameter(f"expected a share between 0 and 1; got {text!r}.")
    return found


def finish(
    result: Result,
    output: Output,
    picture: str | None = None,
    more: Mapping[str, Callable[[], Any]] | None = None,
) -> None:
    """Write the result; a run in which fits failed ends with an exit code of its own."""
    output.write({**result.writers(picture), JSON: lambda: as_json(result.to_dict()), **(more or {})})
    if result.failed:
        sys.stdout.flush()
        say(next((note for note in result.notes if " failed" in note), f"{result.failed:,} fits failed."))
        raise click.exceptions.Exit(FAILED_FITS)


class Result(Protocol):
    """What the functions behind these commands give back."""

    @property
    def failed(self) -> int: ...

    @property
    def notes(self) -> tuple[str, ...]: ...

    def to_dict(self) -> dict[str, Any]: ...

    def writers(self, kind: str | None = None) -> dict[str, Callable[[], str | bytes]]: ...
