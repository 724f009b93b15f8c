from __future__ import annotations

import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tallymark.drawing import distinct, name, terminal
from tallymark.drawing.escape import cells, head, sentence, tail

TRICKY = (
    "\\nxu \t\n\x1b\x7f\x9b\xa0\xad\u0301\u200b\u200d\u202e\u2066\u3000\ufe0f\ufeff\ud800\U000e0041漢ß❤👩1"
)
tricky_text = st.text(st.sampled_from(TRICKY) | st.characters(codec="utf-8"), max_size=30)

# Format characters with a shape of their own, such as the Arabic number sign.
SHAPED = {0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("yes", "yes"),
        ("two words", "two words"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x9b31m", r"\x9b31m"),
        ("\x00\x07\x7f", r"\x00\x07\x7f"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("abc\u202edef", r"abc\u202edef"),
        ("\u2066x\u2069", r"\u2066x\u2069"),
        ("a\u200bb", r"a\u200bb"),
        ("a\u200db", r"a\u200db"),
        ("a\ufe0f", r"a\ufe0f"),
        ("\ufeffid", r"\ufeffid"),
        ("a\xa0b", r"a\xa0b"),
        ("a\u2028b", r"a\u2028b"),
        ("\ud800", r"\ud800"),
        ("x\U000e0041", r"x\U000e0041"),
        ("yes ", r"yes\x20"),
        ("  yes", r"\x20\x20yes"),
        (" ", r"\x20"),
        ("漢\u3000字", "漢\u3000字"),
        ("漢\u3000", r"漢\u3000"),
        (r"DOMAIN\alice", r"DOMAIN\alice"),
        (r"C:\new", r"C:\\new"),
        ("\\\n", r"\\\n"),
        ("Zoë Größe", "Zoë Größe"),
        ("e\u0301", "e\u0301"),
        ("漢字 かな 한글", "漢字 かな 한글"),
        ("שלום مرحبا नमस्ते", "שלום مرحبا नमस्ते"),
        ("😀 ❤\ufe0f 👍🏽", "😀 ❤\ufe0f 👍🏽"),
        ("👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"),
        ("👩🏽\u200d🔬", "👩🏽\u200d🔬"),
        ("1\ufe0f\u20e3", "1\ufe0f\u20e3"),
        ("x\ufe0f\u200d❤", r"x\ufe0f\u200d❤"),
        ("👩\u200d", r"👩\u200d"),
    ],
)
def test_terminal(text: str, shown: str) -> None:
    assert terminal(text) == shown


def test_every_control_and_format_character_of_unicode_is_escaped() -> None:
    unseen = [
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and code not in SHAPED
    ]
    assert len(unseen) > 2000
    assert [character for character in unseen if not terminal(f"a{character}b").isprintable()] == []


def test_every_visible_character_of_unicode_stays() -> None:
    visible = "".join(
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code))[0] in "LMNPS" and cell_len(chr(code)) > 0
    )
    changed = {character for character in visible if terminal(f"a{character}b") != f"a{character}b"}
    # The Hangul fillers and the empty Braille pattern are letters and symbols in name only; whether rich
    # gives the last two a width depends on its version.
    assert changed == {"\u115f", "\u2800", "\u3164", "\uffa0"} & set(visible)


@given(tricky_text)
def test_escapes_are_those_of_python(text: str) -> None:
    shown = terminal(text)
    if shown != text:
        assert shown.encode("raw_unicode_escape").decode("unicode_escape") == text


@given(tricky_text)
def test_no_character_that_acts_on_a_terminal_is_left(text: str) -> None:
    shown = terminal(text)
    assert shown == shown.strip()
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cs", "Zl", "Zp"}


short_tricky_text = st.text("\\nx20\n ", max_size=5)


@given(short_tricky_text, short_tricky_text)
def test_different_texts_are_shown_differently(one: str, other: str) -> None:
    assert (terminal(one) == terminal(other)) == (one == other)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"'\x1b[31mred'", r"'\x1b[31mred'"),
        (r"'a\\b'", r"'a\\b'"),
        ("a\\b\x1b", r"a\b\x1b"),
        (r"C:\new", r"C:\new"),
    ],
)
def test_a_sentence_keeps_its_backslashes(text: str, shown: str) -> None:
    assert sentence(text) == shown


