"""Every metric is the formula that is shown for it: worked in fractions, over the whole registry."""

import itertools
import math
import re
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import tallymark as tm
from tallymark.metrics import METRICS, SCORE_METRICS, SET_METRICS, Metric

PARAMETERS: dict[str, list[tuple[Any, ...]]] = {
    "f_beta": [(1,), (2,), (0.5,), (0,)],
    "weighted_accuracy": [(2, 1, 1, 0), (1, 4, 2, 3), (0, 0.5, 0, 1.5)],
}
COSTS = ("total_cost", "mean_cost")
ASKED = [
    (metric, values)
    for name, metric in METRICS.items()
    for values in PARAMETERS.get(name, [()])
    if name not in COSTS
]
CELLS = ("tp", "fn", "fp", "tn")
FUNCTIONS: dict[str, Any] = {each.__name__: each for each in (math.sqrt, math.log, max, min, abs, sum, range)}
# Every way a few cells can be empty: the undefined cases all live there.
CORNERS = [*itertools.product((0, 1, 3), repeat=4)]
RANDOM = np.random.default_rng(1)
TABLES = [*CORNERS, *map(tuple, (10 ** RANDOM.uniform(0, 6, (30, 4))).astype(int).tolist())]


def called(metric: Metric, values: tuple[Any, ...]) -> str:
    return metric.name + (":" + ",".join(f"{value:g}" for value in values) if values else "")


# --- formulas as Python works them out ---------------------------------------------------------------


def exact(formula: str, words: dict[str, Any]) -> Any:
    """In fractions; None where it divides by zero or is made of what is undefined."""
    used, code = compiled(formula)
    names = FUNCTIONS | {name: fractions(words[name]) for name in used if name in words}
    names["size"] = next((len(words[name]) for name in used if isinstance(words.get(name), list)), 0)
    for name in used - set(names):
        metric = METRICS.get(name) or SCORE_METRICS.get(name)
        if metric:
            names[name] = exact(metric.formula, words)
    try:
        return eval(code, {"__builtins__": {}} | names)
    except (ZeroDivisionError, TypeError, ValueError):
        return None


@cache
def compiled(formula: str) -> tuple[set[str], Any]:
    """The names in it, and its code."""
    return set(re.findall(r"[A-Za-z]\w*", formula)), compile(written_out(formula), formula, "eval")


def fractions(value: Any) -> Any:
    return [*map(Fraction, value)] if isinstance(value, list) else Fraction(value)


def written_out(formula: str) -> str:
    """`sum(a_k * b_k)` as `sum(a_k[k] * b_k[k] for k in range(size))`."""
    text = re.sub(r"\b(\w+_k)\b", r"\1[k]", formula)
    for start in reversed([found.end() for found in re.finditer(r"\b(?:sum|max|min)\(", text)]):
        depth, end = 1, start
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        if "[k]" in text[start:end]:
            text = f"{text[: end - 1]} for k in range(size){text[end - 1 :]}"
    return text


def close(found: float | None, expected: Any) -> bool:
    """Undefined only where it is to be; otherwise equal but for rounding."""
    if expected is None or found is None or math.isnan(found):
        return expected is None and (found is None or math.isnan(found))
    return found == pytest.approx(float(expected), rel=1e-12, abs=1e-12)


# --- counts of two classes ---------------------------------------------------------------------------


def words_of(table: tuple[int, ...], metric: Metric, values: tuple[Any, ...]) -> dict[str, Any]:
    tp, fn, fp, tn = table
    chance = (tp + fn) * (tp + fp) + (fp + tn) * (fn + tn)
    words = dict(zip(CELLS, table, strict=True)) | {"n": sum(table), "chance": chance}
    return words | dict(zip(metric.parameters, values, strict=True))


