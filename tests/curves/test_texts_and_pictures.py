"""What curves say and draw: one example of each kind and of each odd case, and tables of three libraries."""

import re
import sys
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import tallymark as tm
from scored import binned, classes, of_one_group, picture, refusals, scored
from tallymark.cli import main

# 0.9+, 0.8-, 0.8+, 0.4+, 0.1-
SCORE, Y = [0.9, 0.8, 0.8, 0.4, 0.1], [1, 0, 1, 1, 0]
SMALL = scored(SCORE, Y)
BINS = binned([3, 1], [1, 3], [1, 0.5, 0])
NONE = scored([0.3, 0.2], [0, 0])
KINDS = ("precision_recall", "gains", "lift", "rejection", "calibration", "cost_curve", "decision_curve")


def some(n: int = 300) -> tm.Evaluation:
    rng = np.random.default_rng(0)
    score = rng.beta(1, 2, size=n).round(3)
    return scored(score, rng.random(n) < score)


def odd_cases() -> dict[str, object]:
    """Curves with ties, weights, groups, bins, of one class, and long ones."""
    ten = np.array([0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25])
    marks = np.array(list("++---+-+-+")) == "+"
    weight = np.array([1.5, 2, 3, 1, 2])
    tied, weighted = scored(ten, marks), scored(SCORE, Y, sample_weight=weight)
    found: dict[str, object] = {f"{kind} of five rows": getattr(SMALL, kind) for kind in KINDS}
    found |= {f"{kind} of bins": getattr(BINS, kind) for kind in (*KINDS[:3], *KINDS[4:])}
    found |= {f"{kind} of one class": getattr(NONE, kind) for kind in KINDS}
    found |= {f"{kind} of weights": getattr(weighted, kind) for kind in (*KINDS[1:2], *KINDS[3:])}
    found |= {f"{kind} of one group": getattr(of_one_group(SCORE, Y), kind) for kind in KINDS[3:]}
    found |= {f"{kind} of many rows": getattr(some(), kind) for kind in ("roc", *KINDS)}
    found |= {f"roc {way}": tied.roc_as(way) for way in ("sequential", "opposite", "bins:4", "quantiles:3")}
    found |= {
        "roc ascending": tied.roc_as("sequential", ascending=True),
        "roc of bins": BINS.roc,
        "roc of many rows": binned([9, 99_991], [0, 99_999]).roc,
        "roc of one class": NONE.roc,
        "roc of the opposite": scored([0.1, 0.9], [1, 0]).roc,
        "roc of weights": scored(ten, marks, sample_weight=np.full(10, 0.5)).roc,
        "roc of groups": scored(ten, marks, groups=np.arange(10) // 2).roc,
        "constant scores in bins": scored([7.0] * 4, [1, 0, 1, 0]).roc_as("bins:5"),
        "bins beyond 0 and 1": scored([-2, 3, 8], [0, 1, 1]).roc_as("bins:2"),
        "fewer quantiles than asked for": scored([1.0, 1, 1, 1, 2], [1, 0, 1, 0, 1]).roc_as("quantiles:4"),
        "calibration of equal mass": some().calibration_as(4, "mass"),
        "calibration of many bins": some().calibration_as(200),
        "calibration with an impossible row": scored([0.0, 0.4], [1, 0]).calibration,
        "calibration with two bins to test": scored(
            np.repeat([0.25, 0.75], 40), np.repeat([1, 0, 1, 0], [15, 25, 30, 10])
        ).calibration,
        "rejection by distance": scored(np.array(SCORE) * 3 - 1, Y, threshold=1 / 21).rejection,
        "rejection where all are wrong": scored([0.9, 0.1], [0, 1]).rejection,
        "useless costs": scored([1, 1, 1], [1, 1, 0]).cost_curve,
        "decision curve of no use": scored([0.9, 0.1], [0, 1]).decision_curve,
        "decision curve of scores outside": scored([-1.0, 0.5], [1, 0], threshold=0.0).decision_curve,
        "decision curve elsewhere": some().at_prevalence(0.01).decision_curve,
    }
    return found


def test_what_curves_say(snapshot) -> None:
    snapshot("text_curves", {name: str(curve) for name, curve in odd_cases().items()})


def test_what_curves_draw(snapshot) -> None:
    import matplotlib.pyplot as plt

    kinds, four = ("roc", *KINDS, "thresholds"), ("roc", "lift", "gains", "cost_curve")
    named, alone = ("gains", "rejection"), {f"{kind} of one class": kind for kind in four}
    pictures = {f"{kind} of five rows": getattr(SMALL, kind).plot for kind in kinds}
    pictures |= {f"{kind} named": partial(getattr(some(), kind).plot, label="tree") for kind in named}
    pictures |= {name: getattr(NONE, kind).plot for name, kind in alone.items()}
    rare = np.zeros(3000, bool)
    rare[[0, *range(100, 3000, 120)]] = True
    weighted = scored(SCORE, Y, sample_weight=[1.5, 2, 3, 1, 2])
    settings = {"bold": (0.5, 0.95), "cautious": (0.1, 0.6), "odd": (0.35, 0.72)}
    curve, cats = tm.roc_from_points(settings), tm.Confusion([[3, 1], [0, 0]], labels=["cat", "dog"])
    pictures |= {
        "distribution named": partial(some().distribution.plot, label="tree"),
        "roc without a band": partial(SMALL.roc.plot, band=False), "roc of bins": BINS.roc.plot,
        "lift of bins": BINS.lift.plot, "thresholds of bins": BINS.thresholds.plot,
        "thresholds beyond 0 and 1": scored([-3.0, 5.0], [0, 1]).thresholds.plot,
        "an infinite ratio": SMALL.against_threshold("lr_plus").plot,
        "the lift beyond the picture": scored(np.linspace(1, 0, 3000), rare).lift.plot,
        "precision_recall of one class": NONE.precision_recall.plot, "gains of weights": weighted.gains.plot,
        "cost curve of bins": partial(BINS.cost_curve.plot, label="tree"),
        "calibration of equal mass": some().calibration_as(5, "mass").plot,
        "thirty bins": some().calibration_as(30, "mass").plot,
        "a band for more bins": some().calibration_as(31, "mass").plot,
        "rejection of one group": of_one_group(SCORE, Y).rejection.plot,
        "rejection by distance": scored(np.array(SCORE) * 3 - 1, Y, threshold=0.25).rejection.plot,
        "decisions about rare positives": scored(np.linspace(0, 0.2, 900), rare[:900]).decision_curve.plot,
        "decisions of one group": of_one_group(SCORE, Y).decision_curve.plot, "settings": curve.plot,
        "many settings": tm.roc_from_points([(k / 20, k / 20) for k in range(20)]).plot,
        "several models": tm.Several({"a": curve, "b": SMALL.roc, "rule": (0.2, 0.3)}).plot,
        "confusion": partial(cats.evaluate().plot, "confusion"),
    }  # fmt: skip
    beside = {
        "beside a cut": scored(SCORE, Y, threshold=0.8),
        "beside a cut that takes none": scored(SCORE, Y, threshold=0.95),
        "beside bins": binned([8, 2], [9, 981]),
        "beside perfect scores": scored([2, 2, 1, 1], [1, 1, 0, 0]),
    }
    pictures |= {name: partial(ev.plot, "roc+pr") for name, ev in beside.items()}
    said = {}
    for name, draw in pictures.items():
        axes = np.ravel(draw())
        said[name] = "\n\n".join(map(picture, axes))
        plt.close(axes[0].figure)
    snapshot("pictures_curves", said)


def test_pictures_of_several_models_and_of_a_threshold(tmp_path, monkeypatch, snapshot) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = rng.random(60) < 0.4
    scores = [1 / (1 + np.exp(-rng.normal(size=60) - 1.5 * y)) for _ in range(2)]
    frame = pl.DataFrame({"y": y.astype(int), "tree": scores[0].round(3), "bayes": scores[1].round(3)})
    frame = frame.with_columns(rule=(pl.col("tree") > 0.7).cast(int).cast(str))
    frame.write_csv("two.csv")
    models = ("--model", "tree=tree", "--model", "bayes=bayes")
    kinds = ("roc", "pr", "gains", "rejection", "calibration", "thresholds", "cost-curve", "decision-curve")
    calls = {f"{kind} of two": (kind, *models) for kind in kinds}
    calls["roc with a rule"] = ("roc", *models, "--model", "rule=rule")
    calls["pr at 0.5"] = ("pr", "--score", "tree", "--threshold", "0.5")
    said = {}
    for name, (command, *options) in calls.items():
        code = main([command, "two.csv", "--actual", "y", *options, "-o", "x.svg", "--force", "--quiet"])
        assert (name, code) == (name, 0)
        texts = re.findall(r"<text[^>]*>([^<]*)</text>", (tmp_path / "x.svg").read_text())
        said[name] = " | ".join(text for text in texts if not re.fullmatch(r"[−\d.]+%?", text))
    snapshot("pictures_of_several_models", said)


def test_tables_of_three_libraries(monkeypatch) -> None:
    curve = SMALL.against_threshold("precision")
    made = curve.table()
    assert isinstance(made, pl.DataFrame)
    assert made["precision"].to_list() == [None, 1, 2 / 3, 3 / 4, 3 / 5]
    assert (made.schema["threshold"], made.schema["tp"]) == (pl.Float64(), pl.Int64())
    frame = curve.table("pandas")
    assert isinstance(frame, pd.DataFrame)
    assert (frame["precision"].isna().tolist(), frame["threshold"][0]) == ([True] + [False] * 4, np.inf)
    arrow = curve.table("pyarrow")
    assert arrow.column("precision").to_pylist() == made["precision"].to_list()
    assert arrow.column("tp").type == pa.int64()
    # Frames in, frames of the same library out.
    for library in (pd, pl):
        ev = tm.evaluate(library.DataFrame({"y": Y, "s": SCORE}), actual="y", score="s")
        assert isinstance(ev.to_frame(), library.DataFrame)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    many = tm.Confusion(np.eye(101, dtype=int)).evaluate()
    calls = {"unknown": lambda: curve.table("panda"), "not installed": lambda: curve.table("pyarrow")}
    found = classes(refusals(calls | {"a hundred classes": lambda: many.plot("confusion")}))
    assert [*found.values()] == ["OptionError", "MissingExtraError", "ShapeError"]
