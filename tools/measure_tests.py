"""How large the tests are, and which share of their functions uses the inside of tallymark.

    python tools/measure_tests.py

A function uses the inside if it reaches, itself or through a helper of its file, a name that is imported
from below `tallymark.<package>`, or patches a name there.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "tallymark"
TESTS = ROOT / "tests"


def main() -> None:
    folders: dict[str, Counter[str]] = defaultdict(Counter)
    for file in sorted(TESTS.rglob("*.py")):
        parts = file.relative_to(TESTS).parts
        text = file.read_text(encoding="utf-8")
        here = folders[parts[0] if len(parts) > 1 else "tests/*.py"]
        here["lines"] += text.count("\n")
        here["files"] += 1
        for uses_inside in functions(ast.parse(text)):
            here["functions"] += 1
            here["inside"] += uses_inside
    total = sum(folders.values(), Counter())
    for name, here in [*sorted(folders.items(), key=lambda item: -item[1]["lines"]), ("total", total)]:
        share = here["inside"] / max(1, here["functions"])
        print(
            f"{name:20} {here['lines']:7,} lines {here['files']:4} files"
            f" {here['functions']:6,} functions, {here['inside']:5,} use the inside ({share:.0%})"
        )


def functions(tree: ast.Module) -> Iterator[bool]:
    """For each test of a file: does it use the inside?"""
    inside = imported(tree)
    helpers = [node for node in tree.body if not getattr(node, "name", "").startswith("test")]
    for _ in range(5):
        for helper in helpers:
            if names(helper) & inside:
                inside |= defined(helper)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            yield bool(names(node) & inside or imported(node) or patches_inside(node))


def imported(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tallymark."):
            parts = (node.module or "").split(".")
            package = SOURCES / parts[1]
            found |= {
                one.asname or one.name
                for one in node.names
                if len(parts) > 2 or (package / f"{one.name}.py").exists() or (package / one.name).is_dir()
            }
        elif isinstance(node, ast.Import):
            found |= {
                (one.asname or one.name).partition(".")[0]
                for one in node.names
                if one.name.startswith("tallymark.") and one.name.count(".") > 1
            }
    return found


def names(node: ast.AST) -> set[str]:
    used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return used | {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}


def defined(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return set().union(*map(names, targets))
    return set()


def patches_inside(node: ast.AST) -> bool:
    texts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
    return any(
        isinstance(text, str) and text.startswith("tallymark.") and text.count(".") > 1 for text in texts
    )


if __name__ == "__main__":
    main()
