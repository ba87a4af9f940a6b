"""What an engine says of ways that it took and that are slower than others: what is claimed, and offered instead."""

from __future__ import annotations

from pathlib import Path

import pytest
from rules.engine_jobs import STEP_S, STEPS, finding, saying, spent

from clearway.diagnosis.facts import Case
from clearway.diagnosis.rules import slow_method
from clearway.engines import gromacs, lammps, quantum_espresso
from clearway.engines.words import About, Word


def slow_way(text: str, engine: object) -> tuple[float | None, str] | None:
    """What it would spare, and what is faster."""
    told = {word.about: word for word in engine.words(text)}  # type: ignore[attr-defined]
    return (told[About.SLOW_WAY].value, told[About.FASTER].says) if About.SLOW_WAY in told else None


EWALD = """kspace_style ${{ks}} 1e-5
kspace_style {style} 1e-5
{more}
Loop time of 5 on 2 procs for 40 steps with {atoms} atoms

Pair    | 0.2        | 0.3        | 0.4        |   0.6 | 26.44
Kspace  | 3.9        | 4          | 4.1        |   0.6 | 80
"""


@pytest.mark.parametrize(
    ("style", "atoms", "more", "instead"),
    [
        ("ewald", 4096, "", "kspace_style pppm 1e-5"),
        ("ewald/omp", 4096, "", "kspace_style pppm/omp 1e-5"),
        ("ewald", 500, "", None),
        ("pppm", 4096, "", None),
        ("ewald/disp", 4096, "", None),  # also of other forces
        ("ewald", 4096, "kspace_style none", None),  # the last one counts
    ],
)
def test_lammps_tells_of_a_sum_over_waves(style: str, atoms: int, more: str, instead: str | None) -> None:
    expected = (pytest.approx(lammps.SPARED_BY_MESH * 4 / 5), instead) if instead is not None else None
    assert slow_way(EWALD.format(style=style, atoms=atoms, more=more), lammps) == expected


SCF = """
     mixing beta               =       {beta}
     convergence has been achieved in  {iterations} iterations
     electrons    :      8.0s CPU      9.00s WALL (       1 calls)
     PWSCF        :      9.0s CPU     10.00s WALL
"""


@pytest.mark.parametrize(
    ("beta", "iterations", "said"), [("0.0500", 18, True), ("0.0500", 9, False), ("0.7000", 18, False)]
)
def test_pw_tells_of_a_density_that_creeps(beta: str, iterations: int, said: bool) -> None:
    told = spent(SCF.format(beta=beta, iterations=iterations), quantum_espresso)
    assert told.get(About.SLOW_WAY) == (pytest.approx(quantum_espresso.SPARED_BY_MIXING * 0.9) if said else None)


def by_a_slow_way(directory: Path, costs: bool) -> Case:
    slow = Word(About.SLOW_WAY, "kspace_style ewald 1e-5", 0.6 if costs else 0.02)
    return saying(directory, slow, Word(About.FASTER, "kspace_style pppm 1e-5"))


def test_a_slow_way_costs_what_the_faster_one_spares(tmp_path: Path) -> None:
    found = finding(by_a_slow_way(tmp_path, True), "slow-method")
    assert found is not None
    assert found.cost_s == pytest.approx(0.6 * STEPS * STEP_S, rel=0.1)
    assert "`kspace_style pppm 1e-5` in the input" in found.says


def test_of_several_slow_ways_the_one_that_costs_most_is_told(tmp_path: Path) -> None:
    ways = [("number of k points = 1", 0.2, "K_POINTS gamma"), ("number of Kohn-Sham states = 20", 0.5, "nbnd")]
    words = [Word(about, says, value) for slow, value, fast in ways for about, says, value in (
        (About.SLOW_WAY, slow, value), (About.FASTER, fast, None))]  # fmt: skip
    found = finding(saying(tmp_path, *words), "slow-method")
    assert found is not None
    assert "without `nbnd` in the input" in found.says and "K_POINTS" not in found.says
    assert [each.value for each in found.evidence] == ["number of Kohn-Sham states = 20"]


