"""The data that ship with tallymark, for the demo and the examples.

`breast_cancer.csv`: 569 rows, one per tumour (212 malignant, 357 benign), with the answers of two models.

    id                   1 to 569, the order of scikit-learn's `load_breast_cancer` (not a patient number)
    actual               benign or malignant
    tree_predicted       the answer of a decision tree of depth 3 on all 30 measurements
    tree_score           its P(malignant), 4 decimals
    bayes_predicted      the answer of Gaussian naive Bayes on mean radius, mean texture and mean smoothness
    bayes_score          its P(malignant), 4 decimals

Every score is out of fold: 10 stratified folds, shuffled with seed 0, and a row is scored by the fit that did
not see it. An answer is malignant when its printed score is at least 0.5; the predictions are ours.

`tumours.csv`: the same 569 rows to train models on, with ten measurements of each tumour, the mean over its
cells: radius, texture, perimeter, area, smoothness, compactness, concavity, concave_points, symmetry and
fractal_dimension; `id` as above, and `diagnosis`, benign or malignant. `tools/make_demo_data.py` makes both.

Source of the labels and measurements: Wolberg, W., Mangasarian, O., Street, N. and Street, W. (1993), Breast
Cancer Wisconsin (Diagnostic), UCI Machine Learning Repository, doi:10.24432/C5DW2B, licence CC BY 4.0.
See also Mangasarian, O. L., Street, W. N. and Wolberg, W. H. (1995), Breast cancer diagnosis and prognosis
via linear programming, Operations Research 43(4), 570-577.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from tallymark.errors import FileError


def path(name: str) -> Path:
    """Where a shipped file is on this machine.

    >>> path("breast_cancer.csv").name
    'breast_cancer.csv'
    """
    folder = Path(str(files(__name__)))
    shipped = sorted(file.name for file in folder.glob("*.csv"))
    if name not in shipped:
        raise FileError(f"no data file named {name!r} is shipped.", hint=f"choose from {shipped}.")
    return folder / name
