"""Links of documents lead somewhere, pictures are described, and the index knows every document."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INDEX = ROOT / "docs" / "README.md"
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
NAMES = [document.relative_to(ROOT).as_posix() for document in DOCUMENTS]
LINK = re.compile(r"(?<!!)\[(?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*\]\(([^)\s]+)\)")
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
MACHINE = re.compile(r"/(?:work|root|home|Users)/\w|/tmp/\w+/bin|[A-Z]:\\")


def _text(document: Path) -> str:
    """A document without its code, in which brackets are no links."""
    text = re.sub(
        r"^ *```.*?^ *```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    return re.sub(r"`[^`\n]+`", "`code`", text)


def _anchors(document: Path) -> set[str]:
    """The names that GitHub gives to headings, and those that the text gives itself."""
    text = re.sub(
        r"^ *```.*?^ *```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    found: set[str] = set(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    for heading in re.findall(r"^#{1,6} +(.+?)(?: +#+)?$", text, flags=re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", words.lower().strip()).replace(" ", "-")
        found.add(next(name for n in range(99) if (name := f"{slug}-{n}" if n else slug) not in found))
    return found


def _targets(document: Path) -> list[tuple[Path, str]]:
    """The files, and the anchors in them, that a document leads to."""
    links = [link for link in LINK.findall(_text(document)) if not re.match(r"[a-z]+:", link)]
    split = [link.partition("#") for link in links]
    return [((document.parent / file).resolve() if file else document, anchor) for file, _, anchor in split]


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_links_lead_somewhere(document: Path) -> None:
    for file, anchor in _targets(document):
        assert file.exists(), file
        assert not anchor or anchor in _anchors(file), f"{file.name}#{anchor}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_pictures_are_there_and_described(document: Path) -> None:
    text = _text(document)
    for description, file in PICTURE.findall(text):
        assert len(description.split()) >= 3, file
        assert (document.parent / file).exists(), file
    for tag in re.findall(r"<img [^>]*>", text):
        assert re.search(r'alt="[^"]+"', tag), tag


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_nothing_works_on_one_machine_only(document: Path) -> None:
    assert not MACHINE.search(document.read_text(encoding="utf-8"))


@pytest.mark.parametrize("document", sorted((ROOT / "docs").rglob("*.md")), ids=str)
def test_the_index_knows_every_document(document: Path) -> None:
    """A folder of documents may have an index of its own."""
    listed = {
        file
        for index in (INDEX, document.parent / "README.md")
        if index.exists()
        for file, _ in _targets(index)
    }
    assert document == INDEX or document in listed


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("[a](b.md)", ["b.md"]),
        ("[a](b.md#c) and [d](#e)", ["b.md#c", "#e"]),
        ("![a](b.png)", []),
        ("[![a](b.png)](c.md)", ["c.md"]),
        ("[`a`](b.md)", ["b.md"]),
    ],
)
def test_links_are_found(text: str, links: list[str]) -> None:
    assert LINK.findall(text) == links
