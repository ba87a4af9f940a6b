"""What an engine says of its output, its neighbour lists and its balance: what is claimed of it, and offered for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rules.host_jobs import MadeHost, case_of, ranks_on, steps_of

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.rules import engine_output, slow_method
from clearway.engines import gromacs, lammps, quantum_espresso
from clearway.engines.speed import Engine
from clearway.engines.words import ENDS, About, Word

OUTPUT = Word(About.OUTPUT, "Output: 60 % of the time", 0.6)
LISTS = Word(About.NEIGHBOURS, "Neigh: 50 % of the time", 0.5)
EACH_STEP = Word(About.LIST_KEPT, "100 neighbour lists were built in 100 steps", 1.0)
STEPS, STEP_S = 100, 0.1

GROMACS_TABLE = """
     R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G

 Computing:          Num   Num      Call    Wall time         Giga-Cycles
 Domain decomp.         2    1       1501       0.833          3.497   7.3
 DD comm. load          2    1       1441       0.010          0.042   0.1
 Neighbor search        2    1       1501       5.205         21.859  45.4
 Write traj.            2    1 {writes:>10}       3.292         13.828  28.0
-----------------------------------------------------------------------------
 Total                                         11.456         48.114 100.0

Statistics over 1501 steps
"""
LAMMPS_TABLE = """
Loop time of 4 on 2 procs for 150 steps with 32000 atoms

Pair    | 1.1383     | 1.1442     | 1.1501     |   0.6 | 26.44
Neigh   | 0.21701    | 0.4        | 0.21745    |   0.0 |  5.02
Output  | 2.3        | 2.4        | 2.69       |   3.9 | 60.68
Modify  | 0.02       | 0.02       | 0.02       |   0.0 |  0.50
Other   |            | 0.007962   |            |       |  0.18

Neighbor list builds = 50
"""


def spent(text: str, engine: object) -> dict[About, float | None]:
    return {word.about: word.value for word in engine.words(text)}  # type: ignore[attr-defined]


def test_gromacs_tells_of_output_and_lists() -> None:
    told = spent(GROMACS_TABLE.format(writes=1501), gromacs)
    assert told[About.OUTPUT] == pytest.approx(0.28)
    assert told[About.NEIGHBOURS] == pytest.approx(0.528)
    assert told[About.LIST_KEPT] == 1.0
    assert About.OUTPUT not in spent(GROMACS_TABLE.format(writes=1), gromacs)  # its last step, as every run does


def test_lammps_tells_of_output_and_lists() -> None:
    told = spent(LAMMPS_TABLE, lammps)
    assert told[About.OUTPUT] == pytest.approx(0.6)
    assert told[About.NEIGHBOURS] == pytest.approx(0.1)
    assert told[About.LIST_KEPT] == pytest.approx(3.0)
    assert told[About.IMBALANCE] == pytest.approx((1.1501 - 1.1442) / 4)  # output is no load that could be divided


LAMMPS_INPUT = """
fix 1 all nve
fix\t2 all qeq/point 1 8.0 1.0e-14 400 qeq.par
fix 3 all nvt/sllod temp 1 1 1
fix 2 all qeq/point 1 8.0 1.0e-14 400 qeq.par
fixed point
"""


def test_lammps_tells_of_its_fixes_and_names_those_that_do_more_than_move() -> None:
    told = list(lammps.words(LAMMPS_INPUT + LAMMPS_TABLE))
    assert [word.says for word in told if word.about is About.FIX] == ["fix 2 all qeq/point 1 8.0 1.0e-14 400 qeq.par"]
    assert [word.value for word in told if word.about is About.FIXES] == pytest.approx([0.005])
    assert not [word for word in lammps.words(LAMMPS_TABLE + LAMMPS_INPUT) if word.about is About.FIX]  # not yet


def saying(directory: Path, *words: Word, compute_s: tuple[float, ...] = (2.0, 2.0)) -> Case:
    world = ranks_on(MadeHost(), per_host=len(compute_s))
    steps_of(world, compute_s)
    case = case_of(world, directory, MadeHost())
    engine = Engine("LAMMPS", "log", None, STEP_S, STEPS)
    return replace(case, tables=replace(case.tables, engine=engine, words=words))


def finding(case: Case, rule: str) -> Finding | None:
    return next((one.finding for one in diagnose(case) if one.finding.rule == rule), None)


def writing(directory: Path, costs: bool) -> Case:
    return saying(directory, OUTPUT if costs else replace(OUTPUT, value=0.03))


def fixing(directory: Path, costs: bool) -> Case:
    return saying(directory, Word(About.FIXES, "Modify: 90 % of the time", 0.9 if costs else 0.35))


def test_fixes_cost_what_is_above_the_share_that_they_may_have(tmp_path: Path) -> None:
    case = fixing(tmp_path, True)
    found = finding(case, "engine-fixes")
    assert found is not None
    assert found.cost_s == pytest.approx(0.5 * STEPS * STEP_S, rel=0.1)  # of what each rank computed
    assert "Look for one that only measures or averages" in found.says
    line = Word(About.FIX, "fix 2 all qeq/point 1 8.0 1.0e-14 400 qeq.par")
    found = finding(replace(case, tables=replace(case.tables, words=(*case.tables.words, line))), "engine-fixes")
    assert found is not None
    assert ("LAMMPS says", line.says) in [(each.what, each.value) for each in found.evidence]


WIDE = """units {units}
neighbor ${{skin}} bin
neighbor {skin} bin
  master list distance cutoff = {reach}
