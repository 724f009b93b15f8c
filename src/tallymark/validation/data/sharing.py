"""What many fits need: put once where all workers find it, instead of sent with every fit."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
from typing import Any
from weakref import finalize

_PROCESSES = ("LokyBackend", "MultiprocessingBackend")
DASK = "DaskDistributedBackend"
_KEPT = 8
"""So many things at least are kept for fits to come: features and classes of the last few data sets."""


class Shelf:
    """What is put where workers find it, by what it is; it is taken away when no fit needs it any more.

    Nothing is known of the workers here: `put` gives what stands for a thing on its way to them, and takes
    it away when that is no longer referred to.
    """

    def __init__(self, put: Callable[[Any], Any], close: Callable[[], object] = lambda: None) -> None:
        self.users = 0
        self._put = put
        self._close = close
        self._lock = Lock()  # joblib makes tasks in threads of its own
        self._kept: OrderedDict[int, tuple[Any, Any]] = OrderedDict()

    def place(self, thing: Any) -> Any:
        """What stands for it: where it is, or itself where all workers see it anyway."""
        with self._lock:
            if id(thing) not in self._kept:
                # With the thing itself, so that no other can come to have its identity.
                self._kept[id(thing)] = thing, self._put(thing)
                if len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(id(thing))
            return self._kept[id(thing)][1]

    def close(self) -> None:
        """Take all away."""
        self._kept.clear()
        self._close()


_open: dict[Hashable, Shelf] = {}
_opening = Lock()


@contextmanager
def shared_features(joblib: Any) -> Iterator[Shelf]:
    """While this lasts, what fits need is put once for all of them; within it, the same shelf is used."""
    backend, _ = joblib.parallel.get_active_backend()
    name = type(backend).__name__
    client = backend.client if name == DASK else None
    key = name, id(client)
    with _opening:
        shelf = _open.get(key) or _open.setdefault(key, _shelf(name, client))
        shelf.users += 1
    try:
        yield shelf
    finally:
        with _opening:
            shelf.users -= 1
            if not shelf.users:
                del _open[key]
                shelf.close()


def _shelf(backend: str, client: Any) -> Shelf:
    if backend == DASK:
        return Shelf(lambda thing: _on_cluster(client, thing))
    if backend in _PROCESSES:
        return _files()
    return Shelf(lambda thing: thing)


# --- processes of this machine read files ------------------------------------------------------------------


def _files() -> Shelf:
    folder: list[Path] = []
    numbers = count()

    def put(thing: Any) -> File:
        if not folder:
            folder.append(Path(mkdtemp(prefix="tallymark-")))
        return File(thing, folder[0] / f"{next(numbers)}.shared")

    def close() -> None:
        from shutil import rmtree

        if folder:
            rmtree(folder[0], ignore_errors=True)

    return Shelf(put, close)


class File:
    """A thing that workers read from a file, which goes when nobody needs it."""

    def __init__(self, thing: Any, place: Path) -> None:
        import joblib

        joblib.dump(thing, place)
        self._place = str(place)
        finalize(self, place.unlink, missing_ok=True)

    def __reduce__(self) -> Any:
        return read, (self._place,)


@lru_cache(maxsize=_KEPT)
def read(place: str) -> Any:
    """In a worker: what is in a file; arrays are not copied, all workers look at the same."""
    import joblib

    return joblib.load(place, mmap_mode="r")


# --- workers of a cluster get it from each other -----------------------------------------------------------


def _on_cluster(client: Any, thing: Any) -> Any:
    """A future of it, with a recipe.

    What is scattered has none: it is gone with the worker that holds it. Of what is the result of a task the
    scheduler keeps the arguments, and has it made again.
    """
    import dask

    # A large argument is what is meant here.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}):
        return client.submit(_same, Boxed(thing), pure=False)


class Boxed:
    """A thing that Dask does not look into."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing


def _same(boxed: Boxed) -> Any:
    return boxed.thing
