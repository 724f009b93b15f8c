"""Which kind of file a path names, and in plain words why it cannot be read."""

from __future__ import annotations

import codecs
import difflib
import os
import re
import shlex
import stat
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Literal

from tallymark.errors import FileError, OptionError

Kind = Literal["text", "Parquet", "Arrow", "NumPy", "JSON lines", "JSON", "ARFF", "WEKA"]

READ = (
    ".csv, .tsv, .tab, .ndjson, .jsonl, .json, .arff (each also as .gz), .parquet, .pq, .arrow, .feather, "
    ".ipc, .npz, and what WEKA prints"
)
TEXT_SUFFIXES = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
SUFFIXES: dict[str, Kind] = {
    **dict.fromkeys(TEXT_SUFFIXES, "text"),
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".arrow": "Arrow",
    ".feather": "Arrow",
    ".ipc": "Arrow",
    ".npz": "NumPy",
    ".ndjson": "JSON lines",
    ".jsonl": "JSON lines",
    ".json": "JSON",
    ".arff": "ARFF",
}
UTF8_MARK = b"\xef\xbb\xbf"
GZIP_MARK = b"\x1f\x8b"
UNPACK = "unpack it first, then name the file inside."

_EXPORT = "save the table as .csv or .parquet first."
_NAME_ARRAYS = "give each column a name: numpy.savez('predictions.npz', actual=y, predicted=p)."
NOT_READ = {
    ".bz2": ("bzip2-compressed", UNPACK),
    ".xz": ("xz-compressed", UNPACK),
    ".zst": ("zstd-compressed", UNPACK),
    ".zip": ("zip", UNPACK),
    ".tar": ("tar", UNPACK),
    ".tgz": ("tar", UNPACK),
    ".xlsx": ("Excel", _EXPORT),
    ".xls": ("Excel", _EXPORT),
    ".npy": (".npy", _NAME_ARRAYS),
    ".pkl": ("pickle", _EXPORT),
    ".pickle": ("pickle", _EXPORT),
}
_MAGIC = (
    (GZIP_MARK, "gzip-compressed data", UNPACK),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data", UNPACK),
    (b"\xfd7zXZ\x00", "xz-compressed data", UNPACK),
    (b"FEA1", "an old Feather table (version 1)", "write it again as Feather version 2."),
    (b"\x93NUMPY", "a lone NumPy array", _NAME_ARRAYS),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook", _EXPORT),
    (b"SQLite format 3\x00", "an SQLite database", _EXPORT),
    (b"\x89HDF\r\n\x1a\n", "HDF5 data", _EXPORT),
    (b"PARE", "encrypted Parquet data", "decrypt it first."),
)
_BINARY = {
    "Parquet": "a Parquet file: it does not begin with PAR1",
    "Arrow": "an Arrow file: it begins neither as the file format nor as the stream format",
    "NumPy": "an .npz file: it is no zip archive of arrays",
}
_WORDS = {"JSON lines": "JSON", "NumPy": ".npz", "WEKA": "WEKA's prediction"}
USUAL_SUFFIXES: dict[Kind | None, str] = {
    "Parquet": ".parquet",
    "Arrow": ".arrow",
    "NumPy": ".npz",
    "JSON lines": ".ndjson",
    "JSON": ".json",
    "ARFF": ".arff",
    "WEKA": ".txt",
}

_LETTERS_SHOWN = 40
_BLOCK = 1 << 22
HEAD = 1 << 20  # WEKA prints the model, which may be long, before the predictions
_JSON_LINES = re.compile(rb'\{\s*["}]')
_JSON_LIST = re.compile(rb"\[\s*[{\]]")
_ARFF = re.compile(rb"(?:%[^\r\n]*[\r\n]\s*)*@relation\b", re.IGNORECASE)
_WEKA = re.compile(rb"^[ \t]*inst#([ \t]+|,)actual(?:[ \t]+|,)predicted(?:[ \t]+|,)error\b", re.MULTILINE)


def shown(path: Path) -> str:
    """The path for a message of one line, whatever characters it has."""
    text = str(path)
    return text if text.isprintable() else repr(text)


def cut(name: str) -> str:
    """A name in quotes, not too long for a message."""
    return repr(name if len(name) <= _LETTERS_SHOWN else name[:_LETTERS_SHOWN] + "...")


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


def head_of(path: Path, size: int) -> bytes:
    """The first bytes, by which a kind is recognised; an empty file is an error."""
    if size == 0:
        raise FileError(f"{shown(path)} is empty (0 bytes).")
    try:
        with path.open("rb") as file:
            return file.read(HEAD)
    except OSError as error:
        raise unreadable(path, error) from None


def kind_by_content(head: bytes) -> Kind | None:
    """The kind of data that begins like this; None for delimited text, and for what is not known."""
    # a control byte follows the four letters, which may also begin a header line
    if head.startswith(b"PAR1") and (len(head) == 4 or (head[4] < 32 and head[4] not in b"\t\r\n")):
        return "Parquet"
    if head.startswith((b"ARROW1\x00", b"\xff\xff\xff\xff")):
        return "Arrow"
    if head.startswith(b"PK\x03\x04") and head[30 : 30 + int.from_bytes(head[26:28], "little")].endswith(
        b".npy"
    ):
        return "NumPy"
    start = head.removeprefix(UTF8_MARK).lstrip()
    if _JSON_LINES.match(start):
        return "JSON lines"
    if _JSON_LIST.match(start):
        return "JSON"
    if _ARFF.match(start):
        return "ARFF"
    return "WEKA" if b"inst#" in head and _WEKA.search(head) else None


