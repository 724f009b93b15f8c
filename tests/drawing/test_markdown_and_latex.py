"""Reports as Markdown and LaTeX: text from data does nothing there and looks like itself; tables fit."""

import html
import re
from collections.abc import Callable
from typing import Any

from documents_to_draw import of, page, report, words
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from collected import each
from tallymark import drawing as td

Column, Paragraph, Table = td.Column, td.Paragraph, td.Table
SIGNS = r"""\`*_{}[]()#+-.!|<>&~^$%"'@:/=;, wx1a""" + "\n\x1b漢"
HOSTILE = (
    "<script>alert(1)</script>", "<b", "a<b>c</b>", "<!-- x", "<http://evil.example>",
    '=HYPERLINK("http://x")', "http://evil.example/?a=b&c", "see https://evil.example/a_b_c.",
    "www.evil.example", "a@evil.example", "@someone", "[text](http://evil.example)", "[text](x)", "[text][1]",
    "[1]: x", "[0.9, 1.0](x)", "![image](x)", r"\input{/etc/passwd}", r"\end{tabular}", r"\\[10cm]",
    "[10cm]", "*", "*{}", "$x^2$", "^^4d", "100 % {of} #1 & ~2", "--- dashes ,, and ``quotes''",
    '"straight"', "a|b", "|", "||", "\\|", "a\\\\|b", "\\", "a\\", "\\`http://x`", "`", "``code``", "`a|b`",
    "**bold** _it_ __b__ ~~gone~~", "_", "snake_case_ and _x", "# heading", "## x ##", "> quote", "- item",
    "-", "---", "===", "+ item", "1. item", "12) item", "&lt;&amp;&#35;&copy;", ":tada:",
    "two  blanks   three", "line\nbreak\r\nand\ttab", "\x1b[31mred\x07", "right\u202eleft",
    "zero\u200bwidth", " blank ends ", "😀 👩\u200d🔬", "مرحبا", "e\u0301 漢字", "''", "'",
)  # fmt: skip
hostile_text = st.text(st.sampled_from(SIGNS), min_size=1, max_size=25) | st.sampled_from(HOSTILE)


def table(*names: str) -> Table:
    return Table((words("class"), Column("n")), tuple((one, "[0.1, 0.2]") for one in names))


def sentence(text: str) -> str:
    """How a sentence reads: as on a terminal."""
    return one_blank(td.text(of(Paragraph(text)), 1000))


def one_blank(text: str) -> str:
    return " ".join(text.split())


def test_texts(snapshot: Any) -> None:
    letters = tuple((letter, "1") for letter in "abcdef")
    small = (
        Table((words("class"), Column("n")), letters, rule_before=(1, 4)),
        Table((words(""), Column("")), (("rows", "500"),)),
        Table((words("a"), Column("b")), ()),
        Table((), ()),
        Table((words("class"), Column("n")), (("漢字漢字", "1"), ("a", "2"))),
        Table((words("class"),), (("a" * 50 + "b" * 50,),)),
        td.Lines(("a ``` b", "````")),
        td.Findings(()),
        *map(Paragraph, ["- a", "+ a", "> a", "12. a", "1) a", "-", "---", "-0.5 is a number, 1.5 too"]),
        Paragraph(
            "f_beta of 'a' is -0.5 [0.897, 0.912], [-1, 1e-05]; 2 < 3 > 1 & so on (see a/b), 100 %: C# 1.5!"
        ),
        Paragraph("write to a@b.org, see (https://x.org) or www.x.org, ask @someone for $5 :tada:"),
        Paragraph("at 12:30:45 :)"),
    )
    drawn = {"markdown": td.markdown, "latex": td.latex}
    texts = {f"a report as {kind}": draw(report("")) for kind, draw in drawn.items()}
    texts |= {f"a page as {kind}": draw(page()) for kind, draw in drawn.items()}
    texts |= {f"small parts as {kind}": draw(of(*small)) for kind, draw in drawn.items()}
    minus = ("-1 and -x", "-0.052", "-0.052 [-0.111, 0.007]", "-", "1.2e-07", "2026-01-02")
    texts["numbers below 0 as latex"] = td.latex(
        of(Table((words("-1"), *(Column("-2") for _ in minus[1:])), (minus,)))
    )
    snapshot("markdown_and_latex", texts)


# --- Markdown ----------------------------------------------------------------------------------

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
LIVE = re.compile(r"://|www\.|\w@\w|\$", re.IGNORECASE)


def rendered(document: td.Document) -> str:
    return str(PARSER.render(td.markdown(document)))


def seen(element: str) -> str:
    """What a reader of the page sees in an element that holds no other element than code."""
    assert not re.search("<(?!/?code>)", element), element
    return html.unescape(re.sub("</?code>", "", element)).replace("\xa0", " ")


def not_code(element: str) -> str:
    return html.unescape(re.sub("<code>.*?</code>", "", element))


