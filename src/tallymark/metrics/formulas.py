r"""One string per formula; its text, LaTeX, worked form and value all come from that string.

A formula is a Python expression of names, numbers, `+ - * / **` and a few functions, such as
`"tp / (tp + fp)"`. A name that ends in `_k` stands for one number per class and may be given as a list;
`sum`, `max` and `min` of a single argument run over k: `"sum(support_k * precision_k) / n"`.

text -> Node (parsed once) -> Node with numbers filled in -> value, plain text or LaTeX.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from tallymark.metrics.formula_nodes import (
    UNDEFINED,
    Call,
    Name,
    Negative,
    Node,
    Number,
    Operation,
    Over,
    Series,
)
from tallymark.metrics.formula_writing import plain, typeset

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["latex", "names", "reduced", "text", "value", "worked"]

Numbers: TypeAlias = "Mapping[str, float | Number | Sequence[float | None] | NDArray[Any] | None]"
"""By name; a `Number` brings the way it is written."""


def names(formula: str) -> tuple[str, ...]:
    """The variables of a formula, in order of first appearance.

    >>> names("tp / (tp + fp)")
    ('tp', 'fp')
    """
    return tuple(dict.fromkeys(_names(_parsed(formula))))


def value(formula: str, numbers: Numbers) -> float | None:
    """What the formula gives, or None where that is no finite number (0 / 0, the root of a negative).

    Integers stay integers until a division. A number that is None, NaN or infinite counts as undefined.

    >>> value("tp / (tp + fp)", {"tp": 3, "fp": 1})
    0.75
    """
    try:
        result = _evaluated(_filled(_parsed(formula), numbers))
    except ArithmeticError:
        return None
    return None if isinstance(result, float) and not math.isfinite(result) else result


def text(formula: str) -> str:
    """The formula in plain text, with only the parentheses it needs.

    >>> text("((tp))/(tp+fp)")
    'tp / (tp + fp)'
    """
    return plain(_parsed(formula))[0]


def worked(formula: str, numbers: Numbers) -> str:
    """The formula with numbers in place of the names.

    >>> worked("tp / (tp + fp)", {"tp": 282, "fp": 462})
    '282 / (282 + 462)'
    """
    return plain(_filled(_parsed(formula), numbers))[0]


def reduced(formula: str, numbers: Numbers) -> str | None:
    """A worked fraction with both sides added up; None when the formula is no fraction or nothing changes.

    >>> reduced("tp / (tp + fp)", {"tp": 282, "fp": 462})
    '282 / 744'
    """
    fraction = _filled(_parsed(formula), numbers)
    if not (isinstance(fraction, Operation) and fraction.symbol == "/"):
        return None
    try:
        sides = _leaf(_evaluated(fraction.left)), _leaf(_evaluated(fraction.right))
    except ArithmeticError:
        return None
    shorter = plain(Operation("/", *sides))[0]
    return None if UNDEFINED in sides or shorter == plain(fraction)[0] else shorter


def latex(formula: str, numbers: Numbers | None = None) -> str:
    r"""The formula in LaTeX math (no dollar signs), worked when numbers are given.

    Only plain commands are used, which KaTeX, MathJax and matplotlib's mathtext all know.

    >>> print(latex("tp / n"), latex("tp / n", {"tp": 3, "n": 4}))
    \frac{\mathit{TP}}{N} \frac{3}{4}
    """
    node = _parsed(formula)
    return typeset(node if numbers is None else _filled(node, numbers))[0]


# Reading

SYMBOLS: dict[type[ast.operator], str]
SYMBOLS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}


@cache
def _parsed(formula: str) -> Node:
    try:
        return _node(ast.parse(formula.strip(), mode="eval").body)
    except SyntaxError as error:
        raise ValueError(f"a formula is one Python expression; got {formula!r}") from error


def _node(tree: ast.expr) -> Node:
    match tree:
        case ast.Name(id=name):
            return Name(name)
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as number) if number < math.inf:
            return Number(number, repr(number))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Negative(_node(operand))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in SYMBOLS:
            return Operation(SYMBOLS[type(op)], _node(left), _node(right))
        case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]) if function in FUNCTIONS:
            return _call(function, tuple(_node(argument) for argument in arguments))
    raise ValueError(
        f"a formula holds names, numbers, + - * / ** and calls to {', '.join(FUNCTIONS)}; "
        f"got {ast.unparse(tree)!r}"
    )


def _call(function: str, arguments: tuple[Node, ...]) -> Node:
    one, over_k = len(arguments) == 1, function in OVER_K
    if one and over_k and any(_running(arguments[0])):
        return Over(function, arguments[0])
    if (one and not over_k) or (len(arguments) > 1 and function in ("min", "max")):
        return Call(function, arguments)
    raise ValueError(
        "sqrt, log, exp and abs take one argument, sum takes one that has a name ending in _k, "
        f"min and max take that or several; got {function} of {len(arguments)}"
    )


def _children(node: Node) -> tuple[Node, ...]:
    match node:
        case Negative(operand):
            return (operand,)
        case Operation(_, left, right):
            return (left, right)
        case Call(_, several) | Series(_, several):
            return several
        case Over(_, argument):
            return (argument,)
        case Number() | Name():
            return ()


def _names(node: Node) -> Iterator[str]:
    if isinstance(node, Name):
        yield node.name
    for child in _children(node):
        yield from _names(child)


def _running(node: Node) -> Iterator[str]:
    """The `_k` names that the nearest sum, max or min around this node runs over."""
    if isinstance(node, Name) and node.name.endswith("_k"):
        yield node.name
    if not isinstance(node, Over):
        for child in _children(node):
            yield from _running(child)


# Filling in numbers


def _filled(node: Node, numbers: Numbers, k: int | None = None) -> Node:
    match node:
        case Name(name):
            return _leaf(_picked(name, numbers, k))
        case Negative(operand):
            return Negative(_filled(operand, numbers, k))
        case Operation(symbol, left, right):
            return Operation(symbol, _filled(left, numbers, k), _filled(right, numbers, k))
        case Call(function, arguments):
            return Call(function, tuple(_filled(argument, numbers, k) for argument in arguments))
        case Over(function, argument):
            classes = range(_classes(argument, numbers))
            return _series(function, tuple(_filled(argument, numbers, each) for each in classes))
        case Number() | Series():
            return node


def _picked(name: str, numbers: Numbers, k: int | None) -> float | Number | None:
    given: Any = numbers[name]
    if not _is_list(given):
        return cast("float | Number | None", given)
    if k is None or not name.endswith("_k"):
        raise ValueError(
            f"{name} must be one number here; only a _k name inside sum, max or min can be a list"
        )
    return cast("float | None", given[k])


def _is_list(given: object) -> bool:
    return hasattr(given, "__iter__")


def _classes(argument: Node, numbers: Numbers) -> int:
    given: dict[str, Any] = {name: numbers[name] for name in _running(argument)}
    lengths = {name: len(each) for name, each in given.items() if _is_list(each)}
    if len(set(lengths.values())) != 1:
        raise ValueError(f"sum, max and min over k need lists of one length; got {lengths or 'no list'}")
    return next(iter(lengths.values()))


def _series(function: str, terms: tuple[Node, ...]) -> Node:
    if len(terms) > 1:
        return Series(function, terms)
    if terms:
        return terms[0]
    return _leaf(0) if function == "sum" else UNDEFINED


def _leaf(number: float | Number | None) -> Node:
    if isinstance(number, Number):
        return number
    # NumPy integers become Python's, which do not overflow.
    if number is not None and hasattr(number, "__index__"):
        return Number(int(number), str(int(number)))
    if number is None or not math.isfinite(number):
        return UNDEFINED
    return Number(float(number), _rounded(float(number)))


def _rounded(number: float) -> str:
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    decimals_for_four_digits = 3 - math.floor(math.log10(abs(number)))
    return repr(round(number, max(4, decimals_for_four_digits)))


# Evaluating


def _defined(function: Callable[[Any], float]) -> Callable[[Any], float]:
    """The same function, with "outside its domain" as an ArithmeticError, like a division by zero."""

    def guarded(argument: Any) -> float:
        try:
            return function(argument)
        except ValueError as error:
            raise ArithmeticError(str(error)) from error

    return guarded


def _power(base: float, exponent: float) -> float:
    result: float | complex = base**exponent
    if isinstance(result, complex):
        raise ArithmeticError("root of a negative number")
    return result


def _total(numbers: Sequence[float]) -> float:
    if all(isinstance(number, int) for number in numbers):
        return sum(numbers)
    return _defined(math.fsum)(numbers)


OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": _power,
}
OVER_K: dict[str, Callable[[Sequence[float]], float]] = {"min": min, "max": max, "sum": _total}
FUNCTIONS: dict[str, Callable[..., float]] = {
    "sqrt": _defined(math.sqrt),
    "log": _defined(math.log),
    "exp": math.exp,
    "abs": abs,
    **OVER_K,
}


def _evaluated(node: Node) -> float:
    match node:
        case Number(number):
            return number
        case Negative(operand):
            return -_evaluated(operand)
        case Operation(symbol, left, right):
            return OPERATORS[symbol](_evaluated(left), _evaluated(right))
        case Call(function, arguments):
            return FUNCTIONS[function](*map(_evaluated, arguments))
        case Series(function, terms):
            return OVER_K[function]([_evaluated(term) for term in terms])
        case Name() | Over():
            raise ArithmeticError("undefined")
