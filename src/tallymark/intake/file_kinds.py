"""Which kind of file a path names, and in plain words why it cannot be read."""

from __future__ import annotations

import difflib
import os
import shlex
import stat
from collections.abc import Sequence
from pathlib import Path

from tallymark.errors import FileError, OptionError

READ = ".csv (commas), .tsv or .tab (tabs), .parquet or .pq"
TEXT_SUFFIXES = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
PARQUET_SUFFIXES = (".parquet", ".pq")
UTF8_MARK = b"\xef\xbb\xbf"

_UNPACK = "unpack it first, then name the file inside."
_EXPORT = "save the table as .csv or .parquet first."
_NOT_READ = {
    ".gz": ("gzip-compressed", _UNPACK),
    ".bz2": ("bzip2-compressed", _UNPACK),
    ".xz": ("xz-compressed", _UNPACK),
    ".zst": ("zstd-compressed", _UNPACK),
    ".zip": ("zip", _UNPACK),
    ".xlsx": ("Excel", _EXPORT),
    ".xls": ("Excel", _EXPORT),
    ".json": ("JSON", _EXPORT),
    ".ndjson": ("NDJSON", _EXPORT),
    ".jsonl": ("NDJSON", _EXPORT),
    ".feather": ("Feather", _EXPORT),
    ".arrow": ("Arrow", _EXPORT),
    ".ipc": ("Arrow", _EXPORT),
    ".arff": ("ARFF", _EXPORT),
    ".npz": ("NumPy", _EXPORT),
    ".npy": ("NumPy", _EXPORT),
    ".pkl": ("pickle", _EXPORT),
    ".pickle": ("pickle", _EXPORT),
}
_MAGIC = (
    (b"\x1f\x8b", "gzip-compressed data", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data", _UNPACK),
    (b"\xfd7zXZ\x00", "xz-compressed data", _UNPACK),
    (b"ARROW1\x00", "an Arrow (Feather) table", _EXPORT),
    (b"\x93NUMPY", "a NumPy array", _EXPORT),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook", _EXPORT),
    (b"SQLite format 3\x00", "an SQLite database", _EXPORT),
    (b"\x89HDF\r\n\x1a\n", "HDF5 data", _EXPORT),
    (b"PARE", "encrypted Parquet data", "decrypt it first."),
)


def shown(path: Path) -> str:
    """The path for a message of one line, whatever characters it has."""
    text = str(path)
    return text if text.isprintable() else repr(text)


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def checked_delimiter(delimiter: str | None) -> str | None:
    if delimiter in ("tab", "\\t"):
        return "\t"
    if delimiter is None:
        return None
    if len(delimiter) != 1:
        raise OptionError(f"delimiter must be one character, or 'tab'; got {delimiter!r}.")
    if delimiter in '"\n\r\0' or "\ud800" <= delimiter <= "\udfff":
        raise OptionError(f"delimiter cannot be a quote, a line end or a NUL; got {delimiter!r}.")
    return delimiter


def text_delimiter(path: Path, delimiter: str | None) -> str | None:
    """The delimiter of a text file, None for Parquet; raises for anything that cannot be read."""
    size = size_of(path)
    suffix = path.suffix.lower()
    if suffix in _NOT_READ:
        name, hint = _NOT_READ[suffix]
        raise FileError(f"{shown(path)}: {name} files are not read yet; these are: {READ}.", hint=hint)
    parquet = suffix in PARQUET_SUFFIXES
    delimiter = delimiter or TEXT_SUFFIXES.get(suffix)
    if not parquet and delimiter is None:
        what = f"the suffix '{suffix}' does not tell" if suffix else "no suffix tells"
        raise FileError(
            f"{shown(path)}: {what} the format; these are read: {READ}.",
            hint="for a text file name its delimiter, such as delimiter ',' (--delimiter ',').",
        )
    check_content(path, size, parquet=parquet)
    return None if parquet else delimiter


def unreadable(path: Path, error: OSError) -> FileError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return _missing(path)
    if isinstance(error, PermissionError):
        return FileError(f"no permission to read {shown(path)}.", hint="check who may read the file.")
    return FileError(f"{shown(path)} cannot be read: {error.strerror or type(error).__name__}.")


def size_of(path: Path) -> int:
    """Bytes in a file that is really a file; anything else is an error."""
    try:
        facts = path.stat()
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError:  # a NUL in the name
        raise FileError(f"{str(path)!r} cannot be the name of a file.") from None
    if stat.S_ISDIR(facts.st_mode):
        raise FileError(f"{shown(path)} is a folder, not a file.", hint="name the files in it.")
    if not stat.S_ISREG(facts.st_mode):
        raise FileError(
            f"{shown(path)} is a pipe or a device, not a file.", hint="save the data to a file first."
        )
    return facts.st_size


def _missing(path: Path) -> FileError:
    folder = path.parent
    if not folder.is_dir():
        return FileError(f"there is no file {shown(path)}: there is no folder {shown(folder)}.")
    try:
        close = difflib.get_close_matches(path.name, os.listdir(folder), n=1)
    except OSError:
        close = []
    hint = f"did you mean {shown(folder / close[0])}?" if close else None
    return FileError(f"there is no file {shown(path)}.", hint=hint)


def check_content(path: Path, size: int, *, parquet: bool) -> None:
    """Refuse a file whose first bytes are of another kind than its name says."""
    if size == 0:
        raise FileError(f"{shown(path)} is empty (0 bytes).")
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError as error:
        raise unreadable(path, error) from None
    # a control byte follows the four letters, which may also begin a header line
    if head.startswith(b"PAR1") and (len(head) == 4 or (head[4] < 32 and head[4] not in b"\t\r\n")):
        if not parquet:
            hint = f"rename it to {shown(path.with_suffix('.parquet'))}."
            raise FileError(f"{shown(path)} holds Parquet data, not text.", hint=hint)
        return
    what, hint = _recognised(path, head)
    if what:
        wanted = "Parquet" if parquet else "UTF-8 text"
        raise FileError(f"{shown(path)} holds {what}, not {wanted}.", hint=hint)
    if parquet and _looks_like_text(head):
        hint = f"if it is a CSV, rename it to {shown(path.with_suffix('.csv'))}."
        raise FileError(f"{shown(path)} holds text, not Parquet.", hint=hint)
    if parquet:
        raise FileError(f"{shown(path)} is not a Parquet file: it does not begin with PAR1.")


def _recognised(path: Path, head: bytes) -> tuple[str, str]:
    for magic, what, hint in _MAGIC:
        if head.startswith(magic):
            return what, hint
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        workbook = b"[Content_Types].xml" in head or b"xl/" in head
        return ("an Excel workbook", _EXPORT) if workbook else ("a zip archive", _UNPACK)
    if head.startswith(b"BZh") and head[4:10] == b"1AY&SY":
        return "bzip2-compressed data", _UNPACK
    if head.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return "UTF-32 text", conversion(path, "utf-32")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16 text", conversion(path, "utf-16")
    for zeros, letters, name in ((head[1::2], head[::2], "utf-16le"), (head[::2], head[1::2], "utf-16be")):
        # in UTF-16 text without a mark every second byte is NUL and the others hardly ever
        if len(zeros) > 1 and zeros.count(0) > 0.8 * len(zeros) and 0 not in letters:
            return "UTF-16 text", conversion(path, name)
    if head.removeprefix(UTF8_MARK).lstrip()[:15].lower().startswith((b"<!doctype html", b"<html")):
        return "a web page (HTML)", "download the table itself."
    return "", ""


def conversion(path: Path, encoding: str) -> str:
    """The command to copy; no full stop after it."""
    source, target = (shlex.quote(shown(name)) for name in (path, path.with_stem(f"{path.stem}-utf8")))
    return f"convert it: iconv -f {encoding} -t utf-8 {source} > {target}"


def _looks_like_text(head: bytes) -> bool:
    return not any(byte < 32 and byte not in b"\t\r\n\f" for byte in head)


def bad_bytes(path: Path) -> FileError:
    """Names the first NUL or, without one, the first byte that is not UTF-8."""
    content = path.read_bytes()
    at = content.find(0)
    if at >= 0:
        hint = "a text file has none: is it binary data, or was the writing of it broken off?"
        return FileError(f"line {_line_of(content, at)} of {shown(path)} has a NUL byte.", hint=hint)
    try:
        content.decode()
    except UnicodeDecodeError as error:
        at = error.start
    name, encoding = ("Windows-1252", "windows-1252") if content[at] < 0xA0 else ("Latin-1", "latin1")
    return FileError(
        f"line {_line_of(content, at)} of {shown(path)} is not UTF-8 (byte 0x{content[at]:02X}).",
        hint=f"if the text is {name}, {conversion(path, encoding)}",
    )


def _line_of(content: bytes, at: int) -> int:
    line_feeds, returns, pairs = (content.count(end, 0, at) for end in (b"\n", b"\r", b"\r\n"))
    return line_feeds + returns - pairs + 1
