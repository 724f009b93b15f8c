"""`validate`, `tune`, `learn` and `permute`: every option is that of Python; what they write; exit codes."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.metrics import accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from command_lines import calls, different, keywords, write
from waiting import until

N = 60
CHANCE = np.random.default_rng(5)
Y = np.arange(N) % 2
DATA: dict[str, Any] = {
    "id": np.arange(N) + 100,
    "x": (CHANCE.normal(0, 1, N) + 1.2 * Y).round(4),
    "z": CHANCE.normal(0, 1, N).round(4),
    "patient": [f"p{k % 6}" for k in range(N)],
    "code": np.arange(N) % 3,
    "y": Y,
}
X = np.column_stack([DATA["x"], DATA["z"]])
MODULE = '''
import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

bayes = GaussianNB()
k1, k3, k5, k7, k9, k11 = map(KNeighborsClassifier, (1, 3, 5, 7, 9, 11))


def tree():
    return DecisionTreeClassifier(random_state=0)


class Balanced(GaussianNB):
    def fit(self, X, y):
        counts = np.unique(y, return_counts=True)[1]
        if counts.min() < counts.max():
            raise ValueError(f"there are {counts.tolist()} of each class.")
        return super().fit(X, y)


class Picky(GaussianNB):
    """Fails without the first row, which is in all training sets but one of five."""

    def fit(self, X, y):
        if np.asarray(X)[0, 0] != FIRST:
            raise ValueError("row 0 is missing")
        return super().fit(X, y)


class Takes(GaussianNB):
    """Any value of a parameter that has no effect."""

    def __init__(self, a=None, var_smoothing=1e-9):
        super().__init__(var_smoothing=var_smoothing)
        self.a = a


class Shy(GaussianNB):
    """Learns the true classes only, which take turns."""

    def fit(self, X, y):
        order = np.asarray(X)[:, 0].argsort()
        if (np.asarray(X)[order, 0].astype(int) % 2 != np.asarray(y)[order]).any():
            raise ValueError("these are not the classes")
        return super().fit(X, y)
'''


@pytest.fixture(autouse=True)
def files(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame(DATA)
    frame.write_csv("rows.csv")
    frame.filter((pl.col("y") == 0) | (pl.col("id") < 130)).write_csv("rare.csv")
    gaps = pl.when(pl.col("id") % 7 == 0).then(pl.lit("?")).otherwise(pl.col("x").cast(pl.String))
    frame.with_columns(gaps.alias("x")).write_csv("gaps.csv")
    frame.write_csv("semicolons.csv", separator=";")
    pl.DataFrame({"n": np.arange(N), "y": Y}).write_csv("turns.csv")
    write({"own_fits.py": f"{MODULE}\nFIRST = {DATA['x'][0]}\n"})
    # Modules of one's own are found in the current folder, which is put on the path.
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "own_fits", raising=False)


def timeless(part: Any) -> Any:
    """A document without times, and without what only the command line says."""
    if isinstance(part, dict):
        left_out = ("seconds", "notes", "name", "files")
        return {key: timeless(each) for key, each in part.items() if not any(k in key for k in left_out)}
    return [timeless(each) for each in part] if isinstance(part, list) else part


def test_options_are_those_of_python(run: Any) -> None:
    text = """
        $VALIDATE --method kfold:5 --seed 3
        $VALIDATE --method {kfold:2x3|holdout|holdout:1/4|repeated:3|bootstrap:4}
        $VALIDATE --method {group|kfold:3} --group patient
        $VALIDATE --method kfold:3 {--confidence 0.8|--positive 0 --metric recall|--jobs 1}
        $VALIDATE --method kfold:3 --metric auc --metric f1
        $VALIDATE --method kfold:3 --labels 0,1 --costs '0 1; 5 0' --metric mean_cost
        validate rows.csv --target y --model bayes --ignore id,patient --method kfold:3
        validate rows.csv --target y --model bayes --id id --method kfold:3
        validate rows.csv --target y --model logistic --features x,code --text code,x --method kfold:3
        validate gaps.csv --target y --model bayes --id id --missing ? --method kfold:3
        validate semicolons.csv --target y --model bayes --features x,z --delimiter ; --method kfold:3
        $RARE --features x,z --model bayes --method kfold:3 {--oversample 0.5|--undersample 0.8}
        tune $TREE --param max_depth=1,2,4 --cv 3 --inner_cv 2
        tune $TREE --param max_depth=1,2 --method three-way --seed 2 --metric f1
        tune $TREE --param max_depth=1,2 --param ccp_alpha=0,0.4 --early-stop --cv 3 --inner_cv 2
        tune $TREE --method three-way --group patient
        tune $TREE --param max_depth=1,2 --method three-way --validation_size 0.25 --test_size 0.2
        learn $BAYES --repeats 3
        learn $BAYES --repeats 3 {--start 10|--start 10 --factor 3|--sizes 2|--schedule 12,24,40}
        learn $BAYES --repeats 3 --schedule arithmetic --start 20 --step 8
        learn $BAYES --repeats 3 --schedule 10,20,30 {--test-size 0.5|--seed 3|--metric auc|--group patient}
        learn $BAYES --cv kfold:3 --schedule 20,40
        learn $BAYES --repeats 2 --schedule 5,10,20,30,40 --progressive --tolerance 0.3
        permute $BAYES --permutations 9
        permute $BAYES --permutations 9 {--permute all|--metric brier|--seed 1|--cv kfold:3|--group patient}
        permute $BAYES --permutations 9 --param var_smoothing=1e-9,0.1
        permute $BAYES --permutations 300 --early-stop --confidence 0.9
    """
    bayes, tree = (f"rows.csv --target y --features x,z --model {model}" for model in ("bayes", "tree"))
    names = {
        "VALIDATE": f"validate {bayes}",
        "BAYES": bayes,
        "TREE": tree,
        "RARE": "validate rare.csv --target y",
    }
    text = text.replace("--missing ?", "--missing '?'").replace("--delimiter ;", "--delimiter ';'")
    more: dict[Any, dict[str, Any]] = {
        tm.validate: {"method": "cv"},
        tm.tune: {"param": "param_grid"},
        tm.learning_curve: {"repeats": "n_repeats", "sizes": "n_sizes"},
        tm.permutation_test: {"param": "param_grid", "permutations": "n_permutations"},
    }
    python = dict(zip(("validate", "tune", "learn", "permute"), more, strict=True))
    wrong = []
    for call, words in calls(text, **names).items():
        typed = call.replace("--cv kfold", "--method kfold")
        (command, data), options = keywords(
            words,
            "metric missing_words param_grid",
            missing="missing_words",
            jobs="n_jobs",
            **more[python[words[0]]],
        )
        if "--inner_cv" in call:
            sizes = [options[key] for key in ("cv", "inner_cv")]
            typed = call.replace(
                "--cv {} --inner_cv {}".format(*sizes), "--method nested:{}x{}".format(*sizes)
            )
        typed = typed.replace("three-way --validation_size 0.25 --test_size 0.2", "three-way:0.25,20%")
        given = options | {key: merged(options[key]) for key in ("param_grid",) if key in options}
        metric, *others = options.get("metric", [None])
        given |= ({"metric": metric} if metric else {}) | ({"metrics": others} if others else {})
        for name, sampler in {"oversample": tm.Oversampling, "undersample": tm.Undersampling}.items():
            given |= {"sampler": sampler(given.pop(name))} if name in given else {}
        there = timeless(python[command](given.pop("model"), data, **given).to_dict())
        result = run(f"{typed} --json")
        here = timeless(json.loads(result.out)) if result.code == 0 else {"": result.err}
        wrong += [f"{call}: {key}" for key in different(here, there)]
    assert wrong == []


def merged(params: list[dict[str, Any]]) -> dict[str, Any]:
    return {key: value for each in params for key, value in each.items()}


def test_models_of_ones_own_are_fitted_as_by_scikit_learn(run: Any) -> None:
    line = "validate rows.csv --target y --features x,z --model own_fits:bayes --model tree=own_fits:tree"
    form = run(f"{line} --method kfold:5 --seed 3 --json").json
    assert [model["name"] for model in form["models"]] == ["own_fits:bayes", "tree"]
    cv = StratifiedKFold(5, shuffle=True, random_state=3)
    theirs = GaussianNB(), DecisionTreeClassifier(random_state=0)
    for found, model in zip(form["models"], theirs, strict=True):
        expected = cross_val_score(model, X, Y, cv=cv).tolist()
        assert found["metrics"]["accuracy"]["values"] == pytest.approx(expected)


def test_schedules_and_stopping(documents: Any) -> None:
    """A third of 60 rows is tested on. The majority is never better than itself: 0.05^5 < 0.001."""
    learn = "learn rows.csv --target y --features x,z --model bayes --repeats 2"
    stopped = "permute rows.csv --target y --features x --model majority --permutations 1000 --early-stop"
    table = {
        learn: {"schema": "tallymark/learning-curve/1", "schedule/sizes": [10, 20, 40]},
        f"{learn} --schedule 10 --test-size {{1/2|0.5|50%}}": {"schedule/sizes": [10, 30]},
        stopped: {"stopped": {"after": 5, "of": 1000, "side": "high", "risk": 0.001, "level": 0.95}},
    }  # fmt: skip
    documents(table)


def test_parameters(run: Any) -> None:
    tune = "tune rows.csv --target y --features x,z --method three-way --json"

    def tried(more: str) -> list[Any]:
        return [each["parameters"] for each in run(f"{tune} {more}").json["candidates"]]

    words = '1,0.5,1e-3,-1,true,False,NONE,sqrt,"x,y",b=c,inf,nan'
    found = [each["a"] for each in tried(f"--model own_fits:Takes --param 'a={words}'")]
    expected = [1, 0.5, 0.001, -1, True, False, None, "sqrt", "x,y", "b=c", "inf", "nan"]
    assert sorted(map(repr, found)) == sorted(map(repr, expected))
    drawn = "--model own_fits:Takes --random 80 --param a="
    for kind, middle in {"uniform": 4.25, "log": 2.0}.items():
        assert sorted(each["a"] for each in tried(f"{drawn}{kind}:1,4")) == [1, 2, 3, 4]
        numbers = [each["a"] for each in tried(f"{drawn}{kind}:0.5,8.0")]
        assert all(0.5 <= number <= 8 for number in numbers)
        # Half of the draws are up to the middle, of the numbers or of their logarithms.
        assert 0.3 < np.mean([number <= middle for number in numbers]) < 0.7, kind
    two = "--model tree --model near=knn --param tree.max_depth=1,2 --param near.n_neighbors=3"
    assert sorted(map(str, tried(two))) == ["{'max_depth': 1}", "{'max_depth': 2}", "{'n_neighbors': 3}"]
    # Parameters keep the names that were typed.
    for typed in ("max_depth", "model__max_depth"):
        line = f"{tune.removesuffix(' --json')} --model tree --param {typed}=1,2 -o {typed}.csv"
        assert run(line).code == 0
        assert sorted(pl.read_csv(f"{typed}.csv")[f"param_{typed}"]) == [1, 2]


def test_fits_that_fail_are_exit_code_3(run: Any) -> None:
    on_x = "rows.csv --target y --features x"
    failing = {
        f"validate {on_x} --model picky=own_fits:Picky --model bayes --method kfold:5": 1,
        f"tune {on_x} --model tree --param max_depth=-1,2 --method three-way": 1,
        f"learn {on_x} --model near=knn --repeats 2 --schedule 4,40": 2,
        "permute turns.csv --target y --model own_fits:Shy --permutations 5": 5,
    }
    for line, failures in failing.items():
        result = run(f"{line} --json")
        assert (result.code, result.err.count("\n"), result.err[:10]) == (3, 1, "tallymark:"), line
        assert json.loads(result.out)["failed"] == failures, line
    line = next(iter(failing))
    written = run(f"{line} -o out.json")
    assert (written.code, written.out, written.err.splitlines()[0]) == (3, "", "wrote out.json")
    values = [
        each["metrics"]["accuracy"]["values"] for each in json.loads(Path("out.json").read_text())["models"]
    ]
    assert [each.count(None) for each in values] == [1, 0]
    # Where all fits fail nothing is left to report.
    balanced = "validate rare.csv --target y --features x,z --model own_fits:Balanced --method kfold:3"
    result = run(balanced)
    assert (result.code, result.out, "[20, 10]" in result.err) == (2, "", True)
    for option in ("--oversample 1", "--undersample 1"):
        assert run(f"{balanced} {option} --json").json["failed"] == 0


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    import distributed

    options: dict[str, Any] = {"processes": False, "protocol": "tcp://", "dashboard_address": ":0"}
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, silence_logs=50, **options) as found:
        yield found


def test_a_dask_cluster_gives_the_same(cluster: Any, run: Any) -> None:
    for line in (
        "validate --model bayes",
        "tune --model bayes --param var_smoothing=1e-9,1e-2 --method nested:2x2",
        "learn --model bayes --sizes 3 --repeats 2",
        "permute --model bayes --permutations 4",
    ):
        words = f"{line} rows.csv --target y --features x,z --json"
        there = run(f"{words} --scheduler {cluster.scheduler_address}").json
        assert timeless(there) == timeless(run(words).json), line
        # It leaves; its scheduler hears of that when it gets round to it.
        until(lambda: set(cluster.scheduler.clients) <= {"fire-and-forget"})
    # The command itself writes the run folder, from which the second call takes its fits, times and all.
    words = "validate --model bayes rows.csv --target y --features x,z --json --quiet --run-folder kept"
    assert run(f"{words} --scheduler {cluster.scheduler_address}").json == run(words).json
    assert len(list(Path("kept", "fits").iterdir())) == 10


# --- what is written -----------------------------------------------------------------------------

VALIDATE = "validate rows.csv --target y --features x,z --model bayes"
TWO = f"{VALIDATE} --model knn"
OTHERS = (
    "tune rows.csv --target y --features x,z --model tree --param max_depth=1,2 --method three-way",
    "learn rows.csv --target y --features x,z --model bayes --model stump=tree --repeats 2 --schedule 10,40",
    "permute rows.csv --target y --features x,z --model bayes --permutations 5",
    "permute rows.csv --target y --features x --model majority --permutations 99 --early-stop",
)


def scores(form: Any, place: int = 0) -> list[float]:
    found: list[float] = form["models"][place]["metrics"]["accuracy"]["values"]
    return found


def test_comparisons(run: Any) -> None:
    form = run(f"{TWO} --compare --json").json
    first, second = (np.array(scores(form, place)) for place in range(2))
    found = form["comparison"]
    assert (found["schema"], found["design"]) == ("tallymark/comparison/1", "same folds")
    assert found["differences"][0]["value"] == pytest.approx((first - second).mean())
    # The table of folds gives the same.
    assert run(f"{TWO} -o of_folds.csv").err.count("of_folds.csv") == 1
    table = run("compare of_folds.csv --per fold --metric accuracy --json").json
    same = next(each for each in table["differences"] if (each["a"], each["b"]) == ("bayes", "knn"))
    assert [same[key] for key in ("value", "p_value")] == pytest.approx(
        [found["differences"][0][key] for key in ("value", "p_value")]
    )
    # One model is compared with the baseline; single folds, and folds of a row, row by row.
    alone = run(f"{VALIDATE} --compare --json").json["comparison"]
    assert [model["name"] for model in alone["models"]] == ["bayes", "majority"]
    for method in ("holdout", "loo"):
        found = run(f"{TWO} --method {method} --compare --json").json["comparison"]
        assert found["design"] == "same rows"
        assert sum(found["agreement"][0][cell] for cell in ("n00", "n01", "n10", "n11")) == found["rows"]
    # Folds of one class have no area to compare; the report is there all the same.
    write(
        {
            "sites.csv": "x,site,y\n"
            + "".join(f"{k / 10},{'aaabbbcccddd'[k]},{int(k < 6)}\n" for k in range(12))
        }
    )
    result = run(
        "validate sites.csv --target y --model bayes --model tree --metric auc --method group:site --compare"
    )
    assert (result.code, bool(result.out), result.err.count("\n")) == (2, True, 1)


def test_predictions(run: Any) -> None:
    line = f"{TWO} --method kfold:5 --predictions said.csv"
    assert run(line).err.count("said.csv") == 1
    said = pl.read_csv("said.csv")
    assert sorted(said["row"]) == list(range(N))
    evaluated = run("evaluate said.csv --actual actual --predicted bayes_predicted --json").json
    form = run(f"{VALIDATE} --method kfold:5 --json").json
    expected = accuracy_score(said["actual"], said["bayes_predicted"])
    assert evaluated["metrics"]["accuracy"]["value"] == pytest.approx(expected)
    assert form["models"][0]["metrics"]["accuracy"]["pooled"]["value"] == pytest.approx(expected)
    models = "--model bayes=bayes_predicted --model knn=knn_predicted"
    assert run(f"compare said.csv --actual actual {models}").code == 0
    # Groups stay together, and go with the predictions; rows that stand there several times are told.
    grouped = run(f"{VALIDATE} --group patient --method kfold:2x2 --predictions groups.parquet")
    assert len(grouped.err.splitlines()) == 2
    said = pl.read_parquet("groups.parquet")
    assert said["group"].to_list() == [f"p{row % 6}" for row in said["row"].to_list()]
    assert set(said.group_by("run", "group").agg(pl.col("fold").n_unique())["fold"]) == {1}
    assert "group" not in run(f"{VALIDATE} --method kfold:2x2 --predictions all.csv --quiet").err


def test_predictions_have_the_ids_of_the_data(run: Any) -> None:
    name = [f"n{place}" for place in CHANCE.permutation(N)]
    frame = pl.DataFrame({"name": name, "x": X[:, 0], "y": Y})
    frame.write_csv("named.csv")
    frame.rename({"name": "fold"}).write_csv("odd.csv")
    # another program's predictions of the same rows, in another order
    others = pl.DataFrame({"name": name, "actual": Y, "predicted": Y ^ (np.arange(N) % 5 == 0)}).sort("name")
    others.write_csv("theirs.csv")
    call = "--target y --model bayes --method kfold:4 --predictions"
    assert run(f"validate named.csv --id name {call} ours.csv").code == 0
    ours = pl.read_csv("ours.csv")
    assert ours.columns == ["name", "run", "fold", "actual", "predicted", "score"]
    assert dict(zip(ours["name"], ours["actual"], strict=True)) == dict(zip(name, Y.tolist(), strict=True))
    compared = run("compare ours.csv theirs.csv --id name --json").json
    assert (compared["design"], compared["rows"]) == ("same rows", N)
    both = ours.join(others, on="name", suffix="_theirs")
    right = [(both[column] == both["actual"]).sum() for column in ("predicted", "predicted_theirs")]
    assert compared["differences"][0]["value"] == pytest.approx((right[0] - right[1]) / N)
    # An id that is called as another column is called id; without ids there are positions in the file.
    assert run(f"validate odd.csv --id fold {call} odd_out.csv").code == 0
    assert pl.read_csv("odd_out.csv").columns[:4] == ["id", "run", "fold", "actual"]
    lines = Path("named.csv").read_text().splitlines()
    lines[5] = lines[5].rpartition(",")[0] + ","  # row 4 has no class
    write({"gap.csv": "\n".join(lines)})
    assert run(f"validate gap.csv --ignore name --drop-missing {call} out.csv").code == 0
    assert sorted(pl.read_csv("out.csv")["row"]) == [place for place in range(N) if place != 4]


def test_several_data_sets_and_parts(run: Any) -> None:
    frame = pl.read_csv("rows.csv").select("x", "z", "y")
    frame.rename({"y": "class"}).write_csv("other.csv")
    frame[::2].vstack(frame[1:20:2]).write_csv("third.csv")
    frame[:25].write_csv("part1.csv")
    frame[25:].write_csv("part2.csv")
    frame.write_parquet("rows.parquet")
    sets = "--data a=rows.csv --data b=other.csv --data c=third.csv --target y --target b=class"
    line = f"validate {sets} --features x,z --model bayes --model knn --method kfold:3"
    form = run(f"{line} --compare --json").json
    assert (form["schema"], list(form["data_sets"])) == ("tallymark/experiment/1", ["a", "b", "c"])
    assert form["comparison"]["design"] == "many data sets"
    alone = scores(run(f"{VALIDATE} --method kfold:3 --json").json)
    assert scores(form["data_sets"]["a"]) == scores(form["data_sets"]["b"]) == alone
    for data in ("part1.csv part2.csv", "rows.parquet", "-"):
        call = f"{VALIDATE.replace('rows.csv', data)} --method kfold:3 --json"
        assert scores(run(call, stdin=Path("rows.csv").read_bytes()).json) == alone, data
    for more in ("", "-o sets.csv", "--picture scores -o scores.svg"):
        shown = run(f"{line} --compare {more}")
        assert (shown.code, max(map(len, shown.out.splitlines()), default=0) <= 100) == (0, True), more


def test_preparation(run: Any) -> None:
    data: dict[str, Any] = {
        "name": [f"n{place}" for place in range(N)],
        "x": [None if place % 7 == 3 else float(value) for place, value in enumerate(X[:, 0])],
        "city": [("Bonn", "Jena", "Ulm")[place % 3] for place in range(N)],
        "y": Y,
    }
    pl.DataFrame(data).write_csv("gaps.csv")
    read, own = "gaps.csv --target y --id name", "--model sklearn.svm:SVC --prepare"
    form = run(f"validate {read} {own} --method kfold:4 --json").json
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    model = clone(make_pipeline(tm.Preparation(), SVC()))
    expected = np.mean(cross_val_predict(model, pl.DataFrame(data).select("x", "city"), Y, cv=folds) == Y)
    assert form["models"][0]["metrics"]["accuracy"]["pooled"]["value"] == pytest.approx(expected)
    for line in (
        f"tune {read} {own} --param C=0.1,10 --method nested:2x2",
        f"learn {read} {own} --repeats 3 --schedule 16",
        f"permute {read} {own} --permutations 5",
    ):
        assert (run(line).code, run(line).err) == (0, ""), line
    # The other models stay as they are, and votes are prepared for, too.
    models = "--model tree --model vote:tree,sklearn.svm:SVC --prepare --method kfold:3"
    found = run(f"validate {read} {models} --json").json
    alone = run(f"validate {read} --model tree --method kfold:3 --json").json
    assert (found["failed"], found["models"][0]["metrics"]) == (0, alone["models"][0]["metrics"])


def test_every_format_and_picture(run: Any) -> None:
    """Help names all pictures, which it does without importing what draws them."""
    for line in (f"{VALIDATE} --method kfold:3 --compare", *OTHERS):
        shown = run(line)
        assert (shown.code, shown.err) == (0, "")
        assert max(map(len, shown.out.splitlines())) <= 100
        for suffix in ("txt", "md", "tex", "json", "csv", "html", "png"):
            result = run(f"{line} -o out.{suffix} --force")
            assert (result.code, result.out, result.err) == (0, "", f"wrote out.{suffix}\n"), line
        assert Path("out.png").read_bytes().startswith(b"\x89PNG")
        assert len(pl.read_csv("out.csv")) >= 2, line
    page = Path("out.html")
    assert run(f"{TWO} --method kfold:3 --compare -o out.html --force").code == 0
    found = run(f"{TWO} --method kfold:3 --compare --json").json["comparison"]["differences"][0]["value"]
    assert f"{found:.3f}" in page.read_text(encoding="utf-8")
    one, several = tm.validate("bayes", X, Y, cv=3), tm.validate("bayes", {"a": (X, Y), "b": (X, Y)}, cv=3)
    tuned = tm.tune("tree", X, Y, {"max_depth": [1, 2]}, method="three-way")
    sets = VALIDATE.replace("rows.csv", "--data a=rows.csv --data b=rows.csv")
    for line, kinds in {VALIDATE: one, sets: several, OTHERS[0]: tuned}.items():
        words = re.findall(r"[\w-]+", run(f"{line.split()[0]} --help").out)
        cut = "" if line == OTHERS[0] else "--method kfold:3"
        for kind in kinds.figures():
            assert run(f"{line} {cut} --picture {kind} -o out.svg --force").code == 0
            assert kind in words, kind
    drawn = {run(f"{VALIDATE} --picture {kind} -o {kind}.svg").code: kind for kind in one.figures()}
    assert list(drawn) == [0]
    assert len({Path(f"{kind}.svg").read_bytes() for kind in one.figures()}) == len(list(one.figures()))


def test_findings_of_a_run_folder(run: Any) -> None:
    """A test set that was asked five times more."""
    for k in (1, 3, 5, 7, 9, 11):
        line = f"{VALIDATE.replace('bayes', f'own_fits:k{k}')} --method kfold:3 --quiet --json"
        form = run(f"{line} --run-folder kept").json
    assert [finding["code"] for finding in form["findings"]] == ["TM021"]
    assert form["findings"][0]["numbers"]["comparisons"] == 5
    assert run(line).json["findings"] == []
