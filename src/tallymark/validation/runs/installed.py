"""What is installed: such code is known by its version, one's own by what its files say."""

from __future__ import annotations

import sys
import sysconfig
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path

NAMES = {"numpy": "numpy", "scipy": "scipy", "scikit-learn": "sklearn", "tallymark": "tallymark"}
"""Libraries that every fit goes through, by the name people know them by."""
PYTHON = "python"
_SITES = {"site-packages", "dist-packages"}


def is_installed(name: str, place: Path) -> bool:
    """Whether a module is of Python or of an installed package; what is installed to be edited is not."""
    if name.partition(".")[0] == "tallymark":
        return True
    return _is_in_site(place) or any(map(place.resolve().is_relative_to, _folders()))


def has_version(name: str, place: Path) -> bool:
    """Whether a version stands for what its files say: of Python, or of the package that it is in."""
    if not is_installed(name, place):
        return False
    top = name.partition(".")[0]
    is_python = top in sys.stdlib_module_names or not _is_in_site(place)
    return is_python or version_of(top) is not None


def _is_in_site(place: Path) -> bool:
    return not _SITES.isdisjoint(place.parts) or not _SITES.isdisjoint(place.resolve().parts)


@cache
def _folders() -> tuple[Path, ...]:
    found = sysconfig.get_paths()
    places = (found[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    return tuple({Path(each).resolve() for each in places})


def version_here(name: str) -> str | None:
    """The version of a library by the name people know it by, or of Python."""
    if name == PYTHON:
        return ".".join(map(str, sys.version_info[:2]))
    return version_of(NAMES.get(name, name))


def version_of(package: str) -> str | None:
    """The version that a package was installed in; None where nobody wrote one down."""
    if package in NAMES.values():
        return str(import_module(package).__version__)
    return _of_distribution(package)


@cache
def _of_distribution(package: str) -> str | None:
    # Not `__version__`: many have none, and whether a package is loaded must not matter.
    try:
        return " ".join(sorted({version(each) for each in _distributions().get(package, [package])}))
    except PackageNotFoundError:
        return None


@cache
def _distributions() -> dict[str, list[str]]:
    return {package: list(names) for package, names in packages_distributions().items()}
