"""The type that holds the values of two parts of a column unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tallymark.errors import ColumnError
from tallymark.intake.files.kinds import cut, shown

if TYPE_CHECKING:
    import polars as pl


def common_schema(
    paths: Sequence[Path], schemas: Sequence[Mapping[str, pl.DataType]], *, numbers_mix: bool
) -> dict[str, pl.DataType]:
    """The types that hold the values of all parts of a table; parts that do not fit are named."""
    import polars as pl

    found = dict(schemas[0])
    typed_by = dict.fromkeys(found, paths[0])
    for path, schema in zip(paths, schemas, strict=True):
        for name, dtype in schema.items():
            common = common_type(found[name], dtype, numbers_mix=numbers_mix)
            if common is None:
                first = f"{found[name]} in {shown(typed_by[name])}"
                raise ColumnError(
                    f"column {cut(name)} is {first} but {dtype} in {shown(path)}.",
                    hint="write the parts with equal types.",
                )
            if common != found[name]:
                found[name], typed_by[name] = common, path
    empty_sets = pl.List(pl.Null)
    return {name: pl.List(pl.String) if dtype == empty_sets else dtype for name, dtype in found.items()}


def common_type(one: pl.DataType, other: pl.DataType, *, numbers_mix: bool) -> pl.DataType | None:
    """The wider of two types; None when there is none, as for text and numbers.

    Whole numbers and floats have one only when `numbers_mix`: JSON writes the share 1.0 as 1.
    """
    import polars as pl

    if one == other:
        return one
    if pl.Null in (one, other):
        return other if one == pl.Null else one
    if isinstance(one, pl.List) and isinstance(other, pl.List):
        inner = common_type(_type(one.inner), _type(other.inner), numbers_mix=False)
        return None if inner is None else pl.List(inner)
    if _is_text(one) and _is_text(other):
        return pl.String()
    if one.is_integer() and other.is_integer():
        return _integer(one, other)
    floats = one.is_float() + other.is_float()
    if floats == 2 or (numbers_mix and floats == 1 and one.is_numeric() and other.is_numeric()):
        return pl.Float64()
    return None


def _type(dtype: object) -> pl.DataType:
    return dtype() if isinstance(dtype, type) else dtype  # type: ignore[return-value]


def _is_text(dtype: pl.DataType) -> bool:
    import polars as pl

    return dtype in (pl.String, pl.Categorical, pl.Enum)


def _integer(one: pl.DataType, other: pl.DataType) -> pl.DataType:
    import polars as pl

    return pl.Int128() if pl.Int128 in (one, other) or pl.UInt64 in (one, other) else pl.Int64()
