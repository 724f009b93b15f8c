"""Errors name the file, the input and the value that is wrong."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallymark as tm
from command_lines import write
from scored import classes, refusals

ROWS = "1,0.9,a,1\n0,0.2,b,1\n1,0.7,c,2\n0,0.4,d,2\n"
GOOD = f"y,p,id,g\n{ROWS}"
LEARN = "x,y\n" + "0,no\n1,yes\n" * 20
MANY = "".join(f"0,0.2,r{row},1\n" for row in range(60_000))
REPEATED = f"{ROWS}1,0.5,c,1\n"
FILES: dict[str, str | bytes] = {
    "good.csv": GOOD,
    "other.csv": GOOD.replace("0.7", "0.6"),
    "gap.csv": GOOD.replace("0.7", ""),
    "word.csv": GOOD.replace("0.7", "high"),
    "infinite.csv": GOOD.replace("0.7", "inf"),
    "text.csv": GOOD.replace("\n1,", "\nyes,").replace("\n0,", "\nno,"),
    "ragged.csv": f"{GOOD}1,0.5\n",
    "header.csv": "y,p,id,g\n",
    "empty.csv": "",
    "twice.csv": GOOD.replace(",c,", ",a,"),
    "negative.csv": "y,p,w\n1,0.9,-1\n0,0.1,1\n",
    "costs.csv": "actual,predicted,cost\n1,0,x\n0,1,2\n",
    "strange.csv": "actual,predicted,cost\nq,0,1\n0,q,2\n",
    "cells.csv": ",a,b\na,1,x\nb,2,3\n",
    "learn.csv": LEARN,
    "unlabelled.csv": LEARN.replace("yes", ""),
    "folds.csv": "fold,tree,bayes\n1,0.5,0.6\n2,x,0.7\n",
    "parts/u.csv": GOOD,
    "parts/v.csv": GOOD.replace("0.7", ""),
    "y": GOOD.replace("0.7", ""),
    "region.csv": "y,p,region,sex\n1,0.9,n,f\n0,0.2,s,m\n",
    "one.csv": "y,p\n1,0.5\n1,1.5\n",
    # Probabilities that do not add up to 1, and percentages.
    "sums.csv": "y,a,b\na,0.7,0.3\nb,0.4,0.8\n",
    "just.csv": "y,a,b\na,0.5,0.5\nb,0.25,0.760002\n",
    "below.csv": "y,a,b\na,0.5,0.5\nb,0.25,0.739998\n",
    "percent.csv": "y,a,b\na,70,30\nb,40,60.4\n",
    "neither.csv": "y,a,b\na,70,30\nb,1.5,2\n",
    "signs.csv": "y,a,b\na,170,-70\nb,0.4,0.6\n",
    "above.csv": "y,p\n1,1.0000000000000002\n0,0.5\n1,0.7\n0,0.1\n",
    "under.csv": "y,p\n1,-1e-09\n0,0.5\n1,0.7\n0,0.1\n",
}
FILES |= {
    f"{name}{more}.csv": f"y,p,id,g\n{rows}{end}"
    for more, end in (("", ""), ("-many", MANY))
    for name, rows in {
        "ids": f"{REPEATED}0,0.5,b,1\n1,0.5,b,1\n",
        "ids-lacking": f"{REPEATED}1,0.5,,1\n",
        "ids-first": f"1,0.5,,1\n{ROWS}",
    }.items()
}
NAMES = {
    "SCORED": "--actual y --score p",
    "JOINED": "--actual y --score p --id id",
    "TREE": "--target y --model majority",
    "GATE": "--actual y --score p --require 'auc >= 0.1' --no-worse auc",
    "BOTH": "--actual y --probabilities a,b",
}


def test_an_error_names_its_file(refused: Any) -> None:
    refused(
        "errors_name_their_file",
        """
        evaluate good.csv --actual y --score q
        evaluate {|./}gap.csv $SCORED
        evaluate gap.csv $SCORED {--approximate|--engine duckdb|--engine dask}
        evaluate y $SCORED --delimiter ,
        evaluate {word|infinite|text|ragged|header|empty}.csv $SCORED
        evaluate text.csv $SCORED --positive Yes{| --engine duckdb}
        evaluate good.csv $SCORED --labels 0,2
        evaluate negative.csv $SCORED --weight w
        evaluate twice.csv $JOINED{| --engine duckdb}
        evaluate good.csv {gap|text}.csv $SCORED
        evaluate {parts|parts/*.csv} $SCORED
        evaluate --model a=good.csv --model b=gap.csv $SCORED
        compare --model a=good.csv --model b={gap|twice}.csv $JOINED
        compare gap.csv --model a=p --model b=g --actual y
        compare folds.csv --per fold
        roc {gap|text}.csv $SCORED
        pr good.csv --actual y
        decide gap.csv $SCORED --best f1
        tally gap.csv $SCORED -o x.tally
        report gap.csv $SCORED -o x.html
        matrix cells.csv
        {validate|tune} unlabelled.csv $TREE
        validate learn.csv $TREE --positive maybe
        validate --data a=learn.csv --data b=unlabelled.csv $TREE
        {cost-curve|calibration|decision-curve|rejection} one.csv $SCORED --positive 1
        plot roc one.csv $SCORED --positive 1 -o x.svg
        # options of which the file is
        check good.csv $GATE --baseline {gap|text|none}.csv
        check gap.csv $GATE --baseline good.csv
        decide good.csv $SCORED --best f1 --choose-on {gap|text}.csv
        evaluate good.csv $SCORED --costs {costs|strange}.csv
        decide good.csv $SCORED --costs none.csv
        validate learn.csv $TREE --costs strange.csv
        # options that have no file
        evaluate good.csv $SCORED {--confidence 2|--labels 0|--labels 0,0}
        validate learn.csv $TREE --labels {0|0,0}
        """,
        FILES,
        **NAMES,
    )


def test_an_error_names_the_values_and_all_that_is_wrong(refused: Any) -> None:
    refused(
        "errors_name_values",
        """
        tally {above|under}.csv $SCORED --approximate -o x.tally
        evaluate {sums|just|below}.csv $BOTH{| --approximate}
        evaluate {percent|neither|signs}.csv $BOTH{| --approximate| --engine duckdb}
        evaluate region.csv --actual yy --score pp{| --approximate| --engine duckdb}
        evaluate region.csv $SCORED --slice regio --slice sexx --slice sex*age
        validate learn.csv --target yy --group gg --model majority
        {compare|evaluate|roc|gains} good.csv --model a=pp --model b=qq --actual yy
        evaluate {ids|ids-lacking|ids-first}.csv $JOINED
        evaluate {ids|ids-lacking|ids-first}-many.csv $JOINED --memory 1MB
        """,
        FILES,
        **NAMES,
    )


def test_an_error_about_standard_input(run: Any, snapshot: Any) -> None:
    write(FILES)
    gap, texts = FILES["gap.csv"], {}
    for line in (
        "evaluate - --actual y --score p",
        f"check good.csv {NAMES['GATE']} --baseline -",
        "decide good.csv --actual y --score p --best f1 --choose-on -",
        "compare --model a=good.csv --model b=- --actual y --score p --id id",
    ):
        result = run(line, stdin=gap)
        assert (result.code, result.out) == (2, "")
        texts[line] = result.err
    snapshot("errors_standard_input", texts)


# --- in Python -----------------------------------------------------------------------------------


def written(path: Path, frame: pl.DataFrame) -> Path:
    match path.suffix:
        case ".gz":
            path.write_bytes(gzip.compress(frame.write_csv().encode()))
        case ".npz":
            np.savez(path, **{name: frame[name].to_numpy() for name in frame.columns})
        case ".arff":
            rows = "\n".join(f"{y},{'?' if p is None else p}" for y, p in frame.iter_rows())
            path.write_text(f"@relation t\n@attribute y {{0,1}}\n@attribute p numeric\n@data\n{rows}\n")
        case kind:
            getattr(frame, f"write_{kind[1:].replace('arrow', 'ipc')}")(path)
    return path


def test_python_names_files(tmp_path: Path) -> None:
    """Of every kind, beyond the memory, of one of two models, and a tally; arrays have no file."""
    named: dict[str, Callable[[], Any]] = {}
    columns: dict[str, Any] = {"actual": "y", "score": "p"}
    four = pl.DataFrame({"y": [1, 0, 1, 0], "p": [0.9, 0.2, None, 0.4]})
    for kind in ("csv", "csv.gz", "parquet", "ndjson", "arrow", "npz", "arff"):
        path = written(tmp_path / f"gap.{kind}", four)
        named |= {
            f"{path}": partial(tm.evaluate, path, **columns),
            f" {path}": partial(tm.tally, path, **columns),
            f"model 'a' ({path})": partial(tm.compare, {"a": path, "b": path}, **columns),
        }
    rows = 60_000
    frame = pl.DataFrame({"y": [1, 0] * (rows // 2), "p": [0.5] * (rows - 1) + [None], "id": range(rows)})
    for kind, more in (
        ("csv", {"memory": "1MB"}),
        ("parquet", {"memory": "1MB"}),
        ("parquet", {"engine": "duckdb"}),
    ):
        path = written(tmp_path / f"long.{kind}", frame)
        whole = written(tmp_path / f"whole.{kind}", frame.with_columns(p=pl.lit(0.5)))
        named[f"{path}"] = partial(tm.evaluate, path, **columns, memory="1MB")
        two = {"a": whole, "b": path}
        named[f"model 'b' ({path}){' ' * len(named)}"] = partial(tm.compare, two, **columns, **more, id="id")
    path = tmp_path / "part.tally"
    tm.tally(pl.DataFrame({"y": ["a", "b"], "p": [0.9, 0.1]}), **columns, pos_label="a").save(path)
    named[f"{path}  "] = partial(tm.evaluate, path, pos_label="c")
    # Names of files that are labels.
    names = ["a.csv", "b.csv"]
    named["positive='c'"] = partial(tm.evaluate, names, names, pos_label="c")
    two = {"m": names, "n": ["b.csv"] * 2}
    named["model 'm': positive='c'"] = partial(tm.compare, two, y_true=names, pos_label="c")
    refused = refusals(named)
    assert set(classes(refused).values()) == {"MissingValueError", "LabelError"}
    assert [name for name, said in refused.items() if name.strip() not in said] == []


def test_values_out_of_range_are_quoted_so_that_it_is_seen(snapshot: Any) -> None:
    above = 1.0000001
    refused = refusals(
        {
            "confidence level": lambda: tm.evaluate([1, 0], [1, 0], confidence_level=above),
            "AUC": lambda: tm.auc_interval(above, n_positive=5, n_negative=5),
            "hits": lambda: tm.difference((5.0000001, 5), (1, 5)),
            "plan": lambda: tm.plan(expected=above, half_width=0.1),
            "p-value": lambda: tm.tests.adjust([0.5, -1e-9]),
            "alpha": lambda: tm.tests.nemenyi([[1, 2], [2, 3]], alpha=above),
            "point": lambda: tm.roc_from_points({"a": (above, 0.5)}),
            "fold": lambda: tm.compare({"a": [above, 0.2], "b": [0.1, 0.3]}, per="fold", same_folds=True),
            "edges": lambda: tm.Scores.from_bins([1, 2], [2, 1], [0, 1.0000002, above]),
        }
    )
    scores = {"1.0000001": above, "-1e-09": -1e-9, "1.25": 1.25, "the next to 1": 1 + 2**-52}
    scores |= {"100": 100, "101": 101}
    found = {}
    for name, top in scores.items():
        ev = tm.evaluate([1, 0, 1, 0], y_score=[top, 0.5, 0.7, 0.1])
        (finding,) = (each for each in ev.findings if each.code == "TM013")
        assert (ev.threshold, ev["brier"].value) == (None, None)
        found[f"finding: scores up to or from {name}"] = finding.message
    # Votes are no percentages.
    votes = tm.evaluate([1, 0, 1], votes=[[1, 0, 1], [1, 1, 1], [1, 0, 0]], pos_label=1)
    found["finding: votes"] = next(each.message for each in votes.findings if each.code == "TM013")
    snapshot("values_out_of_range", refused | found)
    assert not [text for text in refused.values() if text.startswith("not refused")]


def test_all_absent_columns_of_a_table_and_of_all_models_are_named(tmp_path: Path) -> None:
    columns = {"y": [1, 0, 1, 0], "p": [1, 0, 0, 0]}
    frame = pd.DataFrame(columns)
    frame.to_parquet(tmp_path / "a.parquet")
    tables = [frame, pl.DataFrame(columns), pl.LazyFrame(columns), pa.table(columns), duckdb.from_df(frame)]
    for table in tables:
        with pytest.raises(tm.ColumnError) as caught:
            tm.evaluate(table, actual="Y", score="pp", slices=["p", "zzz"])
        assert all(name in caught.value.message for name in ("'Y'", "'pp'", "'zzz'", "'y', 'p'"))
    for data in (pl.DataFrame(columns), frame, tmp_path / "a.parquet", [tmp_path / "a.parquet"]):
        with pytest.raises(tm.ColumnError) as caught:
            tm.compare(data, actual="y", models={"a": "pp", "b": "p", "c": "qq"})
        assert all(name in caught.value.message for name in ("'pp'", "'qq'"))


def test_a_repeated_id_in_python_and_in_two_files(tmp_path: Path) -> None:
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path in paths:
        pl.DataFrame({"y": [1, 0], "p": [0.9, 0.2], "id": [7, int(path.stem == "a")]}).write_parquet(path)
    calls = {
        "arrays": lambda: tm.evaluate([1, 0, 1], [1, 0, 1], id=[7, 8, 7]),
        "files": lambda: tm.evaluate(paths, actual="y", score="p", id="id"),
    }
    refused = refusals(calls)
    assert set(classes(refused).values()) == {"InputError"}
    assert "positions 0, 2" in refused["arrays"]
    assert "row 1 of a.parquet and row 1 of b.parquet" in refused["files"]
