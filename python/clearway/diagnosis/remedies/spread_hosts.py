"""Ranks dealt out over the hosts in turn, where some hosts have more of them than cores and others have cores left."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.rank_places import cores_of
from clearway.diagnosis.facts.settings_in_force import launcher, launcher_option, threads_per_rank
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES = frozenset({"fewer-ranks"})


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1: every rank then has a core."""
    threads, hosts = threads_per_rank(case), case.tables.hosts
    crowded = [host for host in hosts if host.ranks * threads > cores_of(case, host) > 0]
    even = -(-case.ranks // len(hosts)) if hosts else 0
    if not crowded or any(even * threads > cores_of(case, host) for host in hosts):
        return None
    change = _dealt_out(case, even)
    if change is None:
        return None
    return Offer(
        what=f"put {even} ranks on each host",
        why=(
            f"{crowded[0].name} has {crowded[0].ranks} ranks and {cores_of(case, crowded[0])} cores, while other hosts "
            f"have free cores"
        ),
        gain=1.0,
        change=change,
    )


def _dealt_out(case: Case, even: int) -> Change | None:
    if launcher(case) == "srun":
        return Change(launcher_options=("--distribution=cyclic",))
    if case.family == "openmpi" and launcher_option(case, "rankfile", "rf") is None:
        return Change(launcher_options=("--map-by", f"ppr:{even}:node:OVERSUBSCRIBE"))  # its slots are wrong
    if case.family in ("mpich", "intel"):
        return Change(launcher_options=("-ppn", str(even)))
    return None
