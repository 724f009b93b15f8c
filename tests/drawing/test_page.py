"""HTML pages and pieces of notebooks: everything is shown in order, nothing acts, nothing is requested."""

import json
import re
import zlib
from base64 import b64decode, b64encode
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np
from documents_to_draw import CURVE, ENDS, of
from matplotlib.colors import to_hex

import tallymark as tm
from collected import each
from parsed_pages import Page
from tallymark import drawing as td

Column, Document, Paragraph, Section, Table = td.Column, td.Document, td.Paragraph, td.Section, td.Table


def page(document: Document) -> str:
    return td.drawn(lambda: document)[".html"]()


def parsed(*blocks: td.Block) -> Page:
    return Page(page(of(*blocks)))


BY_CLASS = Table(
    (Column("class", "left"), Column("recall"), Column("what", "left")),
    (("cat", "0.750", "found"), ("dog", "0.250", "found"), ("mean", "0.500", "of both")),
    title="By class",
    rule_before=(2,),
    shades=((None, 0.75, None), (None, 0.25, None), (None, None, None)),
)
HEADLINE = td.Headline("recall", "0.500", "[0.4, 0.6]", "of cats", (0.4, 0.5, 0.6))
WIDE = td.Figure((td.Panel(td.Axis(), td.Axis(), (td.Line(ENDS, ENDS),), wide=2.0),))
FIRST = (
    Paragraph("Most are found.", lead=True),
    td.Findings((td.Finding("TM001", "one class is rare."),)),
    td.Beside(((td.Headlines((HEADLINE,)),), (BY_CLASS,))),
)
PICTURES = td.Picture("Gains", CURVE, "Half of them first.", (BY_CLASS,)), td.Picture("Wide", WIDE)
METHOD = td.Folded("Method", (td.Lines(("recall = tp / p", "       = 1 / 2")),))
ALL = Document(
    "Cats and dogs", (Section("", FIRST), Section("Curves", PICTURES), Section("Curves", (METHOD,)))
)


def test_everything_is_read_in_order_and_nothing_acts() -> None:
    made = Page(page(ALL))
    expected = (
        "Cats and dogs", "Most are found.", "TM001", "one class is rare.", "recall", "0.500", "[0.4, 0.6]",
        "of cats", "By class", "cat", "0.750", "Gains", "Half of them first.", "By hand.", "Numbers", "0.250",
        "Method", "recall = tp / p\n       = 1 / 2", "Made with tallymark",
    )  # fmt: skip
    text, at = made.text(), 0
    for words in expected:
        at = text.index(words, at)
    made.assert_inert()
    assert "http" not in page(ALL).replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    assert page(ALL) == page(ALL)
    other = Document("Other", ())
    assert td.drawn(lambda: ALL, lambda: other)[".html"]() == page(other)


def test_headings_addresses_and_descriptions() -> None:
    made = Page(page(ALL))
    assert [int(tag[1]) for tag, _ in made.elements if re.fullmatch(r"h\d", tag)] == [1, 2, 3, 3, 2]
    assert [link["href"] for link in made.all("a")] == ["#content", "#curves", "#curves-2"]
    assert [section.get("id") for section in made.all("section")] == [None, "curves", "curves-2"]
    # The sentence stands below the picture, and describes it from there; else its title does.
    images = [element for element in made.all("svg") if element.get("role") == "img"]
    (caption,) = [element["id"] for element in made.all("p") if "id" in element]
    assert [element.get("aria-labelledby") for element in images] == [caption, None]
    assert [element.get("aria-label") for element in images] == [None, "Wide"]
    assert ("p", "Half of them first.") in made.texts
    alone = parsed(td.Picture("Gains", CURVE))
    assert [tag for tag, _ in alone.elements if re.fullmatch(r"h\d", tag)] == ["h1", "h2"]
    untitled = Page(page(Document("", (Section("Runs", (Paragraph("None."),)), Section("More", ())))))
    titles = [(tag, text) for tag, text in untitled.texts if tag in {"h1", "h2"}]
    assert titles == [("h1", "Runs"), ("h2", "More")]


