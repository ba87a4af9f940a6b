"""Quantum ESPRESSO: standard output of pw.x and cp.x. Its clocks count calls, so that steps need no counting.

       electrons    :      0.34s CPU      1.17s WALL (       6 calls)
       PWSCF        :      0.56s CPU      1.83s WALL
       main_loop    :      0.28s CPU      0.93s WALL (      20 calls)

A step is an ionic one where the ions move, else an iteration of self-consistency.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from clearway.engines.speed import Speed, last_number, number, per_step
from clearway.engines.words import About, Word, said

NAME = "Quantum ESPRESSO"
VERSION = r"^ +Program (?:PWSCF|CP) v\.(\S+)"
REPRODUCES = 1e-7  # what it iterates to is known to the threshold that it stops at
STEPS = re.compile(r"^ +(nfi +.*\betot\b.*)\n((?: +\d+ +[-\d].*\n)+)", re.MULTILINE)  # of cp.x, a line each
# Seen in a molecule, a semiconductor and a metal, from 0.7 to 0.05 iterations rose from 8 to 18, 8 to 17, 5 to 9;
# to 0.1 from 8 to 14, 8 to 18, 5 to 7.
SMALL_BETA, USUAL_BETA = 0.1, 0.7
MANY_ITERATIONS = 12
SPARED_BY_MIXING = 0.33  # of the iterations: less than in any of these with so many
# Of the time of self-consistency, where the one point is made for: half, less what is done once for both.
SPARED_BY_GAMMA = 0.3
MANY_BANDS = 2.0  # times those that are occupied; of a metal a fifth more are needed
FEW_BANDS = 8  # more than are occupied: of a small molecule nobody minds
SPARE_BANDS = 1.2
ENOUGH_DENSITY = 4.0  # times the cutoff of the wave functions: that of their squares, exact with norm-conserving ones
MUCH_DENSITY = 6.0  # some want a little more for a vacuum with gradient corrections
ON_DENSE_GRID = ("v_of_rho", "mix_rho", "interpolate")  # clocks, none within another
USUAL_POINTS, MANY_POINTS = 4, 8  # of an FFT for each wave
HOT = 0.05  # Ry, a width of smearing that fills bands far above the others
NO_MAGNET = 0.015  # Bohr magnetons a cell, without their sign: the log has two digits
SPARED_BY_ONE_SPIN = 0.45  # of the time of self-consistency: each k-point is computed for both
STRICT, ENOUGH = 1e-14, 1e-12  # Ry: phonons are computed with the second
UNITS_S = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0}


def recognises(beginning: str) -> bool:
    return re.search(r"^ +Program (PWSCF|CP) v\.", beginning, re.MULTILINE) is not None


def speed(text: str) -> Speed:
    total_s, _ = clock("PWSCF", text)
    loop_s, loops = clock("main_loop", text)
    if loops:
        return Speed(None, per_step(loop_s, loops), loops, loop_s)
    electrons_s, ionic_steps = clock("electrons", text)
    if ionic_steps and ionic_steps > 1:
        return Speed(None, per_step(total_s, ionic_steps), ionic_steps, total_s)
    _, iterations = clock("c_bands", text)
    return Speed(None, per_step(electrons_s, iterations), iterations or None, electrons_s)


def clock(name: str, text: str) -> tuple[float | None, int]:
    """(wall-clock seconds, calls) of one of its clocks."""
    pattern = rf"^ +{name} +: .*CPU +(.+?) ?WALL(?: \( +(\d+) calls\))?"
    seconds, calls = None, 0
    for match in re.finditer(pattern, text, re.MULTILINE):
        seconds = duration(match.group(1))
        calls = int(match.group(2) or 0)
    return seconds, calls


def duration(text: str) -> float | None:
    """ "1h 2m", "3m12.50s" or "1.83s" in seconds."""
    parts = re.findall(r"([\d.]+) ?([dhms])", text)
    try:
        return sum(float(number) * UNITS_S[unit] for number, unit in parts) if parts else None
    except ValueError:
        return None


def energies(text: str) -> dict[int, float]:
    """The total energy that each self-consistent calculation ended with, by its number; of cp.x that of each step."""
    found = re.findall(r"^! +total energy +=\s+(\S+) Ry", text, re.MULTILINE)
    if found:
        return dict(enumerate(map(number, found), 1))
    steps: dict[int, float] = {}
    for titles, rows in STEPS.findall(text):
        energy = titles.split().index("etot")
        for row in rows.splitlines():
            figures = row.split()
            if len(figures) == len(titles.split()):
                steps.setdefault(int(figures[0]), number(figures[energy]))
    return steps


def words(text: str) -> Iterator[Word]:
    """How many k-points it has, and what it says of how it is spread over ranks."""
    yield from _mixing(text)
    yield from _gamma(text)
    yield from _bands(text)
    yield from _density_grid(text)
    yield from _fft_grid(text)
    yield from _two_spins(text)
    yield from _strict(text)
    points = last_number(r"^ +number of k points= +(\d+)", text)
    if points is not None:
        yield Word(About.K_POINTS, f"number of k points = {points:.0f}", points)
    for pattern, about in (
        (r"^ *(suboptimal parallelization: .*|Some processors have no .*|some nodes have no k-points.*)$", About.EMPTY),
        (r"^ *(Warning: .*(?:parallel|pool|slow|perform).*)$", About.WARNING),
    ):
        found = re.findall(pattern, text, re.MULTILINE | re.IGNORECASE)
        if found:
            yield Word(about, said(found[-1]))


def _iterates(text: str) -> float:
    """Share of the time that self-consistency takes; 0 where there is none."""
    total_s, electrons_s = clock("PWSCF", text)[0], clock("electrons", text)[0]
    return min(electrons_s / total_s, 1.0) if total_s and electrons_s else 0.0


def _gamma(text: str) -> Iterator[Word]:
    """At the point without a wave vector, wave functions can be real numbers; complex ones take twice the work."""
    points = re.findall(r"^ +k\( +1\) = \( +(\S+) +(\S+) +(\S+)\), wk", text, re.MULTILINE)
    if (
        last_number(r"^ +number of k points= +(\d+)", text) == 1
        and points
        and all(float(each) == 0 for each in points[-1] if each)
        and not re.search(r"gamma-point specific algorithms|[Nn]on-?colinear|noncollinear|spin-orbit", text)
    ):
        yield Word(About.SLOW_WAY, "number of k points = 1, k( 1) = ( 0 0 0 )", SPARED_BY_GAMMA * _iterates(text))
        yield Word(About.FASTER, "K_POINTS gamma")


def _bands(text: str) -> Iterator[Word]:
    """Bands that nothing fills. What each band costs grows with their number; here it is taken not to."""
    bands = last_number(r"^ +number of Kohn-Sham states= +(\d+)", text)
    electrons = last_number(r"^ +number of electrons +(?:\(.*\) *)?= +([\d.]+)", text)
    width = last_number(r"smearing, width \(Ry\)= *([\d.]+)", text)
    is_other = re.search(r"[Nn]on-?colinear|noncollinear|spin-orbit|\(up: |Band Structure Calculation", text)
    if not bands or not electrons or is_other or (width or 0.0) > HOT:
        return
    if bands < max(MANY_BANDS * electrons / 2, electrons / 2 + FEW_BANDS):
        return
    needed = SPARE_BANDS * electrons / 2
    says = f"number of Kohn-Sham states = {bands:.0f}, of which {electrons / 2:.4g} are occupied"
    yield Word(About.SLOW_WAY, says, (1 - needed / bands) * _iterates(text))
    yield Word(About.FASTER, "nbnd = (left out)")


def _density_grid(text: str) -> Iterator[Word]:
    """What is computed on the grid of the density takes time as its points: the cutoff to the power of 1.5."""
    waves = last_number(r"^ +kinetic-energy cutoff +=\s+([\d.]+)", text)
    density = last_number(r"^ +charge density cutoff +=\s+([\d.]+)", text)
    kinds = set(re.findall(r"^ +Pseudo is ([^,\n]+)", text, re.MULTILINE))
    total_s = clock("PWSCF", text)[0]
    if not waves or not density or not total_s or kinds != {"Norm-conserving"} or density < MUCH_DENSITY * waves:
        return
    dense_s = sum(clock(name, text)[0] or 0.0 for name in ON_DENSE_GRID)
    spared = 1 - (ENOUGH_DENSITY * waves / density) ** 1.5
    says = (
        f"kinetic-energy cutoff = {waves:.4g} Ry, charge density cutoff = {density:.4g} Ry, Pseudo is Norm-conserving"
    )
    yield Word(About.SLOW_WAY, says, spared * min(dense_s / total_s, 1.0))
    yield Word(About.FASTER, "ecutrho = (left out)")


def _fft_grid(text: str) -> Iterator[Word]:
    """Grids that the input makes finer than its cutoffs need. pw.x chooses 2 to 4 points for each wave of the density,
    most in a cell with sharp angles."""
    grids = [_grid(kind, text) for kind in ("Dense", "Smooth")]
    dense, smooth = grids[0], grids[1] or grids[0]  # one for both where the cutoffs are the usual ones
    total_s = clock("PWSCF", text)[0]
    if dense is None or smooth is None or not total_s:
        return
    spared_s = sum(
        max(1 - USUAL_POINTS * waves / points, 0.0) * (clock(name, text)[0] or 0.0)
        for (waves, points), name in ((dense, "fft"), (smooth, "fftw"))
        if points > MANY_POINTS * waves
    )
    if spared_s > 0:
        says = f"Dense grid: {dense[0]:.0f} G-vectors, FFT dimensions with {dense[1]:.0f} points"
        yield Word(About.SLOW_WAY, says, min(spared_s / total_s, 1.0))
        yield Word(About.FASTER, "nr1 = (left out)")


def _grid(kind: str, text: str) -> tuple[float, float] | None:
    """(waves, points): at the origin alone half of the waves are listed, as the others are their mirror images."""
    found = re.findall(
        rf"^ +{kind} +grid: +(\d+) G-vectors +FFT dimensions: \( *(\d+), *(\d+), *(\d+)\)", text, re.MULTILINE
    )
    if not found:
        return None
    waves, *sides = map(int, found[-1])
    return waves * (2 if "gamma-point specific algorithms" in text else 1), math.prod(sides)


def _two_spins(text: str) -> Iterator[Word]:
    """Wave functions of both spins, which turned out to be the same each time that it converged."""
    chunks = text.split("convergence has been achieved in")[:-1]
    if not chunks or re.search(r"[Nn]on-?colinear|noncollinear|spin-orbit", text):
        return
    found = [re.findall(r"^ +absolute magnetization += +([\d.]+) Bohr mag/cell", chunk, re.M) for chunk in chunks]
    if all(each and number(each[-1]) <= NO_MAGNET for each in found):
        yield Word(
            About.SLOW_WAY,
            f"absolute magnetization = {found[-1][-1]} Bohr mag/cell",
            SPARED_BY_ONE_SPIN * _iterates(text),
        )
        yield Word(About.FASTER, "nspin = (left out)")


def _strict(text: str) -> Iterator[Word]:
    """Iterations for digits of the energy that nobody reads."""
    asked = last_number(r"^ +(?:scf )?convergence threshold += +(\S+)", text)
    runs = [
        [number(each) for each in re.findall(r"^ +estimated scf accuracy +< +(\S+) Ry", chunk, re.M)]
        for chunk in text.split("convergence has been achieved in")[:-1]
    ]
    iterations = sum(map(len, runs))
    if asked is None or not 0 < asked <= STRICT or not iterations:
        return
    needed = sum(next((i for i, left in enumerate(each, 1) if left <= ENOUGH), len(each)) for each in runs)
    says = f"scf convergence threshold = {asked:.1E}: {iterations} iterations, {needed} of them to {ENOUGH:.0E} Ry"
    yield Word(About.SLOW_WAY, says, (1 - needed / iterations) * _iterates(text))
    yield Word(About.FASTER, "conv_thr = 1.0d-12")


def _mixing(text: str) -> Iterator[Word]:
    """Each iteration takes over but so much of the new density."""
    beta = last_number(r"^ +mixing beta += +([\d.]+)", text)
    used = [int(each) for each in re.findall(r"^ +convergence has been achieved in +(\d+) iterations", text, re.M)]
    total_s, electrons_s = clock("PWSCF", text)[0], clock("electrons", text)[0]
    if beta is None or not used or not total_s or not electrons_s or not 0 < beta <= SMALL_BETA:
        return
    mean = sum(used) / len(used)
    if mean >= MANY_ITERATIONS:
        says = f"mixing beta = {beta:.4g}: convergence has been achieved in {mean:.3g} iterations"
        yield Word(About.SLOW_WAY, says, SPARED_BY_MIXING * min(electrons_s / total_s, 1.0))
        yield Word(About.FASTER, f"mixing_beta = {USUAL_BETA}")
