"""Chapter 3, at its end: how sure a figure is, and whether a difference is more than chance."""

from __future__ import annotations

import math

import numpy as np

import tallymark as tm
from tallymark import data
from tallymark.drawing import Axis, Band, Figure, Line, Panel, Picture, interval
from tallymark.intervals import student_quantile, z_quantile

from .cases import CASES, Case
from .example import Check, Worked, answer, by_formula, example, printed, row_of_figures, sure, words
from .shown import PYTHON_TUMOURS, TUMOURS, file_of, lines, of_document, table, tumours
from .thresholds import AT


@example("binomial-coin", 3, "Fifty tosses of a coin", "binomial-coin")
def coin() -> Worked:
    case = CASES["binomial-coin"]
    n, p, k, expected = case["n"], case["p"], case["k"], case["expected"]
    tossed = tm.binomial(n, p)
    return Worked(
        f"A fair coin is tossed {n} times. How likely is it that heads come up {k} times, and how often do "
        "they on average? A test set is the same: every row is right or wrong, and accuracy is the share "
        "of heads.",
        (
            printed(f"P(X = {k})", expected["pmf"], tossed.pmf(k), case["rounded"]),
            printed("mean, n p", expected["mean"], tossed.mean),
            printed("variance, n p (1 - p)", expected["variance"], tossed.variance),
            by_formula(
                f"C({n}, {k}) p^{k} (1 - p)^{n - k}",
                math.comb(n, k) * p**k * (1 - p) ** (n - k),
                tossed.pmf(k),
            ),
        ),
        remark="The accuracy X / N of a model that is right with probability p has mean p and variance p "
        "(1 - p) / N. Its interval is the next example.",
        command=(f"tallymark interval --correct {k} --of {n}",),
        python=(
            "import tallymark as tm",
            f"print(tm.binomial({n}, {p}).pmf({k}), tm.binomial({n}, {p}).variance)",
        ),
    )


@example("z-table", 3, "How many standard deviations", "z-table")
def z_table() -> Worked:
    case = CASES["z-table"]
    rounded = case["rounded"]
    checks = []
    for level, figure in zip(case["confidence"], case["expected"]["z"], strict=True):
        z = z_quantile(level)
        # The note of the case: the document rounds 1.6449 up.
        up = level == 0.9
        ours = math.ceil(z * 100) / 100 if up else round(z, rounded)
        what = f"z for {100 * level:g} %" + (f" ({z:.4f}, rounded up there)" if up else "")
        checks.append(Check(what, f"{figure:.2f}", f"{ours:.2f}", ours == figure))
    return Worked(
        "Between -z and z lie 95 % of a normal distribution, or 90, 98, 99 %. Which z?",
        tuple(checks),
        remark="All are two-sided. For 90 % the exact value is 1.6449; rounded as the others are it would "
        "be 1.64.",
        command=("tallymark interval --correct 80 --of 100 --confidence 0.99",),
        python=(
            "from tallymark.intervals import z_quantile",
            f"print([z_quantile(level) for level in {case['confidence']}])",
        ),
    )


@example("wilson-accuracy-0.8", 3, "How sure is an accuracy of 80 %?", "wilson-accuracy-0.8")
def wilson() -> Worked:
    case = CASES["wilson-accuracy-0.8"]
    expected, rounded, z = case["expected"], case["rounded"], z_quantile(0.95)
    found = [tm.interval(round(case["accuracy"] * n), n) for n in case["n"]]
    checks = [
        row_of_figures("lower end", expected["low"], [each.low for each in found], rounded),
        row_of_figures("upper end", expected["high"], [each.high for each in found], rounded),
        by_formula("formula with its z, N = 100: lower", _wilson(100, 0.8, z)[0], found[1].low),
        by_formula("formula with its z, N = 100: upper", _wilson(100, 0.8, z)[1], found[1].high),
    ]
    heads = ("N", "low printed", "low found", "high printed", "high found", "width")
    rows = [
        (f"{n:,}", low, each.low, high, each.high, each.high - each.low)
        for n, low, high, each in zip(case["n"], expected["low"], expected["high"], found, strict=True)
    ]
    return Worked(
        "A model is right on 80 % of the test rows. Between which bounds is its true accuracy, at 95 %, "
        "when there were 50 test rows, or 100, or up to 5,000?",
        tuple(checks),
        lines("(2 N acc + z^2 +- z sqrt(z^2 + 4 N acc - 4 N acc^2)) / (2 (N + z^2)), Wilson's interval"),
        (table(heads, rows), _narrowing(case)),
        "The interval becomes narrower as N grows: four times the rows for half the width. For N = 100 the "
        "document's table has 0.866 and its text 86.7 %: the value is 0.8666, and 0.867 is kept here. Its "
        "formula has lost the z in front of the root: `tallymark textbook wilson-without-z`.",
        (
            *(f"tallymark interval --correct {round(0.8 * n)} --of {n}" for n in case["n"][:2]),
            "tallymark plan --half-width 0.01 --expected 0.8",
        ),
        ("import tallymark as tm", f"print([tm.interval(round(0.8 * n), n) for n in {case['n']}])"),
    )


