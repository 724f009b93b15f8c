"""Matrices of counts and of costs: from text, JSON, lists, mappings and files, matched to the labels."""

import json
import shlex
from typing import Any

import numpy as np
import pandas as pd
from inputs import command, refusals, refused, written
from sklearn.metrics import confusion_matrix

import tallymark as tm
from collected import each
from scored import classes

COUNTS = [[150, 40], [60, 250]]
OTHER_WAY = [[250, 60], [40, 150]]


def read(text: str, *options: str, name: str | None = None) -> Any:
    """Labels and counts; or the error."""
    found = command("matrix", text if name is None else written(text, name), *options)
    return found if isinstance(found, str) else (found["confusion"]["labels"], found["confusion"]["matrix"])


# Without names.
BARE_TEXTS = ["150 40; 60 250", "150 40;60 250;", "  150   40 ;\t60 250 ; ", "150,40;60,250"]
BARE_TEXTS += ["150, 40; 60 , 250", "150 40\n60 250\n", "150 40;\r\n\r\n60 250;\r\n", "+150 0040; 60 250"]
BARE_TEXTS += ["150.0 40.; 6e1 2.5e+02", "[[150, 40], [60, 250]]", ' [[150.0, 40], ["60", 250]] ']
BARE_TEXTS += ['{"matrix": [[150, 40], [60, 250]]}', '{"counts": [[150, 40], [60, 250]]}']
BARE: list[tuple[str | None, str]] = [*((None, text) for text in BARE_TEXTS), ("c.txt", "150 40\n60 250\n")]
BARE += [("c.txt", "150, 40; 60, 250"), ("c.txt", "[[150, 40], [60, 250]]"), ("c.csv", "150,40\n60,250\n")]
BARE += [("c.csv", "150;40\n60;250\n"), ("c.tsv", "150\t40\n60\t250\n")]
BARE += [("c.json", "\ufeff[[150, 40], [60, 250]]"), ("a;b.txt", "150 40; 60 250")]
NAMED: list[tuple[str | None, str]] = [(None, '{"labels": ["a", "b"], "matrix": [[150, 40], [60, 250]]}')]
NAMED += [(None, '{"rows": "actual", "matrix": [[150, 40], [60, 250]], "labels": ["a", "b"]}')]
NAMED += [(None, '{"a": {"a": 150, "b": 40}, "b": {"b": 250, "a": 60}}')]
NAMED += [("c.json", '{"labels": ["a", "b"], "matrix": [[150, 40], [60, 250]]}')]
NAMED += [("c.csv", ",a,b\na,150,40\nb,60,250\n"), ("c.csv", "actual,a,b\na,150,40\nb,60,250")]
NAMED += [("c.csv", "Actual\\Predicted,b,a\nb,250,60\na,40,150\n")]
NAMED += [("c.csv", "TRUTH / prediction , b , a\n a , 40 , 150\n b , 250, 60\n")]
NAMED += [("c.csv", "True label|Predicted label,a,b\r\na,150,40\r\nb,60,250\r\n")]
NAMED += [("c.csv", '"","a","b"\r"a","150","40"\r"b","60","250"\r')]
NAMED += [("c.csv", "\ufeff,a,b\n\na,150,40\n,,\nb,60,250\n"), ("c.csv", ";a;b\na;150;40\nb;60;250\n")]
NAMED += [("c.csv", "\ta\tb\na\t150\t40\nb\t60\t250\n")]
NAMED += [("C.TSV", "reference\ta\tb\na\t150\t40\nb\t60\t250\n")]
NAMED += [("c.csv", "actual,predicted,count\na,a,150\na,b,40\nb,a,60\nb,b,250\n")]
NAMED += [("c.csv", "n,Pred,Truth\n150,a,a\n40,b,a\n60,a,b\n250,b,b\n")]
NAMED += [("c.tsv", "Prediction\tReference\tFreq\na\ta\t150\nb\ta\t40\na\tb\t60\nb\tb\t250\n")]
NAMED += [("c.csv", "true;pred;Frequency\na;a;150\na;b;40\nb;a;60\nb;b;250\n")]
CORNERS = ("predicted", "PRED \\ true", "prediction/actual", "pred classes")
NAMED += [("c.csv", f"{corner},a,b\na,150,60\nb,40,250\n") for corner in CORNERS]


