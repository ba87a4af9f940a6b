"""How a job ended, on made Runs: told where the record tells it, and only there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from python.made_runs import FUNCTIONS, REALTIME_NS, SECOND, TICKS, Machine, Rank, State, world, write_all

from clearway.diagnosis.facts import open_case
from clearway.diagnosis.facts.how_ended import HowEnded, how_ended
from clearway.page.build import summarise
from clearway.run import load
from clearway.survey.row import row_of_directory

BEGAN_S = REALTIME_NS // SECOND


def four_ranks(state: State = State.RUNNING) -> list[Rank]:
    """On two hosts, with some calls."""
    ranks = world(4, end_s=60.0, state=state)
    for rank in ranks:
        rank.machine = Machine(f"node{rank.rank // 2}", f"boot-{rank.rank // 2}")
        for number in range(50):
            rank.collective("MPI_Allreduce", number + 0.9, number + 1.0)
    return ranks


def told(ranks: list[Rank], directory: Path, launch: Mapping[str, object] | None = None) -> HowEnded | None:
    write_all(ranks, directory)
    if launch is not None:
        (directory / "run.json").write_text(json.dumps({"command": ["srun", "md"], **launch}))
    return how_ended(open_case(load(directory)))


def slurm(limit_s: int) -> dict[str, object]:
    """The variables of a job that may run so long from the Run's second 0 on."""
    times = {"SLURM_JOB_START_TIME": str(BEGAN_S), "SLURM_JOB_END_TIME": str(BEGAN_S + limit_s)}
    return {"batch": {"SLURM_JOB_ID": "1234", **times}}


def test_of_a_job_that_ended_well_nothing_is_said(tmp_path: Path) -> None:
    assert told(four_ranks(State.EXITED), tmp_path, {"exit_code": 0}) is None


def test_of_a_job_that_may_go_on_nothing_is_said(tmp_path: Path) -> None:
    assert told(four_ranks(), tmp_path) is None


@pytest.mark.parametrize(("limit_s", "is_it"), [(58, True), (62, True), (30, True), (3600, False), (20 - 600, False)])
def test_a_time_limit(tmp_path: Path, limit_s: int, is_it: bool) -> None:
    """Its last sign of life is of second 60; between SIGTERM and SIGKILL a job may live on for a while."""
    found = told(four_ranks(), tmp_path, slurm(limit_s))
    assert (found is not None and found.kind == "time-limit") is is_it


def test_a_time_limit_stands_on_the_page_and_in_the_list(tmp_path: Path) -> None:
    told(four_ranks(), tmp_path, slurm(59))
    assert "Slurm stopped it at its time limit of 59" in summarise(load(tmp_path)).sentence
    assert row_of_directory(tmp_path).ended == "stopped at its time limit"


def test_a_job_that_ended_by_itself_at_its_limit_is_not_stopped(tmp_path: Path) -> None:
    assert told(four_ranks(State.EXITED), tmp_path, slurm(60) | {"exit_code": 0}) is None


@pytest.mark.parametrize(
    ("state", "exit_code", "kind"),
    [(State.EXITED, 0, None), (State.RUNNING, None, "cancelled"), (State.EXITED, 143, "cancelled")],
)
def test_how_slurm_ended_the_job_is_not_said_of_a_step_that_had_ended_well(
    tmp_path: Path, state: State, exit_code: int | None, kind: str | None
) -> None:
    write_all(four_ranks(state), tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({"command": ["srun", "md"], "exit_code": exit_code}))
    found = how_ended(open_case(load(tmp_path), slurm_state="CANCELLED"))
    assert (found and found.kind) == kind


def test_a_rank_that_slurm_s_signal_made_leave_was_stopped(tmp_path: Path) -> None:
    """Recorded by clearway-record: there is no other exit code than its own."""
    ranks = four_ranks(State.EXITED)
    for rank in ranks:
        rank.header["exit_code"] = 15
    write_all(ranks, tmp_path)
    found = how_ended(open_case(load(tmp_path), slurm_state="TIMEOUT"))
    assert found is not None and found.kind == "time-limit"


def test_the_rank_that_calls_abort(tmp_path: Path) -> None:
    ranks = four_ranks()
    ranks[2].thread = {"call_function": FUNCTIONS.index("MPI_Abort") + 1, "call_entry_ticks": TICKS + 59 * SECOND}
    found = told(ranks, tmp_path, {"exit_code": 7})
    assert found is not None and found.kind == "abort"
    assert found.says == "Rank 2 on node1 called MPI_Abort after 60.0 s. 3 others were ended without an exit code."


