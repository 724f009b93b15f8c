"""How many small faults do the tests notice? One place of the sources is changed at a time, and tests run.

    python tools/mutants --seed 28 --each 60

Run from anywhere; needs the dev group. In each package that many places are drawn with the seed: a
comparison, a sum, a number, a condition, a returned value, a keyword, a statement. Wording is left alone.
First it is traced which test reaches which line, and kept in FOLDER; then each fault is met by the tests
that reach its line, the quickest first, for at most LIMIT seconds of processor time. `--again` judges the
survivors in FOLDER once more; `--list FILE` judges the faults that an earlier run wrote into its
judged.jsonl, in the same sources. Faults are put into a copy of the sources.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from processes import ROOT, SOURCES, Copy, Line, Mutant, Reached, every_mutant, passes

PACKAGES = ("tallies", "metrics", "inference", "comparison", "curves", "intake")
# Tests of engines, browsers, clusters, documents and processes take minutes and reach the same lines.
LEFT_OUT = "benchmarks browser docs drawing engines examples live notebook packaging validation __pycache__"
SLOW_FILES = ("coverage", "engine", "signals", "scheduler", "network", "security", "test_runs", "completion")
TESTS = [
    f"tests/{path.name}"
    for path in sorted((ROOT / "tests").iterdir())
    if path.name not in LEFT_OUT.split() and (path.is_dir() or path.name.startswith("test_"))
]
# Where a fault of any package is most often noticed; these are asked first, beside the package's own.
NEAREST = ("tests/laws", "tests/golden", "tests/textbook")
OWN = {"intake": "input"}
"""Folders of tests that have another name than the package."""


class Judge:
    """A plugin of pytest: traces the tests once, then has every fault met by those that reach it."""

    def __init__(self, options: argparse.Namespace, reached: Reached, drawn: list[Mutant]) -> None:
        self.options, self.reached, self.drawn = options, reached, drawn
        self.folder: Path = options.folder
        self.lines_of_fixtures: dict[int, set[Line]] = {}
        self.tracing = False

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.at_import = self.reached.taken()
        self.reach = self._reached()
        self._judge_all(self._left())
        _print_table(verdicts_in(self.folder).values())
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
        """By test: its time and the lines that it reaches; those that passed before are not traced again."""
        files = sorted({str(one.file.relative_to(SOURCES)) for one in self.drawn})
        kept = self.folder / f"reached-{hashlib.sha256(repr(files).encode()).hexdigest()[:12]}.json"
        known = json.loads(kept.read_text()) if kept.exists() else {}
        new = [item for name, item in self.items.items() if not known.get(name, {}).get("passed")]
        if new:
            said(f"tracing {len(new)} tests")
            self._trace(new, known, kept)
        failed = [name for name in self.items if name in known and not known[name]["passed"]]
        for name in failed:
            said(f"fails without any fault: {name}")
        return {name: known[name] for name in self.items if name in known and known[name]["passed"]}

    def _trace(self, items: list[pytest.Item], known: dict[str, Any], kept: Path) -> None:
        self.tracing = True
        for item, following in zip(items, [*items[1:], None], strict=True):
            self.reached.taken()
            began = processor_seconds()
            passed = passes(item, following)
            seconds = processor_seconds() - began
            lines = self.reached.taken()
            for definitions in item._fixtureinfo.name2fixturedefs.values():  # type: ignore[attr-defined]
                for definition in definitions:
                    lines |= self.lines_of_fixtures.get(id(definition), set())
            by_file = defaultdict(list)
            for file, line in sorted(lines):
                by_file[os.path.relpath(file, SOURCES)].append(line)
            known[item.nodeid] = {"passed": passed, "seconds": round(seconds, 4), "lines": by_file}
        kept.write_text(json.dumps(known))

    def _left(self) -> list[Mutant]:
        if self.options.again or self.options.only:
            return self.drawn
        judged = verdicts_in(self.folder)
        return [mutant for mutant in self.drawn if mutant.name not in judged]

    def _judge_all(self, mutants: list[Mutant]) -> None:
        copies: Queue[Copy] = Queue()
        for number in range(self.options.workers):
            copies.put(Copy(self.folder / f"copy{number}"))

        def judged(mutant: Mutant) -> tuple[Mutant, str, str]:
            copy = copies.get()
            try:
                return (mutant, *self._judged(mutant, copy))
            finally:
                copies.put(copy)

        with (
            (self.folder / "judged.jsonl").open("a") as kept,
            ThreadPoolExecutor(self.options.workers) as pool,
        ):
            for number, (mutant, verdict, by) in enumerate(pool.map(judged, mutants), 1):
                said(f"{number}/{len(mutants)} {verdict}: {mutant.name}")
                told = {"name": mutant.name, "package": mutant.package, "verdict": verdict, "by": by}
                kept.write(json.dumps(told) + "\n")
                kept.flush()

    def _judged(self, mutant: Mutant, copy: Copy) -> tuple[str, str]:
        tests = self._tests_for(mutant)
        if not tests:
            return "not reached", ""
        outcome, by = copy.judged(mutant, tests, 3 * self.options.limit + 60)
        return ("survived", "") if outcome == "passed" else (outcome, by)

    def _tests_for(self, mutant: Mutant) -> list[str]:
        """The tests that reach the line, near ones first, as many as the limit allows, file by file."""
        name = str(mutant.file.relative_to(SOURCES))
        line = str(mutant.file), mutant.place.statement
        at_import = not mutant.place.function or line in self.at_import
        reaching = {
            test: told
            for test, told in self.reach.items()
            if name in told["lines"] and (at_import or mutant.place.statement in told["lines"][name])
        }
        near = (f"tests/{OWN.get(mutant.package, mutant.package)}/", *NEAREST)
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


def processor_seconds() -> float:
    """Of this process and of its children that have ended: the same on a busy machine as on a quiet one."""
    return sum(os.times()[:4])


def verdicts_in(folder: Path) -> dict[str, dict[str, Any]]:
    """By mutant, its last verdict."""
    kept = folder / "judged.jsonl"
    told = map(json.loads, kept.read_text().splitlines() if kept.exists() else ())
    return {each["name"]: each for each in told}


def drawn(options: argparse.Namespace) -> list[Mutant]:
    everything = every_mutant(options.packages)
    if options.again:
        judged = verdicts_in(options.folder)
        again = {name for name, told in judged.items() if told["verdict"] not in ("killed", "timed out")}
        return [mutant for mutant in everything if mutant.name in again]
    if options.only:
        return [mutant for mutant in everything if mutant.name.startswith(tuple(options.only))]
    if options.list:
        names = {json.loads(line)["name"] for line in options.list.read_text().splitlines()}
        missing = names - {mutant.name for mutant in everything}
        if missing:
            sys.exit(f"{len(missing)} faults are not in these sources, for example {sorted(missing)[0]}")
        return [mutant for mutant in everything if mutant.name in names]
    rounds: list[Mutant] = []
    by_package = {
        package: [one for one in everything if one.package == package] for package in options.packages
    }
    for package, here in by_package.items():
        # Shuffled, so that with the same seed more mutants are the same ones and others.
        random.Random(f"{options.seed} {package}").shuffle(here)
        said(f"{package}: {len(here)} places")
    # Packages take turns, so that a run that is stopped has judged as many of each.
    for number in range(options.each):
        rounds += [here[number] for here in by_package.values() if number < len(here)]
    return rounds


def _print_table(judged: Iterable[dict[str, Any]]) -> None:
    counts = Counter((told["package"], told["verdict"]) for told in judged)
    verdicts = ("killed", "timed out", "broke off", "survived", "not reached")
    said(" ".join(["package".ljust(12), *(verdict.rjust(12) for verdict in ("faults", *verdicts))]))
    for package in PACKAGES:
        numbers = [counts[package, verdict] for verdict in verdicts]
        said(" ".join([package.ljust(12), *(str(number).rjust(12) for number in (sum(numbers), *numbers))]))


def said(text: str) -> None:
    """Written where the program's output goes, also after a test has closed what it took for that."""
    os.write(1, f"{text}\n".encode())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=28)
    parser.add_argument("--each", type=int, default=60, help="faults per package")
    parser.add_argument("--packages", nargs="+", default=PACKAGES, choices=PACKAGES)
    parser.add_argument("--tests", nargs="+", default=TESTS, help="folders and files of tests")
    parser.add_argument("--limit", type=float, default=10, help="seconds of tests per fault")
    parser.add_argument(
        "--folder",
        type=Path,
        default=ROOT / "build" / "mutants",
        help="what is kept, of one state of the sources",
    )
    parser.add_argument("--only", nargs="+", help="names as they are printed, or how they begin")
    parser.add_argument("--workers", type=int, default=2, help="faults judged at the same time")
    parser.add_argument("--list", type=Path, help="a judged.jsonl, whose faults are judged")
    parser.add_argument("--again", action="store_true", help="only what survived the last time")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    os.chdir(ROOT)
    sys.path.insert(0, str(SOURCES.parent))
    mutants = drawn(options)
    reached = Reached({str(mutant.file) for mutant in mutants})
    arguments = [
        "-q",
        "-s",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
        *(f"--ignore-glob=*{name}*" for name in SLOW_FILES),
    ]
    return int(pytest.main([*arguments, *options.tests], plugins=[Judge(options, reached, mutants)]))


if __name__ == "__main__":
    sys.exit(main())
