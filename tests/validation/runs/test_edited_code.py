"""Programs of one's own that are started, edited and started again: what their models are described by."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest

from tallymark.validation.runs.code import Unknown, code_of, files_of, loaded_from_others
from tallymark.validation.runs.describing import Indescribable, described

TOLD = """
from tallymark.validation.runs.describing import Indescribable, described, digest, versions_of
def tell(model):
    try:
        found = described(model)
        print(digest([found, versions_of(found)]))
    except Indescribable as problem:
        print(f"refused: {problem}")
"""


def write(folder: Path, name: str, text: str) -> None:
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(dedent(text))


def said(folder: Path, *arguments: str, path: str = "") -> str:
    """What a program prints."""
    write(folder, "told.py", TOLD)
    done = subprocess.run(
        [sys.executable, "-B", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_relative_imports_of_a_program_that_is_a_module(tmp_path: Path) -> None:
    write(tmp_path, "package/__init__.py", "")
    write(
        tmp_path,
        "package/run.py",
        """
        from told import tell
        from .helper import depth
        class Model:
            def fit(self): return depth()
        tell(Model())
        """,
    )
    write(tmp_path, "package/helper.py", "def depth(): return 1\n")
    before = said(tmp_path, "-m", "package.run")
    write(tmp_path, "package/helper.py", "def depth(): return 2\n")
    assert said(tmp_path, "-m", "package.run") != before


PROGRAM = """
    from told import tell
    import library
    from helper import split
    class Model:
        def fit(self): return library.answer()
    tell(Model())
    tell(library.Model())
    tell(split)
    """
HELPER = "import functools\n@functools.lru_cache\ndef split(text): return {}\n"


def test_libraries_and_what_is_cached(tmp_path: Path) -> None:
    """Libraries are known by the version they were installed in, wherever it is written; those that were not
    installed by their code."""
    site = tmp_path / "site-packages"
    write(tmp_path, "program.py", PROGRAM)
    found = []
    for answer, number, split in ((1, None, 1), (2, None, 1), (2, "1.0", 1), (2, "2.0", 1), (3, "2.0", 2)):
        write(site, "library/__init__.py", f"def answer(): return {answer}\nclass Model: pass\n")
        write(tmp_path, "helper.py", HELPER.format(split))
        for each in site.glob("library-*/METADATA"):
            each.unlink()
        if number is not None:
            write(site, f"library-{number}.dist-info/METADATA", f"Name: library\nVersion: {number}\n")
        found.append(said(tmp_path, "program.py", path=str(site)).splitlines())
    own, of_library, cached = zip(*found, strict=True)
    assert len(set(own)) == 5, "the last one has another helper"
    assert len(set(of_library)) == 4
    assert of_library[3] == of_library[4]
    assert len(set(cached)) == 2
    assert not cached[0].startswith("refused")


DECIDING = """
    import sys
    from functools import wraps
    from told import tell
    word = sys.argv[1]

    if word == "a":
        def function(): return 0
        class Conditional:
            def fit(self): return 0
    else:
        def function(): return 1
        class Conditional:
            def fit(self): return 1

    ANSWER = word
    class Looks:
        def fit(self): return [ANSWER for _ in range(3)]

    class Attribute:
        answer = None
    Attribute.answer = word

    def fit(self, answer=word): return answer
    class Base: pass
    class Derived(Base): pass
    Base.fit = fit

    def deco(function):
        answer = word
        @wraps(function)
        def inner(): return function(), answer
        return inner
    @deco
    def decorated(): return 1

    class Always:
        def fit(self): return 1

    for each in (function, Conditional(), Looks(), Attribute(), Derived(), decorated, Always()):
        tell(each)
    """


def test_what_a_program_decides_as_it_runs(tmp_path: Path) -> None:
    write(tmp_path, "program.py", DECIDING)
    one, again, other = (said(tmp_path, "program.py", word).splitlines() for word in "aab")
    assert one == again
    assert [mine != theirs for mine, theirs in zip(one, other, strict=True)] == [True] * 6 + [False]
    assert not any(each.startswith("refused") for each in one)


# --- edited after it was loaded, in this process -----------------------------------------------------------


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write a module and import it; Python keeps what it compiled."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)

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


def test_an_edit_before_the_first_question_is_seen_by_what_was_compiled(loaded: Any) -> None:
    module = loaded("edited_before", "import math\nWEIGHTS = [math.pi, 1]\n")
    edit(module, "import math\nWEIGHTS = [math.pi, 2]\n")
    with pytest.raises(Unknown, match="edited_before, whose file was edited after it was loaded"):
        code_of("edited_before")
    importlib.reload(module)
    assert code_of("edited_before")


@pytest.mark.parametrize("change", ["edited", "set"])
@pytest.mark.parametrize("name", ["DEPTH", "Model.depth"])
def test_a_constant_that_is_not_what_the_file_says(
    name: str, change: str, loaded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    text = "DEPTH = 3\nclass Model:\n    depth: int = 3\n    width = DEPTH\n"
    module = loaded(f"{name.replace('.', '_')}_is_{change}", text)
    if change == "edited":
        edit(
            module,
            text.replace("depth: int = 3", "depth: int = 4") if "." in name else text.replace("3", "4", 1),
        )
    else:
        setattr(module.Model if "." in name else module, name.rpartition(".")[2], 4)
    with pytest.raises(Indescribable, match=f"in which {name} is not what its file says"):
        described(module.Model)


def test_constants_that_code_sets_itself_are_no_edit(loaded: Any) -> None:
    text = """
        from dataclasses import dataclass
        from enum import Enum
        COUNT, TWICE, SET = 0, 0, 0
        TWICE = 1
        COUNTED = 0
        def count():
            global COUNTED
            COUNTED += 1
        class Colour(Enum):
            RED = "red"
        @dataclass(slots=True)
        class Point:
            x: int = 0
        class Model:
            made = 0
            def __init__(self): Model.made += 1
        count()
        Model()
        """
    loaded("sets_itself", text)
    assert code_of("sets_itself")


# --- edited while workers are at it ----------------------------------------------------------------------


def test_what_a_worker_has_loaded(loaded: Any) -> None:
    module = loaded("in_a_worker", "def depth(): return 3\n")
    files = files_of("in_a_worker")
    assert loaded_from_others(files) is None
    assert loaded_from_others({**files, "never_loaded": "0"}) is None
    assert loaded_from_others({"in_a_worker": "0"}) == "in_a_worker"
    edit(module, "def depth(): return 4\n")
    assert loaded_from_others(files) is None, "what is loaded is still the same"
    importlib.reload(module)
    assert loaded_from_others(files) == "in_a_worker"


def test_code_that_is_edited_while_the_run_is_under_way(tmp_path: Path) -> None:
    model = """
        import numpy as np
        from sklearn.base import BaseEstimator, ClassifierMixin
        ANSWER = {}
        class Model(ClassifierMixin, BaseEstimator):
            def fit(self, X, y):
                self.classes_ = np.unique(y)
                return self
            def predict(self, X):
                return np.full(len(X), ANSWER)
        """
    program = """
        from pathlib import Path
        import numpy as np
        import tallymark as tm
        from tallymark.validation.runs.keys import Keys
        import model
        of = Keys.of
        def edited(self, task, by=None):
            found = of(self, task, by)
            Path("model.py").write_text(Path("edited.txt").read_text())
            return found
        if __name__ == "__main__":
            Keys.of = edited
            try:
                tm.validate(model.Model(), np.eye(30), np.arange(30) % 2, cv=3, n_jobs=2, run_folder="runs")
            except tm.WorkerError as problem:
                print(problem)
        """
    write(tmp_path, "model.py", model.format(0))
    write(tmp_path, "edited.txt", model.format(1))
    write(tmp_path, "program.py", program)
    assert said(tmp_path, "program.py").startswith("the code of model was edited while the run was under way")
    assert list((tmp_path / "runs/fits").glob("*.npz")) == []
