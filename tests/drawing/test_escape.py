r"""Text from data on a terminal: what acts or is not seen is escaped, different texts stay different."""

import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tallymark import drawing as td

TRICKY = (
    "\\nxu \t\n\x1b\x7f\x9b\xa0\xad\u0301\u200b\u200d\u202e\u2066\u3000\ufe0f\ufeff\ud800\U000e0041漢ß❤👩1"
)
tricky_text = st.text(st.sampled_from(TRICKY) | st.characters(codec="utf-8"), max_size=30)

# Format characters with a shape of their own, such as the Arabic number sign.
SHAPED = {0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
ACTING = {"Cc", "Cs", "Zl", "Zp"}

AS_THEY_ARE = (
    "", "yes", "two words", "漢\u3000字", r"DOMAIN\alice", "Zoë Größe", "e\u0301", "漢字 かな 한글",
    "שלום مرحبا नमस्ते", "😀 ❤\ufe0f 👍🏽", "👩\u200d👩\u200d👧", "👩🏽\u200d🔬", "1\ufe0f\u20e3",
)  # fmt: skip
ESCAPED = {
    "\x1b[31mred\x1b[0m": r"\x1b[31mred\x1b[0m", "\x9b31m": r"\x9b31m", "\x00\x07\x7f": r"\x00\x07\x7f",
    "a\nb\r\tc": r"a\nb\r\tc", "abc\u202edef": r"abc\u202edef", "\u2066x\u2069": r"\u2066x\u2069",
    "a\u200bb": r"a\u200bb", "a\u200db": r"a\u200db", "a\ufe0f": r"a\ufe0f", "\ufeffid": r"\ufeffid",
    "a\xa0b": r"a\xa0b", "a\u2028b": r"a\u2028b", "\ud800": r"\ud800", "x\U000e0041": r"x\U000e0041",
    "yes ": r"yes\x20", "  yes": r"\x20\x20yes", " ": r"\x20", "漢\u3000": r"漢\u3000", r"C:\new": r"C:\\new",
    "\\\n": r"\\\n", "x\ufe0f\u200d❤": r"x\ufe0f\u200d❤", "👩\u200d": r"👩\u200d",
}  # fmt: skip


def test_what_is_escaped() -> None:
    cases = {text: text for text in AS_THEY_ARE} | ESCAPED
    assert {text: td.terminal(text) for text in cases} == cases


def test_every_control_and_format_character_of_unicode_is_escaped_and_every_visible_one_stays() -> None:
    unseen, visible = [], []
    for code in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(code))
        if category in {"Cf"} | ACTING and code not in SHAPED:
            unseen.append(chr(code))
        elif category[0] in "LMNPS" and cell_len(chr(code)) > 0:
            visible.append(chr(code))
    assert len(unseen) > 2000
    assert [character for character in unseen if not td.terminal(f"a{character}b").isprintable()] == []
    changed = {character for character in visible if td.terminal(f"a{character}b") != f"a{character}b"}
    # The Hangul fillers and the empty Braille pattern are letters and symbols in name only; whether rich
    # gives the last two a width depends on its version.
    assert changed == {"\u115f", "\u2800", "\u3164", "\uffa0"} & set(visible)


@given(tricky_text)
def test_escapes_are_those_of_python_and_nothing_acts(text: str) -> None:
    shown = td.terminal(text)
    if shown != text:
        assert shown.encode("raw_unicode_escape").decode("unicode_escape") == text
    assert shown == shown.strip()
    assert not {unicodedata.category(character) for character in shown} & ACTING


short_tricky_text = st.text("\\nx20\n '", max_size=5)
blank_labels = st.text("' \t\u200bx", max_size=5)


@given(st.tuples(short_tricky_text, short_tricky_text) | st.tuples(blank_labels, blank_labels))
def test_different_texts_and_labels_are_shown_differently(texts: tuple[str, str]) -> None:
    one, other = texts
    assert (td.terminal(one) == td.terminal(other)) == (one == other)
    assert (td.name(one) == td.name(other)) == (one == other)
    assert td.terminal(td.name(one))


def test_labels_that_are_blank_or_quoted_are_named_in_quotes() -> None:
    same = ("yes", " yes ", "0", "'", "'yes'")
    quoted = ("", " ", "   ", "\u3000", "\t\u200b", "''", "'   '")
    cases = {label: label for label in same} | {label: f"'{label}'" for label in quoted}
    assert {label: td.name(label) for label in cases} == cases


def test_cut_labels() -> None:
    alike = [f"{stem}_aaaa_{n}_zzzz_end" for stem in ("first", "other") for n in (1, 2)]
    cases: list[tuple[list[str], int, list[str]]] = [
        (["exactly_10", "short", ""], 10, ["exactly_10", "short", ""]),
        (alike, 10, ["first_a…~1", "first_a…~2", "other_a…~1", "other_a…~2"]),
        (["x" * 30, "y", "x" * 30], 7, ["xxxx…xx", "y", "xxxx…xx"]),
        # A cut label is not mistaken for another that reads so.
        (["xxxx…xx", "x" * 30], 7, ["xxxx…xx", "xxxx…~1"]),
        (["xxxx…xx", "xxxx…~1", "x" * 30], 7, ["xxxx…xx", "xxxx…~1", "xxxx…~2"]),
        (["漢字かな交じり文"], 10, ["漢字か…文"]),
        (["e\u0301" * 8], 5, ["e\u0301" * 3 + "…" + "e\u0301"]),
    ]
    assert [(labels, width, td.distinct(labels, width)) for labels, width, _ in cases] == cases


labels_of_one_stem = st.lists(
    st.builds(
        lambda stem, middle, end: stem + middle + end,
        st.sampled_from(["", "a" * 20, "漢" * 12, "e\u0301" * 20, "aaa…~"]),
        st.text("ab1…~漢\u0301", max_size=4),
        st.sampled_from(["", "z" * 20, "字" * 12]),
    )
    | tricky_text,
    max_size=30,
)


@given(labels_of_one_stem, st.integers(min_value=1, max_value=30))
def test_cut_labels_fit_and_stay_distinct(labels: list[str], width: int) -> None:
    labels = [td.terminal(label) for label in labels]
    shown = td.distinct(labels, width)
    assert len(shown) == len(labels)
    assert max(map(cell_len, shown), default=0) <= width
    # In three cells there is no room for numbers.
    if width > 3:
        assert len(set(shown)) == len(set(zip(labels, shown, strict=True))) == len(set(labels))


def test_many_labels_and_long_labels() -> None:
    many = [f"a_long_common_beginning_{number}_and_a_long_common_end" for number in range(10_000)]
    long = [f"漢{number}" + "字" * 100_000 for number in range(20)]
    assert (len(set(td.distinct(many, 16))), len(set(td.distinct(long, 16)))) == (10_000, 20)
    assert len(td.terminal("\x1b" * 100_000 + " " * 100_000 + "x")) == 500_001
    assert len(td.name("'" * 100_000 + " " * 100_000)) == 200_000
