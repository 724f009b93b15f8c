"""Records of fits: what is read is what was written, bit for bit; what is damaged is told, never run."""

from __future__ import annotations

import json
import math
import os
import pickle
import shutil
import tracemalloc
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damages import remade, spoil, told

from tallymark.errors import FileError
from tallymark.validation.fits.fitting import Fit
from tallymark.validation.runs import records

RANDOM = np.random.default_rng(0)
IDENTITY = {"parameters": {}, "train": [7, "ab"], "test": [3, "cd"], "seed": [0, 1]}
ODD = {
    "auc": (math.inf, None),
    "log_loss": (math.nan, "odd"),
    "ks": (-math.inf, None),
    "brier": (0.1 + 0.2, None),
}
FITS = {
    "plain": Fit(
        np.array([0, 1, 1]),
        np.array([[0.1, 0.9], [1 / 3, 2 / 3], [5e-324, 1.0]]),
        np.eye(2, dtype=np.int64),
        7,
    ),
    "without scores": Fit(np.array([1, 0]), note="predict_proba gives nonsense"),
    "one score per row": Fit(np.array([1, 0]), np.array([-np.inf, np.pi])),
    "many classes": Fit(np.array([0, 255, 256, 70_000]), n_train=np.int64(3)),
    "failed": Fit(np.empty(0, np.int64), failure="ValueError: é\n", trace="Traceback ...\n\ud800", n_train=4),
    "odd numbers": Fit(np.array([0]), of_training=ODD, fit_seconds=1e-9, ask_seconds=np.float64(0.25)),
    "warnings": Fit(np.array([0]), warnings=("one: a", "two: b")),
    "in another order": Fit(np.array([0, 1]), np.asfortranarray([[0.25, 0.75], [0.5, 0.5]])),
}


def written(fit: Fit, folder: Path, name: str = "key") -> Path:
    place = folder / f"{name}.npz"
    place.write_bytes(records.written(fit, {"key": name, "identity": IDENTITY, "versions": {}}))
    return place


def alike(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return (
            other is not None
            and one.dtype == other.dtype
            and one.shape == other.shape
            and one.tobytes() == other.tobytes()
        )
    return repr(one) == repr(other)


@pytest.mark.parametrize("name", FITS)
def test_every_field_comes_back(name: str, tmp_path: Path) -> None:
    fit = FITS[name]
    found = records.read(written(fit, tmp_path))
    for each in fields(Fit):
        one, other = getattr(fit, each.name), getattr(found, each.name)
        plain = one.item() if isinstance(one, np.generic) else one
        assert alike(plain, other), (each.name, one, other)


def test_others_can_read_them(tmp_path: Path) -> None:
    """A zip of JSON and arrays, as numpy's own."""
    place = written(FITS["plain"], tmp_path)
    with np.load(place, allow_pickle=False) as found:
        assert found["answers"].tolist() == [0, 1, 1]
        assert found["scores"].tobytes() == FITS["plain"].scores.tobytes()
        assert found["training"].tolist() == [[1, 0], [0, 1]]
    with zipfile.ZipFile(place) as file:
        said = json.loads(file.read("record.json"))
    assert said["schema"] == "tallymark/fit/1"
    assert said["identity"] == IDENTITY


def test_answers_take_a_byte_each(tmp_path: Path) -> None:
    many = Fit(RANDOM.integers(0, 200, 100_000))
    assert written(many, tmp_path).stat().st_size < 102_000


# --- large ones stay on disk -----------------------------------------------------------------------------


def large(rows: int = 5_000) -> Fit:
    scores = RANDOM.uniform(size=(rows, 2))
    return Fit(RANDOM.integers(0, 2, rows), scores, np.eye(2, dtype=np.int64), 9, warnings=("w: w",))


def test_a_large_fit_is_read_when_it_is_asked(tmp_path: Path) -> None:
    fit = large()
    for found in (records.read(written(fit, tmp_path)), records.kept(fit, tmp_path / "key.npz")):
        assert isinstance(found, records.OnDisk)
        assert alike(found.answers, fit.answers)
        assert alike(found.scores, fit.scores)
        assert alike(found.training, fit.training)
        assert (found.n_train, found.warnings) == (9, ("w: w",))
    assert isinstance(records.kept(FITS["plain"], tmp_path), Fit)


def test_without_scores_it_has_none(tmp_path: Path) -> None:
    fit = Fit(np.zeros(50_000, np.int64))
    found = records.read(written(fit, tmp_path))
    assert isinstance(found, records.OnDisk)
    assert found.scores is None


def test_a_copy_holds_everything(tmp_path: Path) -> None:
    fit = large()
    place = written(fit, tmp_path)
    copy = pickle.loads(pickle.dumps(records.read(place)))
    place.unlink()
    assert type(copy) is Fit
    assert alike(copy.answers, fit.answers)
    assert alike(copy.scores, fit.scores)


def test_it_is_found_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(large(), tmp_path)
    monkeypatch.chdir(tmp_path)
    found = records.read(Path("key.npz"))
    monkeypatch.chdir("/")
    assert len(found.answers) == 5_000


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    found = records.read(written(large(), folder))
    shutil.rmtree(folder)
    with pytest.raises(
        FileError, match=r"the answers of a fit cannot be read again from .*: it is not there"
    ) as said:
        _ = found.answers
    assert said.value.hint == (
        "keep the run folder where it is as long as its results are in use, and put it back if it was moved. "
        "The same command, or call, finds what is in it and makes what is missing."
    )


def test_many_large_fits_do_not_pile_up(tmp_path: Path) -> None:
    """In memory they would be 480 MB."""
    place = written(large(100_000), tmp_path)
    tracemalloc.start()
    found = [records.read(place) for _ in range(200)]
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found) == 200
    assert held < 1_000_000


