"""Ethernet flow control is off on cards whose connections lose packets."""

from __future__ import annotations

from collections import defaultdict

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.collectives import STEERED, share_of
from clearway.diagnosis.facts.connections import Connection
from clearway.diagnosis.facts.packet_loss import CROWDED, kind_of_loss
from clearway.diagnosis.facts.tables.hosts import Host
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.host_faults import is_off
from clearway.diagnosis.rules import Suspicion

TITLE = "Ethernet flow control is off on a network that loses packets"
REMEDIES = ("host-flow-control",)


def examine(case: Case) -> Suspicion | None:
    stalled = [each for each in case.connections if each.sender.stall_s > 0 and not each.inside_host]
    hosts = {host.name: host for host in case.tables.hosts}
    without = [each for each in stalled if _is_off(hosts, each)]
    # What Clearway can order by itself is left to congestion-loss: its remedies need no administrator.
    not_steered = 1 - share_of(case, STEERED)
    if not without or not_steered <= 0 or kind_of_loss(case) != CROWDED:
        return None
    share = not_steered * sum(each.sender.stall_s for each in without) / sum(each.sender.stall_s for each in stalled)
    cards = {(each.from_host, each.from_link.card) for each in without if each.from_link}
    return Suspicion(
        claims={"stall_s": share * case.losses.stall_s},
        says=(
            f"Cards of {len({host for host, _ in cards})} hosts do not obey pause frames: a switch port that fills up "
            f"cannot make them wait, and drops packets."
        ),
        evidence=(
            Evidence("cards without flow control", f"{len(cards)}", "ethtool -a: rx pause"),
            *(Evidence(*line) for line in _drops(case, cards)),
            Evidence("stalled connections over them", f"{len(without):,} of {len(stalled):,}", "tcp_info"),
            Evidence("their timeouts", q.count(sum(each.sender.timeouts for each in without)), "tcpi_total_rto"),
            Evidence("stalls outside collectives that can be ordered", q.percent(not_steered), "ledger"),
        ),
        confidence=0.96,  # just surer than congestion-loss: it says more of the same seconds
    )


def _is_off(hosts: dict[str, Host], connection: Connection) -> bool:
    """Whether a card at either end says that it does not take part; a card that cannot say is not blamed."""
    ends = ((connection.from_host, connection.from_link), (connection.to_host, connection.to_link))
    said = [hosts[host].facts.get(f"net.{link.card}.rx_pause") for host, link in ends if link and host in hosts]
    return any(map(is_off, said))


def _drops(case: Case, cards: set[tuple[str, str]]) -> list[tuple[str, str, str]]:
    drops: dict[str, int] = defaultdict(int)
    for host in case.tables.hosts:
        for card in host.interfaces:
            if (host.name, card.name) in cards:
                drops[card.name] += card.drops
    return [(f"dropped by {card}", q.count(number), "interface counters") for card, number in drops.items() if number]
