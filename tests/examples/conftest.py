"""Examples are run as they stand, once each, and what they print is kept."""

import io
import re
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")


@dataclass(frozen=True)
class Ran:
    """A script that was run: its names, what it printed, and where it wrote."""

    names: dict[str, Any]
    output: str
    folder: Path

    def after(self, words: str) -> list[float]:
        """The numbers behind these words, up to the end of the line."""
        assert self.output.count(words) == 1, f"{words!r} is there {self.output.count(words)} times"
        rest = self.output.partition(words)[2].partition("\n")[0]
        return [float(number.replace(",", "")) for number in NUMBER.findall(rest)]


@pytest.fixture(scope="session")
def run_example(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Ran]:
    """Runs a script of the folder `examples` by its name."""
    import matplotlib

    matplotlib.use("agg")

    def run(name: str) -> Ran:
        path, folder = EXAMPLES / name, tmp_path_factory.mktemp("examples-output")
        code = compile(path.read_text(encoding="utf-8"), path, "exec")
        names: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
        printed = io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed):
            patch.setattr(sys, "argv", [name, str(folder)])
            exec(code, names)
        return Ran(names, printed.getvalue(), folder)

    return run
