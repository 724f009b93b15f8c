"""The models of a comparison as they were given on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli.model_columns import AS_SAID
from tallymark.cli.model_files import model_files
from tallymark.cli.models import Model, read_models, refuse_named_answers
from tallymark.cli.options import comma_list, labels_of, named_items, number
from tallymark.cli.rows import Rows, command_told, opened
from tallymark.errors import MemoryLimitError, OptionError, TallymarkError

if TYPE_CHECKING:
    from tallymark.comparison.question import Question
    from tallymark.comparison.result import Comparison
    from tallymark.comparison.rows.engine_files import ByEngine
    from tallymark.evaluation import Evaluation
    from tallymark.evaluation.matching import Stated

_USUAL_FOLDING = {"independent_training": False, "rope": 0.01, "scale": "share"}
_USUAL_TEST = {"test": "auto", "permutations": 10_000}
_OF_FOLDS = ("--n-train", "--n-test", "--runs", "--independent-training")
_ALLOWED = {
    "--accuracy": (),
    "--matrix": ("--labels", "--positive", "--costs"),
    "--per": ("--drop-missing", "--missing", "--delimiter"),
}
"""What says something about models that are not given as rows."""


def stated_design(*, other_rows: bool, same_rows: bool) -> Stated | None:
    """What was said of the rows of the models; they cannot be both."""
    if other_rows and same_rows:
        raise OptionError("--other-rows and --same-rows exclude each other.")
    return "other rows" if other_rows else "same rows" if same_rows else None


@dataclass(frozen=True)
class Given:
    """What was given to be compared."""

    files: tuple[str, ...]
    models: tuple[str, ...]
    accuracies: tuple[str, ...]
    matrices: tuple[str, ...]
    per: str | None
    design: Any

    @property
    def way(self) -> str:
        """How models were given."""
        ways = {
            "--accuracy": self.accuracies,
            "--matrix": self.matrices,
            "--per": self.per,
            "FILE or --model": () if self.per else self.files + self.models,
        }
        given = [way for way, value in ways.items() if value]
        if len(given) > 1:
            raise OptionError(f"{' and '.join(given)} do not go together.", hint="give one of them.")
        if not given:
            raise OptionError(
                "there is nothing to compare.",
                hint="name two files, --model NAME=FILE, --accuracy A:N, --matrix NAME=MATRIX, or FILE --per "
                "fold or dataset.",
            )
        return given[0]

    def check(self, rows: Rows, asked: dict[str, Any], folding: dict[str, Any], more: dict[str, Any]) -> None:
        """Refuse what does not go together, before any work is done."""
        way = self.way
        self._check_folding([name for name, value in folding.items() if value != _USUAL_FOLDING.get(name)])
        stated = None if self.design is None else f"--{self.design.replace(' ', '-')}"
        said = [*rows.said(), *(name for name, value in more.items() if value is not None)]
        if way != "FILE or --model":
            _refuse([option for option in said if option not in _ALLOWED[way]], way)
        if stated and way in ("--accuracy", "--per"):
            _refuse([stated], way)
        tests = [f"--{name}" for name in ("test", "permutations") if asked[name] != _USUAL_TEST[name]]
        method = [] if asked["method"] is None else ["--method"]
        if way in ("--accuracy", "--per"):
            _refuse(tests, way)
        if way == "--per":
            _refuse(method, way)
        if way == "--matrix":
            _refuse([option for option in tests if option == "--permutations"], way)
        if stated is not None:
            _refuse(tests if self.design == "other rows" else method, stated)

    def _check_folding(self, said: Sequence[str]) -> None:
        options = [f"--{name.replace('_', '-')}" for name in said]
        if self.per is None and options:
            raise OptionError(f"{options[0]} is about scores by fold or data set: say --per fold or dataset.")
        of_folds = [option for option in options if option in _OF_FOLDS]
        if self.per == "dataset" and of_folds:
            raise OptionError(f"{of_folds[0]} is about the folds of one data set: it needs --per fold.")
        if self.per == "fold" and "--baseline" in options:
            raise OptionError("--baseline is about many data sets: it needs --per dataset.")

    def compared(
        self,
        rows: Rows,
        asked: dict[str, Any],
        folding: dict[str, Any],
        costs: str | None,
        clip: float | None,
    ) -> Comparison:
        """The comparison."""
        if self.per is not None:
            return self._of_scores(rows, asked, folding)
        from tallymark.comparison.question import question

        named = asked.pop("metrics")
        wanted = question(metric=named[0] if named else None, metrics=named[1:], **asked)
        if self.accuracies:
            from tallymark.comparison.rows.accuracies import compare_figures

            return compare_figures(_figures(self.accuracies), wanted)
        if self.matrices:
            return self._of_matrices(rows, wanted, costs)
        return self._of_rows(rows, wanted, costs, clip)

    def _of_rows(self, rows: Rows, wanted: Question, costs: str | None, clip: float | None) -> Comparison:
        from tallymark.comparison.compare import compare_evaluations
        from tallymark.comparison.rows.engine_files import ByEngine

        files, models = self._named()
        self._refuse_counts(models)
        more: dict[str, Any] = {
            "confidence_level": wanted.level,
            "random_state": wanted.seed,
            "costs": costs,
            "clip": clip,
        }
        said: tuple[str, ...] = ()
        if not files and rows.options["id"] is None and self.design is None:
            rows, said = with_id(rows, models)
        engine = None if self.design == "other rows" else rows.engine
        if engine is not None:
            with command_told():
                return self._in_engine(ByEngine(engine, wanted, self.design, said), files, models, rows, more)
        on_disk = (
            None if files or self.design == "other rows" else self._on_disk(models, rows, wanted, more, said)
        )
        if on_disk is not None:
            return on_disk
        if not files and self.design != "other rows":
            # In memory scores are exact, which is more than was asked for.
            rows = replace(rows, options=rows.options | {"approximate": False, "tolerance": None})
        read = self._read(files, models, rows, more)
        notes = dict.fromkeys((*said, *_of_columns(read)))
        evs = {model.name: model.ev for model in read}
        return compare_evaluations(
            evs, wanted, costs=costs, design=self.design, one_table=bool(files), notes=tuple(notes)
        )

    def _in_engine(
        self,
        by: ByEngine,
        files: tuple[str, ...],
        models: tuple[str, ...],
        rows: Rows,
        more: dict[str, Any],
    ) -> Comparison:
        """The comparison of tables that an engine makes of the files."""
        from tallymark.comparison.rows.on_disk import ModelFiles

        if files:
            columns = named_items(models, "--model", "NAME=COLUMN")
            refuse_named_answers(rows)
            read = ModelFiles(rows.named([Path(file) for file in files]), rows.options | more, "")
            return by.compare_columns(read, columns)
        found, notes = model_files(models, rows, more, unseen=AS_SAID)
        return replace(by, notes=(*by.notes, *dict.fromkeys(notes))).compare_files(found)

    def _read(
        self, files: tuple[str, ...], models: tuple[str, ...], rows: Rows, more: dict[str, Any]
    ) -> list[Model]:
        try:
            return read_models(files, models, rows, curve=False, **more)
        except MemoryLimitError as problem:
            if not files:
                raise
            from tallymark.comparison.given import too_large

            # On a grid the columns could not be compared either.
            raise too_large() from problem

    def _on_disk(
        self,
        models: tuple[str, ...],
        rows: Rows,
        wanted: Question,
        more: dict[str, Any],
        said: tuple[str, ...],
    ) -> Comparison | None:
        """The comparison of files larger than memory; None if they fit."""
        from tallymark.comparison.rows.on_disk import compare_on_disk, outgrown
        from tallymark.intake.streams.memory import parsed_memory

        memory = parsed_memory(rows.options.get("memory"))
        files, notes = model_files(models, rows, more)
        if len(files) < 2:
            return None
        with outgrown(files, memory) as found:
            if found is None:
                return None
            said = (*said, *dict.fromkeys(notes))
            with command_told():
                return compare_on_disk(
                    files, found, wanted, costs=more["costs"], design=self.design, notes=said
                )

    def _named(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The files that models are columns of, and the models; several bare files are a model each."""
        if self.models:
            if len(self.models) == 1:
                raise OptionError("a comparison takes two models or more; got one --model.")
            return self.files, self.models
        if "" in self.files:
            raise OptionError("no file was named: FILE is empty.")
        if len(self.files) == 1:
            raise OptionError(
                "a comparison takes two models or more; got one file.",
                hint="name another file, or the columns of this one: --model NAME=COLUMN; a table of scores "
                "needs --per fold or --per dataset.",
            )
        twice = next((file for place, file in enumerate(self.files) if file in self.files[:place]), None)
        if twice is not None:
            raise OptionError(
                f"{twice} is given twice.", hint="every FILE is a model; --model NAME=FILE gives it a name."
            )
        names = [
            "standard input" if file == "-" else Path(file.removesuffix(".gz")).stem for file in self.files
        ]
        if len(set(names)) < len(names):
            names = list(self.files)
        pairs = zip(names, self.files, strict=True)
        return (), tuple(f"{name.replace('=', '_')}={file}" for name, file in pairs)

    def _refuse_counts(self, models: tuple[str, ...]) -> None:
        """Counts have no columns, and do not tell whether they are those of the same rows."""
        from tallymark.evaluation.tally_files import is_tally

        table = next((file for file in self.files if self.models and is_tally(Path(file))), None)
        if table is not None:
            raise OptionError(
                f"{table} holds counts, and models that are columns need rows.",
                hint="name the file that holds the rows.",
            )
        if self.design is not None:
            return
        given = (item.partition("=")[2] for item in models)
        counts = next((file for file in given if is_tally(Path(file))), None)
        if counts is not None:
            raise OptionError(
                f"{counts} holds counts, and this needs rows: models are compared row by row.",
                hint="name the files that hold the rows; or say how the models were tried: counts are "
                "compared with --other-rows, and with --same-rows as the least sure pairing allows.",
            )

    def _of_matrices(self, rows: Rows, wanted: Question, costs: str | None) -> Comparison:
        from tallymark.comparison.compare import compare_evaluations

        named = named_items(self.matrices, "--matrix", "NAME=MATRIX")
        options = rows.options
        evs = {name: _matrix(name, text, options, wanted, costs) for name, text in named.items()}
        sizes = {name: len(ev.labels) for name, ev in evs.items()}
        if len(set(sizes.values())) > 1:
            from tallymark.tallies.labels import quoted

            each = ", ".join(f"{quoted(name)} has {size}" for name, size in sizes.items())
            raise OptionError(f"the matrices have other numbers of classes: {each}.")
        return compare_evaluations(evs, wanted, costs=None, design=self.design)

    def _of_scores(self, rows: Rows, asked: dict[str, Any], folding: dict[str, Any]) -> Comparison:
        from tallymark.comparison.compare import compare

        if not self.files:
            raise OptionError("FILE is missing: the table of scores.")
        if len(self.files) > 1:
            raise OptionError(f"--per reads one table of scores; got {len(self.files)} files.")
        named = asked.pop("metrics")
        if len(named) > 1:
            raise OptionError("scores are of one metric; got several --metric.")
        columns = folding.pop("columns")
        overlap = not folding.pop("independent_training")
        with opened(self.files) as paths:
            return compare(
                paths[0],
                per=self.per,  # type: ignore[arg-type]
                models=_columns_of_scores(self.models),
                metric=named[0] if named else None,
                overlap=overlap,
                columns=None if columns is None else _parts(columns),
                missing=rows.options["missing"],
                missing_words=rows.options["missing_words"],
                delimiter=rows.options["delimiter"],
                **asked,
                **folding,
            )


