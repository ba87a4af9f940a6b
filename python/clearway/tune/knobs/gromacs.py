"""GROMACS' mdrun. What its own log tells of a step bounds what a knob can give."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from clearway.base import quantities as q
from clearway.base.whole import is_whole
from clearway.engines.gromacs import shares
from clearway.job.change import Change
from clearway.tune.knobs import Short
from clearway.tune.seen import Seen
from clearway.tune.setting import Knob, MayChange, Setting

ENGINE = "GROMACS"
THREADS = r"^Using (\d+) OpenMP threads?"
RANKS = r"^Using (\d+) MPI threads?"  # of a build with threads in the place of MPI
SIZE = r"^There are: (\d+) Atoms"
SEVERAL = ("-multidir",)
FIRST_STEPS = 960  # before anything is known of its speed
LISTS = (20, 40, 80, 160)  # steps between searches for neighbours
# What a run measures is as many searches as its steps are worth, whatever the length of its list: else the longest list
# looks fast because it was never rebuilt.
WHOLE_LISTS = LISTS[-1]
FEWEST_STEPS = 2 * WHOLE_LISTS  # half of them are warm-up
SEARCHING = ("Neighbor search", "Domain decomp.", "DD comm. load")  # are done once a list
FEWEST_WITH_PME_RANKS = 4
MOST_SHAPES = 4  # of ranks that are threads
OUTPUTS = ("-o", "-x", "-cpo", "-c", "-e", "-g", "-dhdl", "-field", "-px", "-pf", "-ro", "-swap", "-deffnm")


def recognises(program: Sequence[str]) -> bool:
    return PurePath(program[0]).name.startswith(("gmx", "mdrun")) and "mdrun" in " ".join(program[:2])


def refuses(program: Sequence[str]) -> str:
    if "-cpi" in program:
        return "it continues from a checkpoint (-cpi): leave that out, because short runs start at the beginning"
    if "-multidir" in program:
        return "it has several simulations (-multidir): tune one of them"
    places = [(name, value) for name, value in itertools.pairwise(program) if name in OUTPUTS]
    outside = next((f"{name} {value}" for name, value in places if PurePath(value).is_absolute()), "")
    return (
        f"it would write outside its working directory, to '{outside}': give a name without a directory"
        if outside
        else ""
    )


def threads(seen: Seen, number: int) -> Change | None:
    return Change(program_options=("-ntomp", str(number)))


def shortened(program: Sequence[str], steps: int | None, run_s: float, s_per_step: float | None) -> Short:
    """So many steps; the first half is warm-up, and left out of the figure by -resethway.

    PME is tuned by trying cut-offs for some thousand steps: in a short run it would still go on, and mdrun gives up.
    """
    told = _given_steps(program)
    wanted = FIRST_STEPS if s_per_step is None else math.ceil(run_s / s_per_step)
    number = steps or _whole_lists(min(wanted, told or wanted))
    number = min(number, told or number)
    options = ("-nsteps", str(number), "-resethway", "-noconfout", "-notunepme")
    change = Change(program_options=options, without=("-tunepme",))
    return Short(change, said=" ".join(options), measured_steps=number // 2)


def _given_steps(program: Sequence[str]) -> int | None:
    if "-nsteps" not in program[:-1]:
        return None
    word = program[len(program) - 1 - list(reversed(program)).index("-nsteps") + 1]
    return int(word) if is_whole(word) and int(word) > 0 else None


def _whole_lists(steps: int) -> int:
    """About as many, whose second half holds a whole number of all lists."""
    return max(FEWEST_STEPS, steps // FEWEST_STEPS * FEWEST_STEPS)


def read_first(program: Sequence[str], lines: Sequence[str], file: Path, folder: Path) -> Change | None:
    return None


def knobs(seen: Seen) -> Iterator[Knob]:
    spent = shares(seen.log)
    yield _ranks_inside(seen)
    yield _pme_ranks(seen)
    yield _neighbour_lists(seen, spent)
    yield _load_balancing(seen)
    yield Knob("-tunepme", (), None, "it needs some thousand steps to settle, more than a short run has")
    yield _on_gpu(seen, "-bonded", "bonded forces are computed")
    yield _on_gpu(seen, "-update", "positions are updated")


def _setting(knob: str, may_change: MayChange, *options: str) -> Setting:
    return Setting(knob, " ".join(options), Change(program_options=options), may_change)


def _ranks_inside(seen: Seen) -> Knob:
    """Ranks that are threads of one process, which no launcher starts: all that fill the cores."""
    name = "-ntmpi"
    if seen.logged(RANKS) is None or seen.launcher:
        return Knob(name, (), None, "the ranks are processes, and their number is the launcher's")
    if "-nt" in seen.program:
        return Knob(name, (), None, "the job has -nt")
    cores, now = sum(seen.cores), (seen.ranks, seen.threads)
    shapes = [(ranks, cores // ranks) for ranks in range(1, cores + 1) if cores % ranks == 0]
    nearest = sorted(shapes, key=lambda shape: abs(math.log2(shape[0] / now[0])))
    settings = [_shape(name, shape) for shape in nearest if shape != now]
    why = "the record does not show what ranks lose that are threads" if settings else "there is one core"
    return Knob(name, tuple(settings[:MOST_SHAPES]), None, why)


def _shape(knob: str, shape: tuple[int, int]) -> Setting:
    """mdrun refuses a number of threads that is not that of OMP_NUM_THREADS."""
    ranks, number = shape
    options = (knob, str(ranks), "-ntomp", str(number))
    change = Change(environment=(("OMP_NUM_THREADS", str(number)),), program_options=options)
    return Setting(knob, " ".join(options), change, MayChange.ORDER, shape=shape)


def _pme_ranks(seen: Seen) -> Knob:
    name = "-npme"
    if seen.logged(r"^ +coulombtype +=\s+(\S+)") not in ("PME", "P3M-AD"):
        return Knob(name, (), None, "the job has no PME")
    few = "1 rank is" if seen.ranks == 1 else f"{seen.ranks} ranks are"
    if seen.ranks < FEWEST_WITH_PME_RANKS:
        return Knob(name, (), None, f"{few} too few for separate PME ranks")
    now = int(seen.logged(r"separate PME ranks (\d+)") or 0)
    counts = dict.fromkeys([0, *(max(1, round(seen.ranks * share)) for share in (1 / 4, 1 / 3, 1 / 2))])
    settings = [_setting(name, MayChange.ORDER, name, str(count)) for count in counts if count != now]
    return Knob(name, tuple(settings), seen.shares.mpi, f"MPI takes {q.percent(seen.shares.mpi)} of the ranks' time")


def _neighbour_lists(seen: Seen, spent: dict[str, float]) -> Knob:
    """A longer list is searched for less often, and has a wider buffer, by which mdrun keeps the input's tolerance."""
    name = "-nstlist"
    buffer = seen.logged(r"^ +verlet-buffer-tolerance +=\s+(\S+)")
    if buffer is None or buffer.startswith("-"):
        return Knob(name, (), None, "the input sets the width of the lists itself, without a tolerance")
    now = int(seen.logged(r"^Changing nstlist from \d+ to (\d+)") or seen.logged(r"^ +nstlist +=\s+(\d+)") or 0)
    longer = [steps for steps in LISTS if steps > now]
    if not longer:
        return Knob(name, (), None, f"its lists already serve {now} steps")
    measured = seen.measured_steps or WHOLE_LISTS
    settings = [_setting(name, MayChange.TOLERANCE, name, str(steps)) for steps in longer if steps <= measured]
    if not settings:
        return Knob(
            name, (), None, f"a short run measures {measured} steps, and a list of {longer[0]} would never be rebuilt"
        )
    searching = sum(spent.get(part, 0.0) for part in SEARCHING) if spent else None
    if searching is None:
        return Knob(name, tuple(settings[:2]), None, "the log does not show the time for neighbour searching")
    says = f"neighbour searching and domain decomposition take {q.percent(searching)} of a step"
    return Knob(name, tuple(settings[:2]), searching, says)


def _load_balancing(seen: Seen) -> Knob:
    name = "-dlb"
    if seen.ranks < 2:
        return Knob(name, (), None, "there is one rank")
    now = seen.option(name) or "auto"
    settings = [_setting(name, MayChange.ORDER, name, value) for value in ("yes", "no") if value != now]
    told = seen.logged(r"spent waiting due to load imbalance: ([\d.]+)%")
    if told is not None:
        lost = float(told) / 100
        return Knob(
            name, tuple(settings), lost, f"load imbalance costs {q.percent(lost)} of the time, according to mdrun"
        )
    waiting = seen.shares.mpi_wait
    return Knob(name, tuple(settings), waiting, f"ranks wait for others in MPI for {q.percent(waiting)} of their time")


def _on_gpu(seen: Seen, name: str, what: str) -> Knob:
    if seen.logged(r"(\d+ GPUs? selected)") is None:
        return Knob(name, (), None, f"it chooses whether {what} on a GPU, and the job uses none")
    now = seen.option(name) or "auto"
    settings = [_setting(name, MayChange.ORDER, name, value) for value in ("gpu", "cpu") if value != now]
    return Knob(name, tuple(settings), None, "the record does not show what a GPU does")
