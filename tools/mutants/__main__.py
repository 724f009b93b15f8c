"""How many small faults do the tests notice? One place of the sources is changed at a time, and tests run.

    python tools/mutants --seed 13 --each 100

Run from anywhere; needs the dev group. In each room so many places are drawn with the seed: a comparison, a
sum, a number, a condition, a returned value, a keyword, a statement. Wording is left alone. First it is
traced which test reaches which line, and kept in FOLDER; then each fault is met by the tests that reach its
line, the quickest first, for LIMIT seconds at the most. `--again` judges once more what survived in FOLDER.
The sources are never written to: functions are changed in memory, whole files in a copy.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from processes import (
    ROOT,
    SOURCES,
    Line,
    Mutant,
    Reached,
    codes_within,
    every_mutant,
    in_a_copy,
    in_fork,
    key_of,
    living_functions,
    passes,
)

ROOMS = ("tallies", "metrics", "inference", "comparison")
# Tests of engines, browsers, clusters and coverage take minutes and reach the same lines. A file that reads
# tables while it is imported cannot be here, for the threads that this starts are lost in a fork.
OTHERS = ("laws", "golden", "textbook", "hypothesis_tests", "intervals")
TESTS = [f"tests/{name}" for name in (*ROOMS, *OTHERS)]
# Where a fault of any room is most often noticed; these are asked first.
NEAREST = ("tests/laws", "tests/golden", "tests/textbook")


class Judge:
    """A plugin of pytest: collects once, then forks for every fault."""

    def __init__(self, options: argparse.Namespace, reached: Reached) -> None:
        self.options, self.reached = options, reached
        self.folder: Path = options.folder
        self.lines_of_fixtures: dict[int, set[Line]] = {}
        self.tracing = False

    def pytest_configure(self) -> None:
        from hypothesis import HealthCheck, Phase, settings

        # A failing example is enough: nobody reads the smallest one.
        settings.register_profile(
            "mutants",
            phases=(Phase.explicit, Phase.generate),
            derandomize=True,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        settings.load_profile("mutants")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.functions = living_functions(self.options.rooms)
        self.at_import = self.reached.taken()
        self.reach = self._reached()
        self._judge_all(self._chosen())
        _print_table(self._verdicts().values())
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        if not self.tracing:
            return (yield)
        before = self.reached.taken()
        try:
            return (yield)
        finally:
            self.lines_of_fixtures[id(fixturedef)] = set(self.reached.lines)
            self.reached.lines |= before

    def _reached(self) -> dict[str, Any]:
        """By test: how long it takes, and the lines that it reaches. Only new tests are traced."""
        kept = self.folder / "reached.json"
        known = json.loads(kept.read_text()) if kept.exists() else {}
        new = [item for name, item in self.items.items() if name not in known]
        if new:
            print(f"tracing {len(new)} tests", flush=True)
            in_fork(lambda: self._trace(new, known, kept), limit=3600)
            known = json.loads(kept.read_text())
        failed = [name for name in self.items if name in known and not known[name]["passed"]]
        for name in failed:
            print(f"fails without any fault: {name}")
        return {name: known[name] for name in self.items if name in known and known[name]["passed"]}

    def _trace(self, items: list[pytest.Item], known: dict[str, Any], kept: Path) -> bool:
        self.tracing = True
        for item, following in zip(items, [*items[1:], None], strict=True):
            self.reached.taken()
            began = time.perf_counter()
            passed = passes(item, following)
            seconds = time.perf_counter() - began
            lines = self.reached.taken()
            for definitions in item._fixtureinfo.name2fixturedefs.values():  # type: ignore[attr-defined]
                for definition in definitions:
                    lines |= self.lines_of_fixtures.get(id(definition), set())
            by_file = defaultdict(list)
            for file, line in sorted(lines):
                by_file[os.path.relpath(file, SOURCES)].append(line)
            known[item.nodeid] = {"passed": passed, "seconds": round(seconds, 4), "lines": by_file}
        kept.write_text(json.dumps(known))
        return True

    def _chosen(self) -> list[Mutant]:
        everything = every_mutant(self.options.rooms)
        judged = self._verdicts()
        if self.options.again:
            again = {name for name, told in judged.items() if told["verdict"] not in ("killed", "timed out")}
            return [mutant for mutant in everything if mutant.name in again]
        if self.options.only:
            return [mutant for mutant in everything if mutant.name.startswith(tuple(self.options.only))]
        rounds: list[Mutant] = []
        by_room = {room: [one for one in everything if one.room == room] for room in self.options.rooms}
        for room, here in by_room.items():
            # Shuffled, so that with the same seed more mutants are the same ones and others.
            random.Random(f"{self.options.seed} {room}").shuffle(here)
            print(f"{room}: {len(here)} places")
        # Rooms take turns, so that a run that is stopped has judged as many of each.
        for number in range(self.options.each):
            rounds += [here[number] for here in by_room.values() if number < len(here)]
        return [mutant for mutant in rounds if mutant.name not in judged]

    def _verdicts(self) -> dict[str, dict[str, Any]]:
        """By mutant, what was last said of it."""
        kept = self.folder / "judged.jsonl"
        told = map(json.loads, kept.read_text().splitlines() if kept.exists() else ())
        return {each["name"]: each for each in told}

    def _judge_all(self, mutants: list[Mutant]) -> None:
        with (self.folder / "judged.jsonl").open("a") as kept:
            for number, mutant in enumerate(mutants, 1):
                began = time.perf_counter()
                verdict, by = self._judged(mutant)
                seconds = time.perf_counter() - began
                print(f"{number}/{len(mutants)} {verdict}: {mutant.name}  ({seconds:.1f} s)", flush=True)
                told = {"name": mutant.name, "room": mutant.room, "verdict": verdict, "by": by}
                kept.write(json.dumps(told) + "\n")
                kept.flush()

    def _judged(self, mutant: Mutant) -> tuple[str, str]:
        tests = self._tests_for(mutant)
        if not tests:
            return "not reached", ""
        told = self.folder / "told"
        told.write_text("")
        if mutant.place.function and not mutant.reached_in(self.at_import):
            outcome = in_fork(lambda: self._all_pass(mutant, tests, told), limit=3 * self.options.limit + 10)
        else:
            outcome, said = in_a_copy(mutant, tests, self.folder, 3 * self.options.limit + 60)
            told.write_text(said)
        last = told.read_text()
        return {"passed": ("survived", "")}.get(outcome, (outcome, last))

    def _tests_for(self, mutant: Mutant) -> list[str]:
        """The tests that reach the line, near ones first, as many as the limit allows, file by file."""
        name = str(mutant.file.relative_to(SOURCES))
        at_import = not mutant.place.function or mutant.reached_in(self.at_import)
        reaching = {
            test: told
            for test, told in self.reach.items()
            if name in told["lines"] and (at_import or mutant.place.statement in told["lines"][name])
        }
        near = (f"tests/{mutant.room}", *NEAREST)
        halves = (
            [test for test in reaching if test.startswith(near)],
            [test for test in reaching if not test.startswith(near)],
        )
        chosen, left = [], self.options.limit
        for half, share in zip(halves, (0.6, 1.0), strict=True):
            taken: list[str] = []
            spent = 0.0
            for test in sorted(half, key=lambda test: reaching[test]["seconds"]):
                spent += reaching[test]["seconds"]
                if spent > left * share and taken:
                    break
                taken.append(test)
            left -= spent
            by_file = defaultdict(list)
            for test in self.items:
                if test in set(taken):
                    by_file[test.partition("::")[0]].append(test)
            ordered = sorted(
                by_file.values(), key=lambda some: sum(reaching[test]["seconds"] for test in some)
            )
            chosen += [test for some in ordered for test in some]
        return chosen

    def _all_pass(self, mutant: Mutant, tests: list[str], told: Path) -> bool:
        code = compile(mutant.tree(), str(mutant.file), "exec")
        new = next(
            code for code in codes_within(code) if key_of(code) == (str(mutant.file), *mutant.place.function)
        )
        living = self.functions[key_of(new)]
        assert living
        for function in living:
            function.__code__ = new
        items = [self.items[test] for test in tests]
        for item, following in zip(items, [*items[1:], None], strict=True):
            told.write_text(item.nodeid)
            if not passes(item, following):
                return False
        return True


def _print_table(judged: Iterable[dict[str, Any]]) -> None:
    counts = Counter((told["room"], told["verdict"]) for told in judged)
    verdicts = ("killed", "timed out", "broke off", "survived", "not reached")
    print("room".ljust(12), *(verdict.rjust(12) for verdict in ("mutants", *verdicts)))
    for room in ROOMS:
        numbers = [counts[room, verdict] for verdict in verdicts]
        print(room.ljust(12), *(str(number).rjust(12) for number in (sum(numbers), *numbers)))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--each", type=int, default=100, help="mutants per room")
    parser.add_argument("--rooms", nargs="+", default=ROOMS, choices=ROOMS)
    parser.add_argument("--tests", nargs="+", default=TESTS, help="folders and files of tests")
    parser.add_argument("--limit", type=float, default=8, help="seconds of tests per mutant")
    parser.add_argument(
        "--folder",
        type=Path,
        default=ROOT / "build" / "mutants",
        help="what is kept, of one state of the sources",
    )
    parser.add_argument("--only", nargs="+", help="names as they are printed, or how they begin")
    parser.add_argument("--again", action="store_true", help="only what survived the last time")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    # Threads do not survive a fork.
    os.environ |= dict.fromkeys(("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    os.chdir(ROOT)
    sys.path.insert(0, str(SOURCES.parent))
    reached = Reached(SOURCES / room for room in ROOMS)
    arguments = [
        "-q",
        "-s",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
        "--ignore-glob=*coverage*",
        *options.tests,
    ]
    return int(pytest.main([*arguments, *options.tests], plugins=[Judge(options, reached)]))


if __name__ == "__main__":
    sys.exit(main())
