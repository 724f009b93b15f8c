"""What a search tries: every combination of a grid, or combinations drawn at random."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any

import numpy as np

from tallymark.errors import OptionError
from tallymark.tallies.labels import quoted
from tallymark.validation.learners.by_name import parameter_name

Parameters = Mapping[str, Any]
Space = Mapping[str, Any]
"""Parameters by name, each with the values to try or, for random search, what draws them."""

_STREAM = 7
"""Draws of candidates share no chance with the fits."""
# All combinations of lists are shuffled up to so many; of more, those drawn again are left out.
_MOST_SHUFFLED = 100_000
_SHORT = 200
"""Characters of a text that tells models apart."""
_TRIES = 20
"""Draws per candidate wanted, before a space is taken to have no more."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A model with the parameters it is tried with."""

    name: str
    """Of the model."""
    model: Any
    parameters: Parameters
    """By their whole names, as the model's set_params takes them."""
    typed: Mapping[str, str] = field(default_factory=dict)
    """By whole name, what users called a parameter."""

    @property
    def given(self) -> dict[str, Any]:
        """The parameters by the names that users gave them."""
        return {self.typed.get(name, name): value for name, value in self.parameters.items()}


def typed_names(model: Any, space: Space | Sequence[Space]) -> dict[str, str]:
    """What users called the parameters of a space, by whole name; of several spaces, in the first."""
    found: dict[str, str] = {}
    for each in [space] if isinstance(space, Mapping) else space:
        for typed, whole in _whole_names(model, each).items():
            found.setdefault(whole, typed)
    return found


def grid(model: Any, param_grid: Space | Sequence[Space], name: str = "the model") -> list[Parameters]:
    """Every combination, names in order of the alphabet and the last one changing fastest, as scikit-learn
    has it; combinations of several grids one grid after the other."""
    spaces = _spaces(model, param_grid, "param_grid", name, drawn=False)
    every = (_combination(space, place) for space in spaces for place in range(_size(space)))
    return list(_distinct(every, drawn=False))


def same(one: Any, other: Any) -> bool:
    """Whether two values of a parameter are the same to try."""
    return bool(_key(one, drawn=False) == _key(other, drawn=False))


def draws(
    model: Any,
    param_distributions: Space | Sequence[Space],
    n_iter: int,
    *,
    seed: int,
    name: str = "the model",
) -> list[Parameters]:
    """Combinations drawn at random, none twice; the first of more are the same as those of fewer.

    There are fewer than asked for when the space has no more.
    """
    n_iter = checked_n_iter(n_iter)
    spaces = _spaces(model, param_distributions, "param_distributions", name, drawn=True)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_STREAM,)))
    listed = all(isinstance(values, list) for space in spaces for values in space.values())
    if listed:
        every = _from_lists(spaces, rng)
    else:
        every = (_draw(spaces[int(rng.integers(len(spaces)))], rng) for _ in count())
    return list(islice(_distinct(islice(every, _TRIES * n_iter), drawn=not listed), n_iter))


def checked_n_iter(n_iter: int) -> int:
    """How many candidates are drawn."""
    if isinstance(n_iter, bool) or not isinstance(n_iter, int | np.integer) or n_iter < 1:
        raise OptionError(
            f"n_iter, how many candidates are drawn, is a whole number from 1 up; got {n_iter!r}."
        )
    return int(n_iter)


def _spaces(model: Any, given: Any, what: str, name: str, *, drawn: bool) -> list[dict[str, Any]]:
    """One space or several, checked, with the names the model knows its parameters by."""
    listed = [given] if isinstance(given, Mapping) else given
    if isinstance(listed, str) or not isinstance(listed, Sequence) or not listed:
        raise OptionError(
            f"{what} of {name} gives the values to try by parameter; got {given!r}.",
            hint='write {"max_depth": [1, 2, 4]}, or a list of such.',
        )
    return [_space(model, each, what, name, drawn=drawn) for each in listed]