@each("name, text", BARE, ids=str)
def test_matrices_without_names(name: str | None, text: str) -> None:
    assert read(text, name=name) == (["class 1", "class 2"], COUNTS)


@each("name, text", NAMED, ids=str)
def test_matrices_with_names(name: str | None, text: str) -> None:
    """The labels given set the order; the counts stay those of their names."""
    assert read(text, "--labels", "b,a", name=name) == (["b", "a"], OTHER_WAY)


def test_names_orders_and_what_is_said(snapshot: Any) -> None:
    zeros = [[0] * 8] * 7
    columns = [f"c{at}" for at in range(8)]
    tables: list[tuple[str, list[str], list[list[int]]]] = [
        ('{"labels": [7, 1.0], "matrix": [[1, 2], [3, 4]]}', ["7", "1"], [[1, 2], [3, 4]]),
        ('{"labels": [true, false], "matrix": [[1, 2], [3, 4]]}', ["True", "False"], [[1, 2], [3, 4]]),
        ('{"labels": ["a"], "matrix": [[3]]}', ["a"], [[3]]),
        ('{"a": {"b": 2}, "b": {}}', ["a", "b"], [[0, 2], [0, 0]]),
        ('{"rows": "predicted", "matrix": [[150, 60], [40, 250]]}', ["class 1", "class 2"], COUNTS),
        ("predicted,a,b\na,150,60\nb,40,250\n", ["a", "b"], COUNTS),
        ("predicted,true,false\ntrue,150,60\nfalse,40,250\n", ["true", "false"], COUNTS),
        ("row_0,a,b\na,150,40\nb,60,250\n", ["a", "b"], COUNTS),
        ("actual\\predicted,a,c,b\nb,1,2,3\na,4,5,6\n", ["b", "a", "c"], [[3, 1, 2], [6, 4, 5], [0, 0, 0]]),
        ("predicted\\actual,a,c,b\nb,1,2,3\na,4,5,6\n", ["a", "c", "b"], [[4, 0, 1], [5, 0, 2], [6, 0, 3]]),
        ("actual,predicted,n\nx,y,3\ny,y,4\n", ["x", "y"], [[0, 3], [0, 4]]),
        (f"actual,{','.join(columns)}\nc0,{','.join('1' * 8)}\n", columns, [[1] * 8, *zeros]),
        ("actual,a,All\na,1,2\nAll,3,4\n", ["a", "All"], [[1, 2], [3, 4]]),
        ("actual,a,total\na,0,0\ntotal,0,5\n", ["a", "total"], [[0, 0], [0, 5]]),
        (f"actual,a,b\na,{2**53 - 1},0\nb,0,1\n", ["a", "b"], [[2**53 - 1, 0], [0, 1]]),
        (f",{'x' * 80},b\n{'x' * 80},1,2\nb,3,4\n", ["x" * 80, "b"], [[1, 2], [3, 4]]),
    ]
    notes = {}
    for text, labels, counts in tables:
        form = command("matrix", text if text.startswith("{") else written(text, "conf.csv"))
        assert (form["confusion"]["labels"], form["confusion"]["matrix"]) == (labels, counts), text
        notes[repr(text)] = "\n".join(form["notes"])
    snapshot("notes_matrices", notes)
    assert read("150 60; 40 250", "--labels", "+,-", "--rows", "predicted") == (["+", "-"], COUNTS)
    # What is stated needs no note, and nothing is turned twice.
    odd = written("row_0,a,b\na,150,40\nb,60,250\n")
    for rows in ("actual", "predicted"):
        assert len(command("matrix", odd, "--rows", rows)["notes"]) == 1
    assert read("predicted,a,b\na,150,60\nb,40,250\n", "--rows", "predicted", name="x.csv")[1] == COUNTS
    written("not read", "1 2;3 4")
    assert read("1 2;3 4")[1] == [[1, 2], [3, 4]]


