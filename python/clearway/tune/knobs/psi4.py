"""Psi4: threads, and the algorithm of its self-consistent field where the approximation stays the same."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from clearway.job.change import Change
from clearway.tune.knobs import Short
from clearway.tune.knobs.inputs import changed_copy, named, reading, text_of
from clearway.tune.seen import Seen
from clearway.tune.setting import Knob, MayChange, Setting

ENGINE = "Psi4"
THREADS = r"^ +Threads: +(\d+)"
RANKS = ""
SIZE = r"^ +Number of basis functions?: +(\d+)"
SEVERAL = ()
INPUT = ("-i", "--input")
OUTPUT = ("-o", "--output")
THREAD_WORDS = ("-n", "--nthread")
SCF_TYPE = "scf_type"
ALIKE = {"DF": ("MEM_DF", "DISK_DF"), "MEM_DF": ("DISK_DF",), "DISK_DF": ("MEM_DF",),
         "PK": ("DIRECT", "OUT_OF_CORE"), "DIRECT": ("PK",), "OUT_OF_CORE": ("PK", "DIRECT")}  # fmt: skip


def recognises(program: Sequence[str]) -> bool:
    return PurePath(program[0]).name == "psi4"


def refuses(program: Sequence[str]) -> str:
    return ""


def threads(seen: Seen, number: int) -> Change | None:
    return Change(program_options=(_word(seen, THREAD_WORDS), str(number)))


def shortened(program: Sequence[str], steps: int | None, run_s: float, s_per_step: float | None) -> Short:
    return Short()


def read_first(program: Sequence[str], lines: Sequence[str], file: Path, folder: Path) -> Change | None:
    """A copy of the input, with `lines` before all else. Its output would go where the copy is: it needs a name."""
    found = named(program, INPUT)
    if found is None or named(program, OUTPUT) is None:
        return None
    changed_copy(folder / found[1], lines, file, lambda text, more: f"{more}\n{text}")
    return reading(*found, file)


def knobs(seen: Seen) -> Iterator[Knob]:
    yield _threads(seen)
    yield _algorithm(seen)


def _threads(seen: Seen) -> Knob:
    name = "threads"
    cores = seen.cores[0] if len(seen.cores) == 1 else len(os.sched_getaffinity(0))
    counts = sorted({1, cores // 2, cores} - {0, seen.threads})
    word = _word(seen, THREAD_WORDS)
    settings = [
        Setting(
            name, f"{word} {number}", Change(program_options=(word, str(number))), MayChange.ORDER, shape=(1, number)
        )
        for number in counts
    ]
    why = "the record does not show what threads lose among themselves" if settings else "there is one core"
    return Knob(name, tuple(settings), None, why)


def _algorithm(seen: Seen) -> Knob:
    """Density fitting and exact integrals are two approximations: only what computes the same is tried."""
    found = named(seen.program, INPUT)
    if found is None or named(seen.program, OUTPUT) is None:
        return Knob(
            SCF_TYPE, (), None, "it needs -i and -o on the command line, so that something can be put before the input"
        )
    if re.search(rf"\b{SCF_TYPE}\b", text_of(found[1], Path(seen.folder)), re.IGNORECASE):
        return Knob(SCF_TYPE, (), None, "the input sets it")
    now = (seen.logged(r"SCF Algorithm Type is (\w+)\.") or "").upper()
    settings = [
        Setting(SCF_TYPE, f"{SCF_TYPE} {other}", Change(), MayChange.ORDER, (f"set {SCF_TYPE} {other}",))
        for other in ALIKE.get(now, ())
    ]
    why = f"its algorithm is {now}, and others give the same result" if settings else "its algorithm is not known"
    return Knob(SCF_TYPE, tuple(settings), None, why)


def _word(seen: Seen, words: tuple[str, ...]) -> str:
    return next((word for word in words if word in seen.program), words[0])
