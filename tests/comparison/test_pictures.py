"""The pictures of a comparison show its numbers, and can be drawn in every case."""

from itertools import combinations

import matplotlib
import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

import tallymark as tm
from comparing import COSTS, DEMSAR, DESIGNS, S, T, U, Y, areas, drawn, kinds, made
from scored import classes, refusals

matplotlib.use("agg")

LONG = "a_very_long_name_of_a_model_that_goes_on_and_on_and_on"
ALIKE = [f"gradient_boosted_trees_depth_6_lr_0.1_seed_{number}" for number in range(1, 8)]
HOSTILE = "$x^2$_\\n<b>\n"


def lines(axes):
    return [np.asarray(line.get_data(), float) for line in axes.get_lines()]


def legend(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def names(axes):
    """At the left, from top to bottom as given, and at the right."""
    sides = [axes], axes.child_axes
    every = [[text for each in side for text in each.get_yticklabels()] for side in sides]
    return tuple([text.get_text() for text in side if text.get_text()] for side in every)


def of_folds(differences, **options):
    scores = {"tree": np.asarray(differences) + 0.5, "forest": np.full(len(differences), 0.5)}
    return tm.compare(scores, per="fold", same_folds=True, **options)


def test_every_picture(snapshot):
    pictures = {}
    alike = ("groups", "weights", "counts", "three figures")  # their pictures are like those of others
    for design in (each for each in DESIGNS if each not in alike):
        for kind in kinds(made(design)):
            axes = made(design).plot(kind)
            pictures[f"{design}: {kind}"] = drawn(axes)
            matplotlib.pyplot.close(axes.figure)
    snapshot("pictures_of_comparisons", pictures)


def test_why_there_is_no_such_picture(snapshot):
    asked = [
        ("seven models", "agreement"), ("many data sets", "posterior"), ("other rows", "agreement"),
        ("two of many data sets", "critical-difference"), ("folds", "scores"), ("predictions", "roc"),
        ("scores only", "agreement"), ("predictions", "pie"), ("scores", "posterior"), ("folds", "roc"),
    ]  # fmt: skip
    said = refusals(
        {f"{design}: {kind}": lambda one=design, two=kind: made(one).plot(two) for design, kind in asked}
    )
    assert set(classes(said).values()) == {"OptionError"}
    snapshot("errors_pictures_of_comparisons", said)


# --- differences with intervals ------------------------------------------------------------------


def test_a_far_wider_interval_does_not_hide_the_others():
    # Five models that hardly vary, and one that does.
    base = np.tile([-1, 1], 4) / 1000
    scores = {f"m{at}": 0.8 + at / 100 + base * (at % 2) for at in range(5)}
    scores["wild"] = 0.82 + 0.15 * base * 1000
    found = tm.compare(scores, per="fold", same_folds=True)
    axes = found.plot("differences")
    widest = max(one.high or 0 for one in found.differences)
    assert widest > 0.17
    assert max(axes.get_xlim()) < 0.15
    assert np.nanmax(lines(axes)[1][0]) == max(axes.get_xlim())


def test_the_margin_is_shaded_beside_its_own_metric_only():
    def shaded(**options):
        models = options.pop("models", {"a": S, "b": T})
        return [area[:2] for area in areas(tm.compare(models, Y, **options).plot("differences"))]

    assert areas(made("scores").plot("differences")) == []
    assert shaded(metric="auc", metrics=["auc"], margin=0.1) == [(-0.1, 0.1)]
    assert shaded(models={"a": S, "b": T, "c": U}, margin=0.1) == [(-0.1, 0.1)]
    cost = tm.compare({"a": S, "b": T}, Y, costs=COSTS, metric="mean_cost", margin=0.2).plot("differences")
    # A metric on a scale of its own is drawn if it is the verdict's.
    assert names(cost)[0] == ["mean_cost"]
    (region,) = areas(of_folds([0.01, 0.02, 0.03], rope=0.02).plot("differences"))
    assert region[:2] == (-0.02, 0.02)


# --- names ---------------------------------------------------------------------------------------


def test_names_keep_what_differs_between_them():
    name = "gradient_boosted_trees_depth_{}_lr_{}_seed_1_on_v2".format
    models = [name(6, 0.1), name(8, 0.1), name(6, 0.3), "svm", LONG, f"{LONG} again", HOSTILE, *ALIKE]
    table = {model: np.linspace(0.5, 0.9, 6) + at / 999 for at, model in enumerate(models)}
    axes = tm.compare(table, per="dataset").plot("critical-difference")
    left, right = names(axes)
    shown = [text.rsplit("  ", 1)[0] for text in (*left, *right)]
    assert len(set(shown)) == len(models)
    assert any(text == "svm" for text in shown)
    assert sorted(text[-6:] for text in shown if text[-6:-1] == "seed_") == [
        f"seed_{at}" for at in range(1, 8)
    ]
    assert max(map(len, shown)) <= 22
    axes.figure.canvas.draw()


# --- the 2x2 table -------------------------------------------------------------------------------


def test_agreement_is_the_table_of_the_textbook():
    """n00 n01 above n10 n11, with n01 right by the first model only."""
    counts = {(0, 0): 120, (1, 0): 25, (0, 1): 15, (1, 1): 1840}
    right = np.repeat(np.array(list(counts)), list(counts.values()), axis=0)
    found = tm.compare({"tree": right[:, 0], "forest": right[:, 1]}, np.ones(2000, int))
    axes = found.plot("agreement")
    # Halves are rounded as Python writes the shares: f"{0.0125:.3f}" is 0.013, f"{0.0075:.3f}" is 0.007.
    cells = [text.get_text() for text in axes.texts][:4]
    assert cells == ["n00\n120\n6.0%", "n01\n25\n1.3%", "n10\n15\n0.7%", "n11\n1,840\n92.0%"]
    shade = np.asarray(axes.collections[0].get_array()).ravel()
    assert shade.tolist() == pytest.approx([0.06, 0.0125, 0.0075, 0.92])
    # n01 is in the column where the first is right and the row where the second is wrong.
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("tree", "forest")
    assert [text.get_text() for text in axes.get_xticklabels()] == ["wrong", "right"]


# --- mean ranks ----------------------------------------------------------------------------------

# At 10 % C4.5 is told apart from the two that tune m, and not from the one that tunes cf (section 3.2.2).


def test_the_diagram_of_the_published_example():
    axes = tm.compare(DEMSAR, per="dataset", metric="auc", confidence_level=0.9).plot("critical-difference")
    every = lines(axes)
    top = axes.get_ylim()[1]
    models = [
        line for line in every if line.shape == (2, 3) and line[1][0] == top and line[0][0] == line[0][1]
    ]
    assert [line[0][0] for line in models] == pytest.approx([-3.143, -2.893, -2.0, -1.964], abs=5e-4)
    thick = [line for line, drawn in zip(every, axes.get_lines(), strict=True) if drawn.get_linewidth() == 4]
    joined = sorted((-line[0][1], -line[0][0]) for line in thick)
    # A bar reaches a little over what it joins, and never as far as what it does not.
    assert joined == [
        (pytest.approx(1.964, abs=0.05), pytest.approx(2.893, abs=0.05)),
        (pytest.approx(2.893, abs=0.05), pytest.approx(3.143, abs=0.05)),
    ]
    assert "CD = 1.12" in [text.get_text() for text in axes.texts]
    # The better half is on the right, and no line crosses another.
    assert names(axes) == (["C4.5  3.14", "C4.5+cf  2.89"], ["C4.5+m  2.00", "C4.5+m+cf  1.96"])
    for one, other in combinations(models, 2):
        for level, upright in ((one, other), (other, one)):
            left, right = sorted(level[0][1:])
            assert not (left < upright[0][0] < right and upright[1][1] < level[1][1] < upright[1][0])


def test_bars_that_overlap_have_levels_of_their_own():
    # Of six models each is at rank k on each of five data sets; the critical difference is 3.37.
    axes = tm.compare(
        {name: np.linspace(0.9, 0.8, 5) - at / 50 for at, name in enumerate("abcdef")}, per="dataset"
    )
    axes = axes.plot("critical-difference")
    bars = [np.asarray(line.get_data()) for line in axes.get_lines() if line.get_linewidth() == 4]
    assert len(bars) == 3
    for one, other in combinations(bars, 2):
        apart = one[0][0] > other[0][1] or other[0][0] > one[0][1]
        assert apart or one[1][0] != other[1][0]


# --- posteriors ----------------------------------------------------------------------------------


def test_the_areas_of_a_posterior_are_its_probabilities():
    found = of_folds([0.03, 0.0, 0.04, 0.01, 0.01, 0.02])
    axes = found.plot("posterior")
    posterior = found.to_dict()["folds"]["pairs"][0]["posterior"]
    chances = [posterior[name] for name in ("worse", "equivalent", "better")]
    shaded = areas(axes)
    assert [area[2] for area in shaded] == pytest.approx(chances, abs=2e-3)
    assert shaded[1][:2] == (-0.01, 0.01)
    said = ["forest is better", "within 0.010 of each other", "tree is better"]
    assert legend(axes)[:3] == [f"{name}: {p * 100:.1f}%" for name, p in zip(said, chances, strict=True)]
    # Where lower is better, the sides change their names.
    lower = of_folds([0.03, 0.0, 0.04, 0.01, 0.01, 0.02], metric="error_rate").plot("posterior")
    assert [text.partition(":")[0] for text in legend(lower)[:3]] == [
        "tree is better", "within 0.010 of each other", "forest is better",
    ]  # fmt: skip


def test_the_triangle_has_a_point_for_each_draw():
    sets = {"a": [0.8, 0.7, 0.75, 0.72, 0.9, 0.6], "b": [0.79, 0.73, 0.74, 0.75, 0.86, 0.62]}
    found = tm.compare(sets, per="dataset")
    axes = found.plot("posterior")
    clouds = lines(axes)[:3]
    assert sum(cloud.shape[1] for cloud in clouds) == 1500
    x, y = np.concatenate(clouds, axis=1)
    # At its shares: worse at the left corner, better at the right one, equivalent at the top.
    better, equivalent = x - y / 2, y
    assert min(better.min(), equivalent.min(), (1 - better - equivalent).min()) > -1e-9
    posterior = found.to_dict()["posterior"][0]
    largest = np.stack([1 - better - equivalent, equivalent, better]).argmax(axis=0)
    shares = np.bincount(largest, minlength=3) / 1500
    expected = [posterior[name] for name in ("worse", "equivalent", "better")]
    assert min(expected) > 0.05
    assert shares == pytest.approx(expected, abs=4 * 0.5 / np.sqrt(1500))


# --- ROC curves ----------------------------------------------------------------------------------


def roc_pair(y, **scores):
    return tm.compare({name: {"y_score": score} for name, score in scores.items()}, y, metric="auc").plot(
        "roc"
    )


def test_what_lies_between_two_curves_is_the_difference_of_their_areas():
    rng = np.random.default_rng(0)
    for rows in (10, 300):
        y = np.arange(rows) % 2
        a, b = (np.where(y == 1, rng.normal(1.2, wide, rows), rng.normal(0, 1, rows)) for wide in (0.5, 1.8))
        axes = roc_pair(y, tree=a, forest=b)
        signs = {patch.get_facecolor()[:3]: 0.0 for patch in axes.patches}
        for patch, (_, _, size) in zip(axes.patches, areas(axes), strict=True):
            signs[patch.get_facecolor()[:3]] += size
        first = next(line.get_color() for line in axes.get_lines() if line.get_color() != "#767676")
        one = signs.pop(matplotlib.colors.to_rgb(first), 0.0)
        assert one - sum(signs.values()) == pytest.approx(roc_auc_score(y, a) - roc_auc_score(y, b), abs=1e-9)


def test_curves_that_cross_once_by_hand():
    # Up to FPR 1/2 the second is lower by 1/2, from there on the first is.
    axes = roc_pair([1, 0, 0, 1], a=np.array([4, 3, 2, 1]), b=np.array([3, 4, 1, 2]))
    assert [area[2] for area in areas(axes)] == [0.25, 0.25]
    points = [line.tolist() for line in lines(axes) if line.shape[1] == 1]
    assert points == [[[0.5], [0.5]]]
    assert "crossing" in legend(axes)


def test_equal_curves_have_nothing_between_them_and_three_are_not_shaded():
    assert areas(roc_pair(Y, tree=S, forest=S)) == []
    assert areas(roc_pair(Y, tree=S, forest=T, other=U)) == []


def test_many_crossings_are_not_marked():
    y = np.arange(3000) % 2
    rng = np.random.default_rng(1)
    a = y + rng.normal(0, 1, len(y))
    axes = roc_pair(y, tree=a, forest=a + rng.normal(0, 0.02, len(y)))
    assert legend(axes)[:2] == ["tree is better", "forest is better"]
    assert "crossing" not in legend(axes)


# --- folds and data sets -------------------------------------------------------------------------


def test_folds_stand_between_both_intervals():
    d = np.array([0.03, 0, 0.04, 0.01, 0.01])
    axes = of_folds(d).plot("folds")
    times = stats.t.ppf(0.975, 4) * d.std(ddof=1)
    plain, corrected = times * np.sqrt(1 / 5), times * np.sqrt(1 / 5 + 1 / 4)
    (patch,) = axes.patches
    heights = np.asarray(patch.get_xy())[:, 1]
    assert (heights.min(), heights.max()) == pytest.approx((d.mean() - corrected, d.mean() + corrected))
    level = [line[1][0] for line in lines(axes) if line.shape[1] == 2]
    assert level == pytest.approx([d.mean() - plain, d.mean() + plain, 0, d.mean()])
    (points,) = (line for line in lines(axes) if line.shape[1] == 5)
    assert points[0].tolist() == [1, 2, 3, 4, 5]
    assert points[1].tolist() == pytest.approx(d.tolist())
    # Mean 0.018, variance 0.00027, t(4) = 2.7764.
    assert legend(axes) == [
        "95 % corrected t [-0.013, 0.049]", "95 % plain t [-0.002, 0.038]",
        "no difference", "mean 0.018", "a fold",
    ]  # fmt: skip


def test_of_many_folds_some_are_named():
    named = {12: [*range(1, 13)], 30: [1, 5, 10, 15, 20, 25, 30], 100: [1, 20, 40, 60, 80, 100]}
    found = {}
    for count in named:
        axes = of_folds([0.004 * place for place in range(count)], runs=max(1, count // 10)).plot("folds")
        found[count] = [int(text.get_text()) for text in axes.get_xticklabels()]
    assert found == named
    sites = {"fold": ["north", "south", "west"], "x": [0.5, 0.6, 0.7], "y": [0.6, 0.5, 0.4]}
    axes = tm.compare(sites, per="fold", same_folds=True).plot("folds")
    assert [text.get_text() for text in axes.get_xticklabels()] == sites["fold"]


def test_odd_cases_can_be_drawn():
    for d, options in (([0.02], {}), ([0.0, 0.0], {}), ([0.1, -0.1], {"confidence_level": 0.99})):
        of_folds(d, **options).plot("folds").figure.canvas.draw()
    low, high = of_folds([0.0, 0.0]).plot("differences").get_xlim()
    assert low < 0 < high
    without_region = areas(of_folds([0.03, -0.02, 0.01, 0.0, -0.01], rope=0).plot("posterior"))
    assert len(without_region) == 2
    assert sum(area[2] for area in without_region) == pytest.approx(1, abs=0.01)
    certain = of_folds([0.02, 0.02, 0.02]).plot("posterior")
    assert legend(certain)[-2:] == ["tree is better: 100.0%", "certainly 0.020"]
    certain.figure.canvas.draw()
    of_folds([0.0, 0.0], rope=0).plot("posterior").figure.canvas.draw()


def test_scores_are_shaded_by_rank():
    found = tm.compare({"a": [0.9, 0.5], "b": [0.8, 0.7], LONG: [0.8, 0.6]}, per="dataset")
    axes = found.plot("scores")
    assert np.asarray(axes.collections[0].get_array()).ravel().tolist() == [1.0, 0.25, 0.25, 0.0, 1.0, 0.5]
    assert " ".join(text.get_text() for text in axes.texts[:6]) == "0.900 0.800 0.800 0.500 0.700 0.600"
