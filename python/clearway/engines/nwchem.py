"""NWChem: its standard output. A step is one of geometry where atoms move, else an iteration of self-consistency.

d= 0,ls=0.0,diis     6    -76.3011233273 -1.97D-09  1.05D-06  9.56D-11     0.3
@    1     -76.30112333 -8.5D+01  0.01201  0.00612  0.00000  0.00000      0.3
Total times  cpu:        0.1s     wall:        0.3s
"""

from __future__ import annotations

import re

from clearway.engines.speed import Speed, last_number, number, per_step

NAME = "NWChem"
VERSION = r"Northwest Computational Chemistry Package \(NWChem\) (\S+)"
REPRODUCES = 1e-7  # what it iterates to is known to the threshold that it stops at
GEOMETRY = re.compile(r"^@ +\d+ +-?\d", re.MULTILINE)
DFT = re.compile(r"^ d= *\d+,ls=[\d.]+,\S+ +\d+ ", re.MULTILINE)
SCF = re.compile(r"^ +\d+ +-\d+\.\d+ +[\d.]+D[+-]\d+ +[\d.]+D[+-]\d+ +[\d.]+ *$", re.MULTILINE)


def recognises(beginning: str) -> bool:
    return "Northwest Computational Chemistry Package (NWChem)" in beginning


def speed(text: str) -> Speed:
    total_s = last_number(r"^ Total times  cpu: +[\d.]+s +wall: +([\d.]+)s", text)
    steps = len(GEOMETRY.findall(text)) or len(DFT.findall(text)) + len(SCF.findall(text))
    return Speed(None, per_step(total_s, steps), steps or None, total_s)


def energies(text: str) -> dict[int, float]:
    """The total energy that each self-consistent calculation ended with, by its number."""
    found = re.findall(r"^ +Total (?:DFT|SCF) energy = +(\S+)", text, re.MULTILINE)
    return dict(enumerate(map(number, found), 1))
