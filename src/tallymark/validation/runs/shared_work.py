"""Fits that several processes share: each makes what nobody else has made or is at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from time import monotonic, sleep
from typing import TYPE_CHECKING

from tallymark.validation.fits.fitting import Fit, Task
from tallymark.validation.runs.keys import Key

if TYPE_CHECKING:
    from tallymark.validation.runs.recording import Recording

Make = Callable[[Iterable[tuple[int, Task]]], Iterator[tuple[int, Fit]]]
"""Makes the fits of numbered tasks, each as soon as it is made."""
Numbered = tuple[int, Task, Key | None]
_PAUSE = 0.1
"""Seconds between looks at what other processes have finished."""
_PATIENCE = 30.0
"""Seconds of waiting after which that is said: a process that was suspended is at its fits for ever."""


class SharedWork:
    """The fits from some number on, of which other processes may do a part."""

    def __init__(self, record: Recording, first: int) -> None:
        self._record = record
        self._next = first
        self._ready: dict[int, Fit] = {}
        """Fits that wait for their turn."""
        self._ours: dict[int, Key | None] = {}
        """What this process is making."""
        self._postponed: dict[int, tuple[Task, Key]] = {}
        """What another process was at when its turn came."""
        self._broken: BaseException | None = None

    def fits(self, tasks: Iterator[Numbered], make: Make) -> Iterator[Fit]:
        """In order."""
        try:
            yield from self._made(make(self._needed(tasks)))
            waits_since = monotonic()
            while self._postponed:
                again = [(number, *each) for number, each in self._postponed.items()]
                self._postponed.clear()
                needed = list(self._needed(iter(again)))
                if not needed:
                    sleep(_PAUSE)
                if needed or len(self._postponed) < len(again):
                    waits_since = monotonic()
                elif monotonic() - waits_since > _PATIENCE:
                    self._record.tell_of_waiting(len(self._postponed))
                yield from self._made(make(iter(needed)) if needed else iter(()))
        finally:
            # Of those that nobody waits for any more, others may make what they need.
            for key in self._ours.values():
                if key is not None:
                    self._record.presence.release(key.name)

    def _needed(self, tasks: Iterator[Numbered]) -> Iterator[tuple[int, Task]]:
        """What nobody has done or is at."""
        try:
            for number, task, key in tasks:
                if key is None or self._is_to_be_made(number, task, key):
                    self._ours[number] = key
                    yield number, task if key is None else replace(task, files=key.files)
        except Exception as problem:  # noqa: BLE001 - raised in a thread of joblib's, it would be lost there
            self._broken = problem

    def _is_to_be_made(self, number: int, task: Task, key: Key) -> bool:
        fit = self._record.recorded(key)
        if fit is None:
            if not self._record.presence.claim(key.name):
                self._postponed[number] = task, key
                return False
            # Whoever was at it may have finished between the two looks.
            fit = self._record.recorded(key)
            if fit is None:
                return True
            self._record.presence.release(key.name)
        self._ready[number] = fit
        return False

    def _made(self, made: Iterator[tuple[int, Fit]]) -> Iterator[Fit]:
        for number, fit in made:
            self._ready[number] = self._record.keep(fit, self._ours.pop(number))
            self._settle()
            yield from self._in_order()
        if self._broken is not None:
            raise self._broken
        self._settle()
        yield from self._in_order()

    def _settle(self) -> None:
        """What other processes have finished in the meantime."""
        for number, (_, key) in list(self._postponed.items()):
            fit = self._record.recorded(key)
            if fit is not None:
                self._ready[number] = fit
                self._postponed.pop(number, None)

    def _in_order(self) -> Iterator[Fit]:
        while self._next in self._ready:
            yield self._ready.pop(self._next)
            self._next += 1
