"""Where boxes and edges go: layers of boxes, parents above children.

fast-sugiyama chooses the layers and the order within each, taking every node for a point. Here each
layer is then spread so that boxes of any width fit, with edges as straight as that allows: the sum
of squared horizontal distances is minimised layer by layer, which converges because no constraint
joins two layers. Long edges have a slot in every layer that they pass, so none runs behind a box.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Any

__all__ = ["BOX_HEIGHT", "Drawing", "check_layout_package", "draw_layers"]

BOX_HEIGHT = 28.0
_GAP = 22.0  # between boxes side by side
_LINE_GAP = 11.0  # between lines, and between a line and a box
_LAYER_GAPS = (38.0, 150.0)  # least and most; edges that go far sideways need height
_PORT_GAP = 12.0  # between the ends of edges at one box
_COMPONENT_GAP = 34.0
_ASPECT = 1.6  # width to height that is aimed at when components are packed
_ROUNDS = 12
# How much a stretch of an edge wants to be straight, by its number of ends that are no boxes.
_STRAIGHTNESS = (1.0, 2.0, 8.0)

Point = tuple[float, float]
Link = tuple[int, int]


@dataclass(frozen=True)
class Drawing:
    """Centres of boxes, and the points that edges pass: downwards, an even number of them.

    Between the points 2i and 2i + 1 an edge has free space and may curve; between 2i + 1 and
    2i + 2 it passes boxes and goes straight. It leaves and enters boxes vertically.
    """

    boxes: Mapping[int, Point]
    routes: Mapping[Link, tuple[Point, ...]]
    width: float
    height: float


def check_layout_package() -> Callable[..., Any]:
    """Return the function of fast-sugiyama that makes layers, or say how to get it."""
    try:
        from fast_sugiyama import from_edges
    except ImportError as error:
        raise ImportError(
            "drawing needs fast-sugiyama; install it with: pip install 'dagwright[draw]'"
        ) from error
    return from_edges


def draw_layers(widths: Sequence[float], edges: Iterable[Link]) -> Drawing:
    """Place boxes in layers, one drawing for each component, packed in rows.

    Parameters
    ----------
    widths : sequence of float
        The width of the box of each node.
    edges : iterable of (int, int)
        The edges, each from parent to child, without cycles.

    Returns
    -------
    Drawing
        The same for any order of the edges.

    Examples
    --------
    >>> drawing = draw_layers([40, 60], [(0, 1)])
    >>> drawing.boxes
    {0: (30.0, 14.0), 1: (30.0, 80.0)}
    >>> drawing.routes
    {(0, 1): ((30.0, 28.0), (30.0, 66.0))}
    """
    make_layers = check_layout_package()
    drawings = []
    for nodes, links in _components(len(widths), sorted(edges)):
        if links:
            layers, chains = _layers(make_layers, nodes, links)
            drawings.append(_draw_component(widths, layers, chains))
        else:
            (node,) = nodes
            box = {node: (widths[node] / 2, BOX_HEIGHT / 2)}
            drawings.append(Drawing(box, {}, widths[node], BOX_HEIGHT))
    return _packed(drawings)


def _components(n: int, edges: Sequence[Link]) -> list[tuple[list[int], list[Link]]]:
    """Split a graph into connected pieces, in the order of their first nodes."""
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for start, end in edges:
        neighbours[start].append(end)
        neighbours[end].append(start)
    piece_of: dict[int, int] = {}
    pieces: list[tuple[list[int], list[Link]]] = []
    for first in range(n):
        if first in piece_of:
            continue
        waiting, nodes = [first], []
        piece_of[first] = len(pieces)
        while waiting:
            nodes.append(waiting.pop())
            for node in neighbours[nodes[-1]]:
                if node not in piece_of:
                    piece_of[node] = len(pieces)
                    waiting.append(node)
        pieces.append((sorted(nodes), []))
    for edge in edges:
        pieces[piece_of[edge[0]]][1].append(edge)
    return pieces


def _layers(
    make_layers: Callable[..., Any], nodes: Sequence[int], links: Sequence[Link]
) -> tuple[list[list[int]], dict[Link, list[int]]]:
    """Return the layers from top to bottom, and for each edge what it passes, ends included.

    What an edge passes between its ends are numbers below 0, one for each layer.
    """
    local = {node: number for number, node in enumerate(nodes)}
    (layout,) = make_layers(
        [(local[start], local[end]) for start, end in links],
        dummy_vertices=True,
        ranking_type="minimize",
        crossing_minimization="barycenter",
        check_layout=False,
    )
    positions, _, _, stretches = layout

    def named(number: int) -> int:
        return nodes[number] if number < len(nodes) else -1 - number

    rows: dict[float, list[tuple[float, int]]] = {}
    for number, (x, y) in positions:
        rows.setdefault(y, []).append((x, named(number)))
    layers = [[item for _, item in sorted(rows[y])] for y in sorted(rows, reverse=True)]
    after: dict[int, list[int]] = {}
    for start, end in sorted(stretches):
        after.setdefault(named(start), []).append(named(end))
    chains = {}
    for node in nodes:
        for following in after.get(node, ()):
            chain = [node, following]
            while chain[-1] < 0:
                chain.extend(after[chain[-1]])
            chains[node, chain[-1]] = chain
    return layers, chains


def _draw_component(
    widths: Sequence[float], layers: Sequence[Sequence[int]], chains: Mapping[Link, Sequence[int]]
) -> Drawing:
    stretches = [stretch for chain in chains.values() for stretch in pairwise(chain)]
    centres = _centres(widths, layers, stretches)
    layer_of = {item: number for number, layer in enumerate(layers) for item in layer}
    least, most = _LAYER_GAPS
    gaps = [least] * len(layers)
    for start, end in stretches:
        aside = 0.16 * abs(centres[start] - centres[end])
        gaps[layer_of[start]] = max(gaps[layer_of[start]], min(aside, most))
    tops = [0.0]
    for gap in gaps:
        tops.append(tops[-1] + BOX_HEIGHT + gap)
    leaving = _ports(
        widths, centres, [(chain[0], chain[1], chain[-1]) for chain in chains.values()]
    )
    entering = _ports(
        widths, centres, [(chain[-1], chain[-2], chain[0]) for chain in chains.values()]
    )
    middles = {item: (centres[item], tops[layer_of[item]] + BOX_HEIGHT / 2) for item in centres}
    tilts = _tilts(widths, layers, middles, chains.values())
    routes = {}
    for (start, end), chain in chains.items():
        points = [(leaving[start, end], tops[layer_of[start]] + BOX_HEIGHT)]
        for item in chain[1:-1]:
            (x, y), tilt = middles[item], tilts[item]
            points += [(x - tilt, y - BOX_HEIGHT / 2), (x + tilt, y + BOX_HEIGHT / 2)]
        points.append((entering[end, start], tops[layer_of[end]]))
        routes[start, end] = tuple(points)
    boxes = {item: middle for item, middle in middles.items() if item >= 0}
    lefts = [centres[item] - _half(widths, item) for item in centres]
    rights = [centres[item] + _half(widths, item) for item in centres]
    drawing = Drawing(boxes, routes, max(rights) - min(lefts), tops[-1] - gaps[-1])
    return _moved(drawing, -min(lefts), 0.0)


def _half(widths: Sequence[float], item: int) -> float:
    return widths[item] / 2 if item >= 0 else 0.0


def _centres(
    widths: Sequence[float], layers: Sequence[Sequence[int]], stretches: Iterable[Link]
) -> dict[int, float]:
    """Place the items of each layer in their order, near what they are joined to."""
    above: dict[int, list[tuple[int, float]]] = {item: [] for layer in layers for item in layer}
    below: dict[int, list[tuple[int, float]]] = {item: [] for layer in layers for item in layer}
    for start, end in stretches:
        weight = _STRAIGHTNESS[(start < 0) + (end < 0)]
        above[end].append((start, weight))
        below[start].append((end, weight))
    offsets = {}  # of each item in a layer that is packed as tightly as it may be
    for layer in layers:
        offsets[layer[0]] = 0.0
        for left, right in pairwise(layer):
            gap = _GAP if left >= 0 and right >= 0 else _LINE_GAP
            offsets[right] = offsets[left] + _half(widths, left) + gap + _half(widths, right)
    centres = {item: offsets[item] - offsets[layer[-1]] / 2 for layer in layers for item in layer}
    both = {item: above[item] + below[item] for item in centres}
    downwards, upwards = list(layers), list(reversed(layers))
    sweeps = [(downwards, above), (upwards, below)] * _ROUNDS
    sweeps += [(downwards, both), (upwards, both)] * _ROUNDS
    for order, joined in sweeps:
        for layer in order:
            wishes = []
            for item in layer:
                weight = sum(weight for _, weight in joined[item])
                pull = sum(weight * centres[other] for other, weight in joined[item])
                # What is joined to nothing on this side stays, but gives way.
                wish = (pull / weight, weight) if weight else (centres[item], 0.01)
                wishes.append((wish[0] - offsets[item], wish[1]))
            for item, place in zip(layer, _nondecreasing(wishes), strict=True):
                centres[item] = place + offsets[item]
    return centres


def _nondecreasing(wishes: Iterable[tuple[float, float]]) -> list[float]:
    """Return the nondecreasing numbers nearest to weighted ones (pool adjacent violators)."""
    pools: list[tuple[float, float, int]] = []
    for wish, weight in wishes:
        pool = (wish, weight, 1)
        while pools and pools[-1][0] > pool[0]:
            mean, total, count = pools.pop()
            sum_ = total + pool[1]
            pool = ((mean * total + pool[0] * pool[1]) / sum_, sum_, count + pool[2])
        pools.append(pool)
    return [mean for mean, _, count in pools for _ in range(count)]


def _ports(
    widths: Sequence[float], centres: Mapping[int, float], ends: Iterable[tuple[int, int, int]]
) -> dict[Link, float]:
    """Spread the ends of edges along a side of each box, in the order in which they go off.

    An end is a box, what the edge passes next to it, and the box at the edge's other end.
    """
    of_box: dict[int, list[tuple[float, int]]] = {}
    for box, beside, other in ends:
        of_box.setdefault(box, []).append((centres[beside], other))
    ports = {}
    for box, others in of_box.items():
        gap = min(_PORT_GAP, 0.8 * widths[box] / len(others))
        first = centres[box] - gap * (len(others) - 1) / 2
        for number, (_, other) in enumerate(sorted(others)):
            ports[box, other] = first + gap * number
    return ports


def _tilts(
    widths: Sequence[float],
    layers: Iterable[Sequence[int]],
    middles: Mapping[int, Point],
    chains: Iterable[Sequence[int]],
) -> dict[int, float]:
    """Say how far a line goes aside while it passes half a layer, without touching what it passes.

    A line that keeps its direction from layer to layer is then drawn as one, not as a staircase.
    """
    tilts = dict.fromkeys(middles, 0.0)
    for chain in chains:
        for before, item, after in zip(chain, chain[1:], chain[2:], strict=False):
            (x0, y0), (x1, y1), (x2, y2) = middles[before], middles[item], middles[after]
            slopes = (x1 - x0) / (y1 - y0), (x2 - x1) / (y2 - y1)
            if slopes[0] * slopes[1] > 0:
                tilts[item] = min(slopes, key=abs) * BOX_HEIGHT / 2
    for layer in layers:
        for order in (list(layer), list(reversed(layer))):
            for beside, item in pairwise(order):
                if item >= 0:
                    continue
                room = abs(middles[item][0] - middles[beside][0]) - _half(widths, beside)
                room -= _LINE_GAP / 3
                towards = tilts[item] * tilts[beside] < 0  # they come near each other at one end
                most = room / 2 if towards else abs(tilts[beside]) + room
                tilts[item] = max(-most, min(most, tilts[item]))
    return tilts


def _packed(drawings: Sequence[Drawing]) -> Drawing:
    """Put drawings side by side in rows, the highest first; single boxes come last."""
    area = sum(
        (drawing.width + _COMPONENT_GAP) * (drawing.height + _COMPONENT_GAP) for drawing in drawings
    )
    full = max([sqrt(area * _ASPECT), *(drawing.width for drawing in drawings)])
    boxes: dict[int, Point] = {}
    routes: dict[Link, tuple[Point, ...]] = {}
    x = y = width = height = 0.0
    previous: Drawing | None = None
    for drawing in sorted(drawings, key=lambda drawing: -drawing.height):  # stable
        gap = _COMPONENT_GAP if drawing.routes else _GAP
        # Single boxes beside a tall drawing would be lost: they start a row of their own.
        lonely = previous is not None and bool(previous.routes) and not drawing.routes
        if previous is not None and (lonely or x + gap + drawing.width > full):
            x, y = 0.0, height + (_COMPONENT_GAP if lonely else gap)
        elif previous is not None:
            x += gap
        moved = _moved(drawing, x, y)
        boxes.update(moved.boxes)
        routes.update(moved.routes)
        x += drawing.width
        width, height = max(width, x), max(height, y + drawing.height)
        previous = drawing
    return Drawing(boxes, routes, width, height)


def _moved(drawing: Drawing, right: float, down: float) -> Drawing:
    boxes = {node: (x + right, y + down) for node, (x, y) in drawing.boxes.items()}
    routes = {
        edge: tuple((x + right, y + down) for x, y in points)
        for edge, points in drawing.routes.items()
    }
    return Drawing(boxes, routes, drawing.width, drawing.height)
