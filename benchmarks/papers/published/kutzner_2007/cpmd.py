"""CPMD, 64 waters, with flow control: speedups relative to 8 CPUs, two a node."""

from __future__ import annotations

from dataclasses import replace

from papers import figures, notation
from papers.claim import Claim, Null, exactly
from papers.point import Choice, Point, job, ready_model
from papers.published.kutzner_2007.rows import with_pause
from papers.published.kutzner_2007.switch import with_hosts_per_part

WHERE = "Influence of the Switch"
WORKLOAD = ("cpmd", "water64")
# Hosts on each part of the switch.
EIGHT_CPUS = (4,)
IN_A_ROW = {(8,): 1.9, (12, 4): 3.2, (12, 12, 8): 4.5}
SCATTERED, SCATTERED_SPEEDUP = (9, 9, 9, 5), 6.1

NO_LOSS = """\
in the model parts of the switch lose packets with flow control, whatever the ports; according to the paper nothing is \
lost with scattered ports"""


def claims() -> list[Claim]:
    in_a_row = [claim(f"ports in a row, {2 * sum(parts)} CPUs", parts, told) for parts, told in IN_A_ROW.items()]
    scattered = claim("scattered ports, 64 CPUs", SCATTERED, SCATTERED_SPEEDUP)
    return [*in_a_row, replace(scattered, fitted="serial part of CPMD")]


def claim(what: str, parts: tuple[int, ...], published: float) -> Claim:
    points = (point(EIGHT_CPUS), point(parts))
    perfect = Null("speedup = N", (), lambda _: sum(parts) / sum(EIGHT_CPUS))
    return Claim(
        WHERE,
        f"CPMD, {what}",
        *exactly(published),
        notation.times,
        points,
        figures.ratio_of_speeds,
        reason=NO_LOSS,
        nulls=(perfect,),
    )


def point(parts: tuple[int, ...]) -> Point:
    """One time step, of hundreds of transposes."""
    model = with_hosts_per_part(ready_model("procurve2848", 32, 2), parts)
    return job(with_pause(model), WORKLOAD, Choice("lam"), 1)
