"""A link runs slower than its card can, in half duplex, or slower than those of the other hosts."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.answers_awaited import times_as_long
from clearway.diagnosis.facts.card_loads import share_saved
from clearway.diagnosis.facts.host_cards import mbit
from clearway.diagnosis.facts.slow_links import SlowLink, slow_links
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "A network link runs below its speed"
REMEDIES = ("host-link",)
MOST_NAMED = 4


def examine(case: Case) -> Suspicion | None:
    slow = slow_links(case.tables, case.connections)
    share = share_saved(case.tables, {one.load: one.sound_bytes_per_s for one in slow}, times_as_long(case))
    if share <= 0:
        return None
    worst = max(slow, key=lambda one: one.sound_bytes_per_s / one.bytes_per_s)
    return Suspicion(
        claims={"transfer_s": share * case.losses.transfer_s},
        says=(
            f"{_names(slow)}: the ranks wait for data that a link at full speed would carry in "
            f"{q.percent(worst.bytes_per_s / worst.sound_bytes_per_s)} of the time."
        ),
        evidence=_evidence(worst, len(slow)),
        confidence=0.9,
    )


def _names(slow: list[SlowLink]) -> str:
    names = sorted(f"{one.load.link.card} of {one.load.link.host}" for one in slow)
    others = f" and {len(names) - MOST_NAMED} others" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + others


def _evidence(worst: SlowLink, number: int) -> tuple[Evidence, ...]:
    load = worst.load
    read_in = "a limit of the host itself (tc)" if worst.limited_by_host else "ethtool"
    said = [Evidence(f"speed of {load.link.card} of {load.link.host}", mbit(worst.bytes_per_s), read_in)]
    if worst.able:
        said.append(Evidence("its card can do", mbit(worst.able), "ethtool: link modes"))
    if worst.half_duplex:
        said.append(Evidence("duplex", "half", "ethtool"))
    if worst.usual:
        said.append(Evidence("the other hosts' cards", mbit(worst.usual), "median of that network"))
    most = max(load.sent_bytes, load.received_bytes)
    said.append(Evidence("carried by it, one way", q.bytes_(most), "tcp_info"))
    said.append(Evidence("time the link needs for it", q.seconds(load.wire_s), "bytes, link speed"))
    return (*said, Evidence("links below their speed", str(number), "host facts"))
