"""`Voting`: scores from models that only answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError, OptionError, ShapeError
from tallymark.evaluation.settings import checked_seed
from tallymark.resampling.folds import Ints
from tallymark.resampling.rows import rows_at
from tallymark.resampling.splitter import rows_of
from tallymark.tallies.labels import quoted
from tallymark.validation.fits.fitting import checked_model, seeded
from tallymark.validation.learners.majority import Classifier

Models = Mapping[str, Any] | Sequence[Any]


class Voting(Classifier):
    """Models that vote: the probability of a class is the share of the models that answer with it.

    Several models, by name or in a list, learn the same rows; with `n_copies` above 1 there are that many
    of each (or of the one model given), and every copy learns a bootstrap sample of the rows. When classes
    have equally many votes, the answer is the first in order.

    Parameters of the models are named after them: `tree__max_depth` for `{"tree": ...}`, after their class
    in small letters for a list, `model__max_depth` for one model.
    """

    models_: list[Any]
    """The models as they were fitted."""

    def __init__(self, models: Models | Any, n_copies: int = 1, *, random_state: int | None = None) -> None:
        if isinstance(n_copies, bool) or not isinstance(n_copies, int | np.integer) or n_copies < 1:
            raise OptionError(f"n_copies must be a whole number from 1 up; got {n_copies!r}.")
        if random_state is not None:
            checked_seed(random_state)
        named = _named(models)
        for name, model in named.items():
            checked_model(name, model)
            if "__" in name:
                raise OptionError(f"model {quoted(name)}: a name cannot have two underscores in a row.")
        if len(named) * n_copies < 2:
            raise OptionError(
                "one model alone has no one to vote with." if named else "there is no model.",
                hint="pass several, or n_copies=25 for copies that learn different samples of the rows.",
            )
        self.models = models
        self.n_copies = n_copies
        self.random_state = random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments by name, and those of the models."""
        mine = super().get_params(deep=False)
        return {**mine, **dict(self._of_models())} if deep else mine

    def _of_models(self) -> Iterator[tuple[str, Any]]:
        for name, model in _named(self.models).items():
            if not hasattr(model, "get_params"):
                continue
            for inner, value in model.get_params(deep=True).items():
                # An open random_state is filled copy by copy in `fit`; whoever filled it from outside would
                # give all copies the same chance.
                if value is not None or inner.rpartition("__")[2] != "random_state":
                    yield f"{name}__{inner}", value

    def set_params(self, **given: Any) -> Self:
        """Take other arguments, or give others to the models."""
        named = _named(given.get("models", self.models))
        inner = [name for name in given if "__" in name and name.partition("__")[0] in named]
        super().set_params(**{name: value for name, value in given.items() if name not in inner})
        for name in inner:
            model, _, parameter = name.partition("__")
            named[model].set_params(**{parameter: given[name]})
        return self

    def fit(self, X: Any, y: Any) -> Self:
        """Fit copies of the models; those given stay as they are."""
        classes = np.asarray(y)
        rows = rows_of(X, classes)
        if not rows:
            raise ShapeError("there are no rows.")
        self.classes_ = np.unique(classes)
        rng = np.random.default_rng(self.random_state)
        self.models_ = []
        for model in _named(self.models).values():
            for _ in range(self.n_copies):
                copy = seeded(model, rng)
                if self.n_copies == 1:
                    copy.fit(X, y)
                else:
                    drawn = _sample(classes, rng)
                    copy.fit(rows_at(X, drawn), classes[drawn])
                self.models_.append(copy)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of the votes each class has, in the order of `classes_`."""
        self._check_fitted()
        rows, size = rows_of(X), len(self.classes_)
        votes = np.zeros(rows * size, np.int64)
        for model in self.models_:
            votes += np.bincount(np.arange(rows) * size + self._answers(model, X), minlength=rows * size)
        return votes.reshape(rows, size) / len(self.models_)

    def _answers(self, model: Any, X: Any) -> Ints:
        said = np.asarray(model.predict(X)).reshape(-1)
        place = np.minimum(np.searchsorted(self.classes_, said), len(self.classes_) - 1)
        known = self.classes_[place] == said
        if not known.all():
            raise InputError(
                f"{type(model).__name__} votes {quoted(said[np.argmin(known)].item())}, which is no class."
            )
        return place


def _named(models: Any) -> dict[str, Any]:
    if isinstance(models, Mapping):
        return {str(name): model for name, model in models.items()}
    if not isinstance(models, list | tuple):
        return {"model": models}
    kinds = [type(model).__name__.lower() for model in models]
    many, seen = Counter(kinds), Counter[str]()
    names = []
    for kind in kinds:
        seen[kind] += 1
        names.append(kind if many[kind] == 1 else f"{kind}-{seen[kind]}")
    return dict(zip(names, models, strict=True))


def _sample(classes: NDArray[Any], rng: np.random.Generator) -> Ints:
    """A bootstrap sample with more than one class, which many models need, when there is more than one."""
    rows = len(classes)
    while True:
        drawn = rng.integers(rows, size=rows)
        if (classes[drawn] != classes[drawn[0]]).any() or (classes == classes[0]).all():
            return drawn
