"""What more data would buy, where progressive sampling stops, and what is written and drawn of a curve."""

from __future__ import annotations

import json
import math
import re
from functools import cache

import numpy as np
import polars as pl
import pytest
from scipy import stats
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from collected import agree
from learning import curve_of
from scored import picture
from scripted_models import timeless

SIZES = [250, 500, 1000, 2000, 4000, 8000]
AT = np.array(SIZES, float)


def repeats(curve, noise=0.002, count=10, seed=0, sizes=SIZES):
    """A curve that is so on average, measured so often with noise."""
    values = np.asarray(curve) + noise * np.random.default_rng(seed).normal(size=(count, len(sizes)))
    return dict(zip(sizes, values.T.tolist(), strict=True))


def test_a_power_law_is_found_again():
    wrong = []
    for a, b, c in ((0.95, 3.8, 0.5), (0.8, 30.0, 1.0), (0.9, 1.6, 0.3)):
        found = curve_of(repeats(a - b * AT**-c, 3e-4))
        law = found.to_dict()["models"][0]["law"]
        checks = [(law["a"], law["b"], law["c"]) == pytest.approx((a, b, c), rel=0.1)]
        for rows in (16_000, 80_000):
            true, gain = b * 8000**-c - b * rows**-c, found.gain(rows)
            checks += [gain.value == pytest.approx(true, rel=0.08), 0 < gain.se < true]
            checks += [gain.low < true < gain.high]
        wrong += [((a, b, c), place) for place, right in enumerate(checks) if not right]
    assert not wrong
    # Nearly straight in log n: a free asymptote would be far above 1.
    found = curve_of(repeats(0.5 + 0.09 * np.log2(AT / 250) ** 0.9, 1e-4))
    assert found.to_dict()["models"][0]["law"]["a"] <= 1
    assert found.mean[-1] < found.extrapolate(80_000).value <= 1
    assert found.extrapolate(80_000).high <= 1


def test_the_value_is_the_last_mean_and_the_gain_and_an_error_gains_by_falling():
    values = repeats(0.9 - 3 * AT**-0.45, 0.003)
    found, error = curve_of(values), curve_of(values, metric="error_rate")
    gain, value = found.gain(16_000), found.extrapolate(16_000)
    assert value.value == pytest.approx(found.mean[-1] + gain.value)
    assert value.se == pytest.approx(math.hypot(gain.se, found.at(8000).mean.se))
    half = stats.t.ppf(0.975, 9) * gain.se
    assert (gain.low, gain.high, gain.n) == pytest.approx((gain.value - half, gain.value + half, 10))
    assert gain.interval(0.5).high < gain.high
    assert found.gain(80_000).value > gain.value
    assert error.gain(16_000).value == pytest.approx(gain.value, rel=1e-6)
    assert error.extrapolate(16_000).value == pytest.approx(1 - value.value)
    # Beyond ten times the rows there is no telling.
    assert (found.gain(80_001).value, found.extrapolate(80_001).value) == (None, None)


def test_sizes_and_repeats_without_a_value_are_left_out():
    whole = repeats(0.9 - 3 * AT**-0.45)
    gaps = {size: [*values] for size, values in whole.items()}
    gaps[250] = [None] * 10
    gaps[1000][3] = None
    kept = {size: [*values[:3], *values[4:]] for size, values in whole.items() if size > 250}
    found, expected = (curve_of(values).to_dict()["models"][0]["law"] for values in (gaps, kept))
    assert found == expected
    assert found["b"] > 0


