"""Tables with all that engines disagree about, as lists of Python values and as every library has them."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import cycle, islice
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa

NAN, BEYOND = float("nan"), 2**53
ROWS = 84
TEXT = pa.string()
DICTIONARY = pa.dictionary(pa.int32(), TEXT)


@dataclass(frozen=True)
class Nasty:
    """A table: its columns as lists of Python values, and the types they are kept in."""

    columns: dict[str, list[Any]]
    types: dict[str, pa.DataType]
    options: dict[str, Any] = field(default_factory=dict)
    """What must be said of it."""

    @property
    def arrow(self) -> pa.Table:
        held = {
            name: pa.array(values, self.types[name], from_pandas=False)
            for name, values in self.columns.items()
        }
        return pa.table(held)


def nasty(
    actual: list[Any],
    predicted: list[Any],
    kinds: tuple[pa.DataType, pa.DataType],
    score: tuple[list[Any], pa.DataType],
    **options: Any,
) -> Nasty:
    """Labels beside all kinds of others, scores and weights: lists of other lengths, again and again."""
    given: dict[str, tuple[list[Any], pa.DataType]] = {
        "actual": (actual, kinds[0]),
        "predicted": (predicted, kinds[1]),
        "score": score,
        "whole": ([1, 0, 3, 2, None, 1, 1, 2, 5, None, 1, 0, 0, 4, 1, 2, 1], pa.int16()),
        "share": ([0.5, 0.0, 2.75, NAN, 1.0, None, 0.125, 3.0, 0.5, 1.5, 1.0], pa.float64()),
        "place": (["n", "", "s", None, "n ", "s", "e", "n"], TEXT),
        "dose": ([0.5, 1.0, -0.0, 0.0, 2.0, 0.5], pa.float64()),
    }
    columns = {name: list(islice(cycle(values), ROWS)) for name, (values, _) in given.items()}
    return Nasty(columns, {name: kind for name, (_, kind) in given.items()}, options)


def decimals(*values: str | None) -> list[Decimal | None]:
    return [None if value is None else Decimal(value) for value in values]


PLAIN = [0.5, 0.0, -0.0, None, 1.0, 0.3, NAN, 0.7, 0.30000000000000004, 5e-324, 1 - 2**-53, 0.25, 0.1]
SCORES: dict[str, tuple[list[Any], pa.DataType]] = {
    "float64": (PLAIN, pa.float64()),
    "float32": (
        [0.5, -0.0, 0.0, None, 1.0, 0.30000001192092896, NAN, 0.75, 2**-149, 0.25, 0.125],
        pa.float32(),
    ),
    "outside": ([-0.0, 0.0, 3.5, -2.0, None, 1e300, -1e-300, 0.5, NAN, 1.0, 5e-324], pa.float64()),
    "decimal": (decimals("0.500", "0.000", "1.000", None, "0.301", "0.700", "0.999"), pa.decimal128(6, 3)),
    "boolean": ([True, False, None, True, False, False, True], pa.bool_()),
    "uint8": ([0, 1, 255, None, 7, 1, 0], pa.uint8()),
    "int64": ([0, 1, -(2**53), None, 2**53, 1, 0], pa.int64()),
}

TABLES: dict[str, Nasty] = {
    "whole numbers": nasty(
        [0, BEYOND + 1, 1, None, BEYOND, 1, -(2**63)],
        [BEYOND, 1, 0, BEYOND + 1, 1, None, 2**63 - 1, 0, 1],
        (pa.int64(), pa.int64()),
        SCORES["float64"],
        pos_label=1,
    ),
    "small numbers": nasty(
        [0, 1, 1, None, 0], [1, 0, None, 1], (pa.uint8(), pa.int16()), SCORES["outside"], grid=(-5, 5)
    ),
    "floats": nasty(
        [0.0, 1.0, -0.0, None, 1.0, NAN, 0.0],
        [1, 0, 1, None, 0],
        (pa.float64(), pa.int64()),
        SCORES["float32"],
    ),
    "narrow floats": nasty(
        [0.0, 1.0, -0.0, None, 1.0, NAN, 0.0],
        [1.0, 0.0, NAN, None, -0.0],
        (pa.float32(), pa.float64()),
        SCORES["decimal"],
    ),
    "booleans": nasty(
        [True, False, None, True, False],
        [True, False, True, None],
        (pa.bool_(), pa.bool_()),
        SCORES["boolean"],
    ),
    "booleans and numbers": nasty(
        [True, False, None, True, False],
        [1, 0, 1, None],
        (pa.bool_(), pa.uint8()),
        SCORES["uint8"],
        grid=(0, 256),
    ),
    "decimals": nasty(
        decimals("0.00", "1.00", None, "1.00", "2.00"),
        decimals("1", "0", "2", None),
        (pa.decimal128(5, 2), pa.decimal128(38, 0)),
        SCORES["decimal"],
        pos_label=2,
    ),
    "text": nasty(
        ["yes", "no", None, "", "yes ", "YES", "no"],
        ["no", "yes", "", None, "n\u00e3o", "na\u0303o", "no", "NaN", "yes"],
        (TEXT, TEXT),
        SCORES["float64"],
        pos_label="yes",
    ),
    "numbers as text": nasty(
        ["0", "1", None, "1", "0"], ["1", "0", "0", None], (TEXT, TEXT), SCORES["int64"], grid=(-9, 9)
    ),
    "codes as text": nasty(
        ["007", "7", None, "0", "0.0"],
        ["7", "007", "+7", None],
        (TEXT, TEXT),
        SCORES["float64"],
        pos_label="007",
    ),
    "categories": nasty(
        ["b", "a", None, "c", "b"],
        ["a", "b", "d", None],
        (DICTIONARY, DICTIONARY),
        SCORES["float32"],
        pos_label="c",
    ),
    "dates": nasty(
        [datetime.date(2024, 2, 29), None, datetime.date(1969, 12, 31), datetime.date(2024, 2, 29)],
        [datetime.date(2024, 2, 29), datetime.date(1969, 12, 31), None],
        (pa.date32(), pa.date32()),
        SCORES["float64"],
        pos_label="2024-02-29",
    ),
}


# --- in the form of every library -------------------------------------------------------------------


def _index(frame: pd.DataFrame) -> pd.DataFrame:
    """With an index that repeats itself, of which nothing may be made."""
    return frame.set_axis([7, 3, 7, 0] * (len(frame) // 4), axis=0)


def pandas_objects(table: Nasty) -> pd.DataFrame:
    return _index(pd.DataFrame({name: pd.Series(held, dtype=object) for name, held in table.columns.items()}))


def pandas_arrow(table: Nasty) -> pd.DataFrame:
    return _index(table.arrow.to_pandas(types_mapper=pd.ArrowDtype))


_NULLABLE = {
    pa.int64(): pd.Int64Dtype(), pa.int16(): pd.Int16Dtype(), pa.uint8(): pd.UInt8Dtype(),
    pa.float64(): pd.Float64Dtype(), pa.float32(): pd.Float32Dtype(), pa.bool_(): pd.BooleanDtype(),
    TEXT: pd.StringDtype(),
}  # fmt: skip


def pandas_nullable(table: Nasty) -> pd.DataFrame:
    return _index(table.arrow.to_pandas(types_mapper=_NULLABLE.get))


def pandas_categories(table: Nasty) -> pd.DataFrame:
    """Labels and slices as categories, one of which no row has."""
    frame = pandas_objects(table)
    for name in ("actual", "predicted", "place"):
        frame[name] = frame[name].astype("category")
    return frame.assign(score=frame["score"].astype("Float64"), whole=frame["whole"].astype("Int16"))


def polars_frame(table: Nasty) -> pl.DataFrame:
    frame = pl.from_arrow(table.arrow)
    assert isinstance(frame, pl.DataFrame)
    return frame


def polars_enums(table: Nasty) -> pl.DataFrame:
    """Text as an enumeration, in an order of its own."""
    frame = polars_frame(table)
    for name in ("actual", "predicted", "place"):
        if frame[name].dtype in (pl.String, pl.Categorical):
            words = frame[name].cast(pl.String).drop_nulls().unique().sort(descending=True)
            frame = frame.with_columns(pl.col(name).cast(pl.String).cast(pl.Enum(words)))
    return frame


def arrow_chunks(table: Nasty) -> pa.Table:
    """In pieces, one of them empty."""
    whole = table.arrow
    return pa.concat_tables([whole[:10], whole[10:10], whole[10:]])


IN_MEMORY: dict[str, Callable[[Nasty], Any]] = {
    "pandas objects": pandas_objects,
    "pandas nullable": pandas_nullable,
    "pandas arrow": pandas_arrow,
    "pandas categories": pandas_categories,
    "polars": polars_frame,
    "polars enums": polars_enums,
    "polars lazy": lambda table: polars_frame(table).lazy(),
    "pyarrow": arrow_chunks,
}