def check_markdown_cells(*names: str) -> None:
    rows = re.findall("<tr>\n(.*?)</tr>", rendered(of(table(*names))), re.DOTALL)
    assert len(rows) == 1 + len(names)
    for row, one in zip(rows[1:], names, strict=True):
        first, second = re.findall("<td.*?>(.*?)</td>", row, re.DOTALL)
        assert seen(first) == td.terminal(one)
        assert not LIVE.search(not_code(first))
        assert second == "[0.1, 0.2]"


@given(hostile_text)
def test_everywhere_else_in_markdown(hostile: str) -> None:
    shown, words_of_it = td.terminal(hostile), hostile.strip(" ") or "x"
    said = sentence(words_of_it)
    heads = rendered(
        of(Table((Column(hostile), Column("x")), (), title=hostile), title=hostile, heading=hostile)
    )
    (title,) = re.findall("<h1>(.*?)</h1>", heads, re.DOTALL)
    (heading,) = re.findall("<h2>(.*?)</h2>", heads, re.DOTALL)
    (above,) = re.findall("<p><strong>(.*?)</strong></p>", heads, re.DOTALL)
    column, _ = re.findall("<th style.*?>(.*?)</th>", heads, re.DOTALL)
    assert [seen(part) for part in (title, heading, above, column)] == [shown] * 4
    (paragraph,) = re.findall(r"\A<p>(.*)</p>\n\Z", rendered(of(Paragraph(words_of_it))), re.DOTALL)
    assert one_blank(seen(paragraph)) == said
    item = rendered(of(td.Findings((td.Finding("TM001", words_of_it), td.Finding(hostile, "x")))))
    (message,) = re.findall("<li><strong>TM001</strong> (.*?)</li>", item, re.DOTALL)
    (code,) = re.findall("<li><strong>((?!TM001).*?)</strong> x</li>", item, re.DOTALL)
    assert one_blank(seen(message)) == said
    assert seen(code) == shown
    totals = Table((words(""),), (("a",), ("b",), ("c",), (hostile,)), rule_before=(3,))
    (bold,) = re.findall("<td><strong>(.*?)</strong></td>", rendered(of(totals)), re.DOTALL)
    assert seen(bold) == shown


@given(st.lists(hostile_text, min_size=1, max_size=4))
def test_cells_and_lines_in_markdown(texts: list[str]) -> None:
    check_markdown_cells(*texts)
    lines = rendered(of(td.Lines(tuple(f"  x{line}" for line in texts))))
    (block,) = re.findall(r'\A<pre><code class="language-text">(.*)</code></pre>\n\Z', lines, re.DOTALL)
    assert html.unescape(block).splitlines() == [f"  {td.terminal(f'x{line}'.strip(' '))}" for line in texts]


# --- LaTeX -------------------------------------------------------------------------------------

SIGN_OF = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^",
    r"\textasciigrave{}": "`", r"\textquotesingle{}": "'", r"\textless{}": "<", r"\textgreater{}": ">",
    r"\textbar{}": "|", r"\symbol{34}": '"', "{[}": "[", "{*}": "*", "{}": "", "~": " ",
} | {rf"\{sign}": sign for sign in "_&%$#{}"}  # fmt: skip
COMMAND = re.compile("|".join(map(re.escape, sorted(SIGN_OF, key=len, reverse=True))))
ACTIVE = set("\\{}$&#^_~%\"`'<>|")


def typeset(source: str) -> str:
    """What is printed; nothing that TeX acts on may be left beside the commands for signs."""
    assert not ACTIVE & set(COMMAND.sub("", source)), source
    assert not re.search("--|,,", source)
    return COMMAND.sub(lambda found: SIGN_OF[found[0]], source)


def check_latex_rows(*names: str) -> None:
    lines = td.latex(of(table(*names))).splitlines()
    start, end = lines.index(r"\midrule") + 1, lines.index(r"\bottomrule")
    for row, one in zip(lines[start:end], names, strict=True):
        first, second = re.split(r"(?<!\\) & ", row.removesuffix(r" \\"))
        assert not row.startswith(("[", "*"))
        assert typeset(first) == td.terminal(one)
        assert second == "[0.1, 0.2]"


@given(hostile_text)
def test_everywhere_else_in_latex(hostile: str) -> None:
    shown, said = td.terminal(hostile), sentence(f"x{hostile.strip(' ')}")
    columns = (Column(hostile), Column("x"))
    blocks = (
        td.Findings((td.Finding(hostile, f"x{hostile.strip(' ')}"),)),
        Table(columns, (), title=hostile),
    )
    lines = td.latex(
        of(Paragraph(f"x{hostile.strip(' ')}"), *blocks, title=hostile, heading=hostile)
    ).splitlines()
    title, heading = (lines[place] for place in (2, 4))
    assert typeset(title.removeprefix(r"\section*{").removesuffix("}")) == shown
    assert typeset(heading.removeprefix(r"\subsection*{").removesuffix("}")) == shown
    assert one_blank(typeset(lines[6])) == said
    (item,) = [line for line in lines if line.startswith(r"\item[{")]
    code, message = re.split(r"}\] ", item.removeprefix(r"\item[{"), maxsplit=1)
    # After a sign that is spelled out with braces a bracket looks like the end of the code.
    if "]" not in hostile:
        assert typeset(code) == shown
        assert one_blank(typeset(message)) == said
    (above,) = [line for line in lines if line.endswith(r"\par\smallskip")]
    assert typeset(above.removesuffix(r"\par\smallskip")) == shown
    head = lines[lines.index(r"\toprule") + 1]
    assert typeset(head.removesuffix(r" & x \\")) == shown