def test_the_value_of_a_2x2_is_that_of_its_formula() -> None:
    wrong, seen = [], {called(*asked): set() for asked in ASKED}
    for table in TABLES:
        matrix = tm.Confusion([table[:2], table[2:]], labels=["+", "-"])
        ev = matrix.evaluate(pos_label="+") if any(table) else None
        for metric, values in ASKED:
            name, words = called(metric, values), words_of(table, metric, values)
            expected = exact(metric.formula, words)
            zero = [each for each in metric.undefined if exact(each, words) == 0]
            direct = metric(tm.Binary(*table), *values)
            if not close(direct, expected) or bool(zero) != (expected is None):
                wrong.append((name, table, direct, expected, zero))
            if expected is not None and not metric.range[0] <= direct <= metric.range[1]:
                wrong.append((name, table, direct, "leaves its range"))
            seen[name].add(expected is None)
            if ev is None or name == "balanced_accuracy":  # which leaves out a class without rows
                continue
            found = ev[name]
            if not close(found.value, expected):
                wrong.append((name, table, found.value, expected))
            why = f"{metric.undefined[zero[0]]} ({zero[0]} = 0)" if zero else None
            if metric.about == "class" and found.why != why:
                wrong.append((name, table, found.why))
    assert not wrong, (len(wrong), wrong[:10])
    # Each is undefined at some corner and defined at another.
    assert {name for name, both in seen.items() if both != {True, False}} == set()


def test_columns_of_counts_give_what_single_counts_give() -> None:
    columns = tm.Binary(*np.array(TABLES).T)
    for metric, values in ASKED:
        single = [metric(tm.Binary(*table), *values) for table in TABLES]
        np.testing.assert_array_equal(metric(columns, *values), single, err_msg=metric.name)


def by_all(change: Callable[..., tuple[int, ...]]) -> Iterator[Any]:
    """Every metric and its parameters, with its values before and after the change."""
    plain, changed = np.array(TABLES).T, np.array([change(*table) for table in TABLES]).T
    for metric, values in ASKED:
        yield metric, values, *(metric(tm.Binary(*cells), *values) for cells in (plain, changed))


def same(one: list[Any], other: list[Any]) -> bool:
    return bool(np.allclose(one, other, rtol=1e-12, atol=1e-12, equal_nan=True))


def test_only_proportions_count() -> None:
    for metric, _, once, tenfold in by_all(lambda *table: tuple(10 * cell for cell in table)):
        assert same(once, tenfold), metric.name


def test_what_a_metric_becomes_for_the_other_class() -> None:
    values_of = {called(metric, values): once for metric, values, once, _ in by_all(lambda *t: t)}
    for metric, values, _, swapped in by_all(lambda tp, fn, fp, tn: (tn, fp, fn, tp)):
        if metric.swap:
            assert same(swapped, values_of[metric.swap]), metric.name
        else:
            like = [name for name, once in values_of.items() if same(swapped, once)]
            assert not like or values == (0,), (called(metric, values), like)  # f_beta:0 is precision


def test_which_metrics_stay_when_negatives_are_tripled() -> None:
    for metric, values, once, more in by_all(lambda tp, fn, fp, tn: (tp, fn, 3 * fp, 3 * tn)):
        if not (metric.name == "weighted_accuracy" and values == (1, 4, 2, 3)):
            assert same(once, more) == metric.prevalence_free, (metric.name, values)


def test_costs_are_those_of_all_cells() -> None:
    for factor, (k, total, mean) in itertools.product((2.0, 0.1), ((1, 11, 11 / 5), (3, 13, 13 / 11))):
        costs = np.array([[0.0, 10.0], [1.0, 0.0]]) * factor
        ev = tm.Confusion([[1, 1], [k, 2 * k]]).evaluate(costs=costs)
        found = ev["total_cost"].value, ev["mean_cost"].value
        assert found == pytest.approx((total * factor, mean * factor), rel=1e-14)


# --- all classes at once -----------------------------------------------------------------------------

ABOUT_ALL = [metric for metric in METRICS.values() if metric.about == "all"]
MATRICES = [
    [[4, 0, 0], [0, 0, 0], [0, 0, 0]],
    [[4, 1, 0], [0, 0, 0], [0, 0, 0]],
    [[4, 0, 0], [1, 0, 0], [0, 0, 0]],
    [[1, 0], [0, 3]],
    [[0, 9, 0], [0, 0, 9], [9, 0, 0]],
    [[3, 1], [0, 0]],
    *(RANDOM.choice([0, 1, 3, 40, 1000], (size, size)).tolist() for size in (2, 3, 5) for _ in range(8)),
]


