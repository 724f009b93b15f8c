"""What curves refuse: questions, options, thresholds within bins, and curves that there are not."""

import math

import numpy as np

import tallymark as tm
from scored import binned, classes, refusals, scored
from tallymark.curves import probability_cost

SMALL = scored([0.9, 0.8, 0.8, 0.4, 0.1], [1, 0, 1, 1, 0])
BINS = binned([2, 1], [0, 3], [1, 0.5, 0])
NONE, ALL = scored([0.3, 0.2], [0, 0]), scored([0.3, 0.2], [1, 1])
OUTSIDE = scored([-1.0, 0.5], [1, 0], threshold=0.0)
TIED = scored([0.9, 0.9, 0.2], [1, 0, 1])
NAN = float("nan")

ASKED = {
    "roc": [{}, {"fpr": 0.1, "tpr": 0.2}, {"fpr": 1.5}, {"tpr": -0.1}, {"fpr": NAN}, {"threshold": NAN}],
    "precision_recall": [{}, {"recall": 0.1, "precision": 0.2}, {"recall": 40}, {"threshold": "best"}],
    "gains": [{}, {"share": 0.1, "recall": 0.1}, {"share": 20}, {"recall": -0.1}],
    "rejection": [{}, {"theta": 0.1, "rejected": 0.2}, {"rejected": 20}, {"theta": NAN}, {"theta": "much"}],
    "calibration": [{"probability": p} for p in (1.2, NAN, "x")],
    "cost_curve": [{"probability_cost": x} for x in (-0.1, 1.5, NAN)],
    "decision_curve": [{"threshold": t} for t in (-0.1, 1, 2, math.inf)],
}


def test_what_curves_refuse(snapshot) -> None:
    calls = {
        f"{kind} at {given}": lambda kind=kind, given=given: getattr(SMALL, kind).at(**given)
        for kind, every in ASKED.items()
        for given in every
    }
    ways = ("ties", "bins", "bins:2.5", "bins:0", "bins:1000001")
    calls |= {f"construction {way}": lambda way=way: SMALL.roc_as(way) for way in ways}
    ways = ("sequential", "opposite", "bins:2", "quantiles:2")
    calls |= {f"{way} of counted bins": lambda way=way: BINS.roc_as(way) for way in ways}
    calls |= {f"band at {level}": lambda level=level: SMALL.roc.band(level) for level in (0, 1.5, "high")}
    parts = (0, -1, 2.5, True, 1001)
    calls |= {f"deciles {n!r}": lambda n=n: SMALL.gains.deciles(n) for n in parts}
    votes = tm.evaluate([1, 0, 1], votes=np.array([[1, 1], [0, 1], [1, 1]]), labels=[0, 1])
    top_wrong = scored([0.95, 0.8, 0.8, 0.55], [0, 1, 1, 0]).rejection
    calls |= {
        "roc of one class": lambda: ALL.roc.at(fpr=0.1),
        "precision and recall of one class": lambda: NONE.precision_recall.at(recall=0.5),
        "gains of one class": lambda: NONE.gains.at(share=0.5),
        "lift of one class": lambda: NONE.lift.at(share=0.5),
        "costs of one class": lambda: NONE.cost_curve.at(probability_cost=0.5),
        "the line of one class": lambda: NONE.cost_curve.line(0.5),
        "calibration of scores outside": lambda: OUTSIDE.calibration.at(probability=0.5),
        "decisions of scores outside": lambda: OUTSIDE.decision_curve.at(threshold=0.5),
        "decisions of bins outside": lambda: binned([1, 1], [1, 1]).decision_curve.at(threshold=0.5),
        "calibration of bins": lambda: BINS.calibration.at(probability=0.5),
        "rejection of bins": lambda: BINS.rejection,
        "rejection without a threshold": lambda: scored([2.0, -1], [1, 0]).rejection,
        "calibration of votes": lambda: votes.calibration,
        "decisions of votes": lambda: votes.decision_curve,
        "roc within a bin": lambda: BINS.roc.at(threshold=0.7),
        "roc at the upper end of a bin": lambda: BINS.roc.at(threshold=1.0),
        "precision within a bin": lambda: BINS.precision_recall.at(threshold=0.3),
        "f1 within a bin": lambda: BINS.thresholds.at(0.3),
        "costs within a bin": lambda: BINS.cost_curve.line(0.6),
        "decisions within a bin": lambda: BINS.decision_curve.at(threshold=0.3),
        "precision out of reach": lambda: TIED.precision_recall.at(precision=0.95),
        "precision perhaps in a bin": lambda: binned([3, 1], [1, 3]).precision_recall.at(precision=0.9),
        "too much to be right": lambda: top_wrong.at(correct=0.99),
        "too few points": lambda: SMALL.thresholds.to_dict(most=1),
        "no bins": lambda: SMALL.calibration_as(0),
        "an unknown strategy": lambda: SMALL.calibration_as(5, "quantile"),
        "an unknown kind": lambda: SMALL.plot("rock"),
    }
    places = ([[0, -1], [1, 0]], [[0, 0], [0, 0]], [[0, math.inf], [1, 0]])
    calls |= {f"the place of {costs}": lambda costs=costs: probability_cost(costs, 0.3) for costs in places}
    refused = refusals(calls)
    assert {name: found for name, found in classes(refused).items() if found != "OptionError"} == {}
    names = ("total_cost", "f1_macro", "auc", "subset_accuracy")
    metrics = refusals(
        {f"{name} against the threshold": lambda name=name: SMALL.against_threshold(name) for name in names}
    )
    assert set(classes(metrics).values()) == {"MetricError"}
    snapshot("errors_curves", refused | metrics)


def test_what_models_on_one_roc_refuse(snapshot) -> None:
    points = {"none": [], "none by name": {}, "a number": 3, "no list": (0.1, 0.5)}
    points |= {"a matrix": tm.Confusion([[1, 0], [0, 1]]), "three rates": {"deep": (0.1, 0.5, 0.9)}}
    points |= {"text": {"deep": ("a", "b")}, "above 1": {"deep": (1.1, 0.5)}, "nan": {"deep": (NAN, 0.5)}}
    points |= {"no positive": [tm.Binary(0, 0, 1, 5)], "no negative": [tm.Binary(3, 1, 0, 0)]}
    points |= {"three classes": {"deep": tm.Confusion(np.eye(3, dtype=int))}}
    first = [tm.Confusion([[9, 1], [2, 8]], labels=list(two)) for two in ("+-", "-+")]
    points["other first labels"] = first
    other = tm.evaluate(["a", "b"], y_score=[0.1, 0.9], pos_label="b")
    models = {"no models": {}, "a list": [], "one class": {"one": ALL.roc}}
    models |= {"model above 1": {"one": (2, 0.5)}}
    models |= {"model as a number": {"one": 0.5}, "another curve": {"one": other.gains}}
    models |= {"another positive class": {"one": SMALL.roc, "two": other.roc}}
    calls = {name: lambda given=given: tm.roc_from_points(given) for name, given in points.items()}
    calls |= {name: lambda given=given: tm.Several(given) for name, given in models.items()}
    refused = refusals(calls)
    found = classes(refused)
    inputs = {"above 1", "nan", "no positive", "no negative", "one class", "model above 1"}
    assert {name for name in found if found[name] == "InputError"} == inputs
    labels = {"three classes", "another positive class", "other first labels"}
    assert {name for name in found if found[name] == "LabelError"} == labels
    assert {found[name] for name in found if name not in inputs | labels} == {"ShapeError"}
    snapshot("errors_models_on_one_roc", refused)
