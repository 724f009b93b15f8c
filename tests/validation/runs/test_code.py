"""Models of one's own: whatever of their code is edited makes them others, and nothing else does."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest
from counted import Folder

FILES = {
    "mine_model.py": """
        import json
        from dataclasses import dataclass
        from functools import cache
        from importlib import import_module
        import numpy
        import mine_helping
        from counted import Holds
        from mine_constants import DEPTH
        from mine_package.inner import deep

        # What code sets itself is no edit.
        COUNTED = TWICE = 0
        TWICE = 1
        def count():
            global COUNTED
            COUNTED += 1
        @dataclass(slots=True)
        class Point:
            x: int = 0
        @cache
        def known(): return "text"

        class Model(Holds):
            levels, made = 3, 0

            def __init__(self, what=None):
                Model.made += 1
                self.what = what

            def fit(self, X, y):
                import mine_late
                import_module("mine_named")
                return super().fit(mine_helping.help(X), y)
        count()
        Model()
        """,
    "mine_helping.py": "def help(X):\n    return X\n",
    "mine_constants.py": "DEPTH = 3\n",
    "mine_late.py": "LATE = 1\n",
    "mine_named.py": "",
    "mine_stranger.py": "NOTHING = 1\n",
    "mine_package/__init__.py": "",
    "mine_package/inner.py": "from .deeper import deep\n",
    "mine_package/deeper.py": "from . import beside\ndeep = 1\n",
    "mine_package/beside.py": "\n",
    "mine_package/unused.py": "\n",
}


def write(folder: Path, name: str, text: str) -> None:
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(dedent(text))


def test_edits_of_what_a_model_uses_are_seen_and_others_are_not(
    asked: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    for name, text in FILES.items():
        write(project, name, text)
    monkeypatch.syspath_prepend(str(project))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def afresh() -> tuple[int, int]:
        """As a process would that is started now."""
        for name in [name for name in sys.modules if name.startswith("mine_")]:
            del sys.modules[name]
        importlib.invalidate_caches()
        made, found, said = asked(importlib.import_module("mine_model").Model())
        assert said == []
        return made, found

    assert (afresh(), afresh()) == ((1, 0), (0, 1))
    used = {name for name in FILES if name not in ("mine_stranger.py", "mine_package/unused.py")}
    for name in FILES:
        with (project / name).open("a") as file:
            file.write("MORE = 1\n")
        assert afresh() == ((1, 0) if name in used else (0, 1)), name
    assert len(used) == 9


# --- edited, or set, while it is in use ----------------------------------------------------------------


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModuleType]:
    """Write a module and import it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def load(name: str, text: str) -> ModuleType:
        write(tmp_path, f"{name}.py", text)
        importlib.invalidate_caches()
        found = importlib.import_module(name)
        monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, name, found)
        return found

    return load


def edit(module: ModuleType, text: str) -> None:
    place = Path(str(module.__file__))
    place.write_text(dedent(text))
    os.utime(place, (place.stat().st_atime, place.stat().st_mtime + 10))


MODEL = """
from counted import Holds
DEPTH = 3
class Model(Holds):
    depth: int = 3
    width = DEPTH
    def predict(self, X):
        return super().predict(X)[:]
"""


def test_code_that_is_not_what_its_file_says_is_not_kept(
    asked: Any, loaded: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: Any
) -> None:
    words = {}

    def unknown(module: Any, case: str) -> None:
        made, found, said = asked(module.Model())
        assert (made, found, len(said)) == (1, 0, 1), case
        words[case] = said[0].replace(str(tmp_path), "HERE")

    edits = {
        "method": ("[:]", "[::1]"),
        "constant": ("DEPTH = 3", "DEPTH = 4"),
        "attribute": ("t = 3", "t = 4"),
    }
    for name, (old, new) in edits.items():
        module = loaded(f"edited_{name}", MODEL)
        edit(module, MODEL.replace(old, new))
        unknown(module, f"an edited {name}")
        edit(module, MODEL)
        assert asked(module.Model())[::2] == (1, []), "as it was"
        edit(module, MODEL.replace(old, new))
        unknown(module, f"an edited {name} after a run")
        importlib.reload(module)
        assert asked(module.Model()) == (1, 0, []), "loaded again it is another"
    module = loaded("set_constant", MODEL)
    module.DEPTH = 4
    unknown(module, "a constant that was set")
    module = loaded("set_attribute", MODEL)
    module.Model.depth = 4
    unknown(module, "an attribute that was set")
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    module = loaded("compiled", f"import math\n{MODEL}WEIGHTS = [math.pi, 1]\n")
    edit(module, f"import math\n{MODEL}WEIGHTS = [math.pi, 2]\n")
    unknown(module, "what Python had compiled")
    module = loaded("gone_since", MODEL)
    Path(str(module.__file__)).unlink()
    unknown(module, "a file that is gone")
    snapshot("run_folder_edited_code", words)


