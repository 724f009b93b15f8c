"""Command lines, run in this process as `python -m tallymark` runs them: exit code, JSON, written files."""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import shlex
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from observe import observed

LABELS = "rows2.csv --actual y --predicted p"
SCORES = "rows2.csv --actual y --score s"
MODELS = "rows2.csv --actual y --model a=s --model b=t"
COSTS = "--labels 1,0 --costs '0 9; 1 0'"

WITH_JSON = f"""
evaluate {LABELS}
evaluate {LABELS} --positive 0
evaluate {LABELS} --weight w --slice region
evaluate {LABELS} --weight f --weight-kind frequency
evaluate {LABELS} --group g
evaluate {SCORES}
evaluate {SCORES} --threshold best:f1
evaluate {SCORES} --threshold best --confidence 0.9
evaluate {SCORES} --approximate
evaluate {SCORES} --approximate --tolerance 1e-3
evaluate {SCORES} --memory 1KB
evaluate long.csv --actual y --score s --memory 1MB
evaluate rows2.csv --actual y --votes p,q,p
evaluate rows2.csv --actual y --votes p,q,r
evaluate {SCORES} --engine duckdb
evaluate {SCORES} {COSTS}
evaluate {SCORES} --costs costs.json
evaluate {SCORES} --metric recall --metric auc
evaluate {MODELS}
evaluate rows3.csv --actual y --predicted p
evaluate rows3.csv --actual y --probabilities 0=p_0,1=p_1,2=p_2
evaluate rows12.parquet --actual y --predicted p
evaluate parts/ --actual y --score s
evaluate parts/a.csv parts/b.csv --actual y --score s
evaluate words.csv --actual y --predicted p --positive ill
evaluate words.csv --actual y --predicted p
evaluate two_words.csv --actual y --score s
evaluate two_words.csv --actual y --score s --positive yes
evaluate sets.csv --actual y --predicted p --set-delimiter ';'
evaluate gaps.csv --actual y --predicted p --drop-missing
evaluate gaps.csv --actual y --predicted p
evaluate beyond.csv --actual y --score s
matrix '150 40; 60 250'
matrix '150 40; 60 250' --labels +,- --costs '-1 100; 1 0'
matrix '150 40; 60 250' --rows predicted
matrix '512 12 22; 2 77 13; 36 59 831'
matrix '512 12 22; 2 77 13; 36 59 831' --explain precision_macro
matrix '12' --labels only
matrix matrix.csv
matrix '3 27; 10 960' --labels ill,healthy --positive ill --prevalence 0.2
check {SCORES} --require 'recall >= 0.5'
check {SCORES} --require 'recall >= 0.99'
check {SCORES} --slice region --require 'recall[region] >= 0.2'
check {LABELS} --require nonsense
compare {MODELS}
compare {MODELS} --metric auc
compare {MODELS} --metric auc --margin 0.02
compare {MODELS} --weight w
compare {MODELS} --group g
compare first.csv second.csv --actual y --score s --id id
compare first.csv second.csv --actual y --score s --id id --memory 1MB
compare first.csv second.csv --actual y --predicted p --id id --engine duckdb
compare first.parquet second.parquet --actual y --predicted p --id id --engine duckdb
compare first.parquet second.parquet --actual y --score s --id id --engine duckdb --memory 1MB
compare first.csv second.csv --actual y --score s --other-rows
compare --accuracy 0.85:30 --accuracy 0.75:5000
compare --matrix M1='150 40; 60 250' --matrix M2='160 30; 70 240' --labels +,-
compare --matrix M1='150 40; 60 250' --matrix M2='160 30; 70 240' --labels +,- --other-rows
compare folds.csv --per fold
compare folds.csv --per fold --same-folds
compare results.csv --per dataset
roc {SCORES}
roc {SCORES} --construction sequential --ascending
roc {MODELS}
roc '1000 0; 900 100; 120 880; 20 980' --bin-counts
pr {SCORES}
gains {SCORES} --recall 0.4 --share 0.2
thresholds {SCORES} --metric mcc
decide {SCORES} {COSTS}
decide {SCORES} {COSTS} --reject-cost 0.5
decide {SCORES} --min recall=0.95 --best precision
decide rows3.csv --actual y --probabilities 0=p_0,1=p_1,2=p_2 --labels 0,1,2 --costs '0 1 4; 2 0 1; 9 3 0'
rejection {SCORES}
calibration {SCORES} --bins 5 --strategy mass
cost-curve {SCORES}
decision-curve {SCORES}
validate words.csv --target y --model bayes --model tree --method kfold:3 --id id --positive ill
validate words.csv --target y --model bayes --method holdout:1/3 --id id
validate words.csv --target nothing --model bayes
validate words.csv --target y --model nonsense
tune words.csv --target y --id id --model tree --param max_depth=1,2 --method nested:3x2
learn words.csv --target y --id id --model bayes --repeats 2
permute words.csv --target y --id id --model bayes --permutations 9
runs list
evaluate one.tally
evaluate all.tally
evaluate damaged.tally
evaluate damaged.parquet --actual y --predicted p
evaluate empty.csv --actual y --predicted p
evaluate header.csv --actual y --predicted p
evaluate ragged.csv --actual y --predicted p
evaluate not_utf8.csv --actual y --predicted p
evaluate one_class.csv --actual y --predicted p
evaluate twice.csv --actual y --predicted p
evaluate infinite.csv --actual y --score s
evaluate words_as_scores.csv --actual y --score s
evaluate same_ids.csv --actual y --predicted p --id id
evaluate none.csv --actual y --predicted p
evaluate rows2.csv
evaluate rows2.csv --actual y
evaluate rows2.csv --actual nothing --predicted p
evaluate {LABELS} --threshold 0.4
evaluate {SCORES} --threshold much
evaluate {SCORES} --confidence 95
evaluate {SCORES} --positive 7
evaluate {SCORES} --costs '0 1'
evaluate {SCORES} --normalize nothing
interval --correct 80 --of 100
interval --correct 80 --of 100 --method all
interval --correct 8 --of 5
plan --half-width 0.01 --expected 0.9
plan --rows 1000
plan --difference 0.02 --expected 0.9 --disagreement 0.08
explain recall --tp 282 --fn 75 --fp 462 --tn 4841
explain nonsense
metrics
textbook
conform --topic costs
nonsense
"""
WITHOUT_JSON = f"""
tally parts/a.csv --actual y --score s -o one.tally
tally parts/b.csv --actual y --score s -o two.tally
merge one.tally two.tally -o all.tally
report {SCORES} -o page.html
report {MODELS} -o both.html
report {SCORES} -o page.html
plot roc {SCORES} -o roc.svg
plot nothing {SCORES} -o x.svg
evaluate {SCORES} -o numbers.csv
evaluate {SCORES} -o numbers.json
evaluate {SCORES} -o numbers.md
evaluate {SCORES} -o numbers.tex
evaluate {SCORES} -o numbers.doc
evaluate {SCORES} --normalize actual --quiet
validate words.csv --target y --model bayes --method kfold:3 --id id --predictions out.csv
completion bash
--help
--version
evaluate --help

evaluate {SCORES} --nonsense
"""


