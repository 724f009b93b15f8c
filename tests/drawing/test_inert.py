"""Text from data does nothing in a Markdown page or a LaTeX document, and looks like itself there."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tallymark.drawing import (
    Block,
    Column,
    Document,
    Finding,
    Findings,
    Lines,
    Paragraph,
    Section,
    Table,
    csv,
    latex,
    markdown,
    name,
    terminal,
    text,
)
from tallymark.drawing.escape import sentence

HOSTILE = (
    "<script>alert(1)</script>",
    "<b",
    "a<b>c</b>",
    "<!-- x",
    "<http://evil.example>",
    '=HYPERLINK("http://x")',
    "http://evil.example/?a=b&c",
    "see https://evil.example/a_b_c.",
    "www.evil.example",
    "a@evil.example",
    "@someone",
    "[text](http://evil.example)",
    "[text](x)",
    "[text][1]",
    "[1]: x",
    "[0.9, 1.0](x)",
    "![image](x)",
    r"\input{/etc/passwd}",
    r"\end{tabular}",
    r"\\[10cm]",
    "[10cm]",
    "*",
    "*{}",
    "$x^2$",
    "^^4d",
    "100 % {of} #1 & ~2",
    "--- dashes ,, and ``quotes''",
    '"straight"',
    "a|b",
    "|",
    "||",
    "\\|",
    "a\\\\|b",
    "\\",
    "a\\",
    "\\`http://x`",
    "`",
    "``code``",
    "`a|b`",
    "**bold** _it_ __b__ ~~gone~~",
    "_",
    "snake_case_ and _x",
    "# heading",
    "## x ##",
    "> quote",
    "- item",
    "-",
    "---",
    "===",
    "+ item",
    "1. item",
    "12) item",
    "&lt;&amp;&#35;&copy;",
    ":tada:",
    "two  blanks   three",
    "line\nbreak\r\nand\ttab",
    "\x1b[31mred\x07",
    "right\u202eleft",
    "zero\u200bwidth",
    " blank ends ",
    "😀 👩\u200d🔬",
    "مرحبا",
    "e\u0301 漢字",
    "''",
    "'",
)

SIGNS = r"""\`*_{}[]()#+-.!|<>&~^$%"'@:/=;, wx1a""" + "\n\x1b漢"
hostile_text = st.text(st.sampled_from(SIGNS), min_size=1, max_size=25) | st.sampled_from(HOSTILE)


def of(*blocks: Block, title: str = "", heading: str = "") -> Document:
    return Document(title, (Section(heading, blocks),))


def table(*names: str) -> Table:
    return Table((Column("class", "left"), Column("n")), tuple((one, "[0.1, 0.2]") for one in names))


# --- Markdown ----------------------------------------------------------------------------------

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def page(document: Document) -> str:
    return str(PARSER.render(markdown(document)))


def seen(element: str) -> str:
    """What a reader of the page sees in an element that holds no other element than code."""
    assert not re.search("<(?!/?code>)", element), element
    return html.unescape(re.sub("</?code>", "", element)).replace("\xa0", " ")


def not_code(element: str) -> str:
    return html.unescape(re.sub("<code>.*?</code>", "", element))


LIVE = re.compile(r"://|www\.|\w@\w|\$", re.IGNORECASE)


def check_cells(*names: str) -> None:
    """Each name stands in a row of its own, as a title, in a title and in bold."""
    drawn = page(of(table(*names)))
    rows = re.findall("<tr>\n(.*?)</tr>", drawn, re.DOTALL)
    assert len(rows) == 1 + len(names)
    for row, one in zip(rows[1:], names, strict=True):
        first, second = re.findall("<td.*?>(.*?)</td>", row, re.DOTALL)
        assert seen(first) == terminal(one)
        assert not LIVE.search(not_code(first))
        assert second == "[0.1, 0.2]"


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_cell_of_a_markdown_table(hostile: str) -> None:
    check_cells(hostile)


@given(st.lists(hostile_text, min_size=1, max_size=4))
def test_cells_of_a_markdown_table(names: list[str]) -> None:
    check_cells(*names)


@given(hostile_text)
def test_everywhere_else_in_markdown(hostile: str) -> None:
    shown, said = terminal(hostile), sentence(hostile)
    heads = page(of(Table((Column(hostile), Column("x")), (), title=hostile), title=hostile, heading=hostile))
    (title,) = re.findall("<h1>(.*?)</h1>", heads, re.DOTALL)
    (heading,) = re.findall("<h2>(.*?)</h2>", heads, re.DOTALL)
    (above,) = re.findall("<p><strong>(.*?)</strong></p>", heads, re.DOTALL)
    column, _ = re.findall("<th style.*?>(.*?)</th>", heads, re.DOTALL)
    assert [seen(part) for part in (title, heading, above, column)] == [shown] * 4

    (paragraph,) = re.findall(r"\A<p>(.*)</p>\n\Z", page(of(Paragraph(hostile))), re.DOTALL)
    assert seen(paragraph) == said
    item = page(of(Findings((Finding("TM001", hostile), Finding(hostile, "x")))))
    (message,) = re.findall("<li><strong>TM001</strong> (.*?)</li>", item, re.DOTALL)
    (code,) = re.findall("<li><strong>((?!TM001).*?)</strong> x</li>", item, re.DOTALL)
    assert (seen(message), seen(code)) == (said, shown)
    totals = Table((Column("", "left"),), (("a",), ("b",), ("c",), (hostile,)), rule_before=(3,))
    (bold,) = re.findall("<td><strong>(.*?)</strong></td>", page(of(totals)), re.DOTALL)
    assert seen(bold) == shown


@given(st.lists(hostile_text, min_size=1, max_size=4))
def test_lines_in_markdown(lines: list[str]) -> None:
    (block,) = re.findall(r'\A<pre><code class="language-text">(.*)</code></pre>\n\Z',
                          page(of(Lines(tuple(f"  x{line}" for line in lines)))), re.DOTALL)  # fmt: skip
    assert html.unescape(block).splitlines() == [f"  {terminal(f'x{line}'.strip(' '))}" for line in lines]


# --- LaTeX -------------------------------------------------------------------------------------

SIGN_OF = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textasciigrave{}": "`",
    r"\textquotesingle{}": "'",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"\symbol{34}": '"',
    "{[}": "[",
    "{*}": "*",
    "{}": "",
    "~": " ",
} | {rf"\{sign}": sign for sign in "_&%$#{}"}
COMMAND = re.compile("|".join(map(re.escape, sorted(SIGN_OF, key=len, reverse=True))))
ACTIVE = set("\\{}$&#^_~%\"`'<>|")


