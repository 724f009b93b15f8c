"""docs/reference/metrics.md, from the registry of metrics."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tallymark.explanation import Explanation, explain
from tallymark.explanation.facts import AVERAGE_FORMULAS, KINDS_OF_AVERAGE
from tallymark.metrics import AVERAGES, METRICS, SCORE_METRICS, SET_METRICS, Metric, ask, formulas
from tallymark.metrics.registry import About

COUNTED = ("tp", "fn", "fp", "tn", "n")
"""Letters that the page explains once, at its top."""

OPENING = """# Metrics

<!-- Made by `python tools/make_reference.py`: change the registry, not this file. -->

Every number that tallymark works out: what it says, its formula, when it does not exist, and how its interval
is made. First the [index](#index), then how they are [asked for](#asking-for-them), the [letters](#letters)
of the formulas, and a section for each.

## Index
"""

ASKING = """## Asking for them

The same facts are printed by `tallymark metrics` and, one metric at a time and with your own counts in the
formula, by `tallymark explain`:

```sh
tallymark explain recall --tp 282 --fn 75 --fp 462 --tn 4841
```

```text
...
  recall = tp / (tp + fn)
         = 282 / (282 + 75)
         = 282 / 357
         = 0.7899
...
```

In Python a metric is asked for by its name, by one of its other names, or called as a function:

```python
import tallymark as tm

ev = tm.evaluate([1, 1, 1, 0, 0], [1, 1, 0, 0, 1])
ev["recall"].value               # 0.666...
ev["sensitivity"].value          # 0.666...
ev["f_beta:2"].value             # 0.666...
ev["precision_macro"].value      # 0.583...
tm.recall([1, 1, 1, 0, 0], [1, 1, 0, 0, 1])      # 0.666...
```

## Letters

One class is the positive one, and every row is one of four kinds. All formulas of one class are written in
these counts; where rows have weights, each counts what it weighs.

| letter | rows that are | and were called |
|---|---|---|
| tp | positive | positive |
| fn | positive | negative |
| fp | negative | positive |
| tn | negative | negative |
| n | all rows | |

With K classes a letter that ends in `_k` is of class k, and a sum or a maximum runs over all of them. Other
letters are explained where they turn up.

An undefined number has no value and says why: it is not 0. "Biased towards" names the cells of the cost
matrix C(predicted | actual) that a metric rewards or punishes, as the textbook lists them. How often the
intervals hold what they promise is measured by `make bench`.
"""


@dataclass(frozen=True)
class Group:
    """Metrics that are about the same."""

    title: str
    words: str
    home: Mapping[str, Metric]
    about: tuple[About, ...]

    @property
    def metrics(self) -> list[Metric]:
        return [metric for metric in self.home.values() if metric.about in self.about]


GROUPS = (
    Group(
        "About all rows",
        "No positive class is needed, and with K classes these are about all of them at once.",
        METRICS,
        ("all",),
    ),
    Group(
        "About one class",
        "One class is the positive one and all others are negative.",
        METRICS,
        ("class",),
    ),
    Group(
        "About a ranking",
        "From scores, higher for what is more likely positive. Only the order of the scores matters.",
        SCORE_METRICS,
        ("scores",),
    ),
    Group(
        "About probabilities",
        "From scores between 0 and 1 that are meant as probabilities, or from one probability per class.",
        SCORE_METRICS,
        ("losses", "calibration"),
    ),
    Group(
        "About the probabilities of all classes",
        "From one probability per class, with more than two classes.",
        SCORE_METRICS,
        ("classes",),
    ),
    Group(
        "About rows with several labels",
        "Each row has a set of labels and was given a set. These are means over the rows; means over the "
        "labels are the [averages](#averages-over-the-classes), such as `f1_macro`.",
        SET_METRICS,
        ("sets",),
    ),
)


def metrics_page() -> str:
    """The whole page."""
    index = [*map(_index, GROUPS), _index_of_averages()]
    return "\n".join([OPENING, *index, ASKING, *map(_group, GROUPS), _averages()])


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def _index(group: Group) -> str:
    rows = [
        f"| [{m.name}](#{m.name}) | {_cell(m.meaning)} | {_better(m)} | {_range(m)} |" for m in group.metrics
    ]
    title = f"| [{group.title}](#{_anchor(group.title)}) | | better | range |"
    return "\n".join([title, "|---|---|---|---|", *rows, ""])


def _index_of_averages() -> str:
    return "And their [averages over the classes](#averages-over-the-classes): `precision_macro` and so on.\n"


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def _better(metric: Metric) -> str:
    return "" if metric.better == "neither" else metric.better


def _range(metric: Metric) -> str:
    low, high = metric.range
    if math.isinf(low):
        return "any number"
    return f"from {low:g} up" if math.isinf(high) else f"{low:g} to {high:g}"


def _group(group: Group) -> str:
    return "\n".join([f"## {group.title}\n", f"{group.words}\n", *map(_section, group.metrics)])


def _section(metric: Metric) -> str:
    explanation = explain(ask(metric.name, general=True))
    lines = [
        f"### {metric.name}\n",
        f"{_prose(metric.meaning)}\n",
        *_typeset(explanation),
        *_plain(explanation),
    ]
    return "\n".join([*lines, *(f"- {fact}" for fact in _facts(metric, explanation)), ""])


def _prose(text: str) -> str:
    # Outside of code a bar is harmless, but an asterisk or an underscore is not.
    return text.replace("*", r"\*").replace("_", r"\_")


def _typeset(explanation: Explanation) -> list[str]:
    """The formulas as a picture, where the page is shown by something that knows LaTeX."""
    return [f"$$\n{step.latex}\n$$\n" for step in explanation.steps if step.sides]


def _plain(explanation: Explanation) -> list[str]:
    """The same as text, with what the letters mean."""
    steps = explanation.to_text().split("\n\n")[1]
    known = tuple(f"{letter}: " for letter in COUNTED)
    lines = [line for line in textwrap.dedent(steps).splitlines() if not line.startswith(known)]
    return ["```text", *lines, "```\n"]


def _facts(metric: Metric, explanation: Explanation) -> Iterable[str]:
    direction = {"higher": "higher is better", "lower": "lower is better", "neither": "neither end is better"}
    yield f"Range: {_range(metric)}; {direction[metric.better]}."
    if metric.parameters:
        yield _parameters(metric)
    yield from _undefined(metric, explanation)
    if metric.prevalence_free:
        yield "Stays the same when only the class shares change."
    if metric.towards:
        cells = ", ".join(f"`{cell}`" for cell in metric.towards)
        yield f"Biased towards {cells}."
    yield f"{_sentence(next(fact for fact in explanation.facts if 'interval:' in fact))}"
    if metric.name in METRICS and not metric.needs_costs:
        tail = "" if not metric.parameters else f":{','.join(metric.parameters).upper()}"
        yield f"Averages: {', '.join(f'`{metric.name}_{average}{tail}`' for average in AVERAGES)}."
    if metric.aliases:
        yield f"Also called {', '.join(f'`{alias}`' for alias in metric.aliases)}."
    yield f"Reference: {metric.reference}."


def _parameters(metric: Metric) -> str:
    form = f"`{metric.name}:{','.join(metric.parameters).upper()}`"
    if not metric.defaults:
        return f"Asked for as {form}."
    usual = ", ".join(
        f"{name} = {value:g}" for name, value in zip(metric.parameters, metric.defaults, strict=True)
    )
    return f"Asked for as `{metric.name}` ({usual}) or {form}."


def _undefined(metric: Metric, explanation: Explanation) -> Iterable[str]:
    if metric.name == "balanced_accuracy":
        yield _sentence(next(fact for fact in explanation.facts if fact.startswith("classes without rows")))
        return
    if not metric.undefined:
        yield "Undefined when no costs are given."
    else:
        yield f"Undefined when {_cases(metric.undefined)}."
    if metric.classes_undefined != metric.undefined:
        yield f"With K classes undefined when {_cases(metric.classes_undefined)}."


def _cases(undefined: Mapping[str, str]) -> str:
    return "; or ".join(f"`{formulas.text(zero)}` is 0: {meaning}" for zero, meaning in undefined.items())


def _sentence(fact: str) -> str:
    return f"{fact[0].upper()}{fact[1:]}."


# --- averages --------------------------------------------------------------------------------

ABOUT_AVERAGES = """A metric of counts is taken of every class against the rest, and averaged in one of three
ways. For `NAME` stands any metric [about all rows](#about-all-rows) but the costs, or
[about one class](#about-one-class); parameters come last: `f_beta_macro:2`.
"""

UNDEFINED_CLASSES = """A class for which the number is undefined is left out of `macro` and `weighted`, and
the number says of how many classes it is the mean and which are missing; `undefined=0` (`--undefined 0`)
counts them as 0. When every row has one label, the `micro` averages of precision, recall and F1 are all equal
to the accuracy.
"""


def _averages() -> str:
    lines = ["## Averages over the classes\n", ABOUT_AVERAGES]
    for average in AVERAGES:
        lines.append(f"### NAME_{average}\n")
        lines.append(f"{_sentence(KINDS_OF_AVERAGE[average].removesuffix('.'))}\n")
        if average in AVERAGE_FORMULAS:
            formula = AVERAGE_FORMULAS[average].format(name="name")
            latex = formulas.latex(formula)
            lines.append(f"$$\n\\mathrm{{name}}_{{\\mathrm{{{average}}}}} = {latex}\n$$\n")
            lines.append(f"```text\nNAME_{average} = {formulas.text(formula).replace('name', 'NAME')}\n```\n")
        else:
            lines.append(
                "```text\ntp = sum(tp_k), and so on for fn, fp and tn; then the formula of NAME\n```\n"
            )
    lines += [UNDEFINED_CLASSES, "How their intervals are made:\n", *_intervals_of_averages(), ""]
    return "\n".join(lines)


def _intervals_of_averages() -> Iterable[str]:
    """Metrics whose averages have the same intervals stand in one line; most of them are the last."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for metric in METRICS.values():
        if not metric.needs_costs:
            made = tuple(_interval_of(f"{metric.name}_{average}") for average in AVERAGES)
            alike.setdefault(made, []).append(metric.name)
    most = max(alike, key=lambda made: len(alike[made]))
    yield "| metric | macro | micro | weighted |"
    yield "|---|---|---|---|"
    for made, names in alike.items():
        if made != most:
            yield f"| {', '.join(names)} | {' | '.join(made)} |"
    yield f"| all others | {' | '.join(most)} |"


def _interval_of(name: str) -> str:
    fact = next(fact for fact in explain(ask(name, general=True)).facts if "interval:" in fact)
    return fact.removeprefix("interval: ")
