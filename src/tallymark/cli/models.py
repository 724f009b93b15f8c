"""The rows behind a curve: of one model, or of several that are told apart by file or by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tallymark.cli.options import named_items
from tallymark.cli.rows import Rows, opened
from tallymark.errors import ColumnError, LabelError, OptionError

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation
    from tallymark.tallies import Binary, Scores

_SCORES = ("score", "probabilities", "votes")
CUT = "no threshold was given"
# Said of answers that are cut from a score, and no curve needs a cut.
_ABOUT_CUTTING = (CUT, "no default threshold")


class Columns(NamedTuple):
    """Columns to read other than those the options say, and what to say about it."""

    options: dict[str, Any]
    notes: tuple[str, ...] = ()


_AS_SAID = Columns({})


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
    files: tuple[str, ...], given: tuple[str, ...], rows: Rows, *, curve: bool = True, **more: Any
) -> list[Model]:
    """The one model of the files, or those of `--model`; their scores, when a curve is wanted."""
    if not given:
        if not files:
            raise OptionError(
                "FILE is missing.", hint="name a file, - for standard input, or models: --model NAME=FILE."
            )
        with opened(files) as paths:
            columns = _columns(paths, rows, point=False) if curve else _AS_SAID
            model = _made("", rows, columns, paths, more)
        return [_for_curve(model)] if curve else [model]
    named = named_items(given, "--model", "NAME=COLUMN" if files else "NAME=FILE")
    models = _by_column(files, named, rows, more) if files else _by_file(named, rows, curve, more)
    if not curve:
        return models
    models = [_for_curve(model) for model in models]
    positives = {model.ev.positive for model in models}
    if len(positives) > 1:
        said = ", ".join(f"{model.ev.positive!r} of {model.called}" for model in models)
        raise LabelError(
            f"the models have different positive classes: {said}.",
            hint="write the classes in the same way in every file.",
        )
    return models


def on_other_rows(models: Sequence[Model]) -> str | None:
    """What must be said when models cannot have answered the same rows."""
    if len({model.classes for model in models}) == 1:
        return None
    from tallymark.drawing import count

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
    with opened(tuple(named.values())) as paths:
        return [
            _made(name, rows, _columns([path], rows, point=True) if curve else _AS_SAID, [path], more)
            for name, path in zip(named, paths, strict=True)
        ]


def _columns(paths: Sequence[Path], rows: Rows, *, point: bool) -> Columns:
    """What to read for a curve: a column called a score goes before answers, which give a point at most."""
    options = rows.options
    if any(options[name] is not None for name in _SCORES):
        return _of_both(_names(paths, rows), options) if point else _AS_SAID
    from tallymark.intake.roles import Roles, likely

    names = _names(paths, rows)
    taken = [options[name] for name in ("actual", "predicted", "weight", "id", "groups")]
    found = likely("score", names, Roles(slices=tuple(name for name in taken if isinstance(name, str))))
    if found is not None:
        return Columns({"score": found}, (f"column {found!r} was taken as score (guessed from its name).",))
    if point:
        return _AS_SAID
    raise no_scores(names)


def _of_both(names: Sequence[str], options: dict[str, Any]) -> Columns:
    """Where both a score and answers are named for all models, one of them is enough in each file."""
    sides = ("score", "predicted")
    if any(options[side] is None for side in sides):
        return _AS_SAID
    absent = [side for side in sides if options[side] not in names]
    if len(absent) != 1:
        return _AS_SAID
    return Columns({absent[0]: None}, (f"there is no column {options[absent[0]]!r}.",))


def _names(paths: Sequence[Path], rows: Rows) -> list[str]:
    from tallymark.intake.files.lists import file_list
    from tallymark.intake.files.tables import column_names

    return column_names(file_list(paths)[0][0], delimiter=rows.options["delimiter"])


def no_scores(names: Sequence[str]) -> ColumnError:
    """The error for a curve that there is nothing to make of."""
    from tallymark.intake.files.tables import delimiter_hint

    shown = ", ".join(repr(name) for name in names[:12]) + (", ..." if len(names) > 12 else "")
    return ColumnError(
        f"a curve needs scores, and no column is named for them; the columns are {shown}.",
        hint=delimiter_hint(names) or "say which with --score COLUMN (or --probabilities, or --votes).",
    )


# --- by column ---------------------------------------------------------------------------------


def _by_column(
    files: tuple[str, ...], named: dict[str, str], rows: Rows, more: dict[str, Any]
) -> list[Model]:
    for name in ("predicted", *_SCORES):
        if rows.options[name] is not None:
            raise OptionError(
                f"--{name} and --model NAME=COLUMN both say where the answers are.",
                hint=f"leave out --{name}, or give every model a file: --model NAME=FILE.",
            )
    with opened(files) as paths:
        return [_of_column(name, column, paths, rows, more) for name, column in named.items()]


def _of_column(name: str, column: str, paths: Sequence[Path], rows: Rows, more: dict[str, Any]) -> Model:
    """A column of numbers is a score, unless all of them are labels; other columns are answers."""
    try:
        made = _made(name, rows, Columns({"score": column}), paths, more)
    except ColumnError as problem:
        if "numbers are expected" in problem.message:
            return _made(name, rows, Columns({"predicted": column}), paths, more)
        if Path(column).exists():
            problem.hint = (
                "after FILE, --model names a column of it; to compare files, give each as --model NAME=FILE."
            )
        raise
    labels = [label for label in made.ev.labels if isinstance(label, int)]
    if len(labels) == len(made.ev.labels) and set(made.scores.score.tolist()) <= set(labels):
        return _made(name, rows, Columns({"predicted": column}), paths, more)
    return made


# --- evaluated ---------------------------------------------------------------------------------


def _made(name: str, rows: Rows, columns: Columns, paths: Sequence[Path], more: dict[str, Any]) -> Model:
    ev = rows.read(paths, **columns.options, **more)
    if ev.sets is not None:
        raise OptionError(
            "rows have several labels here, and a curve is about one.",
            hint="name one column for --actual, and one with the scores for its label: --score.",
        )
    return Model(name, ev, (*columns.notes, *ev.notes), rows.options["threshold"] is not None)


def _for_curve(model: Model) -> Model:
    """A curve is about one class, and needs no cut."""
    if model.ev.position is None:
        from tallymark.intake.answers import unnamed_positive

        raise unnamed_positive(model.ev.labels, "a curve needs")
    notes = tuple(note for note in model.notes if not any(words in note for words in _ABOUT_CUTTING))
    if model.only_answers:
        notes = (*notes, "there are answers and no scores, so the model is a single point.")
    return replace(model, notes=notes)
