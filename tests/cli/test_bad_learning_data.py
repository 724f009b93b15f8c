"""Data that cannot be used, and numbers that cannot be had, are one line and exit code 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

HEAD = "id,x,colour,patient,y\n"
ROWS = [f"{i},{i % 7},{'red' if i % 3 else 'blue'},p{i % 5},{'yes' if i % 2 else 'no'}" for i in range(20)]
FILES = {
    "rows.csv": HEAD + "\n".join(ROWS) + "\n",
    "other.csv": "a,b\n1,2\n3,4\n",
    "one_class.csv": "x,y\n1,a\n2,a\n3,a\n",
    "hole.csv": HEAD + "\n".join([*ROWS[:3], "3,1,red,p1,", *ROWS[4:]]) + "\n",
    "odd.csv": "x,y\n" + "\n".join(f"{'?' if i == 4 else i},{i % 2}" for i in range(20)) + "\n",
    "empty.csv": "",
    "head.csv": HEAD,
    "bare.csv": "y\n" + "yes\nno\n" * 10,
}
ROWS_Y = ("rows.csv", "--target", "y")
VALIDATE = ("validate", *ROWS_Y, "--model", "bayes")
TUNE = ("tune", *ROWS_Y, "--model", "tree")
LEARN = ("learn", *ROWS_Y, "--model", "bayes")
PERMUTE = ("permute", *ROWS_Y, "--model", "bayes")

# The texts of these belong to the readers of tables and to the splitters, and are tested there word by word.
UNUSABLE: list[tuple[tuple[str, ...], str]] = [
    (("validate", "nowhere.csv", *VALIDATE[2:]), "there is no file nowhere.csv"),
    (("validate", "empty.csv", *VALIDATE[2:]), "empty.csv is empty"),
    (("validate", "head.csv", *VALIDATE[2:]), "there are no rows in head.csv"),
    (("validate", "bare.csv", *VALIDATE[2:]), "there is no column to learn from"),
    (("validate", "one_class.csv", *VALIDATE[2:]), "all 3 rows are of one class"),
    (("validate", "hole.csv", *VALIDATE[2:]), "--drop-missing"),
    (("validate", "odd.csv", *VALIDATE[2:]), "--missing '?'"),
    (("validate", "rows.csv", "other.csv", *VALIDATE[2:]), "other.csv"),
    (("validate", "rows.csv", "--target", "nobody", "--model", "bayes"), "'nobody'"),
    ((*VALIDATE, "--features", "nobody"), "'nobody'"),
    ((*VALIDATE, "--features", "x,y"), "'y'"),
    ((*VALIDATE, "--ignore", "nobody"), "'nobody'"),
    ((*VALIDATE, "--ignore", "x,id,colour,patient"), "there is no column to learn from"),
    ((*VALIDATE, "--features", "x", "--ignore", "x"), "'x'"),
    ((*VALIDATE, "--id", "colour"), "unique"),
    ((*VALIDATE, "--text", "nobody"), "'nobody'"),
    ((*VALIDATE, "--group", "nobody"), "'nobody'"),
    ((*VALIDATE, "--method", "group:nobody"), "'nobody'"),
    ((*VALIDATE, "--method", "pairs:patient,nobody"), "'nobody'"),
    ((*VALIDATE, "--method", "kfold:30"), "30 folds cannot be made of 20 rows"),
    ((*VALIDATE, "--method", "fold:10"), "did you mean kfold:10"),
    ((*VALIDATE, "--positive", "maybe"), "'maybe' is not a label"),
    ((*VALIDATE, "--labels", "yes,maybe"), "'no'"),
    ((*VALIDATE, "--metric", "recall"), "--positive"),
    ((*VALIDATE, "--metric", "mean_cost"), "--costs"),
    ((*VALIDATE, "--metric", "subset_accuracy"), "several labels"),
    ((*VALIDATE, "--confidence", "95"), "write 0.95"),
    ((*TUNE, "--param", "max_dept=1,2"), "did you mean max_depth"),
    ((*TUNE, "--param", "max_depth=a"), "must be an int"),
    ((*TUNE, "--method", "nested:5x1"), "inner folds"),
    ((*TUNE, "--metric", "prevalence"), "neither better nor worse"),
    ((*TUNE, "--metric", "recall"), "--positive yes"),
    ((*LEARN, "--schedule", "5,100"), "100"),
    ((*LEARN, "--start", "100"), "100"),
    ((*LEARN, "--factor", "1"), "above 1"),
    ((*LEARN, "--repeats", "0"), "from 1 up"),
    ((*LEARN, "--progressive", "--tolerance", "0"), "above 0"),
    ((*PERMUTE, "--param", "foo=1"), "there is no parameter 'foo'"),
    ((*PERMUTE, "--metric", "prevalence"), "neither better nor worse"),
    ((*PERMUTE, "--metric", "recall"), "--positive yes"),
]


@pytest.fixture(autouse=True)
def files(run: Any) -> None:
    for name, content in FILES.items():
        Path(name).write_text(content)


@pytest.mark.parametrize(
    ("arguments", "part"),
    UNUSABLE,
    ids=[f"{place} {' '.join(call)[-40:]}" for place, (call, _) in enumerate(UNUSABLE)],
)
def test_unusable_input_is_one_line(run: Any, arguments: tuple[str, ...], part: str) -> None:
    result = run(*arguments)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert result.err.startswith("tallymark: ")
    assert part in result.err
    assert ".." not in result.err
