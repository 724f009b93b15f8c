"""Models of one's own: whatever of their code is edited makes them others."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tallymark.validation.runs.code import Unknown, code_of

FILES = {
    "mine_model.py": """
        import json
        from importlib import import_module
        import numpy
        import mine_helping
        from mine_constants import DEPTH
        from mine_package.inner import deep

        class Model:
            levels = 3

            def fit(self, X, y):
                import mine_late
                import_module("mine_named")
                return mine_helping.help(X)
        """,
    "mine_helping.py": "def help(X):\n    return X\n",
    "mine_constants.py": "DEPTH = 3\n",
    "mine_late.py": "LATE = 1\n",
    "mine_named.py": "",
    "mine_stranger.py": "NOTHING = 1\n",
    "mine_package/__init__.py": "",
    "mine_package/inner.py": "from .deeper import deep\n",
    "mine_package/deeper.py": "import mine_package\nfrom . import beside\ndeep = 1\n",
    "mine_package/beside.py": "\n",
    "mine_package/unused.py": "\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        place = tmp_path / name
        place.parent.mkdir(exist_ok=True)
        lines = text.strip("\n").splitlines()
        left = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
        place.write_text("\n".join(line[left:] for line in lines) + "\n")
    return tmp_path


def seen_by_another(project: Path) -> str:
    """The hash of the model's code in a process that has just imported it."""
    lines = (
        "import mine_model; from tallymark.validation.runs.code import code_of; print(code_of('mine_model'))"
    )
    found = subprocess.run(
        [sys.executable, "-B", "-c", lines], cwd=project, capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


def seen_afresh() -> str | None:
    """The same, in this process."""
    for name in [each for each in sys.modules if each.startswith("mine_")]:
        del sys.modules[name]
    importlib.invalidate_caches()
    importlib.import_module("mine_model")
    return code_of("mine_model")


def test_edits_of_what_a_model_uses_are_seen_and_others_are_not(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(project))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = seen_afresh()
    assert before is not None
    edited = ["mine_model.py", "mine_helping.py", "mine_constants.py", "mine_late.py", "mine_named.py"]
    edited += ["mine_package/__init__.py", "mine_package/deeper.py", "mine_package/beside.py"]
    known = {before}
    for name in edited:
        with (project / name).open("a") as file:
            file.write("MORE = 1\n")
        known.add(seen_afresh())
    assert len(known) == len(edited) + 1
    for name in ("mine_stranger.py", "mine_package/unused.py"):
        (project / name).write_text("MORE = 1\n")
    assert seen_afresh() in known
    assert seen_by_another(project) == seen_afresh()


def test_where_the_code_lies_does_not_matter(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "project"
    before = seen_by_another(project)
    project.rename(elsewhere)
    assert seen_by_another(elsewhere) == before


@pytest.mark.parametrize("name", ["sklearn.tree", "json", "builtins", "numpy", "tallymark.validation", "sys"])
def test_installed_code_has_a_version_instead(name: str) -> None:
    importlib.import_module(name)
    assert code_of(name) is None


# --- edited while it is in use ---------------------------------------------------------------------


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], ModuleType]:
    """Write a module and import it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(name: str, text: str) -> ModuleType:
        (tmp_path / f"{name}.py").write_text(text)
        importlib.invalidate_caches()
        found = importlib.import_module(name)
        monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, name, found)
        return found

    return write


def edit(module: ModuleType, text: str) -> None:
    Path(str(module.__file__)).write_text(text)


def test_a_method_that_was_edited_after_it_was_loaded(imported: Any) -> None:
    module = imported("edited_method", "class Model:\n    def fit(self, X, y):\n        return 1\n")
    edit(module, "class Model:\n    def fit(self, X, y):\n        return 2\n")
    with pytest.raises(Unknown, match="edited_method, whose file was edited after it was loaded"):
        code_of("edited_method")


def test_a_constant_that_was_edited_after_a_run(imported: Any) -> None:
    module = imported("edited_constant", "DEPTH = 3\n")
    before = code_of("edited_constant")
    assert code_of("edited_constant") == before
    edit(module, "DEPTH = 30\n")
    with pytest.raises(Unknown, match="edited after it was loaded"):
        code_of("edited_constant")
    edit(module, "DEPTH = 3\n")
    assert code_of("edited_constant") == before


def test_a_module_that_was_loaded_again(imported: Any) -> None:
    module = imported("loaded_again", "def depth():\n    return 3\n")
    before = code_of("loaded_again")
    edit(module, "def depth():\n    return 30\n")
    importlib.reload(module)
    assert code_of("loaded_again") not in (None, before)


def test_what_is_made_while_loading_is_no_edit(imported: Any) -> None:
    """Methods that a decorator wrote, or that stand in other files, are not looked for in this one."""
    text = "\n".join(
        [
            "from dataclasses import dataclass",
            "from functools import cache, wraps",
            "from shutil import copy",
            "def twice(function):",
            "    @wraps(function)",
            "    def again(*given):",
            "        return function(*given), function(*given)",
            "    return again",
            "@dataclass",
            "class Point:",
            "    x: int = 0",
            "    borrowed = copy",
            "    @property",
            "    def far(self): return lambda: [each for each in range(self.x)]",
            "    @twice",
            "    def near(self): return 1",
            "@cache",
            "def known(): return 'text'",
            "",
        ]
    )
    imported("made_while_loading", text)
    assert code_of("made_while_loading") is not None


def test_code_that_is_nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, imported: Any) -> None:
    with pytest.raises(Unknown, match="is of the module never_seen, which is not to be found"):
        code_of("never_seen")
    monkeypatch.setitem(sys.modules, "made_up", ModuleType("made_up"))
    with pytest.raises(Unknown, match="is defined in made_up, whose code is in no file"):
        code_of("made_up")
    module = imported("gone_since", "")
    Path(str(module.__file__)).unlink()
    with pytest.raises(Unknown, match=r"whose file .*gone_since.py is not there"):
        code_of("gone_since")
