"""What an engine says of its output, its neighbour lists and its balance: what is claimed of it, and offered for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rules.engine_jobs import STEP_S, STEPS, finding, saying, spent

from clearway.diagnosis.facts import Case
from clearway.diagnosis.rules import engine_output
from clearway.engines import gromacs, lammps
from clearway.engines.words import ENDS, About, Word

OUTPUT = Word(About.OUTPUT, "Output: 60 % of the time", 0.6)
LISTS = Word(About.NEIGHBOURS, "Neigh: 50 % of the time", 0.5)
EACH_STEP = Word(About.LIST_KEPT, "100 neighbour lists were built in 100 steps", 1.0)

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
