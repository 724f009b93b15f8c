"""What this Python's tallymark gives for the corpus, as JSON lines: `python answer.py FILE [SECTION ...]`."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from pathlib import Path

os.environ |= {"NO_COLOR": "1", "COLUMNS": "100", "POLARS_MAX_THREADS": "2"}

import commands
import corpus
import data
from observe import as_json, tried


def main() -> None:
    warnings.simplefilter("ignore")
    made, sections = Path(sys.argv[1]), sys.argv[2:]
    commands.in_a_folder_of_its_own(data.write_files)
    try:
        corpus.METRICS[:] = [*commands.metric_names(), *corpus.PARAMETRISED]
        with made.open("w", encoding="utf-8") as file:
            for section, cases in {**corpus.SECTIONS, "command line": commands.cases}.items():
                if sections and section not in sections:
                    continue
                for name, call in cases():
                    file.write(f"{as_json([f'{section}: {name}', tried(call)])}\n")
                sys.stderr.write(f"{section} done\n")
    finally:
        shutil.rmtree(Path.cwd())


main()
