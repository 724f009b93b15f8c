"""How every number and every interval comes about, worked out with the models' own counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from tallymark.drawing import Block, Folded, Lines, Paragraph
from tallymark.evaluation.description import known_numbers

if TYPE_CHECKING:
    from tallymark.evaluation.report.models import Models
    from tallymark.evaluation.result import Evaluation
    from tallymark.explanation import Explanation, Step

_LONGEST = 400


def methods(models: Models) -> Iterator[Block]:
    """The formula of every number with its counts, and one worked interval of every kind."""
    explained = {name: _explained(ev) for name, ev in models.items()}
    yield Folded("Every number worked out", tuple(_values(explained)))
    intervals = tuple(_intervals(models, explained))
    if intervals:
        yield Folded("How the intervals are made", intervals)


def _explained(ev: Evaluation) -> dict[str, Explanation]:
    made: dict[str, Explanation] = {}
    for name, estimate in known_numbers(ev, ()).items():
        if estimate.value is not None and name not in ev.own:
            made[name] = ev.explain(name)
    return made


def _values(explained: dict[str, dict[str, Explanation]]) -> Iterator[Block]:
    """What a number means once, and how it comes about for every model."""
    said: set[tuple[str, str]] = set()
    for name in dict.fromkeys(name for each in explained.values() for name in each):
        known = {model: each[name] for model, each in explained.items() if name in each}
        lines: list[str] = []
        formulas: list[tuple[str, ...]] = []
        for model, explanation in known.items():
            chains = [chain for chain in _chains(explanation.steps) if not _in_a_table(chain)]
            # What has a place of its own is worked out there, and what is part of several once.
            own = [chain for chain in chains if chain[0] == name or not _has_place(chain, explained[model])]
            found = [(chain[0], line) for chain in own if (line := _worked_out(chain, formulas))]
            new = [line for first, line in found if first == name or (model, line) not in said]
            said.update((model, line) for line in new)
            lines += _of_model(model, new)
            formulas = formulas or chains
        yield Paragraph(f"{name}: {next(iter(known.values())).meaning}")
        yield Lines(tuple(lines))


def _has_place(chain: tuple[str, ...], explained: dict[str, Explanation]) -> bool:
    """Whether this very equation is one of the numbers to work out; elsewhere `fpr` may be another one."""
    other = explained.get(chain[0])
    return other is not None and chain in _chains(other.steps)


def _worked_out(chain: tuple[str, ...], formulas: list[tuple[str, ...]]) -> str:
    """One line; of a further model only how it ends, and nothing where it says what the first one's says."""
    if chain in formulas:
        return ""
    if len(chain) > 2 and any(chain[:2] == formula[:2] for formula in formulas):
        chain = (chain[0], *chain[2:][-2:])
    return _written(chain)


def _of_model(model: str, lines: list[str]) -> list[str]:
    """With its name before the first of them."""
    if not model or not lines:
        return lines
    first, *others = lines
    return [f"{model}: {first}", *(f"  {line}" for line in others)]


def _chains(steps: Iterable[Step]) -> list[tuple[str, ...]]:
    """Every equation with all its sides, and what is said between them as it is."""
    chains: list[tuple[str, ...]] = []
    for step in steps:
        if step.sides and not step.sides[0] and chains:
            chains[-1] += step.sides[1:]
        else:
            chains.append(step.sides or (step.text,))
    return chains


def _in_a_table(chain: tuple[str, ...]) -> bool:
    """Whether it is a line for one of many bins, which the table of the curve has."""
    return chain[0].startswith("bin ")


def _written(chain: tuple[str, ...]) -> str:
    line = " = ".join(chain).strip()
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _intervals(models: Models, explained: dict[str, dict[str, Explanation]]) -> Iterator[Block]:
    """The first number of every method, with what it takes for granted."""
    done: set[str] = set()
    shown: set[tuple[str, ...]] = set()
    for model, each in explained.items():
        for name, explanation in each.items():
            estimate = models[model][name]
            if estimate.low is None or estimate.method is None or estimate.method in done:
                continue
            done.add(estimate.method)
            of = f" of {model}" if model else ""
            yield Paragraph(f"{estimate.method}, as for {name}{of}; it assumes {estimate.assumption}.")
            # What has the same formula as an interval above is worked out there.
            chains = _chains(explanation.interval)
            new = [chain for chain in chains if chain[:2] not in shown]
            shown.update(chain[:2] for chain in new if len(chain) > 2)
            above = ("all else as worked out above",) if len(new) < len(chains) else ()
            yield Lines((*map(_written, new), *above))
