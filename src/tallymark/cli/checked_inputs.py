"""What `tallymark check` reads: predictions, counts or finished evaluations, and what is required of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from tallymark.cli.configuration import configuration
from tallymark.cli.options import labels_of
from tallymark.cli.rows import Rows, opened
from tallymark.errors import OptionError, TallymarkError, naming, precise

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation
    from tallymark.evaluation.matching import Stated
    from tallymark.gate import Gate
    from tallymark.gate.numbers import Numbers

_OF_FORMS = (
    *("files", "require", "baseline", "no_worse", "margin", "junit", "github", "as_json", "path", "force"),
    *("quiet", "confidence", "same_rows", "other_rows"),
)
"""What says something of evaluations that are finished."""
_OF_COUNTS = (*_OF_FORMS, "matrix", "labels", "positive", "costs", "undefined", "seed", "prevalence")
_OF_TALLIES = ("pos_label", "threshold", "memory")
_SETTLED = ("set_delimiter", "empty_sets", "slices")
_BEGINS = b'{"schema"'


@dataclass(frozen=True)
class Inputs:
    """All that was typed, or stands in the configuration."""

    files: tuple[str, ...]
    matrix: str | None
    baseline: str | None
    rows: Rows
    options: dict[str, Any] = field(repr=False)
    """Arguments of `evaluate` beside the columns."""
    prevalence: str | None
    require: tuple[str, ...]
    no_worse: tuple[str, ...]
    margin: float | None
    said: tuple[str, ...] = ()
    """What was guessed and must be said."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file that is read."""
        return (*self.named, *(() if self.baseline is None else (self.baseline,)))

    @cached_property
    def named(self) -> tuple[str, ...]:
        """The files that are checked: those that were typed, else those of the configuration."""
        return self.files if self.files or _typed("matrix") else configuration().files

    @property
    def counts(self) -> str | None:
        """The matrix, unless files were typed in its place."""
        return None if self.files and not _typed("matrix") else self.matrix

    def checked(self, design: Stated | None) -> Gate:
        """What came of it all."""
        from tallymark.gate import check
        from tallymark.gate.checking import check_names, read_asked

        asked = read_asked(self.require, self.no_worse, self.baseline is not None, self.margin)
        if not any(_is_form(path) or path == "-" for path in self.paths):
            # Before any row is read; a finished evaluation may hold metrics of one's own.
            check_names(*asked, frozenset())
        self._refuse_inputs()
        by_slice = tuple("*".join(column for column, _ in each.target.part) for each in asked[0])
        numbers = self._with_id()._read(tuple(filter(None, by_slice)))
        return check(
            numbers[0],
            self.require,
            baseline=numbers[1],
            no_worse=self.no_worse,
            margin=self.margin,
            design=design,
        )

    def _refuse_inputs(self) -> None:
        if self.counts is not None and self.named:
            raise OptionError("--matrix stands in the place of FILE.", hint="leave one of them out.")
        if self.counts is None and not self.named:
            raise OptionError(
                "FILE is missing.",
                hint="name a file, - for standard input, or --matrix; or `files` in [tool.tallymark] of "
                "pyproject.toml.",
            )
        if self.paths.count("-") > 1:
            raise OptionError("- (standard input) was given more than once, but it can be read only once.")
        forms = [path for path in self.named if _is_form(path)]
        if forms and len(self.named) > 1:
            raise OptionError(
                f"{forms[0]!r} is a finished evaluation, and {len(self.named)} files were named.",
                hint="parts of a table are added before they are evaluated: name one .json file.",
            )
        rest = [path for path in self.paths if not _is_form(path)]
        if not rest:
            _refuse_idle(_OF_FORMS if self.counts is None else _OF_COUNTS, self.counts, self.paths)

    def _with_id(self) -> Inputs:
        """With the column that tells rows apart, if both files have one of that name."""
        pair = (*self.named, self.baseline)
        plain = all(path is not None and path != "-" and "://" not in path for path in pair)
        if len(pair) != 2 or not plain or self.rows.options["id"] is not None:
            return self
        if any(_is_form(str(path)) or _is_tally(str(path)) for path in pair):
            return self
        from tallymark.comparison.given import guessed_id, said_of_id

        try:
            found = guessed_id(pair, self.rows.options)
        except TallymarkError:
            found = None  # reported where the file is read
        if found is None:
            return self
        rows = replace(self.rows, options=self.rows.options | {"id": found})
        return replace(self, rows=rows, said=(said_of_id(found),))

    def _read(self, by_slice: Sequence[str]) -> tuple[Numbers, Numbers | None]:
        this = self._of_files(self.named, by_slice) if self.named else self._of_matrix()
        if self.baseline is None:
            return this, None
        with naming([self.baseline], option="--baseline"):
            return this, self._of_files((self.baseline,), ())

    def _of_files(self, files: tuple[str, ...], by_slice: Sequence[str]) -> Numbers:
        from tallymark.gate.forms import read_form
        from tallymark.gate.numbers import OfForm

        if _is_form(files[0]):
            return self._finished(OfForm(read_form(Path(files[0])), repr(files[0])))
        with opened(files) as paths:
            if files == ("-",) and _begins_like_form(paths[0]):
                return self._finished(OfForm(read_form(paths[0], "standard input"), "standard input"))
            rows, options = self._reading(files)
            if by_slice and "slices" in options:
                options = options | {"slices": tuple(dict.fromkeys((*options["slices"], *by_slice)))}
            return self._seen(rows.read(paths, **options))

    def _reading(self, files: tuple[str, ...]) -> tuple[Rows, dict[str, Any]]:
        """How files are read: what counting has settled is not asked of a tally that stands beside rows."""
        others = [path for path in self.paths if path not in files and not _is_form(path)]
        if not all(map(_is_tally, files)) or all(map(_is_tally, others)):
            return self.rows, self.options
        kept = {name: self.rows.options[name] for name in _OF_TALLIES}
        options = {name: value for name, value in self.options.items() if name not in _SETTLED}
        return replace(self.rows, options=kept), options

    def _of_matrix(self) -> Numbers:
        from tallymark.intake.matrices import read_counts
        from tallymark.tallies import Confusion

        assert self.counts is not None
        labels = self.rows.options["labels"]
        typed = read_counts(self.counts, labels=None if labels is None else [str(label) for label in labels])
        confusion = Confusion(typed.values, None if typed.labels is None else labels_of(typed.labels))
        asked = ("costs", "undefined", "confidence_level", "random_state")
        ev = confusion.evaluate(
            pos_label=self.rows.options["pos_label"],
            notes=[f"{note.rstrip('.')}." for note in typed.notes],
            **{name: self.options[name] for name in asked},
        )
        return self._seen(ev)

    def _seen(self, ev: Evaluation) -> Numbers:
        """Under the class shares asked for."""
        from tallymark.cli.reporting import shares_of
        from tallymark.gate.numbers import OfEvaluation

        shares = shares_of(self.prevalence)
        ev = replace(ev, notes=(*ev.notes, *self.said))
        return OfEvaluation(ev if shares is None else ev.at_prevalence(shares))

    def _finished(self, form: Numbers) -> Numbers:
        """Refuse what would have to be worked out again."""
        if self.prevalence is not None:
            raise OptionError(
                "a finished evaluation cannot be seen under other class shares, as --prevalence asks.",
                hint="give the predictions, or evaluate them with --prevalence.",
            )
        level = self.options["confidence_level"]
        if _typed("confidence") and level != form.level:
            raise OptionError(
                f"a finished evaluation has intervals of the level {precise(form.level, level)}, and "
                "--confidence asks "
                f"for {precise(level, form.level)}.",
                hint="leave it out, or evaluate the predictions again.",
            )
        return form


def _refuse_idle(useful: Sequence[str], counts: str | None, paths: Sequence[str]) -> None:
    """Refuse options that were typed and would have no effect."""
    for option in click.get_current_context().command.params:
        if option.name not in useful and option.name is not None and _typed(option.name):
            what = f"{paths[0]!r} is a finished evaluation" if counts is None else "--matrix gives counts"
            raise OptionError(
                f"{max(option.opts, key=len)} is about predictions, and {what}: it would have no effect.",
                hint="leave it out, or give the predictions.",
            )


def _typed(name: str) -> bool:
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def _is_form(path: str) -> bool:
    """Whether a file is a finished evaluation, or something broken; rows in JSON are a list, or lines."""
    if not path.lower().endswith(".json") or "://" in path:
        return False
    try:
        with open(path, "rb") as file:
            first = file.readline().removeprefix(b"\xef\xbb\xbf").strip()
        row = json.loads(first)
    except OSError:
        return True
    except (ValueError, RecursionError):
        return not first.startswith(b"[")
    return isinstance(row, dict) and "schema" in row


def _is_tally(path: str) -> bool:
    return path.lower().endswith(".tally")


def _begins_like_form(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_BEGINS) + 64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_BEGINS)