def of_table(matrix: list[list[int]]) -> dict[str, Any]:
    size, hits = len(matrix), [row[at] for at, row in enumerate(matrix)]
    actual, predicted = [*map(sum, matrix)], [*map(sum, zip(*matrix, strict=True))]
    cost = sum((i + 2 * j - 1) * matrix[i][j] for i in range(size) for j in range(size))
    words: dict[str, Any] = {"n": sum(actual), "K": size, "hits_k": hits, "actual_k": actual}
    words |= {"predicted_k": predicted, "cost": cost}
    if all(actual):
        words["recall_k"] = [Fraction(hit, rows) for hit, rows in zip(hits, actual, strict=True)]
    return words


def test_the_value_of_k_classes_is_that_of_its_formula() -> None:
    for matrix in MATRICES:
        size, words = len(matrix), of_table(matrix)
        costs = np.add.outer(np.arange(size), 2 * np.arange(size)) - 1.0
        ev = tm.Confusion(matrix).evaluate(costs=costs)
        for metric in ABOUT_ALL:
            found, formula = ev[metric.name], metric.classes_formula or metric.formula
            if metric.name == "balanced_accuracy" and "recall_k" not in words:
                known = [Fraction(row[at], sum(row)) for at, row in enumerate(matrix) if sum(row)]
                assert close(found.value, sum(known) / len(known)), matrix
                continue
            assert close(found.value, exact(formula, words)), (metric.name, matrix)
            cases = {} if metric.name == "balanced_accuracy" else metric.classes_undefined
            zero = [each for each in cases if exact(each, words) == 0]
            expected = f"{metric.classes_undefined[zero[0]]} ({zero[0]} = 0)" if zero else None
            assert found.why == expected, (metric.name, matrix)
        # Of many tables at once: the totals of each class in the last axis.
        for name in ("accuracy", "error_rate", "no_information_rate", "mcc", "kappa"):
            margins = tm.Confusion(matrix).margins
            parts = margins.hits, margins.actual, margins.predicted, margins.n
            both = type(margins)(*(np.array([part] * 2) for part in parts))
            np.testing.assert_allclose(METRICS[name](both), [METRICS[name](margins)] * 2, rtol=1e-14)
    undefined = tm.Confusion(MATRICES[-1]).evaluate()["total_cost"]
    assert (undefined.value, bool(undefined.why)) == (None, True)


def of_class(words: dict[str, Any], k: int) -> tuple[int, ...]:
    """One class against the rest: tp, fn, fp and tn."""
    hits, actual, predicted = (words[name][k] for name in ("hits_k", "actual_k", "predicted_k"))
    return hits, actual - hits, predicted - hits, words["n"] - actual - predicted + hits


def test_averages_over_every_class_against_the_rest() -> None:
    for matrix in (MATRICES[1], MATRICES[4], MATRICES[-1], MATRICES[8]):
        ev, words = tm.Confusion(matrix).evaluate(), of_table(matrix)
        tables = [of_class(words, k) for k in range(len(matrix))]
        for metric, values in ASKED:
            stem, _, tail = (name := called(metric, values)).partition(":")
            each = [exact(metric.formula, words_of(table, metric, values)) for table in tables]
            defined = [at for at, value in enumerate(each) if value is not None]
            weights = {"macro": [1] * len(each), "weighted": words["actual_k"]}
            for average, share in weights.items():
                total = sum(share[at] for at in defined)
                expected = sum(share[at] * each[at] for at in defined) / Fraction(total) if total else None
                found = ev[f"{stem}_{average}{tail and ':'}{tail}"].value
                assert close(found, expected), (name, average, matrix, found, expected)
            together = tuple(map(sum, zip(*tables, strict=True)))
            expected = exact(metric.formula, words_of(together, metric, values))
            assert close(ev[f"{stem}_micro{tail and ':'}{tail}"].value, expected), (name, matrix)