@pytest.mark.parametrize(
    ("state", "others"), [(State.EXITED, ""), (State.RUNNING, " 3 others were ended without an exit code.")]
)
def test_a_rank_may_exit_within_abort(tmp_path: Path, state: State, others: str) -> None:
    """MPICH's: its record has an end, and an exit code."""
    ranks = four_ranks(state)
    ranks[2].state = State.EXITED
    ranks[2].thread = {"call_function": FUNCTIONS.index("MPI_Abort") + 1, "call_entry_ticks": TICKS + 59 * SECOND}
    found = told(ranks, tmp_path, {"exit_code": 255})
    assert found is not None and found.says == f"Rank 2 on node1 called MPI_Abort after 60.0 s.{others}"


def test_the_rank_that_leaves_first_with_an_exit_code(tmp_path: Path) -> None:
    ranks = four_ranks()
    for rank, code, end_s in ((1, 3, 55.0), (3, 9, 56.0)):
        ranks[rank].state, ranks[rank].end_s = State.EXITED, end_s
        ranks[rank].header["exit_code"] = code
    found = told(ranks, tmp_path)
    assert found is not None and found.kind == "exit"
    assert "Rank 1 on node0 exited first, with code 3 after 55.0 s." in found.says


def test_a_rank_alone_is_not_the_first(tmp_path: Path) -> None:
    rank = Rank(0, 1, machine=Machine(), state=State.EXITED, end_s=5.0, header={"exit_code": 1})
    found = told([rank], tmp_path)
    assert found is not None
    assert "Rank 0 on node0 exited with code 1 after 5.00 s." in found.says


def test_a_host_that_falls_silent_first(tmp_path: Path) -> None:
    ranks = four_ranks()
    for rank in ranks[2:]:
        rank.end_s = 52.0
    found = told(ranks, tmp_path)
    assert found is not None and found.kind == "host"
    assert found.says.startswith("The records of node1 end 8.00 s before all others")


def test_one_rank_that_falls_silent_is_no_host(tmp_path: Path) -> None:
    ranks = four_ranks()
    ranks[3].end_s = 52.0
    assert told(ranks, tmp_path) is None


def test_no_memory(tmp_path: Path) -> None:
    found = told(four_ranks(), tmp_path, {"exit_code": 137, "oom_kills": 1})
    assert found is not None and found.kind == "out-of-memory"


@pytest.mark.parametrize(("code", "name"), [(143, "SIGTERM"), (-15, "SIGTERM"), (137, "SIGKILL"), (130, "SIGINT")])
def test_a_signal_to_the_command(tmp_path: Path, code: int, name: str) -> None:
    found = told(four_ranks(), tmp_path, {"exit_code": code})
    assert found is not None and found.words == f"ended by {name}"


@pytest.mark.parametrize("code", [1, 5, 200, 255])
def test_other_exit_codes_are_no_signals(tmp_path: Path, code: int) -> None:
    assert told(four_ranks(), tmp_path, {"exit_code": code}) is None


def killed(ranks: list[Rank], **by_rank: int) -> list[Rank]:
    """As Slurm's plugin adds it to their records."""
    for name, number in by_rank.items():
        ranks[int(name.removeprefix("r"))].fact("process.ended_by_signal", str(number))
    return ranks


def test_a_signal_to_all_ranks(tmp_path: Path) -> None:
    found = told(killed(four_ranks(), r0=10, r1=10, r2=10, r3=10), tmp_path)
    assert found == HowEnded("signal", "ended by SIGUSR1", "Signal 10 (SIGUSR1) ended all 4 ranks.")


def test_the_rank_that_a_signal_ended_before_its_launcher_ended_the_rest(tmp_path: Path) -> None:
    """The record of the others may end before its own: what they were sent tells who was first."""
    ranks = killed(four_ranks(), r0=9, r1=9, r2=11, r3=9)
    ranks[0].end_s = 59.9
    found = told(ranks, tmp_path)
    assert found is not None and found.words == "SIGSEGV in rank 2"
    assert found.says == (
        "Rank 2 on node1 was ended by signal 11 (SIGSEGV) after 60.0 s. 3 others were ended without an exit code."
    )


def test_a_rank_that_exits_before_its_launcher_kills_the_rest(tmp_path: Path) -> None:
    ranks = killed(four_ranks(), r0=15, r2=15, r3=15)
    ranks[1].state, ranks[1].end_s = State.EXITED, 55.0
    ranks[1].header["exit_code"] = 3
    found = told(ranks, tmp_path)
    assert found is not None and found.kind == "exit"


@pytest.mark.parametrize("text", ["", "no", "-9", "200", "35"])
def test_what_is_no_known_signal_is_not_named(tmp_path: Path, text: str) -> None:
    ranks = four_ranks()
    ranks[0].fact("process.ended_by_signal", text)
    assert told(ranks, tmp_path) is None