def test_files_of_pandas_agree_with_scikit_learn() -> None:
    chance = np.random.default_rng(3)
    names = ["cat", "dog", "a,b", "owl;x"]
    actual, predicted = (pd.Series(chance.choice(names, 200), name=side) for side in ("actual", "predicted"))
    table, labels = pd.crosstab(actual, predicted), ["owl;x", "dog", "cat", "a,b"]
    table.to_csv("square.csv")
    table.T.to_csv("turned.csv")
    table.stack().rename("count").reset_index().sample(frac=1, random_state=1).to_csv("long.csv", index=False)
    for file in ("square.csv", "turned.csv", "long.csv"):
        found = command("matrix", file, "--labels", 'owl;x,dog,cat,"a,b"')
        assert found["confusion"]["matrix"] == confusion_matrix(actual, predicted, labels=labels).tolist()


TYPED = ["1 2; 3 x", "x 2; 3 4", "1 0.5; 3 4", "1 -3; 3 4", "1 NaN; 3 4", "1 inf; 3 4", "1 1e999; 3 4"]
TYPED += ["1 1_000; 3 4", "1 ٣; 3 4", "1 12%; 3 4", "4.841 462; 75 282", "4'841 462; 75 282"]
TYPED += ["1,,2; 3 4 5; 6 7 8", "[[1, 2], [3, null]]", "[[1, true], [3, 4]]"]
TYPED += ["[[1, [2]], [3, 4]]", "[[1, 2.5], [3, 4]]", "[[1, NaN], [3, 4]]", "[[1, -Infinity], [3, 4]]"]
TYPED += ['{"a": {"b": "x"}}', "4,841 462; 75 282", "4,841 462; 75 1,282", "1 2; 3", "1 2 3; 4 5 6"]
TYPED += ["[[1, 2], [3, 4], [5, 6]]", "1 2;; 3 4", ";1 2; 3 4", "5", "{}", "", "[]", "[1, 2]", '["12", "34"]']
TYPED += ["0 0; 0 0", "7.5", "conf.dat", "[[1, 2], [3 4]]", "9007199254740992 0; 0 1"]
TYPED += ['{"labels": ["a", "b", "c"], "matrix": [[1, 2], [3, 4]]}']
TYPED += ['{"labels": ["a", "a"], "matrix": [[1, 2], [3, 4]]}']
TYPED += ['{"labels": ["a", 1.5], "matrix": [[1, 2], [3, 4]]}']
TYPED += ['{"labels": ["a", " "], "matrix": [[1, 2], [3, 4]]}']
TYPED += ['{"labels": "ab", "matrix": [[1, 2], [3, 4]]}', '{"rows": "across", "matrix": [[1, 2], [3, 4]]}']
TYPED += ['{"matrix": [[1, 2], [3, 4]], "counts": [[1, 2], [3, 4]]}']
TYPED += ['{"a": {"a": 1, "b": 2, "b": 3}, "b": {}}', '{"a": {"b": 2}, "a": {"b": 3}}']
TYPED += ['{"labels": ["a", "b"], "matrix": [[1, 2], [3, 4]], "more": 1}']
TYPED += ['{"a": {"a": 1, "Total": 1}, "b": {"a": 3, "Total": 3}}', "missing.csv", "MISSING.JSON"]
TYPED += ["deep/missing.tsv"]
FILES = ["actual,a,b\na,1,2\n\nb,3,x\n", "predicted,a,b\na,1,2\nb,3,x\n", ",a,b\na,,2\nb,3,4\n"]
FILES += [',a,b\na,"4,841",2\nb,3,4\n', '"4,841",462\n75,282\n', "1,2\n3,x\n"]
FILES += ["actual,predicted,count\na,a,1\na,b,1.5\n", "actual,predicted,count\na,a,1\na,b,2\na,a,3\n"]
FILES += ["actual,predicted,count\na,a,1\n,b,2\n", "actual,predicted,count\na,a,1\nb,,2\n"]
FILES += ["actual,predicted,count\n", "actual,predicted\na,b\nb,b\n", "a,b\n1,2\n3,4\n"]
FILES += [",a,a\na,1,2\nb,3,4\n", ",a,b\na,1,2\nb,3,4\na,5,6\n", ",a,\na,1,2\nb,3,4\n", ",a,b\na,1,2\n,3,4\n"]
FILES += ["actual/true,a,b\na,1,2\nb,3,4\n", "actual,a,b,Total\na,1,2,3\nb,3,4,7\nTotal,4,6,10\n"]
FILES += ["predicted,a,b\na,1,2\nb,3,4\nSUM,4,6\n", "actual,a,b\na,1,2\nb,3\n"]
FILES += ["actual,a,b\na,4,841,2\nb,3,4\n", "a,b\na,1,2\nb,3,4\n", ',a,b\na,1,2\n"b,3,4\n', "", " \n\n"]
FILES += ["a,\0\n", ",,\n,,\n", "only\none\n"]