@given(tricky_text)
def test_a_sentence_leaves_no_character_that_acts_on_a_terminal(text: str) -> None:
    assert not {unicodedata.category(character) for character in sentence(text)} & {"Cc", "Cs", "Zl", "Zp"}


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("yes", "yes"),
        (" yes ", " yes "),
        ("0", "0"),
        ("'", "'"),
        ("'yes'", "'yes'"),
        ("", "''"),
        (" ", "' '"),
        ("   ", "'   '"),
        ("\u3000", "'\u3000'"),
        ("\t\u200b", "'\t\u200b'"),
        ("''", "''''"),
        ("'   '", "''   ''"),
    ],
)
def test_name(label: str, shown: str) -> None:
    assert name(label) == shown


blank_labels = st.text("' \t\u200bx", max_size=5)


@given(blank_labels, blank_labels)
def test_different_labels_have_different_names_that_show(one: str, other: str) -> None:
    assert (name(one) == name(other)) == (one == other)
    assert terminal(name(one))


@pytest.mark.parametrize(
    ("text", "width"),
    [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("", 0), ("😀", 2), ("Größe…", 6)],
)
def test_cells(text: str, width: int) -> None:
    assert cells(text) == width


@pytest.mark.parametrize(
    ("text", "room", "start", "end"),
    [
        ("abcdef", 2, "ab", "ef"),
        ("abc", 5, "abc", "abc"),
        ("abc", 0, "", ""),
        ("漢字漢字", 5, "漢字", "漢字"),
        ("漢字", 1, "", ""),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301e\u0301", "e\u0301e\u0301"),
        ("a漢b", 3, "a漢", "漢b"),
    ],
)
def test_head_and_tail(text: str, room: int, start: str, end: str) -> None:
    assert head(text, room) == start
    assert tail(text, room) == end


def test_a_label_that_fits_is_not_touched() -> None:
    assert distinct(["exactly_10", "short", ""], 10) == ["exactly_10", "short", ""]


def test_a_long_label_keeps_its_beginning_and_its_end() -> None:
    assert distinct(["long_label_name_of_class_01", "long_label_name_of_class_02"], 19) == [
        "long_label_n…ass_01",
        "long_label_n…ass_02",
    ]


def test_labels_alike_at_both_ends_are_numbered_from_each_beginning() -> None:
    labels = [
        "first_aaaa_1_zzzz_end",
        "first_aaaa_2_zzzz_end",
        "other_aaaa_1_zzzz_end",
        "other_aaaa_2_zzzz_end",
    ]
    assert distinct(labels, 10) == ["first_a…~1", "first_a…~2", "other_a…~1", "other_a…~2"]


def test_equal_labels_stay_equal() -> None:
    assert distinct(["x" * 30, "y", "x" * 30], 7) == ["xxxx…xx", "y", "xxxx…xx"]


def test_a_cut_label_does_not_pass_for_another_that_is_called_so() -> None:
    assert distinct(["xxxx…xx", "x" * 30], 7) == ["xxxx…xx", "xxxx…~1"]
    assert distinct(["xxxx…xx", "xxxx…~1", "x" * 30], 7) == ["xxxx…xx", "xxxx…~1", "xxxx…~2"]


def test_wide_characters_count_twice() -> None:
    assert distinct(["漢字かな交じり文"], 10) == ["漢字か…文"]


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


@given(labels_of_one_stem, st.integers(min_value=4, max_value=30))
def test_distinct_labels_fit_and_stay_distinct(labels: list[str], width: int) -> None:
    labels = [terminal(label) for label in labels]
    shown = distinct(labels, width)
    assert len(shown) == len(labels)
    assert max(map(cell_len, shown), default=0) <= width
    assert len(set(shown)) == len(set(labels))
    assert len(set(zip(labels, shown, strict=True))) == len(set(labels))


@given(labels_of_one_stem, st.integers(min_value=1, max_value=3))
def test_a_width_without_room_for_numbers_is_still_kept(labels: list[str], width: int) -> None:
    assert all(cell_len(shown) <= width for shown in distinct(list(map(terminal, labels)), width))


def test_many_labels_and_long_labels_are_fast() -> None:
    many = [f"a_long_common_beginning_{number}_and_a_long_common_end" for number in range(10_000)]
    long = [f"漢{number}" + "字" * 100_000 for number in range(20)]
    start = time.process_time()
    assert len(set(distinct(many, 16))) == 10_000
    assert len(set(distinct(long, 16))) == 20
    assert len(terminal("\x1b" * 100_000)) == 400_000
    assert len(terminal(" " * 100_000 + "x")) == 400_001
    assert len(terminal("x" + " " * 100_000 + "x")) == 100_002
    assert len(name("'" * 100_000 + " " * 100_000)) == 200_000
    assert time.process_time() - start < 1
