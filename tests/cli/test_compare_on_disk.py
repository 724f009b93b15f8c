"""`tallymark compare` with files that do not fit the memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tallymark.comparison.rows import joined_counts
from tallymark.intake.streams import size

ASKED = ["--actual", "y", "--predicted", "p", "--score", "s", "--id", "id"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two models; every file is taken for one of 3 MB."""
    monkeypatch.setattr(size, "estimated_bytes", lambda _: 3_000_000)
    rng = np.random.default_rng(4)
    y = rng.choice(["no", "yes"], 120)
    for name in ("tree", "forest"):
        score = np.clip(0.4 * (y == "yes") + rng.normal(0.3, 0.2, 120), 0, 1).round(2)
        answers = np.where(score > 0.55, "yes", "no")
        frame = pl.DataFrame({"id": [f"r{k}" for k in range(120)], "y": y, "p": answers, "s": score})
        frame[rng.permutation(120)].write_csv(tmp_path / f"{name}.csv")
    return [str(tmp_path / "tree.csv"), str(tmp_path / "forest.csv")]


def test_the_numbers_are_those_of_rows_in_memory(run: Any, files: list[str]) -> None:
    asked = ["compare", *files, *ASKED, "--positive", "yes", "--json"]
    in_memory, on_disk = (run(*asked, "--memory", allowed).json for allowed in ("1GB", "2MB"))
    assert [each["metric"] for each in in_memory["differences"]] == [
        each["metric"] for each in on_disk["differences"]
    ]
    for one, two in zip(in_memory["differences"], on_disk["differences"], strict=True):
        for key in ("value", "low", "high", "p_value"):
            assert two[key] == pytest.approx(one[key], rel=1e-9, abs=1e-12), one["metric"]
        assert one["test"] == two["test"]
    assert on_disk["agreement"] == in_memory["agreement"]
    assert on_disk["verdict"] == in_memory["verdict"]
    assert "rows were matched by their id." in on_disk["notes"]
    assert any("6 MB of memory, and 2 MB are allowed" in note for note in on_disk["notes"])


@pytest.mark.parametrize("suffix", ["txt", "md", "tex", "csv", "json"])
def test_every_output_can_be_written(run: Any, files: list[str], suffix: str, tmp_path: Path) -> None:
    out = tmp_path / f"out.{suffix}"
    found = run("compare", *files, *ASKED, "--positive", "yes", "--memory", "2MB", "-o", str(out))
    assert found.code == 0, found.err
    assert "auc" in out.read_text()


def test_a_file_with_scores_alone_is_cut(run: Any, files: list[str]) -> None:
    asked = [
        "--actual",
        "y",
        "--score",
        "s",
        "--id",
        "id",
        "--positive",
        "yes",
        "--threshold",
        "0.6",
        "--json",
    ]
    one, two = (run("compare", *files, *asked, "--memory", allowed).json for allowed in ("1GB", "2MB"))
    assert one["agreement"] == two["agreement"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--group", "y"], "groups are compared in memory only"),
        (["--approximate", "--tolerance", "1e-6"], "tolerance (--tolerance) is about one model"),
        (["--memory", "lots"], "memory is a size such as 500MB"),
    ],
    ids=["groups", "tolerance", "no size"],
)
def test_what_cannot_be_done_on_disk_is_one_line(
    run: Any, files: list[str], more: list[str], said: str
) -> None:
    found = run("compare", *files, *ASKED, "--positive", "yes", "--memory", "2MB", *more)
    assert found.code == 2
    assert said in found.err
    assert "Traceback" not in found.err


def test_without_an_id_one_is_asked_for(run: Any, files: list[str]) -> None:
    for file in files:
        pl.read_csv(file).rename({"id": "number"}).write_csv(file)
    found = run("compare", *files, "--actual", "y", "--predicted", "p", "--memory", "2MB")
    assert found.code == 2
    assert "--id COLUMN" in found.err


def test_scores_that_do_not_fit_are_no_crash(
    run: Any, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joined_counts, "_MERGING", 1_000)
    found = run("compare", *files, *ASKED, "--positive", "yes", "--memory", "2MB")
    assert found.code == 2
    assert "every score is kept to compare areas exactly" in found.err


def test_a_file_that_is_not_there_is_told_as_ever(run: Any, files: list[str]) -> None:
    found = run("compare", files[0], "nowhere.csv", *ASKED, "--positive", "yes", "--memory", "2MB")
    assert found.code == 2
    assert "nowhere.csv" in found.err