def typeset(source: str) -> str:
    """What is printed; nothing that TeX acts on may be left beside the commands for signs."""
    assert not ACTIVE & set(COMMAND.sub("", source)), source
    assert not re.search("--|,,", source)
    return COMMAND.sub(lambda found: SIGN_OF[found[0]], source)


def check_rows(*names: str) -> None:
    lines = latex(of(table(*names))).splitlines()
    start, end = lines.index(r"\midrule") + 1, lines.index(r"\bottomrule")
    for row, one in zip(lines[start:end], names, strict=True):
        first, second = re.split(r"(?<!\\) & ", row.removesuffix(r" \\"))
        assert not row.startswith(("[", "*"))
        assert typeset(first) == terminal(one)
        assert second == "[0.1, 0.2]"


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_row_of_a_latex_table(hostile: str) -> None:
    check_rows(hostile)


@given(st.lists(hostile_text, min_size=1, max_size=4))
def test_rows_of_a_latex_table(names: list[str]) -> None:
    check_rows(*names)


@given(hostile_text)
def test_everywhere_else_in_latex(hostile: str) -> None:
    shown, said = terminal(hostile), sentence(hostile)
    columns = (Column(hostile), Column("x"))
    blocks = (Paragraph(hostile), Findings((Finding(hostile, hostile),)), Table(columns, (), title=hostile))
    lines = latex(of(*blocks, title=hostile, heading=hostile)).splitlines()
    title, heading = (lines[place] for place in (2, 4))
    assert typeset(title.removeprefix(r"\section*{").removesuffix("}")) == shown
    assert typeset(heading.removeprefix(r"\subsection*{").removesuffix("}")) == shown
    assert typeset(lines[6]) == said
    (item,) = [line for line in lines if line.startswith(r"\item[{")]
    code, message = re.split(r"}\] ", item.removeprefix(r"\item[{"), maxsplit=1)
    # After a sign that is spelled out with braces a bracket looks like the end of the code.
    if "]" not in hostile:
        assert (typeset(code), typeset(message)) == (shown, said)
    (above,) = [line for line in lines if line.endswith(r"\par\smallskip")]
    assert typeset(above.removesuffix(r"\par\smallskip")) == shown
    head = lines[lines.index(r"\toprule") + 1]
    assert typeset(head.removesuffix(r" & x \\")) == shown


@given(st.lists(hostile_text, min_size=1, max_size=4))
def test_lines_in_latex(lines: list[str]) -> None:
    drawn = latex(of(Lines(tuple(f"  {line}" for line in lines)))).splitlines()
    assert drawn[2:4] == [r"\begin{flushleft}", r"\ttfamily"]
    for row, line in zip(drawn[4:-1], lines, strict=True):
        kept = row.removesuffix(r" \\")
        indent = len(f"  {line}") - len(line.lstrip(" ")) if line.strip(" ") else 0
        assert kept.startswith(r"\mbox{}" + "~" * indent)
        assert typeset(kept.removeprefix(r"\mbox{}").removeprefix("~" * indent)) == terminal(line.strip(" "))


# --- both --------------------------------------------------------------------------------------

Pen = Callable[[Document], str]


@pytest.mark.parametrize("pen", [text, markdown, latex])
def test_long_labels_are_cut_and_stay_different(pen: Pen) -> None:
    names = [f"{'x' * 5_000}{number}{'y' * 5_000}" for number in range(50)]
    square = Table((Column("", "left"), *map(Column, names)), tuple((one, *["0"] * 50) for one in names))
    drawn = pen(of(square))
    assert "x" * 61 not in drawn
    shown = re.findall("x+…[^ ]*", drawn)
    assert len(set(shown[:50])) == 50


@pytest.mark.parametrize("pen", [text, markdown, latex])
@pytest.mark.parametrize(
    "names",
    [
        ("x" * 100_000, "y"),
        ("|" * 100_000, "漢" * 100_000),
        ("[<&_$\\`" * 14_000, "y"),
        tuple(f"{'label' * 19}{number:05}" for number in range(10_000)),
    ],
    ids=["letters", "signs", "mixed", "many"],
)
def test_long_and_many_labels_are_drawn_soon(pen: Pen, names: tuple[str, ...]) -> None:
    start = time.perf_counter()
    pen(of(table(*names), Paragraph(names[0])))
    assert time.perf_counter() - start < 5


def test_the_same_label_is_named_alike_by_every_pen() -> None:
    labels = ["", " ", "a\x1b", "\n"]
    for pen in (text, markdown, latex):
        drawn = pen(of(table(*map(name, labels))))
        assert "\x1b" not in drawn
        assert len(set(drawn.splitlines())) == len(drawn.splitlines())
    assert csv(["class"], [[label] for label in labels]).count('"') == 6
