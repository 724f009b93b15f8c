"""`Keyed`: one tally per slice, fold or group, added key by key."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, TypeAlias, TypeVar

from tallymark.errors import InputError
from tallymark.tallies.confusion import SCHEMA as CONFUSION
from tallymark.tallies.confusion import Confusion
from tallymark.tallies.label_sets import SCHEMA as LABEL_SETS
from tallymark.tallies.label_sets import LabelSets
from tallymark.tallies.margins import SCHEMA as BINARY
from tallymark.tallies.margins import Binary
from tallymark.tallies.paired import SCHEMA as PAIRED
from tallymark.tallies.paired import Paired
from tallymark.tallies.scores import SCHEMA as SCORES
from tallymark.tallies.scores import Scores

SCHEMA = "tallymark/keyed/1"

Tally = TypeVar("Tally", Confusion, Binary, LabelSets, Scores)


@dataclass(frozen=True)
class Keyed(Mapping[Hashable, Tally], Generic[Tally]):
    """A mapping from key to tally; a key only one side has is kept as it is."""

    tallies: Mapping[Hashable, Tally]

    def __post_init__(self) -> None:
        object.__setattr__(self, "tallies", MappingProxyType(dict(self.tallies)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Keyed, (dict(self.tallies),)

    def __getitem__(self, key: Hashable) -> Tally:
        return self.tallies[key]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.tallies)

    def __len__(self) -> int:
        return len(self.tallies)

    def __add__(self, other: Keyed[Tally]) -> Keyed[Tally]:
        if not isinstance(other, Keyed):
            return NotImplemented
        merged = dict(self.tallies)
        for key, tally in other.tallies.items():
            merged[key] = merged[key] + tally if key in merged else tally
        return Keyed(merged)

    def __radd__(self, other: object) -> Keyed[Tally]:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def total(self) -> Tally:
        """All keys added up."""
        if not self.tallies:
            raise InputError("there are no tallies to add up.")
        tallies = iter(self.tallies.values())
        result = next(tallies)
        for tally in tallies:
            result = result + tally
        return result

    def to_dict(self) -> dict[str, Any]:
        """The versioned JSON form; keys must be text, numbers, booleans or tuples of these."""
        entries = [{"key": key, "tally": tally.to_dict()} for key, tally in self.tallies.items()]
        return {"schema": SCHEMA, "tallies": entries}

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Keyed[Any]:
        tallies: dict[Hashable, Any] = {
            _key(entry["key"]): from_dict(entry["tally"]) for entry in form["tallies"]
        }
        return Keyed(tallies)


AnyTally: TypeAlias = Confusion | Binary | LabelSets | Scores | Paired | Keyed[Any]


def _key(key: Any) -> Hashable:
    return tuple(key) if isinstance(key, list) else key


def from_dict(form: Mapping[str, Any]) -> AnyTally:
    """Any tally from its JSON form, by the schema it names."""
    readers: dict[str, Callable[[Mapping[str, Any]], AnyTally]] = {
        CONFUSION: Confusion.from_dict,
        BINARY: Binary.from_dict,
        LABEL_SETS: LabelSets.from_dict,
        SCORES: Scores.from_dict,
        PAIRED: Paired.from_dict,
        SCHEMA: Keyed.from_dict,
    }
    schema = form.get("schema")
    if schema not in readers:
        raise InputError(
            f"expected a tally with one of the schemas {', '.join(readers)}; got {schema!r}.",
            hint="it may come from a newer tallymark.",
        )
    return readers[schema](form)
