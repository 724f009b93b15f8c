"""How much memory may be used, as people write it."""

from __future__ import annotations

import pytest

from tallymark.errors import OptionError
from tallymark.intake.streams import memory
from tallymark.intake.streams.memory import default_memory, in_words, parsed_memory


@pytest.mark.parametrize(
    ("given", "size"),
    [
        ("500MB", 500_000_000),
        ("2GB", 2_000_000_000),
        ("2gb", 2_000_000_000),
        ("1.5 GiB", 3 << 29),
        ("1T", 10**12),
        ("4000k", 4_000_000),
        (5_000_000, 5_000_000),
        (2e9, 2_000_000_000),
        ("1e9", 1_000_000_000),
        ("2.5E+9", 2_500_000_000),
        ("1_000_000", 1_000_000),
        (1e20, 10**20),
    ],
    ids=str,
)
def test_sizes(given, size):
    assert parsed_memory(given) == size


@pytest.mark.parametrize(
    "given", ["", "GB", "-1GB", "1 parsec", "1e9x", True, float("nan"), float("inf")], ids=repr
)
def test_no_sizes(given):
    with pytest.raises(OptionError, match="memory is a size such as 500MB or 2GB; got "):
        parsed_memory(given)


def test_too_little():
    with pytest.raises(OptionError) as caught:
        parsed_memory("2")
    assert caught.value.hint == "a number without a unit is in bytes: write 500MB or 2GB."
    with pytest.raises(OptionError) as caught:
        parsed_memory("999kB")
    assert (caught.value.message, caught.value.hint) == ("memory must be at least 1MB; got '999kB'.", None)


def test_half_of_what_this_process_may_use(tmp_path, monkeypatch):
    limit = tmp_path / "memory.max"
    limit.write_text(f"{1 << 24}\n")
    monkeypatch.setattr(memory, "_LIMITS", (str(limit), str(tmp_path / "none")))
    assert parsed_memory(None) == default_memory() == 1 << 23
    limit.write_text("max\n")
    assert default_memory() > 1 << 24


@pytest.mark.parametrize(
    ("size", "words"),
    [(12, "12 bytes"), (999.4, "999 bytes"), (999.6, "1 kB"), (2_540_000, "2.54 MB"), (3e12, "3 TB")],
    ids=["bytes", "nearly", "more than nearly", "MB", "TB"],
)
def test_sizes_in_words(size, words):
    assert in_words(size) == words
