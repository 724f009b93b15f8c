"""Fits at the same time do not get in each other's way, and leave everything as it was."""

from __future__ import annotations

import sys
import warnings
from threading import Barrier, Thread

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_info

import tallymark as tm
from tallymark.validation.fits.surroundings import undisturbed

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = (X[:, 0] > 0).astype(int)
_BOTH = Barrier(2, timeout=20)


def threads(kind: str) -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == kind}


def test_one_native_thread_within_and_as_before_after() -> None:
    before = threads("blas"), threads("openmp")
    assert before[0], "numpy brings a BLAS"
    with undisturbed():
        assert threads("blas") == {1}
        assert threads("openmp") <= {1}
    assert (threads("blas"), threads("openmp")) == before


def test_warnings_belong_to_the_fit_of_their_thread() -> None:
    found: dict[str, list[str]] = {}

    def work(name: str) -> None:
        with undisturbed() as caught:
            _BOTH.wait()  # both are within
            warnings.warn(f"{name} warns", UserWarning, stacklevel=1)
            _BOTH.wait()
        found[name] = [str(each.message) for each in caught]

    out, filters, show = sys.stdout, list(warnings.filters), warnings.showwarning
    workers = [Thread(target=work, args=(name,)) for name in ("first", "second")]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert found == {"first": ["first warns"], "second": ["second warns"]}
    assert sys.stdout is out
    assert (warnings.filters, warnings.showwarning) == (filters, show)


def test_whoever_leaves_first_does_not_end_it_for_the_others() -> None:
    inside, done = Barrier(2, timeout=20), Barrier(2, timeout=20)

    def long() -> None:
        with undisturbed():
            inside.wait()
            done.wait()

    other = Thread(target=long)
    out = sys.stdout
    with undisturbed():
        other.start()
        inside.wait()
    assert sys.stdout is sys.stderr
    assert threads("blas") == {1}
    done.wait()
    other.join()
    assert sys.stdout is out


def test_a_warning_of_a_thread_that_a_model_started_is_its_own() -> None:
    with undisturbed() as caught:
        helper = Thread(target=lambda: warnings.warn("from below", RuntimeWarning, stacklevel=1))
        helper.start()
        helper.join()
    assert [(str(each.message), each.category) for each in caught] == [("from below", RuntimeWarning)]


def test_one_within_another() -> None:
    with undisturbed() as outer:
        with undisturbed() as inner:
            warnings.warn("inner", UserWarning, stacklevel=1)
        warnings.warn("outer", UserWarning, stacklevel=1)
    assert [str(each.message) for each in inner] == ["inner"]
    assert [str(each.message) for each in outer] == ["outer"]


class Meets(GaussianNB):
    """Two fits wait for each other, so that they overlap; one of them warns and prints."""

    def __init__(self, loud: bool = False) -> None:
        super().__init__()
        self.loud = loud

    def fit(self, X, y):
        _BOTH.wait()
        if self.loud:
            warnings.warn("loud", UserWarning, stacklevel=1)
            print("printed")
        _BOTH.wait()
        return super().fit(X, y)


@pytest.mark.parametrize("repeat", range(3), ids=str)
def test_fits_in_threads_leave_no_trace(repeat: int, capsys) -> None:
    with parallel_config(backend="threading", n_jobs=2):
        found = tm.validate({"quiet": Meets(), "loud": Meets(loud=True)}, X, Y, cv=[*_halves()])
    said = {name: [fit.warnings for fit in model.fits] for name, model in found.models.items()}
    assert said == {"quiet": [()], "loud": [("UserWarning: loud",)]}
    print("afterwards")
    out, err = capsys.readouterr()
    assert (out, err) == ("afterwards\n", "printed\n")
    with pytest.warns(UserWarning, match="still shown"):
        warnings.warn("still shown", UserWarning, stacklevel=1)


def _halves():
    yield np.arange(0, 60, 2), np.arange(1, 60, 2)
