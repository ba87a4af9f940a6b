"""Each rank on a core of its own, not on one of a core's hardware threads."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.settings_in_force import launcher, program_wrapper
from clearway.diagnosis.facts.siblings import cores_with_siblings
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES = frozenset({"pin-ranks", "one-rank-a-core", "fewer-ranks"})
PINNING = ("taskset", "numactl", "likwid-pin")  # before the program: they undo what the launcher does
INTEL = (("I_MPI_PIN", "on"), ("I_MPI_PIN_CELL", "core"))


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: the finding is a bound."""
    if not any(cores_with_siblings(case, members) for members in machines(case).values()):
        return None
    change = _change(case)
    if change is None or program_wrapper(case) in PINNING:
        return None
    return Offer(
        what="give each rank a core of its own",
        why="two ranks on one core share its arithmetic units, while other cores are free",
        gain=None,
        change=change,
    )


def _change(case: Case) -> Change | None:
    if launcher(case) == "srun":
        return Change(launcher_options=("--hint=nomultithread",))
    if case.family == "intel":
        return Change(environment=INTEL)
    if case.family == "openmpi":
        return Change(launcher_options=("--bind-to", "core", "--map-by", "core"))
    return Change(launcher_options=("-bind-to", "core", "-map-by", "core")) if case.family == "mpich" else None
