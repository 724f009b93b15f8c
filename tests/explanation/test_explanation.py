"""Explanations: every line can be followed with a pocket calculator, over the whole registry of metrics."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import tallymark as tm
from scored import binned, scored
from tallymark.metrics import AVERAGES, METRICS, SCORE_METRICS

SPAM = [[282, 75], [462, 4841]]
LAND = [[512, 12, 22], [2, 77, 13], [36, 59, 831]]
SMALL = [[4, 1, 0], [0, 3, 2], [1, 0, 4]]
NEVER = [[5, 0, 2], [1, 0, 3], [0, 0, 9]]
ODD = "<b>_%$"
PARAMETERS = {"f_beta": ":2", "weighted_accuracy": ":2,1,1,0.5"}
NAMES = [name + PARAMETERS.get(name, "") for name in METRICS]
AVERAGED = [
    f"{name}_{average}{PARAMETERS.get(name, '')}"
    for name in METRICS
    for average in AVERAGES
    if not METRICS[name].needs_costs
]
MATRICES = {
    "binary": SPAM,
    "binary, an empty cell": [[12, 0], [3, 20]],
    "binary, one class absent": [[0, 0], [4, 20]],
    "binary, all right": [[7, 0], [0, 9]],
    "binary, all wrong": [[0, 7], [9, 0]],
    "binary, one answer": [[0, 7], [0, 9]],
    "three": LAND,
    "three, absent class": [[5, 0, 2], [0, 0, 0], [1, 0, 9]],
    "three, class never called": NEVER,
}
# Of nine pairs 5 are won and 1 is tied.
SIX_SCORES, SIX_ACTUAL = [0.9, 0.8, 0.7, 0.7, 0.4, 0.1], [1, 0, 1, 0, 1, 0]
RANKED = ("auc", "gini", "partial_auc:0.5", "partial_auc_mcclish:0.5", "average_precision")
LOSSES = ("brier", "brier_half", "log_loss")


@cache
def of_matrix(kind: str, position: int = 0) -> tm.Evaluation:
    labels = [ODD, "b", "c"][: len(MATRICES[kind])]
    costs = (np.arange(1.0, len(labels) ** 2 + 1).reshape(len(labels), -1) - 2.5).tolist()
    return tm.Confusion(MATRICES[kind], labels=labels).evaluate(pos_label=labels[position], costs=costs)


def counted(matrix: Any, labels: Any = None, **options: Any) -> tm.Evaluation:
    labels = labels or [chr(ord("a") + place) for place in range(len(matrix))]
    return tm.Confusion(matrix, labels=labels).evaluate(pos_label=labels[0], **options)


@cache
def ranking(kind: str) -> tm.Evaluation:
    generator = np.random.default_rng(0)
    positive = generator.random(200) < 0.4
    score = 1 / (1 + np.exp(-generator.normal(size=200) - positive))
    if kind == "near 1":
        positive = np.arange(8000) < 4000
        score = 1 / (1 + np.exp(-np.random.default_rng(1).normal(size=8000) - 5 * positive + 2.5))
    options: dict[str, Any] = {"weights": {"sample_weight": np.linspace(0.1, 3, 200)}}
    options |= {"groups": {"groups": np.arange(200) % 20}}
    made = {
        "bins": lambda: binned([0, 50, 30, 10], [0, 10, 30, 60]),
        "share": lambda: scored(score, positive).at_prevalence(0.1),
        "tiny": lambda: scored(SIX_SCORES, SIX_ACTUAL),
    }.get(kind, lambda: scored(score, positive, **options.get(kind, {})))
    return made()


KINDS = ("plain", "weights", "groups", "bins", "share", "near 1", "tiny")


def of_classes(n: int = 90, **options: Any) -> tm.Evaluation:
    generator = np.random.default_rng(0)
    actual = np.arange(n) % 3
    table = generator.normal(size=(n, 3))
    table[np.arange(n), actual] += 1
    table = np.exp(table) / np.exp(table).sum(axis=1, keepdims=True)
    return tm.evaluate(np.array(["a", "b", "c"])[actual], y_score=table, labels=["a", "b", "c"], **options)


FOUR = ([[0, 1, 1], [1, 0, 1], [1, 1, 1], [1, 0, 1]], [[0, 0, 1], [1, 0, 1], [1, 1, 0], [1, 1, 0]])


# --- what is checked of every explanation ------------------------------------------------------------

COMMANDS = set(
    re.findall(
        "[a-z]+",
        "frac sqrt cdot cdots ldots left right mathrm mathit sum max pm mp ln exp text quad beta kappa mid "
        "log times min textless textgreater begin end textbackslash textasciitilde textasciicircum",
    )
)
FUNCTIONS = {"ln": math.log, "exp": math.exp, "sqrt": math.sqrt, "max": max, "min": min, "abs": abs}


def latex_is_wrong(latex: str) -> str | None:
    depth = [0]
    for character in re.sub(r"\\[{}]", "", latex):
        depth.append(depth[-1] + (character == "{") - (character == "}"))
    if min(depth) < 0 or depth[-1]:
        return "braces"
    if latex.count(r"\left") != latex.count(r"\right"):
        return "parentheses"
    if re.search(r"(?<!\\)[%#$~]", latex):
        return "not escaped"
    for inside in re.findall(r"\\text\{((?:\\[{}]|[^{}]|\{\})*)\}", latex):
        if re.search(r"(?<!\\)[_^]", inside):
            return "not escaped in words"
    return ", ".join(set(re.findall(r"\\([A-Za-z]+)", latex)) - COMMANDS) or None


def width(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)


def layout_is_wrong(explanation: tm.Explanation) -> str | None:
    for step in (*explanation.steps, *explanation.interval):
        if "&" in step.latex.replace(r"\&", ""):
            return "&"
        if latex_is_wrong(step.latex):
            return f"{latex_is_wrong(step.latex)}: {step.latex}"
    whole = explanation.to_latex()
    for line in whole.splitlines():
        frame = line in ("", r"\[", r"\]", r"\begin{aligned}", r"\end{aligned}")
        if len(re.findall(r"(?<!\\)&", line)) != (0 if frame else 1):
            return f"alignment: {line}"
    text = explanation.to_text()
    if max(map(width, text.splitlines())) > 100 or any(line != line.rstrip() for line in text.splitlines()):
        return "width"
    # Breaking lines changes nothing but blanks.
    parts = [f"{explanation.name}:", explanation.meaning]
    parts += [step.text for step in (*explanation.steps, *explanation.interval)]
    parts += [f"- {fact}" for fact in explanation.facts]
    if "".join(text.split()) != "".join("".join(parts).split()):
        return "words"
    json.dumps(explanation.to_dict(), allow_nan=False)
    return latex_is_wrong(whole)


def calculated(printed: str) -> float | None:
    """What a pocket calculator makes of it; None if there are letters in it, or something is left out."""
    printed = printed.replace("^", "**").replace(" x ", " * ")
    if re.search(r"\.\.\.|[^-+*/().,\d\se]", re.sub(r"ln|exp|sqrt|max|min|abs", "", printed)):
        return None
    try:
        return float(eval(printed, {"__builtins__": {}}, FUNCTIONS))
    except (ArithmeticError, SyntaxError, TypeError, ValueError):
        return None


def lines_that_do_not_follow(explanation: tm.Explanation) -> list[str]:
    """Every line that goes on from the one before, and every equation of numbers in one line."""
    wrong, before = [], None
    for step in explanation.steps:
        values = [calculated(part) for part in step.text.split(" = ")]
        values[0] = calculated(step.text.removeprefix("= ")) if step.text.startswith("= ") else values[0]
        known = [
            value for value in ([before] if step.text.startswith("= ") else []) + values if value is not None
        ]
        wrong += [step.text for one, two in pairwise(known) if not near(one, two, 2e-3)]
        before = values[-1] if step.text.startswith("= ") or " = " in step.text else None
    return wrong


def near(shown: float, value: float, share: float = 5.1e-4) -> bool:
    return math.isclose(shown, value, rel_tol=share, abs_tol=1e-12 if share < 1e-3 else 2e-4)


def ends(explanation: tm.Explanation) -> tuple[float, float]:
    found = re.fullmatch(r"low = (\S+), high = (\S+)", explanation.interval[-1].text)
    assert found is not None, explanation.interval[-1].text
    return float(found[1]), float(found[2])


def faults(explanation: tm.Explanation, estimate: Any) -> list[Any]:
    """What is wrong with an explanation of an estimate."""
    found: list[Any] = [layout_is_wrong(explanation), *lines_that_do_not_follow(explanation)]
    if (explanation.value, explanation.why) != (estimate.value, estimate.why):
        found.append("value")
    last = explanation.steps[-1].text
    if estimate.value is None:
        found += (
            [] if last == f"undefined: {explanation.why}" and explanation.interval == () else ["undefined"]
        )
        return [fault for fault in found if fault]
    numbers = [step.text for step in explanation.steps if re.search(r"= [-\d.e]+$", step.text)]
    if not near(float(numbers[-1].rpartition("= ")[2]), estimate.value):
        found.append(f"last line: {numbers[-1]}")
    if estimate.low is None:
        found += [] if explanation.interval[-1].text == f"no interval: {estimate.note}" else ["no interval"]
        return [fault for fault in found if fault]
    low, high = ends(explanation)
    found += [] if near(low, estimate.low) and near(high, estimate.high) else [f"interval {low} to {high}"]
    texts = [step.text for step in explanation.interval]
    worked = {
        text.split()[0]: text.rpartition("= ")[2] for text in texts[:-1] if re.match("(low|high) = ", text)
    }
    if "low" in worked and "carried over" not in texts[0] and "widened" not in texts[-2]:
        both = float(worked["low"]), float(worked["high"])
        found += [] if both == pytest.approx((low, high), rel=1e-3, abs=1e-4) else ["interval of the lines"]
    return [fault for fault in found if fault]


# --- the whole registry ------------------------------------------------------------------------------


def test_every_metric_has_a_general_explanation() -> None:
    wrong = []
    general = [name.partition(":")[0] for name in (*NAMES, *AVERAGED)]
    for name in {*NAMES, *AVERAGED, *general, *SCORE_METRICS}:
        explanation = tm.explain(name)
        found = [layout_is_wrong(explanation)]
        found += (
            []
            if (explanation.name, explanation.value, explanation.interval) == (name, None, ())
            else ["numbers"]
        )
        found += [] if " = " in explanation.steps[0].text else ["no formula"]
        metric = (METRICS | SCORE_METRICS).get(name)
        if metric and not any(metric.reference in fact for fact in explanation.facts):
            found.append("no reference")
        stem = re.sub("_(macro|micro|weighted)$", "", name)
        for letter in METRICS[stem].parameters if stem in METRICS else ():
            # Without numbers parameters stay letters.
            texts = [step.text for step in explanation.steps]
            found += [] if any(text.startswith(f"{letter}: ") for text in texts) else [letter]
        wrong += [(name, fault) for fault in found if fault]
    assert not wrong


def test_every_metric_of_counts_is_worked_out() -> None:
    wrong = []
    for kind in MATRICES:
        for position in range(len(MATRICES[kind])):
            ev = of_matrix(kind, position)
            of_class = [name for name in NAMES if METRICS[name.partition(":")[0]].about == "class"]
            averages = AVERAGED if kind.startswith("three") or kind == "binary" else []
            names = of_class if position else [*NAMES, *averages]
            for name in names:
                explanation = ev.explain(name)
                found = faults(explanation, ev[name])
                escaped = r"\textless{}b\textgreater{}\_\%\$"
                steps = (*explanation.steps, *explanation.interval)
                if any((ODD in step.text) != (escaped in step.latex) for step in steps):
                    found.append("label")
                wrong += [(kind, position, name, fault) for fault in found]
    assert not wrong


def test_every_metric_of_scores_is_worked_out() -> None:
    wrong = []
    for kind in KINDS:
        ev = ranking(kind)
        for name in (*RANKED, *LOSSES, "ks"):
            explanation, estimate = ev.explain(name), ev[name]
            found = [layout_is_wrong(explanation)]
            if (explanation.value, explanation.why) != (estimate.value, estimate.why):
                found.append("value")
            if estimate.low is not None:
                both, room = followed(explanation), 0.002 * (estimate.high - estimate.low)
                if both != pytest.approx((estimate.low, estimate.high), abs=room):
                    found.append(f"{both}, not {estimate.low} to {estimate.high}")
            wrong += [(kind, name, fault) for fault in found if fault]
    assert not wrong


def test_metrics_of_all_classes_and_of_label_sets_are_worked_out() -> None:
    names = [f"auc_{how}_{average}" for how in ("ovr", "ovo") for average in ("macro", "weighted")]
    ways = {
        "plain": {},
        "groups": {"groups": np.arange(90) % 30},
        "few groups": {"groups": np.arange(90) % 5},
    }
    ways["weights"] = {"sample_weight": np.linspace(0.5, 2, 90)}
    made = {kind: (of_classes(**options), (*names, "top_k_accuracy:2")) for kind, options in ways.items()}
    random = np.random.default_rng(3)
    empty = [set(), {"a"}, set(), set()], [set(), set(), {"b"}, {"a"}]
    of_sets = {
        "four": tm.evaluate(*FOUR),
        "many": tm.evaluate(*((random.random((300, 6)) < 0.3).astype(int) for _ in range(2))),
        "empty": tm.evaluate(*empty),
        "empty is 0": tm.evaluate(*empty, empty_sets=0),
        "weights of sets": tm.evaluate([set(), {"a"}], [set(), {"a"}], sample_weight=[1.5, 0.5]),
    }
    names = ["subset_accuracy", "hamming_loss", "f1_example", "accuracy_example", "recall_example"]
    made |= {kind: (ev, names) for kind, ev in of_sets.items()}
    wrong = []
    for kind, (ev, asked) in made.items():
        for name in asked:
            explanation, estimate = ev.explain(name), ev[name]
            found = [layout_is_wrong(explanation), *lines_that_do_not_follow(explanation)]
            found += [] if explanation.value == estimate.value else ["value"]
            if kind in ways:
                both = ends(explanation)
                found += [] if both == pytest.approx((estimate.low, estimate.high), abs=1e-4) else [both]
            wrong += [(kind, name, fault) for fault in found if fault]
    assert not wrong


# --- intervals with a calculator ---------------------------------------------------------------------


def newcombes(steps: Any) -> list[float]:
    """The areas z or t of their own standard errors away, from the symbols that are printed."""
    text = "\n".join(step.text for step in steps)
    reach = float(re.findall(r"\b[zt] = ([\d.]+)", text)[-1])
    # The area itself is the last number before the formula of its variance.
    share = float(re.findall(r"\d\.\d+", text[: text.index("variance = area")])[-1])
    line = next(step.text for step in steps if re.search(r"\bm = ", step.text))
    letters = {name: float(number) for name, number in re.findall(r"(\w+) = ([\d.]+)", line)}
    variance = next(step.sides[1] for step in steps if step.sides[:1] == ("variance",))

    def too_far(area: float) -> bool:
        return abs(share - area) > reach * math.sqrt(eval(variance, {"area": area} | letters))

    found = []
    for outer in (0.0, 1.0):
        inner = share
        for _ in range(60):
            middle = (inner + outer) / 2
            inner, outer = (inner, middle) if too_far(middle) else (middle, outer)
        found.append(inner)
    return found


def followed(explanation: tm.Explanation) -> tuple[float, float]:
    """Low and high as a reader gets them who works out every line of print."""
    steps, found = explanation.interval, {}
    of_area = any(step.sides[:1] == ("variance",) for step in steps)
    if of_area:
        found["low"], found["high"] = newcombes(steps)
    before = dict(found)
    for step in steps:
        if len(step.sides) < 2 or not re.match(r"[-\d.e]+$", step.sides[-1]):
            continue
        worked, printed = step.sides[-2:]
        # Wilson's lines are of five digits and say no more.
        exact = "N acc" not in " ".join(step.sides) and "root" not in step.sides[0] + step.sides[1]
        room = 0.51 * 10.0 ** -len(printed.partition(".")[2]) if exact else 2e-4 * abs(float(printed))
        assert calculated(worked) == pytest.approx(float(printed), abs=max(room, 1e-12)), step.text
        found[step.sides[0]] = float(printed)
        if of_area and step.sides[1].startswith("1 / (1 + exp("):
            wider = min if step.sides[0] == "low" else max
            found[step.sides[0]] = wider(found[step.sides[0]], before[step.sides[0]])
    return found["low"], found["high"]


def test_intervals_by_hand() -> None:
    # Tan, Steinbach & Kumar, section on comparing classifiers: 0.711 to 0.867 for 80 of 100.
    low, high = ends(counted([[80, 20], [3, 97]]).explain("recall"))
    assert (round(low, 3), round(high, 3)) == (0.711, 0.867)
    # J runs over the same for 80 of tp + fp + fn = 100; F = 2 J / (1 + J).
    assert ends(counted([[80, 12], [8, 97]]).explain("f1")) == (0.8312, 0.9286)
    # 80 of 100 right: 0.71117 to 0.86663. With three classes fpr_micro = (1 - accuracy) / 2.
    assert ends(counted([[40, 10, 0], [5, 25, 0], [5, 0, 15]]).explain("fpr_micro")) == (0.06668, 0.1444)
    # ratio = 20 * 40 / (10 * 5) = 16; variance = 0.05 + 0.2 + 0.1 + 0.025 = 0.375
    # ln 16 = 2.7726; half = 1.95996 * 0.612372 = 1.2002; exp(1.5724) = 4.818, exp(3.9728) = 53.13
    odds = counted([[20, 5], [10, 40]]).explain("diagnostic_odds_ratio")
    assert ends(odds) == (pytest.approx(4.818, abs=0.005), pytest.approx(53.13, abs=0.05))
    empty = counted([[0, 5], [2, 9]]).explain("lr_plus")
    assert ends(empty)[0] == 0 == empty.value
    # Ends of narrow intervals stay apart, and a value near 1 does not look like 1.
    low, high = ends(counted([[10**11, 1], [1, 10**11]]).explain("accuracy"))
    assert low < high
    assert counted([[99_999, 1], [0, 1]]).explain("recall").steps[-1].text == "= 0.99999"


def test_perfect_scores_in_three_groups() -> None:
    """Student's t of 2 degrees of freedom is 4.3027 in every table; Wilson's of 2 of 2 is 2 / (2 + t^2)."""
    ev = scored([0.9, 0.8, 0.3, 0.2, 0.1, 0.1], [1, 1, 0, 0, 0, 0], groups=[0, 1, 2, 0, 1, 2])
    assert followed(ev.explain("average_precision"))[0] == pytest.approx(2 / (2 + 4.3027**2), abs=1e-4)


def test_complete_separation_of_three_classes() -> None:
    table, actual = np.repeat(np.eye(3), 5, axis=0), np.repeat(["a", "b", "c"], 5)
    ev = tm.evaluate(actual, y_score=table, labels=["a", "b", "c"])
    text = ev.explain("auc_ovr_macro").to_text()
    by_rows, by_pairs = map(float, re.search(r"by_rows = ([\d.]+), by_pairs = ([\d.]+)", text).groups())
    mean = float(re.search(r"low = ([\d.]+), high = 1", text)[1])
    part = (1 - mean) / (2 - mean) + mean / (1 + mean)
    spread = by_rows * part + by_pairs * (1 - part)
    # The lower end is 1.96 of its own standard errors below 1.
    assert (1 - mean) ** 2 == pytest.approx(1.96**2 * mean * (1 - mean) * spread, rel=1e-3)


def test_bins_leave_values_open() -> None:
    """One bin with 1 positive and 1 negative, and a negative below: won 1 of 2 pairs, 1 is open."""
    counts = np.array([0.5, 0.1]), np.array([1, 0]), np.array([1, 1])
    ev, wrong = tm.Scores(*counts, reach=np.array([0.9, 0.1])).evaluate(), []
    for name in ("auc", "ks", "average_precision"):
        found = re.search(r"least = (\S+), most = (\S+)", ev.explain(name).to_text())
        if found is None or tuple(map(float, found.groups())) != pytest.approx((0.5, 1), abs=1e-9):
            wrong.append(name)
    assert not wrong


# --- texts -------------------------------------------------------------------------------------------


def test_texts_of_explanations(snapshot) -> None:
    costs = [[-1.0, 200.0], [20.0, 0.0]]
    wide = [[10**13, 123456789012345], [223456789012345, 10**13]]
    long = "a label that has so many characters that it fills a line"
    many = np.eye(25, dtype=int) * 5 + np.eye(25, k=1, dtype=int) * 2
    named = [f"{'a' * 90}{middle}{'z' * 90}" for middle in "12"] + ["字" * 50]
    spam, land, six = counted(SPAM, ["malignant", "benign"]), counted(LAND), ranking("tiny")
    absent, never = counted([[0, 0], [2, 9]]), counted(NEVER)
    thousand = scored((np.arange(300) + 0.5) / 300, np.arange(300) > 150)
    twenty = scored(np.repeat([0.1, 0.7], 10), np.repeat([1, 0, 1, 0], [2, 8, 9, 1]))
    shares = counted([[80, 20], [10, 90]], ["+", "-"]).at_prevalence({"+": 0.25, "-": 0.75})
    empty = [set(), {"a"}, set(), set()], [set(), set(), {"b"}, {"a"}]
    one_class = scored([0.1, 0.2], [1, 1])
    asked = {
        "spam": (spam, "recall informedness f_beta:2 kappa mcc balanced_accuracy"),
        "three classes": (
            land,
            "accuracy precision precision_macro recall_weighted precision_micro mcc_micro",
        ),
        "three classes drawn": (counted(SMALL), "mcc_macro kappa_macro f_beta:2 no_information_rate"),
        "a class never predicted": (never, "precision_macro"),
        "a class never predicted is 0": (counted(NEVER, undefined=0.0), "precision_macro"),
        "a class without rows": (absent, "recall balanced_accuracy informedness"),
        "an empty cell": (counted([[0, 5], [2, 9]]), "lr_plus"),
        "odds": (counted([[20, 5], [10, 40]]), "diagnostic_odds_ratio f1"),
        "costs": (counted(SPAM, costs=costs), "total_cost"),
        "two prices": (
            counted([[150, 40], [60, 250]], costs=[[-1.0, 5.0], [5.0, -1.0]]),
            "total_cost mean_cost",
        ),
        "some costs": (counted(LAND, costs=[[0.0, 2, 0], [0, 0, 0], [7, 0, 0]]), "total_cost"),
        "many costs": (counted([[1] * 4] * 4, costs=np.arange(16.0).reshape(4, 4).tolist()), "total_cost"),
        "no costs": (spam, "mean_cost"),
        "25 classes": (counted(many, list(range(25)), confidence_level=0.9), "mcc recall_macro f_beta:2"),
        "21 classes all right": (counted(np.eye(21, dtype=int) * 5, list(range(21))), "kappa"),
        "large counts": (counted(wide), "kappa mcc"),
        "long labels": (counted(LAND, named), "precision_macro"),
        "a long label": (counted([[123456789012345, 10**14], [0, 1]], [long, "b"]), "recall_macro"),
        "other proportions": (shares, "precision recall prevalence"),
        "six scores": (
            six,
            "auc gini ks average_precision partial_auc:0.5 partial_auc_mcclish:0.5 brier log_loss",
        ),
        "weighted scores": (ranking("weights"), "auc"),
        "grouped scores": (ranking("groups"), "auc brier"),
        "binned scores": (ranking("bins"), "auc"),
        "near 1": (ranking("near 1"), "auc"),
        "many steps": (thousand, "average_precision ece:100"),
        "separated": (scored([2.0, 1.0], [1, 0]), "auc"),
        "one class": (one_class, "auc"),
        "calibration": (twenty, "ece:5 mce:5 ece"),
        "scores outside": (scored([2.0, 0.1], [1, 0]), "mce"),
        "no scores": (spam, "auc ece"),
        "ranking of classes": (of_classes(30), "auc_ovr_macro auc_ovo_macro top_k_accuracy:2 brier"),
        "label sets": (tm.evaluate(*FOUR), "f1_example subset_accuracy hamming_loss"),
        "empty sets": (tm.evaluate(*empty), "precision_example"),
        "empty sets are 0": (tm.evaluate(*empty, empty_sets=0), "recall_example"),
        "weighted sets": (
            tm.evaluate([set(), {"a"}], [set(), {"a"}], sample_weight=[1.5, 0.5]),
            "f1_example",
        ),
    }
    said = {
        f"{kind}: {name}": str(ev.explain(name))
        for kind, (ev, names) in asked.items()
        for name in names.split()
    }
    general = (
        "lr_plus error_rate precision_weighted precision_micro mcc kappa_macro f_beta auc_ovo_macro log_loss"
    )
    said |= {f"in general: {name}": str(tm.explain(name)) for name in general.split()}
    latex = counted(NEVER, [ODD, "a{b}\\c\n~^", "&#"]).explain("precision_macro")
    said |= {"LaTeX: recall": spam.explain("recall").to_latex(), "LaTeX: odd labels": latex.to_latex()}
    snapshot("explanations", said)


def test_json() -> None:
    form = json.loads(json.dumps(counted(SPAM).explain("f1").to_dict(), allow_nan=False))
    assert list(form) == ["schema", "name", "meaning", "facts", "steps", "interval", "value", "why"]
    assert form["schema"] == "tallymark/explanation/1"
    assert form["steps"][-1] == {"text": "= 0.5123", "latex": "= 0.5123"}
    assert (form["value"], form["why"]) == (pytest.approx(564 / 1101), None)
    with pytest.raises(tm.MetricError):
        tm.explain("recal")
