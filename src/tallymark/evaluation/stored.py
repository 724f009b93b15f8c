"""Tables that stay in their engine: counted there, and evaluated from the counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tallymark.errors import OptionError
from tallymark.evaluation.from_tally import evaluate_tally
from tallymark.evaluation.streamed import Streaming, count_store
from tallymark.intake.roles import Roles, refuse_twice, with_guesses
from tallymark.intake.rows import Checks, check_missing
from tallymark.intake.weights import check_kind
from tallymark.tallies.tally import Tally

if TYPE_CHECKING:
    from tallymark.evaluation.result import Evaluation
    from tallymark.intake.costs import CostsGiven
    from tallymark.intake.engines.tables import EngineStore


def evaluate_stored(
    store: EngineStore,
    roles: Roles,
    checks: Checks,
    streaming: Streaming,
    *,
    pos_label: object,
    threshold: float | str | None,
    costs: CostsGiven | None,
    clip: float | None,
    **options: Any,
) -> Evaluation:
    """The evaluation of a table that never comes here."""
    asked: dict[str, Any] = {"pos_label": pos_label, "threshold": threshold}
    tally, notes = count_stored(store, roles, checks, streaming, clip=clip, **asked)
    return evaluate_tally(tally, costs=costs, notes=notes, **asked, **options)


def count_stored(
    store: EngineStore, roles: Roles, checks: Checks, streaming: Streaming, **asked: Any
) -> tuple[Tally, list[str]]:
    """The tally of a table, and what must be said of it."""
    roles, guesses = with_guesses(roles, store.names)
    roles, slices = roles.crossed(store.names)
    refuse_twice(roles)
    store.check_columns(roles.used)
    check_missing(checks.missing)
    check_kind(checks.weight_kind)
    tally, said = count_store(store, roles, slices, checks, streaming, **asked)
    return tally, [*guesses, *said]


def why_rows(store: EngineStore, roles: Roles, functions: Mapping[str, Any]) -> str | None:
    """What is asked that takes rows, and cannot be counted where they are."""
    several = not (isinstance(roles.actual, str | None) and isinstance(roles.predicted, str | None))
    known = [name for name in (roles.actual, roles.predicted) if isinstance(name, str)]
    several = several or roles.set_delimiter is not None
    several = several or any(store.holds_lists(name) for name in known if name in store.kinds)
    for given, what in (
        (several, "rows with several labels"),
        (bool(roles.votes), "votes of several columns"),
        (roles.group is not None and roles.probabilities is not None, "probabilities of classes in groups"),
        (bool(functions), "a metric of your own"),
    ):
        if given:
            return what
    return None


def rows_of(store: EngineStore, roles: Roles, streaming: Streaming, why: str) -> Any:
    """The rows, brought here as far as they are needed and fit into memory."""
    if streaming.approximate:
        raise OptionError(
            f"{why}: this is counted with every row here, so nothing can be approximate.",
            hint="leave out approximate=.",
        )
    roles, _ = with_guesses(roles, store.names)
    roles, _ = roles.crossed(store.names)
    store.check_columns(roles.used)
    return store.collected(roles.used, streaming.memory, why)
