"""Learners by name: estimators of scikit-learn behind a preparation that learns inside the fold."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Any

from tallymark.errors import OptionError
from tallymark.tallies.labels import quoted
from tallymark.validation.fits.fitting import require_joblib
from tallymark.validation.learners.majority import Majority
from tallymark.validation.learners.own_models import own_model
from tallymark.validation.learners.preparation import LEVELS, Preparation
from tallymark.validation.learners.voting import Voting

_FEWEST = 2
_NAMES_SHOWN = 12


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return _prepared(LogisticRegression(max_iter=1000))


def _tree() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return _prepared(DecisionTreeClassifier(), scale=False)


def _forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return _prepared(RandomForestClassifier(), scale=False)


def _boosting() -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return _prepared(HistGradientBoostingClassifier(), scale=False, impute=False)


def _knn() -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return _prepared(KNeighborsClassifier())


def _bayes() -> Any:
    from sklearn.naive_bayes import GaussianNB

    # Scaled, because it smooths all variances by a share of the largest.
    return _prepared(GaussianNB())


def _prepared(model: Any, *, scale: bool = True, impute: bool = True) -> Any:
    from sklearn.pipeline import Pipeline

    return Pipeline([("prepare", Preparation(scale=scale, impute=impute)), ("model", model)])


_MAKERS: Mapping[str, Callable[[], Any]] = {
    "logistic": _logistic,
    "tree": _tree,
    "forest": _forest,
    "boosting": _boosting,
    "knn": _knn,
    "bayes": _bayes,
    "majority": Majority,
}
LEARNERS = tuple(_MAKERS)

GRIDS: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "logistic": {"C": (0.01, 0.1, 1.0, 10.0, 100.0)},
    "tree": {"max_depth": (1, 2, 4, 8, None), "min_samples_leaf": (1, 5, 20)},
    "forest": {"max_features": ("sqrt", 0.5), "min_samples_leaf": (1, 5)},
    "boosting": {"learning_rate": (0.03, 0.1, 0.3), "max_leaf_nodes": (7, 31)},
    "knn": {"n_neighbors": (1, 3, 5, 9, 15, 25)},
    "bayes": {"var_smoothing": (1e-9, 1e-3, 0.1, 1.0)},
    "majority": {},
}
"""Parameters that are worth trying, by learner."""


def learner(text: str, *, prepare: bool = False) -> Any:
    """A learner by name; `vote:tree,logistic,knn` and `vote:tree:25` for models that vote; `module:object`
    for an estimator of one's own, which sees columns as they are unless they are to be prepared."""
    require_joblib()
    name, colon, rest = text.strip().partition(":")
    if name == "vote" and colon:
        return _vote(text, rest, prepare)
    if colon:
        return _prepared(own_model(text.strip())) if prepare else own_model(text.strip())
    if name in _MAKERS:
        return _MAKERS[name]()
    close = difflib.get_close_matches(name.lower(), (*_MAKERS, "vote"), n=1)
    raise OptionError(
        f"no learner is called {quoted(text)}; there are {', '.join(LEARNERS)}, votes such as "
        "vote:tree,logistic,knn or vote:tree:25, and one's own as module:object.",
        hint=f"did you mean {close[0]!r}?" if close else None,
    )


def has_own_model(text: str) -> bool:
    """Whether a name is that of a model of one's own, or of a vote in which one takes part."""
    name, colon, rest = text.strip().partition(":")
    if name != "vote":
        return bool(colon)
    named, _, copies = rest.rpartition(":")
    return ":" in (named if copies.isdecimal() else rest)


