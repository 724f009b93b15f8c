from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from tallymark.errors import InputError
from tallymark.tallies import Binary, Confusion, Keyed, from_dict

NORTH, SOUTH = Binary(1, 2, 3, 4, "yes"), Binary(5, 6, 7, 8, "yes")


def regions() -> Keyed[Any]:
    return Keyed({"north": NORTH, "south": SOUTH})


def test_it_reads_like_a_mapping() -> None:
    keyed = regions()
    assert (list(keyed), len(keyed), keyed["south"]) == (["north", "south"], 2, SOUTH)
    assert dict(keyed) == {"north": NORTH, "south": SOUTH}
    with pytest.raises(KeyError):
        keyed["west"]


def test_keys_of_both_sides_are_kept_and_shared_ones_added() -> None:
    merged = regions() + Keyed({"south": SOUTH, "west": NORTH})
    assert dict(merged) == {"north": NORTH, "south": Binary(10, 12, 14, 16, "yes"), "west": NORTH}


def test_total_adds_all_keys() -> None:
    assert regions().total() == Binary(6, 8, 10, 12, "yes")


def test_total_of_nothing_says_so() -> None:
    empty: Keyed[Any] = Keyed({})
    with pytest.raises(InputError):
        empty.total()


def test_equality_does_not_look_at_the_order_of_keys() -> None:
    assert regions() == Keyed({"south": SOUTH, "north": NORTH})
    assert regions() != Keyed({"north": NORTH})
    assert regions() != Keyed({"north": SOUTH, "south": NORTH})


def test_attributes_cannot_be_set() -> None:
    keyed: Any = regions()
    with pytest.raises(FrozenInstanceError):
        keyed.tallies = {}
    with pytest.raises(TypeError):
        keyed["north"] = SOUTH


def test_its_mapping_cannot_be_written() -> None:
    keyed: Any = regions()
    with pytest.raises(TypeError):
        keyed.tallies["north"] = SOUTH


def test_the_mapping_it_was_made_from_stays_the_callers_own() -> None:
    tallies: dict[Any, Any] = {"north": NORTH}
    keyed: Keyed[Any] = Keyed(tallies)
    tallies["south"] = SOUTH
    assert list(keyed) == ["north"]


def test_only_keyed_tallies_are_added() -> None:
    for wrong in (1, None, {"north": NORTH}):
        with pytest.raises(TypeError):
            regions() + wrong
        with pytest.raises(TypeError):
            wrong + regions()


def test_json_round_trip_with_every_kind_of_key() -> None:
    table = Confusion([[1, 2], [3, 4]], labels=["a", "b"])
    keyed: Keyed[Any] = Keyed({"text": table, 7: table, True: table, ("two", 2): table, ("one",): table})
    form = json.loads(json.dumps(keyed.to_dict(), allow_nan=False))
    back: Any = from_dict(form)
    assert back == keyed
    assert list(back) == list(keyed)
    assert [type(key) for key in back] == [type(key) for key in keyed]
    assert form["schema"] == "tallymark/keyed/1"


def test_an_unknown_version_is_refused_inside_too() -> None:
    with pytest.raises(InputError, match="got 'tallymark/keyed/9'"):
        from_dict(regions().to_dict() | {"schema": "tallymark/keyed/9"})
    form = regions().to_dict()
    form["tallies"][0]["tally"]["schema"] = "tallymark/binary/9"
    with pytest.raises(InputError, match="got 'tallymark/binary/9'"):
        from_dict(form)
