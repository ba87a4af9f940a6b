"""Ranks that wait for a message ask for it without pause, on cores that others need to get on."""

from __future__ import annotations

from clearway import quantities as q
from clearway.diagnosis.case import Case
from clearway.diagnosis.charged import charged_s
from clearway.diagnosis.counters import machines
from clearway.diagnosis.crowding import crowded
from clearway.diagnosis.occupation import asked, burnt, occupation
from clearway.finding import Evidence
from clearway.rules import Suspicion

TITLE = "Waiting ranks burn the cores that others need"
REMEDIES = ("yield-when-idle", "one-rank-a-core", "spread-hosts", "fewer-ranks")


def examine(case: Case) -> Suspicion | None:
    """Claims run delay of ranks that share cores, as far as those that only waited had the cores.

    While a rank waits for a core, all that poll for its message go on polling: for each second of it, up to a second
    of each other rank's polling.
    """
    sharing = set(crowded(case))
    delayed_s = own_s = 0.0
    for members in machines(case).values():
        inside = [process for process in members if process in sharing]
        share = occupation(case, members).waiting
        delayed_s += share * charged_s(case, "core_wait_s", inside)
        own_s += share * float(case.books.ledger["core_wait_s"][inside].sum())
    if delayed_s <= 0:
        return None
    prolonged_s = min(float(asked(case).sum()), (case.ranks - 1) * own_s)
    evidence = (
        Evidence("burnt in waiting", f"{burnt(case).sum():.2f} CPU-seconds", "thread CPU time beside computing"),
        Evidence("MPI calls that only ask", q.percent(case.page.messages.poll_share), "MPI_Iprobe, MPI_Test…"),
        Evidence("ranks waited for their cores", f"{own_s:.2f} rank-seconds", "schedstat: run delay, this part of it"),
    )
    says = (
        f"{len(sharing)} ranks share cores. Those that wait for a message ask for it without pause, and keep those "
        "from running that have work to do."
    )
    return Suspicion({"core_wait_s": delayed_s, "transfer_s": prolonged_s}, says, evidence, confidence=0.96)
