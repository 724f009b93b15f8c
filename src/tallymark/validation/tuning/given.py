"""What users hand in to be tuned: one model or several, and what to try with each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tallymark.errors import OptionError
from tallymark.tallies.labels import quoted
from tallymark.validation.data.given import models_of
from tallymark.validation.learners.by_name import GRIDS
from tallymark.validation.tuning.candidates import (
    Candidate,
    Parameters,
    checked_n_iter,
    draws,
    grid,
    typed_names,
)

_HINT = (
    'name values: --param max_depth=1,2,4 (param_grid={"max_depth": [1, 2, 4]}); to draw them at random, '
    "--random 20 (param_distributions=)."
)
# All of 59 draws miss the best 5 % of what can be drawn in 0.95^59, less than 5 %, of searches (Bergstra and
# Bengio 2012).
ENOUGH, SHARE, ERROR = 59, 0.05, 0.05


@dataclass(frozen=True, eq=False)
class Trials:
    """The candidates in the order they are tried, and how they were found."""

    candidates: tuple[Candidate, ...]
    how: str
    """"grid" or "random"."""
    notes: tuple[str, ...] = ()
    draws: int | None = None
    """How many were asked for, of each model, where fewer were enough."""


def trials_of(
    model: Any,
    param_grid: Any,
    param_distributions: Any,
    n_iter: int,
    seed: int,
    *,
    early_stop: bool = False,
) -> Trials:
    """Candidates of a model, or of several by name: `{"tree": (model, grid), "knn": (model, grid)}`."""
    if param_grid is not None and param_distributions is not None:
        raise OptionError(
            "param_grid and param_distributions were both given.",
            hint="a list of values can be drawn from as well: put all into param_distributions.",
        )
    how = "grid" if param_distributions is None else "random"
    given = param_grid if how == "grid" else param_distributions
    several = isinstance(model, Mapping | list | tuple)
    bare, beside = _apart(model) if isinstance(model, Mapping) else (model, {})
    models = models_of(bare)
    spaces = _spaces(models, given, beside, how) if several else dict.fromkeys(models, given)
    wanted = n_iter
    if how == "random":
        n_iter = checked_n_iter(n_iter)
        # One more tells whether there are more.
        wanted = min(n_iter, ENOUGH + 1) if early_stop else n_iter
    candidates: list[Candidate] = []
    notes, stopped = [], False
    for name, each in models.items():
        space = spaces[name]
        if space is None:
            space = _usual(bare[name] if isinstance(bare, Mapping) else name, several=several)
        found = _found(each, space, how, wanted, seed, f"model {quoted(name)}" if several else "the model")
        if how == "random" and early_stop and len(found) > ENOUGH:
            found, stopped = found[:ENOUGH], True
        elif how == "random" and len(found) < n_iter:
            of = f" for {quoted(name)}" if several else ""
            notes.append(
                f"there are no more than {len(found)} different candidates{of}, not the {n_iter} asked for "
                "(--random, n_iter=)."
            )
        typed = typed_names(each, space)
        candidates += [Candidate(name, each, parameters, typed) for parameters in found]
    if stopped:
        notes.append(_stopped(n_iter, several=len(models) > 1))
    return Trials(tuple(candidates), how, tuple(notes), n_iter if stopped else None)


def _stopped(n_iter: int, *, several: bool) -> str:
    return (
        f"draws{' of a model' if several else ''} stopped at {ENOUGH} of the {n_iter:,} asked for, which is "
        f"--early-stop (early_stop=True): in no more than {ERROR * 100:g} % of searches so many all miss the "
        f"best {SHARE * 100:g} % of what can be drawn, by the scores of the search "
        f"({1 - SHARE:g}^{ENOUGH} = {(1 - SHARE) ** ENOUGH:.3f})."
    )


def _found(model: Any, space: Any, how: str, n_iter: int, seed: int, name: str) -> list[Parameters]:
    if how == "grid":
        return grid(model, space, name)
    return draws(model, space, n_iter, seed=seed, name=name)


def _apart(models: Mapping[Any, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Models, and the grids that stand beside some."""
    beside = {}
    for name, given in models.items():
        if isinstance(given, tuple):
            if len(given) != 2:
                raise OptionError(
                    f"model {quoted(str(name))} is a tuple of {len(given)}; (model, grid) is expected."
                )
            beside[str(name)] = given[1]
    return {
        str(name): given[0] if isinstance(given, tuple) else given for name, given in models.items()
    }, beside


def _spaces(models: Mapping[str, Any], given: Any, beside: Mapping[str, Any], how: str) -> dict[str, Any]:
    """What to try with each of several models; None where nobody said."""
    word = "param_grid" if how == "grid" else "param_distributions"
    if given is None:
        return {name: beside.get(name) for name in models}
    if beside:
        raise OptionError(f"what to try is given twice: beside the models, and as {word}.")
    if not isinstance(given, Mapping) or (strange := [name for name in given if name not in models]):
        came = f"; there is no model {quoted(str(strange[0]))}" if isinstance(given, Mapping) else ""
        raise OptionError(
            f"{word} of several models gives what to try by the name of the model{came}.",
            hint=f'write {word}={{"{next(iter(models))}": {{"max_depth": [1, 2, 4]}}, ...}}.',
        )
    return {name: given.get(name) for name in models}


def _usual(model: Any, *, several: bool) -> Any:
    """What is usually tried with a learner known by name; among several, a model may stay as it is."""
    if isinstance(model, str) and model in GRIDS:
        return GRIDS[model]
    if several:
        return {}
    raise OptionError("what to try is missing.", hint=_HINT)
