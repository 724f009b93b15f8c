"""`tallymark tally`: parts counted apart give the numbers of the whole, or bounds that hold them."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tallymark.tallies.tally import Tally

REGIONS, DIGITS = ("north", "south", "west"), ("1", "2", "10")


def table() -> list[dict[str, Any]]:
    """Sixty rows in which every column says something else."""
    rows = []
    for i in range(60):
        score = (i * 37 % 61 + 1) / 63
        positive = int((i * 53 % 17) / 17 < 0.2 + 0.6 * score)
        rows.append(
            {
                "y": positive,
                "word": ("no", "yes")[positive],
                "p": int(score >= 0.4),
                "s": f"{score:.4f}",
                "far": f"{score * 20 - 8:.3f}",
                "f": i % 4,
                "w": f"{(i * 7 % 11) / 4:.2f}",
                "region": REGIONS[i * 5 % 3],
                "three": DIGITS[i // 20],
                "guess": DIGITS[i // 20 if i % 3 else i % 2],
                "holes": "" if i % 9 == 0 else f"{score:.4f}",
            }
        )
    return rows


def write(rows: list[dict[str, Any]], name: str) -> None:
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    Path(name).write_text("\n".join(lines) + "\n")


def differences(one: Any, two: Any, at: str = "") -> Iterator[str]:
    """Where two JSON documents differ by more than the order of adding."""
    if isinstance(one, dict) and isinstance(two, dict) and list(one) == list(two):
        for name in one:
            yield from differences(one[name], two[name], f"{at}.{name}")
    elif isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        for place, (first, second) in enumerate(zip(one, two, strict=True)):
            yield from differences(first, second, f"{at}.{place}")
    elif isinstance(one, float) and isinstance(two, float):
        if not math.isclose(one, two, rel_tol=1e-12, abs_tol=1e-14):
            yield f"{at}: {one} and {two}"
    elif one != two:
        yield f"{at}: {one} and {two}"


COSTS = '--costs \'{"no": {"yes": 1}, "yes": {"no": 5}}\''
# What is said when rows are counted, and what when the counts are evaluated.
SHAPES = {
    "labels": ("--actual y --predicted p", ""),
    "score": ("--actual y --score s", ""),
    "score cut": ("--actual y --score s", "--threshold 0.3"),
    "score cut when counted": ("--actual y --score s --threshold 0.3", ""),
    "best threshold": ("--actual y --score s", "--threshold best:f1"),
    "both": ("--actual y --score s --predicted p", ""),
    "named class": ("--actual word --score s --positive yes", COSTS),
    "weights": ("--actual y --score s --weight w", ""),
    "weighted labels": ("--actual y --predicted p --weight w --slice region", ""),
    "frequencies": ("--actual y --score s --weight f --weight-kind frequency", ""),
    "slices": ("--actual y --score s --slice region --slice region*p", ""),
    "slices of both": ("--actual y --score s --predicted p --slice f --weight f", ""),
    "groups": ("--actual y --score s --group region", ""),
    "groups of both": ("--actual y --score s --predicted p --group f --weight w --slice region", ""),
    "three labels": ("--actual three --predicted guess", "--undefined 0"),
    "three labels, one named later": ("--actual three --predicted guess", "--positive 10"),
    "three labels, one with a score": ("--actual three --predicted guess --score s --positive 2", ""),
    "three labels against one": ("--actual three --score s --positive 2", ""),
    "declared labels": ("--actual three --predicted guess --labels 10,1,2,7", ""),
    "dropped rows": ("--actual y --score holes --drop-missing", ""),
    "a word for missing": ("--actual three --predicted guess --drop-missing --missing 2", ""),
    "outside": ("--actual y --score far", ""),
    "outside, cut": ("--actual y --score far", "--threshold 1.5"),
    "clip": ("--actual y --score s --clip 0.01", ""),
    "clip when evaluated": ("--actual y --score s", "--clip 0.01"),
    "what is asked later": (
        "--actual y --score s",
        "--prevalence 0.1 --confidence 0.9 --metric partial_auc:0.2 --metric f_beta:2 --seed 3",
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_parts_counted_apart_give_the_numbers_of_the_whole(shape: str, run: Any) -> None:
    counting, asking = map(shlex.split, SHAPES[shape])
    rows = table()
    write(rows, "whole.csv")
    parts = ["a.tally", "b.tally", "c.tally"]
    # In the first part there is one of the three labels only, in the second there are two.
    for name, part in zip(parts, (rows[:20], rows[20:47], rows[47:]), strict=True):
        write(part, f"{name}.csv")
        assert run("tally", f"{name}.csv", *counting, "--quiet", "-o", name).code == 0
    assert run("merge", *parts, "-o", "all.tally", "--quiet").code == 0
    in_memory = run("evaluate", "whole.csv", *counting, *asking, "--json").json
    assert list(differences(in_memory, run("evaluate", "all.tally", *asking, "--json").json)) == []
    assert list(differences(in_memory, run("evaluate", *parts, *asking, "--json").json)) == []


GRIDS = {
    "score": ("--actual y --score s", "--approximate", ""),
    "weights and slices": ("--actual y --score s --weight w --slice region", "--approximate", ""),
    "cut": ("--actual y --score s --threshold 0.3", "--approximate", ""),
    "outside": ("--actual y --score far --threshold 0", "--approximate --grid -10:15", ""),
}


def bounded(exact: Any, found: Any, at: str = "") -> int:
    """How many numbers have bounds; the exact ones must lie in them, and others be equal."""
    seen = 0
    if isinstance(found, dict) and "value" in found:
        if "bounds" in found and found["value"] is not None:
            low, high = found["bounds"]
            assert low - 1e-12 <= exact["value"] <= high + 1e-12, at
            return 1
        if exact.get("value") is not None and found["value"] is not None:
            assert found["value"] == pytest.approx(exact["value"], rel=1e-9), at
    elif isinstance(found, dict):
        for name in found.keys() & exact.keys() - {"findings", "curves", "notes"}:
            seen += bounded(exact[name], found[name], f"{at}.{name}")
    elif isinstance(found, list) and isinstance(exact, list):
        for place, (one, two) in enumerate(zip(exact, found, strict=True)):
            seen += bounded(one, two, f"{at}.{place}")
    return seen


@pytest.mark.parametrize("shape", GRIDS)
def test_on_a_grid_bounds_hold_the_numbers_of_the_whole(shape: str, run: Any, monkeypatch: Any) -> None:
    # Bins so wide that several scores share one.
    monkeypatch.setattr("tallymark.evaluation.streamed.BINS", 8)
    counting, grid, asking = map(shlex.split, GRIDS[shape])
    rows = table()
    write(rows, "whole.csv")
    for name, part in (("a", rows[:31]), ("b", rows[31:])):
        write(part, f"{name}.csv")
        assert run("tally", f"{name}.csv", *counting, *grid, "-o", f"{name}.tally", "--quiet").code == 0
    exact = run("evaluate", "whole.csv", *counting, *asking, "--json").json
    found = run("evaluate", "a.tally", "b.tally", *asking, "--json").json
    assert bounded(exact, found) >= 5
    assert found["metrics"]["auc"]["bounds"][0] < found["metrics"]["auc"]["bounds"][1]
    assert any("8 bins from" in note for note in found["notes"])


# --- what is said ---------------------------------------------------------------------------------------


def test_what_was_written_is_said(run: Any) -> None:
    result = run("tally", "missing.csv", "--drop-missing", "-o", "part.tally")
    assert (result.code, result.out) == (0, "")
    assert re.fullmatch(
        "note: column 'actual' was taken as actual \\(guessed from its name\\).\n"
        "note: column 'predicted' was taken as predicted \\(guessed from its name\\).\n"
        "wrote part.tally: 3 rows, 1 left out \\(missing predicted\\), [0-9]+ bytes\n",
        result.err,
    )
    assert run("tally", "missing.csv", "--drop-missing", "-o", "other.tally", "--quiet").err == ""
    notes = run("evaluate", "part.tally", "--json").json["notes"]
    assert notes[0] == "column 'actual' was taken as actual (guessed from its name)."


def test_standard_input(run: Any) -> None:
    said = run("tally", "-", "-o", "part.tally", stdin="actual,predicted\n1,1\n0,1\n")
    assert said.err.endswith("wrote part.tally: 2 rows, " + said.err.rpartition("rows, ")[2])
    assert Tally.load("part.tally").sources == ("standard input",)
    whole = run("evaluate", "-", "--json", stdin=Path("part.tally").read_bytes()).json
    assert whole["confusion"]["matrix"] == [[0, 1], [0, 1]]


def test_several_files_are_one_table(run: Any) -> None:
    Path("parts").mkdir()
    write(table()[:30], "parts/1.csv")
    write(table()[30:], "parts/2.csv")
    write(table(), "whole.csv")
    options = ("--actual", "y", "--score", "s", "--quiet")
    assert run("tally", "whole.csv", *options, "-o", "whole.tally").code == 0
    for given in (["parts"], ["parts/*.csv"], ["parts/1.csv", "parts/2.csv"]):
        assert run("tally", *given, *options, "-o", "parts.tally", "--force").code == 0
        assert Tally.load("parts.tally") == Tally.load("whole.tally")
        assert Tally.load("parts.tally").sources == tuple(given)


CURVES = {
    "roc": "", "pr": "", "gains": "--share 0.2", "thresholds": "", "calibration": "", "cost-curve": "",
    "decision-curve": "", "rejection": "", "decide": "--costs '{\"0\":{\"1\":1},\"1\":{\"0\":5}}'",
}  # fmt: skip


@pytest.mark.parametrize("command", CURVES)
def test_every_curve_of_a_tally_is_that_of_its_rows(command: str, run: Any) -> None:
    write(table(), "rows.csv")
    options = ("--actual", "y", "--score", "s")
    assert run("tally", "rows.csv", *options, "-o", "rows.tally", "--quiet").code == 0
    asked = (*shlex.split(CURVES[command]), "--json")
    exact = run(command, "rows.csv", *options, *asked).json
    assert list(differences(exact, run(command, "rows.tally", *asked).json)) == []
    # Without scores there is no curve, and that is said in one line.
    assert run("tally", "answers.csv", "-o", "answers.tally", "--quiet").code == 0
    refused = run(command, "answers.tally", *asked)
    assert refused.code == 2
    assert "needs scores, and answers.tally holds counts of answers only. Hint: count the rows" in refused.err


BAD = {
    "no output": ("tally digits.csv", "a tally is written to a file, and none is named. Hint: add -o"),
    "no file": ("tally -o x.tally", "FILE is missing."),
    "other suffix": ("tally digits.csv -o x.csv", "the name of a tally ends in .tally."),
    "there already": ("tally digits.csv -o old.tally", "'old.tally' exists already. Hint: use --force"),
    "groups on a grid": (
        "tally scores.csv --actual y --score s --positive yes --group s --approximate -o x.tally",
        "groups are resampled with the exact scores of their rows, so these are not counted on a grid.",
    ),
    "groups of a tally": ("evaluate old.tally --group predicted", "--group (in Python groups=) was settled"),
    "id": ("tally digits.csv --id actual -o x.tally", "ids need rows"),
    "votes": ("tally digits.csv --votes actual,predicted -o x.tally", "votes need rows"),
    "tolerance": (
        "tally scores.csv --actual y --score s --approximate --tolerance 0.1 -o x.tally",
        "--tolerance would give every part bins of its own",
    ),
    "grid": ("tally scores.csv --approximate --grid 1 -o x.tally", "LOW:HIGH, such as -5:5; got '1'"),
    "grid alone": ("tally scores.csv --grid 0:1 -o x.tally", "a grid is about approximate numbers"),
    "best": ("tally scores.csv --actual y --score s --threshold best -o x.tally", "'best' takes all parts"),
    "class": (
        "tally scores.csv --actual y --score s -o x.tally",
        "a score needs to know the positive class; the labels are ['no', 'yes']",
    ),
    "of a tally": ("tally old.tally -o x.tally", "old.tally holds counts already. Hint: `tallymark merge`"),
    "missing": ("tally missing.csv -o x.tally", "is missing in 1 of 4 rows, at line 3"),
    "settled": ("evaluate old.tally --predicted predicted", "--predicted (in Python predicted=) was settled"),
    "mixed": ("evaluate old.tally digits.csv", "old.tally holds counts and digits.csv does not"),
    "other class": ("evaluate scored.tally --positive no", "the scores were counted as those of 'yes'"),
    "order of rows": ("roc scored.tally --construction sequential", "goes by the order of the rows"),
    "compared": ("compare old.tally scored.tally", "old.tally holds counts, and this needs rows"),
    "costs without names": (
        "evaluate old.tally --costs '0 5; 1 0'",
        "Hint: name the labels in the costs; their order is stated when rows are counted.",
    ),
    "narrower": ("evaluate old.tally --tolerance 1e-6", "--tolerance (in Python tolerance=) needs rows"),
    "cut answers": ("evaluate old.tally --threshold 0.3", "the answers are given, so a threshold has"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused(name: str, run: Any) -> None:
    assert run("tally", "digits.csv", "-o", "old.tally").code == 0
    scored = shlex.split("tally scores.csv --actual y --score s --positive yes -o scored.tally")
    assert run(*scored).code == 0
    command, said = BAD[name]
    result = run(*shlex.split(command))
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert result.err.count("\n") == 1
    assert not Path("x.tally").exists()


def test_scores_outside_the_grid_say_which_to_name(run: Any) -> None:
    write(table(), "rows.csv")
    result = run(*shlex.split("tally rows.csv --actual y --score far --approximate -o x.tally"))
    assert result.code == 2
    assert "a grid from 0 to 1, and these reach from -7.683 to 11.365." in result.err
    hint = re.search(r"--grid (\S+)", result.err)
    assert hint
    again = "tally rows.csv --actual y --score far --approximate -o x.tally --grid"
    assert run(*shlex.split(again), hint[1]).code == 0


def test_an_interruption_while_counting_leaves_nothing(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    before = sorted(Path.cwd().iterdir())
    monkeypatch.setattr("tallymark.intake.streams.passes.Adding.add", interrupted)
    result = run("tally", "digits.csv", "-o", "part.tally")
    assert (result.code, result.err) == (130, "tallymark: interrupted.\n")
    assert sorted(Path.cwd().iterdir()) == before
