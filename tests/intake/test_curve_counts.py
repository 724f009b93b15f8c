"""Counts for curves, from small tables: bins of a score, and classifiers that are a point each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from tallymark.intake.curve_counts import BinsGiven, PointGiven, read_bins, read_points
from tallymark.tallies import Binary, Scores
from tallymark.textbook.cases import CASES

BINNED = [case for name, case in CASES.items() if name.startswith("roc-binned")]
BEST_FIRST = "the bins have no edges: they were taken best first."
DASH = "a dash among the negatives was read as 0."
TENTHS = tuple(tenth / 10 for tenth in range(10, -1, -1))
BIN_NAMES = ["[90%, 100%]", *(f"[{low}%, {low + 10}%)" for low in range(80, -1, -10))]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Writes a table and gives back its name."""
    monkeypatch.chdir(tmp_path)

    def file(text: str, name: str = "t.csv") -> str:
        Path(name).write_text(text, "utf-8")
        return name

    return file


def refusal(error: type[tm.TallymarkError], read: Any, source: Any) -> str:
    """The message and the hint: always one line."""
    with pytest.raises(error) as caught:
        read(source)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- the tables of the document ----------------------------------------------------------------


def printed(count: int) -> str:
    return f"{count:,}" if count else "-"


def as_printed(case: Any, delimiter: str, *, names: str = "positives negatives") -> str:
    """Bins, how many rows each has, both counts and the rates, with a dash for 0 and 1,000 for 1000."""
    header = ["Prob(Y=1)", "Distribution", *names.split(), "TPR", "FPR"]
    rows = zip(
        BIN_NAMES,
        case["positives"],
        case["negatives"],
        case["expected"]["tpr"],
        case["expected"]["fpr"],
        strict=True,
    )
    lines = [
        header,
        *([name, "1,000", printed(p), printed(n), f"{t:.2f}", f"{f:.2f}"] for name, p, n, t, f in rows),
    ]
    quoted = [[f'"{cell}"' if delimiter in cell else cell for cell in line] for line in lines]
    return "\n".join(map(delimiter.join, quoted)) + "\n"


@pytest.mark.parametrize("case", BINNED, ids=lambda case: case["id"])
@pytest.mark.parametrize(("delimiter", "name"), [(",", "t.csv"), ("\t", "t.tsv")])
def test_the_document_s_tables(case: Any, delimiter: str, name: str, write: Any) -> None:
    bins = read_bins(write(as_printed(case, delimiter), name))
    assert bins.positives == tuple(case["positives"])
    assert bins.negatives == tuple(case["negatives"])
    assert (bins.edges, bins.names) == (TENTHS, tuple(BIN_NAMES))
    assert "column 'Prob(Y=1)' was taken as the bins." in bins.notes
    assert DASH in bins.notes
    scores = Scores.from_bins(bins.positives, bins.negatives, bins.edges)
    cuts = scores.cuts()
    rates = {"tpr": cuts.tp[1:] / cuts.tp[-1], "fpr": cuts.fp[1:] / cuts.fp[-1]}
    for rate, values in rates.items():
        assert np.round(values, 2).tolist() == pytest.approx(case["expected"][rate])


@pytest.mark.parametrize("case", BINNED, ids=lambda case: case["id"])
def test_the_same_typed(case: Any) -> None:
    pairs = zip(case["positives"], case["negatives"], strict=True)
    bins = read_bins("; ".join(f"{p} {n}" for p, n in pairs))
    assert bins == BinsGiven(tuple(case["positives"]), tuple(case["negatives"]), None, (), (BEST_FIRST,))


def test_its_row_of_totals_is_refused(write: Any) -> None:
    text = as_printed(BINNED[0], "\t") + "Total\t10,000\t4,410\t5,590\t\t\n"
    assert refusal(tm.InputError, read_bins, write(text, "t.tsv")) == (
        "'Total' at line 12 of t.tsv holds the sums of the bins; expected the bins alone. "
        "Hint: delete the row of totals."
    )


