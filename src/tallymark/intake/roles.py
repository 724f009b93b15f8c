"""Which column is what: named by the user, or guessed from a well-known name and said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tallymark.errors import ColumnError, OptionError
from tallymark.intake import frames
from tallymark.intake.votes import vote_names
from tallymark.tallies import Label

Probabilities = Sequence[str] | Mapping[Label, str]

_GUESSES = {
    "actual": ("actual", "y_true", "true", "truth", "label", "target", "y", "class", "reference"),
    "predicted": ("predicted", "y_pred", "prediction", "predictions", "pred", "yhat", "y_hat"),
    "score": ("score", "y_score", "probability", "prob", "proba", "y_prob", "y_proba"),
    "id": ("id", "row_id", "rowid"),
}


Columns = str | tuple[str, ...]


def names_of(columns: Columns | None) -> tuple[str, ...]:
    """The columns of a role, one or several."""
    return () if columns is None else (columns,) if isinstance(columns, str) else columns


@dataclass(frozen=True)
class Roles:
    """Which column is what; None where the user did not say."""

    actual: Columns | None = None
    """Several columns are one label each: a row may have several labels."""
    predicted: Columns | None = None
    score: str | None = None
    probabilities: Probabilities | None = None
    id: str | None = None
    weight: str | None = None
    group: str | None = None
    slices: tuple[str, ...] = ()
    """A column each, or several crossed: `region`, `region*sex`."""
    set_delimiter: str | None = None
    """What separates the labels of a row, when one column holds all of them."""
    votes: tuple[str, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether any column is named for what the classifier said."""
        named = names_of(self.predicted) or self.score is not None
        return bool(named or self.probabilities or self.votes)

    @property
    def probability_columns(self) -> list[str]:
        chosen = self.probabilities or ()
        return list(chosen.values()) if isinstance(chosen, Mapping) else list(chosen)

    @property
    def alone(self) -> list[str]:
        """Columns that can play one role only."""
        sides = [*names_of(self.actual), *names_of(self.predicted)]
        others = [self.score, *self.probability_columns, *self.votes, self.id, self.weight]
        return [*sides, *(name for name in others if name is not None)]

    @property
    def used(self) -> list[str]:
        """Every column that is asked for; slices may be columns that are used already."""
        every = [*self.alone, *([] if self.group is None else [self.group]), *self.slices]
        return list(dict.fromkeys(every))

    def crossed(self, known: Sequence[str]) -> tuple[Roles, tuple[tuple[str, ...], ...]]:
        """With crossed slices taken apart; a column whose name has a star in it goes first."""
        specs = [(name,) if name in known else tuple(name.split("*")) for name in self.slices]
        for spec, given in zip(specs, self.slices, strict=True):
            if "" in spec or len(set(spec)) < len(spec) or specs.count(spec) > 1:
                raise OptionError(
                    f"slice {given!r} is given twice."
                    if specs.count(spec) > 1
                    else f"a slice is a column, or different columns crossed by *; got {given!r}."
                )
        columns = dict.fromkeys(name for spec in specs for name in spec)
        return replace(self, slices=tuple(columns)), tuple(specs)


def refuse_twice(roles: Roles) -> None:
    """A column has one role, but that slices and groups may be made of any."""
    twice = [name for name in roles.alone if roles.alone.count(name) > 1]
    if twice:
        raise OptionError(f"column {twice[0]!r} is named for two roles; a column has one.")


