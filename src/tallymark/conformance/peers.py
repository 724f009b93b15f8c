"""The libraries there are adapters for."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module, metadata
from importlib.util import find_spec

from tallymark.conformance.case import Call
from tallymark.errors import MissingExtraError, OptionError

EVERY = "all"


@dataclass(frozen=True)
class Peer:
    """A library by the name it is asked for, the module it is imported as and the name it is installed by."""

    name: str
    module: str
    package: str

    @property
    def installed(self) -> bool:
        return find_spec(self.module) is not None

    @property
    def version(self) -> str:
        return metadata.version(self.package)


PEERS = {
    peer.name: peer
    for peer in (
        Peer("sklearn", "sklearn", "scikit-learn"),
        Peer("torchmetrics", "torchmetrics", "torchmetrics"),
        Peer("pycm", "pycm", "pycm"),
        Peer("mlxtend", "mlxtend", "mlxtend"),
        Peer("statsmodels", "statsmodels", "statsmodels"),
        Peer("scipy", "scipy", "scipy"),
        Peer("imblearn", "imblearn", "imbalanced-learn"),
    )
}


@dataclass(frozen=True)
class Adapter:
    """What a library is called with: by the name of the question, and what is said to mend its answer."""

    calls: Mapping[str, Call]
    remedies: Mapping[str, Sequence[tuple[str, Call]]]


def adapter(name: str) -> Adapter:
    """That of a library; only now is the library imported."""
    try:
        module = import_module(f"tallymark.conformance.adapters.{name}")
    except ImportError as problem:
        raise MissingExtraError(
            f"{name} is installed, but cannot be imported: {problem}.",
            hint=f"install it anew, pip install {PEERS[name].package}, or leave it out.",
        ) from problem
    return Adapter(module.CALLS, getattr(module, "REMEDIES", {}))


def chosen(names: Sequence[str]) -> list[Peer]:
    """The libraries that were named, each once; `all` is every installed one."""
    found: dict[str, Peer] = {}
    for name in names:
        if name == EVERY:
            found |= {peer.name: peer for peer in PEERS.values() if peer.installed}
            continue
        peer = PEERS.get(name) or next((each for each in PEERS.values() if each.package == name), None)
        if peer is None:
            raise _unknown(name)
        if not peer.installed:
            raise MissingExtraError(
                f"{peer.name} is not installed, so it cannot be asked.", hint=f"pip install {peer.package}"
            )
        found[peer.name] = peer
    return list(found.values())


def _unknown(name: str) -> OptionError:
    every = [*PEERS, *(peer.package for peer in PEERS.values()), EVERY]
    close = difflib.get_close_matches(name.lower(), dict.fromkeys(every), n=2, cutoff=0.6)
    hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(PEERS)}, and {EVERY}."
    return OptionError(f"no library called {name!r} can be asked.", hint=hint)
