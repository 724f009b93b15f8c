"""ARFF as scipy and WEKA's manual read it, and what WEKA prints; every flaw is named with its line."""

import gzip
import io

import scipy.io.arff
from inputs import NO_LABEL, counts, of_contents, refusals, rows_of, written

import tallymark as tm
from collected import each
from scored import classes

HEADER = "@relation r\n@attribute a {x, y}\n@attribute b numeric\n@data\n"
ASKED = {"actual": "a", "score": "b", "pos_label": "x", "threshold": 0.5}
EVERY = (
    "% a comment\n\n@RELATION 'two words'\n"
    "@attribute 'sepal length' REAL\n@Attribute kind{a,'b c', \"d\\\"e\"}   % with a comment\n"
    '@attribute\tnote\tstring\n@attribute day date "yyyy-MM-dd"\n@attribute n integer\n@DATA\n'
    "1.5, a ,'it\\'s',\"2020-01-01\",3\n% between\n\n?,'b c',x,?,2e3\n"
    " 1\t'd\"e' y z -.4  % behind\n'2','a',\"?\",'line\\nend','5'\n"
)


def test_every_type_and_way_of_writing(snapshot):
    path = written(EVERY, "x.arff")
    kinds, labels = ["a", "b c", 'd"e', "a"], {"actual": "kind", "missing": "drop"}
    scored = {**labels, "pos_label": "a", "threshold": 1}
    assert rows_of(path, **labels, predicted="note") == (kinds, ["it's", "x", "y", "?"])
    assert rows_of(path, **labels, predicted="day")[1] == ["2020-01-01", "z", "line\nend"]
    assert rows_of(path, **scored, score="n")[2] == [3, 2000, -0.4, 5]
    assert rows_of(path, **scored, score="sepal length")[2] == [1.5, 1, 2]
    assert tm.evaluate(path, **scored, score="sepal length").dropped == {"missing_score": 1}
    assert tm.tally(path, **labels, predicted="day").dropped == {"missing_predicted": 1}
    packed = written(gzip.compress(EVERY.encode()), "x.arff.gz")
    places = {
        "places": (path, scored | {"score": "note"}),
        "compressed": (packed, scored | {"score": "note"}),
    }
    places["missing"] = path, {"actual": "kind", "predicted": "day"}
    snapshot("errors_input_arff_places", refusals(places))


def test_as_scipy_reads_it():
    rows = "".join(f"{'xyz'[i % 3]}, {i / 7:.3f},{i}\n" for i in range(50))
    text = f"@relation r\n@attribute k {{x,y,z}}\n@attribute s real\n@attribute n numeric\n@data\n{rows}"
    data, _ = scipy.io.arff.loadarff(io.StringIO(text))
    path = written(text, "x.arff")
    for name in "sn":
        actual, _, score = rows_of(path, actual="k", score=name, pos_label="x", threshold=2)
        assert actual == ["x" if word == b"x" else "rest" for word in data["k"]]
        assert score == data[name].tolist()


def test_what_a_sparse_row_leaves_out_is_0_or_the_first_label():
    """The WEKA manual: omitted values of a nominal attribute are its first value, not missing."""
    head = "@relation r\n@attribute n numeric\n@attribute k {first, second}\n@attribute t string\n@data\n"
    rows = "{0 7, 1 second, 2 q}\n{2 'a b'}\n{1 ?, 2 x}\n{ 0 1 , 2 y } % c\n{2 z}, {1}\n"
    path, asked = written(head + rows, "x.arff"), {"actual": "k", "missing": "drop"}
    scored = rows_of(path, **asked, score="n", pos_label="second", threshold=5)
    assert scored == (["second", "first", "first", "first"], ["second", *["first"] * 3], [7, 0, 1, 0])
    assert rows_of(path, **asked, predicted="t")[1] == ["q", "a b", "y", "z"]


