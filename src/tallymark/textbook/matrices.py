"""Chapter 1: accuracy, costs, and when one says nothing about the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal

import tallymark as tm
from tallymark.drawing import Block, count, number

from .cases import CASES, Case
from .example import Check, Worked, by_formula, example, printed, words
from .shown import lines, matrix_table, nested, pointed_out, table, typed

Rows = Literal["same rows", "other rows"]

TAN = "004_b87451bdc789abf2.txt"


def evaluated(case: Case) -> tm.Evaluation:
    """The matrix of a case, with its costs."""
    return tm.Confusion(case["matrix"], labels=case["labels"]).evaluate(costs=case.get("costs"))


def in_python(case: Case) -> str:
    return f"tm.Confusion({nested(case['matrix'])}, labels={case['labels']})"


@example(
    "constant-classifier",
    1,
    "99.9 % right, and of no use",
    "constant-classifier-99.9",
    "constant-classifier-9990",
)
def constant_classifier() -> Worked:
    checks: list[Check] = []
    blocks: list[Block] = []
    commands = []
    for name in ("constant-classifier-99.9", "constant-classifier-9990"):
        case = CASES[name]
        ev = evaluated(case)
        rare = min(case["labels"], key=lambda label: ev.per_class[label].support)
        checks += [
            printed(
                f"accuracy of {count(ev.rows)} rows",
                case["expected"]["accuracy"],
                ev["accuracy"].value,
                3,
                percent=True,
            ),
            words(f"rows of class {rare} found", "none", _found(ev, rare)),
            by_formula(
                f"the larger class, of {count(ev.rows)} rows",
                Fraction(max(map(sum, case["matrix"])), int(ev.rows)),
                ev["no_information_rate"].value,
            ),
        ]
        blocks.append(pointed_out(ev.findings))
        commands.append(f"tallymark matrix {typed(case['matrix'])} --labels {','.join(case['labels'])}")
    given = [matrix_table(CASES[name]["labels"], CASES[name]["matrix"]) for name in _CONSTANT]
    return Worked(
        "A model answers the same class whatever the row: of 100,000 rows in one lecture, of 10,000 in the "
        "other, all but one in a thousand belong to it. How good is it?",
        tuple(checks),
        tuple(given),
        tuple(blocks),
        "Accuracy counts every row alike, so a class that hardly occurs hardly counts. The figure to hold it "
        "against is that of always answering the larger class; recall of the small class shows what is lost.",
        tuple(commands),
        ("import tallymark as tm", f"print({in_python(CASES[_CONSTANT[0]])}.evaluate().findings)"),
    )


_CONSTANT = ("constant-classifier-99.9", "constant-classifier-9990")


def _found(ev: tm.Evaluation, label: str) -> str:
    recall = ev.per_class[label]["recall"].value
    return "none" if recall == 0 else number(recall)


def _cost_pair(problem: str, names: dict[str, str], rows: Rows) -> Worked:
    """Two models and one cost matrix; `names` are the cases by what their document calls them."""
    cases = {name: CASES[case] for name, case in names.items()}
    (first, one), (second, two) = cases.items()
    models = {name: evaluated(case) for name, case in cases.items()}
    checks = []
    for name, case in cases.items():
        expected, ev = case["expected"], models[name]
        checks += [
            printed(f"accuracy of {name}", expected["accuracy"], ev["accuracy"].value, 3, percent=True),
            printed(f"cost of {name}", expected["total_cost"], ev["total_cost"].value),
        ]
    accurate = _greater(models, "accuracy", second, first)
    dear = _greater(models, "total_cost", second, first)
    found = f"{'more' if accurate else 'less'} accurate, yet {'dearer' if dear else 'cheaper'}"
    checks.append(words(f"{second} beside {first}", two["verdict"].removesuffix(f" than {first}"), found))
    comparison = tm.compare(models, design=rows)
    given = [matrix_table(one["labels"], one["costs"], "costs")]
    given += [matrix_table(case["labels"], case["matrix"], f"rows of {name}") for name, case in cases.items()]
    command = [f"--matrix {name.replace(' ', '-')}={typed(case['matrix'])}" for name, case in cases.items()]
    labels = ",".join(one["labels"])
    single = f"--labels {labels} --costs {typed(one['costs'])}"
    return Worked(
        problem,
        tuple(checks),
        tuple(given),
        (
            *(_cost_table(name, case) for name, case in cases.items()),
            pointed_out(comparison.findings),
        ),
        "Every cell of the one matrix is multiplied with the same cell of the other, and all are added. A "
        "cost below 0 is a gain.",
        (
            *(f"tallymark matrix {typed(case['matrix'])} {single}" for case in cases.values()),
            f"tallymark compare {' '.join(command)} {single} --{rows.replace(' ', '-')}",
        ),
        (
            "import tallymark as tm",
            f"ev = {in_python(one)}.evaluate(costs={nested(one['costs'])})",
            'print(ev["accuracy"].value, ev["total_cost"].value)',
        ),
    )


def _greater(models: dict[str, tm.Evaluation], metric: str, one: str, other: str) -> bool:
    return float(models[one][metric]) > float(models[other][metric])


def _cost_table(name: str, case: Case) -> Block:
    rows: list[Sequence[str | float]] = []
    total = 0
    for actual, counts, costs in zip(case["labels"], case["matrix"], case["costs"], strict=True):
        for predicted, n, cost in zip(case["labels"], counts, costs, strict=True):
            rows.append((f"actual {actual}, called {predicted}", n, cost, n * cost))
            total += n * cost
    rows.append(("sum", "", "", total))
    made = table(("", "rows", "cost of one", "cost"), rows, f"cost of {name}, cell by cell")
    return replace(made, rule_before=(len(rows) - 1,))


@example(
    "cost-5660",
    1,
    "The less accurate model is the cheaper one",
    "cost-5660-model-1",
    "cost-5660-model-2",
)
def cost_5660() -> Worked:
    return _cost_pair(
        "Two models answer 5,660 rows. A missed row of class 1 costs 200, a false alarm 20, and a row of "
        "class 1 that is found earns 1. Which model is better?",
        {"model 1": "cost-5660-model-1", "model 2": "cost-5660-model-2"},
        "same rows",
    )


@example(
    "cost-500", 1, "The more accurate model is the dearer one", "cost-500-M1", "cost-500-M2", also=(TAN,)
)
def cost_500() -> Worked:
    return _cost_pair(
        "The same question the other way round: a missed + costs 100, a false alarm 1, and a + that is found "
        "earns 1. M2 is right more often. Is it the one to take?",
        {"M1": "cost-500-M1", "M2": "cost-500-M2"},
        "other rows",
    )


_PRICES = ((0, 1), (2, 5), (-1, 3))


@example(
    "cost-is-linear-in-accuracy",
    1,
    "When costs say nothing new",
    "cost-is-linear-in-accuracy",
    also=(TAN,),
)
def cost_is_linear() -> Worked:
    checks = []
    for name in ("cost-500-M1", "cost-500-M2"):
        case = CASES[name]
        right, rows = case["matrix"][0][0] + case["matrix"][1][1], sum(map(sum, case["matrix"]))
        for p, q in _PRICES:
            ev = tm.Confusion(case["matrix"], labels=case["labels"]).evaluate(costs=[[p, q], [q, p]])
            by_hand = rows * (q - (q - p) * Fraction(right, rows))
            checks.append(
                by_formula(f"{name[-2:]}, p = {p}, q = {q}", float(by_hand), ev["total_cost"].value)
            )
    one = CASES["cost-500-M1"]
    return Worked(
        "Every right answer costs p and every wrong one q, whatever the class. What does the cost tell that "
        "accuracy does not?",
        tuple(checks),
        (
            table(
                ("cost", "called +", "called -"),
                (("actual +", "p", "q"), ("actual -", "q", "p")),
                "costs; p and q are chosen here",
            ),
        ),
        lines("cost = p right + q wrong = p right + q (N - right) = N [q - (q - p) accuracy]"),
        "Nothing: with N, p and q known, one follows from the other, and the cheaper model is the more "
        "accurate one as long as q is above p. The lectures call the two proportional; strictly, cost is "
        "linear in accuracy, and falls when accuracy rises.",
        (f"tallymark matrix {typed(one['matrix'])} --labels +,- --costs '2 5; 5 2'",),
        (
            "import tallymark as tm",
            f"ev = {in_python(one)}.evaluate(costs=[[2, 5], [5, 2]])",
            'print(ev["total_cost"].value, ev.rows * (5 - (5 - 2) * ev["accuracy"].value))',
        ),
    )


EXAMPLES = (constant_classifier, cost_5660, cost_500, cost_is_linear)
