"""The small faults that are put into a file: where, what, and how the tree is changed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_PAIRS = (
    ("min", "max"),
    ("minimum", "maximum"),
    ("any", "all"),
    ("floor", "ceil"),
    ("argmin", "argmax"),
    ("left", "right"),
    ("less", "greater"),
    ("zeros", "ones"),
    ("ndtr", "ndtri"),
)
_NAMES = dict(_PAIRS) | {second: first for first, second in _PAIRS}

MARK = "__reached__"
Replace = Callable[[Any], None]


@dataclass(frozen=True)
class Place:
    """One fault: its kind, where it is, the outermost function around it, and how to make it."""

    what: str
    line: int
    column: int
    statement: int
    """The line at which its statement begins."""
    # Qualified name and first line; nothing if the place is run when the module is imported.
    function: tuple[str, int] | tuple[()]
    before: str
    after: str
    change: Callable[[], None]


@dataclass(frozen=True)
class _Around:
    statement: ast.stmt | None = None
    within: tuple[str, ...] = ()
    function: tuple[str, int] | tuple[()] = ()


def places(tree: ast.Module) -> Iterator[Place]:
    """Every fault that this file can have, in the order of its text."""
    for index, statement in enumerate(tree.body):
        yield from _visited(statement, _setter(tree.body, index), _Around())


def marked(tree: ast.Module, file: str) -> ast.Module:
    """With a mark before every statement of every function, that tells when it is reached."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if not hasattr(node, "already_marked") and not isinstance(node, ast.ClassDef):
                    _mark(node, file)
    return ast.fix_missing_locations(tree)


def _mark(node: Any, file: str) -> None:
    node.already_marked = True
    for field in ("body", "orelse", "finalbody"):
        statements = getattr(node, field, None)
        if not isinstance(statements, list):
            continue
        new: list[ast.stmt] = []
        for index, statement in enumerate(statements):
            if index or not isinstance(node, ast.FunctionDef) or not _is_left_alone(statement):
                where = ast.Constant((file, statement.lineno))  # type: ignore[arg-type]
                call = ast.Call(ast.Name(MARK, ast.Load()), [where], [])
                new.append(ast.copy_location(ast.Expr(call), statement))
                new[-1].already_marked = True  # type: ignore[attr-defined]
            new.append(statement)
        setattr(node, field, new)


def _setter(holder: Any, key: Any) -> Replace:
    def put(new: Any) -> None:
        if isinstance(holder, list):
            holder[key] = new
        else:
            setattr(holder, key, new)

    return put


def _visited(node: ast.AST, put: Replace, around: _Around) -> Iterator[Place]:
    if _is_left_alone(node):
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield from _definition(node, around)
        return
    if isinstance(node, ast.stmt):
        around = replace(around, statement=node)
    for what, new in _faults(node, around):
        yield _place(what, node, new, put, around)
    if isinstance(node, ast.Raise):
        return
    for field, value in ast.iter_fields(node):
        if field == "annotation" or (isinstance(node, ast.keyword) and field == "arg"):
            continue
        if isinstance(value, ast.AST):
            yield from _visited(value, _setter(node, field), around)
        elif isinstance(value, list):
            for index, one in enumerate(value):
                if isinstance(one, ast.AST):
                    yield from _visited(one, _setter(value, index), around)


def _definition(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, around: _Around
) -> Iterator[Place]:
    outside = replace(around, statement=node)
    for index, decorator in enumerate(node.decorator_list):
        if "dataclass" not in ast.unparse(decorator):
            yield from _visited(decorator, _setter(node.decorator_list, index), outside)
    inside = replace(around, within=(*around.within, node.name))
    if not isinstance(node, ast.ClassDef):
        for defaults in (node.args.defaults, node.args.kw_defaults):
            for index, default in enumerate(defaults):
                if default is not None:
                    yield from _visited(default, _setter(defaults, index), outside)
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        if not around.function:
            inside = replace(inside, function=(".".join(inside.within), first))
    for index, statement in enumerate(node.body):
        yield from _visited(statement, _setter(node.body, index), inside)


def _is_left_alone(node: ast.AST) -> bool:
    """Wording, types and what is only for those who read."""
    match node:
        case ast.JoinedStr() | ast.Import() | ast.ImportFrom() | ast.Assert():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.FunctionDef(decorator_list=[ast.Name(id="overload"), *_]):
            return True
    return False


def _faults(node: ast.AST, around: _Around) -> Iterator[tuple[str, Any]]:
    """What this node could be instead."""
    match node:
        case ast.Compare(left, ops, comparators):
            for index, operator in enumerate(ops):
                others = [*ops[:index], _COMPARISONS[type(operator)](), *ops[index + 1 :]]
                yield f"comparison {index}", ast.Compare(left, others, comparators)
        case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
            # At the outermost level a bar joins types.
            if around.function or not isinstance(operator, ast.BitOr):
                yield "operator", ast.BinOp(left, _OPERATORS[type(operator)](), right)
        case ast.AugAssign(target, operator, value):
            yield "removed", ast.Pass()
            if type(operator) in _OPERATORS:
                yield "operator", ast.AugAssign(target, _OPERATORS[type(operator)](), value)
        case ast.UnaryOp(operand=operand):
            yield "sign", operand
        case ast.BoolOp(operator, values):
            yield "and or", ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
        case ast.Constant(value=bool(value)):
            yield "truth", ast.Constant(not value)
        case ast.Constant(value=(int() | float()) as number) if number is not None:
            yield "number", ast.Constant(number + 1)
        case ast.Constant(value=str(value)) if value in _NAMES:
            yield "name", ast.Constant(_NAMES[value])
        case ast.Name(id=name) if name in _NAMES and isinstance(node.ctx, ast.Load):
            yield "name", ast.Name(_NAMES[name], ast.Load())
        case ast.Attribute(value, name) if name in _NAMES and isinstance(node.ctx, ast.Load):
            yield "name", ast.Attribute(value, _NAMES[name], ast.Load())
        case ast.Return(value=ast.AST() as value) if (
            not isinstance(value, ast.Constant) or value.value is not None
        ):
            yield "returned", ast.Return(ast.Constant(None))
        case ast.Raise() | ast.Expr(value=ast.Call()):
            yield "removed", ast.Pass()
        case ast.If(test, body, orelse) if _is_plain(test):
            yield "condition", ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.IfExp(test, body, orelse) if _is_plain(test):
            yield "condition", ast.IfExp(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Call(function, arguments, keywords):
            for index, keyword in enumerate(keywords):
                if keyword.arg:
                    kept = [*keywords[:index], *keywords[index + 1 :]]
                    yield f"without {keyword.arg}", ast.Call(function, arguments, kept)


def _is_plain(test: ast.expr) -> bool:
    return not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp)


def _place(what: str, node: Any, new: Any, put: Replace, around: _Around) -> Place:
    statement = around.statement
    assert statement is not None

    def change() -> None:
        put(ast.copy_location(new, node))

    at = node.lineno, node.col_offset
    return Place(what, *at, statement.lineno, around.function, _head(node), _head(new), change)


def _head(node: ast.AST) -> str:
    text = ast.unparse(ast.fix_missing_locations(node)) if isinstance(node, ast.stmt) else ast.unparse(node)
    return text.partition("\n")[0]
