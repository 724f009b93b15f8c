"""Links of documents lead somewhere, pictures are described, and the index knows every document."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
INDEX = ROOT / "docs" / "README.md"
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
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


def test_links_lead_somewhere() -> None:
    anchors = {document: _anchors(document) for document in DOCUMENTS}
    wrong = [
        (document.name, file.name, anchor)
        for document in DOCUMENTS
        for file, anchor in _targets(document)
        if not file.exists() or (anchor and anchor not in anchors.get(file, _anchors(file)))
    ]
    assert not wrong


def test_pictures_are_there_and_described() -> None:
    wrong = []
    for document in DOCUMENTS:
        text = _text(document)
        wrong += [
            (document.name, file)
            for description, file in PICTURE.findall(text)
            if len(description.split()) < 3 or not (document.parent / file).exists()
        ]
        wrong += [
            (document.name, tag)
            for tag in re.findall(r"<img [^>]*>", text)
            if not re.search(r'alt="[^"]+"', tag)
        ]
    assert not wrong


def test_nothing_works_on_one_machine_only() -> None:
    found = {
        document.name: match[0]
        for document in DOCUMENTS
        if (match := MACHINE.search(document.read_text(encoding="utf-8")))
    }
    assert not found


def test_the_index_knows_every_document() -> None:
    """A folder of documents may have an index of its own."""
    listed = {
        index: {file for file, _ in _targets(index)} for index in DOCUMENTS if index.name == "README.md"
    }
    unknown = [
        document
        for document in sorted((ROOT / "docs").rglob("*.md"))
        if document != INDEX
        and document not in listed[INDEX] | listed.get(document.parent / "README.md", set())
    ]
    assert not unknown


def test_links_are_found() -> None:
    examples = {
        "[a](b.md)": ["b.md"], "[a](b.md#c) and [d](#e)": ["b.md#c", "#e"], "![a](b.png)": [],
        "[![a](b.png)](c.md)": ["c.md"], "[`a`](b.md)": ["b.md"],
    }  # fmt: skip
    assert {text: LINK.findall(text) for text in examples} == examples
