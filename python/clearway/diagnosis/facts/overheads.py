"""How much processor time went into functions that serve a computation and are not part of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts.overhead_kinds import ANSWERED_AT_ONCE, KINDS, Where
from clearway.ledger.profile import Function, Profile

OF_THE_PROGRAM = re.compile(f"P?MPI_Wtime|{ANSWERED_AT_ONCE}")  # it calls them as often as it likes
OLD_KERNELS = "old-kernels"
REFERENCE_BLAS = re.compile(r".*/(blas|lapack|refblas|reflapack)/lib(blas|lapack)\.so[\d.]*|.*/librefblas\.so.*")
MPI = re.compile(
    r"lib(p?mpi(ch|fort|cxx|_.*|_mpifh|gf?|i)?|open-pal|open-rte|prrte|pmix|uc[pstm](_.*)?|uct_.*|ucc|hcoll|fabric|psm2?"
    r"|psm3-fi|ibverbs|rdmacm|mlx[45]|efa|sharp.*|xpmem|knem|cxi)[-.].*|(lib)?mca_.*|libmpi.*",
)


def is_mpi(function: Function) -> bool:
    """Of an MPI, or of what it sends with; but for its clock and what else it answers at once."""
    own = OF_THE_PROGRAM.fullmatch(function.name) is not None
    return MPI.fullmatch(function.path.rpartition("/")[2]) is not None and not own


@cache
def kind_of(function: Function) -> str:
    """Its key in KINDS; empty where it is of none."""
    file = function.path.rpartition("/")[2]
    if REFERENCE_BLAS.fullmatch(function.path):
        return "reference-blas"
    return next(_kinds(file, function.name), "") or _between(file, function) or ("atomics" if function.atomic else "")


def _between(file: str, function: Function) -> str:
    """Between two functions of one kind stand its helpers, which no other file may call."""
    if function.name or not function.before:
        return ""
    before, behind = next(_kinds(file, function.before), ""), next(_kinds(file, function.behind), "")
    return before if before and before == behind else next(_gaps(file, function), "")


def _kinds(file: str, name: str) -> Iterator[str]:
    for key, where in _all():
        known = re.fullmatch(where.names, name) is not None if name else where.nameless
        if known and re.fullmatch(where.files, file):
            yield key


def _gaps(file: str, function: Function) -> Iterator[str]:
    for key, where in _all():
        if where.gap and re.fullmatch(where.files, file):
            before, behind = where.gap
            if re.fullmatch(before, function.before) and re.fullmatch(behind, function.behind):
                yield key


def _all() -> Iterator[tuple[str, Where]]:
    return ((key, where) for key, kind in KINDS.items() for where in kind.where)


def outside_mpi_s(profile: Profile, processes: int) -> NDArray[np.float64]:
    """Sampled time of the main threads outside MPI, and outside the kernel: (processes, functions)."""
    own = np.array([not is_mpi(function) for function in profile.functions])[profile.function]
    spent_s = np.zeros((processes, len(profile.functions)))
    np.add.at(spent_s, (profile.process[own], profile.function[own]), profile.main_s[own])
    return spent_s


def seconds_by_kind(profile: Profile) -> dict[str, float]:
    """Of all main threads, the most first."""
    seconds: dict[str, float] = {}
    for number, spent_s in zip(profile.function, profile.main_s, strict=True):
        if spent_s > 0 and (key := kind_of(profile.functions[number])):
            seconds[key] = seconds.get(key, 0.0) + float(spent_s)
    return dict(sorted(seconds.items(), key=lambda item: -item[1]))
