"""Two classes with scores, and what a curve shows of them in a picture: for tests of curves and decisions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

import tallymark as tm

ROWS = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=12)
BOTH_CLASSES = ROWS.filter(lambda rows: len({positive for _, positive in rows}) == 2)


def scored(score: Any, positive: Any, **options: Any) -> tm.Evaluation:
    """Class 1 is positive, whether or not rows of both classes are there."""
    actual = np.asarray(positive, bool).astype(int)
    return tm.evaluate(actual, y_score=np.asarray(score, float), labels=[0, 1], **options)


def binned(positives: Sequence[int], negatives: Sequence[int], edges: Any = None) -> tm.Evaluation:
    """Counted in bins, best first."""
    return tm.Scores.from_bins(positives, negatives, edges=edges).evaluate()


def on_grid(score: Any, positive: Any, bins: int, weight: Any = None) -> tm.Evaluation:
    """Of scores from 0 to 1 only bins of equal width are counted, as of a file larger than memory."""
    place = np.minimum((np.asarray(score) * bins).astype(int), bins - 1)
    amount = np.ones(len(place), int) if weight is None else weight
    used = np.unique(place)[::-1]
    sides = [np.asarray(positive, bool), ~np.asarray(positive, bool)]
    counts, squares = (
        [np.array([power[(place == at) & side].sum() for at in used]) for side in sides]
        for power in (amount, amount**2)
    )
    ends = np.where(used == bins - 1, 1.0, np.nextafter((used + 1) / bins, 0))
    whole = tuple(squares) if weight is not None else None
    made = tm.Scores(used / bins, *counts, squares=whole, rows=len(place), reach=ends)
    return made.evaluate()


def of_one_group(score: Any, positive: Any) -> tm.Evaluation:
    """A slice whose rows are all of one group; a whole evaluation of one group is refused."""
    here = len(score)
    score, positive = (np.append(side, [0, 1]) for side in (score, positive))
    group, part = np.append(np.zeros(here, int), [1, 2]), ["here"] * here + ["rest"] * 2
    return scored(score, positive, groups=group, slices={"part": part}).slices[0].evaluation


def columns(rows: Sequence[tuple[Any, ...]]) -> tuple[np.ndarray, ...]:
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def refusals(calls: Mapping[str, Callable[[], Any]]) -> dict[str, str]:
    """The class and the message of the error of each call."""
    found = {}
    for name, call in calls.items():
        try:
            found[name] = f"not refused: {call()!r}"
        except tm.TallymarkError as error:
            found[name] = f"{type(error).__name__}: {error}"
    return found


def classes(refused: Mapping[str, str]) -> dict[str, str]:
    return {name: text.partition(":")[0] for name, text in refused.items()}


def shown(result: Any) -> str:
    """What a notebook without pages shows of a result."""
    return result._repr_mimebundle_()["text/plain"]


def picture(axes: Any) -> str:
    """Labels, the legend, and some points of every line on matplotlib axes."""
    said = [f"x: {axes.get_xlabel()}", f"y: {axes.get_ylabel()}"]
    said += [
        "in x from {:.4g} to {:.4g}, in y from {:.4g} to {:.4g}".format(*axes.get_xlim(), *axes.get_ylim())
    ]
    said += [f"height by width: {axes.get_box_aspect()}, {axes.get_aspect()}"]
    legend = axes.get_legend()
    said += [f"legend: {text.get_text()}" for text in (legend.get_texts() if legend else ())]
    for line in axes.get_lines():
        x, y = (np.asarray(side, float) for side in line.get_data())
        places = np.unique(np.linspace(0, len(x) - 1, min(len(x), 7)).round().astype(int))
        points = " ".join(f"({x[at]:.3g}, {y[at]:.3g})" for at in places)
        look = f"{line.get_drawstyle()} {line.get_linestyle()} {line.get_linewidth():g}"
        look += f" {line.get_color()}" if isinstance(line.get_color(), str) else ""
        said.append(f"line of {len(x)} points, {look}: {points}")
    said += [f"{len(axes.collections)} sets of points or cells, {len(axes.patches)} areas or bars"]
    said += [f"text: {text.get_text()}" for text in (*axes.texts, *axes.figure.texts) if text.get_text()]
    return "\n".join(said)
