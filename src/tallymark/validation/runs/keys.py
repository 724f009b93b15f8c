"""What a fit is known by: model, parameters, rows, chance and libraries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from tallymark.metrics import Asked
from tallymark.resampling.folds import Ints
from tallymark.validation.fits.fitting import Task
from tallymark.validation.runs.describing import (
    Indescribable,
    array_hash,
    code_files,
    described,
    digest,
    modules_of,
    versions_of,
)
from tallymark.validation.runs.hashing import Hashes
from tallymark.validation.runs.records import SCHEMA

IDENTITY = 32
"""Characters of a key that tell the fit; those behind tell the versions of the libraries."""


class Key(NamedTuple):
    """The name of a record, and what it is made of."""

    name: str
    identity: dict[str, Any]
    versions: dict[str, str]
    files: Mapping[str, str] = {}
    """Hashes of the files of one's own modules that the fit goes through."""


@dataclass(frozen=True, eq=False)
class Keys:
    """The keys of the fits of one run; models are described once, for the same ones learn many times."""

    hashes: Hashes
    models: dict[int, tuple[Any, Any]]
    around: dict[frozenset[str], tuple[dict[str, str], dict[str, str]]] = field(default_factory=dict)
    """By the modules of a fit, the versions and files that these stand for."""

    def of(self, task: Task, by: Any = None) -> Key:
        """Raises `Indescribable` where another process could not come to the same."""
        from sklearn import get_config

        identity = {
            "schema": SCHEMA,
            "model": self._described(task.model),
            "parameters": {name: described(task.parameters[name]) for name in sorted(task.parameters)},
            "sampler": self._described(task.sampler),
            "data": self.hashes.of(task.data),
            "positive": described(task.data.positive),
            "train": _rows(task.train),
            "test": _rows(task.test),
            "labels": None if task.labels is None else digest(described(task.labels))[:IDENTITY],
            "seed": list(map(int, task.seed)),
            "ask_training": task.ask_training,
            "of_training": _names(task.of_training),
            "by": None if by is None else described(by.__self__.identity),
            "config": described(get_config()),
        }
        modules = frozenset(modules_of(identity))
        if modules not in self.around:
            self.around[modules] = versions_of(identity), code_files(identity)
        versions, files = self.around[modules]
        return Key(f"{digest(identity)[:IDENTITY]}-{digest(versions)[:8]}", identity, versions, files)

    def _described(self, model: Any) -> Any:
        if id(model) not in self.models:
            try:
                self.models[id(model)] = model, described(model)
            except Indescribable as problem:
                self.models[id(model)] = model, problem
        found = self.models[id(model)][1]
        if isinstance(found, Indescribable):
            raise found
        return found


def _rows(rows: Ints) -> list[Any]:
    return [len(rows), array_hash(rows)[:IDENTITY]]


def _names(of_training: Any) -> list[str] | None:
    """The numbers that are worked out of the rows learned."""
    if of_training is None:
        return None
    assert isinstance(of_training, partial)
    given = (*of_training.args, *of_training.keywords.values())
    lists = (each for each in given if isinstance(each, list | tuple))
    return [asked.name for each in lists for asked in each if isinstance(asked, Asked)]