def test_other_matrices_are_refused(snapshot: Any) -> None:
    found = {text or "nothing": read(text) for text in TYPED}
    found |= {f"file {text!r}": read(text, name="conf.csv") for text in FILES}
    utf = {kind: ",ja,né\nja,1,2\nné,3,4\n".encode(kind) for kind in ("utf-16", "utf-16-le", "latin-1")}
    found |= {f"in {kind}": command("matrix", written(content, "conf.csv")) for kind, content in utf.items()}
    named = {"conf.tsv": ",a,b\na,1,2\nb,3,4\n", "conf.json": "[[1, 2]", "conf.txt": "1 2\n3 x\n"}
    named["conf.xlsx"] = "1 2"
    found |= {f"in {name}": read(text, name=name) for name, text in named.items()}
    found["JSON of 100,000 lists"] = read("[" * 100_000)
    found["5,000 digits"] = read(f"[[1, {'1' * 5000}], [3, 4]]")
    found["a value in JSON"] = read("[[1, 2], [3, -1]]", name="c.json")
    written("", "folder.csv/x")
    found["a folder"] = read("folder.csv")
    stated = {
        "actual of predicted rows": ("Prediction,a,b\na,1,2\nb,3,4\n", "--rows", "actual"),
        "predicted of actual rows": ("actual\\predicted,a,b\na,1,2\nb,3,4\n", "--rows", "predicted"),
        "predicted of pairs": ("actual,predicted,n\na,b,1\n", "--rows", "predicted"),
        "other labels": (",a,b\na,1,2\nb,3,4\n", "--labels", "a,B"),
        "a label less": (",a,b\na,1,2\nb,3,4\n", "--labels", "a"),
    }
    found |= {case: read(text, *options, name="conf.csv") for case, (text, *options) in stated.items()}
    turned = '{"rows": "predicted", "matrix": [[1, 2], [3, 4]]}'
    found["actual of predicted rows in JSON"] = read(turned, "--rows", "actual")
    for labels in ("a", "a,a", "a,b,c"):
        found[f"labels {labels}"] = read("1 2; 3 4", "--labels", labels)
    assert {case: text for case, text in found.items() if not isinstance(text, str)} == {}
    names = {case: case.replace("\n", " / ").strip() for case in found}
    snapshot("errors_data_matrices", {names[case]: text for case, text in found.items()})


SIGNS, TURNED = ("+", "-"), ("-", "+")
TABLE = [[-1.0, 100.0], [1.0, 0.0]]
TURNED_TABLE = [[0.0, 1.0], [100.0, -1.0]]
CELLS = [[150, 40], [60, 250]]