def test_its_own_column_names_are_not_guessed_at(write: Any) -> None:
    said = refusal(
        tm.ColumnError, read_bins, write(as_printed(BINNED[0], "\t", names="count(1) count(0)"), "t.tsv")
    )
    assert said == (
        "t.tsv has no columns positives and negatives; it has 'Prob(Y=1)', 'Distribution', 'count(1)', "
        "'count(0)', 'TPR' and 'FPR'. Hint: call the columns of counts positives and negatives."
    )


# --- bins --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bins", "edges"),
    [
        (["[0.5, 1]", "[0, 0.5)"], (1, 0.5, 0)),
        (["[0, 0.5)", "[0.5, 1]"], (0, 0.5, 1)),
        (["0.5-1", "0-0.5"], (1, 0.5, 0)),
        (["0.5 – 1", "0 – 0.5"], (1, 0.5, 0)),
        (["50 to 100%", "0 to 50%"], (1, 0.5, 0)),
        (["50%..100%", "0%..50%"], (1, 0.5, 0)),
        (["[0; 2]", "[-1.5; 0)"], (2, 0, -1.5)),
        (["-1--0.5", "-0.5-0"], (-1, -0.5, 0)),
        (["1e-3,1", "0,.001"], (1, 0.001, 0)),
        (["[0.1%, 0.3%]", "[0%, 0.1%)"], (0.003, 0.001, 0)),
        (["[0, 1]"], (1, 0)),
    ],
)
def test_edges_in_the_names_of_bins(bins: list[str], edges: tuple[float, ...], write: Any) -> None:
    rows = [f'"{name}",{place + 1},{place + 2}' for place, name in enumerate(bins)]
    given = read_bins(write("\n".join(["Bin,Positives,NEGATIVES", *rows]) + "\n"))
    assert (given.edges, given.names, given.notes) == (edges, tuple(bins), ())
    assert given.positives == tuple(range(1, len(bins) + 1))


def test_edges_in_columns_of_their_own(write: Any) -> None:
    bins = read_bins(write("low,high,positives,negatives\n0,0.5,1,7\n0.5,1,5,2\n"))
    assert bins == BinsGiven((1, 5), (7, 2), (0, 0.5, 1), (), ())
    # The best bin comes first in the tally, whichever way the file goes.
    assert Scores.from_bins(bins.positives, bins.negatives, bins.edges).positives.tolist() == [5, 1]
    named = read_bins(write("high,low,bin,positives,negatives\n100%,50%,likely,5,2\n50%,0%,unlikely,1,7\n"))
    assert named == BinsGiven((5, 1), (2, 7), (1, 0.5, 0), ("likely", "unlikely"), ())


def test_edges_that_miss_each_other_by_rounding(write: Any) -> None:
    text = f"low,high,positives,negatives\n0,{0.1 + 0.2!r},1,7\n0.3,1,5,2\n"
    assert read_bins(write(text)).edges == pytest.approx((0, 0.3, 1))


def test_names_without_numbers_leave_the_order(write: Any) -> None:
    bins = read_bins(write("bin,positives,negatives\nhigh,5,1\nlow,1,2\n"))
    assert bins == BinsGiven((5, 1), (1, 2), None, ("high", "low"), (BEST_FIRST,))


def test_bins_that_do_not_hold_their_lower_edge_are_said(write: Any) -> None:
    text = 'bin,positives,negatives\n"(0.5, 1.0]",5,1\n"(-0.001, 0.5]",1,2\n'
    bins = read_bins(write(text))
    assert bins.edges == (1, 0.5, -0.001)
    assert bins.notes == ("bin '(0.5, 1.0]' does not hold its lower edge: read score > threshold.",)


def test_two_columns_of_numbers_need_no_names(write: Any) -> None:
    bins = read_bins(write("bin,hits,misses,remark\n0.5-1,5,1,good\n0-0.5,1,2,\n"))
    assert (bins.positives, bins.negatives, bins.edges) == ((5, 1), (1, 2), (1, 0.5, 0))
    assert bins.notes == ("column 'hits' was taken as positives, 'misses' as negatives.",)