def _wilson(n: int, accuracy: float, z: float) -> tuple[float, float]:
    root = z * math.sqrt(z**2 + 4 * n * accuracy - 4 * n * accuracy**2)
    middle, below = 2 * n * accuracy + z**2, 2 * (n + z**2)
    return (middle - root) / below, (middle + root) / below


def _narrowing(case: Case) -> Picture:
    sizes = np.unique(np.round(np.geomspace(20, 5000, 60) / 5) * 5).astype(int)
    found = [tm.interval(round(case["accuracy"] * int(n)), int(n)) for n in sizes]
    x = sizes.astype(float)
    band = Band(
        x, np.array([each.low for each in found]), np.array([each.high for each in found]), "95 % interval"
    )
    middle = Line(np.array([x[0], x[-1]]), np.array([0.8, 0.8]), "accuracy 0.8", None)
    axes = Axis("test rows", float(x[0]), float(x[-1]), log=True), Axis("true accuracy", 0.5, 1.0)
    figure = Figure((Panel(*axes, (band, middle)),))
    return Picture("Wilson's interval of an accuracy of 80 %", figure, "Four times the rows halve the width.")


@example("independent-difference", 3, "85 % of 30 rows or 75 % of 5,000", "independent-difference")
def independent_difference() -> Worked:
    case = CASES["independent-difference"]
    expected = case["expected"]
    accuracies = {"M1": (1 - case["e1"], case["n1"]), "M2": (1 - case["e2"], case["n2"])}
    comparison = tm.compare(accuracies)
    found = comparison["accuracy"]
    low, high, p_value = (sure(each) for each in (found.low, found.high, found.p_value))
    variance = sum(e * (1 - e) / n for e, n in ((case["e1"], case["n1"]), (case["e2"], case["n2"])))
    half = (high - low) / 2
    significant = {True: "significant", False: "not significant"}
    return Worked(
        "M1 was right on 85 % of 30 rows, M2 on 75 % of 5,000 other rows. Is M1 better?",
        (
            printed("difference", expected["difference"], found.value),
            printed("variance", expected["variance"], (half / z_quantile(case["confidence"])) ** 2, 4),
            by_formula("e1 (1 - e1) / n1 + e2 (1 - e2) / n2", variance, (half / z_quantile(0.95)) ** 2),
            printed("half width at 95 %", expected["half_width"], half, 3),
            words("the difference is", significant[expected["significant"]], significant[p_value < 0.05]),
        ),
        (
            table(
                ("model", "rows", "error"),
                (("M1", case["n1"], case["e1"]), ("M2", case["n2"], case["e2"])),
            ),
        ),
        of_document(comparison.document(), "Verdict", "The difference by other methods"),
        f"The interval is {interval(low, high)} and holds 0, so the difference may be chance. Thirty rows "
        "are too few; with so few the plain interval is also too narrow, and the table has better ones.",
        (
            f"tallymark compare --accuracy {1 - case['e1']:g}:{case['n1']} --accuracy "
            f"{1 - case['e2']:g}:{case['n2']}",
        ),
        (
            "import tallymark as tm",
            f"found = tm.compare({{'M1': (0.85, {case['n1']}), 'M2': (0.75, {case['n2']})}})",
            "print(found.verdict)",
        ),
    )


