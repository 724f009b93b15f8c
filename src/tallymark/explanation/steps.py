"""Steps of an explanation, each in plain text and in LaTeX, and the whole of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tallymark.drawing import distinct
from tallymark.drawing.latex import escaped
from tallymark.explanation import layout
from tallymark.metrics import formulas
from tallymark.metrics.formula_nodes import Number
from tallymark.tallies import Label

SCHEMA = "tallymark/explanation/1"

_DECIMALS = 4
_MOST_DECIMALS = 12
_MOST_LISTED = 12
_LONGEST_LABEL = 60


@dataclass(frozen=True)
class Step:
    """One line; a text that starts with `=` goes on from the line before."""

    text: str
    latex: str
    sides: tuple[str, ...] = ()
    """Of an equation, what its equal signs stand between; the first is empty where the text goes on."""


Steps = list[Step]


@dataclass(frozen=True)
class Explanation:
    """A metric in words, its facts, and its value and interval worked out."""

    name: str
    meaning: str
    facts: tuple[str, ...]
    steps: tuple[Step, ...]
    interval: tuple[Step, ...]
    value: float | None
    why: str | None
    """Why there is no value, when counts were given and there is none."""

    def to_text(self) -> str:
        """All of it as plain text, no line wider than 100 cells."""
        facts = [line for fact in self.facts for line in layout.filled(fact, "- ")]
        title = layout.filled(f"{self.name}: {self.meaning}")
        parts = (title, _stacked(self.steps), _stacked(self.interval), facts)
        return "\n\n".join("\n".join(part) for part in parts if part)

    __str__ = to_text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:  # noqa: ARG002
        from tallymark.drawing import Document, Lines, Paragraph, Section
        from tallymark.drawing.notebook import mimebundle

        worked = [Lines(tuple(_stacked(part))) for part in (self.steps, self.interval) if part]
        facts = Lines(tuple(f"- {fact}" for fact in self.facts))
        described = Document(self.name, (Section("", (Paragraph(self.meaning), *worked, facts)),))
        return mimebundle(described, described) | {"text/plain": self.to_text()}

    def to_latex(self) -> str:
        """The value, then the interval, as displayed equations for a document that loads amsmath."""
        return "\n\n".join(_aligned(part) for part in (self.steps, self.interval) if part)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "meaning": self.meaning,
            "facts": list(self.facts),
            "steps": [{"text": step.text, "latex": step.latex} for step in self.steps],
            "interval": [{"text": step.text, "latex": step.latex} for step in self.interval],
            "value": self.value,
            "why": self.why,
        }


def _stacked(steps: Iterable[Step]) -> list[str]:
    """The steps below each other, continuations with their `=` under the one before."""
    lines: list[str] = []
    column = 0
    for step in steps:
        if not step.sides:
            lines += layout.filled(step.text, "  ", "    ")
            continue
        if step.sides[0]:
            column = layout.column_of(step.sides[0])
        lines += layout.equation(step.sides, column)
    return lines


def _aligned(steps: Iterable[Step]) -> str:
    lines = " \\\\\n".join(_marked(step.latex) for step in steps)
    return f"\\[\n\\begin{{aligned}}\n{lines}\n\\end{{aligned}}\n\\]"


def _marked(latex: str) -> str:
    """The line with its alignment mark: before the first `=` outside braces, or in front."""
    depth = 0
    for position, character in enumerate(latex):
        if position and latex[position - 1] == "\\":
            continue
        depth += (character == "{") - (character == "}")
        if character == "=" and depth == 0:
            return f"{latex[:position]}&{latex[position:]}"
    return f"&{latex}"


# --- making steps ----------------------------------------------------------------------------


def words(text: str) -> str:
    """Words for LaTeX math. Labels come as their `repr`, which has no control characters left."""
    return rf"\text{{{escaped(text)}}}"


def prose(text: str) -> Step:
    """A step in words."""
    return Step(text, words(text))


def shown(value: float, decimals: int = _DECIMALS) -> str:
    """Whole numbers in full, others with four decimals or, when small, four digits.

    Only what is exactly 0, 1 or -1 looks like it: 0.99996 stays 0.99996.
    """
    value = float(value)
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    decimals = max(decimals, 3 - math.floor(math.log10(abs(value))))
    while decimals < _MOST_DECIMALS and abs(round(value, decimals)) in (0, 1):
        decimals += 1
    return repr(round(value, decimals)).removesuffix(".0")


def precise(value: float) -> str:
    """Six digits, and of a share near 1 six of what it lacks: enough to go on with on a calculator."""
    value = float(value)
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    least = min(abs(value), abs(1 - value))
    return repr(round(value, max(4, 5 - math.floor(math.log10(least))))).removesuffix(".0")


def as_printed(value: float) -> Number:
    """The number that `precise` prints, for a formula."""
    return Number(float(precise(value)), precise(value))


def both_ends(low: float, high: float) -> tuple[str, str]:
    """Two numbers with as many decimals as tell them apart."""
    decimals = _DECIMALS
    while shown(low, decimals) == shown(high, decimals) and decimals < _MOST_DECIMALS and low != high:
        decimals += 1
    return shown(low, decimals), shown(high, decimals)


def names_of(labels: Sequence[Label]) -> list[str]:
    """Labels as Python writes them; long ones are cut, but stay different from each other."""
    return distinct([repr(label) for label in labels], _LONGEST_LABEL)


def listing(items: Sequence[str]) -> str:
    """Comma-separated; of many, the first few and the last."""
    if len(items) <= _MOST_LISTED:
        return ", ".join(items)
    return ", ".join([*items[: _MOST_LISTED - 2], "...", items[-1]])


def first_classes(size: int) -> range:
    """The classes that get a line of their own."""
    return range(min(size, _MOST_LISTED))


def chain(*sides: tuple[str, str]) -> Step:
    """`a = b = c` from its sides, each in text and in LaTeX; with an empty one first, `= b = c`."""
    texts, typeset = zip(*sides, strict=True)
    return Step(" = ".join(texts).lstrip(), " = ".join(typeset).lstrip(), texts)


def equation(left: str, formula: str) -> Step:
    """`left = formula`, in letters."""
    return chain((left, formulas.latex(left)), (formulas.text(formula), formulas.latex(formula)))


def goes_on(text: str, latex: str) -> Step:
    """`= text`, below the line before."""
    return chain(("", ""), (text, latex))


def worked_out(left: str, formula: str, numbers: Mapping[str, Any], value: float | None) -> Steps:
    """`left = formula`, then with numbers, then as one fraction, then the value."""
    steps = [equation(left, formula)]
    steps.append(goes_on(formulas.worked(formula, numbers), formulas.latex(formula, numbers)))
    shorter = formulas.reduced(formula, numbers)
    if shorter:
        steps.append(goes_on(shorter, formulas.latex(shorter)))
    if value is not None:
        steps.append(goes_on(shown(value), formulas.latex(shown(value))))
    return list(dict.fromkeys(steps))


def in_one_line(left: str, formula: str, numbers: Mapping[str, Any], value: float) -> Step:
    """`left = formula = numbers = value`."""
    return chain(
        (left, formulas.latex(left)),
        (formulas.text(formula), formulas.latex(formula)),
        (formulas.worked(formula, numbers), formulas.latex(formula, numbers)),
        (shown(value), formulas.latex(shown(value))),
    )


def line_by_line(numbers: dict[str, float], *lines: tuple[str, str]) -> Steps:
    """`left = formula = numbers = value` one after the other, each going on with the values before.

    What is printed is what is worked with, so that a calculator gives every printed digit again.
    """
    steps = []
    for left, formula in lines:
        given = {name: as_printed(number) for name, number in numbers.items()}
        numbers[left] = formulas.value(formula, given) or 0.0
        steps.append(
            chain(
                (left, formulas.latex(left)),
                (formulas.text(formula), formulas.latex(formula)),
                (formulas.worked(formula, given), formulas.latex(formula, given)),
                (precise(numbers[left]), formulas.latex(precise(numbers[left]))),
            )
        )
    return steps


def assignments(numbers: Mapping[str, float], spell: Callable[[float], str] = shown) -> Step:
    """`tp = 282, fn = 75`."""
    texts = [f"{name} = {spell(number)}" for name, number in numbers.items()]
    typeset = [
        f"{formulas.latex(name)} = {formulas.latex(spell(number))}" for name, number in numbers.items()
    ]
    return Step(", ".join(texts), r",\quad ".join(typeset))


def remark(step: Step, text: str) -> Step:
    """The step with a few words after it."""
    sides = (*step.sides[:-1], f"{step.sides[-1]} {text}") if step.sides else ()
    return Step(f"{step.text} {text}", step.latex + words(f" {text}"), sides)