def test_every_format_of_tables(write: Any) -> None:
    frame = pl.DataFrame(
        {"positives": [5, 1], "negatives": [1.0, 2.0], "low": [0.5, 0.0], "high": [1.0, 0.5]}
    )
    frame.write_parquet(write("", "t.parquet"))
    frame.write_ndjson(write("", "t.ndjson"))
    np.savez(write("", "t.npz"), **{name: frame[name].to_numpy() for name in frame.columns})
    for name in ("t.parquet", "t.ndjson", "t.npz"):
        assert read_bins(Path(name)) == BinsGiven((5, 1), (1, 2), (1, 0.5, 0), (), ())
    assert read_bins(write("positives;negatives\n5;1\n", "t.txt"), delimiter=";").positives == (5,)


@pytest.mark.parametrize(
    "text", ["5 1; 1 2", "5 1\n1 2\n", "5,1; 1,2;", " 5 , 1 ;\n\n 1\t2 ", "5 1; 1.0 2e0"]
)
def test_typed(text: str) -> None:
    assert read_bins(text) == BinsGiven((5, 1), (1, 2), None, (), (BEST_FIRST,))


def test_a_typed_dash_is_0() -> None:
    bins = read_bins("1000 -; – 100; 800 —")
    assert (bins.positives, bins.negatives) == ((1000, 0, 800), (0, 100, 0))
    assert bins.notes == ("a dash among the positives was read as 0.", DASH, BEST_FIRST)


def test_a_file_with_an_odd_name_goes_first(write: Any) -> None:
    assert read_bins(write("positives,negatives\n5,1\n", "a;b.csv")).positives == (5,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there are no bins. Hint: type rows such as '1000 0; 900 100'."),
        (" ; ", "there are no bins."),
        ("1000 0; 900", "bin 2 has 1 cell; expected two, its positives and its negatives."),
        ("1,000 0; 900 100", "bin 1 has 3 cells"),
        ("1,000 0; 900 100", "without thousands separators."),
        ("1000 0;; 900 100", "bin 2 is empty"),
        ("1000 0; x 100", "positives holds 'x' at bin 2; expected a whole number, 0 or more."),
        ("1000 0; 1.5 100", "positives holds '1.5' at bin 2"),
        ("1000 0; 900 -100", "negatives holds '-100' at bin 2"),
        ("0 0; 0 0", "every count is 0; expected at least one row counted."),
        (f"{2**53} 1; 0 0", "counts add up to more than 2**53"),
        ("bins", "'bins' is neither counts in bins nor the name of a file that exists."),
        ("bins.csv", "there is no file bins.csv."),
    ],
)
def test_typed_wrong(text: str, said: str, write: Any) -> None:
    assert said in refusal(tm.InputError, read_bins, text)