def test_neither_order_names_nor_repetition_of_classes_matter() -> None:
    orders = itertools.cycle([[2, 0, 1, 4, 3], [1, 2, 0, 3, 4]])
    for matrix, order in zip(MATRICES[-12:], orders, strict=False):
        size = len(matrix)
        kept = [at for at in order if at < size]
        costs = np.add.outer(np.arange(size), 2.0 * np.arange(size))
        moved = np.array(matrix)[np.ix_(kept, kept)]
        plain = tm.Confusion(matrix, labels=range(size)).evaluate(costs=costs)
        other = tm.Confusion(3 * moved, labels=[*"vwxyz"[:size]]).evaluate(costs=costs[np.ix_(kept, kept)])
        for name in (*(metric.name for metric in ABOUT_ALL), "f1_macro", "mcc_weighted", "recall_micro"):
            factor = 3 if name == "total_cost" else 1
            one, two = plain[name].value, other[name].value
            assert close(two, None if one is None else factor * one), (name, matrix)


# --- counts of any size ------------------------------------------------------------------------------


def with_80_digits(matrix: list[list[int]]) -> tuple[float, float]:
    """MCC with 80 digits and kappa in fractions."""
    words = of_table(matrix)
    actual, predicted, n, hits = (words[name] for name in ("actual_k", "predicted_k", "n", "hits_k"))
    chance = sum(map(int.__mul__, actual, predicted))
    spread = (n**2 - sum(k**2 for k in actual)) * (n**2 - sum(k**2 for k in predicted))
    with localcontext(prec=80):
        mcc = Decimal(n * sum(hits) - chance) / Decimal(spread).sqrt()
    return float(mcc), float(Fraction(n * sum(hits) - chance, n**2 - chance))


def test_mcc_and_kappa_are_exact_for_huge_counts() -> None:
    for matrix in (
        [[10**15, 37], [23, 11]],
        [[11, 23], [37, 10**15]],
        [[10**12, 1], [1, 1]],
        [[2**53 - 3, 1], [1, 1]],
        [[2**31 - 3, 1], [1, 1]],
        [[2**31 - 4, 1], [1, 1]],
        [[10**15, 37, 5], [23, 11, 9], [3, 4, 100]],
        [[5 * 10**14, 1, 0], [2, 5 * 10**14, 1], [0, 3, 1]],
    ):
        ev, words = tm.Confusion(matrix).evaluate(), of_table(matrix)
        tables = {None: with_80_digits(matrix)}
        for at, label in enumerate(ev.labels):
            cells = of_class(words, at)
            tables[label] = with_80_digits([[*cells[:2]], [*cells[2:]]])
        for label, expected in tables.items():
            found = ev if label is None else ev.per_class[label]
            pair = found["mcc"].value, found["kappa"].value
            assert pair == pytest.approx(expected, rel=1e-15, abs=0), (matrix, label)
    big = 10**12
    for name, table, expected in (
        ("kappa", (big, 0, 0, 3 * big), 1),
        ("mcc", (big, big, big, big), 0),
        ("diagnostic_odds_ratio", (2 * big, big, big, big), 2),
        # sqrt(3) squared is a little less than 3, so a plain quotient is a little more than 1.
        ("mcc", (1, 0, 0, 3), 1),
        ("mcc", (0, 1, 3, 0), -1),
    ):
        assert METRICS[name](tm.Binary(*table)) == expected, (name, table)


# --- scores --------------------------------------------------------------------------------------------


