"""Tables that stay in their engine: counted there, and evaluated from the counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tallymark.errors import OptionError
from tallymark.evaluation.from_tally import evaluate_tally
from tallymark.evaluation.needing_rows import refuse_rows, rows_for, sides_of
from tallymark.evaluation.streamed import Streaming, count_store, counted_by
from tallymark.intake.roles import Roles, refuse_twice, with_guesses
from tallymark.intake.rows import Checks, check_missing
from tallymark.intake.weights import check_kind
from tallymark.tallies.tally import Tally

if TYPE_CHECKING:
    from tallymark.evaluation.result import Evaluation
    from tallymark.intake.costs import CostsGiven
    from tallymark.intake.engines.files import Engine
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


def evaluate_at(
    addresses: Sequence[str],
    roles: Roles,
    checks: Checks,
    streaming: Streaming,
    *,
    engine: Engine | None,
    refuse: Callable[[], None],
    pos_label: object,
    threshold: float | str | None,
    costs: CostsGiven | None,
    clip: float | None,
    delimiter: str | None,
    missing_words: Sequence[str],
    **options: Any,
) -> Evaluation:
    """The evaluation of Parquet files at addresses that only an engine can open."""
    refuse()
    asked: dict[str, Any] = {"pos_label": pos_label, "threshold": threshold}
    more: dict[str, Any] = {"engine": engine, "delimiter": delimiter, "missing_words": missing_words}
    tally, notes = count_at(addresses, roles, checks, streaming, clip=clip, **asked, **more)
    return evaluate_tally(tally, costs=costs, notes=notes, **asked, **options)


def count_at(
    addresses: Sequence[str],
    roles: Roles,
    checks: Checks,
    streaming: Streaming,
    *,
    engine: Engine | None,
    delimiter: str | None,
    **asked: Any,
) -> tuple[Tally, list[str]]:
    """The tally of Parquet files at addresses, and what must be said of it."""
    if engine is None:
        raise OptionError(
            f"{addresses[0]} is an address, which only an engine can open.",
            hint="name one: --engine duckdb, spark or dask (in Python engine=).",
        )
    if delimiter is not None:
        raise OptionError("a delimiter is about text, and at addresses Parquet is read.")
    with engine.tables([list(addresses)]) as (store,):
        refuse_rows(why_rows(store, roles, {}), streaming, engine)
        tally, notes = count_stored(store, roles, checks, streaming, **asked)
    return tally.named(*addresses), [counted_by(engine), *notes]


def why_rows(store: EngineStore, roles: Roles, functions: Mapping[str, Any]) -> str | None:
    """What is asked that takes rows, and cannot be counted where they are."""
    lists = any(store.holds_lists(name) for name in sides_of(roles) if name in store.kinds)
    return rows_for(roles, lists) or ("a metric of your own" if functions else None)


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