def test_tables() -> None:
    made = Page(page(ALL))
    cells = [tag for tag, _ in made.elements if tag in {"th", "td"}]
    assert cells == (["th"] * 3 + ["th", "td", "td"] * 3) * 2
    assert [cell.get("class") for cell in made.all("td")] == ["h8", "left", "h2", "left", None, "left"] * 2
    assert [row.get("class") for row in made.all("tr")] == [None, None, None, "ruled"] * 2
    # A head has a direction where an empty cell would leave it open.
    empty = parsed(Table((Column("", "left"), Column("recall")), (("cat", "0.750"), ("dog", "0.250"))))
    assert [head.get("scope") for head in empty.all("th")] == ["col", "row", "row"]
    last = Table(
        (Column("", "left"), Column("recall"), Column("class", "left")),
        (("", "0.5", "cat"), ("", "0.7", "dog"), ("mean", "0.6", "")),
    )
    assert [(tag, text.strip()) for tag, text in parsed(last).texts if tag in {"td", "th"}] == [
        ("th", "recall"), ("th", "class"), ("td", "0.5"), ("th", "cat"), ("td", "0.7"), ("th", "dog"),
        ("th", "mean"), ("td", "0.6"),
    ]  # fmt: skip
    rare = parsed(Table((Column("a"),) * 3, (("0", "1", "99"),), shades=((0.0, 0.01, 0.99),)))
    assert [cell.get("class") for cell in rare.all("td")] == ["h1", "h10"]
    for columns, rows, expected in ((2, 3, []), (12, 3, ["Rows", "Rows (2)"]), (2, 61, ["Rows", "Rows (2)"])):
        table = Table((Column("name", "left"),) * columns, (("value",) * columns,) * rows)
        scrolls = Page(page(of(table, table, heading="Rows")))
        regions = [element for _, element in scrolls.elements if element.get("role") == "region"]
        assert [region["aria-label"] for region in regions if region["tabindex"] == "0"] == expected


def test_the_style_is_small_and_has_the_colours_of_matplotlib_pictures() -> None:
    (style,) = re.findall("<style>(.*?)</style>", page(Document("", ())))
    assert len(style) <= 9_000
    light = style.partition("@media")[0].lower()

    def has(name: str, colour: Any) -> bool:
        """#fff stands for #ffffff."""
        short = re.sub(r"#(.)\1(.)\2(.)\3$", r"#\1\2\3", to_hex(colour))
        return re.search(rf"--{name}:{short}[;}}]", light) is not None

    lines = [td.Line(ENDS, ENDS * (1 - n / 10), series=n) for n in range(6)]
    ax = td.draw(td.Figure((td.Panel(td.Axis(), td.Axis(), tuple(lines)),)))
    colours = [line.get_color() for line in ax.lines]
    assert [colour for at, colour in enumerate(colours) if not has(f"s{at}", colour)] == []
    levels = np.arange(11).reshape(1, 11) / 10
    cells = td.Cells(("a",), tuple("abcdefghijk"), levels, (("x",) * 11,))
    mesh = td.draw(td.Figure((td.Panel(td.Axis(), td.Axis(), (cells,), legend="none"),))).collections[0]
    # matplotlib has 256 colours between the ends, so a level may be off by a little.
    for level, colour in enumerate(mesh.to_rgba(levels)[0]):
        (written,) = re.findall(rf"--h{level}:(#[0-9a-f]+)[;}}]", light)
        full = "".join(2 * sign for sign in written[1:]) if len(written) == 4 else written[1:]
        found = np.array([int(full[at : at + 2], 16) for at in (0, 2, 4)])
        assert np.abs(found - 255 * colour[:3]).max() < 6, level


LABELS = (
    "</script><img src=x onerror=alert(1)>", '"><svg onload=alert(1)>', "' onmouseover='alert(1)",
    "</style><script>alert(1)</script>", "<!-- ", "=1+1", "{{ 7 * 7 }}{% raw %}", "javascript:alert(1)",
    "&lt;b&gt;", "]]>",
)  # fmt: skip


def everywhere(label: str) -> Document:
    panel = td.Panel(td.Axis(label), td.Axis(), (td.Line(ENDS, ENDS, label),), title=label)
    table = Table((Column(label, "left"), Column(label)), ((label, label),) * 2, title=label)
    blocks = (
        Paragraph(f"The label {label!r} is rare.", lead=True),
        td.Findings((td.Finding("TM001", f"the label {label!r} is rare."),)),
        td.Headlines((td.Headline(label, label, label, label),)),
        td.Lines((label, f"  {label}")),
        td.Picture(label, td.Figure((panel, panel), label, label), label, (table,)),
        td.Folded(label, (table,)),
    )
    return Document(label, (Section(label, blocks), Section(label, ())))


@each("label", LABELS)
def test_a_label_does_nothing_and_looks_like_itself(label: str) -> None:
    from tallymark.drawing.html import fragment

    for draw, scripts in ((page, 1), (fragment, 0)):
        made = Page(draw(everywhere(label)))
        made.assert_inert()
        assert len(made.all("script")) == scripts
        assert label in made.text()
        assert f"The label {label!r} is rare." in made.text()


