"""What is in a page, as a browser would read it."""

from html.parser import HTMLParser

_VOID = {"meta", "link", "br", "input"}
# HTML lets these be closed by what follows them.
_LEFT_OPEN = {"li", "tr", "td", "th", "tbody", "thead", "option"}


class Page(HTMLParser):
    """Every element with its attributes, and the text between them; fails where one is left open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open, self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), (tag, attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self._open[-1] != tag:
            assert self._open[-1] in _LEFT_OPEN, (tag, self._open)
            self._open.pop()
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((self._open[-1] if self._open else "", data))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def text(self, *without: str) -> str:
        """All that is read, and nothing of what acts."""
        return " ".join(text.strip() for tag, text in self.texts if tag not in {"style", "script", *without})

    def assert_inert(self) -> None:
        """Nothing acts by itself, asks for anything, or is named twice."""
        ids = [attributes["id"] for _, attributes in self.elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        for tag, attributes in self.elements:
            assert tag not in {"img", "iframe", "object", "embed", "form", "base", "audio", "video"}
            assert not any(name.startswith("on") or name == "style" for name in attributes), (tag, attributes)
            assert "src" not in attributes
            assert attributes.get("href") in {None, "data:,"} or str(attributes["href"]).startswith("#")
        targets = {str(link["href"])[1:] for link in self.all("a") + self.all("use")}
        assert targets <= set(ids)
