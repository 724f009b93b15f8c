"""Commands, options and names that documents mention within a sentence exist."""

import re
from pathlib import Path

import click

import tallymark as tm
from tallymark.cli import COMMANDS, commands

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FOREIGN = {"--nthreads", "--archives", "--user", "--only", "--share", "--each", "--limit"}
"""Options of Dask's workers, of spark-submit, of pip, and of our benchmarks and tools."""
WORDS = {"tallymark passed", "tallymark failed"}
"""No commands, but properties of a test."""
EVALUATION = tm.evaluate([1, 0], y_score=[0.9, 0.1])


def _inline(document: Path) -> list[str]:
    """What a document has between single backticks."""
    text = re.sub(
        r"^ *```.*?^ *```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    return re.findall(r"`([^`\n]+)`", text)


def _options(command: click.Command) -> set[str]:
    found = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
    below = command.commands.values() if isinstance(command, click.Group) else ()
    return found.union(*map(_options, below)) | {"--help"}


def test_commands_and_options_exist() -> None:
    context = click.Context(commands)
    found = {name: commands.get_command(context, name) for name in COMMANDS}
    options = {name: _options(command) for name, command in found.items() if command is not None}
    everywhere = {"--version", *FOREIGN}.union(*options.values())
    wrong = []
    for document in DOCUMENTS:
        for code in _inline(document):
            called = re.match(r"tallymark ([a-z][a-z-]*)(?!\S)", code)
            if called and code not in WORDS and called[1] not in options:
                wrong.append((document.name, code))
            known = options.get(called[1], everywhere) if called else everywhere
            named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", code))
            wrong += [(document.name, code)] * bool(named - known)
    assert not wrong


def test_names_of_python_exist() -> None:
    wrong = []
    for document in DOCUMENTS:
        for code in _inline(document):
            for path in re.findall(r"\btm\.([a-zA-Z_][\w.]*\w)", code):
                found: object = tm
                for name in path.split("."):
                    found = getattr(found, name, None)
                wrong += [(document.name, code)] * (found is None)
            names = re.findall(r"\bev\.([a-z_]\w*)", code)
            wrong += [(document.name, code)] * any(not hasattr(EVALUATION, name) for name in names)
    assert not wrong
