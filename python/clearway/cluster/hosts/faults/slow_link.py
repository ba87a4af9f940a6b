"""A link runs slower than its card could.

A bad cable or plug, a port of the switch with its speed nailed down, or an older switch. An all-to-all goes at the
speed of the slowest link of all.
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.cluster.hosts.faults.model import Fault, fault, shown
from clearway.cluster.hosts.state import State
from clearway.diagnosis import host_faults


def find(state: State) -> Iterator[Fault]:
    for card in state.cards:
        speed, best = (state.number(f"link.{card}.{name}") for name in ("speed_mbit", "supported_mbit"))
        if speed is None or best is None or not host_faults.runs_below(speed, best):
            continue
        partner = state.number(f"link.{card}.partner_mbit")
        evidence = [shown(state, f"link.{card}.speed_mbit"), shown(state, f"link.{card}.supported_mbit")]
        if partner is not None:
            evidence.append(shown(state, f"link.{card}.partner_mbit"))
        can, does = (state.text(f"link.{card}.{name}") for name in ("can_negotiate", "negotiation"))
        nailed = can == "Yes" and does == "off"
        yield fault(
            __name__,
            __doc__,
            f"{card} runs at {speed:,g} Mbit/s and could run at {best:,g}",
            tuple(evidence),
            remedies=(host_faults.negotiation(card),) if nailed else (),
            advice="" if nailed else advice(best, partner),
            serious=partner is None or partner >= best or nailed,
        )


def advice(best: float, partner: float | None) -> str:
    if partner is not None and partner < best:
        return f"the switch's port offers {partner:,g} Mbit/s at most: move the host to a faster one"
    return "try another cable and another port of the switch"
