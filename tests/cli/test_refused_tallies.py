"""Tallies that cannot be made, added or evaluated, and files too large for what is asked: one line each."""

import re
import shlex
from pathlib import Path
from typing import Any

import polars as pl

import tallymark as tm
from command_lines import is_one_line, write

SCORED = "--actual y --score s --positive yes"


def test_tallies_that_cannot_be_counted_or_evaluated(run: Any, refused: Any) -> None:
    assert run("tally digits.csv -o old.tally").code == 0
    assert run(f"tally scores.csv {SCORED} -o scored.tally").code == 0
    text = """
        tally digits.csv
        tally -o x.tally
        tally digits.csv -o {x.csv|old.tally}
        tally scores.csv $SCORED --group s --approximate -o x.tally
        tally digits.csv {--id actual|--votes actual,predicted} -o x.tally
        tally scores.csv $SCORED --approximate --tolerance 0.1 -o x.tally
        tally scores.csv {--approximate --grid 1|--grid 0:1} -o x.tally
        tally scores.csv --actual y --score s {--threshold best|--confidence 0.9|--quiet} -o x.tally
        tally {old.tally|missing.csv} -o x.tally
        evaluate old.tally {--group predicted|--predicted predicted|digits.csv|--costs '0 5; 1 0'}
        evaluate old.tally {--tolerance 1e-6|--threshold 0.3|--engine duckdb}
        evaluate scored.tally --positive no
        roc scored.tally --construction sequential
        # counts have no rows
        compare old.tally scored.tally
        compare --model A=old.tally --model B=scored.tally
        compare --model A=scores.csv --model B=scored.tally --actual y
        compare old.tally --model A=x --model B=y
        validate old.tally --model logistic --target y
        {roc|pr|gains|thresholds|calibration|cost-curve|decision-curve|rejection|decide --best f1} old.tally
    """
    refused("cli_errors_tallies", text, SCORED=SCORED)


def test_tallies_that_cannot_be_added(run: Any, refused: Any) -> None:
    write({"parts/a.csv": "actual,predicted\n1,1\n0,1\n", "whole.csv": "actual,predicted\n1,1\n0,1\n0,0\n"})
    for name in ("parts/a", "whole"):
        assert run(f"tally {name}.csv -o {name}.tally --quiet").code == 0
    Path("parts/a.csv").unlink()
    for name, rows in {
        "n": "1,0.9\n0,0.2\n1,0.4\n",
        "words": "true,0.9\nfalse,0.2\n",
        "floats": "1.0,0.8\n0.0,0.3\n",
    }.items():
        Path(f"{name}.csv").write_text(f"y,p\n{rows}")
        assert run(f"tally {name}.csv --actual y --score p --quiet -o {name}.tally").code == 0
    labels = {"numbers": [1, 0], "text": ["1", "0"]}
    for name, values in labels.items():
        tm.tally(pl.DataFrame({"actual": values, "predicted": values})).save(f"{name}.tally")
    damaged = Path("whole.tally").read_bytes()[:-40]
    text = """
        merge -o x.tally
        merge whole.tally
        merge whole.tally -o x.csv
        merge parts -o whole.tally
        merge parts/a.tally whole.tally -o whole.tally --force
        merge parts -o parts/a.tally --force
        merge parts/a.tally parts/../parts/a.tally -o x.tally
        merge parts 'parts/a*' -o x.tally
        merge digits.csv -o x.tally
        merge 'parts/x*.tally' -o x.tally
        merge parts/d.tally -o x.tally
        merge parts -o x.tally --memory lots
        merge damaged.tally -o x.tally
        # labels that are written in two ways
        merge n.tally words.tally -o x.tally
        merge n.tally floats.tally words.tally -o x.tally
        evaluate n.tally words.tally
        merge numbers.tally text.tally -o x.tally
    """
    refused("cli_errors_merge", text, {"damaged.tally": damaged})
    assert run("merge n.tally floats.tally -o all.tally --quiet").code == 0
    assert run("evaluate all.tally --json").json["rows"] == 5


def test_what_was_declared_differently_is_refused_with_both_files(run: Any, refused: Any) -> None:
    declared = {
        "grid": (f"scores.csv {SCORED}", "--approximate"),
        "positive": ("answers.csv", "--positive yes"),
        "labels": ("answers.csv", "--labels yes,no"),
        "slices": ("answers.csv --actual actual --predicted predicted", "--slice actual"),
        "missing": ("answers.csv", "--drop-missing"),
        "threshold": (f"scores.csv {SCORED}", "--threshold 0.3"),
    }
    for name, (command, more) in declared.items():
        assert run(f"tally {command} -o {name}_1.tally").code == 0
        assert run(f"tally {command} {more} -o {name}_2.tally").code == 0
    pairs = [f"{name}_1.tally {name}_2.tally" for name in declared]
    text = "\n".join(f"merge {pair} -o x.tally\nevaluate {pair}" for pair in pairs)
    refused("cli_errors_declared", text)


def test_the_command_to_type_where_memory_does_not_suffice_is_told_and_works(run: Any, snapshot: Any) -> None:
    rows = "".join(f"{place},{place % 2},{(place / 16_000) ** 2!r}\n" for place in range(15_000))
    write(dict.fromkeys(("one.csv", "two.csv", "my rows.csv"), f"id,y,p\n{rows}"))
    said = {}
    for line in (
        "tally one.csv --actual y --score p --memory 1MB -o x.tally",
        "compare --model A=one.csv --model B=two.csv --actual y --score p --id id --memory 1MB",
        "evaluate 'my rows.csv' --actual y --score p --memory 1MB",
        "roc --actual y --score p --memory 1MB -- one.csv",
        "compare one.csv --model A=p --model B=id --actual y --memory 1MB",
    ):
        result = run(line)
        assert (result.code, result.out, is_one_line(result.err)) == (2, "", True), line
        # How many rows were read when it was too much depends on the machine.
        said[line] = re.sub(r"[\d,]+ rows take [\d.]+ MB", "some rows take more", result.err)
        if not line.startswith("compare one.csv"):
            typed = result.err.split("`")[1]
            before, dashes, after = line.partition(" -- ")
            assert shlex.split(typed) == shlex.split(f"tallymark {before} --approximate{dashes}{after}")
            again = run("", *shlex.split(typed)[1:])
            assert again.code == 0, typed
        else:
            assert "--approximate" not in result.err
    snapshot("cli_errors_memory", said)
