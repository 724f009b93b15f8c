"""`--weight`, `--group` and `--slice` as they are typed: what comes out, and every way to get them wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

HEADER = "id,actual,predicted,score,w,patient,region,a*b\n"
ROWS = [
    f"{number},{'yes' if number % 3 else 'no'},{'yes' if number % 4 else 'no'},0.{number % 9},"
    f"{1 + number % 3},p{number // 4},{'north' if number % 5 else 'south'},{'xy'[number % 2]}"
    for number in range(48)
]
DATA = HEADER + "\n".join(ROWS) + "\n"
COMMAND = ("evaluate", "data.csv", "--actual", "actual", "--predicted", "predicted", "--positive", "yes")


@pytest.fixture(autouse=True)
def _data(run: Any) -> None:
    Path("data.csv").write_text(DATA)


def weights(*values: str) -> str:
    """The first rows with these in column w; they begin on line 2."""
    lines = [row.split(",") for row in ROWS]
    for line, value in zip(lines, values, strict=False):
        line[4] = value
    return HEADER + "\n".join(",".join(line) for line in lines) + "\n"


# --- what comes out --------------------------------------------------------------------------


def test_weights(run: Any) -> None:
    form = run(*COMMAND, "--weight", "w", "--json").json
    assert form["rows"] == 48
    # Weights 1, 2, 3 in turn: 96 in all, and 16 (1 + 4 + 9) = 224 squared.
    assert sum(map(sum, form["confusion"]["matrix"])) == 96
    accuracy = form["metrics"]["accuracy"]
    assert accuracy["n"] == pytest.approx(96**2 / 224)
    assert accuracy["assumption"] == "independent rows; n is Kish's effective number of them"
    text = " ".join(run(*COMMAND, "--weight", "w").out.split())
    assert "The weights add up to 96, worth 41.1" in text


def test_frequencies(run: Any) -> None:
    form = run(*COMMAND, "--weight", "w", "--weight-kind", "frequency", "--json").json
    assert form["rows"] == form["metrics"]["accuracy"]["n"] == 96
    assert form["notes"] == ["weights are frequencies: 48 lines stand for 96 rows."]


def test_groups(run: Any) -> None:
    form = run(*COMMAND, "--group", "patient", "--json").json
    methods = {each["method"] for each in form["metrics"].values() if each.get("low") is not None}
    assert methods == {"group_bootstrap"}
    assert form["metrics"]["recall"]["assumption"] == "independent groups (12 of them)"
    text = " ".join(run(*COMMAND, "--group", "patient").out.split())
    assert "take the 12 groups (not the rows) as independent" in text


def test_slices(run: Any) -> None:
    form = run(*COMMAND, "--slice", "region", "--slice", "region*a*b", "--slice", "a*b", "--json")
    assert form.code == 2  # `region*a*b` is region, a and b
    form = run(*COMMAND, "--slice", "region", "--slice", "a*b", "--json").json
    assert [part["slice"] for part in form["slices"]] == [
        {"region": "north"},
        {"region": "south"},
        {"a*b": "x"},
        {"a*b": "y"},
    ]
    assert [part["rows"] for part in form["slices"]] == [38, 10, 24, 24]


def test_everything_at_once(run: Any) -> None:
    options = (
        "--weight",
        "w",
        "--group",
        "patient",
        "--slice",
        "region",
        "--costs",
        '{"yes": {"no": 3}, "no": {"yes": 1}}',
    )
    form = run(*COMMAND, *options, "--json").json
    south = form["slices"][1]
    assert south["slice"] == {"region": "south"}
    assert south["metrics"]["mean_cost"]["method"] == "group_bootstrap"
    assert set(south["differences"]) == {"accuracy", "recall", "precision", "f1"}
    result = run(*COMMAND, *options)
    assert (result.code, result.err) == (0, "")
    for word in ("Slices", "south", "few rows", "Bonferroni", "Costs"):
        assert word in result.out


def test_a_score_and_slices(run: Any) -> None:
    command = ("evaluate", "data.csv", "--actual", "actual", "--score", "score", "--positive", "yes")
    form = run(*command, "--threshold", "best:f1", "--weight", "w", "--slice", "region", "--json").json
    assert form["threshold"] is not None
    assert len(form["slices"]) == 2


def test_the_same_column_for_groups_and_slices(run: Any) -> None:
    form = run(*COMMAND, "--group", "region", "--slice", "region", "--json").json
    for part in form["slices"]:
        accuracy = part["metrics"]["accuracy"]
        assert accuracy["low"] is None
        assert accuracy["note"] == "all rows are of one group, so there is nothing to resample"


def test_csv_and_json_files_have_the_slices(run: Any) -> None:
    assert run(*COMMAND, "--slice", "region", "-o", "out.csv").code == 0
    assert "region=south" in Path("out.csv").read_text()
    assert run(*COMMAND, "--slice", "region", "-o", "out.json").code == 0
    assert len(json.loads(Path("out.json").read_text())["slices"]) == 2


def test_the_seed(run: Any) -> None:
    def low(*options: str) -> Any:
        return run(*COMMAND, "--group", "patient", "--json", *options).json["metrics"]["mcc"]["low"]

    assert low() == low("--seed", "0") != low("--seed", "1")


def test_missing_values_are_dropped_and_counted_by_role(run: Any) -> None:
    lines = DATA.splitlines()
    for place, column in ((3, 4), (5, 5), (6, 6), (7, 6)):
        cells = lines[place].split(",")
        cells[column] = ""
        lines[place] = ",".join(cells)
    Path("data.csv").write_text("\n".join(lines) + "\n")
    options = ("--weight", "w", "--group", "patient", "--slice", "region")
    result = run(*COMMAND, *options)
    assert result.code == 2
    assert (
        "weight (column 'w') is missing in 1 of 48 rows, at line 4; "
        "group (column 'patient') is missing in 1 of 48 rows, at line 6; "
        "slice (column 'region') is missing in 2 of 48 rows, at lines 7 and 8."
    ) in result.err
    form = run(*COMMAND, *options, "--drop-missing", "--json").json
    assert form["dropped"] == {"missing_weight": 1, "missing_group": 1, "missing_slice": 2}
    assert form["rows"] == 44


# --- what is refused -------------------------------------------------------------------------

NO_COLUMN = "data.csv has no column 'nowhere'; its columns are 'id', 'actual', "


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (("1", "-2"), "weight (column 'w') holds -2 at line 3; weights are 0 or more."),
        (
            ("1", "-2", "1", "-0.5"),
            "weight (column 'w') holds -2, -0.5 at lines 3 and 5; weights are 0 or more.",
        ),
        (("1", "heavy"), "weight (column 'w') holds 'heavy' at line 3; numbers are expected."),
        (("NA",), "weight (column 'w') holds 'NA' at line 2"),
        (("", "1", ""), "weight (column 'w') is missing in 2 of 48 rows, at lines 2 and 4."),
        (("0",) * 48, "weight (column 'w') is 0 in every row, so no row would count."),
        (("1", "1e300"), "weight (column 'w') holds 1e+300 at line 3; the largest weight must lie between"),
        (("1e999",), "weight (column 'w') is infinite in 1 row, at line 2; finite numbers are expected."),
        (("1", "inf"), "weight (column 'w') is infinite in 1 row, at line 3; finite numbers are expected."),
        (("-inf",), "weight (column 'w') is infinite in 1 row, at line 2; finite numbers are expected."),
        (("nan",), "weight (column 'w') "),
        (("1,5",), "data.csv"),
    ],
)
def test_bad_weights_are_one_line_with_the_place(run: Any, values: tuple[str, ...], said: str) -> None:
    Path("data.csv").write_text(weights(*values))
    result = run(*COMMAND, "--weight", "w")
    assert (result.code, result.out) == (2, "")
    assert result.err.count("\n") == 1
    assert said in result.err
    if "every row" not in said:
        assert "line" in result.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--weight", "nowhere"), NO_COLUMN),
        (("--group", "nowhere"), NO_COLUMN),
        (("--slice", "nowhere"), NO_COLUMN),
        (("--slice", "region*nowhere"), NO_COLUMN),
        (("--weight", ""), "data.csv has no column ''"),
        (("--weight", "actual"), "column 'actual' is named for two roles; a column has one."),
        (("--weight", "predicted"), "column 'predicted' is named for two roles; a column has one."),
        (("--weight", "w", "--score", "w"), "column 'w' is named for two roles; a column has one."),
        (("--weight", "id", "--id", "id"), "column 'id' is named for two roles; a column has one."),
        (
            ("--weight", "region"),
            "weight (column 'region') holds 'south', 'north' at lines 2, 3, 4 and 45 more",
        ),
        (("--weight", "score", "--weight-kind", "frequency"), "frequencies are whole numbers"),
        (("--weight", "w", "--weight-kind", "often"), "'often' is not one of 'sampling', 'frequency'"),
        (("--slice", "region", "--slice", "region"), "slice 'region' is given twice."),
        (("--slice", "region*region"), "a slice is a column, or different columns crossed by *"),
        (("--slice", ""), "a slice is a column, or different columns crossed by *"),
    ],
)
def test_bad_options_are_one_line(run: Any, options: tuple[str, ...], said: str) -> None:
    result = run(*COMMAND, *options)
    assert (result.code, result.out) == (2, "")
    assert result.err.count("\n") == 1
    assert said in result.err


def test_one_group(run: Any) -> None:
    Path("data.csv").write_text(HEADER + "\n".join(ROWS[:4]) + "\n")
    result = run(*COMMAND, "--group", "patient")
    assert (result.code, result.out) == (2, "")
    assert "all rows are of one group, 'p0'; groups are resampled, so it takes two." in result.err


def test_too_many_slices(run: Any) -> None:
    rows = "\n".join(f"yes,yes,s{number}" for number in range(1_001))
    Path("many.csv").write_text(f"actual,predicted,part\n{rows}\n")
    result = run("evaluate", "many.csv", "--slice", "part")
    assert (result.code, result.out) == (2, "")
    assert "slicing by 'part' gives 1,001 slices; at most 1,000 are made." in result.err
