"""`compare`: every option is that of Python; figures as printed; which rows are the same."""

import gzip
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from statsmodels.stats.contingency_tables import mcnemar

import tallymark as tm
from command_lines import calls, different, keywords, write

N = 300
NAMES = ("tree", "forest", "coin")


@cache
def table() -> dict[str, Any]:
    """Three models' scores and predictions: one good, one better, one that tosses a coin."""
    chance = np.random.default_rng(6)
    y = chance.integers(0, 2, N)
    scores = {
        name: np.round(1 / (1 + np.exp(-(2 * y - 1) * pull - chance.normal(0, 1.2, N))), 3)
        for name, pull in zip(NAMES, (0.9, 1.5, 0.0), strict=True)
    }
    says = {f"{name}_says": (score >= 0.5).astype(int) for name, score in scores.items()}
    site, weight = chance.integers(0, 30, N), chance.integers(1, 4, N)
    return {"id": np.arange(500, 500 + N), "y": y, **scores, **says, "site": site, "w": weight}


def right(name: str) -> Any:
    return table()[f"{name}_says"] == table()["y"]


def pair(a: str = "tree", b: str = "forest") -> list[list[int]]:
    """Both right, a only; b only, neither."""
    one, two = right(a), right(b)
    return [[int((x & y).sum()) for y in (two, ~two)] for x in (one, ~one)]


@pytest.fixture(autouse=True)
def files(run: Any) -> None:
    data = table()
    pl.DataFrame(data).write_csv("one.csv")
    for name in NAMES[:2]:
        columns = {"id": "id", "actual": "y", "predicted": f"{name}_says", "w": "w", "site": "site"}
        pl.DataFrame({new: data[old] for new, old in columns.items()}).write_csv(f"{name}.csv")
        scored = pl.DataFrame({"id": data["id"], "actual": data["y"], "score": data[name]})
        scored.write_csv(f"{name}_scores.csv")
    pl.read_csv("forest.csv").sample(fraction=1, shuffle=True, seed=1).write_csv("shuffled.csv")


def compared(run: Any, line: str, **more: Any) -> Any:
    return run(f"compare {line} --json", **more).json


COLUMNS = "one.csv --actual y --model tree=tree --model forest=forest"
FILES = "tree.csv forest.csv"


