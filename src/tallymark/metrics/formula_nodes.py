"""What a formula is made of, once it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Number:
    value: float
    shown: str


@dataclass(frozen=True)
class Name:
    name: str


@dataclass(frozen=True)
class Negative:
    operand: Node


@dataclass(frozen=True)
class Operation:
    symbol: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Call:
    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Over:
    """sum, max or min over k of an argument that has a name ending in `_k`."""

    function: str
    argument: Node


@dataclass(frozen=True)
class Series:
    """An `Over` written out: one term per class."""

    function: str
    terms: tuple[Node, ...]


Node: TypeAlias = Number | Name | Negative | Operation | Call | Over | Series

UNDEFINED = Name("undefined")
