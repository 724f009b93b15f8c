"""Tables of command lines for tests, one call on a line, as they are typed in a shell."""

import json
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

Files = dict[str, str | bytes]


def calls(text: str, **names: str) -> dict[str, list[str]]:
    """Each line with its words; $NAME stands for one of `names`, and {a|b} makes one line of each.

    Lines that begin with # are headings.
    """
    found: dict[str, list[str]] = {}
    for line in text.strip().splitlines():
        if not line.strip() or line.strip().startswith("#"):
            continue
        whole = re.sub(r"\$([A-Z_]+)", lambda name: names[name[1]], line.strip())
        parts = re.split(r"\{([^{}|]*(?:\|[^{}|]*)+)\}", whole)
        choices = [part.split("|") if at % 2 else [part] for at, part in enumerate(parts)]
        for choice in product(*choices):
            call = "".join(choice)
            assert call not in found, f"{call} is there twice"
            found[call] = shlex.split(call)
    return found


def write(files: Files) -> None:
    """Into the current folder; text in UTF-8."""
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())


def held() -> dict[Path, bytes | None]:
    """Everything in the current folder."""
    found = (path for path in Path().rglob("*") if "__pycache__" not in path.parts)
    return {path: path.read_bytes() if path.is_file() else None for path in found}


def shown(text: str) -> str:
    """Without the line breaks that a page has."""
    return " ".join(text.split())


def is_one_line(text: str) -> bool:
    """That a terminal shows as it is, and that names no folder of this test."""
    start, end = text.startswith("tallymark: "), text.endswith("\n")
    return start and end and text[:-1].isprintable() and tempfile.gettempdir() not in text


def at(form: Any, place: str) -> Any:
    """What lies at `metrics/recall/value` in a JSON document; `*`: in every item; Ellipsis: nothing."""
    part, _, rest = place.partition("/")
    if part == "*":
        return [at(each, rest) if rest else each for each in (form.values() if type(form) is dict else form)]
    if part == "keys":
        return list(form)
    if isinstance(form, list):
        form = dict(enumerate(form))
    found = form.get(int(part) if part.isdigit() and part not in form else part, ...)
    return at(found, rest) if rest and found is not ... else found


def agrees(found: Any, expected: Any) -> bool:
    """Equal, to the last digits where fractions are expected; what is expected may be a test of its own."""
    if callable(expected):  # `all` and `bool` are true of nothing, and of what is not there
        is_there = found not in (..., []) and (expected is not all or ... not in found)
        return is_there and bool(expected(found))
    if isinstance(expected, dict) and isinstance(found, dict):
        return found.keys() == expected.keys() and all(agrees(found[key], expected[key]) for key in expected)
    if isinstance(expected, list | tuple) and isinstance(found, list):
        return len(found) == len(expected) and all(map(agrees, found, expected))
    if isinstance(expected, float) and isinstance(found, int | float):
        return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)
    return bool(found == expected)


OF_PYTHON = {
    "group": "groups", "positive": "pos_label", "seed": "random_state", "confidence": "confidence_level",
    "other-rows": {"design": "other rows"}, "same-rows": {"design": "same rows"},
    "drop-missing": {"missing": "drop"}, "independent-training": {"overlap": False},
    "early-stop": {"early_stop": True}, "progressive": {"progressive": True},
}  # fmt: skip


def keywords(words: list[str], lists: str = "", **names: Any) -> tuple[list[str], dict[str, Any]]:
    """Files, and the arguments of Python that say what the options of a call say; of `lists` all values.

    `names` are more of OF_PYTHON: the name of an argument, or what a flag stands for.
    """
    files, found, rest = [], {}, iter(words)
    known = OF_PYTHON | {key.replace("_", "-"): each for key, each in names.items()}
    for word in rest:
        name = word.removeprefix("--")
        python = known.get(name, name)
        if name == word:
            files.append(word)
        elif isinstance(python, dict):
            found |= python
        elif python in lists.split():
            found.setdefault(python, []).append(value_of(next(rest)))
        else:
            key = python.replace("-", "_")
            assert key not in found, f"{key} is there twice"
            found[key] = value_of(next(rest))
    return files, found


def different(here: dict[str, Any], there: dict[str, Any]) -> list[str]:
    """The keys of the second document, of Python, that are something else in the first, of a call."""
    return [
        key for key, value in there.items() if not agrees(here.get(key, ...), json.loads(json.dumps(value)))
    ]


def value_of(text: str) -> Any:
    """A number, a matrix, a mapping, a list or a text, as it is typed."""
    if ";" in text and text != ";":
        return [[value_of(cell) for cell in row.split()] for row in text.split(";")]
    name, is_mapping, values = text.partition("=")
    if "," in text:
        if is_mapping and "=" not in values:
            return {name: value_of(values)}
        parts = [value_of(part) for part in text.split(",")]
        return {key: each for part in parts for key, each in part.items()} if is_mapping else parts
    if is_mapping:
        return {name: value_of(values)}
    try:
        return json.loads(text)
    except ValueError:
        return text


def bash(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """In the folder that is the current one, with this environment's `tallymark` first."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = os.environ | {"PATH": path} | environment
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=variables)
