"""LAMMPS. Most of its knobs are commands of the input: they go into a file of ours that includes the job's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from clearway.base import quantities as q
from clearway.job.change import Change
from clearway.tune.knobs import Short
from clearway.tune.knobs.inputs import changed_copy, named, text_of
from clearway.tune.seen import Seen
from clearway.tune.setting import Knob, MayChange, Setting

ENGINE = "LAMMPS"
THREADS = r"using (\d+) OpenMP thread\(s\) per MPI task"
RANKS = ""
SIZE = r"^Loop time of .* with (\d+) atoms"
SEVERAL = ("-p", "-partition")
INPUT = ("-in", "-i")
SUFFIX = ("-sf", "-suffix")
MOST_GRIDS = 3
BALANCE = "fix clearway_balance all balance 500 1.05 shift xyz 10 1.05"  # looks every 500 steps, and at the beginning
LATE = ("fix ",)  # lines that need atoms
RUNS = re.compile(r"^[ \t]*(run|minimize)[ \t]", re.MULTILINE)
NO_INPUT = "its input comes from standard input: give it with -in, so that a line can be put before it"


def recognises(program: Sequence[str]) -> bool:
    return re.match(r"(lmp|lammps)([-_.].*)?$", PurePath(program[0]).name) is not None


def refuses(program: Sequence[str]) -> str:
    if any(name in program for name in ("-p", "-partition", "-r", "-restart")):
        return "it has several simulations, or none (-partition, -restart): tune one simulation"
    return ""


def threads(seen: Seen, number: int) -> Change | None:
    """Styles with threads are those of the OPENMP package, which not every LAMMPS has; one without it ends at once."""
    if number == 1:
        return Change()
    return Change(program_options=("-sf", "omp", "-pk", "omp", str(number)))


def shortened(program: Sequence[str], steps: int | None, run_s: float, s_per_step: float | None) -> Short:
    """It ends its runs after so long by itself, and tells how many steps that were."""
    if named(program, INPUT) is None:
        return Short()
    line = f"timer timeout {max(1, round(run_s))} every 10"
    return Short(first_lines=(line,), said=line)


def read_first(program: Sequence[str], lines: Sequence[str], file: Path, folder: Path) -> Change | None:
    """A file with `lines`, behind which stands the job's own input, or a copy of it, if a line belongs before its first
    run."""
    found = named(program, INPUT)
    if found is None:
        return None
    option, own = found
    early = [line for line in lines if not line.startswith(LATE)]
    late = [line for line in lines if line.startswith(LATE)]
    if late:
        changed_copy(folder / own, late, file, _before_first_run)
        own = str(file.rename(file.with_suffix(".copy.in")))
    file.parent.mkdir(parents=True, exist_ok=True)
    quoted = f'"{own}"' if " " in own else own
    file.write_text("".join(f"{line}\n" for line in (*early, f"include {quoted}")))
    return Change(program_options=(option, str(file)))


def _before_first_run(text: str, more: str) -> str:
    return RUNS.sub(lambda at: f"{more}\n{at[0]}", text, count=1)


def knobs(seen: Seen) -> Iterator[Knob]:
    said = _commands(seen)
    yield _grid(seen, said)
    yield _balance(seen)
    yield _neighbour_lists(seen, said)
    yield _suffix(seen)
    accuracy = "another order changes the energy, within the input's accuracy, by more than we accept as the same"
    yield Knob("kspace_modify order", (), None, accuracy)


def _commands(seen: Seen) -> set[str]:
    """The commands that the log repeats."""
    return {line.split()[0] for line in seen.log.splitlines() if re.match(r"[a-z_]+( |\t|$)", line)}


def _line(knob: str, may_change: MayChange, line: str) -> Setting:
    return Setting(knob, line, Change(), may_change, (line,))


def _grid(seen: Seen, said: set[str]) -> Knob:
    """How the box is cut. A grid in the input itself would come later, and win."""
    name = "processors"
    now = seen.logged(r"^ +(\d+ by \d+ by \d+) MPI processor grid")
    if seen.ranks < 2:
        return Knob(name, (), None, "there is one rank")
    if name in said or named(seen.program, INPUT) is None:
        return Knob(name, (), None, "the input sets it" if name in said else NO_INPUT)
    grids = [grid for grid in _grids(seen.ranks) if " by ".join(map(str, grid)) != now]
    settings = [_line(name, MayChange.ORDER, f"processors {' '.join(map(str, grid))}") for grid in grids[:MOST_GRIDS]]
    says = f"MPI takes {q.percent(seen.shares.mpi)} of the ranks' time"
    return Knob(name, tuple(settings), seen.shares.mpi, says)


def _grids(ranks: int) -> list[tuple[int, int, int]]:
    """The most cubic first: they have the least surface."""
    ways = [(x, y, ranks // x // y) for x in range(1, ranks + 1) if ranks % x == 0
            for y in range(1, ranks // x + 1) if ranks // x % y == 0]  # fmt: skip
    return sorted(ways, key=lambda way: (max(way) / min(way), way))


def _balance(seen: Seen) -> Knob:
    """Walls between the ranks' parts of the box are moved until all have as many atoms: where density differs."""
    name = "balance"
    found = named(seen.program, INPUT)
    text = text_of(found[1], Path(seen.folder)) if found else ""
    if seen.ranks < 2:
        return Knob(name, (), None, "there is one rank")
    if re.search(r"^[^#\n]*\bbalance\b", text, re.MULTILINE):
        return Knob(name, (), None, "the input sets it")
    if not RUNS.search(text):
        none = "it belongs before the first run, and the input itself has none"
        return Knob(name, (), None, none if text else NO_INPUT)
    waiting = seen.shares.mpi_wait
    setting = Setting(name, "fix balance", Change(), MayChange.ORDER, (BALANCE,))
    return Knob(name, (setting,), waiting, f"ranks wait for others in MPI for {q.percent(waiting)} of their time")


def _neighbour_lists(seen: Seen, said: set[str]) -> Knob:
    """Later looks at whether a list is stale. LAMMPS counts the builds that came too late, and none may."""
    name = "neigh_modify"
    if name in said or named(seen.program, INPUT) is None:
        return Knob(name, (), None, "the input sets it" if name in said else NO_INPUT)
    settings = [_line(name, MayChange.TOLERANCE, f"neigh_modify delay {steps} every 1 check yes") for steps in (5, 20)]
    told = seen.logged(r"^Neigh +\|.*\| +([\d.]+)$")
    taken = None if told is None else float(told) / 100
    says = (
        "the log does not show its time"
        if taken is None
        else f"making neighbour lists takes {q.percent(taken)} of a step"
    )
    return Knob(name, tuple(settings), taken, says)


def _suffix(seen: Seen) -> Knob:
    name = "-sf"
    told = seen.option(*SUFFIX)
    if told is not None:
        return Knob(name, (), None, f"the job has -sf {told}")
    pair = seen.logged(r"^Pair +\|.*\| +([\d.]+)$")
    taken = None if pair is None else float(pair) / 100
    setting = Setting(name, "-sf opt", Change(program_options=("-sf", "opt")), MayChange.ORDER)
    says = (
        "the log does not show its time" if taken is None else f"forces between pairs take {q.percent(taken)} of a step"
    )
    return Knob(name, (setting,), taken, says)
