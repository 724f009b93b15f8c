"""`decide`: what Python decides, with the options of a shell; and by hand what files and classes add."""

import json
from pathlib import Path
from typing import Any

import tallymark as tm
from command_lines import calls, different, keywords, write

FILES = {
    "plain.csv": "y,s\nyes,0.8\nno,0.5\n",
    "numbered.csv": "y,p_0,p_1,p_2\n0,0.7,0.2,0.1\n1,0.5,0.4,0.1\n2,0.1,0.1,0.8\n",
    "same.csv": "y,a,b,c\na,0.7,0.2,0.1\nb,0.5,0.4,0.1\nc,0.1,0.1,0.8\n",
    "guessed.csv": "actual,score\n1,0.9\n0,0.2\n",
}
FIVE = "decide five.csv --actual y --score s"
PRICED = f"{FIVE} --labels 1,0 --costs '0 10; 1 0'"
WORDS = "decide now.csv --actual y --score s --positive yes"
THREE = "decide three.csv --actual y --probabilities a,b,c"
COSTS = "--costs '0 1 1; 9 0 1; 1 1 0'"
OF_THREE = f"{THREE} --labels a,b,c {COSTS}"


def test_decisions_are_those_of_python(run: Any) -> None:
    text = """
        $PRICED
        $PRICED {--threshold 0.75|--threshold 0.75 --confidence 0.5 --seed 3}
        $PRICED {--min specificity=1|--prevalence 0.2}
        $FIVE --labels 1,0 --costs '0 5; 5 0' {--reject-cost 1|--reject-cost 5|--min recall=1}
        $FIVE --labels 1,0 --costs {'0 0; 0 0'|'2 2; 2 2'}
        $FIVE --min recall=0.6 --best precision
        $FIVE --min sensitivity=0.5 --max fpr=0.1 --best accuracy
        $FIVE {--min recall=1|--max share=0.2|--best f_beta:2|--min recall=0.43 --on-lower-bound}
        $WEIGHTS {--weight w --group g|--weight w --weight-kind frequency|--group g}
        $VALUES {--seed 1|--threshold 0|--threshold 0 --prevalence 0.5}
        $OF_THREE {--seed 1|--reject-cost 0.5}
        decide only_ones.csv --actual y --score s --labels 1,0 --costs '0 1; 1 0'
        decide votes.csv --actual y --votes a,b,c --positive yes --best recall
        decide holes.csv --actual y --score s --best f1 --drop-missing
    """
    names = {
        "WEIGHTS": "decide weights.csv --actual y --score s --labels 1,0 --costs '0 3; 1 0'",
        "VALUES": "decide values.csv --actual y --score s --labels 1,0 --costs '0 1; 1 0'",
        "PRICED": PRICED,
        "FIVE": FIVE,
        "OF_THREE": OF_THREE,
    }
    wrong = []
    for call, words in calls(text, **names).items():
        flags = {"on_lower_bound": {"on_lower_bound": True}}
        (_, data), given = keywords(words, min="minimum", max="maximum", **flags)
        names = ("costs", "best", "reject_cost", "minimum", "maximum", "on_lower_bound")
        about = {name: given.pop(name) for name in names if name in given}
        prevalence = given.pop("prevalence", None)
        ev = tm.evaluate(data, **given)
        there = (ev if prevalence is None else ev.at_prevalence(prevalence)).decide(**about).to_dict()
        wrong += [f"{call}: {key}" for key in different(run(f"{call} --json").json, there)]
    assert wrong == []