# --- programs that are started, edited and started again ---------------------------------------------------

ASKS = """
import importlib.metadata, sys
from pathlib import Path
importlib.metadata.packages_distributions.cache_clear()
from counted import Holds
from things import ONE_FIT, X, Y
import tallymark as tm
def tell(*things):
    for thing in things:
        said = []
        used = tm.RunFolder(Path("runs"), tell=said.append)
        tm.validate({"m": Holds(thing)}, X, Y, **ONE_FIT, run_folder=used)
        print("made" if used.used.made else "found", *(["and told"] if said else []))
"""


@pytest.mark.thorough
def test_programs_that_are_edited_and_started_again(tmp_path: Path, begin: Any) -> None:
    """Libraries are known by the version that is installed; all else by what its code says and decides."""
    folder = tmp_path / "here"
    write(folder, "told.py", ASKS)
    program = """
        import sys
        sys.path.append("site-packages")
        from told import tell
        import library
        from .helper import split
        WORD = sys.argv[1]
        if WORD == "a":
            class Conditional:
                def fit(self): return 0
        else:
            class Conditional:
                def fit(self): return 1
        class Model:
            def fit(self): return library.answer()
        class Looks:
            def fit(self): return [WORD for _ in range(3)]
        tell(Model(), library.Model(), split, Conditional(), Looks())
        """
    write(folder, "package/__init__.py", "")
    write(folder, "package/program.py", program)

    def start(word: str, answer: int, number: str | None, split: int) -> str:
        """What is made of each model: M, or found: F."""
        site = folder / "site-packages"
        write(site, "library/__init__.py", f"def answer(): return {answer}\nclass Model: pass\n")
        helper = f"import functools\n@functools.lru_cache\ndef split(text): return {split}\n"
        write(folder, "package/helper.py", helper)
        for place in site.glob("library-*/METADATA"):
            place.unlink()
        if number is not None:
            write(site, f"library-{number}.dist-info/METADATA", f"Name: library\nVersion: {number}\n")
        return "".join(line[0] for line in begin("run", folder, "package.program", word).lines()).upper()

    assert start("a", 1, None, 1) == "MMMMM"
    assert start("b", 1, None, 1) == "FFFMM", "what it decides as it runs"
    assert start("a", 2, None, 1) == "MMFMM", "the library, which the program imports, is edited"
    assert start("a", 2, "1.0", 1) == start("a", 2, "2.0", 1) == "MMFMM"
    assert start("a", 3, "2.0", 1) == "FFFFF"
    assert start("a", 3, "2.0", 2) == "MFMMM", "the helper of the program is edited"
    folder.rename(tmp_path / "there")
    folder = tmp_path / "there"
    assert start("a", 3, "2.0", 2) == "FFFFF", "where the code lies does not matter"


@pytest.mark.thorough
def test_code_that_is_edited_while_the_run_is_under_way(tmp_path: Path, begin: Any, snapshot: Any) -> None:
    """Between the first look at the code and the moment at which workers import it."""
    model = """
        from pathlib import Path
        from counted import Holds
        class Model(Holds):
            def __getstate__(self):
                Path("model.py").write_text(Path("edited.txt").read_text())
                return super().__getstate__()
            def predict(self, X):
                return super().predict(X)[{}]
        """
    program = """
        import tallymark as tm
        from things import X, Y
        import model
        try:
            tm.validate(model.Model(), X, Y, cv=3, baseline=False, run_folder="runs", n_jobs=2)
        except tm.WorkerError as problem:
            print(problem)
        """
    write(tmp_path, "model.py", model.format(":"))
    write(tmp_path, "edited.txt", model.format("::1"))
    write(tmp_path, "program.py", program)
    snapshot(
        "run_folder_code_edited_meanwhile", {"by the model": begin("run", tmp_path, "program.py").text()}
    )
    assert Folder(tmp_path / "runs").shown()["done"] == 0