def words_of_scores(score: list[Fraction], positive: list[bool], limit: Fraction) -> dict[str, Any]:
    """Row by row and pair by pair."""
    ups, downs = (
        [s for s, side in zip(score, positive, strict=True) if side is want] for want in (True, False)
    )
    steps = sorted(set(score), reverse=True)
    tp, fp = ([0, *(sum(s >= step for s in side) for step in steps)] for side in (ups, downs))
    words: dict[str, Any] = {"positives": len(ups), "negatives": len(downs), "n": len(score)}
    words |= {"won": sum(u > d for u in ups for d in downs), "tied": sum(u == d for u in ups for d in downs)}
    tpr = [Fraction(k, max(1, len(ups))) for k in tp]
    fpr = [Fraction(k, max(1, len(downs))) for k in fp]
    pieces = []
    for (x0, x1), (y0, y1) in zip(itertools.pairwise(fpr), itertools.pairwise(tpr), strict=True):
        end = min(x1, limit)
        if x1 > x0 and end > x0:
            top = y0 + (y1 - y0) * (end - x0) / (x1 - x0)
            pieces.append((end - x0, (y0 + top) / 2))
    own = [s if side else 1 - s for s, side in zip(score, positive, strict=True)]
    distances = [2 * (1 - s) ** 2 for s in own]
    return words | {
        "tpr_k": tpr, "fpr_k": fpr, "max_fpr": limit,
        "width_k": [width for width, _ in pieces], "height_k": [height for _, height in pieces],
        "step_k": [b - a for a, b in itertools.pairwise(tpr)],
        "precision_k": [Fraction(k, k + m) for k, m in zip(tp[1:], fp[1:], strict=True)],
        "p_k": score, "y_k": [*map(int, positive)], "own_k": own, "distance_k": distances, "most": 1,
    }  # fmt: skip


def words_of_bins(score: list[Fraction], positive: list[bool], bins: int) -> dict[str, Any]:
    inside: dict[int, list[tuple[Fraction, bool]]] = {}
    for s, side in zip(score, positive, strict=True):
        # An edge belongs to the bin below it, and 0 to the first; edges as floats have them.
        place = int(np.searchsorted(np.linspace(0, 1, bins + 1)[1:-1], float(s)))
        inside.setdefault(place, []).append((s, side))
    rows = inside.values()
    return {
        "n": len(score),
        "bin_k": [len(each) for each in rows],
        "observed_k": [Fraction(sum(side for _, side in each), len(each)) for each in rows],
        "stated_k": [sum((s for s, _ in each), Fraction(0)) / len(each) for each in rows],
    }


def test_the_value_of_scores_is_that_of_its_formula() -> None:
    names = [name for name, metric in SCORE_METRICS.items() if metric.about != "classes"]
    wrong = []
    for trial in range(36):
        random = np.random.default_rng(trial)
        n = int(random.integers(1, 16))
        steps = random.integers(0, 33, n).tolist()
        score, positive = [Fraction(step, 32) for step in steps], (random.random(n) < 0.5).tolist()
        times = random.integers(1, 4, n).tolist()
        rows = [*zip(score, positive, strict=True)]
        many = [row for row, count in zip(rows, times, strict=True) for _ in range(count)]
        weighting: list[dict[str, Any]] = [{}, {"sample_weight": times, "weight_kind": "frequency"}]
        weighting += [{"sample_weight": [count / 2 for count in times]}]
        limit, bins = [(Fraction(1, 10), 10), (Fraction(1, 2), 1), (Fraction(1), 4)][trial % 3]
        tails = {("max_fpr",): f":{float(limit)}", ("n_bins",): f":{bins}"}
        known = {
            weighted: (words_of_scores(*sides, limit), words_of_bins(*sides, bins))
            for weighted, held in ((False, rows), (True, many))
            for sides in [[*map(list, zip(*held, strict=True))]]
        }
        given = {"y_score": [*map(float, score)], "labels": [0, 1]}
        made = [(tm.evaluate([*map(int, positive)], **given, **each), bool(each)) for each in weighting]
        for (ev, is_weighted), name in itertools.product(made, names):
            metric, asked = SCORE_METRICS[name], name + tails.get(SCORE_METRICS[name].parameters, "")
            words, formula = known[is_weighted][metric.about == "calibration"], metric.formula
            if name == "partial_auc_mcclish":
                words["partial_auc"] = exact(SCORE_METRICS["partial_auc"].formula, words) or 0
            elif name == "brier_half":
                words["brier"] = exact(SCORE_METRICS["brier"].formula, words)
            zero = [each for each in metric.undefined if exact(each, words) == 0]
            expected = None if zero else exact(formula, words)
            if not close(ev[asked].value, expected):
                wrong.append((asked, trial, ev[asked].value, expected and float(expected)))
    assert not wrong, (len(wrong), wrong[:10])


