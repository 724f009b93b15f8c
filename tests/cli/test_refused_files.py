"""Every input that cannot be read is one line that names the file and, where there is one, the line.

Of every kind of file a few faults; all of them are in tests/input. Of standard input every kind.
"""

import gzip
import io
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from command_lines import is_one_line, write


@dataclass
class Bad:
    """What `evaluate` is asked, the content of the first file (or of standard input) and of others."""

    asked: str
    content: str | bytes | None = None
    line: int | None = None
    files: dict[str, str | bytes] = field(default_factory=dict)


def of_polars(method: str, **columns: Any) -> bytes:
    file = io.BytesIO()
    getattr(pl.DataFrame(columns), method)(file)
    return file.getvalue()


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def zipped(name: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, "text")
    return file.getvalue()


COLUMNS: dict[str, Any] = {"actual": ["a", "b", "a"], "predicted": ["a", "b", "b"]}
CSV = "actual,predicted\na,a\nb,b\na,b\n"
LINES = '{"actual": "a", "predicted": "a"}\n{"actual": "b", "predicted": "a"}\n'
ARFF = "@relation r\n@attribute actual {a,b}\n@attribute predicted {a,b}\n@data\na,a\nb,a\n"
WEKA = " inst#     actual  predicted error prediction\n     1        1:a        1:a       0.9\n"
PARQUET = of_polars("write_parquet", **COLUMNS)
ARROW = of_polars("write_ipc", **COLUMNS)
STREAM = of_polars("write_ipc_stream", **COLUMNS)
NPZ = npz(actual=np.array(["a", "b"]), predicted=np.array(["a", "a"]))
GZ = gzip.compress(CSV.encode())
HTML = "<!DOCTYPE html>\n<html><body>Not found</body></html>\n"

BAD = {
    "missing file with a close name": Bad("answer.csv"),
    "pattern without a match": Bad("part-*.csv"),
    "empty folder": Bad("p", files={"p/README": "x"}),
    "folder whose second file is bad": Bad(
        "p", line=2, files={"p/a.csv": CSV, "p/b.csv": "actual,predicted\na\n"}
    ),
    "the same file twice": Bad("x.csv ./x.csv", CSV),
    "unknown suffix": Bad("x.dat", CSV),
    "csv of 0 bytes": Bad("x.csv", ""),
    "csv without rows": Bad("x.csv", "actual,predicted\n"),
    "csv with a short line": Bad("x.csv", CSV + "a\n", line=5),
    "csv cut short in quotes": Bad("x.csv", CSV + 'a,"b', line=5),
    "latin-1 csv": Bad("x.csv", CSV.encode() + b"\xe9,a\n", line=5),
    "utf-16 csv": Bad("x.csv", CSV.encode("utf-16")),
    "web page as csv": Bad("x.csv", HTML),
    "semicolons": Bad("x.csv", CSV.replace(",", ";")),
    "unknown column": Bad("x.csv --actual Actual --predicted predicted", CSV),
    "no column to guess": Bad("x.csv", "q,r\n1,2\n"),
    "csv without a header": Bad("x.csv --actual y --predicted p", "1,0\n0,1\n"),
    "words in a score": Bad("x.csv --actual y --score s", "y,s\n1,0.5\n0,high\n", line=3),
    "missing value": Bad("x.csv", CSV + ",a\n", line=5),
    "parquet as csv": Bad("x.csv", PARQUET),
    "npz as csv": Bad("x.csv", NPZ),
    "workbook as csv": Bad("x.csv", zipped("xl/workbook.xml")),
    "gzip as csv": Bad("x.csv", GZ),
    "zip": Bad("x.zip", zipped("x.csv")),
    "zstd": Bad("x.csv.zst", "x"),
    "workbook": Bad("x.xlsx", zipped("xl/workbook.xml")),
    "pickle": Bad("x.pkl", b"\x80\x04."),
    "gz of 0 bytes": Bad("x.csv.gz", ""),
    "gz cut short": Bad("x.csv.gz", GZ[:-5]),
    "gz of tar": Bad("x.tar.gz", GZ),
    "gz with a ragged line": Bad("x.csv.gz", gzip.compress(f"{CSV}a\n".encode()), line=5),
    "json lines cut short": Bad("x.ndjson", LINES + '{"actual": "a', line=3),
    "latin-1 json lines": Bad("x.ndjson", b'{"actual": "\xe9"}\n', line=1),
    "mixed types in json": Bad("x.ndjson", LINES + '{"actual": 1, "predicted": "a"}\n', line=1),
    "json list cut short": Bad("x.json", '[{"actual": "a"}', line=1),
    "json of columns": Bad("x.json", '{"actual": ["a", "b"]}'),
    "parquet cut short": Bad("x.parquet", PARQUET[:-20]),
    "damaged parquet": Bad("x.pq", PARQUET[:-60] + b"\xff" * 52 + PARQUET[-8:]),
    "arrow stream cut short": Bad("x.arrow", STREAM[:-8]),
    "npz cut short": Bad("x.npz", NPZ[:-30]),
    "npz of objects": Bad("x.npz", npz(actual=np.array(["a", None]), predicted=np.array(["a", "b"]))),
    "arff with an unknown label": Bad("x.arff", ARFF + "c,a\n", line=7),
    "arff with a missing value": Bad("x.arff", ARFF + "?,a\n", line=7),
    "weka cut short": Bad("x.txt", WEKA + "     2     1:a", line=3),
    "weka csv with a ragged line": Bad("x.csv", "inst#,actual,predicted,error,prediction\n1,1:a\n", line=2),
    "parts of two kinds": Bad("x.csv y.parquet", CSV, files={"y.parquet": PARQUET}),
    "parts of other types": Bad(
        "x.pq y.pq", PARQUET, files={"y.pq": of_polars("write_parquet", actual=[1], predicted=[1])}
    ),
    "a bad line in the second part": Bad(
        "x.csv y.csv --actual y --score s", "y,s\n1,1\n", line=2, files={"y.csv": "y,s\n1,q\n"}
    ),
    "nothing on standard input": Bad("-"),
    "ragged standard input": Bad("-", CSV + "a\n", line=5),
    "json on standard input": Bad("-", LINES + "{", line=3),
    "json list on standard input": Bad("-", '[{"a" 1}]', line=1),
    "arff on standard input": Bad("-", ARFF + "c,a\n", line=7),
    "weka on standard input": Bad("-", WEKA + "     2\n", line=3),
    "parquet on standard input": Bad("-", PARQUET[:-9]),
    "arrow on standard input": Bad("-", STREAM[:-9]),
    "npz on standard input": Bad("-", NPZ[:-9]),
    "gzip on standard input": Bad("-", gzip.compress(f"{CSV}a\n".encode()), line=5),
    "packed json on standard input": Bad("-", gzip.compress(f"{LINES}x\n".encode()), line=3),
    "gzip cut short on standard input": Bad("-", GZ[:-4]),
    "packed latin-1 on standard input": Bad("-", gzip.compress(b"actual,predicted\n\xe9,a\n"), line=2),
    "zip on standard input": Bad("-", zipped("x.csv")),
    "web page on standard input": Bad("-", HTML),
}  # fmt: skip


