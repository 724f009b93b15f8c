"""Input files with faults that are easily missed: joined files, files named twice, mixed line ends."""

import gzip
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tallymark as tm
from collected import each
from command_lines import write

ROWS = "1,0.9\n0,0.2\n1,0.7\n0,0.4\n"
TABLE = f"y,p\n{ROWS}"
SCORED = "--actual y --score p"
BEYOND = [*(f"0.{n}" for n in range(11, 51)), "0", "1"]


def test_a_line_that_repeats_the_header_is_refused(refused: Any) -> None:
    large = "y,p,q\n" + "1,0.9,1\n0,0.2,0\n" * 60_000
    learn = ",x,y\n" + "0,1,no\n1,2,yes\n" * 10
    refused(
        "errors_repeated_headers",
        f"""
        evaluate {{a|quotes|marks|both|returns|last|index}}.csv {SCORED}
        evaluate {{a.tsv|a.csv.gz}} {SCORED}
        evaluate large.csv {{{SCORED}|--actual y --predicted q}} --memory 1MB
        evaluate large.csv {{{SCORED}|--actual y --predicted q}} --approximate
        evaluate large.csv {{{SCORED}|--actual y --predicted q}} --engine {{duckdb|dask}}
        validate learn.csv --target y --model majority --method kfold:2
        """,
        {
            "a.csv": TABLE + TABLE, "a.tsv": (TABLE + TABLE).replace(",", "\t"),
            "quotes.csv": '"y","p"\n' + ROWS + "y,p\n" + ROWS, "marks.csv": ("\ufeff" + TABLE) * 2,
            "both.csv": '\ufeff"y","p"\n1,0.5\n\ufeff"y","p"\n0,0.5\n',
            "returns.csv": (TABLE + TABLE).replace("\n", "\r\n"), "last.csv": TABLE + "y,p",
            "index.csv": ",y,p\n0,1,0.5\n,y,p\n1,0,0.2\n", "a.csv.gz": gzip.compress(TABLE.encode()) * 2,
            "large.csv": large + large, "learn.csv": learn + learn,
        },
    )  # fmt: skip


def test_a_repeated_header_in_standard_input_and_in_python(run: Any) -> None:
    assert run(f"evaluate - {SCORED}", stdin=TABLE + TABLE).code == 2
    write({"a.csv": TABLE + TABLE, "names.csv": "id,y,p\n1,y,p\n2,p,p\n3,y,y\n"})
    with pytest.raises(tm.FileError):
        tm.evaluate("a.csv", actual="y", score="p")
    # A row whose classes have the names of their columns is kept.
    ev = tm.evaluate("names.csv", actual="y", predicted="p")
    assert (ev.confusion.labels, ev.confusion.matrix.tolist()) == (("p", "y"), [[1, 0], [1, 1]])