def _space(model: Any, given: Any, what: str, name: str, *, drawn: bool) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise OptionError(f"{what} of {name}: {given!r} gives no values by parameter.")
    whole = _whole_names(model, given)
    found = {
        whole[str(parameter)]: _values(str(parameter), values, what, drawn=drawn)
        for parameter, values in given.items()
    }
    if len(found) < len(given):
        raise OptionError(f"{what} of {name} names a parameter twice: {', '.join(map(str, given))}.")
    return dict(sorted(found.items()))


def _whole_names(model: Any, space: Space) -> dict[str, str]:
    """By what was typed, the names the model knows its parameters by."""
    # A parameter of a step that is itself tried belongs to what is put there, not to what is there now.
    steps = tuple(f"{parameter}__" for parameter in space)
    typed = map(str, space)
    return {name: name if name.startswith(steps) else parameter_name(model, name) for name in typed}


def _values(parameter: str, values: Any, what: str, *, drawn: bool) -> Any:
    if hasattr(values, "rvs") or callable(values):
        if drawn:
            return values
        raise OptionError(
            f"{what} has something to draw from for {quoted(parameter)}; a grid takes lists of values.",
            hint="give it as param_distributions, with n_iter.",
        )
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
        raise OptionError(
            f"{what} has {values!r} for {quoted(parameter)}; the values to try are expected.",
            hint=f'write {{"{parameter}": [{values!r}]}} for one value.',
        )
    found = values.tolist() if hasattr(values, "tolist") else list(values)
    if not found:
        raise OptionError(f"{what} has no value to try for {quoted(parameter)}.")
    return found


def _size(space: Space) -> int:
    return math.prod(len(values) for values in space.values())


def _combination(space: Space, place: int) -> Parameters:
    """The combination at a place in the order of the grid."""
    found = []
    for name, values in reversed(list(space.items())):
        place, at = divmod(place, len(values))
        found.append((name, values[at]))
    return dict(reversed(found))


def _from_lists(spaces: Sequence[Space], rng: np.random.Generator) -> Iterator[Parameters]:
    """Combinations of lists in an order of chance."""
    ends = np.cumsum([0, *map(_size, spaces)])
    total = int(ends[-1])
    shuffled = total <= _MOST_SHUFFLED
    for place in rng.permutation(total).tolist() if shuffled else (int(rng.integers(total)) for _ in count()):
        at = int(np.searchsorted(ends, place, side="right")) - 1
        yield _combination(spaces[at], place - int(ends[at]))


def _draw(space: Space, rng: np.random.Generator) -> Parameters:
    return {name: _drawn(values, rng) for name, values in space.items()}


def _drawn(values: Any, rng: np.random.Generator) -> Any:
    if isinstance(values, list):
        return values[int(rng.integers(len(values)))]
    found = values.rvs(random_state=rng) if hasattr(values, "rvs") else values(rng)
    return found.item() if isinstance(found, np.generic) else found


def _distinct(every: Iterable[Parameters], *, drawn: bool) -> Iterator[Parameters]:
    """Each once, in order."""
    seen: dict[Any, Parameters] = {}  # with the values, so that no other object gets the place of one
    for each in every:
        key = _key(each, drawn=drawn)
        if key not in seen:
            seen[key] = each
            yield each


def _key(value: Any, *, drawn: bool) -> Any:
    """Equal for values that are the same: by type and value, for 1, 1.0 and True may not be.

    Objects that know no equality, such as models, are the same when they are one object; where every draw
    makes a new one, when a short text says the same of both. The text of long arrays leaves out their middle.
    """
    kind = type(value)
    if isinstance(value, Mapping):
        return kind, frozenset((name, _key(each, drawn=drawn)) for name, each in value.items())
    if isinstance(value, list | tuple):
        return kind, tuple(_key(each, drawn=drawn) for each in value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        return kind, value.dtype.str, value.shape, value.tobytes()
    if _is_plain(value):
        return kind, value
    text = repr(value) if drawn else "..."
    return kind, id(value) if "..." in text or len(text) > _SHORT else text


def _is_plain(value: Any) -> bool:
    """Whether a value can be told from others by what it is, not only by where it is."""
    if not any("__eq__" in vars(kind) for kind in type(value).__mro__[:-1]):
        return False
    try:
        hash(value)
    except TypeError:
        return False
    return True
