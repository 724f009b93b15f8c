"""The rows behind a curve: of one model, or of several that are told apart by file or by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tallymark.cli.model_columns import (
    AS_SAID,
    ONLY_ANSWERS,
    SCORES,
    Columns,
    are_counts,
    columns_for_curve,
    columns_of_file,
)
from tallymark.cli.options import named_items
from tallymark.cli.rows import Rows, opened
from tallymark.errors import ColumnError, LabelError, NotNumbersError, OptionError, naming

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation
    from tallymark.tallies import Binary, Scores


class Taken(NamedTuple):
    """What a model calls positive."""

    share: float | None
    """Of all rows."""
    recall: float | None
    lift: float | None


@dataclass(frozen=True)
class Model:
    """What came of one model."""

    name: str
    """Empty when there is only one and nobody gave it a name."""
    ev: Evaluation
    notes: tuple[str, ...]
    cut: bool
    """Whether a threshold was asked for."""
    answered: str | None = None
    """The column with answers that was named beside the scores."""

    @property
    def called(self) -> str:
        """The name as it stands in a sentence."""
        from tallymark.tallies.labels import quoted

        return quoted(self.name)

    @property
    def only_answers(self) -> bool:
        """Without scores a model is one point."""
        return self.ev.ranked is None

    @property
    def of_all_classes(self) -> bool:
        """Whether it has a probability for each of several classes, and none of them was named."""
        return self.ev.position is None and len(self.ev.labels) > 2 and not self.only_answers

    @property
    def scores(self) -> Scores:
        return self.ev.curves.scores

    @property
    def point(self) -> tuple[float, float]:
        """FPR and TPR of the answers."""
        rates = self.ev["fpr"], self.ev["recall"]
        for rate in rates:
            if rate.value is None:
                raise OptionError(f"{self.called} has only answers, and no point: {rate.why}.")
        return float(rates[0]), float(rates[1])

    @property
    def threshold(self) -> float | None:
        """Where the answers are cut, when that was asked for."""
        return self.ev.threshold if self.cut else None

    @property
    def threshold_text(self) -> str:
        """The same in few digits that take the same rows."""
        from tallymark.curves.shared import cut_at

        assert self.threshold is not None
        return cut_at(self.scores, self.threshold)

    @property
    def taken(self) -> Taken:
        """The rows called positive; how many they are, and how many of the positives are among them."""
        share, recall = self.ev["predicted_positive_rate"].value, self.ev["recall"].value
        return Taken(share, recall, None if not share or recall is None else recall / share)

    @property
    def grouped(self) -> bool:
        """Whether rows belong together, so that they are not independent."""
        ranking = self.ev.ranking(self.ev.position)
        return not isinstance(ranking, str) and ranking.groups is not None

    @property
    def classes(self) -> tuple[float, float]:
        """Rows of the positive class, and of the others."""
        if not self.only_answers:
            return self.scores.n_positive, self.scores.n_negative
        return self.answers.actual_positive, self.answers.actual_negative

    @property
    def answers(self) -> Binary:
        """The counts of a model that answers."""
        assert self.ev.counted is not None
        assert self.ev.position is not None
        return self.ev.counted.classes[self.ev.position]


def read_models(
    files: tuple[str, ...],
    given: tuple[str, ...],
    rows: Rows,
    *,
    curve: bool = True,
    about_one: bool = True,
    **more: Any,
) -> list[Model]:
    """The one model of the files, or those of `--model`; their scores, when a curve is wanted.

    A curve is `about_one` class, or about the answers.
    """
    if rows.options["threshold"] == "best:cost" and "costs" not in more:
        raise OptionError(
            "--threshold best:cost needs costs, and this command takes none.",
            hint="`tallymark decide FILE --costs ...` finds it; give that number here: --threshold T.",
        )
    if not given:
        if not files:
            raise OptionError(
                "FILE is missing.", hint="name a file, - for standard input, or models: --model NAME=FILE."
            )
        with naming(files), opened(files) as paths:
            columns = columns_for_curve(paths, rows, point=False) if curve else AS_SAID
            model = _made("", rows, columns, paths, more)
            if curve:
                _refuse_unscored(model, paths, "a curve")
            return [_for_curve(model, about_one)] if curve else [model]
    named = named_items(given, "--model", "NAME=COLUMN" if files else "NAME=FILE")
    models = _by_column(files, named, rows, more) if files else _by_file(named, rows, curve, more)
    if not curve:
        return models
    curves = []
    for model in models:
        with naming(files or [named[model.name]], f"model {model.called}"):
            curves.append(_for_curve(without_answers(model) if len(models) > 1 else model, about_one))
    models = curves
    positives = {model.ev.positive for model in models}
    if len(positives) > 1:
        said = ", ".join(f"{model.ev.positive!r} of {model.called}" for model in models)
        raise LabelError(
            f"the models have different positive classes: {said}.",
            hint="write the classes in the same way in every file.",
        )
    return models


def read_scored(files: tuple[str, ...], rows: Rows, **more: Any) -> Model:
    """The one model of the files, with its scores and with what is done with them now."""
    with naming(files), opened(files) as paths:
        model = _made("", rows, columns_for_curve(paths, rows, point=False, what="a decision"), paths, more)
        _refuse_unscored(model, paths, "a decision")
    _refuse_sets(model)
    return model


def without_answers(model: Model) -> Model:
    """A model that has a curve, of which nothing else is shown."""
    if model.answered is None:
        return model
    note = f"the answers in column {model.answered!r} are not shown, because there are scores."
    return replace(model, answered=None, notes=(*model.notes, note))


def on_other_rows(models: Sequence[Model]) -> str | None:
    """What must be said when models cannot have answered the same rows."""
    from tallymark.drawing import count

    if any(model.ev.position is None for model in models):
        if len({model.ev.rows for model in models}) == 1:
            return None
        each = [f"{model.called} on {count(model.ev.rows)}" for model in models]
        return f"the models were evaluated on other rows: {'; '.join(each)}."
    if len({model.classes for model in models}) == 1:
        return None
    each = [
        f"{model.called} on {count(sum(model.classes))}, {count(model.classes[0])} of them positive"
        for model in models
    ]
    return f"the models were evaluated on other rows: {'; '.join(each)}."


def shared_notes(models: Sequence[Model]) -> list[str]:
    """Every note once; one that is not about all models says which."""
    said = [note for model in models for note in model.notes]
    notes = []
    for model in models:
        for note in model.notes:
            everywhere = said.count(note) == len(models)
            notes.append(note if everywhere or not model.name else f"{model.called}: {note}")
    other = on_other_rows(models)
    return [*dict.fromkeys(notes), *([other] if other else [])]


# --- by file -----------------------------------------------------------------------------------


def _by_file(named: dict[str, str], rows: Rows, curve: bool, more: dict[str, Any]) -> list[Model]:
    for name, file in named.items():
        if file != "-" and not Path(file).suffix and not Path(file).exists():
            raise OptionError(
                f"--model {name}={file}: there is no file {file!r}; NAME=FILE is expected.",
                hint=f"to name a column, give the file first: FILE --model {name}={file}.",
            )
    from tallymark.tallies.labels import quoted

    models = []
    with opened(tuple(named.values())) as paths:
        for name, path in zip(named, paths, strict=True):
            with naming([path], f"model {quoted(name)}"):
                columns = columns_of_file(path, rows, curve=curve)
                models.append(_made(name, rows, columns, [path], more))
    return models


def _refuse_unscored(model: Model, paths: Sequence[Path], what: str) -> None:
    if model.only_answers and are_counts(paths):
        raise OptionError(
            f"{what} needs scores, and {paths[0]} holds counts of answers only.",
            hint="count the rows again with their scores: `tallymark tally FILE --score COLUMN ...`.",
        )


# --- by column ---------------------------------------------------------------------------------


def _by_column(
    files: tuple[str, ...], named: dict[str, str], rows: Rows, more: dict[str, Any]
) -> list[Model]:
    refuse_named_answers(rows)
    with opened(files) as paths:
        try:
            return [_of_column(name, column, paths, rows, more) for name, column in named.items()]
        except ColumnError:
            from tallymark.comparison.given import refuse_absent_columns

            # A column that is called like a file has a hint of its own.
            if not rows.addresses and not any(Path(column).exists() for column in named.values()):
                refuse_absent_columns(paths, list(named.values()), rows.options)
            raise


def refuse_named_answers(rows: Rows) -> None:
    """Answers are in the columns of the models."""
    for name in ("predicted", *SCORES):
        if rows.options[name] is not None:
            raise OptionError(
                f"--{name} and --model NAME=COLUMN both say where the answers are.",
                hint=f"leave out --{name}, or give every model a file: --model NAME=FILE.",
            )


def _of_column(name: str, column: str, paths: Sequence[Path], rows: Rows, more: dict[str, Any]) -> Model:
    """A column of numbers is a score, unless all of them are labels; other columns are answers."""
    answers = Columns({"predicted": column} | ONLY_ANSWERS.options)
    if more.get("set_delimiter") is not None:
        return _made(name, rows, answers, paths, more)
    try:
        made = _made(name, rows, Columns({"score": column}), paths, more)
    except NotNumbersError as problem:
        try:
            return _made(name, rows, answers, paths, more)
        except LabelError as other:
            # The advice to pass the column as a score was followed already.
            raise problem if other.hint and "--score" in other.hint else other from None
    except ColumnError as problem:
        if Path(column).exists():
            problem.hint = (
                "after FILE, --model names a column of it; to compare files, give each as --model NAME=FILE."
            )
        raise
    labels = [label for label in made.ev.labels if isinstance(label, int)]
    if len(labels) == len(made.ev.labels) and set(made.scores.score.tolist()) <= set(labels):
        return _made(name, rows, answers, paths, more)
    return made


# --- evaluated ---------------------------------------------------------------------------------


def _made(name: str, rows: Rows, columns: Columns, paths: Sequence[Path], more: dict[str, Any]) -> Model:
    ev = rows.read(paths, **columns.options, **more)
    options = rows.options | columns.options
    answered = None if ev.ranked is None else options["predicted"]
    return Model(name, ev, (*columns.notes, *ev.notes), options["threshold"] is not None, answered)


def about_one_class(model: Model, instead: str = "") -> None:
    """Refuse a curve of nobody knows which class; `instead` says what shows all of several."""
    if model.ev.position is None:
        from tallymark.intake.answers import unnamed_positive

        problem = unnamed_positive(model.ev.labels, "a curve needs")
        if instead and model.of_all_classes:
            problem.hint = f"{problem.hint} Or {instead}."
        raise problem


def _refuse_sets(model: Model) -> None:
    if model.ev.sets is not None:
        raise OptionError(
            "rows have several labels here, and a curve is about one.",
            hint="name one column for --actual, and one with the scores for its label: --score.",
        )


def _for_curve(model: Model, about_one: bool) -> Model:
    """A curve is about one class, unless it is about the answers, and needs no cut."""
    _refuse_sets(model)
    if about_one:
        about_one_class(model)
    from tallymark.evaluation.counted import AboutCut

    notes = tuple(note for note in model.notes if not isinstance(note, AboutCut))
    if model.only_answers:
        notes = (*notes, "there are answers and no scores, so the model is a single point.")
    return replace(model, notes=notes)