def test_what_shows_no_law_is_not_continued(snapshot):
    def flat(value, sizes, count=10):
        return {size: [value] * count for size in sizes}

    ends = repeats(0.9 - 3 * AT**-0.45)
    ends[8000] = [None] * 10
    # From 260 to 2,000 rows it rises by 0.05, give or take 0.06: a fifth of what repeats share let it pass.
    short = [260, 500, 1000, 2000]
    noisy = repeats(0.72 - 0.35 * (np.array(short) / 20) ** -0.5, 0.03, seed=5, sizes=short)
    rise = np.subtract(noisy[2000], noisy[260])
    half = stats.t.ppf(0.975, 9) * rise.std(ddof=1) * np.sqrt([1 / 10 + 0.2 * 0.5, 1 / 10 + 0.5])
    assert half[0] < rise.mean() < half[1], "the design needs noise"
    designs = {
        "short": flat(0.8, [10, 20, 40]), "narrow": flat(0.8, [100, 120, 150, 200]),
        "hardly wide enough": flat(0.8, [50, 120, 150, 200]),
        "repeats": repeats(0.9 - 3 * AT**-0.45, count=4), "flat": repeats(np.full(6, 0.8)),
        "all equal": flat(0.8, SIZES), "falling": repeats(0.7 + 0.4 * AT**-0.5),
        "noisy": repeats(0.8 - 0.4 * AT**-0.5, 0.1), "short and noisy": noisy,
        "steepening": repeats(0.5 + 0.4 * (AT / 8000) ** 2), "undefined at the last size": ends,
    }  # fmt: skip
    found = {name: curve_of(values).gain(1.5 * max(values)) for name, values in designs.items()}
    assert [name for name, gain in found.items() if gain.value is not None] == []
    far = curve_of(repeats(0.9 - 3 * AT**-0.45)).gain(80_001)
    neither = curve_of(repeats(0.9 - 3 * AT**-0.45, count=5), metric="prevalence").gain(9000)
    assert curve_of(repeats(0.9 - 3 * AT**-0.45, count=5)).gain(9000).value is not None
    assert (far.value, neither.value) == (None, None)
    texts = {name: gain.why for name, gain in {**found, "far": far, "no direction": neither}.items()}
    snapshot("learn_not_continued", texts)
    with pytest.raises(tm.OptionError):
        curve_of(flat(0.8, SIZES)).extrapolate(8000)


SMALL = np.array([0.001, 0.002, 0.003, 0.002])
"""Mean 0.002; the upper bound is 0.002 + 2.353 * 0.000408 * 2 * sqrt(1/4 + 1/2) = 0.0037."""
LARGE = SMALL + 0.05


def stops(*gains, sizes=(1000, 2000, 4000, 8000), start=0.8, share=0.5, tolerance=0.005, **options):
    """Where it stops, when from size to size so much is gained in each of four repeats; None if nowhere."""
    values = [np.full(4, start) + sum(gains[:place]) for place in range(len(gains) + 1)]
    values += [values[-1] + 0.05 * place for place in range(1, len(sizes) - len(gains))]
    table = dict(zip(sizes, [each.tolist() for each in values], strict=True))
    found = curve_of(table, share=share, progressive=True, tolerance=tolerance, **options)
    assert found.sizes.tolist() == [size for size in sizes if size <= found.stopped.size]
    return found.stopped.size if found.stopped.early else None


def test_the_last_two_doublings_must_both_be_small():
    even = (1000, 2000, 3000, 4000, 8000)
    near = (1000, 1999, 3999, 8000)
    table = {
        "both": (stops(SMALL, SMALL), 4000),
        "the last": (stops(LARGE, SMALL), None),
        "the one before": (stops(SMALL, LARGE), None),
        "one": (stops(SMALL, sizes=(2000, 4000, 8000)), None),
        "later": (stops(LARGE, SMALL, SMALL, sizes=(500, 1000, 2000, 4000, 8000)), 4000),
        "halves, rounded up": (stops(SMALL, SMALL, sizes=(1000, 2000, 3999, 8000)), 3999),
        "halves, rounded down": (stops(SMALL, SMALL, sizes=near), 3999),
        "less than doubled": (stops(SMALL, SMALL, sizes=(1000, 1500, 2800, 8000)), None),
        "bound above": (stops(SMALL, SMALL, tolerance=0.0036), None),
        "bound below": (stops(SMALL, SMALL, tolerance=0.0038), 4000),
        # 2,000 to 4,000, and 1,000 to 2,000: what 3,000 rows are like does not matter.
        "even sizes": (stops(SMALL, LARGE, SMALL - LARGE, sizes=even), 4000),
        "even sizes, overlapping": (stops(LARGE, SMALL - SMALL[::-1], SMALL, sizes=even), None),
        # What all repeats gain alike bounds nothing.
        "no spread, last": (stops(SMALL, np.zeros(4)), None),
        "no spread, before": (stops(np.full(4, 0.001), SMALL), None),
        # At the last size the mean is 0.804: not while it is within the tolerance of the largest class.
        "the largest class": (stops(SMALL, SMALL, share=0.196), None),
        "hardly better": (stops(SMALL, SMALL, share=0.2), None),
        "better": (stops(SMALL, SMALL, share=0.21), 4000),
        "losses": (stops(SMALL, SMALL, metric="error_rate"), 4000),
        "losses, a large gain": (stops(SMALL, LARGE, metric="error_rate"), None),
        "no baseline": (stops(SMALL, SMALL, metric="precision"), 4000),
        "another level": (stops(SMALL, SMALL, tolerance=0.0036, confidence_level=0.9), 4000),
    }
    agree(table)


