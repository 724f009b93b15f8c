"""Rows in files: the options that say what is in them, and reading them."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli import Call
from tallymark.cli.options import Command, comma_list, labels_of, named_items, number, with_options
from tallymark.errors import ColumnError, MemoryLimitError, OptionError, naming

if TYPE_CHECKING:
    from pathlib import Path

    from tallymark.evaluation import Evaluation
    from tallymark.intake.engines.files import Engine

_ROWS = (
    click.option("--actual", metavar="COL", help="Column with the actual classes."),
    click.option("--predicted", metavar="COL", help="Column with the answers."),
    click.option("--score", metavar="COL", help="Column with a score, higher = more positive."),
    click.option("--probabilities", metavar="COL,...",
                 help="One column per class, by name, or as LABEL=COL,LABEL=COL,..."),
    click.option("--votes", metavar="COL,COL,...",
                 help="Columns with the answers of one model each; how many say the positive class is the "
                 "score."),
    click.option("--positive", metavar="LABEL", help="The class that recall, precision and so on are about."),
    click.option("--labels", metavar="A,B,...", help="All classes, in the order to show them in."),
    click.option("--weight", metavar="COL", help="Column with what each row counts."),
    click.option("--weight-kind", type=click.Choice(["sampling", "frequency"]), default="sampling",
                 show_default=True,
                 help="Whether a weight of 2 is one row that stands for two, or two rows seen."),
    click.option("--group", "groups", metavar="COL",
                 help="Rows with the same value belong together (a patient)."),
    click.option("--id", metavar="COL", help="Column that tells the rows apart; checked to be unique."),
    click.option("--threshold", metavar="T",
                 help="Cut the score here: a number, or where a metric is best: best:f1 (or best), "
                 "best:accuracy, best:youden, best:cost."),
    click.option("--drop-missing", is_flag=True, help="Leave out rows with a missing value, and say so."),
    click.option("--missing", metavar="WORD", multiple=True,
                 help="A word that means missing. Repeatable."),
    click.option("--delimiter", metavar="C",
                 help="What separates the columns of a text file; `tab` for tabs."),
    click.option("--memory", metavar="SIZE",
                 help="Files that would take more memory than this (500MB, 2GB) are read in pieces; by "
                 "default half of the machine's."),
    click.option("--approximate", is_flag=True,
                 help="Count scores on a grid, which takes next to no memory: numbers from them have "
                 "certified bounds."),
    click.option("--tolerance", type=number, metavar="W",
                 help="With --approximate: read again until bounds are this narrow, such as 1e-6."),
    click.option("--engine", metavar="NAME", type=click.Choice(["polars", "duckdb", "spark", "dask"]),
                 help="What counts the files: polars (here, as by default), duckdb, spark or dask."),
    click.option("--master", metavar="URL",
                 help="Where Spark runs, such as spark://HOST:7077 or local[2]."),
    click.option("--scheduler", metavar="URL",
                 help="Where Dask runs: tcp://HOST:8786; without it, on the cores of this machine."),
)  # fmt: skip


_FLAGS = {
    "pos_label": "--positive",
    "groups": "--group",
    "missing": "--drop-missing",
    "missing_words": "--missing",
}


@dataclass(frozen=True)
class Rows:
    """What was said of the columns of the files."""

    options: dict[str, Any]
    """Arguments of `evaluate`."""
    typed: tuple[str | None, ...]
    """The names of the sides as they were typed."""
    addresses: Mapping[str, str] = field(default_factory=dict)
    """Addresses such as s3://bucket/part.parquet, by what a path makes of them."""

    def said(self) -> dict[str, Any]:
        """What was given, by its option."""
        usual = {"weight_kind": "sampling", "missing": "error", "missing_words": (), "approximate": False}
        given = {name: value for name, value in self.options.items() if value != usual.get(name)}
        return {_FLAGS.get(name) or f"--{name.replace('_', '-')}": value for name, value in given.items()}

    @property
    def engine(self) -> Engine | None:
        """What is to read the files in the place of this process."""
        from tallymark.intake.engines.files import Engine

        return Engine.of(self.options["engine"], self.options["master"], self.options["scheduler"])

    def evaluated(self, files: tuple[str, ...], **more: Any) -> Evaluation:
        """The files read and counted."""
        with opened(files) as paths:
            return self.read(paths, **more)

    def named(self, paths: Sequence[Path]) -> list[Path | str]:
        """The files, or the addresses, as they are read."""
        return [self.addresses.get(str(path), path) for path in paths]

    def read(self, paths: Sequence[Path], **more: Any) -> Evaluation:
        """Files at hand, counted; what is said here goes before the options."""
        from tallymark.evaluation import evaluate

        try:
            with command_told():
                return evaluate(self.named(paths), **self.options | more)
        except ColumnError as problem:
            # What was taken for several columns may be the name of one.
            given = (text for text in self.typed if text and "," in text and repr(text) in problem.message)
            whole = next(given, None)
            if whole is not None:
                problem.hint = f"a name that has a comma stands in double quotes: '\"{whole}\"'."
            raise