def costs(given: Any, labels: Any = SIGNS, stated: bool = True) -> dict[str, Any]:
    """Costs of rows of every class; the order of the labels is stated where they are declared."""
    asked: dict[str, Any] = {"labels": list(labels)} if stated else {}
    ev = tm.evaluate([*labels] * 2, [*labels, *labels[::-1]], costs=given, **asked)
    found: dict[str, Any] = ev.to_dict()["costs"]
    return found


LISTED: list[Any] = ["-1 100; 1 0", "-1, 1e2; +1 -0.0;", "[[-1, 100], [1, 0]]"]
LISTED += ['{"matrix": [[-1, 100], [1, 0]]}', [[-1, 100], [1, 0]], ((-1.0, 100), (1, None))]
LISTED += [np.array([[-1, 100], [1, 0]]), np.array([[-1, 100], [1, 0]], dtype=np.float32)]
LISTED += [("c.json", "[[-1, 100], [1, 0]]"), ("c.txt", "-1 100\n1 0\n"), ("c.csv", "-1,100\n1,0\n")]
MAPPED: list[Any] = [{"+": {"+": -1, "-": 100}, "-": {"+": 1, "-": 0}}]
MAPPED += [{"-": {"+": 1}, "+": {"-": 100, "+": -1}}, {"labels": ["+", "-"], "cost": [[-1, 100], [1, 0]]}]
MAPPED += [{"labels": ["-", "+"], "costs": np.array([[0, 1], [100, -1]])}]
MAPPED += [{"labels": ["-", "+"], "matrix": [[None, 1], [100, -1]]}]
MAPPED += [{"labels": ["-", "+"], "rows": "predicted", "cost": [[0, 100], [1, -1]]}]
MAPPED += ['{"+": {"+": -1, "-": 100}, "-": {"+": 1}}', '{"labels": ["-", "+"], "cost": [[0, 1], [100, -1]]}']
MAPPED += [("c.json", '{"labels": ["+", "-"], "cost": [[-1, 100], [1, 0]]}')]
MAPPED += [("c.csv", ",+,-\n+,-1,100\n-,1,0\n"), ("c.csv", "actual\\predicted,-,+\n-,,1\n+,100,-1\n")]
MAPPED += [("c.csv", "predicted,+,-\n-,100,0\n+,-1,1\n"), ("c.csv", ";+;-\n+;-1;100\n-;1;0\n")]
MAPPED += [("c.tsv", "truth\t+\t-\n+\t-1\t100\n-\t1\t0\n")]
MAPPED += [("c.csv", "actual,predicted,cost\n+,+,-1\n+,-,100\n-,+,1\n")]
MAPPED += [("c.csv", "Cost,Prediction,Reference\n100,-,+\n1,+,-\n-1,+,+\n0,-,-\n")]


def source(given: Any) -> Any:
    is_file = isinstance(given, tuple) and isinstance(given[0], str)
    return written(given[1], given[0]) if is_file else given


@each("given", LISTED, ids=str)
def test_bare_costs_need_a_stated_order(given: Any) -> None:
    assert costs(source(given))["matrix"] == TABLE
    assert not np.signbit(costs(source(given))["matrix"][1][1])
    typed = tm.Confusion(CELLS, labels=SIGNS).evaluate(costs=source(given))
    assert typed["total_cost"].value == -150 + 4_000 + 60
    assert classes(refused({"": lambda: costs(source(given), stated=False)})) == {"": "CostError"}


@each("given", MAPPED, ids=str)
def test_named_costs_need_none(given: Any) -> None:
    orders = ((SIGNS, True, TABLE), (TURNED, True, TURNED_TABLE), (SIGNS, False, TABLE))
    for labels, stated, expected in orders:
        found = costs(source(given), labels, stated)
        assert (found["labels"], found["matrix"]) == ([*labels], expected)
    assert tm.cost_threshold(source(given), pos_label="+") == 1 / 102


