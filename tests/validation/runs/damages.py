"""Ways in which a record may be spoiled."""

from __future__ import annotations

import json
import pickle
import random
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np


class Trap:
    """What must never be made: unpickling it would say so."""

    def __reduce__(self) -> Any:
        return eval, ("__import__('os').environ.update(UNPICKLED='yes')",)


def remade(place: Path, **parts: bytes) -> None:
    """The same zip with other parts; without those that are empty."""
    with zipfile.ZipFile(place) as file:
        found = {name: file.read(name) for name in file.namelist()} | {
            name.replace("_", "."): part for name, part in parts.items()
        }
    with zipfile.ZipFile(place, "w") as file:
        for name, part in found.items():
            if part:
                file.writestr(name, part)


def array(value: Any) -> bytes:
    found = BytesIO()
    np.save(found, np.asarray(value), allow_pickle=True)
    return found.getvalue()


def told(place: Path, **facts: Any) -> bytes:
    with zipfile.ZipFile(place) as file:
        found = json.loads(file.read("record.json")) | facts
    return json.dumps({name: each for name, each in found.items() if each != "gone"}).encode()


def spoil(how: str, place: Path) -> None:
    whole = place.read_bytes()
    match how:
        case "half":
            place.write_bytes(whole[: len(whole) // 2])
        case "empty":
            place.write_bytes(b"")
        case "random":
            place.write_bytes(random.Random(0).randbytes(len(whole)))
        case "zeros":
            place.write_bytes(bytes(len(whole)))
        case "no JSON":
            remade(place, record_json=b"{not json")
        case "list":
            remade(place, record_json=b"[]")
        case "no record":
            remade(place, record_json=b"")
        case "no answers":
            remade(place, answers_npy=b"")
        case "answers left out":
            remade(place, record_json=told(place, arrays=["scores"]), answers_npy=b"")
        case "pickle":
            remade(place, answers_npy=array(np.array([Trap()], object)))
        case "pickled scores":
            remade(place, scores_npy=array(np.array([Trap()], object)))
        case "no array":
            remade(place, scores_npy=pickle.dumps(Trap()))
        case "other length":
            remade(place, scores_npy=array(np.zeros((2, 2))))
        case "no numbers":
            remade(place, answers_npy=array(["a", "b", "c"]))
        case "another version":
            remade(place, record_json=told(place, schema="tallymark/fit/99"))
        case "another fit":
            remade(place, record_json=told(place, key="other"))
        case "lacks":
            remade(place, record_json=told(place, n_train="gone"))
        case "wrong kinds":
            remade(place, record_json=told(place, warnings=5, of_training=[1]))