def test_labels_unseen_long_from_the_right_or_with_backslashes() -> None:
    text = Page(page(everywhere("a\x00b\u202ec\u200bd\x1b[31m\ue000"))).text()
    assert not set(text) & set("\x00\u202e\u200b\x1b")
    assert r"a\x00b\u202ec\u200bd\x1b[31m" in text
    for letter in ("ש", "x ", "&"):
        short, long = (len(page(everywhere(letter * times))) for times in (1, 20_000))
        assert long - short < 60_000
    rows = tuple((f"{'x' * 500}{number}{'y' * 500}", "1") for number in range(3))
    names = [text for tag, text in parsed(Table((Column("class"), Column("n")), rows)).texts if tag == "span"]
    assert len(set(names)) == 3
    assert max(map(len, names)) <= 120
    backslashes = parsed(Table((Column("a"),), ((r"a\n",), ("a\n",))))
    heads = [text.rstrip("\n") for tag, text in backslashes.texts if tag == "th"]
    assert heads == ["a", r"a\\n", r"a\n"]
    turned = page(of(Paragraph("Of 'שלום, עולם' 12 and 'mixed שלום' 3.")))
    assert "Of &#39;<bdi>שלום, עולם</bdi>&#39; 12 and &#39;mixed <bdi>שלום</bdi>&#39; 3." in turned
    option = page(of(Paragraph("Ask with --per-fold, or -- not.")))
    assert "Ask with <span class=option>--per-fold</span>, or -- not." in option


# --- a part that answers to its reader ---------------------------------------------------------

DATA = {"name": "</script><b>\u2028é", "counts": [3, 1, 2], "share": 0.25, "none": None}
LIVE = td.Live("<div id=live><output></output></div>", "let shown = 1;", "#live { top: 0; }", DATA)
SAID, MORE = (Section(title, (Paragraph("It is."),)) for title in ("Said", "More"))
TO_TRY = Section("To try", (LIVE,))


def test_a_live_part_is_hidden_and_its_data_cannot_act() -> None:
    drawn = page(Document("Title", (SAID, TO_TRY, MORE)))
    made = Page(drawn)
    made.assert_inert()
    hidden = [element for tag in ("section", "li") for element in made.all(tag) if "hidden" in element]
    assert hidden == [{"id": "to-try", "hidden": None}, {"hidden": None}]
    assert LIVE.markup in drawn
    (packed,) = re.findall(r'<script type="text/plain" id=live-data>([A-Za-z0-9+/=]+)</script>', drawn)
    assert json.loads(zlib.decompress(b64decode(packed), -15)) == DATA
    assert "<nav" not in page(Document("Title", (SAID, TO_TRY)))