@example("paired-folds", 3, "Two learners on the same ten folds", "paired-folds")
def paired_folds() -> Worked:
    X, y = tumours()
    found = tm.validate({"tree": "tree", "bayes": "bayes"}, X, y, cv=tm.KFold(10), scoring="error_rate")
    tree, bayes = (np.array(found.models[name]["error_rate"].values) for name in ("tree", "bayes"))
    d = tree - bayes
    k = len(d)
    variance = float(((d - d.mean()) ** 2).sum() / (k * (k - 1)))
    half = student_quantile(0.95, k - 1) * math.sqrt(variance)
    plain = tm.tests.paired_t(tree, bayes)
    corrected = tm.tests.corrected_t(tree, bayes, n_train=len(y) * 9 // 10, n_test=len(y) // 10)
    rows = [(str(fold + 1), tree[fold], bayes[fold], d[fold]) for fold in range(k)]
    shown = [
        [str(n), round(float(a), 6), round(float(b), 6)]
        for n, (a, b) in enumerate(zip(tree, bayes, strict=True))
    ]
    return Worked(
        "A decision tree and naive Bayes learn from the shipped tumours, both on the same ten folds. Is "
        "one the better learner here?",
        (
            by_formula("mean difference", float(d.mean()), plain.value),
            by_formula("mean d - t(9) sqrt(var)", float(d.mean()) - half, plain.low),
            by_formula("mean d + t(9) sqrt(var)", float(d.mean()) + half, plain.high),
        ),
        (
            table(
                ("fold", "error of the tree", "error of naive Bayes", "d"), rows, "stratified folds, seed 0"
            ),
        ),
        (
            table(
                ("test", "t", "p"),
                (
                    ("as in the lecture", sure(plain.statistic), sure(plain.p_value)),
                    ("corrected for overlap", sure(corrected.statistic), sure(corrected.p_value)),
                ),
            ),
            *lines(tm.compare(found).verdict),
        ),
        "The lecture's interval takes the ten differences as independent. They are not: any two training "
        "sets share eight ninths of their rows, so the interval is too narrow and finds differences too "
        "often (Nadeau and Bengio 2003). tallymark shows it and judges by the corrected one. The quantile "
        "must be the two-sided one: `tallymark textbook one-sided-t`.",
        (
            TUMOURS.format("validate") + " --model tree --model bayes --metric error_rate --compare",
            file_of("folds.csv", ("fold", "tree", "bayes"), shown),
            "tallymark compare folds.csv --per fold --metric error_rate",
        ),
        (
            *PYTHON_TUMOURS,
            'models = {"tree": "tree", "bayes": "bayes"}',
            'found = tm.validate(models, X, y, cv=tm.KFold(10), scoring="error_rate")',
            'a, b = (found.models[name]["error_rate"].values for name in ("tree", "bayes"))',
            "print(tm.tests.paired_t(a, b), tm.tests.corrected_t(a, b, n_train=512, n_test=57))",
        ),
    )


@example("mcnemar", 3, "Two models on the same rows", "mcnemar")
def mcnemar() -> Worked:
    file = data.path("breast_cancer.csv")
    columns = {"tree": "tree_predicted", "bayes": "bayes_predicted"}
    comparison = tm.compare(file, models=columns, actual="actual", pos_label="malignant")
    actual, tree, bayes = (
        np.loadtxt(file, delimiter=",", skiprows=1, usecols=n, dtype=str) for n in (1, 2, 4)
    )
    first, second = tree == actual, bayes == actual
    n01, n10 = int(np.sum(first & ~second)), int(np.sum(~first & second))
    by_hand = (abs(n01 - n10) - 1) ** 2 / (n01 + n10)
    found = tm.tests.mcnemar(n01, n10)
    return Worked(
        "A decision tree and naive Bayes answered the same 569 tumours. Only rows that one of them got "
        "right and the other wrong can tell them apart. Is their error rate the same?",
        (
            by_formula(f"M = (|{n01} - {n10}| - 1)^2 / ({n01} + {n10})", by_hand, found.statistic),
            printed("critical value at 95 %", _critical(), z_quantile(0.95) ** 2, 2),
            words(
                "M is above it, so p is below 0.05",
                answer(by_hand > _critical()),
                answer(sure(found.p_value) < 0.05),
            ),
        ),
        (
            table(
                ("", "tree wrong", "tree right"),
                (
                    ("naive Bayes wrong", f"n00 = {int(np.sum(~first & ~second))}", f"n01 = {n01}"),
                    ("naive Bayes right", f"n10 = {n10}", f"n11 = {int(np.sum(first & second))}"),
                ),
            ),
        ),
        of_document(comparison.document(), "Verdict", "Tests"),
        "n01 is what the first alone got right, n10 what the second alone did; where both are right or "
        "both wrong, nothing is learned about which is better. With few disagreements the exact test is "
        "taken instead.",
        (f"tallymark compare {AT} --model tree=tree_predicted --model bayes=bayes_predicted",),
        (
            "import tallymark as tm",
            f"print(tm.tests.mcnemar({n01}, {n10}))",
            f"print(tm.tests.mcnemar({n01}, {n10}, method='exact'))",
        ),
    )


def _critical() -> float:
    """The critical value as the document prints it."""
    return float(CASES["mcnemar"]["statement"].partition("critical value is ")[2].partition(";")[0])


@example("permutation-test", 3, "Has it learned anything?", "permutation-test")
def permutation_test() -> Worked:
    X, y = tumours()
    found = tm.permutation_test("bayes", X, y, n_permutations=19)
    as_good = int(np.sum(found.permuted >= found.value - 1e-12))
    return Worked(
        "The classes of the training rows are shuffled, the model learns nonsense, and is asked about test "
        "rows that kept their classes; 19 times. How often is nonsense as good as the truth?",
        (by_formula("p = (as good or better + 1) / (permutations + 1)", (as_good + 1) / 20, found.p_value),),
        lines("Naive Bayes, a third of the shipped tumours to test on; seed 0."),
        (
            *of_document(found.document(), "Verdict", "Results"),
            Picture(
                "With shuffled classes", found.figure(), "Where the real result lies among the shuffled ones."
            ),
        ),
        "The real order counts as one of the possible ones, hence the 1 added above and below; p cannot be "
        "0. The rows used for tuning are shuffled too, the test rows never.",
        (TUMOURS.format("permute") + " --model bayes --permutations 19",),
        (*PYTHON_TUMOURS, 'print(tm.permutation_test("bayes", X, y, n_permutations=19).p_value)'),
    )


EXAMPLES = (coin, z_table, wilson, independent_difference, mcnemar, paired_folds, permutation_test)
