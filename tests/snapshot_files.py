"""Texts that people read, one file per surface in tests/snapshots; `make snapshots` writes them anew."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "snapshots"
_HEAD = "=== "


class Snapshots:
    """Compares texts, by the name of their case, with those in a file; or writes the file."""

    def __init__(self, update: bool) -> None:
        self.update = update
        self.surfaces: set[str] = set()

    def __call__(self, surface: str, texts: Mapping[str, str]) -> None:
        self.surfaces.add(surface)
        path = FOLDER / f"{surface}.txt"
        new = written(texts)
        if self.update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(new, encoding="utf-8", newline="\n")
            return
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if new != old:
            lines = difflib.unified_diff(old.splitlines(), new.splitlines(), str(path.name), "now", n=2)
            difference = "\n".join([*lines][:200])
            pytest.fail(
                f"{surface} reads differently; if so it shall be: make snapshots\n{difference}", pytrace=False
            )

    def remove_others(self) -> list[str]:
        """Remove the files of surfaces that no test asked for; their names."""
        left_over = sorted(path for path in FOLDER.glob("*.txt") if path.stem not in self.surfaces)
        for path in left_over:
            path.unlink()
        return [path.name for path in left_over]


def written(texts: Mapping[str, str]) -> str:
    for case in texts:
        assert [case] == case.strip().splitlines(), f"{case!r} cannot be the name of a case"
    return "\n".join(f"{_HEAD}{case}\n{_safe(text)}" for case, text in texts.items())


def _safe(text: str) -> str:
    """Ending in one line break; lines that look like the head of a case are moved by a blank."""
    lines = [f" {line}" if line.startswith(_HEAD) else line for line in text.rstrip("\n").split("\n")]
    return "\n".join(lines) + "\n"