def run(line: str) -> tuple[int, str, str]:
    """The exit code of a command line, and what it prints."""
    out, err = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO())
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)}
    given, sys.argv = sys.argv, ["tallymark", *shlex.split(line)]
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            runpy.run_module("tallymark", run_name="__main__", alter_sys=False)
        except SystemExit as end:
            code = end.code
        finally:
            sys.argv = given
            for number, handler in handlers.items():
                signal.signal(number, handler)
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode(errors="replace"))  # type: ignore[attr-defined]
    return int(code or 0), texts[0], texts[1]


def metric_names() -> list[str]:
    return [one["name"] for one in json.loads(run("metrics --json")[1])["metrics"]]


def cases() -> Iterator[tuple[str, Callable[[], Any]]]:
    # Tallies are made before commands that read them.
    for line in WITHOUT_JSON.splitlines()[1:]:
        yield f"tallymark {line}".strip(), lambda line=line: _written(line)
    for line in WITH_JSON.strip().splitlines():
        yield f"tallymark {line}", lambda line=line: _answered(line)


def _answered(line: str) -> dict[str, Any]:
    code, out, err = run(f"{line} --json")
    return {
        "exit": code,
        "json": observed(json.loads(out)) if out.startswith(("{", "[")) else None,
        "stderr": bool(err),
    }


def _written(line: str) -> dict[str, Any]:
    before = {file: file.stat().st_mtime_ns for file in Path().rglob("*") if file.is_file()}
    code, out, err = run(line)
    new = [
        str(file)
        for file in sorted(Path().rglob("*"))
        if file.is_file() and before.get(file) != file.stat().st_mtime_ns
    ]
    contents = {name: observed(json.loads(Path(name).read_text())) for name in new if name.endswith(".json")}
    return {"exit": code, "stdout": bool(out), "stderr": bool(err), "written": new, "contents": contents}


def in_a_folder_of_its_own(make: Callable[[Path], None]) -> None:
    folder = Path(tempfile.mkdtemp(prefix="same-"))
    make(folder)
    os.chdir(folder)