def test_costs_of_other_labels() -> None:
    whole = [{0: {1: 1}, 1: {0: 5}}, {"0": {"1": 1}, "1": {"0": 5}}]
    whole += [{np.int64(0): {np.int64(1): 1}, 1.0: {0.0: 5}}, '{"labels": [1, 0], "cost": [[0, 5], [1, 0]]}']
    truths = [{False: {True: 1}, True: {False: 5}}, '{"False": {"True": 1}, "True": {"False": 5}}']
    truths += ['{"labels": [true, false], "cost": [[0, 5], [1, 0]]}']
    for labels, forms in (((0, 1), whole), ((False, True), truths)):
        found = [costs(form, labels, stated=False)["matrix"] for form in forms]
        assert found == [[[0, 1], [5, 0]]] * len(forms)
    # a predicted b costs 1 and b predicted a 2, or the other way round in the other order.
    for order, total in (("ab", 1 + 2 * 2), ("ba", 2 + 2 * 1)):
        ev = tm.evaluate([*"abb"], [*"baa"], costs=[[0, 1], [2, 0]], labels=[*order])
        assert ev["total_cost"].value == total
    # All classes but one are the rest of it, or not it.
    pooled: dict[str, Any] = {"y_score": [0.1, 0.2, 0.9], "pos_label": "c", "threshold": 0.15}
    forms = [{"c": {words: 5}, other: {"c": 1}} for words in ("rest", "not c") for other in ("rest", "not c")]
    for named in (*forms, {"labels": ["not c", "c"], "cost": [[0, 1], [5, 0]]}):
        ev = tm.evaluate(["a", "b", "c"], costs=named, **pooled)
        assert (ev.labels, ev["total_cost"].value) == (("c", "rest"), 1)
        assert ev.to_dict()["costs"]["matrix"] == [[0, 5], [1, 0]]
    # A hint that can be followed.
    for positive in ("c", "it's"):
        rows, asked = ["a", "b", positive], pooled | {"pos_label": positive}
        found = refusals({"bare": (rows, asked)}, costs="0 10; 1 0")["bare"]
        words = shlex.split(found.partition("Hint: ")[2].replace("(in Python a dict).", ""))
        named = json.loads(words[words.index("--costs") + 1])
        assert named == {positive: {"rest": 10}, "rest": {positive: 1}}
        assert tm.evaluate(rows, costs=named, **asked)["total_cost"].value == 1


def test_cells_in_words_and_two_costs(snapshot: Any) -> None:
    one = np.zeros((6, 6))
    one[2, 4] = 7
    tables = {
        "two": ("-1 100; 1 0", SIGNS), "fractions": ("0 0.1; 2.50 0", (0, 1)),
        "five": (np.zeros((5, 5)), range(5)), "six of nothing": (np.zeros((6, 6)), range(6)),
        "one of six": (one, range(6)), "many": (1 - np.eye(6), range(6)),
    }  # fmt: skip
    found = {name: costs(table, tuple(labels)) for name, (table, labels) in tables.items()}
    snapshot("text_costs", {name: "\n".join(each["cells"]) for name, each in found.items()})
    # Right and wrong predictions have one cost each.
    pairs = dict.fromkeys(["-1 100; 1 0", "0 1; 2 0", "0 1; 1 5", "0 1 1; 1 0 2; 1 1 0"])
    pairs |= {"0 1; 1 0": (0, 1), "-2 3.5; 3.5 -2": (-2, 3.5), "1 1; 1 1": (1, 1)}
    pairs["0 1 1; 1 0 1; 1 1 0"] = 0, 1
    for text, pair in pairs.items():
        linear = costs(text, tuple(range(text.count(";") + 1)))["linear"]
        assert (None if linear is None else tuple(linear.values())[:2]) == pair, (text, linear)


