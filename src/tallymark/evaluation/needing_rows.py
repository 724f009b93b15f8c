"""What is asked that takes every row, and cannot be counted piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.errors import OptionError
from tallymark.intake.roles import Roles
from tallymark.intake.streams.memory import in_words

if TYPE_CHECKING:
    from tallymark.evaluation.streamed import Streaming
    from tallymark.intake.engines.files import Engine


def sides_of(roles: Roles) -> list[str]:
    """The columns that hold labels, one in a row or a list of them."""
    return [name for name in (roles.actual, roles.predicted) if isinstance(name, str)]


def rows_for(roles: Roles, lists: bool) -> str | None:
    """What of the columns takes rows, if anything; `lists` are several labels in one value."""
    several = not (isinstance(roles.actual, str | None) and isinstance(roles.predicted, str | None))
    for given, what in (
        (several or roles.set_delimiter is not None or lists, "rows with several labels"),
        (bool(roles.votes), "votes of several columns"),
        (roles.group is not None and roles.probabilities is not None, "probabilities of classes in groups"),
    ):
        if given:
            return what
    return None


def refuse_rows(what: str | None, streaming: Streaming, engine: Engine | None) -> None:
    """Refuse what takes rows, if anything does, where none are kept."""
    if what is None:
        return
    if engine is not None:
        raise OptionError(
            f"{what} are counted in memory only, with every row, and the engine {engine.name} keeps none.",
            hint="leave out --engine (in Python engine=).",
        )
    if streaming.approximate:
        raise OptionError(
            f"{what} are counted in memory only, with every row, so nothing can be approximate.",
            hint="leave out --approximate (in Python approximate=).",
        )
    raise OptionError(
        f"{what} are counted in memory only, and these files would take more than the "
        f"{in_words(streaming.memory)} allowed.",
        hint="allow more with --memory (in Python memory=), or evaluate fewer rows at once.",
    )


def refuse_groups_on_grid(roles: Roles, streaming: Streaming) -> None:
    """Groups are drawn with all that is known of their rows."""
    if streaming.approximate and roles.group is not None and roles.score is not None:
        raise OptionError(
            "groups are resampled with the exact scores of their rows, so these are not counted on a grid.",
            hint="leave out --approximate (in Python approximate=), or the groups.",
        )