def test_a_variable_is_no_line_of_the_input(tmp_path: Path) -> None:
    slow = Word(About.SLOW_WAY, "plain C kernels", 0.4)
    found = finding(saying(tmp_path, slow, Word(About.FASTER, "unset GMX_DISABLE_SIMD_KERNELS")), "slow-method")
    assert found is not None
    assert found.title.startswith("A variable in the environment")
    assert "(`unset GMX_DISABLE_SIMD_KERNELS`)" in found.says


ORIGIN = """
     number of electrons       =         8.00
     number of Kohn-Sham states=            4
     number of k points= {points:>5}
        k(    1) = (   0.0000000   0.0000000   {z}), wk =   2.0000000
{more}
     electrons    :      8.0s CPU      9.00s WALL (       1 calls)
     PWSCF        :      9.0s CPU     10.00s WALL
"""


@pytest.mark.parametrize(
    ("points", "z", "more", "said"),
    [
        (1, "0.0000000", "", True),
        (1, "0.5000000", "", False),
        (4, "0.0000000", "", False),
        (1, "0.0000000", "     gamma-point specific algorithms are used", False),
        (1, "0.0000000", "     Noncollinear calculation with spin-orbit", False),
    ],
)
def test_pw_tells_of_complex_numbers_at_the_origin(points: int, z: str, more: str, said: bool) -> None:
    expected = (pytest.approx(quantum_espresso.SPARED_BY_GAMMA * 0.9), "K_POINTS gamma") if said else None
    assert slow_way(ORIGIN.format(points=points, z=z, more=more), quantum_espresso) == expected


BANDS = """
     number of electrons       =        {electrons}
     number of Kohn-Sham states=           {bands}
     {more}
     electrons    :      8.0s CPU      9.00s WALL (       1 calls)
     PWSCF        :      9.0s CPU     10.00s WALL
"""


@pytest.mark.parametrize(
    ("electrons", "bands", "more", "spared"),
    [
        ("40.00", 60, "", 0.6 * 0.9),  # 20 are filled, 24 would do
        ("40.00", 24, "", None),  # as pw.x itself takes for a metal
        ("40.00", 39, "", None),
        ("8.00", 11, "", None),  # a few more in a small molecule
        ("40.00", 60, "Band Structure Calculation", None),
        ("40.00 (up:  21.00, down:  19.00)", 60, "", None),  # bands of one spin
        ("40.00", 60, "Fermi-Dirac smearing, width (Ry)=  0.2000", None),
        ("40.00", 60, "Noncollinear calculation without spin-orbit", None),
    ],
)
def test_pw_tells_of_bands_that_nothing_fills(electrons: str, bands: int, more: str, spared: float | None) -> None:
    told = spent(BANDS.format(electrons=electrons, bands=bands, more=more), quantum_espresso)
    assert told.get(About.SLOW_WAY) == (None if spared is None else pytest.approx(spared))


DENSITY = """
     kinetic-energy cutoff     =      25.0000  Ry
     charge density cutoff     =     {density}  Ry
     Pseudo is Norm-conserving, Zval =  4.0
     Pseudo is {other}, Zval =  1.0
     v_of_rho     :      0.5s CPU      3.00s WALL (       9 calls)
     mix_rho      :      0.1s CPU      1.00s WALL (       9 calls)
     PWSCF        :      9.0s CPU     10.00s WALL
"""


@pytest.mark.parametrize(
    ("density", "other", "spared"),
    [
        ("400.0000", "Norm-conserving", 0.4 * 7 / 8),  # four times as high as needed: 8 times the points
        ("100.0000", "Norm-conserving", None),
        ("140.0000", "Norm-conserving", None),
        ("400.0000", "Ultrasoft", None),
        ("400.0000", "Projector augmented-wave", None),
    ],
)
def test_pw_tells_of_a_grid_of_the_density_that_is_too_fine(density: str, other: str, spared: float | None) -> None:
    told = spent(DENSITY.format(density=density, other=other), quantum_espresso)
    assert told.get(About.SLOW_WAY) == (None if spared is None else pytest.approx(spared))


GRID = """
     Dense  grid:     9000 G-vectors     FFT dimensions: (  {side},  {side},  {side})
{more}
     fft          :      0.2s CPU      1.00s WALL (     133 calls)
     fftw         :      2.0s CPU      5.00s WALL (    8532 calls)
     PWSCF        :      9.0s CPU     10.00s WALL
"""
SMOOTH = "     Smooth grid:     3000 G-vectors     FFT dimensions: (  20,  20,  20)"
GAMMA = "     gamma-point specific algorithms are used"


