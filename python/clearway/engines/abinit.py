"""ABINIT: its log, or its main output. A step is an iteration of self-consistency.

 ETOT  1  -8.8691429402489    -8.869E+00 2.683E-02 2.457E+01
           etotal     -8.8770215251E+00
- Proc.   0 individual time (sec): cpu=          3.4  wall=          6.2
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clearway.engines.speed import Speed, last_number, number, per_step
from clearway.engines.words import About, Word, said

NAME = "ABINIT"
VERSION = r"^\.Version (\S+) of ABINIT"
REPRODUCES = 1e-7  # what it iterates to is known to the threshold that it stops at


def recognises(beginning: str) -> bool:
    return re.search(VERSION, beginning, re.MULTILINE) is not None


def speed(text: str) -> Speed:
    """The overall time, which it tells last, is that of all ranks together."""
    steps = len(re.findall(r"^ ETOT +\d+ ", text, re.MULTILINE))
    total_s = last_number(r"^-? *Proc\. +0 individual time \(sec\): cpu= +[\d.]+ +wall= +([\d.]+)", text)
    return Speed(None, per_step(total_s, steps), steps or None, total_s)


def energies(text: str) -> dict[int, float]:
    """The total energy of each dataset, by its number, as it repeats them at the end."""
    found = re.findall(r"^ +etotal(\d*) +(-?[\d.]+E[+-]\d+)", text, re.MULTILINE)
    return {int(dataset or 1): number(energy) for dataset, energy in found}


def words(text: str) -> Iterator[Word]:
    """Ranks for which there is no k-point."""
    uneven = re.search(
        r"number of (spins\*k-points \(=\d+\)) will not distribute correctly\s+"
        r"with the current number of (processors \(=\d+\))\.\s+You will leave some empty",
        text,
    )
    if uneven is not None:
        yield Word(About.EMPTY, said(f"{uneven[1]}, {uneven[2]}: some are left empty"))
