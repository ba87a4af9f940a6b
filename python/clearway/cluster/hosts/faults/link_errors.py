"""Packets arrive damaged, or the host drops them before a program can have them.

Each costs TCP a retransmission. Errors come of cables, plugs and duplex; drops of rings too small for bursts.
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.cluster.hosts.faults.model import Fault, fault, shown
from clearway.cluster.hosts.state import State

OFTEN = {"errors": 1e-6, "dropped": 1e-4}  # of the packets; a few drops are packets that nobody asked for
ADVICE = {
    "errors": "try another cable and another port of the switch; `ethtool -S {card}` counts the kinds of errors",
    "dropped": "ethtool -g {card} shows the card's rings, ethtool -G {card} rx N makes them larger",
}


def find(state: State) -> Iterator[Fault]:
    for card in state.cards:
        for what, often in OFTEN.items():
            for way in ("rx", "tx"):
                name, packets = f"link.{card}.{way}_{what}", state.number(f"link.{card}.{way}_packets")
                bad = state.number(name)
                if bad and packets and bad / packets > often:
                    direction = "received" if way == "rx" else "sent"
                    yield fault(
                        __name__,
                        __doc__,
                        f"Packets {direction} by {card} are {words(what)}",
                        (shown(state, name), shown(state, f"link.{card}.{way}_packets")),
                        advice=ADVICE[what].format(card=card),
                    )


def words(what: str) -> str:
    return "damaged" if what == "errors" else "dropped by the host"
