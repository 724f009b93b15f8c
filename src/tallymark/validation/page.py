"""A result of validation as a page: what came out first, then the pictures and the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from tallymark.drawing import Beside, Block, Document, Findings, Paragraph, Picture, Section
from tallymark.drawing import Finding as DrawnFinding

if TYPE_CHECKING:
    from tallymark.comparison import Comparison
    from tallymark.evaluation import Evaluation
    from tallymark.validation.described import Described

MATRICES = "Confusion matrix of all test rows"
"""A section that pages with evaluations do not need."""
_TOLD = ("Findings", "Verdict")


class Shown(NamedTuple):
    """What a picture is called, what it shows, and how the title begins of the section that it stands in."""

    title: str
    said: str
    section: str
    where: Literal["above", "beside", "below"] = "below"
    """From the first table of the section."""


@dataclass(frozen=True)
class PageWords:
    """What is said on the page of a result and in no table."""

    title: str
    lead: str
    """What came out, in a few sentences."""
    shown: Mapping[str, Callable[[], Shown]]
    """By the kind of the picture."""
    evaluations: Mapping[str, Evaluation] = field(default_factory=dict)
    """Of all test rows together, model by model; one model alone has no name."""
    pooled: str = ""
    """What must be said of these."""


def describe(result: Described, comparison: Comparison | None = None, title: str = "") -> Document:
    """The whole page, with a comparison of the models where one was made."""
    words, (opening, *others) = result.page_words(), _sections(result)
    done, told = _parted(opening)
    sections = _with_pictures(result, words, others)
    first = (*_opening(result, words, comparison), *told)
    if comparison is not None:
        from tallymark.comparison.outputs.report import section_of

        sections.insert(1, section_of(comparison))
    how = (Section("How it was done", done),) if done else ()
    return Document(title or words.title, (Section("", first), *sections, *how, *_pooled(words)))


def glance(result: Described) -> Document:
    """What is seen first: what came out, the table of it, and the most telling picture."""
    words = result.page_words()
    first = next(iter(result.figures()))
    blocks = (*_opening(result, words), *_table(result, words.shown[first]().section))
    return Document(words.title, (Section("", (*blocks, _picture(result, words, first))),))


def _opening(result: Described, words: PageWords, comparison: Comparison | None = None) -> Iterator[Block]:
    """What came out, and what to mind."""
    yield Paragraph(words.lead, lead=True)
    if comparison is not None:
        from tallymark.comparison.outputs.report import lead

        yield Paragraph(lead(comparison), lead=True)
    elif result.untold:
        yield Paragraph(result.untold)
    found = [*result.findings, *(() if comparison is None else comparison.findings)]
    if found:
        yield Findings(tuple(DrawnFinding(each.code, each.message) for each in found))


def _sections(result: Described) -> list[Section]:
    """Those of the report, without what the first screen tells."""
    return [each for each in result.document().sections if each.title not in _TOLD]


def _parted(opening: Section) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    """How models were made, which is read last; and what must be known from the start."""
    first, *others = opening.blocks
    notes = [each for each in others if isinstance(each, Paragraph) and each.text.startswith("Note: ")]
    return tuple(each for each in others if each not in notes), (first, *notes)


def _table(result: Described, section: str) -> tuple[Block, ...]:
    """The first block of that section."""
    return next((each.blocks[:1] for each in _sections(result) if each.title.startswith(section)), ())


def _with_pictures(result: Described, words: PageWords, sections: Sequence[Section]) -> list[Section]:
    """The pictures in their sections; where there is none, in the first."""
    titles = [section.title for section in sections]
    found = list(sections)
    for kind in reversed(list(result.figures())):
        shown = words.shown[kind]()
        place = next((at for at, title in enumerate(titles) if title.startswith(shown.section)), 0)
        picture = _picture(result, words, kind)
        found[place] = Section(titles[place], _placed(picture, shown.where, found[place].blocks))
    return [each for each in found if not (words.evaluations and each.title == MATRICES)]


def _placed(picture: Picture, where: str, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    first, *others = blocks
    if where == "above":
        return (picture, *blocks)
    if where == "beside":
        return (Beside(((first,), (picture,))), *others)
    return (first, picture, *others)


def _picture(result: Described, words: PageWords, kind: str) -> Picture:
    shown = words.shown[kind]()
    return Picture(shown.title, result.figures()[kind](), shown.said)


def _pooled(words: PageWords) -> Iterator[Section]:
    """The evaluations of all test rows together."""
    if not words.evaluations:
        return
    from tallymark.evaluation.report import describe as describe_models

    page = describe_models(words.evaluations)
    first, *others = page.sections
    # The page has its own lead.
    blocks = (replace(each, lead=False) if isinstance(each, Paragraph) else each for each in first.blocks)
    yield Section("All test rows together", (Paragraph(words.pooled), *blocks))
    yield from others