NAMES = "bin,positives,negatives\n"
EDGES = "low,high,positives,negatives\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "t.csv is empty (0 bytes)."),
        ("positives,negatives\n", "there are no rows in t.csv"),
        ("positives,negatives\n5,1\n7\n", "line 3 of t.csv has 1 field"),
        ("positives,negatives\n5,1\n7,\n", "negatives is empty at line 3 of t.csv; expected a whole number"),
        ("positives,negatives\n5,1\n7,\n", "Hint: write 0 where nothing was counted."),
        ("positives,negatives\n5,1\n7,1.5\n", "negatives holds '1.5' at line 3 of t.csv"),
        ("positives,negatives\n5,1\n7,-2\n", "negatives holds '-2' at line 3 of t.csv"),
        ("positives,negatives\n5,1\n7,n/a\n", "negatives holds 'n/a' at line 3 of t.csv"),
        ("positives,negatives\n5,20%\n", "give the numbers themselves, not percentages."),
        ("positives,negatives\n0,0\n", "every count is 0"),
        ("positives,count\n5,1\n", "t.csv has no column negatives; it has 'positives' and 'count'."),
        ("positives,Positives,negatives\n5,1,1\n", "t.csv has several columns positives: 'positives' and"),
        ("a,b,c\n5,1,1\n", "t.csv has no columns positives and negatives; it has 'a', 'b' and 'c'."),
        ("a,b\n5,x\n", "t.csv has no columns positives and negatives; it has 'a' and 'b'."),
        ("a,a\n5,1\n", "2 columns named 'a'"),
        ("5,1\n3,4\n", "the first line must hold the names of the columns."),
        ("positives;negatives\n5;1\n", "try delimiter ';'"),
        (NAMES + "a,5,1\n,3,4\n", "bin is empty at line 3 of t.csv; expected a name."),
        (NAMES + "a,5,1\nb,3,4\na,1,1\n", "bin 'a' is there twice, at lines 2 and 4 of t.csv."),
        (NAMES + "0.5-1,5,1\nrest,3,4\n", "bin 'rest' at line 3 of t.csv does not hold two numbers"),
        (
            NAMES + "0.5-1,5,1\n0-0.4,3,4\n",
            "the bins at lines 2 and 3 of t.csv leave a gap: 0.5 to 1 and 0 to 0.4.",
        ),
        (
            NAMES + "0-0.4,5,1\n0.5-1,3,4\n",
            "the bins at lines 2 and 3 of t.csv leave a gap: 0 to 0.4 and 0.5 to 1.",
        ),
        (NAMES + "0.5-1,5,1\n0-0.6,3,4\n", "overlap, or are out of order: 0.5 to 1 and 0 to 0.6."),
        (NAMES + "0-1,5,1\n1-2,3,4\n0.5-1.5,1,1\n", "the bins at lines 3 and 4 of t.csv overlap"),
        (NAMES + "0-1,5,1\n1-2,3,4\n-1-0,1,1\n", "the bins at lines 3 and 4 of t.csv overlap, or are out of"),
        (NAMES + "1-0.5,5,1\n0.5-0,3,4\n", "line 2 of t.csv goes from 1 to 0.5; the lower edge comes first."),
        (EDGES + "0.5,1,5,1\n0.5,1,3,4\n", "the bins at lines 2 and 3 of t.csv overlap"),
        (EDGES + "0.5,1,5,1\n0,x,3,4\n", "high holds 'x' at line 3 of t.csv; expected the edge of a bin."),
        (EDGES + "0.5,1,5,1\n,0.5,3,4\n", "low is empty at line 3 of t.csv"),
        (EDGES + "0.5,inf,5,1\n0,0.5,3,4\n", "high holds 'inf' at line 2 of t.csv"),
        ("low,positives,negatives\n0.5,5,1\n", "t.csv has a column low but no column high."),
        ("high,positives,negatives\n0.5,5,1\n", "t.csv has a column high but no column low."),
    ],
)
def test_bins_wrong(text: str, said: str, write: Any) -> None:
    assert said in refusal(tm.InputError, read_bins, write(text))


# --- points ------------------------------------------------------------------------------------


def test_points_from_counts(write: Any) -> None:
    points = read_points(write("k,TN,fp,fn,tp,parameter\n1,7,3,2,8,k=1\n2,60,40,1,9,k=3\n"))
    assert points == [
        PointGiven("k=1", Binary(8, 2, 3, 7), 0.3, 0.8),
        PointGiven("k=3", Binary(9, 1, 40, 60), 0.4, 0.9),
    ]


def test_points_from_rates(write: Any) -> None:
    points = read_points(write("tpr,fpr\n0.8,0.3\n1,0\n"))
    assert points == [PointGiven("point 1", None, 0.3, 0.8), PointGiven("point 2", None, 0, 1)]


def test_counts_go_before_rates(write: Any) -> None:
    (point,) = read_points(write('model,tp,fn,fp,tn,tpr,fpr\ntree,"1,000",0,1,3,0.99,0.5\n'))
    assert point == PointGiven("tree", Binary(1000, 0, 1, 3), 0.25, 1)


