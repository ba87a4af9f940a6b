"""What engines say of themselves. GROMACS's, LAMMPS's and CP2K's words are those of real runs or of their sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from clearway.engines import cp2k, gromacs, lammps, quantum_espresso
from clearway.engines.saved import read_kept, write_kept
from clearway.engines.speed import Engine
from clearway.engines.words import ENDS, About, Word, words_of

BUILD = """\
SIMD instructions:  {built}
C++ compiler flags: -msse4.1 -Wno-missing-field-initializers -fopenmp {flags}

Highest SIMD level supported by all nodes in run: {has}
SIMD instructions selected at compile time:       {built}
"""
BALANCE = """\
Dynamic load balancing report:
 DLB was off during the run due to low measured imbalance.
 Average load imbalance: 24.1%.
 Part of the total run time spent waiting due to load imbalance: 12.3%.
 Average PME mesh/force load: 1.402
 Part of the total run time spent waiting due to PP/PME imbalance: 9.8 %

NOTE: 12.3 % of the available CPU time was lost due to load imbalance
      in the domain decomposition.
      You might want to use dynamic load balancing (option -dlb.)
NOTE: 9.8 % performance was lost because the PME ranks
      had more work to do than the PP ranks.
      You might want to increase the number of PME ranks
      or increase the cut-off and the grid spacing.
NOTE: 27 % of the run time was spent in pair search,
      you might want to increase nstlist (this has no effect on accuracy)
"""
TIMES = """\
     R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G

 Neighbor search        2    1          3       0.003          0.017  10.0
 Force                  2    1        101       0.048          0.250  50.0
 PME mesh               2    1        101       0.026          0.135  20.0
 Write traj.            2    1          1       0.003          0.015  20.0
-----------------------------------------------------------------------------
 Total                                          0.090          0.468 100.0
"""
LAMMPS = """\
Loop time of 10.0 on 4 procs for 300 steps with 4000 atoms

MPI task timing breakdown:
Section |  min time  |  avg time  |  max time  |%varavg| %total
---------------------------------------------------------------
Pair    | 0.5        | 4          | 7          |  40.1 | 40.00
Neigh   | 0.039139   | 0.04516    | 0.05118    |   2.8 | 12.51
Comm    | 1.0        | 4.0        | 9.0        |   7.5 | 30.13

Nlocal:        1000.00 ave        2005 max           0 min
"""


def said(module: object, text: str) -> dict[About, Word]:
    return {word.about: word for word in words_of(module, text)}


@pytest.mark.parametrize(
    ("built", "has", "value"),
    [
        ("SSE4.1", "AVX2_256", 0.5),
        ("SSE2", "AVX_512", 0.5),
        ("None", "AVX2_256", 0.125),
        ("AVX2_256", "AVX_512", None),
        ("AVX_512", "AVX_512", None),
        ("ARM_NEON_ASIMD", "ARM_SVE", None),
    ],
)
def test_what_gromacs_was_built_for(built: str, has: str, value: float | None) -> None:
    words = said(gromacs, BUILD.format(built=built, has=has, flags="-O3 -DNDEBUG") + TIMES)
    assert (words[About.INSTRUCTIONS].value if About.INSTRUCTIONS in words else None) == value
    assert About.UNOPTIMISED not in words
    if value is not None:
        assert words[About.KERNELS].value == pytest.approx(0.8)


@pytest.mark.parametrize(("flags", "debug"), [("-O3 -DNDEBUG", False), ("-O2 -g", False), ("-g", True), ("-O0", True)])
def test_a_build_for_a_debugger(flags: str, debug: bool) -> None:
    assert (About.UNOPTIMISED in said(gromacs, BUILD.format(built="AVX_512", has="AVX_512", flags=flags))) == debug


def test_how_gromacs_balanced_its_ranks() -> None:
    words = said(gromacs, BALANCE)
    assert words[About.IMBALANCE].value == pytest.approx(0.123)
    assert words[About.NOT_BALANCED].says.startswith("DLB was off during the run")
    assert words[About.PME_MORE].value == pytest.approx(0.098)
    assert words[About.WARNING].says.startswith("27 % of the run time was spent in pair search, you might want to")
    balanced = BALANCE.replace("DLB was off during the run due to low measured imbalance", "DLB was turned on")
    assert About.NOT_BALANCED not in said(gromacs, balanced)


def test_the_shortest_and_the_longest_rank_of_lammps() -> None:
    words = said(lammps, LAMMPS)
    assert words[About.IMBALANCE] == Word(
        About.IMBALANCE, "Pair: 0.5 s on one rank, 7 s on another, 4 s on average", pytest.approx(0.3)
    )
    assert words[About.EMPTY].says == "a rank has no atoms, another 2,005"
    assert About.EMPTY not in said(lammps, LAMMPS.replace("          0 min", "       995 min"))


def test_what_quantum_espresso_and_cp2k_warn_of() -> None:
    words = said(
        quantum_espresso,
        "     number of k points=     8\n     suboptimal parallelization: some nodes have no k-points\n",
    )
    assert words[About.K_POINTS].value == 8
    assert words[About.EMPTY].says == "suboptimal parallelization: some nodes have no k-points"
    warning = (
        "\n *** WARNING in environment.F:1002 :: Using a non-square number of MPI ranks ***\n"
        " *** might lead to poor performance.  ***\n *** Used ranks: 2 ***\n"
    )
    words = said(cp2k, warning)
    assert words[About.WARNING].says == (
        "Using a non-square number of MPI ranks might lead to poor performance. Used ranks: 2"
    )


@pytest.mark.parametrize("log", sorted(Path(__file__).with_name("engine_logs").iterdir()), ids=lambda log: log.name)
def test_words_can_be_kept_and_come_from_a_beginning_and_an_end(log: Path, tmp_path: Path) -> None:
    text = log.read_text(errors="replace")
    for module in (gromacs, lammps, quantum_espresso, cp2k):
        words = words_of(module, text)
        write_kept(tmp_path, "job", Engine("X", "log", None, None, None), words)
        kept = read_kept(tmp_path, "job")
        assert kept is not None and kept.words == words


def test_the_middle_of_a_long_log_is_left_out() -> None:
    text = BUILD.format(built="SSE2", has="AVX2_256", flags="-O3") + " step\n" * (ENDS // 2) + BALANCE
    assert {About.INSTRUCTIONS, About.IMBALANCE} <= said(gromacs, text).keys()
