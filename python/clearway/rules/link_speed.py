"""A link runs slower than its card can, in half duplex, or slower than those of the other hosts."""

from __future__ import annotations

from statistics import median

from clearway import quantities as q
from clearway.diagnosis.case import Case
from clearway.diagnosis.links import BITS, MEGA, PAYLOAD, mbit, number
from clearway.diagnosis.loads import Load, loads, share_saved
from clearway.finding import Evidence
from clearway.page import Host, Interface
from clearway.rules import Suspicion

TITLE = "A network link runs below its speed"
REMEDIES = ("host-link",)
HALF_DUPLEX = 2.0  # sending and receiving take turns: at best half of each
SLOWER = 0.75  # of what it should be


def examine(case: Case) -> Suspicion | None:
    carrying = loads(case.connections)
    proper = {load: rate for load in carrying if (rate := _proper_rate(case, load, carrying)) is not None}
    share = share_saved(case.page, proper)
    if share <= 0:
        return None
    worst = max(proper, key=lambda load: (load.wire_s or 0.0) * proper[load] / (load.link.bytes_per_s or 1.0))
    names = ", ".join(sorted(f"{load.link.card} of {load.link.host}" for load in proper)[:4])
    return Suspicion(
        claims={"transfer_s": share * case.losses.transfer_s},
        says=(
            f"{names}{' and others' if len(proper) > 4 else ''}: the ranks wait for data that a sound link would carry "
            f"in {q.percent((worst.link.bytes_per_s or 0.0) / proper[worst])} of the time."
        ),
        evidence=(
            *_evidence(case, worst),
            Evidence("carried by it", q.bytes_(max(worst.sent_bytes, worst.received_bytes)), "connections, one way"),
            Evidence("time the link needs for it", q.seconds(worst.wire_s), "bytes, link speed"),
            Evidence("links below their speed", f"{len(proper)} of {len(carrying)}", "host facts"),
        ),
        confidence=0.9,
    )


def _proper_rate(case: Case, load: Load, carrying: tuple[Load, ...]) -> float | None:
    """What the link should carry (bytes/s), where that is clearly more than it does."""
    rate = load.link.bytes_per_s
    if not rate:
        return None
    host, card = _find(case, load)
    able = number(host, card.name, "supported_mbit")
    best = max(
        PAYLOAD * MEGA / BITS * able if able and card.speed_mbit and able > card.speed_mbit else 0.0,
        HALF_DUPLEX * rate if card.duplex == "half" else 0.0,
        _usual_rate(load, carrying),
    )
    return best if rate < SLOWER * best else None


def _usual_rate(load: Load, carrying: tuple[Load, ...]) -> float:
    """Of the other hosts' cards on the same network; one other host is no majority."""
    rates = [
        other.link.bytes_per_s
        for other in carrying
        if other is not load and other.link.networks & load.link.networks and other.link.bytes_per_s
    ]
    return median(rates) if len(rates) > 1 else 0.0


def _find(case: Case, load: Load) -> tuple[Host, Interface]:
    host = next(host for host in case.page.hosts if host.name == load.link.host)
    return host, next(card for card in host.interfaces if card.name == load.link.card)


def _evidence(case: Case, load: Load) -> list[Evidence]:
    host, card = _find(case, load)
    where = f"{card.name} of {host.name}"
    able = number(host, card.name, "supported_mbit")
    said = [Evidence(f"speed of {where}", mbit(load.link.bytes_per_s or 0.0), "ethtool link settings, tc")]
    if able and card.speed_mbit and able > card.speed_mbit:
        said.append(Evidence("its card can do", f"{able:,} Mbit/s", "ethtool: supported link modes"))
    if card.duplex == "half":
        said.append(Evidence("duplex", "half", "ethtool link settings"))
    usual = _usual_rate(load, loads(case.connections))
    if usual:
        said.append(Evidence("the other hosts' cards", mbit(usual), "median of that network"))
    return said
