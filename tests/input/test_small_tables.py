"""Small tables: bins and points for ROC curves, and scores of models by fold or data set."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from inputs import command, refusals, refused, written

import tallymark as tm
from collected import each

NAMES, LOW, CELLS = "bin,positives,negatives\n", "low,high,positives,negatives\n", "name,tp,fn,fp,tn\n"


def bins(source: str, *options: str) -> Any:
    """Names, positives, negatives and lower edges of bins, best first, and what was said; or the error."""
    found = command("roc", "--bin-counts", source, *options)
    if isinstance(found, str):
        return found
    counts = (np.diff(found[cell]).tolist() for cell in ("tp", "fp"))
    return found["bin"][1:], *counts, found["threshold"][1:], found["notes"]


def of_table(text: str, name: str = "t.csv") -> Any:
    return bins(written(text, name))


TYPED = ["5 1; 1 2", "5 1\n1 2\n", "5,1; 1,2;", " 5 , 1 ;\n\n 1\t2 ", "5 1; 1.0 2e0"]


def test_typed_bins(snapshot: Any) -> None:
    found = {text: bins(text) for text in TYPED}
    assert [each[:4] for each in found.values()] == [(["bin 1", "bin 2"], [5, 1], [1, 2], [None, None])] * 5
    dashes = bins("1000 -; – 100; 800 —")
    assert dashes[1:3] == ([1000, 0, 800], [0, 100, 0])
    assert of_table("positives,negatives\n5,1\n1,2\n", "a;b.csv")[1] == [5, 1]
    assert bins("5 5; 5 5")[1] == [5, 5]
    snapshot("notes_bins_typed", {"typed": "\n".join(found["5 1; 1 2"][4]), "dashes": "\n".join(dashes[4])})


# Names of bins, and their lower edges, best first.
EDGES: list[tuple[list[str], list[float]]] = [(["[0.5, 1]", "[0, 0.5)"], [0.5, 0])]
EDGES += [(["[0, 0.5)", "[0.5, 1]"], [0.5, 0]), (["0.5-1", "0-0.5"], [0.5, 0])]
EDGES += [(["0.5 – 1", "0 – 0.5"], [0.5, 0]), (["50 to 100%", "0 to 50%"], [0.5, 0])]
EDGES += [(["50%..100%", "0%..50%"], [0.5, 0]), (["[0; 2]", "[-1.5; 0)"], [0, -1.5])]
EDGES += [(["-1--0.5", "-0.5-0"], [-0.5, -1]), (["1e-3,1", "0,.001"], [0.001, 0])]
EDGES += [(["[0.1%, 0.3%]", "[0%, 0.1%)"], [0.001, 0]), (["[0, 1]"], [0])]


@each("names, edges", EDGES, ids=str)
def test_edges_in_the_names_of_bins(names: list[str], edges: list[float]) -> None:
    rows = [f'"{name}",{at + 1},{at + 2}' for at, name in enumerate(names)]
    found = of_table("\n".join(["Bin,Positives,NEGATIVES", *rows]) + "\n")
    up = names[0] in ("[0, 0.5)", "-1--0.5")
    step = -1 if up else 1
    counts = [*range(1, len(names) + 1)][::step]
    assert found == (names[::step], counts, [count + 1 for count in counts], edges, [])


def test_tables_of_bins(snapshot: Any) -> None:
    printed = (
        "Prob(Y=1)\tDistribution\tpositives\tnegatives\tTPR\n[90%, 100%]\t1,000\t1,000\t-\t0.2\n"
        "[80%, 90%)\t1,000\t950\t50\t0.4\n[0%, 80%)\t1,000\t-\t1,000\t0.4\n"
    )
    named = "high,low,bin,positives,negatives\n100%,50%,likely,5,2\n50%,0%,unlikely,1,7\n"
    pandas, remarks = NAMES + '"(0.5, 1.0]",5,1\n"(-0.001, 0.5]",1,2\n', "0.5-1,5,1,good\n0-0.5,1,2,\n"
    # Names, positives and negatives, and lower edges.
    tables: list[tuple[str, list[str], list[list[int]], list[Any]]] = [
        (printed, ["[90%, 100%]", "[80%, 90%)", "[0%, 80%)"], [[1000, 950, 0], [0, 50, 1000]], [0.9, 0.8, 0]),
        (LOW + "0,0.5,1,7\n0.5,1,5,2\n", ["[0.50, 1.00]", "[0.00, 0.50)"], [[5, 1], [2, 7]], [0.5, 0]),
        (named, ["likely", "unlikely"], [[5, 1], [2, 7]], [0.5, 0]),
        (
            f"{LOW}0,{0.1 + 0.2},1,7\n0.3,1,5,2\n",
            ["[0.30, 1.00]", "[0.00, 0.30)"],
            [[5, 1], [2, 7]],
            [0.1 + 0.2, 0],
        ),
        (NAMES + "high,5,1\nlow,1,2\n", ["high", "low"], [[5, 1], [1, 2]], [None, None]),
        (pandas, ["(0.5, 1.0]", "(-0.001, 0.5]"], [[5, 1], [1, 2]], [0.5, -0.001]),
        ("bin,hits,misses,remark\n" + remarks, ["0.5-1", "0-0.5"], [[5, 1], [1, 2]], [0.5, 0]),
    ]
    thirds = ["[0.60, 1.00]", "[0.30, 0.60)", "[0.00, 0.30)"]
    tables += [
        (LOW + "0.6,1,10,1\n0.3,0.6,5,5\n0,0.3,15,6\n", thirds, [[10, 5, 15], [1, 5, 6]], [0.6, 0.3, 0])
    ]
    notes = {}
    for text, names, counts, edges in tables:
        *found, notes[repr(text)] = of_table(text, "t.tsv" if "\t" in text else "t.csv")
        assert found == [names, *counts, edges], text
    snapshot("notes_bins", {case: "\n".join(each) for case, each in notes.items()})
    frame = pl.DataFrame(
        {"positives": [5, 1], "negatives": [1.0, 2.0], "low": [0.5, 0.0], "high": [1.0, 0.5]}
    )
    frame.write_parquet("t.parquet")
    assert bins("t.parquet") == (["[0.50, 1.00]", "[0.00, 0.50)"], [5, 1], [1, 2], [0.5, 0], [])
    assert bins(written("positives;negatives\n5;1\n", "t.txt"), "--delimiter", ";")[1:3] == ([5], [1])


WRONG_TYPED = ["", " ; ", "1000 0; 900", "1,000 0; 900 100", "1000 0;; 900 100", "1000 0; x 100"]
WRONG_TYPED += ["1000 0; 1.5 100", "1000 0; 900 -100", "0 0; 0 0", f"{2**53} 1; 0 0", "bins", "bins.csv"]
WRONG_TYPED += ["10 1; 5 5; 15 6"]
BARE = ("", "5,1\n7\n", "5,1\n7,\n", "5,1\n7,1.5\n", "5,1\n7,-2\n", "5,20%\n", "0,0\n")
WRONG_BINS = ["", *("positives,negatives\n" + rows for rows in BARE), "positives,count\n5,1\n"]
WRONG_BINS += ["positives,Positives,negatives\n5,1,1\n", "a,b,c\n5,1,1\n", "a,b\n5,x\n", "a,a\n5,1\n"]
WRONG_BINS += ["5,1\n3,4\n", "positives;negatives\n5;1\n", "bin,count(1),count(0),TPR\n0.5-1,5,1,1\n"]
NAMED = ["a,5,1\n,3,4\n", "a,5,1\nb,3,4\na,1,1\n", "0.5-1,5,1\nrest,3,4\n", "0.5-1,5,1\n0-0.4,3,4\n"]
NAMED += ["0-0.4,5,1\n0.5-1,3,4\n", "0.5-1,5,1\n0-0.6,3,4\n", "0-1,5,1\n1-2,3,4\n0.5-1.5,1,1\n"]
NAMED += ["0-1,5,1\n1-2,3,4\n-1-0,1,1\n", "1-0.5,5,1\n0.5-0,3,4\n"]
EDGED = ["0.5,1,5,1\n0.5,1,3,4\n", "0.5,1,5,1\n0,x,3,4\n", "0.5,1,5,1\n,0.5,3,4\n"]
EDGED += ["0.5,inf,5,1\n0,0.5,3,4\n", "0.5,0.5,5,1\n0,0.5,3,4\n"]
WRONG_BINS += [*(NAMES + rows for rows in NAMED), *(LOW + rows for rows in EDGED)]
WRONG_BINS += ["low,positives,negatives\n0.5,5,1\n", "high,positives,negatives\n0.5,5,1\n"]
WRONG_BINS += [NAMES + "0.5-1,10,1\n0-0.5,5,5\nTotal,15,6\n"]
WRONG_BINS += ["grade,positives,negatives\nA,10,1\nB,5,5\nwhole,15,6\n"]
WRONG_BINS += [NAMES + "A,10,1\nB,5,5\nwhole,15,6\n", LOW + "0,1,9007199254740992,1\n"]
WRONG_POINTS = ["", CELLS, "tp,fn,fp\n1,2,3\n", "tpr;fpr\n1;0\n", CELLS + "a,1,2,3,4\nb,1,,3,4\n"]
WRONG_POINTS += [CELLS + "a,1,2,3,4\nb,1,2.5,3,4\n", CELLS + "a,1,-,3,4\n", CELLS + "a,1,2,3,4\n,1,2,3,4\n"]
WRONG_POINTS += [CELLS + "a,0,0,3,4\n", CELLS + "a,1,2,0,0\n", CELLS + f"a,{2**53},2,3,4\n"]
WRONG_POINTS += ["fpr,tpr\n0.1,0.2\n0.1,1.2\n", "fpr,tpr\n0.1,0.2\n-0.1,1\n", "fpr,tpr\n10,80\n"]
WRONG_POINTS += ["fpr,tpr\n10%,80%\n", "fpr,tpr\n,1\n", "fpr,tpr\nnan,1\n", CELLS + "a,1,2,3,4\na,1,2,3,4\n"]


def points(text: str) -> Any:
    found = command("roc", "--points", written(text, "p.csv"))
    if isinstance(found, str):
        return found
    return {
        name: (x, y) for name, x, y in zip(found["name"], found["fpr"], found["tpr"], strict=True) if name
    }


def test_points() -> None:
    cells = "k,TN,fp,fn,tp,parameter\n1,7,3,2,8,k=1\n2,60,40,1,9,k=3\n"
    assert points(cells) == {"k=1": (0.3, 0.8), "k=3": (0.4, 0.9)}
    assert points("tpr,fpr\n0.8,0.3\n1,0\n") == {"point 1": (0.3, 0.8), "point 2": (0, 1)}
    # Counts go before rates, a name before a model and that before a parameter.
    assert points('model,tp,fn,fp,tn,tpr,fpr\ntree,"1,000",0,1,3,0.99,0.5\n') == {"tree": (0.25, 1)}
    assert [*points("parameter,model,tpr,fpr\n3,tree,1,0\n")] == ["tree"]
    assert [*points("parameter,model,Name,tpr,fpr\n3,tree,a,1,0\n")] == ["a"]
    pl.DataFrame({"parameter": [3], "tpr": [1.0], "fpr": [0.0]}).write_parquet("p.parquet")
    found = command("roc", "--points", "p.parquet")
    assert (found["name"][1:-1], found["auc"]["value"]) == (["3"], pytest.approx(1))


def test_other_tables_are_refused(snapshot: Any) -> None:
    found = {f"typed {text!r}": bins(text) for text in WRONG_TYPED}
    found |= {f"bins {text!r}": of_table(text) for text in WRONG_BINS}
    found |= {f"points {text!r}": points(text) for text in WRONG_POINTS}
    found["no file"] = command("roc", "--points", "nowhere.csv")
    assert {case: text for case, text in found.items() if not isinstance(text, str)} == {}
    snapshot("errors_data_bins_and_points", found)


WIDE = {"fold": [1, 2, 3], "tree": [0.8, 0.7, 0.75], "forest": [0.9, 0.8, 0.7]}
SETS = {"data": ["p", "q", "r"], "x": [0.1, 0.2, 0.3], "y": [0.4, 0.5, 0.7]}
LONG = """data set,fold,model,score
iris,1,tree,0.8\niris,2,tree,0.7\niris,1,forest,0.9\niris,2,forest,0.95
wine,1,tree,0.6\nwine,2,tree,0.5\nwine,2,forest,0.65\nwine,1,forest,0.75
vote,1,tree,0.6\nvote,2,tree,0.5\nvote,2,forest,0.6\nvote,1,forest,0.5
"""


def asked(data: Any, per: Any, **options: Any) -> tm.Comparison:
    is_dict = isinstance(data, dict)
    return tm.compare(data, per=per, **({"same_folds": True} if is_dict and per == "fold" else {}) | options)


def folds(data: Any, **options: Any) -> dict[str, Any]:
    """Of one data set: its name, the folds, the scores of every model, and what is known of sizes."""
    found: dict[str, Any] = asked(data, "fold", **options).to_dict()["folds"]
    return {key: found[key] for key in ("data_set", "names", "runs", "n_train", "n_test", "scores")}


def means(data: Any, **options: Any) -> tuple[list[str], dict[str, list[float]]]:
    """The data sets, and the mean of every model on each."""
    found = asked(data, "dataset", **options).to_dict()["data_sets"]
    return found["names"], found["scores"]


def long(**columns: Any) -> dict[str, Any]:
    return {"fold": [1, 1, 2, 2], "model": [*"abab"], **columns}


def test_scores_by_fold() -> None:
    expected = dict.fromkeys(("data_set", "n_train", "n_test")) | {"names": ["1", "2", "3"], "runs": 1}
    expected["scores"] = {"tree": WIDE["tree"], "forest": WIDE["forest"]}
    pl.DataFrame(WIDE).write_parquet("t.parquet")
    for form in (WIDE, written(pl.DataFrame(WIDE).write_csv()), "t.parquet"):
        assert folds(form) == expected
    for library, frame in {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}.items():
        assert (asked(frame(WIDE), "fold").library, folds(frame(WIDE))) == (library, expected)
    assert folds({name: WIDE[name] for name in ("tree", "forest")}) == expected
    # Runs and folds come in their order as numbers, and others as they came.
    runs = {"run": [2, 2, 1, 1], "fold": [1, 2, 10, 9], "x": [1, 2, 3, 4], "y": [0, 0, 0, 1]}
    found = folds(runs, better="higher")
    assert found["names"] == ["run 1, fold 9", "run 1, fold 10", "run 2, fold 1", "run 2, fold 2"]
    assert (found["scores"]["x"], found["runs"]) == ([4, 3, 1, 2], 2)
    assert folds({"run": ["b", "a"], "x": [0.1, 0.2], "y": [0.1, 0.3]})["names"] == ["b", "a"]
    assert folds({"run": [1, 2], "x": [0.1, 0.2], "y": [0.1, 0.3]})["runs"] == 1
    sized = folds({**WIDE, "n_train": [90, 90, 91], "n test": [10, 10, 9]})
    assert (sized["n_train"], sized["n_test"]) == ([90, 90, 91], [10, 10, 9])
    # Long tables: the score is the column that is left, or the one of the metric.
    both = long(accuracy=[0.1, 0.2, 0.3, 0.5], AUC=[0.3, 0.4, 0.5, 0.7])
    assert folds(both, metric="auc")["scores"] == {"a": [0.3, 0.5], "b": [0.4, 0.7]}
    only = asked(pl.DataFrame({name: both[name] for name in ("fold", "model", "AUC")}), "fold")
    assert (only.metric, only.to_dict()["folds"]["scores"]["b"]) == ("auc", [0.4, 0.7])
    named = {"Korpus": ["x"] * 4, "System": [*"abab"], "Teil": [1, 1, 2, 2], "F": [0.1, 0.2, 0.3, 0.5]}
    parts = {"data set": "Korpus", "model": "System", "score": "F", "fold": "Teil"}
    assert folds(named, columns=parts, metric="accuracy")["data_set"] == "x"
    # Some of the models.
    remarks = written("fold,tree,forest,knn,remark\n1,0.1,0.2,0.3,good\n2,0.1,0.2,0.4,bad\n")
    assert folds(remarks, models=["knn", "tree"])["scores"] == {"knn": [0.3, 0.4], "tree": [0.1, 0.1]}
    found = folds(long(score=[0.1, 0.2, 0.3, 0.5]), models=["b", "a"])
    assert found["scores"] == {"b": [0.2, 0.5], "a": [0.1, 0.3]}
    named = {"fold": [1, 2], "model": [0.1, 0.2], "score": [0.2, 0.4]}
    assert folds(named, models=["score", "model"])["scores"]["model"] == [0.1, 0.2]


def test_scores_by_data_set() -> None:
    expected = (["p", "q", "r"], {"x": SETS["x"], "y": SETS["y"]})
    for name in ("data set", "Dataset", "data_set", "Data", "DATASET", "dataset name"):
        assert means({name: SETS["data"], "x": SETS["x"], "y": SETS["y"]}) == expected
    index = pd.DataFrame(SETS).rename(columns={"data": "data set"}).set_index("data set")
    assert means(index) == means(written(pl.DataFrame(SETS).write_csv())) == expected
    assert means({"x": SETS["x"], "y": SETS["y"]}) == (["1", "2", "3"], expected[1])
    nested = {name: {"y": SETS["y"][at], "x": SETS["x"][at]} for at, name in enumerate(SETS["data"])}
    assert means(nested) == expected
    of_folds = {"iris": {"a": [0.1, 0.2], "b": (0.3, 0.5)}, "wine": {"a": [0.5], "b": np.array([0.6])}}
    names, scores = means(of_folds | {"vote": {"b": [0.75], "a": [0.7]}})
    assert names == ["iris", "wine", "vote"]
    assert scores == {"a": pytest.approx([0.15, 0.5, 0.7]), "b": [0.4, 0.6, 0.75]}
    names, scores = means(written(LONG))
    assert names == ["iris", "wine", "vote"]
    assert scores["tree"] == pytest.approx([0.75, 0.55, 0.55])
    assert scores["forest"] == pytest.approx([0.925, 0.7, 0.55])
    percent = means({"data": ["p", "q", "r"], "x": [80, 70.5, 50], "y": [90, 60, 0]}, scale="percent")
    assert percent[1] == {"x": [0.8, 0.705, 0.5], "y": [0.9, 0.6, 0.0]}
    # One of the data sets alone is compared by its folds.
    iris = folds(pl.read_csv(LONG.encode()).filter(pl.col("data set") == "iris"))
    assert iris["data_set"] == "iris"
    assert iris["scores"] == {"tree": [0.8, 0.7], "forest": [0.9, 0.95]}


def test_what_is_missing_is_left_out_for_all_models(snapshot: Any) -> None:
    drop: dict[str, Any] = {"missing": "drop"}
    holed = folds({**WIDE, "tree": [0.8, None, 0.75]}, **drop)
    assert (holed["names"], holed["scores"]["forest"]) == (["1", "3"], [0.9, 0.7])
    # It was 3-fold cross-validation all the same: every model was trained on two thirds.
    assert np.divide(holed["n_test"], holed["n_train"]).tolist() == pytest.approx([1 / 2] * 2)
    gap = {"data": [*"pqrs"], "x": [0.1, None, 0.3, 0.4], "y": [0.1, 0.2, 0.5, 0.7]}
    tables: dict[str, Any] = {
        "a data set": gap,
        "two data sets": gap | {"y": [0.1, 0.2, None, 0.7]},
        "a word": written("dataset,x,y\na,1,NA\nb,0.2,0.3\nc,0.1,0.3\n"),
        "a fold of a data set": written(LONG.replace("wine,2,tree,0.5", "wine,2,tree,"), "fold.csv"),
        "with its folds": written(LONG.replace("vote,1,tree,0.6\nvote,2,tree,0.5\n", ""), "set.csv"),
        "a nested one": {"p": {"a": 0.1, "b": 0.2}, "q": {"a": 0.3}, "r": {"a": 0.1, "b": 0.2}},
    }
    left = [[*"prs"], [*"ps"], [*"bc"], ["iris", "wine", "vote"], ["iris", "wine"], [*"pr"]]
    found = {}
    for (name, table), names in zip(tables.items(), left, strict=True):
        words = ["NA"] if isinstance(table, str) else []
        found[name] = asked(table, "dataset", missing_words=words, **drop)
        assert found[name].to_dict()["data_sets"]["names"] == names
    found["a fold"] = asked({**WIDE, "tree": [0.8, None, 0.75]}, "fold", **drop)
    snapshot("notes_score_tables", {name: "\n".join(each.notes) for name, each in found.items()})


WEKA = (
    "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Key_Scheme_options,Key_Scheme_version_ID,Date_time,"
    "Number_of_training_instances,Number_of_testing_instances,Percent_correct,Area_under_ROC"
)
SCHEMES = (("rules.ZeroR", ""), ("trees.J48", "'-C 0.25 -M 2'"), ("trees.J48", "'-U -M 2'"))
LINES = [
    f"iris,{run},{fold},weka.classifiers.{scheme},{options},-1,20261115.1,135.0,15.0,{90 + at + fold},"
    f"{'?' if at == 0 and fold == 2 else 0.5 + at / 10}"
    for at, (scheme, options) in enumerate(SCHEMES)
    for run in (1, 2)
    for fold in (1, 2, 3)
]


def test_tables_of_wekas_experimenter(snapshot: Any) -> None:
    text = written("\n".join([WEKA, *LINES]))
    models = ["ZeroR", "J48 '-C 0.25 -M 2'", "J48 '-U -M 2'"]
    found = folds(text)
    assert ([*found["scores"]], found["names"][3], found["runs"]) == (models, "run 2, fold 1", 2)
    assert (found["n_train"], found["n_test"], found["data_set"]) == ([135.0] * 6, [15.0] * 6, "iris")
    assert [column[0] for column in found["scores"].values()] == pytest.approx([0.91, 0.92, 0.93])
    auc = folds(text, metric="auc", missing="drop")
    assert auc["names"] == [f"run {run}, fold {fold}" for run in (1, 2) for fold in (1, 3)]
    assert auc["scores"][models[1]] == [0.6] * 4
    assert asked(text, "fold", metric="Date_time", better="higher").metric == "Date_time"
    one_kind = written("\n".join([WEKA, *LINES[:12]]), "two.csv")
    assert [*folds(one_kind)["scores"]] == ["ZeroR", "J48"]
    found = [asked(text, "fold"), asked(text, "fold", metric="Date_time", better="lower")]
    snapshot("notes_weka_tables", {each.metric: "\n".join(each.notes) for each in found})
    wrong = refusals([(text, "fold", {"metric": name}) for name in ("auc", "f1")], asked)
    snapshot("errors_data_weka_tables", wrong)


WRONG_FILES = ["dataset,x,y\niris,0.8,oops\n", "dataset,x,y\n,0.8,0.9\n", "dataset,x,y\na,1,2\na,3,4\n"]
WRONG_FILES += ["fold,model,score\n1,x,1\n1,y,2\n1,x,3\n", "dataset,x,y\na,1,\nb,2,3\n"]
WRONG_FILES += ["dataset,x,y\na,1,NA\n", "dataset,model,score\na,x,1\na,y,2\nb,x,3\n", "dataset,x\na,1\n"]
WRONG_FILES += ["dataset,fold\na,1\n", "dataset;x;y\na;1;2\n", "dataset,model,score\na,x,1\n"]
WRONG_FILES += ["dataset,x,y\na,1\n", "fold,x,x,y\n1,0.1,0.2,0.3\n", "fold,model\n1,a\n"]
WRONG_FILES += ["fold,model,f1,auc\n1,a,0.1,0.2\n", "Key_Dataset,Key_Run,Key_Scheme\na,1,b\n"]


def test_what_is_refused(snapshot: Any) -> None:
    frame, by_fold, by_set = pl.DataFrame(WIDE), "fold", "dataset"
    truth = {"fold": [1], "x": [True], "y": [0.6]}
    lines = pl.DataFrame(long(score=[0.1, 0.2, 0.3, 0.5]))
    cases: list[tuple[Any, ...]] = [(frame, by_set, {}), (pl.DataFrame(SETS), by_fold, {})]
    cases += [(written(LONG, "l.csv"), by_fold, {}), (frame, by_fold, {"columns": {"corpus": "fold"}})]
    cases += [(frame, by_fold, {"columns": {"fold": "folds"}})]
    cases += [(frame, by_fold, {"columns": {"run": "fold", "fold": "fold"}})]
    cases += [(frame, by_fold, {"columns": {"score": "tree"}}), (frame, by_fold, {"models": ["tree", "x"]})]
    cases += [(lines, by_fold, {"models": ["a", "x"]})]
    cases += [(pd.DataFrame([[1, 0.1, 0.2, 0.3]], columns=["fold", "t", "t", "f"]), by_fold, {})]
    cases += [(frame, "run", {}), (frame, by_fold, {"missing": "skip"}), (frame, by_fold, {"scale": "%"})]
    cases += [([1, 2], by_fold, {}), (np.ones((2, 2)), by_fold, {}), (truth, by_fold, {})]
    cases += [(pl.DataFrame(truth), by_fold, {}), (truth | {"x": [float("inf")]}, by_fold, {})]
    cases += [({"x": [0.5], "y": [0.6]}, by_fold, {"same_folds": False})]
    cases += [({"iris": {"a": [0.1, 0.2], "b": [0.2, 0.3]}}, by_set, {})]
    cases += [({"p": {"a": 0.1, "b": 0.2}}, by_set, {"columns": {"model": "a"}})]
    cases += [({"data": [*"abcde"], "x": [None] * 5, "y": [0.1] * 5}, by_set, {})]
    cases += [({"iris": {"a": 0.1}, "wine": {"b": 0.3}}, by_set, {})]
    cases += [({"iris": {"a": 0.1}, "wine": {"b": 0.3}}, by_set, {"missing": "drop"})]
    cases += [({"iris": {"a": [0.1, 0.2], "b": [0.3]}}, by_set, {})]
    cases += [({"iris": {"a": True, "b": 0.3}}, by_set, {}), ({"iris": {"a": "x", "b": 0.3}}, by_set, {})]
    cases += [({"x": 0.5, "y": 0.6}, by_set, {}), ({"x": [0.5], "y": [0.6, 0.7]}, by_set, {})]
    cases += [({}, by_set, {})]
    by = {text: by_fold if "fold" in text else by_set for text in WRONG_FILES}
    of_files = {repr(text): lambda text=text: asked(written(text), by[text]) for text in by}
    snapshot("errors_data_score_tables", refused(of_files) | refusals(cases, asked))
