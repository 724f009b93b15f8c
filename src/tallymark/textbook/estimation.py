"""Chapter 2: which rows train and which test, how many it takes, and who must not be on both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

import tallymark as tm
from tallymark.drawing import Column, Picture, Table

from .example import Check, Worked, answer, by_formula, example, sure, words
from .matrices import TAN
from .rates import NOTES
from .shown import PYTHON_TUMOURS, TUMOURS, file_of, lines, of_document, table, tables_of, tumours

PAROLIN = "000_1fece1e64084a993.txt"
EVERY = 12
"""One row of so many is used where every row costs a fit."""


def _ways() -> dict[str, tuple[Any, str]]:
    """The methods of the lectures, and what each is about."""
    return {
        "holdout": (tm.Holdout(stratify=False), "1/3 is tested on"),
        "stratified holdout": (tm.Holdout(), "and each class has its share on both sides"),
        "repeated holdout": (tm.RepeatedHoldout(5), "five times, so test sets overlap"),
        "5-fold": (tm.KFold(5, stratify=False), "every row is tested once"),
        "stratified 5-fold": (tm.KFold(5), "and each class has its share in every fold"),
        "repeated 5-fold": (tm.KFold(5, n_repeats=2), "twice, with other folds"),
        "leave-one-out": (tm.LeaveOneOut(), "as many folds as rows"),
        "bootstrap": (tm.Bootstrap(10), "drawn with replacement; tested on rows never drawn"),
    }


@example("holdout-family", 2, "Eight ways to part the rows", "holdout-family", also=(TAN, NOTES, PAROLIN))
def holdout_family() -> Worked:
    every, classes = tumours()
    X, y = every[::EVERY], classes[::EVERY]
    n = len(y)
    rows = []
    for name, (way, remark) in _ways().items():
        found = tm.validate("bayes", X, y, cv=way, scoring="error_rate")
        fits = len(found.folds)
        summary = found.models["bayes"]["error_rate"]
        rows.append((name, fits, _sizes(way, X, y), sure(summary.mean.value), remark))
    return Worked(
        f"One model, naive Bayes, and {n} of the shipped tumours (every {EVERY}th). How large is its error "
        "on rows it has not seen, by each of the methods of the lectures?",
        _holdout_checks(X, y),
        lines(f"{n} tumours: {_classes(y)}. The draws are random with seed 0."),
        (
            _with_remarks(("method", "fits", "train / test", "mean error", ""), rows),
            table(("training rows", "benign", "malignant"), _balanced(X, y), "over- and undersampling"),
        ),
        "The figures differ because each method looks at other rows: with so few, one holdout tells "
        "little, and the mean of many tells more. The lectures' overall error of a repeated holdout is the "
        "mean of its errors. Two words for two things: a stratified split keeps the shares of the classes, "
        "over- and undersampling change them, and only ever in training rows.",
        (
            TUMOURS.format("validate") + " --model bayes --method holdout:1/3",
            TUMOURS.format("validate") + " --model bayes --method kfold:5",
        ),
        (
            *PYTHON_TUMOURS,
            f"X, y = X[::{EVERY}], y[::{EVERY}]",
            'found = tm.validate("bayes", X, y, cv=tm.RepeatedHoldout(5), scoring="error_rate")',
            'print(found.models["bayes"]["error_rate"].values)',
            "for train, test in tm.Holdout(1 / 3).split(X, y):",
            "    print(len(train), len(test))",
        ),
    )


def _with_remarks(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    """The last column holds words."""
    made = table(heads, rows)
    return replace(made, columns=(*made.columns[:-1], Column(heads[-1], "left")))


def _sizes(way: Any, X: Any, y: Any) -> str:
    first, *others = [(len(train), len(test)) for train, test in way.split(X, y)]
    return f"{first[0]} / {first[1]}" if set(others) <= {first} else f"about {first[0]} / {first[1]}"


def _classes(y: Any) -> str:
    return ", ".join(f"{n} {label}" for label, n in sorted(Counter(map(str, y)).items()))


def _holdout_checks(X: Any, y: Any) -> tuple[Check, ...]:
    n = len(y)
    ((train, test),) = tm.Holdout(stratify=False).split(X, y)
    folds = [fold for _, fold in tm.KFold(5).split(X, y)]
    loo, everyone = tm.LeaveOneOut(), tm.KFold(n, shuffle=False, stratify=False)
    drawn = [len(kept) / n for _, kept in tm.Bootstrap(200).split(X, y)]
    never = (1 - 1 / n) ** n
    return (
        by_formula("holdout: test rows, a third", round(n / 3), len(test)),
        by_formula("holdout: the others train", n - round(n / 3), len(train)),
        words("k-fold: folds share rows", "no", answer(len(set(np.concatenate(folds))) < n)),
        words(
            "leave-one-out is k-fold with k = n",
            "yes",
            answer(loo.fingerprint(X, y) == everyone.fingerprint(X, y)),
        ),
        words(
            "bootstrap: share never drawn, (1 - 1/n)^n, within 0.01",
            f"{never:.3f}",
            f"{np.mean(drawn):.3f}",
            agrees=bool(abs(np.mean(drawn) - never) < 0.01),
            origin="formula",
        ),
    )


def _balanced(X: Any, y: Any) -> list[tuple[str, int, int]]:
    counts = {"as they are": y}
    counts["oversampled"] = tm.Oversampling(random_state=0).fit_resample(X, y)[1]
    counts["undersampled"] = tm.Undersampling(random_state=0).fit_resample(X, y)[1]
    of_class = {name: Counter(map(str, each)) for name, each in counts.items()}
    return [(name, each["benign"], each["malignant"]) for name, each in of_class.items()]


@example("three-way-split", 2, "Training, validation and test rows", "three-way-split")
def three_ways() -> Worked:
    X, y = tumours()
    parts = tm.three_way_split(y)
    other = tm.three_way_split(y, validation_size=0.4)
    tuning = tm.tune("tree", X, y, {"max_depth": [1, 2, 4, 8]}, method="three-way")
    every = np.concatenate([parts.train, parts.validation, parts.test])
    once = answer(sorted(every) == list(range(len(y))))
    same = answer(parts.test.tolist() == other.test.tolist())
    return Worked(
        "How deep should a decision tree be, and how good is it then? The rows that choose the depth must "
        "not be the ones that answer the second question.",
        (
            words("every row is in one part and in one only", "yes", once),
            words("the test rows stay the same however the others are parted", "yes", same),
        ),
        (
            table(
                ("part", "rows", "benign", "malignant"),
                [
                    (name, len(rows), int(np.sum(y[rows] == "benign")), int(np.sum(y[rows] == "malignant")))
                    for name, rows in zip(("training", "validation", "test"), parts, strict=True)
                ],
                "drawn with seed 0; 3/5, 1/5 and 1/5 of each class",
            ),
        ),
        of_document(tuning.document(), "Candidates", "Promised and kept"),
        "Training rows build the candidates, validation rows choose one, test rows are asked once. The "
        "larger the training set, the better the model; the larger the test set, the surer the figure.",
        (TUMOURS.format("tune") + " --model tree --param max_depth=1,2,4,8 --method three-way:0.2,0.2",),
        (
            *PYTHON_TUMOURS,
            "train, validation, test = tm.three_way_split(y)",
            'tuning = tm.tune("tree", X, y, {"max_depth": [1, 2, 4, 8]}, method="three-way")',
            "print(tuning.best_params, tuning.optimism)",
        ),
    )


@example("learning-curve", 2, "What more rows would buy", "learning-curve", also=(NOTES,))
def learning() -> Worked:
    X, y = tumours()
    sizes = {"arithmetic": {"start": 100, "step": 100}, "geometric": {"start": 12, "factor": 2}}
    curves = {
        name: tm.learning_curve("bayes", X, y, schedule=name, n_repeats=5, **options)  # type: ignore[arg-type]
        for name, options in sizes.items()
    }
    steps = [int(size) for size in curves["arithmetic"].sizes[:-1]]
    factors = [int(size) for size in curves["geometric"].sizes[:-1]]
    last = curves["geometric"]
    checks = [
        words("arithmetic: the same step every time", "100", _only(np.diff(steps)), origin="formula"),
        words(
            "geometric: about twice as many every time",
            "2",
            _only(np.round(_ratios(factors))),
            origin="formula",
        ),
        words("the mean rises with the rows", "yes", answer(last.mean[-1] > last.mean[0])),
        words("its deviation falls", "yes", answer(last.deviation[-1] < last.deviation[0])),
    ]
    return Worked(
        "How accurate is naive Bayes on tumours when it has learned from 12 of them, from 24, and so on up "
        "to two thirds of all?",
        tuple(checks),
        lines("Five random holdouts with seed 0; all sizes of one are tested on the same third of the rows."),
        (
            *(
                _without_last(made, f"{name} schedule")
                for name, curve in curves.items()
                for made in tables_of(curve.document(), "accuracy (higher is better) by training rows")
            ),
            Picture(
                "Learning curve",
                curves["geometric"].figure(),
                "Accuracy on test rows and on the rows learned, by how many were learned.",
            ),
        ),
        "Few rows bias the estimate and make it vary; where the curve has become flat, more rows are not "
        "worth their price.",
        (
            TUMOURS.format("learn") + " --model bayes --repeats 5",
            TUMOURS.format("learn") + " --model bayes --repeats 5 --schedule arithmetic --step 100",
        ),
        (
            *PYTHON_TUMOURS,
            'curve = tm.learning_curve("bayes", X, y, schedule="geometric", start=12, factor=2, n_repeats=5)',
            "print(curve.sizes, curve.mean, curve.deviation)",
        ),
    )


def _without_last(made: Table, title: str) -> Table:
    """Without the seconds, which differ from run to run."""
    return replace(made, columns=made.columns[:-1], rows=tuple(row[:-1] for row in made.rows), title=title)


def _only(steps: Sequence[float] | Any) -> str:
    return " ".join(f"{step:g}" for step in sorted(set(map(float, steps))))


def _ratios(sizes: Sequence[int]) -> Any:
    return np.array(sizes[1:]) / np.array(sizes[:-1])


_PAGES = 4
_UNIVERSITIES = ("Wisconsin", "CMU", "Cornell", "Texas")
_STUDENTS = tuple(f"student {number}" for number in range(1, 7))
_PROFESSORS = ("Ada", "Bo", "Cy", "Di")


@example("dyadic-leave-out", 2, "Who is tested must not train", "dyadic-leave-out")
def dyadic() -> Worked:
    pages = np.array([name for name in _UNIVERSITIES for _ in range(_PAGES)])
    by_university = list(tm.LeaveOneGroupOut().split(pages, groups=pages))
    pairs = np.array(list(product(_STUDENTS, _PROFESSORS)))
    by_pair = list(tm.LeavePairsOut(n_left_out=(3, 2)).split(pairs, groups=pairs))
    shared = sum(bool(set(pages[train]) & set(pages[test])) for train, test in by_university)
    sides = [
        sum(bool(set(pairs[train, side]) & set(pairs[test, side])) for train, test in by_pair)
        for side in (0, 1)
    ]
    tested = sorted(row for _, test in by_pair for row in test)
    rows = [
        (
            ", ".join(sorted(set(pairs[test, 1]))),
            len(set(pairs[test, 0])),
            len(test),
            len(train),
            len(pairs) - len(test) - len(train),
        )
        for train, test in by_pair
    ]
    return Worked(
        "Web pages of four universities are to be classified, and tomorrow a fifth university arrives. "
        "Facts about pairs, a student and a professor, are to be predicted, and tomorrow there are new "
        "students and new professors. Which rows may train?",
        (
            words("folds that train and test on one university", "0", str(shared)),
            words("folds that train and test on one student", "0", str(sides[0])),
            words("folds that train and test on one professor", "0", str(sides[1])),
            words("every pair is tested once", "yes", answer(tested == list(range(len(pairs))))),
        ),
        (
            table(
                ("left out", "pages tested", "pages that train"),
                [(str(pages[test][0]), len(test), len(train)) for train, test in by_university],
                "a university at a time; names from the lecture, four pages each made here",
            ),
        ),
        (
            table(
                (
                    "professors left out",
                    "students left out",
                    "pairs tested",
                    "pairs that train",
                    "pairs unused",
                ),
                rows,
                "three of six students and two of four professors at a time; all pairs made here",
            ),
        ),
        "A pair with one foot on either side goes into neither part: that is the price. The blocks are "
        "drawn with seed 0. Leaving out a research area instead of a university is the same with another "
        "column.",
        (
            file_of("pages.csv", ("x", "y", "university"), _pages()),
            "tallymark validate pages.csv --target y --model bayes --method group:university",
        ),
        (
            "from itertools import product",
            "import numpy as np",
            "import tallymark as tm",
            f"pairs = np.array(list(product({list(_STUDENTS)}, {list(_PROFESSORS)})))",
            "for train, test in tm.LeavePairsOut(n_left_out=(3, 2)).split(pairs, groups=pairs):",
            "    print(len(train), len(test), set(pairs[train, 1]) & set(pairs[test, 1]))",
        ),
    )


def _pages() -> list[tuple[int, str, str]]:
    """Made-up pages of each university: a number to learn from and what the page is."""
    return [
        (n + 3 * (n % 2), "course" if n % 2 else "other", name)
        for name in _UNIVERSITIES
        for n in range(_PAGES)
    ]


EXAMPLES = (holdout_family, three_ways, learning, dyadic)