def test_what_a_point_is_called(write: Any) -> None:
    assert read_points(write("parameter,model,tpr,fpr\n3,tree,1,0\n"))[0].name == "tree"
    assert read_points(write("parameter,Name,tpr,fpr\n3,a,1,0\n"))[0].name == "a"
    pl.DataFrame({"parameter": [3], "tpr": [1.0], "fpr": [0.0]}).write_parquet(write("", "t.parquet"))
    assert read_points("t.parquet") == [PointGiven("3", None, 0, 1)]


CELLS = "name,tp,fn,fp,tn\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "t.csv is empty (0 bytes)."),
        (CELLS, "there are no rows in t.csv"),
        ("tp,fn,fp\n1,2,3\n", "by columns tp, fn, fp and tn, or fpr and tpr; t.csv has 'tp', 'fn' and 'fp'."),
        ("tpr;fpr\n1;0\n", "try delimiter ';'"),
        (CELLS + "a,1,2,3,4\nb,1,,3,4\n", "fn is empty at line 3 of t.csv; expected a whole number"),
        (CELLS + "a,1,2,3,4\nb,1,2.5,3,4\n", "fn holds '2.5' at line 3 of t.csv"),
        (CELLS + "a,1,-,3,4\n", "fn holds '-' at line 2 of t.csv"),
        (CELLS + "a,1,2,3,4\n,1,2,3,4\n", "name is empty at line 3 of t.csv"),
        (CELLS + "a,0,0,3,4\n", "'a' at line 2 of t.csv has no positives (tp + fn = 0), so it has no TPR."),
        (CELLS + "a,1,2,0,0\n", "'a' at line 2 of t.csv has no negatives (fp + tn = 0), so it has no FPR."),
        (CELLS + f"a,{2**53},2,3,4\n", "'a' at line 2 of t.csv: counts add up to more than 2**53"),
        (
            "fpr,tpr\n0.1,0.2\n0.1,1.2\n",
            "tpr holds '1.2' at line 3 of t.csv; expected a rate between 0 and 1.",
        ),
        ("fpr,tpr\n0.1,0.2\n-0.1,1\n", "fpr holds '-0.1' at line 3 of t.csv"),
        ("fpr,tpr\n10,80\n", "write percentages as shares: 0.25 for 25%."),
        ("fpr,tpr\n10%,80%\n", "fpr holds '10%' at line 2 of t.csv"),
        ("fpr,tpr\n,1\n", "fpr is empty at line 2 of t.csv"),
        ("fpr,tpr\nnan,1\n", "fpr holds 'nan' at line 2 of t.csv"),
    ],
)
def test_points_wrong(text: str, said: str, write: Any) -> None:
    assert said in refusal(tm.InputError, read_points, write(text))


def test_no_such_file(write: Any) -> None:
    assert "there is no file nowhere.csv." in refusal(tm.FileError, read_points, "nowhere.csv")


@pytest.mark.parametrize("named", ["grade", "bin"])
def test_a_last_row_that_adds_up_all_others_is_refused_whatever_it_is_called(write: Any, named: str) -> None:
    text = f"{named},positives,negatives\nA,10,1\nB,5,5\nwhole,15,6\n"
    assert refusal(tm.InputError, read_bins, write(text, "t.csv")) == (
        "the last row, at line 4 of t.csv, holds the sums of the bins; expected the bins alone. Hint: delete "
        "the row of totals; if it is a bin, say so with its edges, in columns low and high."
    )
    assert "bin 3, the last, holds the sums" in refusal(tm.InputError, read_bins, "10 1; 5 5; 15 6")


def test_bins_that_add_up_by_chance(write: Any) -> None:
    assert read_bins("5 5; 5 5").positives == (5, 5)
    edged = "low,high,positives,negatives\n0.6,1,10,1\n0.3,0.6,5,5\n0,0.3,15,6\n"
    assert read_bins(write(edged, "t.csv")).positives == (10, 5, 15)