# --- damaged ones ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("half", "it is damaged"),
        ("empty", "it is damaged"),
        ("random", "it is damaged"),
        ("zeros", "it is damaged"),
        ("no JSON", "it is damaged"),
        ("list", "it is no record of a fit"),
        ("no record", "it is damaged"),
        ("no answers", "it is damaged"),
        ("answers left out", "it lacks 'answers'"),
        ("pickle", "it is damaged .*allow_pickle=False"),
        ("pickled scores", "it is damaged .*allow_pickle=False"),
        ("no array", "it is damaged"),
        ("other length", "its answers and scores do not belong together"),
        ("no numbers", "its answers and scores do not belong together"),
        ("another version", "of the kind 'tallymark/fit/99', here 'tallymark/fit/1' is read"),
        ("another fit", "it is the record of another fit"),
        ("lacks", "it lacks 'n_train'"),
        ("wrong kinds", "what it says is of the wrong kind"),
    ],
)
def test_what_is_wrong_with_a_record(how: str, why: str, tmp_path: Path) -> None:
    place = written(FITS["plain"], tmp_path)
    spoil(how, place)
    with pytest.raises(records.Unusable, match=why):
        records.read(place)
    assert "UNPICKLED" not in os.environ


@pytest.mark.parametrize(
    "facts",
    [
        {"identity": "gone"},
        {"identity": None},
        {"versions": "gone"},
        {"failure": 3},
        {"trace": []},
        {"n_train": "7"},
        {"ask_seconds": None},
        *({"identity": IDENTITY | {name: value}} for name in IDENTITY for value in (None, 3, [], ["a"])),
    ],
    ids=str,
)
def test_records_without_what_those_need_who_show_them(facts: dict[str, Any], tmp_path: Path) -> None:
    place = written(FITS["failed"], tmp_path)
    remade(place, record_json=told(place, **facts))
    with pytest.raises(records.Unusable, match="what it says is of the wrong kind"):
        records.facts_in(place)


def test_a_folder_is_no_record(tmp_path: Path) -> None:
    (tmp_path / "key.npz").mkdir()
    with pytest.raises(records.Unusable, match="it is a folder"):
        records.read(tmp_path / "key.npz")


def test_any_bit_that_falls_over_is_seen(tmp_path: Path) -> None:
    """Either the record is refused, or what is read is what was written."""
    place = written(FITS["plain"], tmp_path)
    whole, refused = place.read_bytes(), 0
    for at in range(len(whole)):
        place.write_bytes(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :])
        try:
            found = records.read(place)
        except records.Unusable:
            refused += 1
            continue
        for each in fields(Fit):
            assert alike(getattr(FITS["plain"], each.name), getattr(found, each.name)), at
    assert refused > len(whole) // 2


def test_a_record_that_the_system_does_not_give_is_not_called_damaged(tmp_path: Path) -> None:
    with pytest.raises(records.Unreadable, match="it is not there"):
        records.read(tmp_path / "other.npz")