Q = "@attribute q real\n"
WAYS = [HEADER + row for row in ("x,1\n", "x,1,{1}", "x,1 {1.0}\n", "x , 1 , { 1 } % c\n", "'x' 1\n")]
WAYS += ["@relation r\n@attribute a {x,y} {0.5}\n@attribute b real {2}\n@data\nx,1\n"]
WAYS += [f"@relation r\n{Q}@attribute a{{x}}\n{Q}@attribute b real\n@data\n0,x,3,1\n"]
WAYS += ["\ufeff" + (HEADER + "x,1\n").replace("\n", "\r\n")]


@each("text", WAYS)
def test_ways_to_write_one_row(text):
    """A weight of 1 is no weight, weights of attributes say nothing about rows, names may be there twice."""
    assert rows_of(written(text, "x.arff"), **ASKED) == (["x"], ["x"], [1.0])


def test_parts_and_other_kinds_of_counting():
    packed = gzip.compress(f"{HEADER}x,0\n".encode())
    parts = [written(f"{HEADER}x,1\ny,0\n", "1.arff"), written(packed, "2.arff.gz")]
    for count in (tm.evaluate, tm.tally):
        assert counts(count, parts, **ASKED)[1] == {("x", "x"): 1, ("y", "y"): 1, ("x", "y"): 1}
    gaps = written(f"{HEADER}x,1\n?,0\ny,?\nx,0\n", "x.arff")
    cells, dropped = counts(tm.evaluate, gaps, **ASKED, missing="drop")[1:3]
    assert cells == {("x", "x"): 1, ("x", "not x"): 1}
    assert dropped == {"missing_actual": 1, "missing_score": 1}


ROWS = {
    "unknown label": "x,1\nz,1\n", "too few values": "x,1\n\nx\n", "too many values": "x,1,2\n",
    "a blank inside a value": "x y,1\n", "no number": "x,abc\n", "nan": "x,NaN\n",
    "unclosed quote": "'x,1\n", "text behind a quote": "'x'y,1\n", "quote inside a bare value": "x'y,1\n",
    "percent sign in a bare value": "x,50%\n", "empty value": "x,,1\n", "comma at the end": "x,1,\n",
    "weight": "x,1\nx,1,{0.5}\n", "no weight in braces": "x,1,{heavy}\n",
    "position just too large": "{0 x, 2 1}\n", "position twice": "{0 x, 0 y}\n",
    "position that is no number": "{a x}\n", "sparse row not closed": "{0 x\n",
    "sparse row with half a pair": "{0 x, 1}\n", "stray brace": "x,1}\n", "no rows": "", "nul": "x,\0\n",
    "latin-1": (HEADER + "x,\xe9\n").encode("latin-1"),
}  # fmt: skip
HEADERS = {
    "unknown type": "@relation r\n@attribute a foo\n@data\n1\n",
    "no type": "@relation r\n@attribute a\n@data\n1\n",
    "relational": "@relation r\n@attribute bag relational\n",
    "no data": "@relation r\n@attribute a real\n",
    "no attributes": "@relation r\n@data\n1\n",
    "other words": "@relation r\nhello\n",
    "unclosed name": "@relation r\n@attribute 'a real\n@data\n1\n",
    "unclosed set": "@relation r\n@attribute a {x,y\n@data\nx\n",
    "label twice": "@relation r\n@attribute a {x,x}\n@data\nx\n",
    "empty set": "@relation r\n@attribute a {}\n@data\nx\n",
    "name twice": "@relation r\n@attribute a real\n@attribute a real\n@attribute b real\n@data\n1,2,3\n",
    "absent": "@relation r\n@attribute A real\n@attribute b real\n@data\n1,1\n",
    "sparse row without a text": "@relation r\n@attribute b real\n@attribute a string\n@data\n{0 1}\n",
    "a csv": "a,b\n1,2\n",
}


def test_flaws_are_named_with_their_line(snapshot):
    table = {name: HEADER + row if isinstance(row, str) else row for name, row in ROWS.items()}
    table |= {f"header: {name}": text for name, text in HEADERS.items()}
    found = of_contents(table, "x.arff", **ASKED)
    assert set(classes(found).values()) == {"FileError", "ColumnError"}
    assert of_contents(table, "x.arff", tm.tally, **ASKED) == found
    snapshot("errors_input_arff", found)


