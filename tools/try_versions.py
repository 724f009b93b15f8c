"""The tests with other versions: every Python that is found, with the newest dependencies; and the oldest
Python with the oldest dependencies that pyproject.toml allows.

Run from anywhere: `python tools/try_versions.py` tries all of them, `... 3.13 oldest` these two, `... 3.13
--tests tests/engines` other tests than usual. Pythons are looked for on PATH and in ~/.pyenv/versions. Each
has an environment and a log under build/versions; to install one takes minutes, and is done once.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "versions"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
OLDEST = "oldest"
# They need Java, Chromium or clusters, or are about the sources and not about what they run on.
LEFT_OUT = [
    "browser",
    "docs",
    "engines",
    "examples",
    "live",
    "notebook",
    "packaging",
    "validation",
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("versions", nargs="*", metavar="VERSION", help="such as 3.13, or oldest")
    usual = [f"--ignore=tests/{folder}" for folder in LEFT_OUT]
    parser.add_argument("--tests", nargs="+", default=usual, help="what pytest is to be told")
    given = parser.parse_args()
    pythons = dict(found())
    versions = given.versions or [*pythons, OLDEST]
    absent = [version for version in versions if version not in (*pythons, OLDEST)]
    if absent or not pythons:
        parser.error(f"no Python {', '.join(absent)} is here; found: {', '.join(pythons) or 'none'}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    failed = False
    for version in versions:
        python = pythons.get(version) or next(iter(pythons.values()))
        code, said = tried(version, python, given.tests)
        print(f"{version:>7}  {said}", flush=True)
        failed |= code != 0
    return int(failed)


def found() -> Iterator[tuple[str, str]]:
    """Versions and where they are, oldest first."""
    for version in PYTHONS:
        kept = (Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python3")
        for name in (shutil.which(f"python{version}"), *map(str, sorted(kept))):
            # Run, not looked up: a version manager can put a name on PATH that fails when called.
            if name is not None and version_of(name) == version:
                yield version, name
                break


def version_of(python: str) -> str:
    command = [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def floors() -> list[str]:
    """Every dependency and extra at the oldest version that is allowed: `numpy>=2` as `numpy==2`."""
    extras = (line for extra in PROJECT["optional-dependencies"].values() for line in extra)
    return sorted(
        {re.sub(r"\[.*\]", "", line).replace(">=", "==") for line in [*PROJECT["dependencies"], *extras]}
    )


def tried(version: str, python: str, tests: list[str]) -> tuple[int, str]:
    """The exit code, and the last line of the tests, or of what could not be installed."""
    own, log = FOLDER / version / "bin" / "python", FOLDER / f"{version}.log"
    ready = FOLDER / version / "ready"
    options = ["-q", "-n", "auto", "--dist", "loadgroup", "-p", "no:cacheprovider"]
    if version == OLDEST:
        # Old releases warn of each other, and of newer ones that they require.
        options += ["-W", "default"]
    steps = [] if ready.exists() else [*installing(version, python, own), ["touch", ready]]
    with log.open("w", encoding="utf-8") as lines:
        for step in [*steps, [own, "-m", "pytest", *options, *tests]]:
            done = subprocess.run(list(map(str, step)), cwd=ROOT, stdout=lines, stderr=subprocess.STDOUT)
            if done.returncode:
                break
    last = log.read_text(encoding="utf-8").rstrip().rpartition("\n")[2].strip("= ")
    return done.returncode, f"{last}  ({log.relative_to(ROOT)})"


def installing(version: str, python: str, own: Path) -> list[list[object]]:
    limits = FOLDER / f"{version}.txt"
    limits.write_text("\n".join(floors()) if version == OLDEST else "", encoding="utf-8")
    pip = [own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    extras = f".[{','.join(PROJECT['optional-dependencies'])}]"
    return [
        [python, "-m", "venv", "--clear", own.parents[1]],
        # --group is known to pip since 25.1.
        [*pip, "pip>=25.1"],
        [*pip, "--constraint", limits, "--editable", extras, "--group", "dev"],
    ]


if __name__ == "__main__":
    sys.exit(main())
