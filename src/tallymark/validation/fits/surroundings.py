"""What a model may not disturb, and what may not disturb it: warnings, printing, native threads."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from functools import lru_cache, partial
from threading import Lock, get_ident
from typing import Any, NamedTuple

import numpy as np

from tallymark.validation.runs.folder import RunFolderWarning


class Warned(NamedTuple):
    """What a model warned of."""

    message: Warning | str
    category: type[Warning]


_NUMPY: Any = {"divide": "warn", "over": "warn", "invalid": "warn", "under": "ignore"}
"""What numpy does by default, as in the processes of other workers, whatever the caller has set."""
_lock = Lock()
_at_work: dict[int, list[Warned]] = {}
"""The fits of this process, by the thread each is made in."""
_shared = ExitStack()


@contextmanager
def undisturbed() -> Iterator[list[Warned]]:
    """While a fit is made: its warnings, which nobody else gets; what it prints goes to standard error.

    It has one native thread. Sums of several threads are rounded in another order: with two threads of BLAS
    the scores of logistic regression, ridge, discriminant analysis and principal components differ in the
    last bits (20,000 rows, 300 columns), with two of OpenMP those of k-means. Boosting, forests and nearest
    neighbours do not; but threads that wait for each other on a busy machine can take a hundred times as
    long, so for all of them the way to use more processors is to make several fits at once.

    Fits in several threads share all of it, which Python has only once: the first sets it, the last resets.
    """
    native = _native_libraries(len(sys.modules))
    me, caught = get_ident(), list[Warned]()
    with _lock:
        if not _at_work:
            _set(native)
        outer = _at_work.get(me)
        _at_work[me] = caught
    try:
        # Of OpenMP every thread has its own number.
        with native.limit(limits=1, user_api="openmp"), np.errstate(**_NUMPY):
            yield caught
    finally:
        with _lock:
            if outer is None:
                del _at_work[me]
            else:
                _at_work[me] = outer
            if not _at_work:
                _shared.close()


def _set(native: Any) -> None:
    _shared.enter_context(warnings.catch_warnings())
    warnings.simplefilter("always")
    warnings.showwarning = partial(_caught, warnings.showwarning)
    # What a model prints has no place in the output of a command.
    _shared.enter_context(redirect_stdout(sys.stderr))
    _shared.enter_context(native.limit(limits=1, user_api="blas"))


def _caught(
    show: Callable[..., None], message: Warning | str, category: type[Warning], *rest: Any, **more: Any
) -> None:
    """A warning of the fit of this thread; of a thread that a model started, if there is one fit only."""
    caught = _at_work.get(get_ident())
    if issubclass(category, RunFolderWarning):
        caught = None
    elif caught is None and len(_at_work) == 1:
        caught = next(iter(_at_work.values()), None)
    if caught is None:
        show(message, category, *rest, **more)
    else:
        caught.append(Warned(message, category))


@lru_cache(maxsize=1)
def _native_libraries(_modules: int) -> Any:
    """Those that are loaded, looked for again when there are more modules: a model may have brought some."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped, unused-ignore]

    return ThreadpoolController()
