"""One question asked with a run folder: what is in the folder is taken from there, the rest is put there."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from threading import get_ident
from typing import Any

from tallymark.errors import FileError, TallymarkError
from tallymark.tallies.labels import quoted
from tallymark.validation.fits.fitting import Fit, Task
from tallymark.validation.runs import records
from tallymark.validation.runs.describing import Indescribable
from tallymark.validation.runs.folder import (
    AT_WORK,
    FITS,
    RUNS,
    SET_ASIDE,
    RunFolder,
    as_bytes,
    now,
    read_run,
    write_whole,
)
from tallymark.validation.runs.hashing import Hashes
from tallymark.validation.runs.keys import IDENTITY, Key, Keys
from tallymark.validation.runs.presence import Presence, lives
from tallymark.validation.runs.questions import Question, name_of
from tallymark.validation.runs.run_records import RUN_SCHEMA, Noted, joined, line_of
from tallymark.validation.runs.shared_work import Make, SharedWork
from tallymark.validation.runs.ways_on import say_way_on

Fits = Generator[Fit, None, None]
"""Can be closed, which ends the work."""


@contextmanager
def recording(folder: RunFolder | None, question: Question) -> Iterator[Recording | None]:
    """What records a question in its folder; None without a folder."""
    if folder is None:
        yield None
        return
    problem = folder.open()
    hashes = Hashes()
    facts = question(hashes)
    name = name_of(facts)
    if folder.resumed not in (None, name):
        raise FileError(
            f"what is asked now is not run {quoted(folder.resumed)}: the data, the code of a model or the "
            "defaults of a library have changed since.",
            hint="ask anew with the command itself; fits that are still the same are found again.",
        )
    runs = folder.runs()
    with ExitStack() as at_the_end:
        presence = Presence(folder.path / AT_WORK)
        at_the_end.callback(presence.leave)
        problem = problem or presence.problem
        if problem is None:
            folder.clear_away_parts()
        about = _begun(folder, presence, name, facts, runs)
        found = Recording(folder, presence, about, Keys(hashes, {}), runs, problem)
        at_the_end.callback(found.close)
        if not any(run["run"] == name for run in runs):
            found.set_aside_question()
        found.write_run()
        try:
            yield found
            found.end()
        except TallymarkError as error:
            found.end(error)
            raise
        finally:
            folder.used.run, folder.used.found, folder.used.made = name, found.found, found.made
            found.write_run()


def _begun(
    folder: RunFolder, presence: Presence, name: str, facts: dict[str, Any], runs: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    before: Mapping[str, Any] = next((run for run in runs if run["run"] == name), {})
    return {
        "schema": RUN_SCHEMA,
        "run": name,
        **facts,
        "arguments": None if folder.arguments is None else list(folder.arguments),
        "folder": os.getcwd(),
        "started": before.get("started", now()),
        "asked": now(),
        "ended": None,
        "error": None,
        "at_work": [presence.name],
        "total": 0,
        "outcome": None,
        "chosen": None,
    }


@dataclass(eq=False)
class Recording:
    """What is read from and written to the folder for one question."""

    folder: RunFolder
    presence: Presence
    run: dict[str, Any]
    """The record of the question."""
    keys: Keys
    runs: Sequence[dict[str, Any]]
    """What had been asked in the folder when this one began."""
    read_only: OSError | None = None
    """Why nothing can be written in the folder."""
    found: int = 0
    """Fits that were in the folder already, or made by another process."""
    made: int = 0
    _begun: str = field(default_factory=now)
    _told: set[str] = field(default_factory=set)
    _to_tell: list[str] = field(default_factory=list)
    """What is told when all is done."""
    _home: int = field(default_factory=get_ident)
    _unusable: int = 0
    _failed: int = 0
    """Fits that failed before this run, and were not tried again."""
    _on_disk: int = 0
    """Fits whose answers are in the folder only."""
    _troubled: bool = False
    _log: int | None = None
    _under_way: list[Fits] = field(default_factory=list)

    # --- fits ------------------------------------------------------------------------------------------

    def fits(self, tasks: Iterable[Task], total: int, make: Make, by: Any = None) -> Fits:
        """All fits in the order of the tasks: from the folder, or made now and recorded at once."""
        found = self._fits(tasks, total, make, by)
        self._under_way.append(found)
        return found

    def _fits(self, tasks: Iterable[Task], total: int, make: Make, by: Any) -> Fits:
        self.run["total"] += total
        self.write_run()
        rest = ((number, task, self._key(task, by)) for number, task in enumerate(tasks))
        for number, task, key in rest:
            # Those in front come one by one, so that who stops early makes no more than are needed.
            fit = self.recorded(key)
            if fit is None:
                if self.read_only is not None:
                    raise self.folder.refused(self.read_only)
                yield from SharedWork(self, number).fits(chain([(number, task, key)], rest), make)
                return
            yield fit

    def _key(self, task: Task, by: Any) -> Key | None:
        """What a fit is known by; None when that cannot be said."""
        try:
            return self.keys.of(task, by)
        except Indescribable as problem:
            self._tell_once(
                f"fits of {type(task.model).__name__} cannot be kept in the run folder: {problem}. They are "
                "made anew every time."
            )
            return None

    def recorded(self, key: Key | None) -> Fit | None:
        """The fit as it is in the folder, if it is."""
        if key is None:
            return None
        place = self._place(key.name)
        if not place.exists():
            self._look_for_other_versions(key)
            return None
        try:
            fit = records.read(place)
        except records.Unreadable as problem:
            if place.exists():
                self._tell_once(
                    f"records in the run folder {str(self.folder.path)!r} cannot be read: {problem}. Their "
                    "fits are made anew."
                )
            return None
        except records.Unusable as problem:
            self._set_aside(place, str(problem))
            return None
        if fit.failure is not None and self.folder.retry_failed and not self._is_new(place):
            return None
        self.found += 1
        self._failed += fit.failure is not None and not self._is_new(place)
        return self._noted(fit, key.name)

    def _is_new(self, place: Path) -> bool:
        """Whether a record was made since this run began: by another process, or a moment ago."""
        try:
            return str(records.facts_in(place).get("made")) >= self._begun
        except records.Unusable:
            return False

    def keep(self, fit: Fit, key: Key | None) -> Fit:
        """Record a fit that was just made."""
        self.made += 1
        if key is None:
            return fit
        if fit.lost:
            self.presence.release(key.name)
            return fit
        place = self._place(key.name)
        facts = {"key": key.name, "made": now(), "identity": key.identity, "versions": key.versions}
        mark = f"{self.presence.name}-{self.made}"
        try:
            write_whole(place, records.written(fit, facts), mark=mark)
        except OSError as problem:
            self.trouble(problem)
            return fit
        finally:
            self.presence.release(key.name)
        return self._noted(fit if self._troubled else records.kept(fit, place), key.name)

    def _place(self, name: str) -> Path:
        return self.folder.path / FITS / f"{name}{records.SUFFIX}"

    # --- words and records of the run --------------------------------------------------------------------

    @cached_property
    def _logged(self) -> dict[str, Noted]:
        return self.folder.finished(self.run)

    def _noted(self, fit: Fit, name: str) -> Fit:
        """One line for every fit that this run has used."""
        self._on_disk += isinstance(fit, records.OnDisk)
        failed = fit.failure is not None
        before = self._logged.get(name)
        if self.read_only is not None or (before is not None and before.failed == failed):
            return fit
        seconds = fit.fit_seconds + fit.ask_seconds
        self._logged[name] = Noted(seconds, failed)
        try:
            if self._log is None:
                place = self.folder.path / RUNS / f"{self.run['run']}.log"
                self._log = os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
            os.write(self._log, f"{line_of(name, seconds, failed=failed)}\n".encode())
        except OSError as problem:
            self.trouble(problem)
        return fit

    @cached_property
    def _there(self) -> dict[str, str]:
        """By the part of a key that tells the fit, one record of it, whatever made it."""
        every = (self.folder.path / FITS).glob(f"*{records.SUFFIX}")
        return {each.name[:IDENTITY]: each.stem for each in every}

    def _look_for_other_versions(self, key: Key) -> None:
        """Say when a fit is there, but of other versions of libraries."""
        other = self._there.get(key.name[:IDENTITY])
        if other is None or other == key.name or "versions" in self._told:
            return
        try:
            theirs = records.facts_in(self._place(other))["versions"]
        except (records.Unusable, KeyError):
            return
        told = [
            f"{name} {theirs.get(name, 'none')}, now {key.versions.get(name, 'none')}"
            for name in sorted({*theirs, *key.versions})
            if theirs.get(name) != key.versions.get(name)
        ]
        self._told.add("versions")
        self._tell(
            f"fits in the run folder {str(self.folder.path)!r} were made with other versions "
            f"({'; '.join(told)}). They stay there, and are made anew with these."
        )

    def _set_aside(self, place: Path, why: str) -> None:
        target = self.folder.path / SET_ASIDE / f"{place.stem}.{self.presence.name}{place.suffix}"
        try:
            os.replace(place, target)
        except OSError:
            return  # another process has set it aside
        self._unusable += 1
        if self._unusable == 1:
            self._tell(
                f"the record {str(place)!r} cannot be used: {why}. The fit is made anew, and the record is "
                f"now in {str(target.parent)!r}."
            )

    def trouble(self, problem: OSError) -> None:
        """Say that something cannot be written; the run goes on, and fits stay in memory."""
        self._troubled = True
        path, why = str(self.folder.path), problem.strerror or problem
        if (self.folder.path / FITS).is_dir() or not self._on_disk:
            self._tell_once(
                f"the run folder {path!r} cannot be written in: {why}. The run goes on, but what is finished "
                "now is lost when it is interrupted."
            )
        else:
            fits = "a fit" if self._on_disk == 1 else f"{self._on_disk:,} fits"
            self._tell_once(
                f"the run folder {path!r} is gone, and with it the answers of {fits}. The run goes on, but "
                "has no result unless the folder is back at its end.",
                "gone",
            )

    def tell_of_waiting(self, fits: int) -> None:
        """Nobody would know why nothing happens."""
        which = "a fit" if fits == 1 else f"{fits:,} fits"
        at_work = str(self.folder.path / AT_WORK)
        self._tell_once(
            f"waits for {which} that another process is at. If that was suspended, wake or kill it: its "
            f"number is in {at_work!r}.",
            "waiting",
        )

    def _tell_once(self, message: str, about: str = "") -> None:
        if (about or message) not in self._told:
            self._told.add(about or message)
            self._tell(message)

    def _tell(self, message: str) -> None:
        # Threads of joblib's ask for tasks while fits catch warnings, which may be in threads too.
        if get_ident() == self._home:
            self.folder.tell(message)
        else:
            self._to_tell.append(message)

    def set_aside_question(self) -> None:
        """A record of the same question that could not be read is not written over."""
        name = self.run["run"]
        with contextlib.suppress(OSError):
            place = self.folder.path / RUNS / f"{name}.json"
            os.replace(place, self.folder.path / SET_ASIDE / f"{name}.{self.presence.name}.json")

    def write_run(self) -> None:
        """The record of the question as it stands."""
        if self.read_only is not None:
            return
        place = self.folder.path / RUNS / f"{self.run['run']}.json"
        try:
            write_whole(place, as_bytes(self._joined(place)), mark=self.presence.name)
        except OSError as problem:
            self.trouble(problem)

    def _joined(self, place: Path) -> dict[str, Any]:
        """With what other processes that ask the same have written: who is at it, and how it came out."""
        try:
            there = read_run(place)
        except (OSError, ValueError, RecursionError):
            there = None
        if there is None:
            return self.run
        us = self.presence.name
        others = [each for each in there["at_work"] if each != us and lives(self.folder.path / AT_WORK, each)]
        return joined(self.run, there) | {"at_work": [*others, us]}

    def end(self, error: TallymarkError | None = None) -> None:
        """The question is answered, or an error stops it."""
        self.run |= {"ended": now(), "error": None if error is None else error.message}
        if error is not None:
            say_way_on(error, self._failed)
        elif self.read_only is not None:
            path, why = str(self.folder.path), self.read_only.strerror or self.read_only
            self._tell(f"the run folder {path!r} cannot be written in: {why}. All fits were found in it.")

    def finish(self, outcome: Mapping[str, Any], chosen: Mapping[str, Any] | None = None) -> None:
        """The question is answered, perhaps by fewer fits than it might have taken."""
        self.run["total"] = min(self.run["total"], self.found + self.made)
        self.run |= {"outcome": dict(outcome), "chosen": None if chosen is None else dict(chosen)}

    def close(self) -> None:
        # Whoever raised an error holds what makes the fits, which would go on.
        for fits in self._under_way:
            fits.close()
        if self._log is not None:
            # Not left behind: by that number another file may be open when a late fit is noted.
            log, self._log = self._log, None
            os.close(log)
        if self._unusable > 1:
            where = str(self.folder.path / SET_ASIDE)
            self._to_tell.append(f"{self._unusable:,} records could not be used; they are now in {where!r}.")
        for each in self._to_tell:
            self.folder.tell(each)

    @cached_property
    def earlier(self) -> tuple[dict[str, Any], ...]:
        """Runs on rows of the same classes that were finished before this one began, the first one first."""
        ours = {each["classes"] for each in self.run["data"]}
        return tuple(
            run
            for run in self.runs
            if run["run"] != self.run["run"]
            and run.get("outcome") is not None
            and str(run.get("started")) < self.run["started"]
            and ours & {each.get("classes") for each in run.get("data", ())}
        )