def test_two_classes_by_hand(documents: Any, run: Any) -> None:
    of_yes = {"threshold": 0.4, "low": 0.2, "cost": 1, "aim/costs": {"tp": 0, "fn": 10, "fp": 1, "tn": 0}}
    one_on_each_side = {"missing_actual": 1, "missing_score": 1}
    table = {
        # From the highest threshold down it costs 30, 20, 10, 11, 1 and 2.
        PRICED: {
            "schema": "tallymark/decision/1", "task": "binary", "rows": 5, "positive": "1",
            "threshold": 0.6, "low": 0.3, "high": 0.6, "cost": 1, "against/*/cost": [1, 2, 30],
        },
        # Thresholds 0.9, 0.6, 0.4, 0.2 cost 10, 11, 1 and 2; none costs 20. Names need no order.
        f"{WORDS} --costs {{costs.json|costs.csv}}": of_yes,
        WORDS + """ --costs '{"yes": {"no": 10}, "no": {"yes": 1}}'""": of_yes,
        f"{WORDS} --labels no,yes --costs '0 1; 10 0'": of_yes | {"labels": ["yes", "no"]},
        # Predictions are as is: one of two yes is missed, one no is a false alarm, 11; and 1 at 0.4.
        f"{WORDS} --predicted now --costs costs.json": {
            "against/as is/cost": 11, "saving": 10, "saving_against": "as is",
        },
        f"{PRICED} --threshold best:cost": {"saving": 0, "findings/*/code": ["TM007"]},
        f"{PRICED} --reject-cost 1e99": {"region": None, "rejected": 0, "threshold": 0.6},
        "decide guessed.csv --best f1 --prevalence 0.3": {"notes": lambda found: len(found) == 4},
        "decide holes.csv --actual y --score s --best f1 --drop-missing": {
            "rows": 4, "dropped": one_on_each_side,
        },
        # There thresholds cost 20, 10, 11, 12, 2, 3 and 4.
        f"{PRICED} --choose-on other.csv": {
            "threshold": 0.6, "low": 0.3, "cost": 1, "chosen_on": {"rows": 6, "dropped": {}}, "rows": 5,
            "optimistic": None, "cross_fitted": None,
        },
        f"{PRICED} --choose-on - < other.csv": {"threshold": 0.6, "chosen_on": {"rows": 6, "dropped": {}}},
        # where predictions are not needed
        f"{WORDS} --predicted now --costs costs.json --choose-on plain.csv": {
            "threshold": 0.8, "against/as is/cost": 11,
        },
        f"{FIVE} --best f1 --choose-on holes.csv --drop-missing": {
            "dropped": {}, "chosen_on": {"rows": 4, "dropped": one_on_each_side},
        },
    }  # fmt: skip
    documents(table, FILES)
    whole = run(f"{PRICED} --json").json
    assert run(f"{PRICED} --best cost --json").json == whole
    piped = PRICED.replace("five.csv", "-")
    assert run(f"{piped} --json", stdin=Path("five.csv").read_bytes()).json == whole
    for line in (f"{FIVE} --labels 1,0 --costs '2 2; 2 2'", PRICED.replace("five", "only_ones")):
        assert run(f"{line} -o out.svg --force").code == 0


def test_many_classes(documents: Any, run: Any) -> None:
    table: dict[str, dict[str, Any]] = {
        # Expected costs of a, b, c: 1.9 0.8 0.9; 3.7 0.6 0.9; 1.7 0.9 0.2. So b, b, c; the first is wrong.
        OF_THREE: {
            "confusion": {"labels": ["a", "b", "c"], "matrix": [[0, 1, 0], [0, 1, 0], [0, 0, 1]]},
            "cost": 1, "saving": 8, "positive": None, "believed_mean_cost": 1.6 / 3,
        },
        f"decide numbered.csv --actual y --probabilities p_0,p_1,p_2 --labels 0,1,2 {COSTS}": {
            "labels": ["0", "1", "2"], "confusion/labels": ["0", "1", "2"],
            "most_probable/labels": ["0", "1", "2"],
        },
        # one against the rest: its own probability is 0.7, and 0.5 and 0.1 of the others
        f"{THREE} --positive a --best f1": {"threshold": 0.7, "low": 0.5, "labels": ["a", "rest"]},
        f"decide rest.csv --actual y --probabilities a,b,rest --positive a --costs '{priced('not a')}'": {
            "labels": ["a", "not a"],
        },
    }  # fmt: skip
    for rest in ("rest", "not a"):
        line = f"{THREE} --positive a --costs '{priced(rest)}'"
        table[line] = {"cost": 0, "against/as is/cost": 1}
        table[f"{line} --choose-on same.csv"] = {"cost": 0}
        table[line.replace("--probabilities a,b,c", "--score a")] = {"labels": ["a", "rest"]}
    documents(table, FILES)
    # b and c have a row each, so they divide what a leaves; all of a's half of three rows is found.
    whole = [
        run(f"{THREE} --positive a --best f1 --prevalence {shares} --json").json
        for shares in ("0.5", "a=0.5,b=0.25,c=0.25")
    ]
    one, each = ({key: value for key, value in form.items() if key != "notes"} for form in whole)
    assert one == each
    assert one["counts"]["tp"] == 1.5


def priced(rest: str) -> str:
    return json.dumps({"a": {rest: 5}, rest: {"a": 1}})


def test_tables(run: Any) -> None:
    write(FILES)
    for line, name, lines in (
        (PRICED, "out.csv", ["0.6,3,1,0,1,1.0,0.2", "0.3,3,2,0,0,2.0,0.4"]),
        (OF_THREE, "classes.csv", ["actual,answer,cost,most_probable,cheapest", "a,a,0.0,1,0"]),
    ):
        assert run(f"{line} -o {name}").code == 0
        written = Path(name).read_text().splitlines()
        assert lines in (written[:2], written[-2:])
