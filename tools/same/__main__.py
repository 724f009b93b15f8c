"""Version 0.1 beside the working tree: `make same`, or `python tools/same [SECTION ...]`.

Both run the same calls and command lines (corpus.py, commands.py), side by side. Every difference in
public names, parameters, attributes, JSON keys, values (beyond 1e-12), methods, exit codes, error classes
and finding codes must be listed in tests/differences.toml with the issue that wants it, and so must every
package that has more statements than in 0.1. An entry that matches no difference fails as well, so that the
list stays true. The wording of texts is not compared: tests/snapshots shows it.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import math
import subprocess
import sys
import tarfile
import tomllib
import venv
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
OLD = "d8b8a78"
FOLDER = ROOT / ".venv" / "same"
LISTED = ROOT / "tests" / "differences.toml"
_SHOWN = 40
_CLOSE = 1e-12


@dataclass(frozen=True)
class Difference:
    case: str
    path: str
    before: Any
    now: Any

    def __str__(self) -> str:
        return f"{self.case}  {self.path or '(all)'}:  {_short(self.before)} -> {_short(self.now)}"


class _Absent:
    def __repr__(self) -> str:
        return "(absent)"


ABSENT = _Absent()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tools/same", description=__doc__.partition("\n")[0])
    parser.add_argument("sections", nargs="*", help="only these sections of the corpus")
    parser.add_argument("--all", action="store_true", help="show every difference that is not listed")
    options = parser.parse_args()
    python = old_version()
    before, now = answers({"before": python, "now": Path(sys.executable)}, options.sections)
    found = list(differences(before, now))
    entries = tomllib.loads(LISTED.read_text(encoding="utf-8"))
    unlisted, unused = held_against(found, entries.get("difference", []))
    if options.sections:
        unused = []
    grown = sizes(entries.get("package", []))
    report(unlisted, unused, grown, options.all)
    failed = bool(unlisted or unused or grown)
    values = sum(map(_leaves, before.values()))
    print(
        f"same: {'FAILED' if failed else 'ok'}: {len(before)} cases, {values:,} values; {len(found)} differ"
        f" from 0.1, {len(unlisted)} of them unlisted; {len(unused)} entries unused;"
        f" {len(grown)} packages grew unlisted"
    )
    return int(failed)


def old_version() -> Path:
    """The Python of an environment that has 0.1, and the dependencies of the one that runs this."""
    home = FOLDER / OLD
    python = home / "bin" / "python"
    if (home / "made").exists():
        return python
    print(f"making an environment with version 0.1 ({OLD})", file=sys.stderr)
    venv.create(home, clear=True)
    archive = subprocess.run(["git", "archive", OLD, "src"], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(home, filter="data")
    packages = next((home / "lib").glob("python*/site-packages"))
    ours = next(path for path in sys.path if path.endswith("site-packages"))
    # In this order: where both have tallymark, the first counts.
    (packages / "same.pth").write_text(f"{home / 'src'}\n{ours}\n")
    (home / "made").touch()
    return python


def answers(pythons: dict[str, Path], sections: list[str]) -> list[dict[str, Any]]:
    """What each of the two gives, by case; they run at the same time."""
    script = Path(__file__).with_name("answer.py")
    files = [FOLDER / f"{name}.jsonl" for name in pythons]
    runs = [
        subprocess.Popen([python, script, file, *sections], cwd=FOLDER)
        for python, file in zip(pythons.values(), files, strict=True)
    ]
    for name, run in zip(pythons, runs, strict=True):
        if run.wait():
            raise SystemExit(f"the corpus could not be run ({name}).")
    return [dict(map(json.loads, file.read_text(encoding="utf-8").splitlines())) for file in files]


def differences(before: dict[str, Any], now: dict[str, Any]) -> Iterator[Difference]:
    for case in {**before, **now}:
        yield from _between(case, "", before.get(case, ABSENT), now.get(case, ABSENT))


def _between(case: str, path: str, before: Any, now: Any) -> Iterator[Difference]:
    if isinstance(before, dict) and isinstance(now, dict) and ("error" in before) == ("error" in now):
        for key in {**before, **now}:
            yield from _between(
                case, f"{path}.{key}".lstrip("."), before.get(key, ABSENT), now.get(key, ABSENT)
            )
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for place, (one, other) in enumerate(zip(before, now, strict=True)):
            yield from _between(case, f"{path}.{place}".lstrip("."), one, other)
    elif not _equal(before, now):
        yield Difference(case, path, before, now)


def _equal(one: Any, other: Any) -> bool:
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    if numbers and not isinstance(one, bool) and not isinstance(other, bool):
        return math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)
    return type(one) is type(other) and bool(one == other)


def held_against(
    found: list[Difference], entries: list[dict[str, Any]]
) -> tuple[list[Difference], list[str]]:
    """The differences that no entry lists, and the entries that list none."""
    for entry in entries:
        unknown = set(entry) ^ {"issue", "case", "path", "reason"}
        if unknown:
            raise SystemExit(f"{LISTED.name}: an entry has or lacks {sorted(unknown)}: {entry}")
    used = [False] * len(entries)
    unlisted = []
    for one in found:
        listing = [
            number
            for number, entry in enumerate(entries)
            if fnmatchcase(one.case, entry["case"]) and fnmatchcase(one.path, entry["path"])
        ]
        for number in listing:
            used[number] = True
        if not listing:
            unlisted.append(one)
    names = [f"issue {entry['issue']}: {entry['case']}  {entry['path']}" for entry in entries]
    return unlisted, [name for name, is_used in zip(names, used, strict=True) if not is_used]


def sizes(entries: list[dict[str, Any]]) -> list[str]:
    """Prints statements by package, and gives those that grew beyond what is listed."""
    before, now = (statements(root / "src" / "tallymark") for root in (FOLDER / OLD, ROOT))
    allowed = {entry["name"]: entry["statements"] for entry in entries}
    grown = []
    for name in sorted({**before, **now}, key=lambda name: -max(before[name], now[name])):
        most = max(before[name], allowed.get(name, 0))
        if now[name] > most:
            grown.append(
                f"{name} has {now[name]:,} statements; 0.1 had {before[name]:,}, listed are {most:,}"
            )
        print(f"  {name:16} {before[name]:7,} -> {now[name]:7,} statements")
    print(f"  {'in all':16} {before.total():7,} -> {now.total():7,} statements")
    return grown


def statements(package: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    for file in package.rglob("*.py"):
        nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        found[file.relative_to(package).parts[0]] += sum(isinstance(node, ast.stmt) for node in nodes)
    return found


def report(unlisted: list[Difference], unused: list[str], grown: list[str], everything: bool) -> None:
    alike: dict[Any, list[Difference]] = defaultdict(list)
    for one in unlisted:
        kind = (one.case.partition(":")[0], one.path.rpartition(".")[2])
        alike[(one.case, one.path) if everything else kind].append(one)
    if unlisted:
        print(f"not listed in {LISTED.relative_to(ROOT)}:")
    for some in list(alike.values())[: None if everything else _SHOWN]:
        print(f"  {some[0]}" + (f"  (and {len(some) - 1} like it)" if len(some) > 1 else ""))
    if not everything and len(alike) > _SHOWN:
        print(f"  ... and {len(alike) - _SHOWN} kinds more: --all shows everything")
    for title, lines in {"listed, but nothing differs": unused, "grown": grown}.items():
        if lines:
            print(f"{title}:", *lines, sep="\n  ")


def _leaves(thing: Any) -> int:
    if isinstance(thing, dict | list):
        return sum(map(_leaves, thing.values() if isinstance(thing, dict) else thing))
    return 1


def _short(value: Any) -> str:
    text = repr(value) if value is ABSENT else json.dumps(value)
    return text if len(text) <= 70 else f"{text[:67]}..."


if __name__ == "__main__":
    sys.exit(main())
