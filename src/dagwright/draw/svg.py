"""SVG, the pictures that browsers, notebooks and editors show."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from xml.sax.saxutils import escape

from dagwright._names import Edge
from dagwright.draw.layout import BOX_HEIGHT, Point, draw_layers
from dagwright.errors import GraphError, SpecError

__all__ = ["THEMES", "notebook_svg", "svg_text"]

THEMES = ("auto", "light", "dark")

_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FONT_SIZE = 13.0
_PADDING = 11.0
_MARGIN = 16.0
_MAX_LABEL = 190.0  # in pixels; longer names are shortened
_HEAD = (4.0, 9.0)  # half the width and the length of an arrowhead
_MAX_EDGES_TOLD = 30
_MAX_EDGES_IN_NOTEBOOK = 600  # more can take seconds
# The layout of a path of 40,000 nodes overflows the stack, which ends the process.
_MAX_NODES = 10_000
_MAX_EDGES = 20_000

# Background, edges, fill and outline of boxes, text.
_COLOURS = {
    "light": ("#ffffff", "#5d6b7e", "#edf3fc", "#3f659c", "#14213d"),
    "dark": ("#12171f", "#93a3b8", "#1f2c3f", "#7ea6dd", "#e8eef6"),
}


def svg_text(
    nodes: Iterable[str],
    *,
    directed: Iterable[Edge] = (),
    undirected: Iterable[Edge] = (),
    theme: str = "auto",
) -> str:
    """Draw a graph.

    Parameters
    ----------
    nodes : iterable of str
        The names, whatever they contain. Long ones are shortened in the middle; the full name is
        the box's title. Characters that XML cannot hold are shown as U+FFFD.
    directed, undirected : iterable of (str, str)
        The edges; undirected ones get no arrowhead, and the first node is drawn above the second.
        All of them together have no cycle.
    theme : {"auto", "light", "dark"}
        The colours; "auto" leaves the choice to the viewer's settings.

    Returns
    -------
    str
        SVG with a newline at the end; the same for any order of nodes and edges.

    Examples
    --------
    >>> text = svg_text(["a", "<b>"], directed=[("a", "<b>")])
    >>> [line for line in text.splitlines() if "<text" in line]
    ['<text x="39.1" y="100.3">&lt;b&gt;</text>', '<text x="39.1" y="34.3">a</text>']
    """
    if theme not in THEMES:
        raise SpecError(f"theme must be one of {', '.join(THEMES)}, not {theme!r}")
    names = sorted(nodes)
    numbers = {name: number for number, name in enumerate(names)}
    arrows = {(numbers[start], numbers[end]) for start, end in directed}
    lines = {(numbers[start], numbers[end]) for start, end in undirected}
    if len(names) > _MAX_NODES or len(arrows | lines) > _MAX_EDGES:
        raise GraphError(
            f"a graph of {len(names):,} nodes and {len(arrows | lines):,} edges is too large for a "
            f"picture, which has at most {_MAX_NODES:,} and {_MAX_EDGES:,}: draw a part of it, or "
            "give another program its to_dot or to_graphml"
        )
    labels = [_shortened(_shown(name)) for name in names]
    widths = [round(_text_width(label) + 2 * _PADDING, 1) for label in labels]
    drawing = draw_layers(widths, arrows | lines)
    edges = sorted(arrows | lines)
    told = [_told(names, edge, edge in arrows) for edge in edges]
    body = []
    for edge, text in zip(edges, told, strict=True):
        points = [(x + _MARGIN, y + _MARGIN) for x, y in drawing.routes[edge]]
        body.append(_edge(points, text, arrowhead=edge in arrows))
    for number, (label, box_width) in enumerate(zip(labels, widths, strict=True)):
        x, y = drawing.boxes[number]
        body.append(_node((x + _MARGIN, y + _MARGIN), box_width, label, _shown(names[number])))
    width, height = (_number(side + 2 * _MARGIN) for side in (drawing.width, drawing.height))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="dagwright-{theme}" role="img" '
            f'width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            'style="max-width:100%;height:auto">',
            f"<title>Graph: {_counted(names, 'node')}, {_counted(told, 'edge')}</title>",
            f"<desc>{_description(told)}</desc>",
            f"<style>{_style(theme)}</style>",
            f'<rect class="back" width="{width}" height="{height}"/>',
            *body,
            "</svg>\n",
        ]
    )


def notebook_svg(draw: Callable[[], str], n_edges: int) -> str | None:
    """Draw what a notebook shows unasked; nothing if that cannot be done at once."""
    if n_edges > _MAX_EDGES_IN_NOTEBOOK:
        return None
    try:
        return draw()
    except (ImportError, GraphError):
        return None


def _style(theme: str) -> str:
    """Return rules for this theme alone: all pictures in a notebook share their rules."""
    root = f".dagwright-{theme}"
    rules = (
        f"{root} text{{font:{_number(_FONT_SIZE)}px system-ui,'Segoe UI',Helvetica,Arial,"
        "sans-serif;text-anchor:middle}"
        f"{root} .line{{fill:none;stroke-width:1.3}}{root} .box{{stroke-width:1.2}}"
    )
    if theme != "auto":
        return rules + _colours(root, theme)
    dark = _colours(root, "dark")
    return f"{rules}{_colours(root, 'light')}@media (prefers-color-scheme:dark){{{dark}}}"


def _colours(root: str, theme: str) -> str:
    back, edge, fill, outline, text = _COLOURS[theme]
    return (
        f"{root} .back{{fill:{back}}}{root} .line{{stroke:{edge}}}{root} .head{{fill:{edge}}}"
        f"{root} .box{{fill:{fill};stroke:{outline}}}{root} text{{fill:{text}}}"
    )


def _edge(points: list[Point], told: str, *, arrowhead: bool) -> str:
    (x, y), *rest = points
    end_x, end_y = rest[-1]
    half, length = _HEAD
    if arrowhead:  # the line ends inside the head, so that it does not blunt the tip
        rest[-1] = (end_x, end_y - length + 1)
    path = [f"M{_number(x)},{_number(y)}"]
    slope = 0.0
    for number, (next_x, next_y) in enumerate(rest):
        if number % 2:
            path.append(f"L{_number(next_x)},{_number(next_y)}")
        else:
            reach = (next_y - y) / 2
            first_x = x + slope * reach
            slope = _slope((next_x, next_y), rest[number + 1]) if number + 1 < len(rest) else 0.0
            path.append(
                f"C{_number(first_x)},{_number(y + reach)} "
                f"{_number(next_x - slope * reach)},{_number(y + reach)} "
                f"{_number(next_x)},{_number(next_y)}"
            )
        x, y = next_x, next_y
    line = f'<path class="line" d="{"".join(path)}"/>'
    head = ""
    if arrowhead:
        base = _number(end_y - length)
        head = (
            f'<path class="head" d="M{_number(end_x - half)},{base}L{_number(end_x + half)},{base}'
            f'L{_number(end_x)},{_number(end_y)}Z"/>'
        )
    return f'<g class="edge">\n<title>{escape(told)}</title>\n{line}{head}\n</g>'


def _slope(start: Point, end: Point) -> float:
    return (end[0] - start[0]) / (end[1] - start[1])


def _node(centre: Point, width: float, label: str, name: str) -> str:
    x, y = centre
    return (
        f'<g class="node">\n<title>{escape(name)}</title>\n'
        f'<rect class="box" x="{_number(x - width / 2)}" y="{_number(y - BOX_HEIGHT / 2)}" '
        f'width="{_number(width)}" height="{_number(BOX_HEIGHT)}" rx="6"/>\n'
        f'<text x="{_number(x)}" y="{_number(y + 0.33 * _FONT_SIZE)}">{escape(label)}</text>\n</g>'
    )


def _told(names: list[str], edge: tuple[int, int], arrow: bool) -> str:
    start, end = (_shown(names[number]) for number in edge)
    return f"{start} → {end}" if arrow else f"{start} — {end}"


def _description(told: list[str]) -> str:
    more = len(told) - _MAX_EDGES_TOLD
    return escape("; ".join([*told[:_MAX_EDGES_TOLD], *([f"{more} more"] if more > 0 else [])]))


def _counted(things: Collection[object], word: str) -> str:
    return f"{len(things)} {word}{'' if len(things) == 1 else 's'}"


def _shown(name: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", " ".join(re.split(r"[\t\n\r]", name)))


def _shortened(name: str) -> str:
    """Leave out the middle of a long name: names often differ at the end."""
    if _text_width(name) <= _MAX_LABEL:
        return name
    name = f"{name[:200]}{name[-200:]}" if len(name) > 400 else name
    kept = len(name)
    while True:
        kept -= 1
        short = f"{name[: kept - kept // 2]}…{name[len(name) - kept // 2 :]}"
        if _text_width(short) <= _MAX_LABEL or kept == 0:
            return short


def _text_width(text: str) -> float:
    """Estimate the width in a wide font, so that the text fits its box in any."""
    return max(2.0, _FONT_SIZE * sum(_character_width(character) for character in text))


def _character_width(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in "ijlI.,:;'|! ":
        return 0.36
    if character in "mwMW@%…" or not character.isascii():
        return 0.95
    return 0.7 if character.isupper() else 0.62


def _number(value: float) -> str:
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")  # + 0.0: never -0
