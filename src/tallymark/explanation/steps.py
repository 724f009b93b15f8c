"""Steps of an explanation, each in plain text and in LaTeX, and the whole of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tallymark.metrics import formulas

SCHEMA = "tallymark/explanation/1"

_DECIMALS = 4
_MOST_DECIMALS = 12
_MOST_CLASSES = 12


@dataclass(frozen=True)
class Step:
    """One line; a text that starts with `=` goes on from the line before."""

    text: str
    latex: str


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
        """All of it as plain text."""
        parts = [f"{self.name}: {self.meaning}", _stacked(self.steps), _stacked(self.interval)]
        facts = "\n".join(f"- {fact}" for fact in self.facts)
        return "\n\n".join(part for part in (*parts, facts) if part)

    __str__ = to_text

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


def _stacked(steps: Iterable[Step]) -> str:
    """One line per step, continuations with their `=` under the one before."""
    lines, column = [], 0
    for step in steps:
        goes_on = step.text.startswith("=")
        lines.append(f"  {' ' * column if goes_on else ''}{step.text}")
        column = column if goes_on else max(0, step.text.find("= "))
    return "\n".join(lines)


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

_ESCAPES = str.maketrans(
    {character: rf"\{character}" for character in "_&%$#{}"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
    }
)


def words(text: str) -> str:
    """Words for LaTeX math. Labels come as their `repr`, which has no control characters left."""
    return rf"\text{{{text.translate(_ESCAPES)}}}"


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


def both_ends(low: float, high: float) -> tuple[str, str]:
    """Two numbers with as many decimals as tell them apart."""
    decimals = _DECIMALS
    while shown(low, decimals) == shown(high, decimals) and decimals < _MOST_DECIMALS and low != high:
        decimals += 1
    return shown(low, decimals), shown(high, decimals)


def listing(items: Sequence[str]) -> str:
    """Comma-separated; of many, the first few and the last."""
    if len(items) <= _MOST_CLASSES:
        return ", ".join(items)
    return ", ".join([*items[: _MOST_CLASSES - 2], "...", items[-1]])


def first_classes(size: int) -> range:
    """The classes that get a line of their own."""
    return range(min(size, _MOST_CLASSES))


def equation(left: str, formula: str) -> Step:
    """`left = formula`, in letters."""
    return Step(f"{left} = {formulas.text(formula)}", f"{formulas.latex(left)} = {formulas.latex(formula)}")


def worked_out(left: str, formula: str, numbers: Mapping[str, Any], value: float | None) -> Steps:
    """`left = formula`, then with numbers, then as one fraction, then the value."""
    steps = [equation(left, formula)]
    steps.append(Step(f"= {formulas.worked(formula, numbers)}", f"= {formulas.latex(formula, numbers)}"))
    steps += [_goes_on(shorter) for shorter in (formulas.reduced(formula, numbers),) if shorter]
    if value is not None:
        steps.append(_goes_on(shown(value)))
    return list(dict.fromkeys(steps))


def _goes_on(expression: str) -> Step:
    return Step(f"= {expression}", f"= {formulas.latex(expression)}")


def in_one_line(left: str, formula: str, numbers: Mapping[str, Any], value: float) -> Step:
    """`left = formula = numbers = value`."""
    first = equation(left, formula)
    worked = formulas.worked(formula, numbers), formulas.latex(formula, numbers)
    return Step(
        f"{first.text} = {worked[0]} = {shown(value)}",
        f"{first.latex} = {worked[1]} = {formulas.latex(shown(value))}",
    )


def assignments(numbers: Mapping[str, float]) -> Step:
    """`tp = 282, fn = 75`."""
    texts = [f"{name} = {shown(number)}" for name, number in numbers.items()]
    typeset = [
        f"{formulas.latex(name)} = {formulas.latex(shown(number))}" for name, number in numbers.items()
    ]
    return Step(", ".join(texts), r",\quad ".join(typeset))


def remark(step: Step, text: str) -> Step:
    """The step with a few words after it."""
    return Step(f"{step.text} {text}", step.latex + words(f" {text}"))