def test_what_it_saved_and_by_which_bound():
    values = np.full(4, 0.7) + np.array([np.zeros(4), SMALL, 2 * SMALL, LARGE])
    table = dict(zip((1000, 2000, 4000, 8000), values.tolist(), strict=True))
    found = curve_of(table, progressive=True, tolerance=0.01)
    gain, stopped = found.stopped.gains["growing"], found.stopped
    se = math.sqrt(SMALL.var(ddof=1) * (1 / 4 + 0.5))
    assert (gain.before, gain.after, gain.value) == (2000, 4000, pytest.approx(0.002))
    assert gain.upper == pytest.approx(0.002 + stats.t.ppf(0.95, 3) * se)
    assert (stopped.size, stopped.whole, stopped.left_out) == (4000, 8000, (8000,))
    assert (stopped.fits, stopped.rows, found.fits) == (4, pytest.approx(8 / 15), 12)
    form = found.to_dict()["progressive"]
    saved = {"size": 4000, "whole": 8000, "early": True, "sizes_not_run": [8000], "fits_not_run": 4}
    assert {name: form[name] for name in saved} == saved
    assert set(form["gains"]["growing"]) == {"before", "after", "value", "upper"}
    # Of a loss the gain is how much it falls; of a repeat without a value nothing is known.
    error = curve_of(table, progressive=True, tolerance=0.01, metric="error_rate").stopped.gains["growing"]
    assert (error.value, error.upper) == pytest.approx((gain.value, gain.upper))
    table[4000][2] = None
    lost = curve_of(table, progressive=True, tolerance=1e-6, schedule=[2000, 4000]).stopped
    assert (lost.early, lost.left_out, lost.fits) == (False, (), 0)
    halves = curve_of({5000: [0.8] * 4, 8000: [0.8] * 4}, progressive=True)
    assert dict(halves.stopped.gains) == {}
    alone = curve_of({4000: [0.8, None, 0.8], 8000: [0.8, 0.8, None]}, progressive=True)
    assert dict(alone.stopped.gains) == {}
    same = curve_of({4000: [0.8] * 4, 8000: [0.9] * 4}, progressive=True).stopped.gains["growing"]
    assert (same.value, same.upper) == (pytest.approx(0.1), None)


def test_it_goes_on_as_long_as_it_pays_for_one_of_the_models():
    random = np.random.default_rng(0)
    y = random.integers(2, size=300)
    X = random.normal(size=(300, 3)) + 2.0 * y[:, None]
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}
    options = {"progressive": True, "tolerance": 0.04, "n_repeats": 6}
    one = tm.learning_curve(GaussianNB(), X, y, **options)
    both = tm.learning_curve(models, X, y, **options)
    whole = tm.learning_curve(GaussianNB(), X, y, n_repeats=6)
    assert one.stopped.early
    assert whole.values[:, : len(one.sizes)].tolist() == one.values.tolist()
    assert set(both.stopped.gains) == set(models)
    assert both.stopped.size >= one.stopped.size
    assert len({len(model.sizes) for model in both.models.values()}) == 1


RANDOM = np.random.default_rng(0)
Y = RANDOM.integers(2, size=300)
X = RANDOM.normal(size=(300, 15)) + 0.5 * Y[:, None]


RISING = repeats(0.9 - 3 * AT**-0.45, 0.003)


def even(step=0.0001, sizes=(1000, 2000, 4000, 8000), start=0.8):
    """From size to size as much is gained."""
    gains = step * np.array([1, 2, 3, 2])
    return {size: (start + place * gains).tolist() for place, size in enumerate(sizes)}