def test_the_policy_allows_the_style_and_the_script_of_the_page_and_no_other() -> None:
    live, plain = Document("Title", (SAID, TO_TRY, MORE)), Document("Title", (SAID,))
    for document in (live, plain, ALL):
        written = page(document)
        (policy,) = re.findall(r'Content-Security-Policy content="([^"]*)"', written)
        rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
        for tag, own in (("style", "#live{top:0}"), ("script", "let shown = 1;")):
            (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", written, re.DOTALL)
            digest = b64encode(sha256(inside.encode()).digest()).decode()
            assert rules.pop(f"{tag}-src") == f"'sha256-{digest}'"
            assert (own in inside) == (document is live)
        none = "'none'"
        assert rules == {"default-src": none, "img-src": "data:", "base-uri": none, "form-action": none}


def test_other_renderers_leave_a_live_part_out() -> None:
    beside = Document("Title", (replace(SAID, blocks=(*SAID.blocks, LIVE)),))
    for draw in (td.text, td.markdown, td.latex):
        assert draw(Document("Title", (SAID, TO_TRY, MORE))) == draw(Document("Title", (SAID, MORE)))
        assert draw(beside) == draw(Document("Title", (SAID,)))


def test_a_picture_with_a_key_has_the_places_of_its_numbers() -> None:
    def drawn_with(x: td.Axis, key: str, panels: int = 1) -> str:
        panel = td.Panel(x, td.Axis("recall", high=2), (td.Line(ENDS, ENDS),))
        return page(of(td.Picture("Curve", td.Figure((panel,) * panels), key=key), heading="A"))

    (axes,) = re.findall(r'data-live="?roc"? data-axes="([^"]+)"', drawn_with(td.Axis("share"), "roc"))
    x0, x1, left, right, y0, y1, bottom, top = map(float, axes.split())
    assert (x0, x1, y0, y1) == (0, 1, 0, 2)
    assert 0 < left < right < 400
    assert 0 < top < bottom
    assert "data-live" not in drawn_with(td.Axis("share"), "")
    assert "data-live" not in drawn_with(td.Axis("share", low=0.1, log=True), "roc")
    assert "data-live" not in drawn_with(td.Axis("share", names=((0.0, "a"), (1.0, "b"))), "roc")
    assert "data-live" not in drawn_with(td.Axis("share"), "roc", panels=2)


# --- pieces of notebooks -----------------------------------------------------------------------


def fragment_of(rows: list[int]) -> str:
    return str(tm.evaluate(rows, y_score=[0.9, 0.2, 0.7, 0.4]).gains._repr_mimebundle_()["text/html"])


def test_a_piece_of_a_notebook_is_one_element_that_touches_nothing_else() -> None:
    one, two = fragment_of([1, 0, 1, 0]), fragment_of([1, 1, 0, 0])
    assert one == fragment_of([1, 0, 1, 0])
    made, other = Page(one), Page(two)
    made.assert_inert()
    name = str(made.elements[0][1]["class"])
    assert made.elements[0][0] == "div"
    assert re.fullmatch(r"tallymark-[0-9a-f]{8}", name)
    assert other.elements[0][1]["class"] != name
    ids, others = ({at["id"] for _, at in piece.elements if "id" in at} for piece in (made, other))
    assert not ids & others
    assert not made.all("script")
    assert {tag for tag, _ in made.elements if re.fullmatch(r"h\d", tag)} <= {"h3", "h4", "h5"}
    (style,) = re.findall("<style>(.*?)</style>", one, re.DOTALL)
    rules = re.sub(r"@media[^{]*\{", "", style)
    selectors = [one for found in re.findall(r"([^{}]+)\{[^{}]*\}", rules) for one in found.split(",")]
    notebook = r"(?:(?:html|body)\S* )*"
    assert len(selectors) > 50
    assert all(re.match(rf"{notebook}\.{name}(?![\w-])", selector) for selector in selectors)


def test_it_is_dark_where_the_notebook_is_and_paints_over_nothing() -> None:
    (style,) = re.findall("<style>(.*?)</style>", fragment_of([1, 0, 1, 0]), re.DOTALL)
    light, dark = "--s0:#0072b2", "--s0:#56b4e9"
    assert style.index(light) < style.index(dark)
    for theme in ('body[data-jp-theme-light="false"] .', "body.vscode-dark .", "html[theme=dark] ."):
        assert re.search(rf"{re.escape(theme)}[^{{}}]*{{[^}}]*{dark}", style)
    (asked,) = re.findall(r"@media screen and \(prefers-color-scheme:dark\)\{([^{]*)\{", style)
    assert ":not([data-jp-theme-light])" in asked
    assert ":not([theme])" in asked
    assert re.search(r"html\[theme=dark\] \S*\{color-scheme:dark\}", style)
    (last,) = re.findall(r"[^{}]*tbody th\{(background:[^}]*)\}(?!.*tbody th\{background)", style)
    assert last == "background:none"


def test_a_bar_shows_where_the_interval_lies() -> None:
    places = {"a": (0.4, 0.5, 0.7), "b": (1.0, 1.0, 1.0), "c": None}
    made = parsed(td.Headlines(tuple(td.Headline(name, "0.5", place=at) for name, at in places.items())))
    assert [(bar.get("x"), bar["width"]) for bar in made.all("rect")] == [
        (None, "100"), ("40.0", "30.0"), ("49.5", "1"),
        (None, "100"), ("99.0", "1.0"), ("99.0", "1"),
    ]  # fmt: skip


# --- a document and its figure as one picture --------------------------------------------------


@each(
    ("text", "first", "rest"),
    [
        ("One. Two. Three.", "One.", "Two. Three."),
        ("Only one, of 0.5 and e. g. more.", "Only one, of 0.5 and e. g. more.", ""),
        ("The label 'Mr. Smith' is Wilson's. Two.", "The label 'Mr. Smith' is Wilson's.", "Two."),
        (r"The label 'it\'s. A' is one. Two.", r"The label 'it\'s. A' is one.", "Two."),
        ("", "", ""),
    ],
)
def test_the_first_sentence_describes_a_picture_and_the_others_follow(
    text: str, first: str, rest: str
) -> None:
    lines = td.Lines(("a",))
    picture = td.pictured(of(lines, Paragraph(text), heading="Lift"), td.Figure(()))
    assert (picture.title, picture.said) == ("Lift", first)
    assert list(picture.blocks) == [lines, *([Paragraph(rest)] if rest else [])]


def test_further_sections_of_a_picture_are_folded() -> None:
    lines = td.Lines(("a",))
    document = Document("", (Section("Lift", (lines,)), Section("Ties", (lines,)), Section("", (lines,))))
    picture = td.pictured(document, td.Figure(()), title="Lift of cats", said="Twice.")
    assert (picture.title, picture.said) == ("Lift of cats", "Twice.")
    one, folded, last = picture.blocks
    assert one == last == lines
    assert isinstance(folded, td.Folded)
    assert (folded.title, folded.blocks) == ("Ties", (lines,))
