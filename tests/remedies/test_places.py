"""Where ranks run, and how many: pinning, spreading, fewer, with threads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from remedies.made_cases import INTEL, MPICH, OPEN_MPI, call, made_case, offer

from clearway.diagnosis.facts import Case
from clearway.engines import Engine
from clearway.job.change import Change

LAMMPS = Engine("LAMMPS", "log.lammps", None, 0.1, 100)


@pytest.mark.parametrize(
    ("library", "command", "change"),
    [
        (OPEN_MPI, (), Change(launcher_options=("--bind-to", "core", "--map-by", "slot:PE=1"))),
        (MPICH, (), Change(launcher_options=("-bind-to", "core"))),
        (INTEL, (), Change(environment=(("I_MPI_PIN", "on"), ("I_MPI_PIN_DOMAIN", "core")))),
        (MPICH, ("srun", "-n4", "./program"), Change(launcher_options=("--cpu-bind=cores", "--cpus-per-task=1"))),
    ],
)
def test_pinned_in_the_launchers_words(tmp_path: Path, library: str, command: tuple[str, ...], change: Change) -> None:
    found = offer("pin-ranks", made_case(tmp_path, library=library, command=command), "not-pinned")
    assert found is not None
    assert found.change == change


def test_pinned_with_room_for_threads(tmp_path: Path) -> None:
    case = made_case(tmp_path, environment={"OMP_NUM_THREADS": "2"})
    found = offer("pin-ranks", case, "not-pinned")
    assert found is not None
    assert found.change == Change(launcher_options=("--bind-to", "core", "--map-by", "slot:PE=2"))


def test_not_pinned_where_it_is_or_where_there_are_too_few_cores(tmp_path: Path) -> None:
    pinned = made_case(tmp_path / "pinned", ranks=2, hosts=2, cpus="1")
    crowded = made_case(tmp_path / "crowded", ranks=16, hosts=2)
    assert offer("pin-ranks", pinned, "not-pinned") is None
    assert offer("pin-ranks", crowded, "not-pinned") is None


def test_ranks_on_one_core_are_given_their_own(tmp_path: Path) -> None:
    crowded = made_case(tmp_path / "crowded", cpus="2")
    free = made_case(tmp_path / "free", cpus="0-3")
    found = offer("one-rank-a-core", crowded, "shared-core")
    assert found is not None
    assert found.gain == 1.0
    assert offer("one-rank-a-core", free, "shared-core") is None


def test_ranks_of_a_crowded_host_are_dealt_out(tmp_path: Path) -> None:
    found = offer("spread-hosts", made_case(tmp_path, per_host=(6, 2)), "shared-core")
    assert found is not None
    assert found.change == Change(launcher_options=("--map-by", "ppr:4:node:OVERSUBSCRIBE"))
    even = made_case(tmp_path / "even", per_host=(4, 4))
    too_many = made_case(tmp_path / "many", per_host=(9, 3))
    assert offer("spread-hosts", even, "shared-core") is None
    assert offer("spread-hosts", too_many, "shared-core") is None


def test_as_many_ranks_as_cores(tmp_path: Path) -> None:
    # 16 ranks x 10 s on 8 cores: 40 rank-seconds of computing are 5 s on 8 cores, so 5 of 10 s come back.
    case = made_case(tmp_path, ranks=16, hosts=2)
    lines = replace(case.tables.ledger, compute_s=40.0, mpi_transfer_s=0.0, mpi_stall_s=0.0, io_s=0.0, other_s=0.0)
    busy = tuple(replace(rank, cpu_s=4.5) for rank in case.tables.ranks)
    case = replace(case, tables=replace(case.tables, ledger=lines, ranks=busy, engine=LAMMPS))
    found = offer("fewer-ranks", case, "shared-core", cost_s=8.0)
    assert found is not None
    assert found.change == Change(ranks=8)
    assert found.gain == pytest.approx(5.0 / 8.0)
    # Of an unknown program nobody can tell: it may compute so much a rank.
    found = offer("fewer-ranks", replace(case, tables=replace(case.tables, engine=None)), "shared-core", cost_s=8.0)
    assert found is not None and found.gain is None
    assert "if fewer ranks do the same total work" in found.why


def test_as_many_ranks_as_were_fastest(tmp_path: Path) -> None:
    case = made_case(tmp_path / "8", ranks=8)
    four = computing(made_case(tmp_path / "4", ranks=4), wall_s=7.0, rank_s=2.0)
    found = offer("fewer-ranks", beside(case, four, rank_s=1.0), "scaling-breakdown", cost_s=4.0)
    assert found is not None
    assert found.change == Change(ranks=4)
    assert found.gain == pytest.approx(3.0 / 4.0)  # of 10 s, 7


def test_fewer_ranks_that_did_less_are_not_faster(tmp_path: Path) -> None:
    """A rank computed as long on the fewer: half of the work, sooner. Where the engine tells of a step, that counts."""
    case = made_case(tmp_path / "8", ranks=8)
    four = computing(made_case(tmp_path / "4", ranks=4), wall_s=7.0, rank_s=1.0)
    assert offer("fewer-ranks", beside(case, four, rank_s=1.0), "scaling-breakdown", cost_s=4.0) is None
    slower = replace(four, tables=replace(four.tables, engine=replace(LAMMPS, s_per_step=0.2)))
    told = replace(case, tables=replace(case.tables, engine=LAMMPS))
    assert offer("fewer-ranks", replace(told, others=(slower,)), "scaling-breakdown", cost_s=4.0) is None


def computing(case: Case, wall_s: float, rank_s: float) -> Case:
    job, lines = case.tables.job, case.tables.ledger
    lines = replace(lines, compute_s=rank_s * case.ranks)
    return replace(case, tables=replace(case.tables, job=replace(job, wall_s=wall_s), ledger=lines))


def beside(case: Case, other: Case, rank_s: float) -> Case:
    return replace(computing(case, case.wall_s, rank_s), others=(other,))


def test_threads_only_for_programs_that_have_them(tmp_path: Path) -> None:
    gromacs = made_case(tmp_path / "gmx", ranks=8, command_line="gmx_mpi mdrun -ntomp 1")
    lammps = made_case(tmp_path / "lmp", ranks=8, command_line="lmp -in melt")
    found = offer("ranks-and-threads", gromacs, "small-messages")
    assert found is not None
    assert found.change == Change(ranks=4, environment=(("OMP_NUM_THREADS", "2"),), program_options=("-ntomp", "2"))
    assert offer("ranks-and-threads", lammps, "small-messages") is None


def test_ranks_for_pme(tmp_path: Path) -> None:
    calls = (call("MPI_Alltoall", transfer_s=1.0),)
    free = made_case(tmp_path / "free", ranks=8, command_line="gmx_mpi mdrun", mpi_calls=calls)
    told = made_case(tmp_path / "told", ranks=8, command_line="gmx_mpi mdrun -npme 0", mpi_calls=calls)
    found = offer("pme-ranks", free, "naive-collective")
    assert found is not None
    assert found.change == Change(program_options=("-npme", "2"))
    assert offer("pme-ranks", told, "naive-collective") is None


def test_yield_when_idle(tmp_path: Path) -> None:
    said = {"OMPI_MCA_mpi_yield_when_idle": "1"}
    assert offer("yield-when-idle", made_case(tmp_path / "bare"), "polling") is not None
    assert offer("yield-when-idle", made_case(tmp_path / "told", environment=said), "polling") is None
    assert offer("yield-when-idle", made_case(tmp_path / "mpich", library=MPICH), "polling") is None


def test_memory_is_kept_unless_the_job_says_what_to_do_with_it(tmp_path: Path) -> None:
    said = {"MALLOC_TRIM_THRESHOLD_": "131072"}
    assert offer("allocator", made_case(tmp_path / "bare"), "memory-churn") is not None
    assert offer("allocator", made_case(tmp_path / "told", environment=said), "memory-churn") is None
