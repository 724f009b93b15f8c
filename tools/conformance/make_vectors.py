"""Makes the vectors of the conformance kit: `python tools/conformance/make_vectors.py FOLDER`.

It knows nothing of tallymark: rational numbers are worked out as fractions from the definitions, others to
60 digits from their series.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from making import (
    classes,
    comparisons,
    costs,
    intervals,
    labels,
    probabilities,
    ranking,
    rates,
    sets,
    weights,
)

SCHEMA = "tallymark/vectors/1"
TOPICS: tuple[ModuleType, ...] = (
    rates, classes, labels, weights, ranking, probabilities, sets, costs, intervals, comparisons
)  # fmt: skip


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for module in TOPICS:
        topic = module.__name__.rpartition(".")[2]
        vectors = [each | {"id": f"{topic}/{each['id']}", "topic": topic} for each in module.made()]
        form = {
            "schema": SCHEMA,
            "topic": topic,
            "about": module.ABOUT,
            "vectors": [_ordered(v) for v in vectors],
        }
        (folder / f"{topic}.json").write_text(_text(form), encoding="utf-8")


def _ordered(vector: dict[str, Any]) -> dict[str, Any]:
    return {"id": vector["id"], "topic": vector["topic"]} | vector


def _text(form: dict[str, Any]) -> str:
    """A line per field, so that a change of one is seen."""
    vectors = [
        "  {\n"
        + ",\n".join(f"   {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in each.items())
        + "\n  }"
        for each in form["vectors"]
    ]
    head = "".join(f" {json.dumps(k)}: {json.dumps(form[k])},\n" for k in ("schema", "topic", "about"))
    return "{\n" + head + ' "vectors": [\n' + ",\n".join(vectors) + "\n ]\n}\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