def kind_of(path: Path, delimiter: str | None) -> tuple[Kind, str]:
    """The kind of a file by its suffix, checked against its content, and the delimiter of a text."""
    size = size_of(path)
    suffix = path.suffix.lower()
    if suffix == ".tally":
        raise FileError(
            f"{shown(path)} holds counts, and this needs rows.",
            hint="name the files that hold the rows; `tallymark evaluate` and the curves take counts, too.",
        )
    if suffix in NOT_READ:
        name, hint = NOT_READ[suffix]
        raise FileError(f"{shown(path)}: {name} files are not read; these are: {READ}.", hint=hint)
    head = head_of(path, size)
    found = kind_by_content(head)
    wanted = SUFFIXES.get(suffix) or (found if delimiter is None else "text")
    if found == "WEKA" and wanted == "text":
        return found, ""
    if found in ("JSON", "JSON lines") and wanted in ("JSON", "JSON lines"):
        return found, ""
    if wanted is None:
        what = f"the suffix '{suffix}' does not tell" if suffix else "no suffix tells"
        raise FileError(
            f"{shown(path)}: {what} the format; these are read: {READ}.",
            hint="for a text file name its delimiter: --delimiter ',' (in Python delimiter=',').",
        )
    if head.startswith(GZIP_MARK) and wanted not in _BINARY:
        hint = f"rename it to {shown(path.with_name(path.name + '.gz'))}."
        raise FileError(f"{shown(path)} holds gzip-compressed data, not text.", hint=hint)
    refuse_foreign(path, head, found, wanted)
    return wanted, delimiter or TEXT_SUFFIXES.get(suffix, "")


def check_text(path: Path, size: int) -> None:
    """Refuse a file whose first bytes are not those of a text."""
    head = head_of(path, size)
    found = kind_by_content(head)
    refuse_foreign(path, head, found if found in _BINARY else None, "text")


def refuse_foreign(path: Path, head: bytes, found: Kind | None, wanted: Kind) -> None:
    """Raise when a file is of another kind than the wanted one; `found` is what its content tells."""
    if found == wanted:
        return
    words = "UTF-8 text" if wanted == "text" else _WORDS.get(wanted, wanted)
    if found is not None:
        hint = f"rename it to {shown(path.with_suffix(USUAL_SUFFIXES[found]))}."
        if wanted == "text":
            words = "text" if found in _BINARY else "CSV"
        raise FileError(f"{shown(path)} holds {_WORDS.get(found, found)} data, not {words}.", hint=hint)
    what, hint = _recognised(path, head)
    if what:
        raise FileError(f"{shown(path)} holds {what}, not {words}.", hint=hint)
    if wanted in _BINARY and _looks_like_text(head):
        hint = f"if it is a CSV, rename it to {shown(path.with_suffix('.csv'))}."
        raise FileError(f"{shown(path)} holds text, not {words}.", hint=hint)
    if wanted in _BINARY:
        raise FileError(f"{shown(path)} is not {_BINARY[wanted]}.")


def _recognised(path: Path, head: bytes) -> tuple[str, str]:
    for magic, what, hint in _MAGIC:
        # magic of mere letters may also begin a header line, such as PARENT,SCORE
        if head.startswith(magic) and not (magic.isalnum() and _looks_like_text(head)):
            return what, hint
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        workbook = b"[Content_Types].xml" in head or b"xl/" in head
        return ("an Excel workbook", _EXPORT) if workbook else ("a zip archive", UNPACK)
    if head.startswith(b"BZh") and head[4:10] == b"1AY&SY":
        return "bzip2-compressed data", UNPACK
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
    nul, (foreign, byte) = _first_nul(path), _first_foreign(path)
    if nul >= 0:
        hint = "a text file has none: is it binary data, or was the writing of it broken off?"
        return FileError(f"line {lines_before(path, nul) + 1} of {shown(path)} has a NUL byte.", hint=hint)
    name, encoding = ("Windows-1252", "windows-1252") if byte < 0xA0 else ("Latin-1", "latin1")
    return FileError(
        f"line {lines_before(path, foreign) + 1} of {shown(path)} is not UTF-8 (byte 0x{byte:02X}).",
        hint=f"if the text is {name}, {conversion(path, encoding)}",
    )


def _first_nul(path: Path) -> int:
    before = 0
    for block in _blocks(path):
        if (at := block.find(0)) >= 0:
            return before + at
        before += len(block)
    return -1


def _first_foreign(path: Path) -> tuple[int, int]:
    """The place of the first byte that is not UTF-8, and the byte; that behind the end when there is none."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    before = 0
    for block in chain(_blocks(path), (b"",)):
        begun = len(decoder.getstate()[0])
        try:
            decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            return before - begun + error.start, error.object[error.start]
        before += len(block)
    return before, 0


def lines_before(path: Path, offset: int) -> int:
    """How many lines end in the first bytes of a file, whichever way they end."""
    count, left, last = 0, offset, b""
    for block in _blocks(path):
        block = block[:left]
        count += block.count(b"\n") + block.count(b"\r") - (last + block).count(b"\r\n")
        last, left = block[-1:], left - len(block)
        if not left:
            break
    return count


def _blocks(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                yield block
    except OSError as error:
        raise unreadable(path, error) from None
