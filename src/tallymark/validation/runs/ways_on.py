"""What an error says of how one goes on from it, where there is a run folder."""

from __future__ import annotations

from tallymark.errors import FileError, InputError, TallymarkError, WorkerError
from tallymark.validation.fits.sending import KEPT

_GOES_ON = "what is finished is in the run folder: the same command, or call, goes on from there."
_TRY_AGAIN = "--retry-failed (tm.RunFolder(..., retry_failed=True)) tries again what failed before."


def say_way_on(error: TallymarkError, failed: int) -> None:
    """Into its hint; `failed` fits were not tried, because they had failed before."""
    if isinstance(error, WorkerError) and error.hint:
        error.hint = error.hint.replace(KEPT, _GOES_ON)
    elif isinstance(error, InputError) and not isinstance(error, FileError) and failed:
        fits = "1 fit was" if failed == 1 else f"{failed:,} fits were"
        recorded = f"{fits} not made now, but recorded by an earlier run; {_TRY_AGAIN}"
        error.hint = f"{error.hint} {recorded}" if error.hint else recorded