def _refuse(options: Sequence[str], beside: str) -> None:
    if options:
        raise OptionError(f"{options[0]} has no effect beside {beside}.", hint="leave one of them out.")


def _columns_of_scores(models: tuple[str, ...]) -> dict[str, str] | None:
    """The models of a table of scores: by their column, or as NAME=COLUMN."""
    named = [item if "=" in item else f"{item}={item}" for item in models]
    return named_items(named, "--model", "COLUMN or NAME=COLUMN") or None


def _parts(text: str) -> dict[str, str]:
    return named_items(comma_list(text, "--columns"), "--columns", "PART=COLUMN")


def _figures(accuracies: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Accuracies as typed: `0.85:30`, or `tree=0.85:30`."""
    found: dict[str, tuple[float, float]] = {}
    for place, item in enumerate(accuracies, start=1):
        name, equals, figure = item.rpartition("=")
        share, colon, n = figure.partition(":")
        try:
            pair = number(share), number(n)
        except click.BadParameter:
            colon = ""
        if not colon or (equals and not name):
            raise OptionError(f"--accuracy: expected A:N or NAME=A:N, such as 0.85:30; got {item!r}.")
        called = name or f"M{place}"
        if called in found:
            raise OptionError(
                f"--accuracy gives {called!r} twice.", hint="give each a name of its own, once."
            )
        found[called] = pair
    if len(found) < 2:
        raise OptionError("a comparison takes two models or more; got one --accuracy.")
    return found


def _matrix(name: str, text: str, options: dict[str, Any], wanted: Question, costs: str | None) -> Evaluation:
    from tallymark.intake.matrices import read_counts
    from tallymark.tallies import Confusion

    labels = None if options["labels"] is None else [str(label) for label in options["labels"]]
    try:
        typed = read_counts(text, labels=labels, rows=None)
        confusion = Confusion(typed.values, None if typed.labels is None else labels_of(typed.labels))
    except TallymarkError as problem:
        problem.message = f"--matrix {name}: {problem.message}"
        raise
    return confusion.evaluate(
        pos_label=options["pos_label"],
        costs=costs,
        notes=[f"{note.rstrip('.')}." for note in typed.notes],
        confidence_level=wanted.level,
        random_state=wanted.seed,
    )


def _of_columns(models: Sequence[Model]) -> list[str]:
    """What must be said of the columns that were chosen, with the model if it is not about all."""
    chosen = [(model, note) for model in models for note in model.notes if note not in model.ev.notes]
    said = [note for _, note in chosen]
    return [note if said.count(note) == len(models) else f"{model.called}: {note}" for model, note in chosen]


def with_id(rows: Rows, models: tuple[str, ...]) -> tuple[Rows, tuple[str, ...]]:
    """With the column that is called `id` in every file, and what must be said of it."""
    from tallymark.comparison.given import guessed_id, said_of_id

    paths = list(named_items(models, "--model", "NAME=FILE").values())
    # Standard input cannot be looked at twice, and a file that is not there is told of later.
    found = guessed_id(paths, rows.options) if all(Path(path).is_file() for path in paths) else None
    if found is None:
        return rows, ()
    return replace(rows, options=rows.options | {"id": found}), (said_of_id(found),)