@contextmanager
def command_told() -> Iterator[None]:
    """Where scores that do not fit into memory can be counted on a grid, errors hold the command to type."""
    try:
        yield
    except MemoryLimitError as problem:
        if "approximate=True" in (problem.hint or ""):
            problem.hint = _approximate_instead()
        raise


def _approximate_instead() -> str:
    call = click.get_current_context().find_object(Call)
    given = () if call is None else call.arguments
    end = given.index("--") if "--" in given else len(given)
    command = shlex.join(["tallymark", *given[:end], "--approximate", *given[end:]])
    return f"count them on a grid, which gives certified bounds: `{command}`, or allow more with --memory."


def row_options(function: Command) -> Command:
    """Gather what is said of the columns into one `rows` argument."""

    @functools.wraps(function)
    def gathered(
        *,
        actual: str | None,
        predicted: str | None,
        score: str | None,
        probabilities: str | None,
        votes: str | None,
        positive: str | None,
        labels: str | None,
        weight: str | None,
        weight_kind: str,
        groups: str | None,
        id: str | None,
        threshold: str | None,
        drop_missing: bool,
        missing: tuple[str, ...],
        delimiter: str | None,
        memory: str | None,
        approximate: bool,
        tolerance: float | None,
        engine: str | None,
        master: str | None,
        scheduler: str | None,
        **others: Any,
    ) -> None:
        if score is not None and probabilities is not None:
            raise OptionError(
                "--score and --probabilities were both given.",
                hint="--score is one column for two classes, --probabilities one column per class.",
            )
        options = {
            "actual": _side(actual, "--actual"),
            "predicted": _side(predicted, "--predicted"),
            "score": score,
            "probabilities": None if probabilities is None else _columns(probabilities),
            "votes": None if votes is None else comma_list(votes, "--votes"),
            "pos_label": positive,
            "labels": None if labels is None else labels_of(comma_list(labels, "--labels")),
            "weight": weight,
            "weight_kind": weight_kind,
            "groups": groups,
            "id": id,
            "threshold": threshold,
            "missing": "drop" if drop_missing else "error",
            "missing_words": missing,
            "delimiter": delimiter,
            "memory": memory,
            "approximate": approximate,
            "tolerance": tolerance,
            "engine": engine,
            "master": master,
            "scheduler": scheduler,
        }
        models = (item.partition("=")[2] for item in others.get("models", ()))
        files = [*others.get("files", ()), *models]
        if engine not in (None, "polars") and "-" in files:
            raise OptionError(
                f"the engine {engine} opens files by itself, and - is standard input.",
                hint="name a file, or leave out --engine.",
            )
        try:
            function(rows=Rows(options, (actual, predicted), _addresses(files)), **others)
        except OptionError as problem:
            if not problem.about_data:
                raise
            with naming(others.get("files", ())):  # of which there is no such curve
                raise

    return with_options(_ROWS, gathered)


def _addresses(files: Sequence[str]) -> dict[str, str]:
    from pathlib import Path

    return {str(Path(file)): file for file in files if "://" in file}


def _side(text: str | None, option: str) -> str | list[str] | None:
    """One column, or several that are one label each; a name that has a comma stands in double quotes."""
    if text is None or "," not in text:
        return text
    columns = comma_list(text, option)
    return columns[0] if len(columns) == 1 else columns


def _columns(text: str) -> list[str] | dict[Any, str]:
    items = comma_list(text, "--probabilities")
    if not any("=" in item for item in items):
        return _checked(items)
    named = named_items(items, "--probabilities", "LABEL=COLUMN")
    return dict(zip(labels_of(list(named)), _checked(list(named.values())), strict=True))


def _checked(columns: list[str]) -> list[str]:
    if len(columns) == 1:
        raise OptionError(f"one probability column is a score: use --score {shlex.quote(columns[0])}.")
    for place, column in enumerate(columns):
        if column in columns[:place]:
            raise OptionError(f"column {column!r} is named twice in --probabilities.")
    return columns


@contextmanager
def opened(files: Sequence[str]) -> Iterator[list[Path]]:
    """The paths of the files, of which one may be standard input."""
    from pathlib import Path

    if "" in files:
        raise OptionError("no file was named: FILE is empty.")
    if "-" not in files:
        yield [Path(file) for file in files]
        return
    if files.count("-") > 1:
        raise OptionError("- (standard input) was given more than once, but it can be read only once.")
    from tallymark.cli.standard_input import saved_input
    from tallymark.intake.files.gzipped import suffix_for

    with saved_input(suffix_for) as saved:
        yield [saved if file == "-" else Path(file) for file in files]
