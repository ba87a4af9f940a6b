"""Ranks of one host are in different user namespaces: none may read another's memory, and messages are copied twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.bytes_sent import sent_between_hosts, sent_inside_hosts
from clearway.diagnosis.facts.namespaces import Apart, apart
from clearway.diagnosis.facts.unreturned import CERTAIN, claims, open_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.run.layout import State

TITLE = "Containers keep ranks from reading each other's memory"
STUCK = "Containers keep ranks from reading each other's memory, and messages never arrive"
REMEDIES = ("share-namespace", "no-single-copy")
LARGE_BYTES = 4096  # beyond it MPIs read the other's memory; smaller messages go through a buffer anyway
SAVED = 0.5  # of the time to move them: one copy instead of two


def examine(case: Case) -> Suspicion | None:
    """Claims half of what large messages inside such hosts take, a bound; all of what does not return for it."""
    hosts = apart(case)
    if not hosts or any(each.inside_host for each in case.connections):
        return None  # by TCP: that is told as such
    return _stuck(case, hosts) or _slower(case, hosts)


def _slower(case: Case, hosts: Sequence[Apart]) -> Suspicion | None:
    inside, between = sent_inside_hosts(case.tables), sent_between_hosts(case.tables)
    bins = case.tables.messages.histogram
    every = sum(each.bytes for each in bins)
    large = sum(each.bytes for each in bins if each.low_bytes >= LARGE_BYTES)
    if not inside or not large:
        return None
    share = SAVED * large / every * inside / (inside + between)
    says = (
        f"{_where(hosts)} An MPI that notices copies each message twice, through a shared buffer; with one that does "
        f"not, the job fails. The figure is the most that can be gained."
    )
    sent = Evidence(f"sent in messages of {q.bytes_(LARGE_BYTES)} and more", q.bytes_(large), "MPI calls")
    return Suspicion({"transfer_s": share * case.losses.transfer_s}, says, (*_places(case, hosts), sent), 0.6)


def _stuck(case: Case, hosts: Sequence[Apart]) -> Suspicion | None:
    """Open MPI 4.1 says that it falls back on another way, and then waits for messages of megabytes without end."""
    graph = case.tables.waits_for
    if graph is None or graph.kind != "deadlock" or (case.run.processes["state"] == State.EXITED).all():
        return None
    waiting = [case.run.process_of_rank[rank] for rank in graph.waiting]
    if not {case.tables.ranks[process].host for process in waiting} <= {each.host for each in hosts}:
        return None
    says = (
        f"{_where(hosts)} {len(waiting):,} ranks wait for messages from each other that do not arrive: some MPIs then "
        f"never deliver large ones."
    )
    return Suspicion(claims(case, open_s(case, waiting)), says, tuple(_places(case, hosts)), CERTAIN, STUCK)


def _where(hosts: Sequence[Apart]) -> str:
    first = hosts[0]
    return (
        f"The {first.ranks} ranks on {first.host} are in {first.namespaces} user namespaces, as happens when each rank "
        f"has a container of its own. The kernel then does not let a rank read a message from another rank's memory."
    )


def _places(case: Case, hosts: Sequence[Apart]) -> Iterator[Evidence]:
    first = hosts[0]
    number = f"{first.namespaces} for {first.ranks} ranks"
    yield Evidence(f"user namespaces on {first.host}", number, "/proc/self/ns/user")
    yield Evidence("hosts concerned", f"{len(hosts):,} of {case.tables.job.hosts:,}", "/proc/self/ns/user")