def test_the_value_of_probabilities_of_all_classes_is_that_of_its_formula() -> None:
    names = [name for name, metric in SCORE_METRICS.items() if metric.about == "classes"]
    for trial in range(12):
        random = np.random.default_rng(trial)
        size, n = 2 + trial % 4, int(random.integers(2, 20))
        table = random.dirichlet(np.ones(size), n).round(1 + trial % 2)
        table[:, 0] += 1 - table.sum(axis=1)
        classes = random.integers(0, size, n)
        ev = tm.evaluate(classes, y_score=table, labels=range(size))
        rows, there = table.tolist(), sorted(set(classes.tolist()))

        def area(i: int, others: list[int], rows: Any = rows, classes: Any = classes) -> Fraction:
            ups, downs = (
                [rows[at][i] for at in np.flatnonzero(np.isin(classes, side))] for side in ([i], others)
            )
            won = sum(Fraction(2 * (u > d) + (u == d), 2) for u in ups for d in downs)
            return won / (len(ups) * len(downs))

        count = np.bincount(classes, minlength=size).tolist()
        pairs = [*itertools.combinations(there, 2)]
        first = [
            np.lexsort((np.arange(size), -row)).tolist().index(own)
            for row, own in zip(table, classes, strict=True)
        ]
        alone = len(there) < 2
        of_classes = {"auc_k": [] if alone else [area(i, [j for j in there if j != i]) for i in there]}
        of_classes |= {"actual_k": [count[i] for i in there], "K": len(there), "n": n, "classes": len(there)}
        of_pairs = {"area_k": [(area(i, [j]) + area(j, [i])) / 2 for i, j in pairs], "pairs": len(pairs)}
        of_pairs |= {"rows_k": [count[i] + count[j] for i, j in pairs], "n": n, "classes": len(there)}
        for name in names:
            metric = SCORE_METRICS[name]
            if name == "top_k_accuracy":
                for k in range(1, size + 1):
                    right = Fraction(sum(place < k for place in first), n)
                    expected = exact(metric.formula, {"within": right * n, "n": n})
                    assert close(ev[f"{name}:{k}"].value, expected), trial
                continue
            words = of_pairs if "area_k" in metric.formula else of_classes
            zero = [each for each in metric.undefined if exact(each, words) == 0]
            assert bool(zero) == alone
            assert close(ev[name].value, None if zero else exact(metric.formula, words)), (name, trial)


# --- label sets ------------------------------------------------------------------------------------------


def test_the_value_of_label_sets_is_that_of_its_formula() -> None:
    labels = ["a", "b", "c", "d"]
    for trial in range(16):
        random = np.random.default_rng(trial)
        actual, predicted = random.random((2, 9, 4)) < random.choice([0.2, 0.5, 0.9])
        sets = [
            [{label for label, has in zip(labels, row, strict=True) if has} for row in side]
            for side in (actual, predicted)
        ]
        for empty, times in itertools.product((1, 0), (None, random.integers(0, 4, 9))):
            if times is not None and not times.any():
                continue
            options = {} if times is None else {"sample_weight": times / 4}
            ev = tm.evaluate(*sets, labels=labels, empty_sets=empty, **options)
            amounts, pairs = [1] * 9 if times is None else times, zip(*sets, strict=True)
            rows = [pair for pair, count in zip(pairs, amounts, strict=True) for _ in range(count)]
            for name, metric in SET_METRICS.items():
                total = Fraction(0)
                for y, z in rows:
                    words = {"both_k": [len(y & z)], "either_k": [len(y | z)], "true_k": [len(y)]}
                    words |= {"called_k": [len(z)], "equal_k": [int(y == z)], "K": 4, "n": 1}
                    value = exact(metric.formula, words)
                    total += value if value is not None else Fraction(empty if not y | z else 0)
                assert close(ev[name].value, total / len(rows)), (name, trial, empty)
                assert metric.range[0] <= ev[name].value <= metric.range[1]
    # Rows that are all right give exactly 1, with any weights.
    right = [{*range(k)} for k in range(1, 60)]
    perfect = tm.evaluate(right, right, sample_weight=np.random.default_rng(0).random(59) / 3)
    assert {perfect[name].value for name in SET_METRICS} == {0, 1}
