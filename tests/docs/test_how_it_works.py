"""The picture of the rooms shows the layers that a machine checks."""

import re
import tomllib
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_picture_has_every_room_in_its_layer() -> None:
    text = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    picture = re.findall(r"```text\n(people .*?)```", text, re.DOTALL)[0].splitlines()
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = [layer.split(" | ") for layer in contracts["contracts"][0]["layers"]]
    folders = {path.name for path in (ROOT / "src" / "tallymark").iterdir() if path.is_dir()}
    places = [
        {
            next(at for at, line in enumerate(picture) if re.search(rf"\b{room}\b", line[17:55]))
            for room in layer
        }
        for layer in layers
        if set(layer) & folders or layer == ["errors"]
    ]
    assert all(max(upper) < min(lower) for upper, lower in pairwise(places))