@cache
def made(kind):
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3)}
    trees = {f"tree {depth}": DecisionTreeClassifier(max_depth=depth) for depth in range(1, 5)}
    calls = {
        "one": lambda: curve_of(RISING),
        "an error": lambda: curve_of(RISING, metric="error_rate"),
        "two": lambda: tm.learning_curve(models, X, Y, schedule="arithmetic", start=20, n_sizes=5),
        "four": lambda: tm.learning_curve(trees, X, Y, schedule=[50], n_repeats=2),
        "groups": lambda: tm.learning_curve("bayes", X, Y, groups=np.arange(300) // 5, n_repeats=2),
        "short": lambda: curve_of({1000: [0.7, 0.8], 2000: [0.8, 0.81]}),
        "failed": lambda: curve_of({500: [None] * 3, 1000: [0.7, None, 0.8], 2000: [0.8, 0.81, 0.8]}),
        "undefined": lambda: curve_of({500: [0.0] * 2, 1000: [1.0] * 2}, share=0.0, metric="recall"),
        "stopped": lambda: curve_of(even(0.001, start=0.7), progressive=True),
        "never stopped": lambda: curve_of(even(0.01, start=0.7), progressive=True),
        "no better than the largest class": lambda: curve_of(even(), share=0.2, progressive=True),
        "the same in every repeat": lambda: curve_of(even(0), progressive=True),
        "no doubling": lambda: curve_of(even(sizes=(6000, 8000)), progressive=True),
    }
    return calls[kind]()


KINDS = (
    "one", "an error", "two", "groups", "short", "failed", "undefined", "stopped", "never stopped",
    "no better than the largest class", "the same in every repeat", "no doubling",
)  # fmt: skip


def test_reports(snapshot):
    texts = {kind: timeless(str(made(kind))) for kind in KINDS}
    for kind in ("failed", "undefined"):  # here the seconds are not the last column
        text = re.sub(r"\S+( +\d of \d)$", r"TIME\1", texts[kind], flags=re.M)
        texts[kind] = re.sub(r"(-)-{2,}|( ) {2,}", r"\1\1\2\2", text)
    assert max(len(line) for text in texts.values() for line in text.splitlines()) <= 100
    more = {"in one line": repr(made("two"))}
    more["the first paragraph of a page"] = made("two").report().sections[0].blocks[0].text
    snapshot("learn_text", texts | more)


def test_the_json_document_has_every_number():
    two = made("two")
    form = json.loads(two.to_json())
    assert form["schedule"]["sizes"] == [20, 65, 110, 155, 200]
    assert [model["name"] for model in form["models"]] == ["bayes", "tree"]
    point, measured = form["models"][1]["points"][2], two.models["tree"].at(110)
    assert (point["size"], point["n_train"], point["undefined"]) == (110, 110, 0)
    assert point["values"] == list(measured.values)
    assert point["mean"]["value"] == pytest.approx(np.mean(point["values"]))
    assert (point["mean"]["low"], point["mean"]["method"]) == (measured.mean.low, "corrected t")
    assert (form["baseline"]["value"], form["progressive"]) == (two.baseline.value, None)
    one = json.loads(made("one").to_json())["models"][0]
    assert [more["rows"] for more in one["more_data"]] == [16_000, 80_000]
    assert one["more_data"][0]["gain"]["value"] == pytest.approx(made("one").gain(16_000).value)
    short = json.loads(made("short").to_json())["models"][0]
    assert (list(short["law"]), short["more_data"][0]["gain"]["value"]) == (["why"], None)


def test_the_table_has_one_row_per_model_and_size():
    table = made("two").to_frame()
    assert isinstance(table, pl.DataFrame)
    assert table["model"].to_list() == ["bayes"] * 5 + ["tree"] * 5
    assert table["size"].to_list() == [20, 65, 110, 155, 200] * 2
    assert table["mean"].to_list()[5:] == made("two").models["tree"].mean.tolist()
    assert table["repeats"].unique().to_list() == [10]


def test_pictures(snapshot):
    kinds = ("one", "an error", "two", "four", "short", "undefined", "stopped")
    axes = {kind: made(kind).plot() for kind in kinds}
    snapshot("learn_pictures", {kind: picture(axes[kind]) for kind in kinds})
    one = made("one")
    lines = [line.get_xydata() for line in axes["one"].get_lines()]
    for values in (one.mean, one.training):
        assert any(np.array_equal(line, np.column_stack((SIZES, values))) for line in lines if len(line) == 6)
    # Dashed from the last mean on, up to ten times the rows.
    (dashed,) = [line for line in lines if line[0].tolist() == [8000, one.mean[-1]]]
    assert dashed[-1] == pytest.approx([80_000, one.extrapolate(80_000).value])
    assert len(axes["four"].collections) == len(axes["four"].patches) == 0, "many models have no bands"