WRONG: list[Any] = [f"0 {cell}; 1 0" for cell in ("x", "nan", "1e999", "1e101", "50%")]
WRONG += ["0 1; -inf 0", "[[0, NaN], [1, 0]]", "[[0, true], [1, 0]]", [[0, float("inf")], [1, 0]]]
WRONG += [[[0, 10**400], [1, 0]], [[0, None], [1, 0]], [[0, 1], [-1.1e100, 0]], [[2e100, 1], [1, 0]]]
WRONG += [{"+": {"-": 1e200}, "-": {"+": 1}}, {"+": {"-": "x"}, "-": {"+": 1}}]
WRONG += [{"+": {"-": float("nan")}, "-": {"+": 1}}, {"+": {"-": None}, "-": {"+": 1}}]
WRONG += [{"+": {"-": 1, "+": "x"}, "-": {"+": 1}}, {"+": {"-": 5}}, {"+": {"+": 5}, "-": {"+": 1}}, "{}"]
WRONG += [{"+": {"-": 5, "?": 2}, "-": {"+": 1}, "??": {"+": 1}}]
WRONG += [{"labels": ["+", "-", "x"], "cost": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]}]
WRONG += ['{"+": {"-": 5, "-": 6}, "-": {"+": 1}}', {"1": {"0": 1}, 1: {"0": 2}}]
WRONG += [{"labels": ["+", "+"], "cost": [[0, 1], [1, 0]]}, {"labels": ["+", "-"], "cost": [[0]]}]
WRONG += [{"labels": {"cost": 1}, "cost": {"labels": 1}}, {"+": 5, "-": 1}, {None: {"+": 1}}]
WRONG += ["0 1 1; 1 0 1; 1 1 0", "0 1; 1", "0 1 1; 1 0 1", "[[0, 1], [1, 0]", 5.0, "cheap", "missing.json"]
WRONG += [{"+": {"not +": 10}, "not +": {"+": 1}}]
WRONG_FILES = [",+,-\n+,0,x\n-,1,0\n", ",+,-\n+,0,\n-,1,0\n", "predicted,+,-\n+,0,1\n-,inf,0\n"]
WRONG_FILES += [";+;-\n+;0;0,5\n-;1,5;0\n", ';+;-\n+;0;"4,841"\n-;1;0\n']
WRONG_FILES += ["actual,predicted,cost\n+,-,1\n-,+,many\n", "actual,predicted,cost\n+,-,1\n-,+,2\n+,-,1\n"]
WRONG_FILES += ["actual,predicted,cost\n+,-,1\n-,-,2\n", "actual,predicted,cost\n+,-,1\n-,+,2\nx,+,2\n"]
WRONG_FILES += [",+,-\n+,0,1\n", ",+,-,Total\n+,0,1,1\n-,1,0,1\n", ",+,+\n+,0,1\n-,1,0\n"]
WRONG_FILES += ["predicted/pred,+,-\n+,0,1\n-,1,0\n", ",+,-\n+,0\n-,1,0\n"]


def test_other_costs_are_refused(snapshot: Any) -> None:
    found = refusals([(source(given), SIGNS, {}) for given in WRONG], costs)
    found |= refused({repr(text): lambda text=text: costs(written(text)) for text in WRONG_FILES})
    found |= refused({"5,000 digits": lambda: costs([[0, 10**5000], [1, 0]])})
    bare = written("0 1\n1 0\n", "c.txt")
    unstated = [("0 1; 1 0", SIGNS, False), (np.eye(7), tuple("abcdefg"), False), (bare, SIGNS, False)]
    rest = {"a": {"rest": 1, "not a": 2}, "rest": {"a": 1}}
    others = [(rest, ("a", "rest"), {}), ({"a": {"not a": 1}, "not a": {"a": 1}}, ("a", "b", "rest"), {})]
    snapshot("errors_data_costs", found | refusals([*unstated, *others], costs))