@pytest.mark.parametrize(
    ("side", "more", "spared"),
    [
        (60, "", 0.6 * (1 - 36 / 216)),
        (30, "", None),  # 3 points for a wave
        (40, "", None),  # 7
        (60, SMOOTH, 0.1 * (1 - 36 / 216)),  # wave functions have their own, with 2.7
        (60, GAMMA, 0.6 * (1 - 72 / 216)),
        (50, GAMMA, None),
    ],
)
def test_pw_tells_of_ffts_with_too_many_points(side: int, more: str, spared: float | None) -> None:
    told = spent(GRID.format(side=side, more=more), quantum_espresso)
    assert told.get(About.SLOW_WAY) == (None if spared is None else pytest.approx(spared))


KERNELS = """
SIMD instructions selected at compile time:       {built}
{found}
Using {kernels} 4x4 nonbonded short-range kernels

     R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G

 Force                  2    1        301      23.646         99.298  60.0
-----------------------------------------------------------------------------
 Total                                         11.456         48.114 100.0
"""
DISABLED = "Found environment variable GMX_DISABLE_SIMD_KERNELS."


@pytest.mark.parametrize(
    ("built", "found", "kernels", "said"),
    [
        ("SSE4.1", DISABLED, "plain C", True),
        ("SSE4.1", "", "SIMD", False),
        ("None", DISABLED, "plain C", False),  # the build has no others
        ("SSE4.1", "", "plain C", False),  # something else is to blame
    ],
)
def test_gromacs_tells_of_kernels_that_were_switched_off(built: str, found: str, kernels: str, said: bool) -> None:
    text = KERNELS.format(built=built, found=found, kernels=kernels)
    expected = (pytest.approx(0.6 * gromacs.SPARED_BY_SIMD), "unset GMX_DISABLE_SIMD_KERNELS") if said else None
    assert slow_way(text, gromacs) == expected


NEIGHBOURS = """neighbor 0.3 {style}
      pair build: half/{build}/newton
Loop time of 10 on 1 procs for 40 steps with {atoms} atoms

Pair    | 0.7        | 0.7        | 0.7        |   0.0 | 7
Neigh   | 9          | 9          | 9          |   0.0 | 90

Nlocal:        {atoms} ave        {atoms} max        {atoms} min
"""


@pytest.mark.parametrize(
    ("style", "build", "atoms", "said"),
    [("nsq", "nsq", 23328, True), ("bin", "bin/atomonly", 23328, False), ("nsq", "nsq", 500, False)],
)
def test_lammps_tells_of_lists_without_cells(style: str, build: str, atoms: int, said: bool) -> None:
    expected = (pytest.approx(lammps.SPARED_BY_CELLS * 0.9), "neighbor 0.3 bin") if said else None
    assert slow_way(NEIGHBOURS.format(style=style, build=build, atoms=atoms), lammps) == expected


SPINS = """
     absolute magnetization    =     {first} Bohr mag/cell
     convergence has been achieved in   6 iterations
     absolute magnetization    =     {last} Bohr mag/cell
     convergence has been achieved in   6 iterations
{more}
     electrons    :      8.0s CPU      9.00s WALL (       1 calls)
     PWSCF        :      9.0s CPU     10.00s WALL
"""


@pytest.mark.parametrize(
    ("first", "last", "more", "said"),
    [
        ("0.00", "0.01", "", True),
        ("2.10", "0.00", "", False),  # at one place of the atoms it is a magnet
        ("0.00", "4.40", "", False),
        ("0.00", "0.00", "     Noncollinear calculation with spin-orbit", False),
    ],
)
def test_pw_tells_of_two_spins_that_are_the_same(first: str, last: str, more: str, said: bool) -> None:
    told = spent(SPINS.format(first=first, last=last, more=more), quantum_espresso)
    assert told.get(About.SLOW_WAY) == (pytest.approx(quantum_espresso.SPARED_BY_ONE_SPIN * 0.9) if said else None)


STRICT = """
     scf convergence threshold =      {asked}
     estimated scf accuracy    <       0.06112731 Ry
     estimated scf accuracy    <          5.6E-09 Ry
     estimated scf accuracy    <          5.0E-14 Ry
     estimated scf accuracy    <          3.3E-15 Ry
     estimated scf accuracy    <          8.8E-18 Ry
     convergence has been achieved in   5 iterations
     electrons    :      8.0s CPU      9.00s WALL (       1 calls)
     PWSCF        :      9.0s CPU     10.00s WALL
"""


