"""Where the ranks of a job may run: cores, hosts, threads, and what the launcher calls it."""

from __future__ import annotations

from clearway.case import Case
from clearway.case.counters import machines
from clearway.case.in_force import launcher, threads_per_rank
from clearway.cluster.ranges import numbers
from clearway.errors import ClearwayError
from clearway.launch.change import Change
from clearway.page import Host


def cores_of(host: Host) -> int:
    """Cores; where a core has several hardware threads, these do not count."""
    cores = host.facts.get("topology.cores", "")
    return int(cores) if cores.isdecimal() and int(cores) > 0 else host.cores or 0


def cores_of_all(case: Case) -> int:
    return sum(cores for cores, _ in _rooms(case))


def fits(case: Case) -> bool:
    """Whether each machine has a core for each thread of its ranks."""
    threads = threads_per_rank(case)
    return all(ranks * threads <= cores for cores, ranks in _rooms(case))


def _rooms(case: Case) -> list[tuple[int, int]]:
    """Of each machine: its cores, and the ranks on it."""
    cores = {host.name: cores_of(host) for host in case.page.hosts}
    several = machines(case).values()
    return [(cores.get(case.page.ranks[members[0]].host, 0), len(members)) for members in several]


def allowed(cpus: str) -> frozenset[int]:
    """The processors of a list as the kernel writes it, "0-3,8"."""
    try:
        return frozenset(numbers(cpus)) if cpus else frozenset()
    except ClearwayError:
        return frozenset()


def pinned(case: Case) -> bool:
    """Whether each rank has processors that no other rank of its host may use."""
    taken: dict[str, set[int]] = {}
    for rank in case.page.ranks:
        mine, others = allowed(rank.cpus), taken.setdefault(rank.host, set())
        if not mine or mine & others:
            return False
        others |= mine
    return bool(case.page.ranks)


def pin_change(case: Case) -> Change | None:
    """Each rank on cores of its own, in the words of the job's launcher; None where there is no launcher known."""
    threads, name = threads_per_rank(case), launcher(case)
    if name == "srun":
        return Change(launcher_options=("--cpu-bind=cores", f"--cpus-per-task={threads}"))
    if case.family == "openmpi":
        return Change(launcher_options=("--bind-to", "core", "--map-by", f"slot:PE={threads}"))
    if case.family == "intel":
        domain = (("I_MPI_PIN_DOMAIN", "core" if threads == 1 else f"{threads}:compact"),)
        return Change(environment=(("I_MPI_PIN", "on"), *domain))
    if case.family == "mpich":
        return Change(launcher_options=("-bind-to", "core" if threads == 1 else f"core:{threads}"))
    return None
