"""Fewer processes run than were asked for, or fewer on one host than on the others."""

from __future__ import annotations

from collections import Counter

from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.settings_in_force import launcher, launcher_option
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.run.layout import State

TITLE = "Fewer ranks run than there could be"
REMEDIES = ("spread-hosts",)


def examine(case: Case) -> Suspicion | None:
    """Claims the work outside MPI that the missing ranks would have taken over.

    With `missing` more ranks the others would do missing / (ranks + missing) less of it each.
    """
    found = _fewer_than_asked(case) or _fewer_than_on_other_hosts(case)
    if found is None:
        return None
    missing, says, evidence, confidence = found
    less = missing / (case.ranks + missing)
    claims = {"compute_s": case.losses.compute_s * less, "blocked_s": case.losses.blocked_s * less}
    return Suspicion(claims, says, evidence, confidence)


Found = tuple[int, str, tuple[Evidence, ...], float]


def _fewer_than_asked(case: Case) -> Found | None:
    """Most often each process is a job of one: it was started by another MPI's mpirun."""
    names = ("np", "n", "c") if launcher(case).startswith("Open MPI") else ("np", "n", "ntasks")  # srun -c: processors
    told = launcher_option(case, *names)
    asked = int(told) if told and is_whole(told) else 0
    have = case.tables.job.ranks_expected
    if not 0 < have < asked or not _mpi_began(case):
        return None
    evidence = (
        Evidence("asked for", f"{asked} ranks", "the launcher's command line"),
        Evidence("in the job", f"{have}", "size of MPI_COMM_WORLD"),
    )
    alone = (
        f" A process that is alone in its MPI job may be built with a different MPI than the launcher's.{_slurms(case)}"
        if have == 1
        else ""
    )
    return asked - have, f"{asked} ranks were asked for, but MPI made a job of {have}.{alone}", evidence, 0.95


def _slurms(case: Case) -> str:
    if launcher(case) != "srun":
        return ""
    told = launcher_option(case, "mpi")
    here = f" (here `{told}`)" if told else ""
    return (
        f" Under srun, processes find each other in the way that `--mpi` names{here}, or the site's default; it must "
        f"be one that the program's MPI knows, mostly pmix or pmi2: `srun --mpi=list` shows which there are."
    )


def _mpi_began(case: Case) -> bool:
    """Whether MPI_Init has returned in all of them: before it, or without it, nobody knows how many there are."""
    beginning = {"MPI_Init", "MPI_Init_thread", "MPI_Session_init"}
    began = any(row.function in beginning for row in case.tables.mpi_calls)
    return began and bool((case.run.processes["state"] != State.STARTED).all())


def _fewer_than_on_other_hosts(case: Case) -> Found | None:
    if case.tables.job.ranks_expected > case.ranks:
        return None  # they ran, or tried to: where, no record tells
    ranks = {host.name: host.ranks for host in case.tables.hosts}
    usual, hosts = Counter(ranks.values()).most_common(1)[0] if ranks else (0, 0)
    short = {name: number for name, number in ranks.items() if number < usual}
    if not short or hosts * 2 <= len(ranks) or max(ranks.values()) > usual:
        return None
    missing = sum(usual - number for number in short.values())
    name, number = next(iter(short.items()))
    evidence = (
        Evidence("ranks on most hosts", f"{usual}", f"{hosts:,} of {len(ranks):,} hosts"),
        *(Evidence(f"ranks on {name}", f"{number}", "records of the host") for name, number in [*short.items()][:3]),
    )
    says = (
        f"{name} runs {number} rank{'' if number == 1 else 's'}, most hosts {usual}: the work is spread over fewer "
        f"ranks than it could be."
    )
    return missing, says, evidence, 0.8