@pytest.mark.parametrize(("asked", "spared"), [("1.0E-17", 0.4 * 0.9), ("1.0E-12", None)])
def test_pw_tells_of_iterations_that_nobody_needs(asked: str, spared: float | None) -> None:
    told = spent(STRICT.format(asked=asked), quantum_espresso)
    assert told.get(About.SLOW_WAY) == (None if spared is None else pytest.approx(spared))


MDRUN = """
   nstcalcenergy                  = {calculated}
   nstenergy                      = {written}
   nsttcouple                     = 1
   nstpcouple                     = {pressure}
   free-energy                    = {free}
Using a {lists}

     R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G

 Neighbor search        1    1         31       0.941          2.443  10.0
 Force                  1    1        301      23.646         99.298  80.0
-----------------------------------------------------------------------------
 Total                                         11.456         48.114 100.0
"""
ONE_LIST = "4x4 pair-list setup:\n  updated every 10 steps, buffer {buffer} nm, rlist {reach} nm"
TWO_LISTS = (
    "dual 4x4 pair-list setup updated with dynamic pruning:\n"
    "  outer list: updated every 80 steps, buffer 0.500 nm, rlist 1.400 nm\n"
    "  inner list: updated every 11 steps, buffer 0.003 nm, rlist 0.903 nm\n"
    "At tolerance 0.005 kJ/mol/ps per atom, equivalent classical 1x1 list would be:\n"
    "  outer list: updated every 80 steps, buffer 0.600 nm, rlist 1.500 nm\n"
    "  inner list: updated every 11 steps, buffer 0.400 nm, rlist 1.300 nm"
)


@pytest.mark.parametrize(
    ("lists", "spared"),
    [
        (ONE_LIST.format(buffer="0.800", reach="1.700"), 0.8 * 0.9 * (1 - (1.05 / 1.7) ** 3)),
        (ONE_LIST.format(buffer="0.100", reach="1.000"), None),
        (TWO_LISTS, None),  # the inner one is computed in each step
    ],
)
def test_gromacs_tells_of_a_list_that_reaches_too_far(lists: str, spared: float | None) -> None:
    told = spent(MDRUN.format(calculated=100, written=100, pressure=-1, free="no", lists=lists), gromacs)
    assert told.get(About.SLOW_WAY) == (None if spared is None else pytest.approx(spared))


@pytest.mark.parametrize(
    ("calculated", "pressure", "written", "free", "instead"),
    [
        (1, -1, 100, "no", "nstcalcenergy = 100"),
        (1, 1, 100, "no", "nstcalcenergy = 100"),
        (100, 1, 100, "no", None),  # that takes no energies, only forces
        (1, -1, 1, "no", None),  # who reads each of them
        (100, 10, 100, "no", None),
        (1, -1, 100, "yes", None),
    ],
)
def test_gromacs_tells_of_energies_that_nobody_reads(
    calculated: int, pressure: int, written: int, free: str, instead: str | None
) -> None:
    text = MDRUN.format(calculated=calculated, pressure=pressure, written=written, free=free, lists=TWO_LISTS)
    told = {word.about: word for word in gromacs.words(text)}
    assert (About.SLOW_WAY in told) == (instead is not None)
    if instead is not None:
        assert told[About.SLOW_WAY].value == pytest.approx(gromacs.SPARED_WITHOUT_ENERGIES * 0.8)
        assert "nsttcouple = 1" in told[About.SLOW_WAY].says and told[About.FASTER].says == instead


def test_what_is_faster_has_its_reason(tmp_path: Path) -> None:
    for number, faster in enumerate(("neighbor 0.3 bin", "nspin = (left out)", "nstcalcenergy = 100")):
        (tmp_path / str(number)).mkdir()
        slow = Word(About.SLOW_WAY, "what the log says", 0.4)
        found = finding(saying(tmp_path / str(number), slow, Word(About.FASTER, faster)), "slow-method")
        assert found is not None
        assert " ".join(slow_method.WAYS[faster.partition(" ")[0]][1].split()) in found.says
