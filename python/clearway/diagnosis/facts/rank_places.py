"""Where the ranks of a job may run: cores, hosts, threads, and what the launcher calls it."""

from __future__ import annotations

from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.granted_processors import allowed, granted_number
from clearway.diagnosis.facts.settings_in_force import launcher, threads_per_rank
from clearway.diagnosis.facts.tables.hosts import Host
from clearway.job.change import Change


def cores_of(case: Case, host: Host) -> int:
    """Cores that the job may use there; where a core has several hardware threads, these do not count."""
    said = host.facts.get("topology.cores", "")
    cores = int(said) if is_whole(said) and int(said) > 0 else host.cores or 0
    members = [process for process, rank in enumerate(case.tables.ranks) if rank.host == host.name]
    threads_a_core = max((host.cores or 0) // cores, 1) if cores else 1
    granted = granted_number(case, members) if members else 0
    return min(cores, -(-granted // threads_a_core)) if granted else cores


def cores_of_all(case: Case) -> int:
    return sum(cores for cores, _ in _rooms(case))


def fits(case: Case) -> bool:
    """Whether each machine has a core for each thread of its ranks."""
    threads = threads_per_rank(case)
    return all(ranks * threads <= cores for cores, ranks in _rooms(case))


def _rooms(case: Case) -> list[tuple[int, int]]:
    """Of each machine: its cores, and the ranks on it."""
    cores = {host.name: cores_of(case, host) for host in case.tables.hosts}
    several = machines(case).values()
    return [(cores.get(case.tables.ranks[members[0]].host, 0), len(members)) for members in several]


def pinned(case: Case) -> bool:
    """Whether each rank has processors that no other rank of its host may use."""
    taken: dict[str, set[int]] = {}
    for rank in case.tables.ranks:
        mine, others = allowed(rank.cpus), taken.setdefault(rank.host, set())
        if not mine or mine & others:
            return False
        others |= mine
    return bool(case.tables.ranks)


def pin_change(case: Case) -> Change | None:
    """Each rank on cores of its own, in the words of the job's launcher; None where there is no launcher known."""
    return pinning(launcher(case), case.family, threads_per_rank(case))


def pinning(launcher_name: str, family: str, threads: int) -> Change | None:
    """Each rank on as many cores of its own as it has threads."""
    if launcher_name == "srun":
        return Change(launcher_options=("--cpu-bind=cores", f"--cpus-per-task={threads}"))
    if family == "openmpi":
        return Change(launcher_options=("--bind-to", "core", "--map-by", f"slot:PE={threads}"))
    if family == "intel":
        domain = (("I_MPI_PIN_DOMAIN", "core" if threads == 1 else f"{threads}:compact"),)
        return Change(environment=(("I_MPI_PIN", "on"), *domain))
    if family == "mpich":
        return Change(launcher_options=("-bind-to", "core" if threads == 1 else f"core:{threads}"))
    return None
