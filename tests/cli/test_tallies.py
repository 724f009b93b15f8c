"""`tally` and `merge`: parts counted apart give the values of the whole; files larger than memory."""

import gzip
import io
import itertools
import re
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from command_lines import agrees, held, write

REGIONS, DIGITS = ("north", "south", "west"), ("1", "2", "10")


def sixty() -> list[dict[str, Any]]:
    """Rows in which every column says something else."""
    rows = []
    for i in range(60):
        score = (i * 37 % 61 + 1) / 63
        positive = int((i * 53 % 17) / 17 < 0.2 + 0.6 * score)
        rows.append({
            "y": positive, "word": ("no", "yes")[positive], "p": int(score >= 0.4), "s": f"{score:.4f}",
            "far": f"{score * 20 - 8:.3f}", "f": i % 4, "w": f"{(i * 7 % 11) / 4:.2f}",
            "region": REGIONS[i * 5 % 3], "three": DIGITS[i // 20],
            "guess": DIGITS[i // 20 if i % 3 else i % 2], "holes": "" if i % 9 == 0 else f"{score:.4f}",
        })  # fmt: skip
    return rows


def text(rows: list[dict[str, Any]]) -> str:
    return "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]) + "\n"


# Of each shape what is asked when rows are counted, and what when the counts are evaluated.
SHAPES = """
    --actual y --predicted p
    --actual y --score s
    --actual y --score s | --threshold 0.3
    --actual y --score s --threshold 0.3
    --actual y --score s | --threshold best:f1
    --actual y --score s --predicted p
    --actual word --score s --positive yes | --costs '{"no": {"yes": 1}, "yes": {"no": 5}}'
    --actual y --score s --weight w
    --actual y --predicted p --weight w --slice region
    --actual y --score s --weight f --weight-kind frequency
    --actual y --score s --slice region --slice region*p
    --actual y --score s --predicted p --slice f --weight f
    --actual y --score s --group region
    --actual y --score s --predicted p --group f --weight w --slice region
    --actual three --predicted guess | --undefined 0
    --actual three --predicted guess | --positive 10
    --actual three --predicted guess --score s --positive 2
    --actual three --score s --positive 2
    --actual three --predicted guess --labels 10,1,2,7
    --actual y --score holes --drop-missing
    --actual three --predicted guess --drop-missing --missing 2
    --actual y --score far
    --actual y --score far | --threshold 1.5
    --actual y --score s --clip 0.01
    --actual y --score s | --clip 0.01
    --actual y --score s | --prevalence 0.1 --confidence 0.9 --metric partial_auc:0.2 --seed 3
    --actual y --score s | --metric f_beta:2
"""


def test_parts_counted_apart_give_the_values_of_the_whole(run: Any) -> None:
    rows, wrong = sixty(), []
    # In the first part there is one of the three labels only, in the second there are two.
    parts = {"a": rows[:20], "b": rows[20:47], "c": rows[47:]}
    write({"whole.csv": text(rows)} | {f"{name}.csv": text(part) for name, part in parts.items()})
    for shape in SHAPES.strip().splitlines():
        counting, _, asking = shape.partition("|")
        for name in parts:
            assert run(f"tally {name}.csv {counting} --quiet --force -o {name}.tally").code == 0, shape
        assert run("merge a.tally b.tally c.tally --quiet --force -o all.tally").code == 0, shape
        in_memory = run(f"evaluate whole.csv {counting} {asking} --json").json
        for given in ("all.tally", "a.tally b.tally c.tally"):
            found = run(f"evaluate {given} {asking} --json").json
            wrong += [f"{shape}: {key}" for key in in_memory if not agrees(found[key], in_memory[key])]
    assert wrong == []


def test_counts_on_a_grid(run: Any) -> None:
    """The first grid is so wide that several scores share a bin."""
    rows = sixty()
    write({"whole.csv": text(rows), "a.csv": text(rows[:31]), "b.csv": text(rows[31:])})
    asked = "--actual y --score s --weight w --slice region --threshold 0.5"
    for name in "ab":
        line = f"tally {name}.csv {asked} --approximate --grid -9000:9000 -o {name}.tally"
        assert run(line).code == 0
    exact = run(f"evaluate whole.csv {asked} --json").json
    found = run("evaluate a.tally b.tally --json").json
    for one, two in zip([exact, *exact["slices"]], [found, *found["slices"]], strict=True):
        low, high = two["metrics"]["auc"]["bounds"]
        assert low <= one["metrics"]["auc"]["value"] <= high
        assert low < high
    # Scores that the grid does not hold are told, with the grid that holds them.
    result = run("tally whole.csv --actual y --score far --approximate -o x.tally")
    hint = re.search(r"--grid (\S+)", result.err)
    assert result.code == 2
    assert hint
    assert run(f"tally whole.csv --actual y --score far --approximate -o x.tally --grid {hint[1]}").code == 0
    # On a grid that was asked for they are at its ends, and a note says so.
    outside = run("tally whole.csv --actual y --score far --approximate --grid 0:1 -o y.tally")
    assert (outside.code, len(outside.err.splitlines())) == (0, 2)
    assert len(run("evaluate y.tally --json").json["notes"]) > len(
        run("evaluate x.tally --json").json["notes"]
    )


def test_every_curve_of_a_tally_is_that_of_its_rows(run: Any) -> None:
    write({"rows.csv": text(sixty())})
    assert run("tally rows.csv --actual y --score s -o rows.tally --quiet").code == 0
    for command in (
        "roc",
        "pr",
        "gains --share 0.2",
        "thresholds",
        "calibration",
        "cost-curve",
        "decision-curve",
        "rejection",
        """decide --costs '{"0":{"1":1},"1":{"0":5}}'""",
    ):
        exact = run(f"{command} rows.csv --actual y --score s --json").json
        assert agrees(run(f"{command} rows.tally --json").json, exact), command


PARTS = {"a": "1,1\n0,1\n", "b": "0,0\n1,0\n1,1\n", "c": "1,1\n"}


def test_tallies_are_added(run: Any) -> None:
    """The rows are 1,1 three times and the others once."""
    write({f"{name}.csv": f"actual,predicted\n{rows}" for name, rows in PARTS.items()})
    write({"whole.csv": "actual,predicted\n" + "".join(PARTS.values()), "parts/none.txt": ""})
    Path("parts/none.txt").unlink()
    for name in PARTS:
        result = run(f"tally {name}.csv -o parts/{name}.tally --quiet")
        assert (result.code, result.out, result.err) == (0, "", "")
    told = run("tally whole.csv -o whole.tally").err.splitlines()
    assert (len(told), re.sub(r"\d+ bytes", "", told[-1])) == (3, "wrote whole.tally: 6 rows, ")
    whole = tm.Tally.load("whole.tally")
    for given in (
        "parts/a.tally parts/b.tally parts/c.tally",
        "'parts/*.tally'",
        "parts",
        "parts/c.tally 'parts/[ab].tally'",
    ):
        result = run(f"merge {given} -o all.tally --force")
        assert re.search(r"^wrote all\.tally: 6 rows, \d+ bytes$", result.err, re.MULTILINE), given
        merged = tm.Tally.load("all.tally")
        assert merged == whole
        assert sorted(merged.sources) == ["a.csv", "b.csv", "c.csv"]
        found = run("evaluate all.tally --json").json
        assert found["confusion"]["matrix"] == [[1, 1], [1, 3]]
        assert run(f"evaluate {given} --json").json["metrics"] == found["metrics"]
    # Sums can be added again, standard input may be one of them, and one alone stays as it is.
    assert run("merge parts/a.tally parts/b.tally -o ab.tally --quiet").code == 0
    assert run("merge ab.tally parts/c.tally -o again.tally --quiet").code == 0
    piped = Path("parts/a.tally").read_bytes()
    assert run("merge - parts/b.tally parts/c.tally -o piped.tally --quiet", stdin=piped).err == ""
    assert tm.Tally.load("again.tally") == tm.Tally.load("piped.tally") == whole
    assert run("merge parts/a.tally -o one.tally --quiet").code == 0
    assert Path("one.tally").read_bytes() == piped
    assert run("evaluate - --json", stdin=piped).json["confusion"]["matrix"] == [[0, 1], [0, 1]]
    broken = run("merge - -o other.tally", stdin=piped[:-40])
    assert (broken.code, broken.err.count("\n")) == (2, 1)
    # Rows that may count double are told.
    double = run("merge ab.tally parts/b.tally -o double.tally")
    assert (double.code, "note: 'b.csv'" in double.err) == (0, True)
    twice, once = (
        run(f"evaluate {given} --json").json["notes"] for given in ("ab.tally parts/b.tally", "ab.tally")
    )
    assert len(twice) > len(once)
    # Files are parts of one table, as everywhere, and where they came from is kept.
    for given in ("a.csv b.csv c.csv", "[abc].csv"):
        assert run(f"tally {given} -o table.tally --quiet --force").code == 0
        assert tm.Tally.load("table.tally") == whole
        assert tm.Tally.load("table.tally").sources == tuple(given.split())
    assert run("tally - -o stdin.tally --quiet", stdin=Path("whole.csv").read_bytes()).code == 0
    assert tm.Tally.load("stdin.tally").sources == ("standard input",)
    # Counts are compared where it is stated how.
    other = "y,p\n1,0.9\n0,0.2\n1,0.4\n"
    write({"x.csv": other, "y.csv": other})
    for name in "xy":
        assert run(f"tally {name}.csv --actual y --score p --quiet -o {name}.tally").code == 0
    for how, design in {"--other-rows": "other rows", "--same-rows": "same rows"}.items():
        assert run(f"compare x.tally y.tally {how} --json").json["design"] == design


def test_an_interruption_leaves_what_was_there(run: Any, monkeypatch: Any, tmp_path_factory: Any) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    rows = "actual,predicted\n" + "1,1\n0,0\n" * 100_000
    write({"rows.csv": rows, "rows.csv.gz": gzip.compress(rows.encode())})
    for name in ("one", "two", "old"):
        assert run(f"tally digits.csv -o {name}.tally").code == 0
    scratch = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    evaluate, tally = "evaluate rows.csv.gz --memory 1MB -o x.json", "tally rows.csv -o old.tally --force"
    merge = "merge one.tally two.tally -o old.tally --force"
    before, threads = held(), set(threading.enumerate())
    for place, lines in {
        "intake.streams.passes.Adding.add": [tally],
        "intake.streams.passes.read_batch": [evaluate],
        "evaluation.tally_files.read_tally": [merge],
        "evaluation.tally_files.packed": [tally, merge],
        "drawing.saving.os.replace": [tally, merge],
    }.items():
        for line in lines:
            with monkeypatch.context() as patch:
                patch.setattr(f"tallymark.{place}", interrupted)
                result = run(line)
            assert (result.code, result.err) == (130, "tallymark: interrupted.\n"), (place, line)
            assert (held(), [*scratch.iterdir()]) == (before, []), (place, line)
            assert set(threading.enumerate()) <= threads, (place, line)


# --- files larger than memory ------------------------------------------------------------------------


@pytest.fixture
def large(run: Any) -> Any:
    """Rows that take more than 1 MB, with few different scores."""
    chance = np.random.default_rng(0)
    y = (chance.random(40_000) < 0.3).astype(int)
    s = (chance.random(len(y)) * 0.8 + 0.2 * y).round(2)
    t = chance.random(len(y)) ** (2 - y)
    frame = pl.DataFrame(
        {"id": np.arange(len(y)), "y": y, "s": s, "t": t, "r": chance.choice(["a", "b"], len(y))}
    )
    frame.write_csv("rows.csv")
    frame.with_columns(id=pl.col("id") % 39_999).write_csv("twice.csv")
    return run


def test_files_read_in_pieces(large: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    asked = "rows.csv --actual y --score s"
    for command in (
        "evaluate",
        "evaluate --slice r",
        "roc",
        "pr",
        "gains",
        "thresholds",
        "calibration",
        "rejection",
    ):
        kept, pieces = (large(f"{command} {asked} --memory {size} --json").json for size in ("1GB", "1MB"))
        same = {key for key in kept if key != "notes"}
        assert agrees({key: pieces[key] for key in same}, {key: kept[key] for key in same}), command
    piped = large(
        "evaluate - --actual y --score s --memory 1MB --json", stdin=Path("rows.csv").read_bytes()
    ).json
    assert piped["metrics"] == large(f"evaluate {asked} --json").json["metrics"]
    # Scores that do not fit are counted on a grid, as fine as is asked for.
    crowded = "rows.csv --actual y --score t"
    assert large(f"evaluate {crowded} --memory 1MB").code == 2
    exact = large(f"evaluate {crowded} --json").json["metrics"]["auc"]["value"]
    widths = []
    for more in ("--memory 1MB", "--tolerance 1e-6"):
        form = large(f"evaluate {crowded} --approximate {more} --json").json
        low, high = form["metrics"]["auc"]["bounds"]
        assert low <= exact <= high
        widths.append(high - low)
    assert widths[1] < widths[0]
    for command in ("roc", "pr", "gains", "thresholds", "calibration", "cost-curve", "decision-curve"):
        form = large(f"{command} {crowded} --approximate --memory 1MB --json").json
        assert form["rows"] == 40_000, command
    assert large(f"evaluate {asked} --id id --memory 1MB --json").json["rows"] == 40_000
    twice = large("evaluate twice.csv --actual y --score s --id id --memory 1MB")
    assert (twice.code, twice.err.count("\n"), "40001" in twice.err) == (2, 1, True)
    # A bar is shown on a terminal, and nowhere else, when it takes more than a moment.
    monkeypatch.setattr("tallymark.inference.progress.monotonic", itertools.count(0, 10).__next__)
    assert large(f"evaluate {asked} --memory 1MB").err == ""
    screen = io.StringIO()
    screen.isatty = lambda: True  # type: ignore[method-assign]
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", screen)
        patch.setenv("TERM", "xterm")
        assert large(f"evaluate {asked} --memory 1MB").code == 0
    assert "40,000 rows" in screen.getvalue()


def test_bad_parts_of_a_folder_are_named(large: Any) -> None:
    """Faults of rows in all parts are told once."""
    frame = pl.read_csv("rows.csv").select("y", "s")[:200]
    infinite = pl.when(pl.int_range(pl.len()) % 100 == 7).then(float("inf")).otherwise(pl.col("s")).alias("s")
    faults: dict[str, Any] = {
        "other types": frame.with_columns(pl.col("s").cast(pl.String)),
        "no column": frame.drop("s"),
        "infinite": frame.with_columns(infinite),
        "half": None,
    }
    for name, part in faults.items():
        Path(name).mkdir()
        for place in range(3):
            frame.write_parquet(f"{name}/part{place}.parquet", row_group_size=50)
        last = Path(name, "part2.parquet")
        if part is None:
            last.write_bytes(last.read_bytes()[: last.stat().st_size // 2])
        else:
            part.write_parquet(last)
        result = large(f"evaluate '{name}' --actual y --score s --memory 1MB")
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1), name
        assert "part2.parquet" in result.err, name
    assert "8 and 108" in large("evaluate infinite --actual y --score s").err