@dataclass(frozen=True)
class Beside:
    """What comes beside the answers: names of columns, or with arrays the values themselves."""

    weight: Any = None
    group: Any = None
    slices: Any = ()
    votes: Any = None
    id: Any = None

    def __post_init__(self) -> None:
        if self.slices is None:
            object.__setattr__(self, "slices", ())

    def named(self, roles: Roles) -> Roles:
        """The roles with these columns among them."""
        names = [self.slices] if isinstance(self.slices, str) else self.slices
        if isinstance(names, Mapping) or frames.is_frame(names) or not _are_names(names):
            raise OptionError(
                f"with a data frame or a file, slices are names of its columns; got {_shown(self.slices)}."
            )
        for word, value in (("weight", self.weight), ("groups", self.group), ("id", self.id)):
            if value is not None and not isinstance(value, str | int):
                raise OptionError(
                    f"with a data frame or a file, {word} is the name of a column; got {_shown(value)}."
                )
        weight, group, id = (
            None if name is None else str(name) for name in (self.weight, self.group, self.id)
        )
        votes = () if self.votes is None else vote_names(self.votes)
        slices = tuple(map(str, names))
        return replace(roles, weight=weight, group=group, id=id, slices=slices, votes=votes)

    def values(self) -> Beside:
        """With the slices as columns by name, for arrays."""
        for word, value in (("weight", self.weight), ("groups", self.group), ("id", self.id)):
            if isinstance(value, str):
                raise OptionError(
                    f"{word}={value!r} is a name of a column, and arrays have none.",
                    hint="pass the values, or a data frame.",
                )
        if isinstance(self.slices, Mapping):
            return replace(self, slices={str(name): values for name, values in self.slices.items()})
        if not isinstance(self.slices, list | tuple | str) and frames.is_frame(self.slices):
            names = frames.frame_names(self.slices)
            return replace(self, slices=frames.frame_columns(self.slices, names))
        if not isinstance(self.slices, list | tuple) or self.slices:
            raise OptionError(
                f"with arrays, slices are columns by name, such as {{'region': values}}; "
                f"got {_shown(self.slices)}."
            )
        return replace(self, slices={})


def _are_names(names: Any) -> bool:
    return isinstance(names, list | tuple) and all(isinstance(name, str | int) for name in names)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 and "\n" not in text else f"a value of type {type(value).__name__}"


def with_guesses(roles: Roles, names: Sequence[str]) -> tuple[Roles, list[str]]:
    """Fill in roles nobody named from well-known column names, and say so."""
    wanted = [] if roles.actual is not None else ["actual"]
    if not roles.answered:
        wanted += ["predicted", "score"]
    notes = []
    for role in wanted:
        if role == "score" and roles.predicted is not None:
            break  # the answers are there; a column nobody asked for must not cost rows
        found = likely(role, names, roles)
        if found is not None:
            named: dict[str, Any] = {role: found}
            roles = replace(roles, **named)
            notes.append(f"column {found!r} was taken as {role} (guessed from its name).")
    if roles.actual is None:
        raise _unnamed("the actual classes", ("actual",), names)
    if not roles.answered:
        raise _unnamed("the answers or scores", ("predicted", "score"), names)
    return roles, notes


def likely(role: str, names: Sequence[str], roles: Roles) -> str | None:
    """The free column that is called as such columns often are, if there is one."""
    return next((name for guess in _GUESSES[role] if (name := _like(guess, names, roles))), None)


def _like(guess: str, names: Sequence[str], roles: Roles) -> str | None:
    """The one free column of that name, in whatever case; an exact one goes first, of two alike none."""
    alike = [name for name in names if name.casefold() == guess and name not in roles.used]
    return guess if guess in alike else alike[0] if len(alike) == 1 else None


def _unnamed(what: str, roles: Sequence[str], names: Sequence[str]) -> ColumnError:
    from tallymark.intake.files.tables import delimiter_hint

    shown = ", ".join(repr(name) for name in names[:12]) + (", ..." if len(names) > 12 else "")
    typed, passed = (
        " or ".join(form.format(role) for role in roles) for form in ("--{} COLUMN", "{}='COLUMN'")
    )
    return ColumnError(
        f"no column is named for {what}; the columns are {shown}.",
        hint=delimiter_hint(names) or f"say which with {typed} (in Python {passed}).",
    )
