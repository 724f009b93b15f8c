"""Typical pictures are as somebody last saw them."""

from __future__ import annotations

import pytest
from svg_pictures import FOLDER, pictures

MADE = pictures()


@pytest.mark.parametrize("name", MADE)
def test_a_picture_is_as_it_was_seen(name: str) -> None:
    assert MADE[name] + "\n" == (FOLDER / f"{name}.svg").read_text(encoding="utf-8")


def test_no_picture_is_kept_that_is_not_made() -> None:
    assert {file.stem for file in FOLDER.glob("*.svg")} == set(MADE)