@given(st.lists(hostile_text, min_size=1, max_size=4))
def test_rows_and_lines_in_latex(texts: list[str]) -> None:
    check_latex_rows(*texts)
    drawn = td.latex(of(td.Lines(tuple(f"  {line}" for line in texts)))).splitlines()
    assert drawn[2:4] == [r"\begin{flushleft}", r"\ttfamily"]
    for row, line in zip(drawn[4:-1], texts, strict=True):
        kept = row.removesuffix(r" \\")
        indent = len(f"  {line}") - len(line.lstrip(" ")) if line.strip(" ") else 0
        assert kept.startswith(r"\mbox{}" + "~" * indent)
        shown = typeset(kept.removeprefix(r"\mbox{}").removeprefix("~" * indent))
        assert shown == td.terminal(line.strip(" "))


def tabulars(source: str) -> list[tuple[str, list[list[str]]]]:
    """The columns and the rows of every tabular, each row as long as the columns say."""
    braces = re.sub(r"\\[{}]", "", source)
    assert braces.count("{") == braces.count("}")
    assert sorted(re.findall(r"\\begin(\{\w+\})", source)) == sorted(re.findall(r"\\end(\{\w+\})", source))
    found = []
    for columns, body in re.findall(
        r"\\begin\{tabular\}\{([lr]+)\}\n(.*?)\\end\{tabular\}", source, re.DOTALL
    ):
        rows = [re.split(r"(?<!\\) ?& ", line[:-3]) for line in body.splitlines() if line.endswith(r" \\")]
        assert {len(row) for row in rows} == {len(columns)}
        found.append((columns, rows))
    return found


@each("classes", [3, 8, 30, 100])
def test_a_wide_table_is_folded_to_the_page_with_its_names_repeated(classes: int) -> None:
    """At 4.6 points a digit and 8 between columns, a line of 345 points must hold each part."""
    names = [f"class {number}" for number in range(classes)]
    cells = [[str(10 * row + column) for column in range(classes)] for row in range(classes)]
    rows = tuple((one, *numbers) for one, numbers in zip(names, cells, strict=True))
    source = td.latex(of(Table((words(""), *map(Column, names)), rows)))
    parts = tabulars(source)
    assert [row[0] for _, part in parts for row in part[1:]] == names * len(parts)
    for place, one in enumerate(cells):
        assert [cell for _, part in parts for cell in part[place + 1][1:]] == one
    for columns, part in parts:
        widest = [max(map(len, column)) for column in zip(*part, strict=True)]
        assert 4.2 * sum(widest) + 8 * len(columns) <= 360
    if len(parts) > 1:
        assert source.count(f"of {classes})\\par\\smallskip") == len(parts)


def test_a_table_whose_last_column_names_the_rows_repeats_that_one() -> None:
    titles = ("", *(f"A long title {number}" for number in range(9)))
    columns = (*(Column(title, "right" if title else "left") for title in titles), words("Class"))
    rows = (("", *["0.5"] * 9, "yes"), ("", *["0.5"] * 9, "no"), ("Average", *["0.5"] * 9, ""))
    parts = tabulars(td.latex(of(Table(columns, rows, rule_before=(2,)))))
    ends = [("", "Class"), ("", "yes"), ("", "no"), ("Average", "")]
    assert len(parts) > 1
    assert all([(row[0], row[-1]) for row in part] == ends for _, part in parts)


# --- both --------------------------------------------------------------------------------------

RENDERERS: tuple[Callable[[td.Document], str], ...] = (td.text, td.markdown, td.latex)


@each("hostile", HOSTILE)
def test_a_cell_of_a_table(hostile: str) -> None:
    check_markdown_cells(hostile)
    check_latex_rows(hostile)


@each("draw", RENDERERS)
def test_long_labels_are_cut_and_stay_different(draw: Callable[[td.Document], str]) -> None:
    names = [f"{'x' * 5_000}{number}{'y' * 5_000}" for number in range(50)]
    square = Table((words(""), *map(Column, names)), tuple((one, *["0"] * 50) for one in names))
    drawn = draw(of(square))
    assert "x" * 61 not in drawn
    assert len(set(re.findall("x+…[^ ]*", drawn)[:50])) == 50
    many = [f"{'label' * 19}{number:05}" for number in range(2_000)]
    for others in (("|" * 100_000, "漢" * 100_000), ("[<&_$\\`" * 14_000, "y"), many):
        lines = [line for line in draw(of(table(*others))).splitlines() if "[0.1, 0.2]" in line]
        assert len(set(lines)) == len(others)
        assert len(draw(of(Paragraph(others[0])))) < 1_001_000
