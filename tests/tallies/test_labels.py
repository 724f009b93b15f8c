from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from tallymark.errors import LabelError
from tallymark.tallies.labels import conventional_positive, family, find, in_order, listed, quoted


@pytest.mark.parametrize(
    ("labels", "expected"),
    [([1, True], "number"), (["a"], "text"), (["1", "True"], "text"), ([False], "number"), ([], None)],
)
def test_family(labels: list[Any], expected: str | None) -> None:
    assert family(labels) == expected


def test_two_families_are_refused() -> None:
    with pytest.raises(LabelError) as caught:
        family([1, "1"])
    assert str(caught.value) == (
        "labels must be all numbers or all text, but both came. "
        "Hint: write every label the same way, for example as text."
    )


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([10, 9, -1, 10], (-1, 9, 10)),
        (["10", "9", "a", "B", "é"], ("10", "9", "B", "a", "é")),
        ([True, False], (False, True)),
        ([True, 1, 2], (1, 2)),
        ([True, 0], (0, 1)),
        ([2**63, -(2**70)], (-(2**70), 2**63)),
        ([], ()),
    ],
)
def test_canonical_order_is_the_same_from_any_order(labels: list[Any], expected: tuple[Any, ...]) -> None:
    for arranged in permutations(labels):
        ordered = in_order(arranged)
        assert ordered == expected
        assert [type(label) for label in ordered] == [type(label) for label in expected]


def test_listed_is_cut_after_eight_where_that_leaves_out_several() -> None:
    assert listed(["a", 1]) == "['a', 1]"
    assert listed(range(8)) == "[0, 1, 2, 3, 4, 5, 6, 7]"
    assert listed(range(10)) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
    assert listed(range(13)) == "[0, 1, 2, 3, 4, 5, 6, 7, ... (13 in all)]"
    assert listed(range(2000)) == "[0, 1, 2, 3, 4, 5, 6, 7, ... (2,000 in all)]"


@pytest.mark.parametrize(
    ("wanted", "labels", "found"),
    [
        ("yes", ("no", "yes"), "yes"),
        (1, (0, 1), 1),
        ("1", (0, 1), 1),
        (1, ("0", "1"), "1"),
        (1, (False, True), True),
        ("True", (False, True), True),
        (True, (0, 1), 1),
        (True, ("False", "True"), "True"),
        ("1.0", (0, 1), 1),
        ("1.00", ("0", "1"), "1"),
        (1.0, ("0", "1"), "1"),
        ("-3.0", (-3, 5), -3),
        # The text itself comes first, the number it stands for second.
        ("1.0", ("1", "1.0"), "1.0"),
        ("1.0", (10**20, 1), 1),
    ],
)
def test_find_goes_by_value_or_text(wanted: Any, labels: tuple[Any, ...], found: Any) -> None:
    result = find(wanted, labels)
    assert (result, type(result)) == (found, type(found))


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (
            "Yes",
            "positive='Yes' is not a label; labels are ['no', 'yes']. "
            "Hint: did you mean 'yes'? Labels are case-sensitive and blanks count.",
        ),
        (
            " no",
            "positive=' no' is not a label; labels are ['no', 'yes']. "
            "Hint: did you mean 'no'? Labels are case-sensitive and blanks count.",
        ),
        ("maybe", "positive='maybe' is not a label; labels are ['no', 'yes']."),
        (None, "positive=None is not a label; labels are ['no', 'yes']."),
    ],
)
def test_find_suggests_what_looks_alike(wanted: Any, message: str) -> None:
    with pytest.raises(LabelError) as caught:
        find(wanted, ("no", "yes"))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("wanted", "labels"),
    [
        ("1.0", ("1", "a")),
        ("1.5", (0, 1)),
        ("01", (0, 1)),
        ("+1", (0, 1)),
        ("1e0", (0, 1)),
        ("1.0", (False, True)),
        ("2.0", (0, 1)),
    ],
)
def test_find_reads_numbers_in_plain_form_and_among_numbers_only(
    wanted: str, labels: tuple[Any, ...]
) -> None:
    with pytest.raises(LabelError, match="is not a label"):
        find(wanted, labels)


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("a", "'a'"),
        ("it's", '"it\'s"'),
        (1, "1"),
        (True, "True"),
        (None, "None"),
        ("x" * 60, repr("x" * 60)),
        ("x" * 61, repr("x" * 59) + "..."),
        ("\n" * 61, repr("\n" * 59) + "..."),
        (10**80, "1" + "0" * 80),
    ],
)
def test_quoted_is_cut_at_60_characters(label: Any, text: str) -> None:
    assert quoted(label) == text


def test_long_values_are_cut_in_lists_and_messages() -> None:
    long, cut = "x" * 1_000, repr("x" * 59) + "..."
    assert listed(["a", long, "b"]) == f"['a', {cut}, 'b']"
    with pytest.raises(LabelError) as caught:
        find(long + "y", (long, "no"))
    assert caught.value.message == f"positive={cut} is not a label; labels are [{cut}, 'no']."
    with pytest.raises(LabelError) as caught:
        find(long.upper(), (long, "no"))
    assert caught.value.hint == f"did you mean {cut}? Labels are case-sensitive and blanks count."


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ((0, 1), 1),
        ((1, 0), 1),
        ((False, True), True),
        (("0", "1"), "1"),
        (("false", "true"), "true"),
        (("FALSE", "True"), "True"),
        ((1, 2), None),
        (("no", "yes"), None),
        ((0, 1, 2), None),
        ((-1, 1), None),
        (("0", "true"), None),
        ((1,), None),
    ],
)
def test_only_zero_one_and_false_true_need_no_positive(labels: tuple[Any, ...], positive: Any) -> None:
    assert conventional_positive(labels) == positive
