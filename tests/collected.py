"""One test for a table of cases: all of them are tried, and those that fail are listed together."""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

_SHOWN = 10
_LONGEST = 600


def each(
    names: str | Sequence[str],
    cases: Iterable[Any],
    ids: Iterable[Any] | Callable[[Any], object] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As `pytest.mark.parametrize`, but one test, which fails once with the list of the cases that fail.

    Fixtures are made once for all cases: tests that write to the same files are not for this.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = list(cases)
    assert table, "there are no cases"
    titles = [ids(case) for case in table] if callable(ids) else list(ids or table)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(**fixtures: Any) -> None:
            wrong = []
            for title, case in zip(titles, table, strict=True):
                values = [case] if len(arguments) == 1 else case
                try:
                    test(**fixtures, **dict(zip(arguments, values, strict=True)))
                except (Exception, pytest.fail.Exception) as problem:  # noqa: BLE001
                    said = f"{type(problem).__name__}: {problem}"
                    wrong.append(f"[{str(title)[:100]}] {said[:_LONGEST]}")
            if wrong:
                more = f"\n... and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
                pytest.fail(f"{len(wrong)} of {len(table)} cases fail:\n" + "\n".join(wrong[:_SHOWN]) + more)

        signature = inspect.signature(test)
        left = [each for name, each in signature.parameters.items() if name not in arguments]
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return decorate


def agree(table: dict[Any, tuple[Any, Any]]) -> None:
    """Of every case what was found and what is expected; all that differ are listed."""
    wrong = {name: pair for name, pair in table.items() if pair[0] != pair[1]}
    assert table
    assert not wrong, f"{len(wrong)} of {len(table)} cases differ: {wrong}"
