"""Which files names, patterns and folders mean; which columns are guessed, and what is missing in them."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from inputs import matrix, refusals, rows_of, written

import tallymark as tm
from collected import each
from scored import classes

ASKED = {"actual": "y", "predicted": "p"}


def made(*names):
    """Files whose one row holds their own name; patterns and folders of other tests stay in other folders."""
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(f"y,p\n{name},{name}\n")


def meant(*given):
    return list(rows_of(list(given) if len(given) > 1 else given[0], **ASKED)[0])


def test_patterns():
    made("parts/b.csv", "parts/a.csv", "parts/c.tsv", "parts/.hidden.csv", "parts/_log.csv")
    assert meant("parts/*.csv") == ["parts/a.csv", "parts/b.csv"] == meant("parts/[a-b].*")
    found = tm.evaluate("parts/*.csv", **ASKED)
    assert (found.rows, len(found.notes)) == (2, 1)
    assert meant("parts/_*.csv") == ["parts/_log.csv"]
    made("p/x/a.csv", "p/y/b.csv", "p/_tmp/c.csv")
    for pattern in ("p/**/*.csv", "p/?/[ab].csv", "p/[xy]"):
        assert meant(pattern) == ["p/x/a.csv", "p/y/b.csv"], pattern


def test_names_stay_in_the_order_given_and_go_before_patterns():
    made("b.csv", "a.csv", "a*.csv", "ab.csv", "x[1].csv")
    assert meant("b.csv", Path("a.csv")) == ["b.csv", "a.csv"]
    assert meant("a*.csv", "x[1].csv") == ["a*.csv", "x[1].csv"]
    assert not tm.evaluate("a*.csv", **ASKED).notes
    # parts may be written in several ways, and have no rows
    one, none = written("y,p\nu,v\n", "one.csv"), written("y,p\n", "none.csv")
    two = written("p\ty\tc\nw\tv\t0\nu\tu\t0\n", "two.tsv")
    assert rows_of([two, none, one], **ASKED) == (["v", "u", "u"], ["w", "u", "v"])


def test_folders():
    for name in ("part-1.csv", "part-0.csv", "_SUCCESS", ".part-0.csv.crc"):
        made(f"out/{name}")
    made("h/region=north/p.csv", "h/region=east/p.csv", "h/_delta_log/0.csv")
    assert meant("out") == ["out/part-0.csv", "out/part-1.csv"]
    assert meant(Path("h")) == ["h/region=east/p.csv", "h/region=north/p.csv"]
    assert meant("out", "h/region=east") == [*meant("out"), "h/region=east/p.csv"]


@each("data", ["q", "q/*.csv", ["q/*.csv"], ["q/*"], ["q"], Path("q")])
def test_what_is_meant_is_said(data):
    for name in ("q/1.csv", "q/2.csv"):
        written("y,p\n0,0\n1,0\n", name)
    for count in (tm.evaluate, tm.tally):
        found = count(data, **ASKED)
        assert found.rows == 4
        if isinstance(found, tm.Tally):
            assert found.sources == tuple(map(str, data if isinstance(data, list) else [data]))
        else:
            assert len(found.notes) == 1


@pytest.mark.parametrize("count", [tm.evaluate, tm.tally])
def test_what_means_nothing_too_much_or_several_things(count, snapshot):
    made("p/a.csv", "kinds/a.csv", "kinds/b.parquet", "zips/a.csv", "zips/b.zip", "none/README.md")
    made("none/_x.csv", "left/a.csv", "left/README.md", "left/b.log", "left/c.log", "left/d.log")
    made("one/a.csv", "one/notes.txt")
    for name in ("a.csv", "b.csv"):
        written("y,p\n", f"empty/{name}")
    given = ["p/*.tsv", "r/*/x.csv", ["p/*.csv", "p/a.csv"], ["p/a.csv", "./p/a.csv"], ["p", "p/a.csv"]]
    given += ["kinds", "zips", "none", "empty"]
    found = refusals([(data, ASKED) for data in given], count)
    expected = ["OptionError" if isinstance(data, list) else "FileError" for data in given]
    assert [*classes(found).values()] == expected
    for folder in ("left", "one", "p"):
        found[f"note on {folder}"] = "\n".join(tm.evaluate(folder, **ASKED).notes)
    snapshot("errors_input_lists_of_files", found)


Y_S: dict[str, Any] = {"actual": "y", "score": "s"}
Y_P: dict[str, Any] = {"actual": "y", "predicted": "p"}
DROP: dict[str, Any] = {"missing": "drop"}


def parquet(columns: dict[str, Any], name: str = "t.parquet") -> str:
    pl.DataFrame(columns).write_parquet(name)
    return name


def test_columns_are_guessed_by_well_known_names(snapshot: Any) -> None:
    three = "actual,predicted,score\n1,0,0.9\n0,0,0.1\n"
    holed = "actual,predicted,score\n1,1,0.9\n0,1,\n1,0,\n0,0,nonsense\n"
    tables: dict[str, tuple[str, dict[str, Any], list[list[int]]]] = {
        "in other letters": ("id,Target,y_pred\n1,a,b\n", {}, [[0, 1], [0, 0]]),
        "beside a named score": (three, {"score": "score", "threshold": 0.5}, [[1, 0], [0, 1]]),
        "no score beside predictions": (three, {"actual": "actual"}, [[1, 0], [1, 0]]),
        "a score where no predictions are": ("actual,score\n1,0.9\n0,0.1\n", {}, [[1, 0], [0, 1]]),
        "nonsense in a score nobody asked for": (holed, {}, [[1, 1], [1, 1]]),
        "an exact name first": ("actual,ACTUAL,predicted\n1,0,1\n0,1,0\n", {}, [[1, 0], [0, 1]]),
        "the next when one is in use": ("true,y\n1,1\n0,0\n", {"predicted": "true"}, [[1, 0], [0, 1]]),
        "a probability": ("label,prob\n1,0.5\n0,0.4\n", {}, [[1, 0], [0, 1]]),
    }
    notes = {}
    for case, (text, roles, expected) in tables.items():
        ev = tm.evaluate(written(text), **roles)
        assert (matrix(ev), ev.dropped) == (expected, {}), case
        notes[case] = "\n".join(ev.notes)
    snapshot("notes_guessed_columns", notes)


def test_words_for_missing() -> None:
    labels = written("y,p\nNA,a\nnull,a\nNone,a\n,a\nnan,a\n,a\n")
    ev = tm.evaluate(labels, **Y_P, **DROP)
    assert (ev.labels, ev.dropped) == (("NA", "None", "a", "nan", "null"), {"missing_actual": 2})
    scores = written("y,s\n1,0.5\n0,NA\n1,\n0, NA\n", "s.csv")
    for words in (["NA"], ("NA", "-"), "NA"):
        ev = tm.evaluate(scores, missing_words=words, **Y_S, **DROP)
        assert (ev.rows, ev.dropped) == (1, {"missing_score": 3})
    rows = {"y": ["a", "NA", "b", "a"], "p": ["a", "b", "?", None]}
    for file in (written(pl.DataFrame(rows).write_csv()), parquet(rows)):
        ev = tm.evaluate(file, missing_words=["NA", "?"], **Y_P, **DROP)
        assert ev.dropped == {"missing_actual": 1, "missing_predicted": 2}
    # In typed columns: categories, whole numbers as they are written, fractions by their value.
    category, large = pl.Series(["a", "NA", "b"], dtype=pl.Categorical), [2**53, 2**53 + 1]
    typed: list[tuple[Any, list[Any], list[str], Any]] = [
        ([0, 1, -1], [0, 1, 1], ["-1", "NA"], (0, 1)),
        (category, ["a", "a", "b"], ["NA"], ("a", "b")),
        (large, large, [str(2**53)], (2**53 + 1,)),
        ([True, False], [True, True], ["True"], (False, True)),
    ]
    for y, p, words, expected in typed:
        ev = tm.evaluate(parquet({"y": y, "p": p}), missing_words=words, **Y_P, **DROP)
        dropped = {} if words == ["True"] else {"missing_actual": 1}
        assert (ev.labels, ev.dropped) == (expected, dropped)
    ev = tm.evaluate(parquet({"y": [0, 1], "s": [-1.0, 0.7]}), missing_words=["-1", "x"], **Y_S, **DROP)
    assert ev.dropped == {"missing_score": 1}


def test_numbers_in_text() -> None:
    path = written("y,s\n1, 0.5\n0,5e-1 \n1,.25\n0,0\n1,+1\n0,9007199254740992\n")
    assert rows_of(path, threshold=0.5, **Y_S)[2] == [0.5, 0.5, 0.25, 0, 1, 2.0**53]


def test_what_is_refused(snapshot: Any) -> None:
    scores = ["half", "1_0", "0x1", "nan", '"0,5"', "50%", "  ", "inf", "1e999", "x" * 61, "?", "."]
    scores += ["9007199254740993", " -9007199254740993"]
    roled = written("actual,p_b,score,p_0\n1,0.5,half,0.5\n0,inf,0.5,0.5\n,0.5,0.5,0.5\n", "roled.csv")
    words = written("y,s\n1,0.5\n0,NA\n1,\n0, NA\n", "words.csv")
    parts = [written("y,s\n1,0.5\n", "part1.csv"), written("y,s\n1,0.5\n0,half\n", "part2.csv")]
    pair, typed = written("y,p\na,a\nb,a\n", "pair.csv"), parquet({"y": [0, None, 1], "s": [None, None, 0.5]})
    files = [written(f"y,s\n1,0.5\n0,{cell}\n", f"{at}.csv") for at, cell in enumerate(scores)]
    cases: dict[str, tuple[Any, ...]] = {
        repr(cell): (path, Y_S) for cell, path in zip(scores, files, strict=True)
    }
    thirteen = ",".join("abcdefghijklm") + "\n" + ",".join("1" * 13) + "\n"
    cases |= {
        "three words": (written("y,s\n1,a\n0,b\n1,c\n0,d\n1,a\n", "abc.csv"), Y_S),
        "three infinite": (written("y,s\n1,inf\n0,-inf\n0,1e999\n", "inf.csv"), Y_S),
        "named as its role": (roled, {"score": "score"}),
        "missing, named as its role": (roled, {"predicted": "p_b"}),
        "a probability": (roled, {"probabilities": {"1": "p_b", "0": "p_0"}}),
        "NA in a score": (words, Y_S),
        "NA means missing": (words, Y_S | {"missing_words": "NA"}),
        "missing in Parquet": (typed, Y_S),
        "in a part": (parts, Y_S),
        "text and Parquet": ([pair, typed], Y_P),
        "scores as predictions": (written("y,s\n1,0.75\n0,0.25\n", "sc.csv"), Y_P | {"predicted": "s"}),
        "numbers and text in Parquet": (parquet({"y": [0, 1], "p": ["0", "1"]}, "two.parquet"), Y_P),
        "a named column is not guessed": (written("label,predicted\na,b\n", "l.csv"), {"predicted": "label"}),
        "two of one name in other letters": (written("Actual,ACTUAL,predicted\n1,0,1\n", "aa.csv"), {}),
        "another delimiter": (written("actual;predicted\n1;0\n", "semi.csv"), {}),
        "thirteen columns": (written(thirteen, "m.csv"), {}),
        "no files": ([], {}),
        "a list beside a file": (pair, [1]),
        "no file": ("none.csv",),
    }
    snapshot("errors_data_columns_of_files", refusals(cases))
