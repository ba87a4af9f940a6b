"""The paper's picture (Kutzner et al. 2007, Figs. 5 and 7) as SVG: for each phase the ranks on a circle, with arrows.

Ranks of one host stand together and share a colour; messages inside a host, which no network port carries, are dashed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from clearway.base.errors import ClearwayError
from clearway.schedule.model import Schedule, phase_name, ranks_by_host

MOST_RANKS = 64
MOST_PHASES = 64
SMALLEST_RADIUS = 70
SPACE_A_RANK = 26  # along the circle
NODE_RADIUS = 11
MARGIN = 34
BESIDE = 2.5  # half the distance between messages of both directions
TITLE_HEIGHT = 26
MOST_BESIDE = 4

# Okabe and Ito's palette, lightened so that a number can be read on it.
HOST_COLOURS = ("#9ad0f5", "#f7c77a", "#8fd9bd", "#f2a7c9", "#f5ea8a", "#8fb8de", "#f0a884", "#cccccc")

STYLE = """
text { font: 12px system-ui, sans-serif; fill: #222; text-anchor: middle; dominant-baseline: central; }
.title { font-size: 14px; font-weight: 600; }
.note { font-size: 12px; }
.message { stroke: #222; stroke-width: 1.3; marker-end: url(#head); }
.inside { stroke: #888; stroke-dasharray: 3 3; }
.rank { stroke: #222; stroke-width: 1; }
"""


ARROW_HEAD = """<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7"
 orient="auto"><path d="M0 1 10 5 0 9z" fill="#222"/></marker></defs>"""


@dataclass(frozen=True, slots=True)
class Point:
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Circle:
    """Where the ranks of one phase stand."""

    centre: Point
    radius: float

    def place(self, position: int, ranks: int) -> Point:
        """The first rank at the top, the next clockwise, as in the paper."""
        angle = 2 * math.pi * position / ranks - math.pi / 2
        return Point(self.centre.x + self.radius * math.cos(angle), self.centre.y + self.radius * math.sin(angle))


def draw(schedule: Schedule) -> str:
    """The picture as an SVG document. Raises ClearwayError where nobody could read it."""
    drawn = [phase for phase, traffic in enumerate(schedule.phases) if traffic.messages]
    if schedule.ranks > MOST_RANKS or len(drawn) > MOST_PHASES:
        raise ClearwayError(
            f"cannot draw {schedule.ranks} ranks in {len(drawn)} phases: the picture would not be readable",
            f"up to {MOST_RANKS} ranks and {MOST_PHASES} phases are drawn",
        )
    radius = max(SMALLEST_RADIUS, SPACE_A_RANK * schedule.ranks / (2 * math.pi)) if schedule.ranks > 1 else 0
    cell = 2 * (radius + MARGIN)
    beside = min(MOST_BESIDE, max(1, len(drawn)))
    rows = math.ceil(len(drawn) / beside)
    width = max(cell * beside, 420)
    height = TITLE_HEIGHT * 2 + rows * (cell + TITLE_HEIGHT)
    size = f'width="{width:.0f}" height="{height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" {size} role="img">',
        f"<title>{heading(schedule)}</title>",
        f"<style>{STYLE}</style>",
        ARROW_HEAD,
        f'<rect {size} fill="#fff"/>',
        f'<text class="title" x="{width / 2:.1f}" y="{TITLE_HEIGHT:.0f}">{heading(schedule)}</text>',
    ]
    for index, phase in enumerate(drawn):
        x = (index % beside + 0.5) * cell + (width - cell * beside) / 2
        y = TITLE_HEIGHT * 2 + index // beside * (cell + TITLE_HEIGHT)
        parts.append(
            f'<text class="note" x="{x:.1f}" y="{y + 8:.1f}">phase {phase_name(phase, len(schedule.phases))}</text>'
        )
        parts += draw_phase(schedule, phase, Circle(Point(x, y + TITLE_HEIGHT + cell / 2 - 10), radius))
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def heading(schedule: Schedule) -> str:
    ranks, hosts = schedule.ranks, schedule.hosts
    return (
        f"{schedule.request.algorithm} {schedule.request.operation}: {ranks} rank{'s' * (ranks != 1)} "
        f"on {hosts} host{'s' * (hosts != 1)}"
    )


def draw_phase(schedule: Schedule, phase: int, circle: Circle) -> Iterator[str]:
    hosts = schedule.request.hosts
    order = ranks_by_host(hosts)
    places = {rank: circle.place(position, len(order)) for position, rank in enumerate(order)}
    sends = schedule.sends_in(phase)
    pairs = {(send.sender, send.receiver) for send in sends}
    for send in sends:
        answered = (send.receiver, send.sender) in pairs
        start, end = shortened(places[send.sender], places[send.receiver], BESIDE if answered else 0)
        kind = "message inside" if hosts[send.sender] == hosts[send.receiver] else "message"
        yield f'<line class="{kind}" x1="{start.x:.1f}" y1="{start.y:.1f}" x2="{end.x:.1f}" y2="{end.y:.1f}"/>'
    for rank, point in places.items():
        colour = HOST_COLOURS[hosts[rank] % len(HOST_COLOURS)] if schedule.hosts < schedule.ranks else "#fff"
        yield f'<circle class="rank" cx="{point.x:.1f}" cy="{point.y:.1f}" r="{NODE_RADIUS}" fill="{colour}"/>'
        yield f'<text x="{point.x:.1f}" y="{point.y:.1f}">{rank}</text>'


def shortened(start: Point, end: Point, beside: float) -> tuple[Point, Point]:
    """The line between two ranks without what their circles cover, moved to its right by `beside`."""
    length = math.hypot(end.x - start.x, end.y - start.y)
    along = Point((end.x - start.x) / length, (end.y - start.y) / length)
    aside = Point(-along.y * beside, along.x * beside)
    head = NODE_RADIUS + 1
    return (
        Point(start.x + along.x * NODE_RADIUS + aside.x, start.y + along.y * NODE_RADIUS + aside.y),
        Point(end.x - along.x * head + aside.x, end.y - along.y * head + aside.y),
    )
