"""A formula in plain text and in LaTeX, with only the parentheses it needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tallymark.metrics.formula_nodes import Call, Name, Negative, Node, Number, Operation, Over, Series

Rendered: TypeAlias = "tuple[str, int]"

# How tightly a piece of printed text holds together; a piece goes in parentheses where tighter is needed.
SUM, SERIES, PRODUCT, POWER, ATOM = range(1, 6)

LONGEST_SERIES = 6

# symbol: level of the whole, level the left side needs, level the right side needs
NEEDS = {
    "+": (SUM, SUM, SERIES),
    "-": (SUM, SUM, SERIES),
    "*": (PRODUCT, PRODUCT, POWER),
    "/": (PRODUCT, PRODUCT, POWER),
    "**": (POWER, ATOM, POWER),
}


def plain(node: Node) -> Rendered:
    match node:
        case Number(_, shown):
            return shown, SUM if shown.startswith("-") else ATOM
        case Name(name):
            return name, ATOM
        case Negative(operand):
            return f"-{_plain_part(operand, POWER)}", SUM
        case Operation(symbol, left, right):
            level, left_needs, right_needs = NEEDS[symbol]
            glyph = symbol if symbol == "**" else f" {symbol} "
            return f"{_plain_part(left, left_needs)}{glyph}{_plain_part(right, right_needs)}", level
        case Call(function, arguments):
            return f"{function}({', '.join(plain(argument)[0] for argument in arguments)})", ATOM
        case Over(function, argument):
            return f"{function}({plain(argument)[0]})", ATOM
        case Series("sum", terms):
            return " + ".join(_written_out(terms, _plain_part, SERIES, "...")), SUM
        case Series(function, terms):
            return f"{function}({', '.join(_written_out(terms, _plain_part, SUM, '...'))})", ATOM


def _plain_part(node: Node, needs: int) -> str:
    printed, level = plain(node)
    return printed if level >= needs else f"({printed})"


def typeset(node: Node) -> Rendered:
    match node:
        case Number(_, shown):
            return _typeset_number(shown)
        case Name(name):
            return _typeset_name(name), ATOM
        case Negative(operand):
            return f"-{_typeset_part(operand, POWER)}", SUM
        case Operation("/", left, right):
            # A fraction bar groups by itself, but as the base of a power it needs parentheses.
            return rf"\frac{{{typeset(left)[0]}}}{{{typeset(right)[0]}}}", POWER
        case Operation("**", base, exponent):
            return f"{_typeset_part(base, ATOM)}^{{{typeset(exponent)[0]}}}", POWER
        case Operation(symbol, left, right):
            level, left_needs, right_needs = NEEDS[symbol]
            glyph = r"\cdot" if symbol == "*" else symbol
            return f"{_typeset_part(left, left_needs)} {glyph} {_typeset_part(right, right_needs)}", level
        case Call("sqrt", (argument,)):
            return rf"\sqrt{{{typeset(argument)[0]}}}", ATOM
        case Call("abs", (argument,)):
            return rf"\left|{typeset(argument)[0]}\right|", ATOM
        case Call(function, arguments):
            return _typeset_call(function, [typeset(argument)[0] for argument in arguments])
        case Over("sum", argument):
            return rf"\sum_k {_typeset_part(argument, PRODUCT)}", SERIES
        case Over(function, argument):
            return rf"\{function}_k {_typeset_part(argument, ATOM)}", SERIES
        case Series("sum", terms):
            return " + ".join(_written_out(terms, _typeset_part, SERIES, r"\cdots")), SUM
        case Series(function, terms):
            return _typeset_call(function, _written_out(terms, _typeset_part, SUM, r"\ldots"))


def _typeset_part(node: Node, needs: int) -> str:
    printed, level = typeset(node)
    return printed if level >= needs else rf"\left({printed}\right)"


def _written_out(
    terms: tuple[Node, ...], part: Callable[[Node, int], str], needs: int, dots: str
) -> list[str]:
    first, *rest = terms
    if len(terms) <= LONGEST_SERIES:
        return [part(first, SUM), *(part(term, needs) for term in rest)]
    return [part(first, SUM), part(rest[0], needs), dots, part(rest[-1], needs)]


def _typeset_call(function: str, arguments: list[str]) -> Rendered:
    # Not an atom: in \log(x)^2 nobody knows what is squared.
    return rf"\{function}\left({', '.join(arguments)}\right)", POWER


def _typeset_number(shown: str) -> Rendered:
    mantissa, _, exponent = shown.partition("e")
    printed = rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa
    if shown.startswith("-"):
        return printed, SUM
    return printed, PRODUCT if exponent else ATOM


TYPESET_NAMES = {
    **{name: rf"\mathit{{{name.upper()}}}" for name in ("tp", "fn", "fp", "tn")},
    **{name: rf"\mathrm{{{name.upper()}}}" for name in ("auc", "fdr", "fnr", "fpr", "mcc", "npv", "ppv")},
    **{name: rf"\{name}" for name in ("alpha", "beta", "kappa", "theta")},
    "n": "N",
    "f1": "F_1",
}


def _typeset_name(name: str) -> str:
    if name in TYPESET_NAMES:
        return TYPESET_NAMES[name]
    if name.endswith("_k") and len(name) > 2:
        return _with_k(_typeset_name(name[:-2]))
    if len(name) == 1:
        return name
    if len(name) == 2 and name[1].isdigit():
        return f"{name[0]}_{name[1]}"
    spaced = name.replace("_", r"\ ")
    return rf"\mathrm{{{spaced}}}"


def _with_k(typeset: str) -> str:
    # LaTeX refuses two subscripts in a row: F_1 of class k is F_{1,k}.
    base, _, subscript = typeset.partition("_")
    return f"{base}_{{{subscript},k}}" if subscript else f"{base}_k"