def test_the_same_rows_under_two_names_are_refused(refused: Any, run: Any) -> None:
    for kind in ("gzip", "hard", "symbolic"):
        write({f"{kind}/x.csv": TABLE})
    Path("gzip/x.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    os.link("hard/x.csv", "hard/y.csv")
    Path("symbolic/y.csv").symlink_to("x.csv")
    assert run(f"tally gzip/x.csv {SCORED} -o a.tally").code == 0
    os.link("a.tally", "b.tally")
    refused(
        "errors_rows_given_twice",
        """
        evaluate {gzip|gzip/*|gzip/x.csv.gz gzip/x.csv} $SCORED{| --engine duckdb| --approximate}
        evaluate {hard|hard/*|hard/y.csv hard/x.csv} $SCORED{| --engine duckdb| --approximate}
        evaluate {symbolic|symbolic/*|symbolic/y.csv symbolic/x.csv} $SCORED
        validate hard --target y --model majority
        merge a.tally b.tally -o c.tally
        """,
        SCORED=SCORED,
    )
    # The same rows in files of names of their own are parts.
    write({"x.csv": TABLE, "more/x.csv": TABLE, "y.csv.gz": gzip.compress(TABLE.encode())})
    ev = tm.evaluate(["x.csv", "y.csv.gz", "more/x.csv"], actual="y", score="p")
    assert ev.confusion.matrix.sum() == 12


def test_a_class_with_decimals_may_never_be_predicted(run: Any, refused: Any) -> None:
    many = "".join(f"{score},{place % 2}\n" for place, score in enumerate(BEYOND))
    write({"a.csv": "y,p\n1.5,2\n2,2\n1.5,2\n", "b.csv": "y,p\n2,1.5\n2,2\n2,2\n", "c.csv": f"y,p\n{many}"})
    write({"scores.csv": TABLE})
    columns = "--actual y --predicted p --json"
    for labels in ("", "--labels 1.5,2"):
        for how in ("", "--approximate", "--engine duckdb"):
            confusion = run(f"evaluate a.csv {columns} {labels} {how}").json["confusion"]
            assert [str(label) for label in confusion["labels"]] == ["1.5", "2"]
            assert confusion["matrix"] == [[0, 2], [0, 1]]
    assert run(f"evaluate b.csv {columns} --labels 1.5,2").json["confusion"]["matrix"] == [[0, 0], [1, 2]]
    refused(
        "errors_decimals_as_classes",
        """
        evaluate {b|c}.csv --actual y --predicted p
        evaluate scores.csv --actual {y --predicted p|p --predicted y}
        """,
    )
    rows = {"y": ["1.5", "2", "1.5"], "p": ["2", "2", "2"]}
    for ev in (
        tm.evaluate(rows["y"], rows["p"]),
        tm.tally(pd.DataFrame(rows), actual="y", predicted="p", labels=["1.5", "2"]).evaluate(),
    ):
        assert (ev.confusion.labels, ev.confusion.matrix.tolist()) == (("1.5", "2"), [[0, 2], [0, 1]])
    with pytest.raises(tm.LabelError):
        tm.evaluate([1.5, 2.0], [2, 2])


@each(("usual", "other"), [("\n", "\r\n"), ("\r\n", "\n")])
def test_line_ends_of_two_kinds_are_read_alike_by_engines(tmp_path: Path, usual: str, other: str) -> None:
    path = tmp_path / "a.csv"
    lines = ["y,p", *["a,b", "b,b"] * 5_000, f"a,a{other}b,b"]
    path.write_text(usual.join(lines) + usual, newline="")
    for name in (None, "duckdb", "dask"):
        ev = tm.evaluate(path, actual="y", predicted="p", engine=name)
        assert ev.confusion.matrix.tolist() == [[1, 5_000], [0, 5_001]], name


def test_a_closed_standard_input_is_refused(tmp_path: Path) -> None:
    """One shell for the three commands, each in a process of its own."""
    (tmp_path / "a.csv").write_text(TABLE)
    commands = (
        f"evaluate - {SCORED}",
        f"check a.csv --baseline - {SCORED} --no-worse accuracy",
        f"compare --model A=a.csv --model B=- {SCORED}",
    )
    script = "\n".join(f"{sys.executable} -m tallymark {command} <&-; echo $?" for command in commands)
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["2"] * 3
    assert (len(set(done.stderr.splitlines())), done.stderr.count("\n")) == (2, 3), done.stderr


def test_a_link_to_itself_is_refused(run: Any, refused: Any) -> None:
    write({"a.csv": TABLE, "folder/nothing.txt": ""})
    for name in ("loop.csv", "loop.tally", "folder/loop.csv"):
        Path(name).symlink_to(Path(name).name)
    refused(
        "errors_links_to_themselves",
        f"""
        evaluate {{loop.csv|folder|folder/*.csv|loop.csv --engine duckdb|a.csv --costs loop.csv}} {SCORED}
        check a.csv {SCORED} --no-worse accuracy --baseline loop.csv
        compare --model A=a.csv --model B=loop.csv {SCORED}
        report loop.csv {SCORED} -o out.html
        decide a.csv {SCORED} --costs '0 1; 1 0' --labels 0,1 --choose-on loop.csv
        validate loop.csv --target y --model majority --predictions out.csv
        merge loop.tally -o out.tally
        """,
    )
