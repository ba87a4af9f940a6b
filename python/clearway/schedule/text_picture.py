"""The paper's picture (Kutzner et al. 2007, Fig. 5) for a terminal: ranks in a row, an arrow for each message.

A
0  1  2  3  4
●──▶  ●──▶
   ●──▶  ●──▶
◀───────────●
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clearway.schedule.model import Schedule, Send, phase_name, ranks_by_host

MOST_RANKS = 16
GAP = 5  # between phases that stand side by side


@dataclass(frozen=True, slots=True)
class Arrow:
    """From column `tail` to column `head`; `both` where the messages go both ways."""

    tail: int
    head: int
    both: bool
    inside: bool  # of a host: its messages do not touch the network

    @property
    def left(self) -> int:
        return min(self.tail, self.head)

    @property
    def right(self) -> int:
        return max(self.tail, self.head)


def draw(schedule: Schedule, width: int, most_phases: int) -> list[str] | None:
    """Lines no longer than `width`; None where there is no room for the ranks."""
    columns, header = rank_columns(schedule.request.hosts)
    if schedule.ranks > MOST_RANKS or len(header) > width:
        return None
    shown = range(min(most_phases, len(schedule.phases)))
    blocks = [draw_phase(schedule, phase, columns, header) for phase in shown if schedule.phases[phase].messages]
    beside = max(1, (width + GAP) // (len(header) + GAP))
    lines: list[str] = []
    for first in range(0, len(blocks), beside):
        row = blocks[first : first + beside]
        height = max(len(block) for block in row)
        if lines:
            lines.append("")
        for i in range(height):
            parts = [(block[i] if i < len(block) else "").ljust(len(header)) for block in row]
            lines.append((" " * GAP).join(parts).rstrip())
    return lines


def rank_columns(hosts: Sequence[int]) -> tuple[dict[int, int], str]:
    """Where each rank stands, and the line of rank numbers; a bar between hosts that several ranks share."""
    order = ranks_by_host(hosts)
    shared = len(set(hosts)) < len(hosts)
    number_width = len(str(len(hosts) - 1))
    columns: dict[int, int] = {}
    header = ""
    for before, rank in zip([None, *order], order, strict=False):
        if before is not None:
            header += " │ " if shared and hosts[before] != hosts[rank] else "  "
        columns[rank] = len(header)
        header += str(rank).ljust(number_width)
    return columns, header


def draw_phase(schedule: Schedule, phase: int, columns: dict[int, int], header: str) -> list[str]:
    lines = [phase_name(phase, len(schedule.phases)), header]
    lanes: list[list[Arrow]] = []
    for arrow in sorted(
        arrows(schedule.sends_in(phase), columns, schedule.request.hosts), key=lambda a: (a.left, a.right)
    ):
        for lane in lanes:
            if lane[-1].right < arrow.left:
                lane.append(arrow)
                break
        else:
            lanes.append([arrow])
    return lines + [draw_lane(lane) for lane in lanes]


def arrows(sends: Sequence[Send], columns: dict[int, int], hosts: Sequence[int]) -> list[Arrow]:
    """An arrow for each pair of ranks that talks in this phase."""
    pairs = {(send.sender, send.receiver) for send in sends}
    return [
        Arrow(columns[sender], columns[receiver], (receiver, sender) in pairs, hosts[sender] == hosts[receiver])
        for sender, receiver in sorted(pairs)
        if sender < receiver or (receiver, sender) not in pairs
    ]


def draw_lane(lane: Sequence[Arrow]) -> str:
    line = ""
    for arrow in lane:
        line += " " * (arrow.left - len(line))
        points_left = arrow.both or arrow.head == arrow.left
        points_right = arrow.both or arrow.head == arrow.right
        body = ("╌" if arrow.inside else "─") * (arrow.right - arrow.left - 1)
        line += ("◀" if points_left else "●") + body + ("▶" if points_right else "●")
    return line