"""


@pytest.mark.parametrize(
    ("units", "skin", "reach", "share"),
    [
        ("lj", 2.5, 5.0, 1 - (2.8 / 5) ** 3),
        ("lj", 0.5, 3.0, None),
        ("real", 2.5, 12.5, None),
        ("electron", 9, 12, None),
    ],
)
def test_lammps_tells_of_a_wide_skin(units: str, skin: float, reach: float, share: float | None) -> None:
    told = spent(WIDE.format(units=units, skin=skin, reach=reach) + LAMMPS_TABLE, lammps)
    pairs = (1.1442 + 0.4) / (1.1442 + 0.4 + 0.02)
    assert told.get(About.SKIN) == (None if share is None else pytest.approx(share * pairs))


def listing(directory: Path, costs: bool) -> Case:
    return saying(directory, Word(About.SKIN, "neighbor 2.5", 0.8 if costs else 0.3))


def test_pairs_beyond_the_skin_cost_half_of_others(tmp_path: Path) -> None:
    found = finding(listing(tmp_path, True), "wide-lists")
    assert found is not None
    assert found.cost_s == pytest.approx(0.4 * STEPS * STEP_S, rel=0.1)


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
    told = {word.about: word for word in lammps.words(EWALD.format(style=style, atoms=atoms, more=more))}
    assert (About.SLOW_WAY in told) == (instead is not None)
    if instead is not None:
        assert told[About.SLOW_WAY].value == pytest.approx(lammps.SPARED_BY_MESH * 4 / 5)
        assert told[About.FASTER].says == instead


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
    told = {word.about: word for word in quantum_espresso.words(ORIGIN.format(points=points, z=z, more=more))}
    assert (About.SLOW_WAY in told) == said
    if said:
        assert told[About.SLOW_WAY].value == pytest.approx(quantum_espresso.SPARED_BY_GAMMA * 0.9)
        assert told[About.FASTER].says == "K_POINTS gamma"


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
    told = {word.about: word for word in gromacs.words(text)}
    assert (About.SLOW_WAY in told) == said
    if said:
        assert told[About.SLOW_WAY].value == pytest.approx(0.6 * gromacs.SPARED_BY_SIMD)
        assert told[About.FASTER].says == "unset GMX_DISABLE_SIMD_KERNELS"


@pytest.mark.parametrize(
    ("line", "about"),
    [
        ("timer full sync", About.MEASURING),
        ("timer full sync\ntimer nosync", None),  # the last one counts
        ("timer full", None),
        ("atom_modify map array sort 0 0.0", About.UNSORTED),
        ("atom_modify sort 1000 2.0", None),
        ("dump 2 all image 10 frame.*.ppm type type", About.PICTURES),
        ("dump 2 all movie 10 film.mp4 type type", About.PICTURES),
        ("dump 2 all atom 10 image.dump", None),
    ],
)
def test_lammps_tells_what_was_asked_of_it(line: str, about: About | None) -> None:
    told = spent(f" 32000 atoms\n{line}\n{LAMMPS_TABLE}", lammps)
    assert {About.MEASURING, About.UNSORTED, About.PICTURES} & set(told) == ({about} if about else set())


def test_atoms_that_fit_into_a_cache_need_no_order() -> None:
    assert About.UNSORTED not in spent(f" 864 atoms\natom_modify sort 0 0.0\n{LAMMPS_TABLE}", lammps)


def test_pictures_are_no_text(tmp_path: Path) -> None:
    case = saying(tmp_path, OUTPUT, Word(About.PICTURES, "dump 2 all image 10 frame.*.ppm type type"))
    found = finding(case, "engine-output")
    assert found is not None
    assert "draw pictures from it afterwards" in found.says and "into text" not in found.says
    assert found.evidence[-1].value == "dump 2 all image 10 frame.*.ppm type type"


def short_runs(directory: Path, costs: bool) -> Case:
    return saying(directory, Word(About.BETWEEN_RUNS, "60 runs, 120 steps", 0.6 if costs else 0.1))


def searching(directory: Path, costs: bool) -> Case:
    return saying(directory, LISTS, EACH_STEP if costs else replace(EACH_STEP, value=10.0))


def test_output_costs_what_a_tenth_of_it_would_save(tmp_path: Path) -> None:
    found = finding(writing(tmp_path, True), "engine-output")
    assert found is not None
    assert found.cost_s == pytest.approx(0.9 * 0.6 * STEPS * STEP_S)
    assert "LAMMPS spends 60.0 % of its time on output" in found.says


def test_ranks_that_wait_for_the_one_that_writes_have_no_uneven_load(tmp_path: Path) -> None:
    case = saying(tmp_path, OUTPUT, compute_s=(2.0, 1.0))
    assert finding(case, "engine-output") is not None
    assert finding(case, "load-imbalance") is None


def test_where_another_rank_is_the_slow_one_it_is_not_the_output(tmp_path: Path) -> None:
    found = finding(saying(tmp_path, OUTPUT, compute_s=(1.0, 2.0)), "load-imbalance")
    assert found is not None
    assert "writes the output" not in found.says


@pytest.mark.parametrize(("written", "said"), [(10_000, "Only 9.77 KiB were written"), (10**9, "would save: `dump`")])
def test_a_few_lines_take_long_because_of_what_they_say(written: int, said: str, tmp_path: Path) -> None:
    case = saying(tmp_path, OUTPUT)
    [rows] = [replace(case.run.files, data=case.run.files.data.copy())]
    data = np.zeros(1, rows.data.dtype)
    data["written_bytes"] = written
    rows = replace(rows, process=np.zeros(1, np.int32), data=data)
    found = engine_output.examine(replace(case, run=replace(case.run, files=rows)))
    assert found is not None
    assert said in found.says


def runs_of(steps: int, loop_s: float, total: str, runs: int = 60) -> str:
    return (
        f"\nLoop time of {loop_s} on 2 procs for {steps} steps with 864 atoms\n" * runs + f"Total wall time: {total}\n"
    )


def test_lammps_tells_what_went_by_between_runs(tmp_path: Path) -> None:
    assert spent(runs_of(2, 0.4, "0:01:00"), lammps)[About.BETWEEN_RUNS] == pytest.approx(0.6)
    assert spent(runs_of(2000, 59.9, "1:00:00"), lammps)[About.BETWEEN_RUNS] == pytest.approx(0.0, abs=0.01)
    assert About.BETWEEN_RUNS not in spent(runs_of(2, 0.4, "0:01:00", runs=3), lammps)  # equilibration, production
    assert About.BETWEEN_RUNS not in spent(runs_of(2, 0.001, "0:00:09"), lammps)  # in whole seconds
    assert About.BETWEEN_RUNS not in spent("x" * 2 * ENDS + runs_of(2, 0.4, "0:01:00"), lammps)  # cut
    found = finding(short_runs(tmp_path, True), "short-runs")
    assert found is not None
    assert found.cost_s == pytest.approx(0.6 * STEPS * STEP_S, rel=0.1)  # of what each rank computed


@pytest.mark.parametrize(("least_s", "said"), [(0.02, True), (0.3, False)])
def test_a_rank_that_only_hands_out_work_is_named(least_s: float, said: bool, tmp_path: Path) -> None:
    found = finding(saying(tmp_path, compute_s=(least_s, 2.0, 1.5)), "load-imbalance")
    assert found is not None
    assert ("Rank 0 computes next to nothing" in found.says) == said


def test_a_rank_without_atoms_hands_out_none(tmp_path: Path) -> None:
    found = finding(saying(tmp_path, Word(About.EMPTY, "a rank has no atoms"), compute_s=(0.02, 2.0)), "load-imbalance")
    assert found is not None
    assert "next to nothing" not in found.says


def test_lists_cost_what_keeping_them_would_save(tmp_path: Path) -> None:
    found = finding(searching(tmp_path, True), "neighbour-lists")
    assert found is not None
    assert found.cost_s == pytest.approx(0.5 * 0.9 * STEPS * STEP_S)


@pytest.mark.parametrize(("share", "offered"), [(0.2, True), (0.005, False)])
def test_what_the_engine_says_is_even_is_not_to_be_balanced(share: float, offered: bool, tmp_path: Path) -> None:
    """The others waited for 20 % of the time, but the engine had next to nothing that it could move."""
    case = saying(tmp_path, Word(About.IMBALANCE, "Pair: …", share), compute_s=(1.0, 2.0))
    found = finding(case, "load-imbalance")
    assert found is not None
    assert ("balance-load" in {remedy.id for remedy in found.remedies}) == offered


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
    told = {word.about: word for word in lammps.words(NEIGHBOURS.format(style=style, build=build, atoms=atoms))}
    assert (About.SLOW_WAY in told) == said
    if said:
        assert told[About.SLOW_WAY].value == pytest.approx(lammps.SPARED_BY_CELLS * 0.9)
        assert told[About.FASTER].says == "neighbor 0.3 bin"


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
