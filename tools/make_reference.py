"""The reference of metrics and of commands in docs/reference, made from what the program knows about itself.

Run from anywhere: `python tools/make_reference.py`. A test holds the files against what this makes.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from reference_of_commands import commands_page
from reference_of_metrics import metrics_page

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
PAGES = {"metrics.md": metrics_page, "commands.md": commands_page}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")
        print(f"wrote docs/reference/{name}")


if __name__ == "__main__":
    main()
