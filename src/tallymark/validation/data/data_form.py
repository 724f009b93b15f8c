"""A data set as JSON values, the same in every document."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallymark.validation.data.data_set import DataSet


def data_form(data: DataSet) -> dict[str, Any]:
    """What the rows are; labels as text."""
    return {
        "name": data.name,
        "rows": data.rows,
        "labels": [str(label) for label in data.labels],
        "positive": None if data.positive is None else str(data.positive),
        "class_counts": data.class_counts.tolist(),
        "groups": None if data.groups is None else len(np.unique(data.groups)),
    }