def test_bad_inputs(run: Any, snapshot: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said, wrong = {}, []
    for place, (case, bad) in enumerate(BAD.items()):
        name, *others = bad.asked.split()
        stdin = bad.content if name == "-" else b""
        (tmp_path / f"case{place}").mkdir()
        monkeypatch.chdir(tmp_path / f"case{place}")
        write(bad.files | ({name: bad.content} if name != "-" and bad.content is not None else {}))
        result = run(f"evaluate {bad.asked}", stdin=stdin or b"")
        said[case] = text = result.err
        named = ["standard input" if name == "-" else name.partition("*")[0], *others]
        if (result.code, result.out) != (2, "") or not is_one_line(text):
            wrong.append(f"{case}: exit code {result.code}, {text[:200]!r}")
        if not any(each in text for each in named) or (
            bad.line is not None and not re.search(rf"\b{bad.line}\b", text)
        ):
            wrong.append(f"{case}: the place is not told: {text[:200]!r}")
    assert wrong == []
    snapshot("cli_errors_files", said)


GOOD = {
    "x.csv": CSV,
    "x.csv.gz": GZ,
    "x.tsv": CSV.replace(",", "\t"),
    "x.ndjson": "".join(
        f'{{"actual": "{a}", "predicted": "{p}"}}\n' for a, p in zip("aba", "abb", strict=True)
    ),
    "x.json": '[{"actual": "a", "predicted": "a"}, {"actual": "b", "predicted": "b"}, '
    '{"actual": "a", "predicted": "b"}]',
    "x.parquet": PARQUET,
    "x.arrow": ARROW,
    "x.ipc": STREAM,
    "x.npz": npz(**{name: np.array(values) for name, values in COLUMNS.items()}),
    "x.arff": "% words\n@relation r\n@attribute predicted {b,a}\n@attribute actual {a,b}\n@data\n"
    "a,a\n{1 b}\nb,a\n",
    "x.txt": "=== Predictions on test data ===\n\n inst#     actual  predicted error prediction\n"
    "     1        1:a        1:a       0.9\n     2        2:b        2:b       0.8\n"
    "     3        1:a        2:b   +   0.7\n",
}


def test_good_files_and_standard_input_give_the_same(run: Any) -> None:
    """Text may be packed as well."""
    for name, content in GOOD.items():
        data = content if isinstance(content, bytes) else content.encode()
        Path(name).write_bytes(data)
        options = "--json --delimiter tab" if name == "x.tsv" else "--json"
        found = [run(f"evaluate {name} --json"), run(f"evaluate - {options}", stdin=data)]
        if isinstance(content, str):
            found.append(run(f"evaluate - {options}", stdin=gzip.compress(data)))
        for result in found:
            assert result.json["confusion"] == {"labels": ["a", "b"], "matrix": [[1, 1], [0, 1]]}, name


def test_a_pattern_and_a_folder_say_how_many_files_they_mean(run: Any) -> None:
    write({"p/1.csv": CSV, "p/2.csv": CSV})
    for given in ("p", "p/*.csv"):
        form = run(f"evaluate {given} --json").json
        assert form["rows"] == 6
        assert any("2 files" in note for note in form["notes"])


def test_other_encodings_are_converted_where_they_come_from(run: Any, snapshot: Any) -> None:
    """In the pipe, or in the file beside standard input."""
    said = {}
    for command in ("evaluate", "matrix"):
        for encoding in ("utf-16", "latin1"):
            result = run(f"{command} -", stdin="actual,\u00e4,b\n\u00e4,5,1\nb,2,7\n".encode(encoding))
            assert (result.code, result.out) == (2, "")
            said[f"{command}, {encoding}"] = result.err
    write({"wide.csv": "actual,predicted\na,a\n".encode("utf-16")})
    said["beside standard input"] = run("evaluate wide.csv -", stdin="actual,predicted\na,a\n").err
    said["a matrix of words"] = run("matrix -", stdin="predicted,a,b\na,5,x\nb,1,7\n").err
    snapshot("cli_errors_encodings", said)