def _vote(text: str, rest: str, prepare: bool) -> Voting:
    named, _, copies = rest.rpartition(":")
    if named and copies.isdecimal():
        if int(copies) < _FEWEST:
            raise OptionError(
                f"a vote needs at least {_FEWEST} copies; {quoted(text)} asks for {int(copies)}."
            )
        models = _voters(text, named, prepare)
        return Voting(next(iter(models.values())) if len(models) == 1 else models, int(copies))
    models = _voters(text, rest, prepare)
    if len(models) < _FEWEST:
        raise OptionError(
            f"{quoted(text)} names one model; a vote needs several.",
            hint=f"write vote:{rest}:25 for copies of it, or name others: vote:{rest},logistic,knn.",
        )
    return Voting(models)


def _voters(text: str, names: str, prepare: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in (part.strip() for part in names.split(",")):
        if name in found:
            raise OptionError(
                f"{quoted(text)} names {quoted(name)} twice.",
                hint=f"vote:{name}:25 makes copies that differ.",
            )
        if not name or name.partition(":")[0] == "vote":
            raise OptionError(
                f"{quoted(text)} {'votes in votes' if name else 'has an empty name'}.",
                hint="write vote:tree,logistic,knn, or vote:tree:25 for copies.",
            )
        found[name] = learner(name, prepare=prepare)
    return found


def described(model: Any) -> str:
    """What a model does with the columns of a table, in a sentence or two."""
    if isinstance(model, Majority):
        return "always the most frequent class of the training rows, whatever the columns say"
    if isinstance(model, Voting):
        return _votes_described(model)
    steps = getattr(model, "steps", None)
    if not steps or not isinstance(steps[0][1], Preparation):
        return _line(model)
    return f"{_preparation_described(steps[0][1])}; {_line(steps[-1][1])}"


def _preparation_described(step: Preparation) -> str:
    numbers = "numbers scaled" if step.scale else "numbers as they are"
    missing = "replaced by the median of the training rows and marked" if step.impute else "kept"
    text = f"text columns one-hot (up to {LEVELS} levels each, missing is one)"
    return f"{numbers}, missing ones {missing}; {text}"


def _votes_described(model: Voting) -> str:
    models = model.models
    sample = "each learns a bootstrap sample of the training rows"
    if not isinstance(models, Mapping | list | tuple):
        return f"{model.n_copies} copies vote, {sample}: {described(models)}"
    if isinstance(models, Mapping):
        told = ", ".join(f"{name} ({described(voter)})" for name, voter in models.items())
    else:
        told = ", ".join(map(described, models))
    copies = (
        f"{model.n_copies} copies of each vote, {sample}"
        if model.n_copies > 1
        else f"{len(models)} models vote"
    )
    return f"{copies}: {told}"


def _line(model: Any) -> str:
    return " ".join(repr(model).split())


def parameter_name(model: Any, name: str) -> str:
    """A parameter's whole name, such as `model__max_depth` for `max_depth`; the one nearest to the top
    where several end so."""
    if not hasattr(model, "get_params"):
        raise OptionError(f"{type(model).__name__} has no get_params, so its parameters cannot be set.")
    known: list[str] = list(model.get_params(deep=True))
    if name in known:
        return name
    alike = [whole for whole in known if whole.endswith(f"__{name}")]
    nearest = min((whole.count("__") for whole in alike), default=0)
    found = [whole for whole in alike if whole.count("__") == nearest]
    if len(found) > 1:
        raise OptionError(
            f"parameter {quoted(name)} could be {', '.join(sorted(found))}.", hint="name it in full."
        )
    if not found:
        raise _unknown(name, known)
    return found[0]


def _unknown(name: str, known: list[str]) -> OptionError:
    short = list(dict.fromkeys(whole.rpartition("__")[2] for whole in known))
    close = difflib.get_close_matches(name.rpartition("__")[2], short, n=3)
    listed = sorted(short)
    more = f" and {len(listed) - _NAMES_SHOWN} more" if len(listed) > _NAMES_SHOWN else ""
    return OptionError(
        f"there is no parameter {quoted(name)}; there are {', '.join(listed[:_NAMES_SHOWN])}{more}.",
        hint=f"did you mean {' or '.join(close)}?" if close else None,
    )
