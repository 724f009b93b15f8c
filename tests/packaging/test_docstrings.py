"""Examples in the sources' docstrings give what stands below them."""

import doctest
from importlib import import_module
from pathlib import Path

from collected import each

SOURCES = Path(__file__).parents[2] / "src"
MODULES = [
    ".".join(file.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")
    for file in sorted(SOURCES.rglob("*.py"))
    if ">>> " in file.read_text(encoding="utf-8")
]


@each("module", MODULES)
def test_examples_hold(module: str) -> None:
    found = doctest.testmod(import_module(module))
    assert found.attempted > 0
    assert found.failed == 0
