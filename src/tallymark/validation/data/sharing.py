"""Features that many workers read: written once, and read once by each, instead of sent with every fit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

_PROCESSES = ("LokyBackend", "MultiprocessingBackend")
_lock = Lock()
_folders: list[Path] = []
_written: dict[int, tuple[Any, Path]] = {}
"""With what was written, so that no other object can come to have its identity."""


@contextmanager
def shared_features(joblib: Any) -> Iterator[None]:
    """While workers are other processes of this machine, features are files that they read."""
    backend, _ = joblib.parallel.get_active_backend()
    if _folders or type(backend).__name__ not in _PROCESSES:
        yield
        return
    with TemporaryDirectory(prefix="tallymark-", ignore_cleanup_errors=True) as folder:
        _folders.append(Path(folder))
        try:
            yield
        finally:
            _folders.clear()
            _written.clear()


def are_shared() -> bool:
    """Whether features are to be told by a file."""
    return bool(_folders)


def place_of(features: Any) -> str:
    """The file that holds them, written when first asked for."""
    import joblib

    with _lock:  # joblib pickles tasks in threads of its own
        if id(features) not in _written:
            place = _folders[0] / f"{len(_written)}.features"
            joblib.dump(features, place)
            _written[id(features)] = features, place
        return str(_written[id(features)][1])


@lru_cache(maxsize=4)
def read(place: str) -> Any:
    """In a worker: the features in a file; arrays are not copied, all workers look at the same."""
    import joblib

    return joblib.load(place, mmap_mode="r")
