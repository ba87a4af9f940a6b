"""The job's hosts are on several switches, and the way between these carries less than the job sends over it."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.between_switches import between_switches
from clearway.diagnosis.facts.host_cards import mbit
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "The hosts are on several switches, and the links between these are slow"
REMEDIES = ("one-switch",)


def examine(case: Case) -> Suspicion | None:
    """Claims the share of moving data that a way between the switches as good as within one would save."""
    found = between_switches(case)
    if found is None or found.share_lost <= 0:
        return None
    sound = mbit(found.sound_bytes_per_s)
    compared = f"one within a switch {sound}" if found.compared_within else f"though the hosts' cards can do {sound}"
    return Suspicion(
        claims={"transfer_s": found.share_lost * case.losses.transfer_s},
        says=(
            f"Slurm put the job on hosts of {len(found.switches)} switches. A connection from one switch to another "
            f"carries {mbit(found.bytes_per_s)} while it has something to send, {compared}: its packets wait in a "
            f"queue for the links between the switches, which all hosts share, perhaps with other jobs."
        ),
        evidence=(
            Evidence("switches", ", ".join(found.switches), "SLURM_TOPOLOGY_ADDR"),
            Evidence("a connection between them", mbit(found.bytes_per_s), "bytes and busy time"),
            Evidence(
                "a connection within one" if found.compared_within else "the slower card of the two",
                sound,
                "tcp_info" if found.compared_within else "ethtool, tc",
            ),
            Evidence("packets wait on the way", q.seconds(found.queue_s), "tcpi_rtt less tcpi_min_rtt, median"),
            Evidence("sent from switch to switch", q.bytes_(found.bytes_sent), "tcp_info, all ranks"),
        ),
        confidence=0.9 if found.compared_within else 0.8,
    )
