"""Each rank, or each of its threads, on a core of its own, not on one of a core's hardware threads."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.granted_processors import allowed
from clearway.diagnosis.facts.rank_places import fits, pin_change, pinned
from clearway.diagnosis.facts.settings_in_force import launcher, program_wrapper, threads_per_rank
from clearway.diagnosis.facts.siblings import cores_with_siblings, number_of_cores
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.diagnosis.remedies.cores_for_threads import PINNING
from clearway.job.change import Change

EXCLUDES = frozenset({"pin-ranks", "one-rank-a-core", "fewer-ranks"})
INTEL = (("I_MPI_PIN", "on"), ("I_MPI_PIN_CELL", "core"))
PLACES = (("OMP_PLACES", "cores"),)  # of what the launcher leaves a rank


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: the finding is a bound."""
    if not any(cores_with_siblings(case, members) for members in machines(case).values()):
        return None
    threads = threads_per_rank(case)
    change = core_for_each_rank(case) if threads == 1 else _of_threads(case, threads)
    if change is None or not fits(case) or program_wrapper(case) in PINNING:
        return None
    who = "rank" if threads == 1 else "thread"
    return Offer(
        what=f"give each {who} a core of its own",
        why=f"two {who}s on one core share its arithmetic units, while other cores are free",
        gain=None,
        change=change,
    )


def core_for_each_rank(case: Case) -> Change | None:
    """In the words of the job's launcher; None where it is not known."""
    if launcher(case) == "srun":
        return Change(launcher_options=("--hint=nomultithread",))
    if case.family == "intel":
        return Change(environment=INTEL)
    if case.family == "openmpi":
        return Change(launcher_options=("--bind-to", "core", "--map-by", "core"))
    return Change(launcher_options=("-bind-to", "core", "-map-by", "core")) if case.family == "mpich" else None


def _of_threads(case: Case, threads: int) -> Change | None:
    """Where ranks have cores enough of their own, OpenMP has put their threads on the same ones."""
    if pinned(case) and all(_cores_of_rank(case, process) >= threads for process in range(case.ranks)):
        return Change(environment=PLACES)
    if launcher(case) == "srun":
        return Change(
            launcher_options=("--hint=nomultithread", f"--cpus-per-task={threads}", "--cpu-bind=cores"),
            environment=PLACES,
        )
    change = pin_change(case)
    if change is None:
        return None
    intel = INTEL[1:] if case.family == "intel" else ()
    return Change(launcher_options=change.launcher_options, environment=(*change.environment, *intel, *PLACES))


def _cores_of_rank(case: Case, process: int) -> int:
    members = next(members for members in machines(case).values() if process in members)
    return number_of_cores(cores_with_siblings(case, members), allowed(case.tables.ranks[process].cpus))
