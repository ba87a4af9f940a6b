"""Quantum ESPRESSO's pw.x and cp.x: how its ranks are divided. A run is as long as its input says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from clearway.base import quantities as q
from clearway.job.change import Change
from clearway.tune.knobs import Short
from clearway.tune.seen import Seen
from clearway.tune.setting import Knob, MayChange, Setting

ENGINE = "Quantum ESPRESSO"
THREADS = r"Threads/MPI process: +(\d+)"
RANKS = ""
SIZE = r"^ +number of electrons +=\s+([\d.]+)"
SEVERAL = ()
POOLS = ("-nk", "-npool", "-npools", "-nkpool")
DIAGONALISING = ("-nd", "-ndiag", "-northo", "-nproc_diag", "-nproc_ortho")
TASKS = ("-nt", "-ntg", "-ntask_groups", "-nyfft")
BANDS = ("-nb", "-nband", "-nbgrp", "-nband_group")
MOST_SETTINGS = 3


def recognises(program: Sequence[str]) -> bool:
    return PurePath(program[0]).name in ("pw.x", "cp.x")


def refuses(program: Sequence[str]) -> str:
    return ""


def threads(seen: Seen, number: int) -> Change | None:
    """By OMP_NUM_THREADS alone; its log tells whether it was built with them."""
    return Change() if seen.logged(THREADS) is not None else None


def shortened(program: Sequence[str], steps: int | None, run_s: float, s_per_step: float | None) -> Short:
    return Short()


def read_first(program: Sequence[str], lines: Sequence[str], file: Path, folder: Path) -> Change | None:
    return None


def knobs(seen: Seen) -> Iterator[Knob]:
    says = f"MPI takes {q.percent(seen.shares.mpi)} of the ranks' time"
    yield _pools(seen, says)
    yield _diagonalisation(seen, says)
    yield _task_groups(seen, says)
    yield _bands(seen, says)


def _pools(seen: Seen, says: str) -> Knob:
    """Each pool has the k-points of its own; between pools little is sent."""
    name = "-nk"
    points = int(seen.logged(r"number of k points= +(\d+)") or 1)
    told = int(seen.option(*POOLS) or 1)
    word = next((option for option in POOLS if option in seen.program), name)
    counts = [n for n in range(2, seen.ranks + 1) if seen.ranks % n == 0 and n <= points and n != told]
    if not counts:
        return Knob(
            name,
            (),
            None,
            "there is one k-point" if points == 1 else f"{seen.ranks} ranks cannot be divided into other pools",
        )
    settings = [
        Setting(name, f"{word} {n}", Change(program_options=(word, str(n))), MayChange.ORDER)
        for n in counts[-MOST_SETTINGS:]
    ]
    return Knob(name, tuple(settings), seen.shares.mpi, says)


def _diagonalisation(seen: Seen, says: str) -> Knob:
    """A square of ranks that diagonalise together; 1 is each for itself."""
    name = "-nd"
    told = seen.option(*DIAGONALISING)
    word = next((option for option in DIAGONALISING if option in seen.program), name)
    squares = [n * n for n in range(1, seen.ranks + 1) if n * n <= seen.ranks and str(n * n) != told]
    if seen.ranks < 2:
        return Knob(name, (), None, "there is one rank")
    settings = [
        Setting(name, f"{word} {n}", Change(program_options=(word, str(n))), MayChange.ORDER)
        for n in dict.fromkeys((squares[0], squares[-1]))
    ] if squares else []  # fmt: skip
    return Knob(name, tuple(settings), seen.shares.mpi, says)


def _task_groups(seen: Seen, says: str) -> Knob:
    """Ranks that share the FFTs of several bands, instead of all ranks sharing each."""
    name = "-nt"
    told = int(seen.option(*TASKS) or 1)
    word = next((option for option in TASKS if option in seen.program), name)
    pool = seen.ranks // int(seen.option(*POOLS) or 1)
    counts = [n for n in (2, 4) if n <= pool and pool % n == 0 and n != told]
    if not counts:
        return Knob(name, (), None, f"{pool} rank{'s' * (pool != 1)} of a pool cannot be divided into other groups")
    settings = [Setting(name, f"{word} {n}", Change(program_options=(word, str(n))), MayChange.ORDER) for n in counts]
    return Knob(name, tuple(settings), seen.shares.mpi, says)


def _bands(seen: Seen, says: str) -> Knob:
    """Groups of ranks that have some of the pairs of bands each, whose exact exchange takes nearly all the time."""
    name = "-nb"
    if seen.program_name != "pw.x" or seen.logged(r"(EXX-fraction) +=") is None:
        return Knob(name, (), None, "groups of bands pay in jobs with exact exchange; elsewhere they only take memory")
    told = int(seen.option(*BANDS) or 1)
    word = next((option for option in BANDS if option in seen.program), name)
    pool = seen.ranks // int(seen.option(*POOLS) or 1)
    counts = [n for n in range(2, pool + 1) if pool % n == 0 and n != told]
    if not counts:
        return Knob(name, (), None, f"{pool} rank{'s' * (pool != 1)} of a pool cannot be divided into other groups")
    settings = [
        Setting(name, f"{word} {n}", Change(program_options=(word, str(n))), MayChange.ORDER)
        for n in counts[:MOST_SETTINGS]
    ]
    return Knob(name, tuple(settings), seen.shares.mpi, says)
