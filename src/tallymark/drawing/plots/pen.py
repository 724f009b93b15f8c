"""The matplotlib pen: for notebooks, papers and files of pictures."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

from tallymark.drawing.figure import Figure
from tallymark.errors import MissingExtraError, OptionError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DOTS_PER_INCH = 200

# Without the date, so that the same figure is the same bytes.
_UNDATED: dict[str, dict[str, Any]] = {
    ".pdf": {"CreationDate": None},
    ".png": {},
    ".svg": {"Date": None},
}
# What marks axes of a page that was made here.
_OWN = "_tallymark_own"
_FRAME = "#767676"
_STYLE: dict[Any, Any] = {
    "axes.edgecolor": _FRAME,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.labelpad": 3.0,
    "axes.linewidth": 0.6,
    "axes.titlepad": 5.0,
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.5,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "tallymark",
    **{
        f"{tick}.{name}": value
        for tick in ("xtick", "ytick")
        for name, value in {
            "color": _FRAME,
            "labelcolor": "black",
            "labelsize": 7.7,
            "major.size": 2.5,
            "major.width": 0.6,
        }.items()
    },
}


def draw(figure: Figure, ax: Any = None) -> Any:
    """Draw with matplotlib; returns the axes, or an array of them for a figure of several panels.

    Without `ax` it is a new figure of pyplot's, in a style of its own: a notebook shows it, and so does
    `plt.show()`. With `ax`, as many axes as there are panels, it is drawn on them, in your style, and the
    small print is left to your caption; make their figure with `layout="constrained"` to have a legend
    below them. What is drawn on the same axes later looks different and joins the legend.
    """
    require_matplotlib()
    import numpy as np

    given = None if ax is None else list(np.ravel(ax))
    if given is not None and len(given) != len(figure.panels):
        raise OptionError(
            f"the figure has {len(figure.panels)} panels, and ax is {len(given)} axes.",
            hint="pass as many axes as panels, such as those of plt.subplots(1, 2), or none.",
        )
    for each in given or ():
        if getattr(each, "name", None) != "rectilinear":
            raise OptionError(
                f"ax must be matplotlib axes with two straight scales; got {_kind(each)}.",
                hint="such as those of plt.subplots().",
            )
    with _quiet():
        if given is None:
            axes = _draw_new(figure)
        else:
            # On a page of ours the letters stay as large as they are there, for there is no room for larger.
            with _own_style() if all(hasattr(each, _OWN) for each in given) else nullcontext():
                axes = _draw_on(given, figure)
    if given is not None:
        return ax
    return axes[0] if len(axes) == 1 else np.array(axes, dtype=object)


def _kind(given: Any) -> str:
    name = getattr(given, "name", None)
    return f"{name} axes" if isinstance(name, str) else type(given).__name__.removesuffix("_")


def image(figure: Figure, suffix: str) -> bytes:
    """The picture as a file: `.pdf`, `.png` or `.svg`. The same figure gives the same bytes."""
    if suffix not in _UNDATED:
        raise OptionError(f"suffix must be one of {', '.join(_UNDATED)}; got {suffix!r}.")
    require_matplotlib()
    from matplotlib.figure import Figure as Page

    from .page import compose
    from .words import words_for

    file = BytesIO()
    with _own_style(), _quiet():
        page = Page(dpi=DOTS_PER_INCH)
        # A viewer of SVG has fonts of its own, so there no letter needs to be replaced.
        compose(page, figure, words_for(figure, any_letter=suffix == ".svg"))
        page.savefig(file, format=suffix[1:], metadata=_UNDATED[suffix])
    return file.getvalue()


def _draw_on(axes: list[Axes], figure: Figure) -> list[Axes]:
    from .labelling import label_panel, write_in_middle
    from .panels import draw_after
    from .words import words_for

    words = words_for(figure)
    for ax, panel in zip(axes, figure.panels, strict=True):
        if ax.figure.get_layout_engine() is None and panel.legend == "below":
            # Nothing would make room for it below: it would lie outside of the page, or on other axes.
            panel = replace(panel, legend="inside")
        drawn = draw_after(ax, panel, words)
        label_panel(drawn, panel.title or figure.title, words)
        if figure.note and not drawn.has_data:
            write_in_middle(ax, figure.note, words)
    return axes


def _draw_new(figure: Figure) -> list[Axes]:
    import matplotlib.pyplot as plt

    from .page import compose
    from .words import words_for

    # The resolution is that of the user's screen; everything else is ours.
    dots = plt.rcParams["figure.dpi"]
    with _own_style():
        axes = compose(plt.figure(dpi=dots), figure, words_for(figure))
    for each in axes:
        setattr(each, _OWN, True)
    return axes


@contextmanager
def _own_style() -> Iterator[None]:
    """Our style whatever the user's is, which is as it was afterwards."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


@contextmanager
def _quiet() -> Iterator[None]:
    """No word of letters that the fonts here lack (a viewer's may have them) or of a font's odd weight."""
    import logging

    log = logging.getLogger("matplotlib.font_manager")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            yield
    finally:
        log.setLevel(level)


def require_matplotlib() -> None:
    """Say what to install when it is not there."""
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "plots are drawn with matplotlib, which is not installed.",
            hint="pip install 'tallymark[plots]'",
        ) from error
