"""An engine that says in its log that it was built for other processors, and what it says of its balance."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from remedies.made_cases import made_case, offer
from rules.host_jobs import MadeHost, case_of, ranks_on, steps_of

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.k_points import pools_of
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.rules import under_valgrind
from clearway.engines.speed import Engine
from clearway.engines.words import About, Word
from clearway.job.change import Change

NARROW = Word(About.INSTRUCTIONS, "compiled for SSE4.1, the processors have AVX2_256", 0.5)
KERNELS = Word(About.KERNELS, "kernels", 0.8)
UNEVEN = Word(About.IMBALANCE, "12.3 % of the run time spent waiting due to load imbalance", 0.123)
STILL = Word(About.NOT_BALANCED, "DLB was off during the run due to low measured imbalance.")


def saying(case: Case, *words: Word, engine: str = "GROMACS") -> Case:
    return replace(case, tables=replace(case.tables, engine=Engine(engine, "log", 10.0, None, 100), words=words))


def built(directory: Path, costs: bool, *words: Word) -> Case:
    """Two ranks that compute for 10 s; without cost they hardly do, but wait for each other by turns."""
    world = ranks_on(MadeHost(), per_host=2)
    steps_of(world, [2.0, 2.0])
    if not costs:
        for rank in world:
            rank.thread["blocked_outside_ns"] = 9_900_000_000
    return saying(case_of(world, directory, MadeHost()), *(words or (NARROW, KERNELS)))


def checked(directory: Path, costs: bool) -> Case:
    """The same ranks, under Valgrind."""
    world = ranks_on(MadeHost(), per_host=2)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        rank.fact("environment.LD_PRELOAD", "/usr/libexec/valgrind/vgpreload_core-amd64-linux.so:/opt/libclearway.so")
        if not costs:
            rank.thread["blocked_outside_ns"] = 9_900_000_000
    return case_of(world, directory, MadeHost())


def finding(case: Case, rule: str) -> Finding | None:
    return next((one.finding for one in diagnose(case) if one.finding.rule == rule), None)


def test_half_as_wide_instructions_cost_half_of_the_kernels_at_most(tmp_path: Path) -> None:
    found = finding(built(tmp_path, True), "slow-build")
    assert found is not None
    assert found.cost_s == pytest.approx(10.0 * 0.8 * 0.5)
    assert "compute 2 times as many numbers" in found.says
    [remedy] = found.remedies
    assert (remedy.command, remedy.expected_gain_s) == ("cmake -DGMX_SIMD=AVX2_256 -DCMAKE_BUILD_TYPE=Release …", None)


def test_a_log_without_a_table_of_its_time_does_not_tell_which_part_that_concerns(tmp_path: Path) -> None:
    """As of a job that was killed, or runs still."""
    found = finding(built(tmp_path, True, NARROW, replace(KERNELS, value=0.0)), "slow-build")
    assert found is not None
    assert "100.0 %" not in found.says
    assert "Its log does not tell" in found.says


def test_a_build_for_a_debugger(tmp_path: Path) -> None:
    found = finding(built(tmp_path, True, Word(About.UNOPTIMISED, "C++ compiler flags: -g")), "slow-build")
    assert found is not None
    assert found.title == "The engine was built without optimisation"


def test_an_engine_that_says_nothing_is_not_blamed(tmp_path: Path) -> None:
    assert finding(built(tmp_path, True, UNEVEN), "slow-build") is None


def test_what_the_engine_says_stands_beside_its_load(tmp_path: Path) -> None:
    world = ranks_on(MadeHost(), per_host=4)
    steps_of(world, [1.0, 1.0, 1.0, 2.0])
    found = finding(saying(case_of(world, tmp_path, MadeHost()), UNEVEN, STILL), "load-imbalance")
    assert found is not None
    said = [each.value for each in found.evidence if each.what == "GROMACS says"]
    assert said == [UNEVEN.says, STILL.says]
    assert "balance-load" in {remedy.id for remedy in found.remedies}


@pytest.mark.parametrize(
    ("command", "words", "change"),
    [
        ("gmx_mpi mdrun", (STILL,), Change(program_options=("-dlb", "yes"))),
        ("gmx_mpi mdrun -dlb yes", (STILL,), None),
        ("gmx_mpi mdrun -reprod", (STILL,), None),
        ("gmx_mpi mdrun", (UNEVEN,), None),
    ],
)
def test_gromacs_may_move_its_borders(
    tmp_path: Path, command: str, words: tuple[Word, ...], change: Change | None
) -> None:
    found = offer("balance-load", saying(made_case(tmp_path, command_line=command), *words), "load-imbalance")
    assert (found.change if found else None) == change


def test_lammps_is_told_in_its_input(tmp_path: Path) -> None:
    uneven = Word(About.EMPTY, "a rank has no atoms, another 2,005")
    found = offer("balance-load", saying(made_case(tmp_path), uneven, engine="LAMMPS"), "load-imbalance")
    assert found is not None and found.change is None
    assert "fix balance all balance" in found.command
    assert uneven.says in found.why


@pytest.mark.parametrize(
    ("told", "about", "better"),
    [("2", About.PME_MORE, "3"), ("2", About.PME_LESS, "1"), ("1", About.PME_LESS, "0"), ("3", About.PME_MORE, None)],
)
def test_as_many_ranks_for_pme_as_the_log_asks_for(tmp_path: Path, told: str, about: About, better: str | None) -> None:
    case = made_case(tmp_path, ranks=8, command_line=f"gmx_mpi mdrun -npme {told}")
    found = offer("pme-ranks", saying(case, Word(about, "9.8 % performance was lost …", 0.098)), "load-imbalance")
    change = None if better is None else Change(program_options=("-npme", better))
    assert (found.change if found else None) == change


@pytest.mark.parametrize(
    ("command", "points", "pools"),
    [
        ("pw.x -in a", 8.0, "4"),
        ("pw.x -in a", 99.0, "4"),  # 25 for 24.75 in the mean
        ("pw.x -in a", 10.0, "2"),  # of 4 pools two would have 3 points
        ("pw.x -in a", 3.0, None),
        ("pw.x -in a", 1.0, None),
        ("pw.x -nk 2 -in a", 8.0, None),
    ],
)
def test_pools_of_k_points(tmp_path: Path, command: str, points: float, pools: str | None) -> None:
    word = Word(About.K_POINTS, f"number of k points = {points:.0f}", points)
    case = saying(made_case(tmp_path, command_line=command), word, engine="Quantum ESPRESSO")
    found = offer("k-point-pools", case, "load-imbalance")
    change = None if pools is None else Change(program_options=("-nk", pools))
    assert (found.change if found else None) == change


@pytest.mark.parametrize(
    ("command", "points", "change"),
    [
        ("pw.x -nk 2 -in a", 3.0, ("-nk", "1")),
        ("pw.x -npool 4 -in a", 6.0, ("-npool", "2")),
        ("pw.x -npool 4 -in a", 8.0, None),
    ],
)
def test_pools_that_get_uneven_parts(
    tmp_path: Path, command: str, points: float, change: tuple[str, str] | None
) -> None:
    word = Word(About.K_POINTS, f"number of k points = {points:.0f}", points)
    case = saying(made_case(tmp_path, command_line=command), word, engine="Quantum ESPRESSO")
    found = offer("k-point-pools", case, "load-imbalance")
    assert (found.change if found else None) == (Change(program_options=change) if change else None)
    told = pools_of(case)
    assert told is not None and told.uneven == bool(change)


def test_valgrind_costs_four_fifths_of_computing_at_least(tmp_path: Path) -> None:
    found = finding(checked(tmp_path, True), "under-valgrind")
    assert found is not None
    assert found.cost_s == pytest.approx(10.0 * 0.8)


@pytest.mark.parametrize(("name", "costs"), [("qemu-x86_64", True), ("FEXInterpreter", True), ("gmx_mpi", False)])
def test_an_emulator_is_known_by_its_name_in_the_kernel(name: str, costs: bool, tmp_path: Path) -> None:
    world = ranks_on(MadeHost(), per_host=2)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        rank.fact("process.comm", name)
    found = finding(case_of(world, tmp_path, MadeHost()), "under-valgrind")
    assert (found.title if found else None) == (under_valgrind.EMULATED if costs else None)
    assert (found.cost_s if found else None) == (pytest.approx(10.0 * 2 / 3) if costs else None)


def test_a_long_init_under_valgrind_is_no_matter_of_name_servers(tmp_path: Path) -> None:
    for name, library, rule in (
        ("with", "vgpreload_core-amd64-linux.so", "under-valgrind"),
        ("without", "", "slow-start"),
    ):
        world = ranks_on(MadeHost(), per_host=2)
        for rank in world:
            rank.cell("MPI_Init", 5.0).thread["blocked_outside_ns"] = 5_000_000_000
            rank.fact("environment.LD_PRELOAD", library)
        (tmp_path / name).mkdir()
        only = [one.finding for one in diagnose(case_of(world, tmp_path / name, MadeHost()))]
        assert [one.rule for one in only] == [rule]
        assert only[0].cost_s == pytest.approx(4.0 if library else 5.0)
