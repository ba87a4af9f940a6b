"""The job on the fast cores only, where its host has slow ones as well."""

from __future__ import annotations

import shlex

from clearway.base.ranges import short_numbers
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.core_kinds import kinds_of
from clearway.diagnosis.facts.settings_in_force import launcher, threads_per_rank
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    """Shown, not tried; no gain is promised: without the slow cores there are fewer. For one host, where a launcher's
    processes inherit its affinity.
    """
    hosts = [kinds for host in case.run.hosts if (kinds := kinds_of(host)) is not None]
    if len(hosts) != 1 or case.tables.job.hosts != 1 or launcher(case) == "srun":
        return None
    threads = threads_per_rank(case)
    most = len(hosts[0].fast) // threads
    if most < 1:
        return None
    job = shlex.join(case.command) if case.command else "mpirun …"
    fewer = "" if case.ranks <= most else f", with at most {most} ranks"
    return Offer(
        what=f"run the job on the fast cores only{fewer}",
        why="in each step they wait for the slow ones",
        gain=None,
        command=f"taskset -c {short_numbers(sorted(hosts[0].fast))} {job}",
    )
