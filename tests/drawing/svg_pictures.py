"""The pictures of a page: their lines as points, and their texts as boxes."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any, NamedTuple

from documents_to_draw import of
from matplotlib.font_manager import findfont as found_font
from matplotlib.font_manager import get_font

from tallymark import drawing as td

Point = tuple[float, float]
TEXT = 12.0

_TOKEN = re.compile(r"[a-zA-Z]|-?(?:\d+\.?\d*|\.\d+)")
_NUMBERS = {"M": 2, "L": 2, "l": 2, "h": 1, "v": 1, "H": 1, "a": 7, "z": 0}


def source(panel: td.Panel) -> str:
    """The panel as it stands in a page."""
    page = td.drawn(lambda: of(td.Picture("It", td.Figure((panel,)), "what it shows")))[".html"]()
    start = page.rindex("<svg", 0, page.index("role=img"))
    return page[start : page.index("</svg>", start) + len("</svg>")]


def drawn(panel: td.Panel) -> Picture:
    reader = _Reader()
    reader.feed(source(panel))
    reader.close()
    return Picture(reader.tree.close())


class _Reader(HTMLParser):
    """Into a tree; every element must be closed."""

    def __init__(self) -> None:
        super().__init__()
        self.tree = ET.TreeBuilder()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tree.start(tag, dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        self.tree.end(tag)

    def handle_data(self, data: str) -> None:
        self.tree.data(data)


def subpaths(d: str) -> list[list[Point]]:
    """The points of each part of a path; of a circle, the leftmost and the rightmost."""
    parts: list[list[Point]] = []
    tokens = _TOKEN.findall(d)
    assert "".join(tokens) == d.replace(" ", "")
    x = y = 0.0
    letter, place = "", 0
    while place < len(tokens):
        if tokens[place].isalpha():
            letter, place = tokens[place], place + 1
        numbers = [float(token) for token in tokens[place : place + _NUMBERS[letter]]]
        place += len(numbers)
        match letter:
            case "M" | "L":
                x, y = numbers
            case "l" | "a":
                x, y = x + numbers[-2], y + numbers[-1]
            case "h":
                x += numbers[0]
            case "v":
                y += numbers[0]
            case "H":
                x = numbers[0]
        if letter == "M":
            parts.append([])
        if letter != "z":
            parts[-1].append((x, y))
    return parts


class Text(NamedTuple):
    text: str
    corners: tuple[Point, ...]


@dataclass(frozen=True)
class Picture:
    root: ET.Element

    @property
    def size(self) -> Point:
        left, top, width, height = map(float, self.root.attrib["viewbox"].split())
        assert (left, top) == (0, 0)
        return width, height

    @property
    def frame(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of a panel in which something is clipped."""
        shape = self.root.find("clippath/rect")
        assert shape is not None
        x, y, width, height = (float(shape.attrib[key]) for key in ("x", "y", "width", "height"))
        return x, y, x + width, y + height

    def place(self, across: float, up: float) -> Point:
        """Where a part of the way across and up the panel is."""
        left, top, right, bottom = self.frame
        return left + across * (right - left), bottom - up * (bottom - top)

    def all(self, name: str) -> list[ET.Element]:
        return [element for element in self.root.iter() if element.get("class") == name]

    def paths(self, name: str) -> list[list[list[Point]]]:
        """The parts of each path with this class, or in a group with it."""
        return [subpaths(path.attrib["d"]) for element in self.all(name) for path in element.iter("path")]

    @property
    def texts(self) -> list[Text]:
        return list(_texts(self.root, {}))

    @property
    def words(self) -> list[str]:
        return [text.text for text in self.texts]


def _texts(element: ET.Element, inherited: dict[str, str]) -> Iterator[Text]:
    known = inherited | element.attrib
    if element.tag == "text":
        text = element.text or ""
        size = float(known.get("font-size", TEXT))
        width = size * sum(map(_em, text))
        back = {"start": 0.0, "middle": width / 2, "end": width}[known.get("text-anchor", "start")]
        x, y = float(known["x"]), float(known["y"])
        left, right, top, bottom = x - back, x - back + width, y - 0.8 * size, y + 0.2 * size
        corners = ((left, top), (right, top), (right, bottom), (left, bottom))
        yield Text(text, tuple(_turned(corner, element.get("transform", "")) for corner in corners))
    for child in element:
        yield from _texts(child, known)


@cache
def _em(letter: str) -> float:
    """How wide DejaVu Sans is, the widest font that browsers come with; it lacks Chinese letters."""
    font = get_font(found_font("DejaVu Sans"))
    if not font.get_char_index(ord(letter)):
        return 1.0
    font.set_size(100, 72)
    return float(font.load_char(ord(letter)).linearHoriAdvance) / 65536 / 100


def _turned(point: Point, transform: str) -> Point:
    if not transform:
        return point
    degrees, *around = (float(number) for number in _TOKEN.findall(transform.removeprefix("rotate")))
    middle = complex(*(around or [0.0, 0.0]))
    turn = complex(math.cos(math.radians(degrees)), math.sin(math.radians(degrees)))
    found = (complex(*point) - middle) * turn + middle
    return found.real, found.imag


def overlap(one: Text, other: Text) -> bool:
    """Whether two boxes, turned or not, have a place in common: no line along a side parts them."""
    for corners in (one.corners, other.corners):
        for (ax, ay), (bx, by) in pairwise(corners):
            across, up = ay - by, bx - ax
            ranges = [sorted(x * across + y * up for x, y in box.corners)[::3] for box in (one, other)]
            if ranges[0][1] <= ranges[1][0] + 1e-6 or ranges[1][1] <= ranges[0][0] + 1e-6:
                return False
    return True
