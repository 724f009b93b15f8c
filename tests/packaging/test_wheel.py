"""What people install: the wheel is built, put into an empty folder, and run there, far from the sources."""

from __future__ import annotations

import email
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass
from email.message import Message
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tallymark"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _run(*command: object, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@dataclass(frozen=True)
class Built:
    """A wheel, an archive of the sources, and a folder that the wheel was installed into."""

    wheel: Path
    sources: Path
    folder: Path

    def run(self, *command: object, cwd: Path) -> str:
        # -P: nothing is imported from the working folder; PYTHONPATH goes before an editable install.
        return _run("-P", "-W", "error", *command, cwd=cwd, PYTHONPATH=str(self.folder), PYTHONUTF8="1")

    @property
    def metadata(self) -> Message:
        (name,) = (name for name in _contents(self.wheel) if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(_contents(self.wheel)[name])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("built")
    _run("-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", folder, cwd=ROOT)
    (wheel,), (sources,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    options = ["--quiet", "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check"]
    _run("-m", "pip", "install", *options, "--target", folder / "installed", wheel, cwd=folder)
    return Built(wheel, sources, folder / "installed")


def test_it_holds_every_file_of_the_package_and_nothing_else(built: Built) -> None:
    of_package = {
        str(file.relative_to(PACKAGE.parent)): file.read_bytes()
        for file in PACKAGE.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    in_wheel = {
        name: text for name, text in _contents(built.wheel).items() if not name.split("/")[0].endswith("info")
    }
    assert in_wheel == of_package
    assert {Path(name).suffix for name in in_wheel} >= {".html", ".css", ".js", ".json", ".csv", ".pyi"}
    assert "tallymark/py.typed" in in_wheel


def test_the_sources_make_the_same_wheel(built: Built, tmp_path: Path) -> None:
    with tarfile.open(built.sources) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    _run("-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=folder)
    assert _contents(tmp_path / built.wheel.name) == _contents(built.wheel)


def test_the_sources_hold_what_the_readme_points_to(built: Built) -> None:
    with tarfile.open(built.sources) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    links = {link for link in re.findall(r"\]\(([^)#\s]+)", readme) if "://" not in link}
    assert links
    assert links <= names


def test_what_a_package_index_shows(built: Built) -> None:
    said = built.metadata
    assert said["Name"] == "tallymark"
    assert said["Summary"] == PROJECT["description"]
    assert said["Requires-Python"] == PROJECT["requires-python"]
    assert said["Description-Content-Type"] == "text/markdown"
    assert said.get_payload() == (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(said.get_all("Provides-Extra", [])) == set(PROJECT["optional-dependencies"])
    required = [line for line in said.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert sorted(required) == sorted(PROJECT["dependencies"])


ENTRY_POINTS = """
from importlib.metadata import distribution
found = distribution("tallymark")
for point in sorted(found.entry_points, key=lambda point: point.group):
    print(found.locate_file("tallymark"), point.group, point.name, point.load().__name__)
"""


def test_the_command_and_the_plugin_of_pytest_are_found(built: Built, tmp_path: Path) -> None:
    there = built.folder / "tallymark"
    assert built.run("-c", ENTRY_POINTS, cwd=tmp_path).splitlines() == [
        f"{there} console_scripts tallymark run",
        f"{there} pytest11 tallymark tallymark.integrations.pytest_plugin",
    ]
    version = built.metadata["Version"]
    script = built.folder / "bin" / "tallymark"
    assert built.run(script, "--version", cwd=tmp_path) == f"tallymark {version}\n"


PUBLIC = """
import tallymark
print(tallymark.__file__)
for name in tallymark.__all__:
    getattr(tallymark, name)
print(tallymark.recall([1, 1, 0, 1], [1, 0, 0, 1]))
from tallymark.cli import COMMANDS, main
for name in COMMANDS:
    assert main([name, "--help"]) == 0, name
"""


def test_every_public_name_and_every_command_is_there(built: Built, tmp_path: Path) -> None:
    file, recall, *_ = built.run("-c", PUBLIC, cwd=tmp_path).splitlines()
    assert Path(file) == built.folder / "tallymark" / "__init__.py"
    assert recall == str(2 / 3)


def test_the_demo_writes_its_page(built: Built, tmp_path: Path) -> None:
    shown = built.run("-m", "tallymark", "demo", cwd=tmp_path)
    assert "tallymark-demo.html" in shown
    page = (tmp_path / "tallymark-demo.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert page.rstrip().endswith("</html>")
    # Style and script come from files of their own, and the live part from its folder.
    for part in ("<style", "<script", "Try a threshold"):
        assert part in page


@pytest.mark.parametrize("command", ["textbook", "conform"])
def test_commands_that_bring_their_data_run(built: Built, command: str, tmp_path: Path) -> None:
    assert len(built.run("-m", "tallymark", command, cwd=tmp_path).splitlines()) > 10
