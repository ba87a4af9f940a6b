"""CP2K: its GLOBAL section says how matrices are laid over the ranks, and who multiplies and transforms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from clearway.base import quantities as q
from clearway.job.change import Change
from clearway.tune.knobs import Short
from clearway.tune.knobs.inputs import changed_copy, named, reading, text_of
from clearway.tune.seen import Seen
from clearway.tune.setting import Knob, MayChange, Setting

ENGINE = "CP2K"
THREADS = r"GLOBAL\| Number of threads for this process +(\d+)"
RANKS = ""
SIZE = r"^ +- Atoms: +(\d+)"
SEVERAL = ()
INPUT = ("-i",)
GLOBAL = re.compile(r"^[ \t]*&GLOBAL\b[^\n]*\n", re.MULTILINE | re.IGNORECASE)
NO_INPUT = "its input is not given with -i, or has no section &GLOBAL"


def recognises(program: Sequence[str]) -> bool:
    return re.match(r"cp2k(\.|$)", PurePath(program[0]).name) is not None


def refuses(program: Sequence[str]) -> str:
    return ""


def threads(seen: Seen, number: int) -> Change | None:
    """By OMP_NUM_THREADS, where it was built with them: as .psmp or .ssmp."""
    return Change() if number == 1 or PurePath(seen.program[0]).name.endswith("smp") else None


def shortened(program: Sequence[str], steps: int | None, run_s: float, s_per_step: float | None) -> Short:
    return Short()


def read_first(program: Sequence[str], lines: Sequence[str], file: Path, folder: Path) -> Change | None:
    """A copy of the input, with `lines` at the beginning of its &GLOBAL."""
    found = named(program, INPUT)
    if found is None:
        return None
    changed_copy(folder / found[1], lines, file, _in_global)
    return reading(*found, file)


def _in_global(text: str, more: str) -> str:
    return GLOBAL.sub(lambda at: f"{at[0]}{more}\n", text, count=1)


def knobs(seen: Seen) -> Iterator[Knob]:
    found = named(seen.program, INPUT)
    text = text_of(found[1], Path(seen.folder)) if found else ""
    if not GLOBAL.search(text):
        yield from (Knob(name, (), None, NO_INPUT) for name in ("BLACS_GRID", "DBCSR", "FFTW_PLAN_TYPE"))
        return
    yield _grid(seen, text)
    yield _multiplication(text)
    yield _plans(text)


def _line(knob: str, name: str, line: str) -> Setting:
    return Setting(knob, name, Change(), MayChange.ORDER, (line,))


def _says(text: str, word: str) -> bool:
    return re.search(rf"^[ \t]*&?{word}\b", text, re.MULTILINE | re.IGNORECASE) is not None


def _grid(seen: Seen, text: str) -> Knob:
    """How ranks share a dense matrix: as a square, or all along one side."""
    name = "BLACS_GRID"
    if seen.ranks < 2 or _says(text, name):
        return Knob(name, (), None, "there is one rank" if seen.ranks < 2 else "the input sets it")
    settings = [_line(name, f"{name} {value}", f"{name} {value}") for value in ("ROW", "COLUMN")]
    return Knob(name, tuple(settings), seen.shares.mpi, f"MPI takes {q.percent(seen.shares.mpi)} of the ranks' time")


def _multiplication(text: str) -> Knob:
    name = "DBCSR"
    if _says(text, name):
        return Knob(name, (), None, "the input has a section for it")
    settings = [
        _line(name, f"DBCSR MM_DRIVER {driver}", f"&DBCSR\nMM_DRIVER {driver}\n&END DBCSR")
        for driver in ("BLAS", "MATMUL")
    ]
    return Knob(name, tuple(settings), None, "the record does not show the time for multiplying small blocks")


def _plans(text: str) -> Knob:
    """FFTW looks longer for a way, and then transforms faster: that pays in a long job only."""
    name = "FFTW_PLAN_TYPE"
    if _says(text, name) or _says(text, "PREFERRED_FFT_LIBRARY"):
        return Knob(name, (), None, "the input sets it")
    return Knob(name, (_line(name, f"{name} MEASURE", f"{name} MEASURE"),), None, "the time for FFTs is not known")
