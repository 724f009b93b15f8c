"""What people install: the wheel is built, put into an empty folder, and run there, far from the sources."""

import email
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tallymark"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _run(*command: object, cwd: Path, **environment: str) -> str:
    words, env = [sys.executable, *map(str, command)], os.environ | environment
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, encoding="utf-8")
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


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("built")
    _run("-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", folder, cwd=ROOT)
    (wheel,), (sources,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    options = ["--quiet", "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check"]
    _run("-m", "pip", "install", *options, "--target", folder / "installed", wheel, cwd=folder)
    return Built(wheel, sources, folder / "installed")


def test_what_the_wheel_and_the_sources_hold(built: Built, tmp_path: Path) -> None:
    of_package = {
        str(file.relative_to(PACKAGE.parent)): file.read_bytes()
        for file in PACKAGE.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    contents = _contents(built.wheel)
    in_wheel = {name: text for name, text in contents.items() if not name.split("/")[0].endswith("info")}
    assert in_wheel == of_package
    assert {Path(name).suffix for name in in_wheel} >= {".html", ".css", ".js", ".json", ".csv", ".pyi"}
    assert "tallymark/py.typed" in in_wheel
    # The sources make the same wheel, and hold what the README points to.
    with tarfile.open(built.sources) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    _run("-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=folder)
    assert _contents(tmp_path / built.wheel.name) == contents
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    links = {link for link in re.findall(r"\]\(([^)#\s]+)", readme) if "://" not in link}
    assert links
    assert [link for link in links if not (folder / link).exists()] == []
    # What a package index shows.
    (metadata,) = (text for name, text in contents.items() if name.endswith(".dist-info/METADATA"))
    shown = email.message_from_bytes(metadata)
    assert shown["Name"] == "tallymark"
    assert shown["Summary"] == PROJECT["description"]
    assert shown["Requires-Python"] == PROJECT["requires-python"]
    assert (shown["Description-Content-Type"], shown.get_payload()) == ("text/markdown", readme)
    assert set(shown.get_all("Provides-Extra", [])) == set(PROJECT["optional-dependencies"])
    required = [line for line in shown.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert sorted(required) == sorted(PROJECT["dependencies"])


INSTALLED = """
import tallymark
from importlib.metadata import distribution
from tallymark.cli import COMMANDS, main
found = distribution("tallymark")
for point in sorted(found.entry_points, key=lambda point: point.group):
    print(point.group, point.name, point.load().__name__)
print(found.locate_file("tallymark"), tallymark.__file__)
for name in tallymark.__all__:
    getattr(tallymark, name)
print(tallymark.recall([1, 1, 0, 1], [1, 0, 0, 1]))
for name in COMMANDS:
    assert main([name, "--help"]) == 0, name
"""


def test_every_public_name_every_command_and_the_plugin_are_there(built: Built, tmp_path: Path) -> None:
    there = built.folder / "tallymark"
    assert built.run("-c", INSTALLED, cwd=tmp_path).splitlines()[:4] == [
        "console_scripts tallymark run",
        "pytest11 tallymark tallymark.integrations.pytest_plugin",
        f"{there} {there / '__init__.py'}",
        str(2 / 3),
    ]


def test_commands_that_bring_their_data_run(built: Built, tmp_path: Path) -> None:
    version = built.wheel.name.split("-")[1]
    assert (
        built.run(built.folder / "bin" / "tallymark", "--version", cwd=tmp_path) == f"tallymark {version}\n"
    )
    assert "tallymark-demo.html" in built.run("-m", "tallymark", "demo", cwd=tmp_path)
    page = (tmp_path / "tallymark-demo.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert page.rstrip().endswith("</html>")
    # Style and script come from files of their own, and the live part from its folder.
    assert [part for part in ("<style", "<script", "id=live-data") if part not in page] == []
    for command in ("textbook", "conform"):
        assert len(built.run("-m", "tallymark", command, cwd=tmp_path).splitlines()) > 10