PLAIN = """
=== Run information ===

Scheme:       weka.classifiers.trees.J48 -C 0.25 -M 2
Relation:     pima_diabetes

=== Predictions on test data ===

 inst#     actual  predicted error prediction
     1 1:tested_negative 1:tested_negative       0.846
     2 2:tested_positive 1:tested_negative   +   0.6
     3        1:? 2:tested_positive       1
     1 2:tested_positive 2:tested_positive       0.75

=== Stratified cross-validation ===
=== Summary ===

Correctly Classified Instances           2               66.6667 %

  a b   <-- classified as
 1 0 | a = tested_negative
 1 1 | b = tested_positive
"""
HEAD = " inst#     actual  predicted error prediction\n"
SHARES = " inst#     actual  predicted error distribution\n"
CSV_HEAD = "inst#,actual,predicted,error,prediction\n"
CSV = f"{CSV_HEAD}1,1:yes,1:yes,,0.9\n2,2:no,1:yes,+,0.7\n3,1:?,2:no,,0.6\n"
LABELS = {"actual": "actual", "predicted": "predicted", "missing": "drop"}
N, P = "tested_negative", "tested_positive"


@each("name", ["x.txt", "x.out", "x", "x.csv", "x.tsv", "x.txt.gz"])
def test_recognised_by_its_header_whatever_the_suffix(name):
    path = written(gzip.compress(PLAIN.encode()) if name.endswith("gz") else PLAIN, name)
    assert rows_of(path, **LABELS) == ([N, P, P], [N, N, P])
    assert rows_of(path, **LABELS, delimiter=";") == ([N, P, P], [N, N, P])
    scored = rows_of(path, actual="actual", score="prediction", missing="drop", pos_label=P, threshold=2)
    assert scored[2] == [0.846, 0.6, 0.75]
    # a correct row has no mark in the column `error`
    marks = rows_of(path, actual="predicted", predicted="error", missing="drop")
    assert marks == ([N], ["+"])
    assert counts(tm.tally, path, **LABELS)[1:3] == ({(N, N): 1, (P, N): 1, (P, P): 1}, {"missing_actual": 1})
    assert tm.evaluate(path, predicted="predicted", actual="inst#").labels == ("1", "2", "3", N, P)


FORMS = {
    # as version 3.8 aligns it, a header with empty brackets, and labels that are quoted on one side only
    f"   {HEAD}        1        1:a        2:b   +   0.9 \n": (["a"], ["b"]),
    f"{HEAD[:-1]} ()\n     1        1:H       2:NH   +   1 \n": (["H"], ["NH"]),
    f"{HEAD}     1 1:'no way'   1:no way       0.9\n     2      2:yes   1:no way   +   0.8\n": (
        ["no way", "yes"],
        ["no way"] * 2,
    ),
    CSV: (["yes", "no"], ["yes", "yes"]),
    CSV.replace(",", "\t"): (["yes", "no"], ["yes", "yes"]),
    f"{CSV_HEAD}1,1:I,1:I,,0.879,\n2,1:I,2:S,+,0.638,\n": (["I", "I"], ["I", "S"]),
    f"{CSV_HEAD}1,1:'a\\'s, b',2:c,+,0.9\n2,2:c,1:'a\\'s, b',+,1\n": (["a's, b", "c"], ["c", "a's, b"]),
}


@each("text, rows", FORMS.items())
def test_forms_of_versions(text, rows):
    for name in ("x.tsv",) if "\t" in text else ("x.txt", "x.csv", "x"):
        assert rows_of(written(text, name), **LABELS) == rows