def without_notes(form: dict[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in form.items() if key not in ("notes", "findings")}


def test_options_are_those_of_python(run: Any) -> None:
    chance = np.random.default_rng(3)
    y = np.array(list("abc"))[chance.integers(0, 3, 90)]
    for name in ("k1", "k2"):
        odds = chance.gamma(1 + (y[:, None] == np.array(list("abc"))))
        shares = odds / odds.sum(1, keepdims=True)
        columns = {f"p_{label}": shares[:, place] for place, label in enumerate("abc")}
        pl.DataFrame({"id": np.arange(90), "y": y, **columns}).write_csv(f"{name}.csv")
    folds = 0.8 + chance.normal(0, 0.02, (10, 3)).round(4) + [0, 0.03, -0.01]
    scores = {name: folds[:, place] for place, name in enumerate(NAMES)}
    pl.DataFrame({"fold": range(1, 11), **scores}).write_csv("folds.csv")
    pl.DataFrame({"dataset": [f"set {k}" for k in range(10)], **scores}).write_csv("sets.csv")
    long = "part,learner,points\n" + "".join(
        f"{k},{name},{100 * score:.2f}\n" for name in NAMES[:2] for k, score in enumerate(scores[name])
    )
    by_set = [f"d{k % 3},{k},{name},{scores[name][k]}\n" for name in NAMES[:2] for k in range(9)]
    sized = [f"iris,1,{k},{name},{scores[name][k]},90,10" for name in NAMES[:2] for k in range(10)]
    head = "dataset,run,fold,model,score,n_train,n_test"
    write(
        {
            "long.csv": long,
            "sized.csv": "\n".join([head, *sized]) + "\n",
            "long_sets.csv": "dataset,fold,model,score\n" + "".join(by_set),
            "gap.csv": "fold,a,b\n1,.8,.7\n2,,.6\n3,.7,.5\n4,.9,.8\n",
        }
    )
    text = """
        $FILES
        $FILES {--id id|--same-rows|--group site|--weight w|--actual actual --predicted predicted}
        $FILES --other-rows --method {newcombe|wald|mee}
        $FILES --test {mid_p|permutation|exact} --alternative {two-sided|greater|less}
        $FILES --test {uncorrected|corrected}
        $FILES --weight w --weight-kind frequency
        $THREE --test corrected --metric accuracy --adjust {holm|bonferroni}
        $FILES --group site --seed 4 --permutations 500
        $FILES --positive 0 --metric recall
        $FILES --metric f1 --metric prevalence
        $FILES --margin 0.05 --confidence 0.9
        $FILES --labels 0,1 --costs '0 1; 10 0' --metric mean_cost
        $COLUMNS --labels 0,1 --costs '0 1; 10 0' --threshold best:cost
        $COLUMNS --threshold 0.3 --clip 0.1 --metric log_loss
        --model tree=tree_scores.csv --model forest=forest.csv
        --model tree=k1.csv --model forest=k2.csv --actual y --probabilities a=p_a,b=p_b,c=p_c
        # scores by fold and by data set
        folds.csv --per fold --adjust {holm|shaffer}
        $BY_FOLD
        $BY_FOLD --n-train 200 --n-test 100
        $BY_FOLD {--runs 2|--runs 5|--independent-training|--rope 0.02|--metric log_loss}
        $BY_FOLD --metric minutes --better lower
        gap.csv --per fold --drop-missing
        long.csv --per fold --scale percent --columns fold=part,model=learner,score=points --metric accuracy
        sized.csv --per fold
        sets.csv --per dataset
        sets.csv --per dataset --adjust {shaffer|bergmann_hommel}
        long_sets.csv --per dataset --baseline forest
        sets.csv --per dataset $OF_TWO --alternative less
    """
    of_two = "--model tree=tree --model forest=forest"
    names = {
        "THREE": "one.csv --actual y " + " ".join(f"--model {name}={name}_says" for name in NAMES),
        "FILES": FILES,
        "COLUMNS": COLUMNS,
        "OF_TWO": of_two,
        "BY_FOLD": f"folds.csv --per fold {of_two}",
    }
    wrong = []
    for call, words in calls(text, **names).items():
        given, options = keywords(words, "model metric")
        models = {name: of for each in options.pop("model", []) for name, of in each.items()}
        data: Any = given[0] if len(given) == 1 else models or {Path(file).stem: file for file in given}
        metric, *more = options.pop("metric", [None])
        asked = options | {"metric": metric, "metrics": more}
        asked |= {"models": models} if len(given) == 1 and models else {}
        here, there = without_notes(compared(run, call)), without_notes(tm.compare(data, **asked).to_dict())
        wrong += [f"{call}: {key}" for key in {*different(here, there), *(here.keys() - there.keys())}]
    assert wrong == []


def test_figures_alone(run: Any, documents: Any) -> None:
    matrices = "compare --matrix 'M1=150 40; 60 250' --matrix"
    of_same_rows = float(mcnemar([[0, 60], [100, 0]], exact=False, correction=True).pvalue)
    cases = {
        "compare --accuracy 0.85:30 --accuracy M2=0.75:5000": {
            "differences/0/value": 0.1, "models/*/name": ["M1", "M2"], "winner": None,
        },
        "compare --accuracy a=0.9:400 --accuracy b=0.8:400 --accuracy c=0.6:400": {"winner": "a"},
        # the more accurate model is the more expensive one
        f"{matrices} 'M2=250 45; 5 200' --labels +,- --costs '-1 100; 1 0'": {
            "design": "other rows", "differences/0/value": 0.8 - 0.9,
            "differences/*/value": lambda found: (3910 - 4255) / 500 in map(pytest.approx, found),
            "findings/*/code": ["TM016"],
        },
        # The pairing that is least sure: no row is wrong in both, as far as the classes allow.
        f"{matrices} 'M2=170 20; 40 270' --same-rows --test corrected": {
            "differences/0/value": 0.8 - 0.88, "differences/0/p_value": of_same_rows,
        },
    }  # fmt: skip
    documents(cases)
    for method in ("wald", "newcombe", "agresti_caffo", "mee"):
        found = compared(run, f"--accuracy 0.8:70 --accuracy 0.6:80 --method {method}")["differences"][0]
        python = tm.difference((56, 70), (48, 80), method)
        assert (found["low"], found["high"]) == pytest.approx((python.low, python.high)), method


def test_which_rows_are_the_same(run: Any, documents: Any) -> None:
    (_, only), (other, _) = pair()
    agreement = {"agreement/0/n01": only, "agreement/0/n10": other, "design": "same rows"}
    for name in ("tree", "forest"):
        bare = pl.read_csv(f"{name}.csv").drop("id")
        bare.write_csv(f"bare_{name}.csv")
        Path(f"{name}/x=y").mkdir(parents=True)
        bare.write_csv(f"{name}/x=y/model.csv")
    pl.read_csv("bare_forest.csv")[: N // 2].write_csv("half.csv")
    pl.read_csv("forest.csv").write_parquet("forest.parquet")
    Path("tree.csv.gz").write_bytes(gzip.compress(Path("tree.csv").read_bytes()))
    lines = Path("forest.csv").read_text().splitlines()
    fields = lines[7].split(",")
    Path("gap.csv").write_text("\n".join([*lines[:7], ",".join([*fields[:2], "", *fields[3:]]), *lines[8:]]))
    cases: dict[str, dict[str, Any]] = {
        "compare --model tree=tree.csv --model forest=shuffled.csv {--id id|--positive 1}": agreement,
        "compare bare_tree.csv bare_forest.csv": agreement,
        "compare bare_tree.csv half.csv": {"design": "other rows"},
        "compare tree.csv forest.parquet": agreement,
        "compare tree.csv.gz - < forest.csv": {**agreement, "models/*/name": ["tree", "standard input"]},
        "compare - --actual y --model a=tree_says --model b=forest_says < one.csv": agreement,
        "compare tree/x=y/model.csv forest/x=y/model.csv": {
            **agreement,
            "models/*/name": lambda found: len(set(found)) == 2 and not any("=" in name for name in found),
        },
        "compare tree.csv gap.csv --drop-missing": {
            "rows": N - 1,
            "differences/0/value": float(np.delete(right("tree") * 1 - right("forest"), 6).mean()),
        },
        # columns that one of the files has
        "compare --model tree=tree_scores.csv --model forest=forest.csv --score score "
        "--predicted predicted": agreement | {"differences/*/metric": lambda found: "auc" not in found},
        # models that never disagree, and a metric in which they cannot
        "compare --model a=tree.csv --model b=tree.csv": {
            "differences/*/value": lambda found: set(found) == {0},
            "differences/*/p_value": lambda found: set(found) == {1}, "winner": None,
        },
        "compare tree.csv forest.csv --metric prevalence": {
            "differences/0/value": 0, "differences/0/p_value": 1,
        },
        "compare tree.csv forest.csv --metric accuracy --metric auc": {
            "differences/1/value": None, "differences/1/why": bool,
        },
    }  # fmt: skip
    documents(cases)


def test_files_that_do_not_fit_the_memory_are_compared_on_disk(run: Any) -> None:
    """Rows in any order, matched by their ids; the values are those of rows in memory."""
    chance = np.random.default_rng(4)
    y = chance.choice(["no", "yes"], 20_000)
    for name in ("tree", "forest"):
        score = np.clip(0.4 * (y == "yes") + chance.normal(0.3, 0.2, len(y)), 0, 1).round(2)
        predicted = np.where(score > 0.55, "yes", "no")
        frame = pl.DataFrame({"id": np.arange(len(y)), "y": y, "p": predicted, "s": score})
        frame[chance.permutation(len(y))].write_csv(f"large_{name}.csv")
    asked = "large_tree.csv large_forest.csv --actual y --score s --id id --positive yes"
    for options in ("--predicted p", "--threshold 0.6"):
        kept, on_disk = (compared(run, f"{asked} {options} --memory {size}") for size in ("1GB", "1MB"))
        assert on_disk["agreement"] == kept["agreement"]
        assert on_disk["notes"] != kept["notes"]
        for one, two in zip(kept["differences"], on_disk["differences"], strict=True):
            for key in ("metric", "test", "value", "low", "high", "p_value"):
                expected = pytest.approx(one[key], rel=1e-9, abs=1e-12) if key in one else None
                assert two.get(key) == expected, one["metric"]
    for more in ("--group y", "--approximate --tolerance 1e-6", "--id nothing"):
        assert run(f"compare {asked} --predicted p --memory 1MB {more}").code == 2
    assert run(f"compare {asked} --predicted p --memory 1MB -o out.csv").code == 0
    assert Path("out.csv").read_text().count("\n") == len(kept["differences"]) + 1
