"""A run looked at from outside: how far it is, what failed, and what else was asked of the same rows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tallymark.errors import FileError, OptionError
from tallymark.tallies.labels import quoted
from tallymark.validation.runs import records
from tallymark.validation.runs.describing import digest
from tallymark.validation.runs.folder import FITS, RUNS, SET_ASIDE, RunFolder
from tallymark.validation.runs.run_records import Noted

_SETTINGS = 16
"""Characters of the hash by which a run names the settings of a model."""
_NAMED = 10
"""Runs that an error names."""


@dataclass(frozen=True)
class Failure:
    """A fit that raised an error."""

    model: str
    """Its name in the run; its class where the run has none for it."""
    parameters: Mapping[str, Any]
    place: str
    """Which of its fits: "fold 3"."""
    data: str
    n_train: int
    n_test: int
    seed: tuple[int, ...]
    """That of the run, and what tells this fit from its others."""
    error: str
    trace: str

    @property
    def kind(self) -> tuple[str, ...]:
        """The same for errors of one type that were raised in one place."""
        lines = self.trace.splitlines()
        return (self.error.partition(":")[0], *(line for line in lines if line.startswith('  File "')))


@dataclass(frozen=True, eq=False)
class Look:
    """One run of a folder, with what its fits say."""

    folder: RunFolder
    record: Mapping[str, Any]
    runs: Sequence[Mapping[str, Any]] = ()
    """All of the folder."""

    @property
    def run(self) -> str:
        return str(self.record["run"])

    @property
    def asked(self) -> str:
        """When it was last asked for."""
        return str(self.record.get("asked") or self.record["started"])

    @cached_property
    def state(self) -> str:
        return self.folder.state(self.record)

    @cached_property
    def noted(self) -> dict[str, Noted]:
        """What the log says of its finished fits, by key; without those whose record is gone.

        Records are opened only of fits that failed, which may have been tried again since, and where the log
        does not say.
        """
        try:
            there = set(os.listdir(self.folder.path / FITS))
        except OSError:
            return {}
        told = self.folder.finished(self.record)
        return {
            key: self._looked_up(key) if each.failed or each.seconds is None else each
            for key, each in told.items()
            if f"{key}{records.SUFFIX}" in there
        }

    def _looked_up(self, key: str) -> Noted:
        facts = self._facts(key) or {}
        return Noted(_seconds(facts), facts.get("failure") is not None)

    @cached_property
    def fits(self) -> dict[str, dict[str, Any]]:
        """The facts of its finished fits, by key; without those whose record is gone."""
        return {key: facts for key in self.folder.finished(self.record) if (facts := self._facts(key))}

    def _facts(self, key: str) -> dict[str, Any] | None:
        try:
            return records.facts_in(self.folder.path / FITS / f"{key}{records.SUFFIX}")
        except records.Unusable:
            return None

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        failed = (facts for facts in self.fits.values() if facts.get("failure") is not None)
        return tuple(sorted(map(self._failure, failed), key=lambda each: (each.model, each.seed)))

    @property
    def seconds(self) -> float:
        """Of all its fits together, whoever made them and however often it was interrupted."""
        return sum(map(_seconds, self.fits.values()), 0.0)

    @property
    def versions(self) -> list[dict[str, str]]:
        """Of the libraries that its fits were made with; several where they changed on the way."""
        found: list[dict[str, str]] = []
        for facts in self.fits.values():
            if facts.get("versions") not in (None, *found):
                found.append(facts["versions"])
        return found

    @property
    def on_the_same_rows(self) -> list[Look]:
        """Other runs of the folder that were tested on the same rows of the same data."""
        return [
            Look(self.folder, other, self.runs)
            for other in self.runs
            if other["run"] != self.run and _tested(self.record) & _tested(other)
        ]

    def _failure(self, facts: Mapping[str, Any]) -> Failure:
        identity = facts["identity"]
        names = [each["name"] for each in self.record["data"] if each["hash"] == identity.get("data")]
        return Failure(
            self._model(identity.get("model")),
            identity["parameters"],
            _place(str(self.record["question"]), identity),
            ", ".join(names),
            identity["train"][0],
            identity["test"][0],
            tuple(identity["seed"]),
            facts["failure"],
            facts.get("trace") or "",
        )

    def _model(self, described: Any) -> str:
        settings = digest(described)[:_SETTINGS]
        named = [each["name"] for each in self.record["models"] if each["settings"] == settings]
        kind = described.get("is") if isinstance(described, Mapping) else described
        return ", ".join(named) or str(kind).rpartition(":")[2]


def _place(question: str, identity: Mapping[str, Any]) -> str:
    """In words, what the seed of a fit tells."""
    if identity["train"] == identity["test"]:
        return "all rows"
    match question, identity["seed"][1:]:
        case "validate", [fold]:
            return f"fold {fold + 1}"
        case "learn", [_, repeat, _]:
            return f"repeat {repeat + 1}"
        case "permute", [0, fold]:
            return f"real classes, fold {fold + 1}"
        case "permute", [permutation, fold]:
            return f"permutation {permutation}, fold {fold + 1}"
        case "tune", [_, 0, fold]:
            return f"fold {fold + 1}"
        case "tune", [_, outer, fold]:
            return f"outer fold {outer}, inner fold {fold + 1}"
        case "tune", [_, outer]:
            return f"outer fold {outer + 1}"
    return ""


def _tested(record: Mapping[str, Any]) -> set[tuple[Any, Any]]:
    """The rows tested on, of each data set that can be told from others."""
    data = [each["hash"] for each in record["data"]]
    return {pair for pair in zip(data, record["tested"], strict=True) if pair[0] is not None}


def _seconds(facts: Mapping[str, Any]) -> float:
    """What a fit took, training and asking."""
    each = facts.get("fit_seconds"), facts.get("ask_seconds")
    return float(sum(second for second in each if isinstance(second, int | float)))


def looks(folder: RunFolder) -> list[Look]:
    """All runs of a folder, the first question first."""
    runs = folder.runs()
    return [Look(folder, record, runs) for record in runs]


def look_for(folder: RunFolder, beginning: str | None) -> Look:
    """The run whose name begins so; the one asked for last when none is named."""
    there = sorted(place.stem for place in (folder.path / RUNS).glob("*.json"))
    if beginning is not None:
        _check(folder, beginning, [name for name in there if name.startswith(beginning)], there)
    found = [each for each in looks(folder) if each.run.startswith(beginning or "")]
    if not found and not there:
        raise FileError(
            f"nothing was asked in the run folder {str(folder.path)!r} yet.",
            hint="name it as --run-folder of validate, tune, learn or permute.",
        )
    if not found:
        which = f"run {quoted(beginning)}" if beginning else "any run"
        raise FileError(
            f"the record of {which} in the run folder {str(folder.path)!r} cannot be read.",
            hint="ask the same again with that --run-folder: the fits that are in it are found.",
        )
    return max(found, key=lambda each: each.asked)


def _check(folder: RunFolder, beginning: str, fitting: list[str], there: list[str]) -> None:
    if len(fitting) == 1:
        return
    if fitting and beginning:
        raise OptionError(
            f"{len(fitting)} runs begin with {quoted(beginning)}: {_listed(fitting)}.",
            hint="give more of it.",
        )
    raise OptionError(
        f"there is no run {quoted(beginning)} in the run folder {str(folder.path)!r}.",
        hint=f"there is {_listed(there)}." if there else "nothing was asked in it yet.",
    )


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"


def set_aside(folder: RunFolder) -> Iterator[tuple[Path, str]]:
    """Records that could not be used, and why."""
    for place in sorted((folder.path / SET_ASIDE).glob("*")):
        if place.suffix != records.SUFFIX:
            yield place, "a record of a run that could not be read"
            continue
        try:
            records.read(place)
        except records.Unusable as problem:
            yield place, str(problem)
        else:
            yield place, "it can be read now"
