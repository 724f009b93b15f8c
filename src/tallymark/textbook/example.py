"""What an example is: a problem, what a document prints about it, and what tallymark finds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from tallymark.drawing import Block, number

from .cases import CASES, MISPRINTS

Origin = Literal["printed", "formula", "misprint"]
"""Where the figure to compare with is from: the document, its formula worked out here step by step, or what
stands there by mistake; then it is right not to agree."""

CHAPTERS = {
    1: "Metrics: how good is a model?",
    2: "Estimation: how is a figure to be had that can be relied on?",
    3: "Comparison: which model is better, and is it really?",
    4: "Misprints: what cannot be right, and what is",
}
OPENINGS = {
    1: "A model answers, the answers are counted, and figures are made of the counts.",
    2: "A figure means something only on rows that took no part in making the model.",
    3: "Curves show what a model does at every threshold; intervals and tests, what is more than chance.",
    4: "What the documents print by mistake is compared with what is right: here the two must differ.",
}
MISPRINTED = 4
_SHIPPED = ("predictions.csv", "tumours.csv")


@dataclass(frozen=True)
class Check:
    """One figure of a document beside what tallymark finds."""

    what: str
    expected: str
    found: str
    agrees: bool
    origin: Origin = "printed"

    @property
    def passed(self) -> bool:
        """Whether it is as it should be: what is printed by mistake must not agree."""
        return self.agrees is not (self.origin == "misprint")


@dataclass(frozen=True, eq=False)
class Worked:
    """An example worked out: what is asked, what is given, what was found, and how to get it oneself."""

    problem: str
    checks: tuple[Check, ...]
    given: tuple[Block, ...] = ()
    worked: tuple[Block, ...] = ()
    remark: str = ""
    command: tuple[str, ...] = ()
    python: tuple[str, ...] = ()

    @property
    def shell(self) -> tuple[str, ...]:
        """The command lines; where they are about the shipped files, the first puts these in place."""
        shipped = any(file in line for line in self.command for file in _SHIPPED)
        return ("tallymark demo --data .", *self.command) if shipped else self.command

    @property
    def agrees(self) -> bool:
        """Whether every figure is as the document has it, misprints apart."""
        return all(check.passed for check in self.checks)


@dataclass(frozen=True)
class Example:
    """A worked example under its name; `work` does it."""

    name: str
    chapter: int
    title: str
    sources: tuple[str, ...]
    cases: tuple[str, ...]
    work: Callable[[], Worked]


Work = Callable[[], Worked]


def example(
    name: str, chapter: int, title: str, *cases: str, also: Sequence[str] = ()
) -> Callable[[Work], Example]:
    """A function that works an example, as that example; `also` are documents besides those of its cases."""

    def entered(work: Work) -> Example:
        known = MISPRINTS if chapter == MISPRINTED else CASES
        sources = dict.fromkeys([*(known[case]["source"] for case in cases), *also])
        return Example(name, chapter, title, tuple(sources), cases, work)

    return entered


# --- comparing ---------------------------------------------------------------------------------


def printed(
    what: str, figure: float, found: float | None, decimals: int | None = None, *, percent: bool = False
) -> Check:
    """A figure of the document, and ours rounded as it is there; in full where it did not round."""
    ours = sure(found)
    if decimals is None:
        return Check(what, _plain(figure), _plain(ours), math.isclose(ours, figure, rel_tol=1e-12))
    rounded = round(ours, decimals)
    if percent:
        places = decimals - 2
        shown = [f"{100 * each:.{places}f} %" for each in (figure, rounded)]
    else:
        shown = [f"{each:.{decimals}f}" for each in (figure, rounded)]
    return Check(what, shown[0], shown[1], rounded == figure)


def by_formula(what: str, by_hand: float | Fraction, found: float | None) -> Check:
    """The document's formula worked out here, and what tallymark finds."""
    hand, ours = float(by_hand), sure(found)
    agrees = math.isclose(ours, hand, rel_tol=1e-9, abs_tol=1e-12)
    return Check(what, _plain(hand), _plain(ours), agrees, "formula")


def by_mistake(what: str, wrong: float | Fraction, found: float | None) -> Check:
    """What a misprint gives, and what is right."""
    theirs, ours = float(wrong), sure(found)
    return Check(what, _plain(theirs), _plain(ours), math.isclose(ours, theirs, rel_tol=1e-9), "misprint")


def row_of_figures(what: str, figures: Sequence[float], found: Iterable[float], decimals: int = 3) -> Check:
    """A row of a table of the document, and the same of ours."""
    ours = [round(float(each), decimals) for each in found]
    agrees = len(ours) == len(figures) and all(a == b for a, b in zip(ours, figures, strict=True))
    return Check(what, _in_a_row(figures), _in_a_row(ours), agrees)


def words(
    what: str, said: str, found: str, *, agrees: bool | None = None, origin: Origin = "printed"
) -> Check:
    """What the document says in words, and what is found to be so."""
    return Check(what, said, found, said == found if agrees is None else agrees, origin)


def answer(yes: object) -> str:
    """yes or no."""
    return "yes" if yes else "no"


def sure(found: float | None) -> float:
    """A number that is there."""
    assert found is not None
    return float(found)


def _plain(figure: float) -> str:
    """Whole numbers without decimals, others with four."""
    return number(round(figure)) if float(figure).is_integer() else number(float(figure), 4)


def _in_a_row(figures: Sequence[float]) -> str:
    return " ".join(f"{figure:g}" for figure in figures)