SPREAD = (
    f"{SHARES}     1        1:a        1:a       *0.8,0.125,0.075\n"
    "     2        2:b        1:a   +   *0.5,0.25,0.25\n     3        2:b          ?       ?\n"
)
WITH_ATTRIBUTES = (
    "inst#,actual,predicted,error,distribution,,,age,note\n"
    "1,1:a,1:a,,*0.958,0.021,0.021,7,'x, y'\n2,2:b,3:c,+,0.1,0.2,*0.7,?,z\n"
)
SPREAD_CSV = "inst#,actual,predicted,error,distribution,,\n1,1:a,1:a,,*0.9,0.1,0\n2,2:b,?,,?\n"
DISTRIBUTIONS = {
    SPREAD: ("distribution_3", [[0.8, 0.5], [0.125, 0.25], [0.075, 0.25], [0.8, 0.5]]),
    SPREAD_CSV: ("distribution_3", [[0.9], [0.1], [0.0], [0.9]]),
    SPREAD_CSV.replace("\n", ",\n"): ("distribution_3", [[0.9], [0.1], [0.0], [0.9]]),
    WITH_ATTRIBUTES: ("p_c", [[0.958, 0.1], [0.021, 0.2], [0.021, 0.7], [0.958, 0.7]]),
}


@each("text, expected", DISTRIBUTIONS.items())
def test_distributions_have_a_column_per_class(text, expected):
    """Named by the class, or by its place where no row tells its name; the starred one is the prediction."""
    path, (last, values) = written(text), expected
    asked = {"actual": "actual", "pos_label": "a", "missing": "drop", "threshold": 0.5}
    names = ["p_a", "p_b", last, "prediction"]
    assert [rows_of(path, **asked, score=name)[2] for name in names] == values


def test_attributes_are_columns():
    plain = (
        " inst#     actual  predicted error prediction (age,note)\n"
        "     1        1:a        1:a       0.9 (33,'x, (y)')\n     2        2:b        1:a   +   0.5 (?,z)\n"
    )
    asked = {"missing": "drop", "labels": ["33", "7", "a", "b", "z", "x, y", "x, (y)", NO_LABEL]}
    for text, age, quoted in ((plain, "33", "x, (y)"), (WITH_ATTRIBUTES, "7", "x, y")):
        path = written(text, "x.csv")
        assert rows_of(path, actual="actual", predicted="note", **asked) == (["a", "b"], [quoted, "z"])
        assert rows_of(path, actual="actual", predicted="age", **asked) == (["a"], [age])


BAD = {
    "two tables": PLAIN + PLAIN,
    "numeric class": " inst#     actual  predicted      error\n     1     2.5     2.6     0.1\n",
    "a blank line inside": PLAIN.replace("     3 ", "\n     3 "),
    "a class with two names": PLAIN.replace("     2 2:", "     2 1:"),
    "two classes of one name": f"{HEAD}     1 1:odd 1:odd       1\n     2 2:odd 1:odd   +   1\n",
    "decimal comma": PLAIN.replace("0.846", "0,846"),
    "cut short": PLAIN[: PLAIN.index("1:? 2:tested")],
    "a label cut off inside its quotes": f"{HEAD}     1 1:'no wa   1:no way       0.9\n",
    "no index": f"{HEAD}     1        yes         no   +   0.9\n",
    "no index in csv": CSV.replace("2:no,1:yes", "no,1:yes"),
    "ragged csv": CSV.replace(",+,0.7", ""),
    "a comma in an unquoted label": CSV.replace("1:yes,+", "1:yes, sir,+"),
    "header only": HEAD,
    "star at another class": f"{SHARES}     1        1:a        1:a       0.1,*0.9\n",
    "probabilities of other lengths": f"{SHARES}  1  1:a  1:a  *0.9,0.1\n  2  1:a  1:a  *0.9,0.1,0\n",
    "attributes missing": f"{HEAD[:-1]} (age)\n     1        1:a        1:a       0.9\n",
}


def test_flaws_in_what_weka_prints(snapshot):
    found = of_contents(BAD, "x.txt", **LABELS)
    assert set(classes(found).values()) == {"FileError"}
    assert of_contents(BAD, "x.txt", tm.tally, **LABELS) == found
    places = {
        "places": (written(PLAIN), {}),
        "places in compressed text": (written(gzip.compress(PLAIN.encode()), "x.txt.gz"), {}),
        "places in csv": (written(CSV, "y.csv"), {"pos_label": "yes"}),
        "columns": (written(SPREAD, "z.txt"), {"actual": "x", "score": "y"}),
    }
    found |= refusals(places, actual="actual", score="predicted", pos_label=P)
    snapshot("errors_input_weka", found)
