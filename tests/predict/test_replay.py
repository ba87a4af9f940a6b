"""`clearway predict --from DIR`: a recorded job's computing and messages, on the same network and on others."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from harness.command_line import run_clearway
from harness.mpis import REPOSITORY, Mpi, clearway_tool
from harness.outcome import Outcome
from harness.programs import ProgramBuilder
from harness.runs import run_command, run_job
from recording.test_counts import CALLS

from clearway.ledger import account
from clearway.predict.jobs.core_waits import mostly_blocked, shares_on_a_core
from clearway.predict.jobs.recorded import has_cores_of_its_own, recorded_ranks
from clearway.predict.jobs.replay import Replay, write_replay
from clearway.run import load

EVERY_KIND = REPOSITORY / "tests/workloads/every_kind.script"

SCRIPT = """\
clearway-script 1
title eight that exchange
ranks 8
steps 10
comm even 0 2 4 6
rank 0-7
compute 2000000
irecv -1 3000 tag 5
isend +1 3000 tag 5
compute 300000
waitall
sendrecv +1 9000 -1 9000
alltoall 4000
allreduce 64
bcast 3 20000
reduce 1 5000
allgather 700
rank 0,2,4,6
allreduce 9000 comm even
"""
# Of clearway-simulate, and the same of clearway predict.
SIMULATED = ("--buffer-bytes", "0", "--message-ns", "2000", "--alltoall", "ordered")
PREDICTED = ("--buffer", "deep", "--alltoall", "ordered")


def predict(*arguments: str | Path) -> Outcome:
    return run_clearway("predict", *arguments, "--no-cache", "--quiet")


def replayed(run: Path, *arguments: str | Path) -> dict[str, Any]:
    outcome = predict("--from", run, "--json", "-", *arguments)
    assert outcome.exit_code == 0, outcome.says
    prediction: dict[str, Any] = json.loads(outcome.stdout)
    return prediction


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("simulated")
    (folder / "script").write_text(SCRIPT)
    command = [clearway_tool("clearway-simulate"), "--script", folder / "script", "--run", folder / "run", *SIMULATED]
    outcome = run_command(command, {})
    assert outcome.exit_code == 0, outcome.says
    return folder / "run"


def test_on_the_same_network_it_takes_the_same_time(simulated: Path) -> None:
    prediction = replayed(simulated, *PREDICTED)
    (point,) = prediction["points"]
    assert point["hosts"] == 8
    assert point["duration_ns"] == pytest.approx(prediction["recorded_ns"], rel=0.01)


@pytest.mark.parametrize("skew", [("--skew-us", "500"), ("--set", "mpi.skew=500us")], ids=str)
def test_ranks_are_more_out_of_step_than_recorded_only_where_that_is_asked_for(
    simulated: Path, skew: tuple[str, str]
) -> None:
    """Each step waits for the latest rank: 500 µs late at most, and half of that on average for one rank."""
    durations_ns = [
        replayed(simulated, *PREDICTED, *more)["points"][0]["duration_ns"] for more in ((), ("--skew-us", "0"), skew)
    ]
    as_recorded_ns, without_ns, later_ns = durations_ns
    assert as_recorded_ns == without_ns
    assert later_ns > as_recorded_ns + 10 * 250_000


def test_on_another_network_only_its_messages_change(simulated: Path) -> None:
    (slow,), (fast,) = (replayed(simulated, *PREDICTED, "--rate", rate)["points"] for rate in ("1gbit", "100gbit"))
    assert fast["duration_ns"] < slow["duration_ns"]
    for point in (slow, fast):
        # What a started send takes of a core is paid by the computing that follows it.
        assert point["computing_share"] * point["duration_ns"] == pytest.approx(10 * 2_300_000, rel=0.02)


def test_ranks_may_be_put_together_on_fewer_hosts(simulated: Path) -> None:
    (point,) = replayed(simulated, *PREDICTED, "--hosts", "2", "--per-host", "4")["points"]
    assert point["hosts"] == 2
    outcome = predict("--from", simulated, "--hosts", "2", "--per-host", "3")
    assert outcome.stderr.startswith("error: 8 ranks do not fit on 2 hosts with 3 each"), outcome.says


def words_of(lines: list[str]) -> Counter[str]:
    """Collective calls, with their sizes where a Run tells them."""
    calls = [re.sub(r" comm .*", " comm", line) for line in lines if re.match(r"all|reduce|bcast|barrier", line)]
    return Counter(re.sub(r"(alltoallv) .*", r"\1", call) for call in calls)


def test_a_replay_of_a_real_job_does_what_the_job_did(debian_mpi: Mpi, run_directory: Path, tmp_path: Path) -> None:
    program = [clearway_tool("clearway-workload"), EVERY_KIND]
    outcome = run_job(debian_mpi, program, 4, run_directory=run_directory, record_options=("--timeline",))
    assert outcome.exit_code == 0, outcome.says
    written = write_replay(load(run_directory), tmp_path)
    script, recorded_ns = written.script, written.took_ns
    assert recorded_ns > 3 * 2_000_000
    ranks = script.path.read_text().split("\nrank ")[1:]
    once = (
        "alltoall 1001",
        "alltoall 65536",
        "allgather 4095",
        "allgatherv 100 0 7 3000",
        "allreduce 1024",
        "allreduce 8",
    )
    rooted = ("allreduce 1008", "reduce 2 4096", "bcast 1 100000", "alltoallv", "allreduce 8")
    expected = Counter(dict.fromkeys((*once, *rooted), 3))
    half = Counter({"allreduce 80 comm": 3, "allgather 33 comm": 3})
    for rank, text in enumerate(ranks):
        lines = text.splitlines()[1:]
        calls = words_of(lines)
        del calls["barrier"]
        assert calls == expected + (half if rank in (1, 3) else Counter())
        sent = Counter(line.split()[2] for line in lines if line.startswith(("isend", "send")))
        assert sent == Counter({"40001": 3, "70000": 3, "10": 3, "50000": 3, "60000": 3}) + Counter(
            {"5": 3} if rank == 0 else {"11": 3} if rank in (1, 3) else {}
        )
        assert sum(int(line.split()[1]) for line in lines if line.startswith("compute")) >= 3 * 2_000_000
    outcome = predict("--from", run_directory)
    assert outcome.exit_code == 0, outcome.says
    assert "Recorded: " in outcome.stdout
    assert "wall-clock  ÷ recorded" in outcome.stdout
    assert not re.search(r"steps/s|speedup|efficiency", outcome.stdout), "of a job whose steps no Run knows"


def test_a_replay_says_what_it_leaves_out(
    open_mpi: Mpi, programs: ProgramBuilder, run_directory: Path, tmp_path: Path
) -> None:
    """What is in one-sided calls and in MPI-IO would else look like the gain of the network."""
    program = programs.build(open_mpi, "left_out", "left_out.c")
    outcome = run_job(open_mpi, [program], 2, run_directory, ("--timeline",), directory=tmp_path)
    assert outcome.exit_code == 0, outcome.says
    told = replayed(run_directory)
    assert len(told["points"]) == 1, "no all-to-all, so no algorithms to compare"
    notes = " ".join(told["notes"])
    assert "39.1 KiB of one-sided calls (MPI_Put, MPI_Get …) are not sent here." in notes
    assert re.search(r"a rank are in calls of MPI-IO: here ranks only meet in them", notes)
    assert "of one-sided calls" in predict("--from", run_directory).stdout


def test_without_core_waits_only_these_go(simulated: Path) -> None:
    """Of all that a Script calls computing: sleeping stays as it was. Ranks that mostly sleep meet on no core."""
    run = load(simulated)
    books, replay = account(run), Replay(run)
    computing_s = [replay.computing_s(rank) for rank in recorded_ranks(run)]
    books.ledger["core_wait_s"][:] = 0.001
    books.ledger["compute_s"][:] = 0.001  # the rest: asleep
    shares = shares_on_a_core(run, books, computing_s)
    assert [share * all_s for share, all_s in zip(shares, computing_s, strict=True)] == pytest.approx(
        [all_s - 0.001 for all_s in computing_s], abs=1e-4
    )
    assert not mostly_blocked(run, computing_s)
    run.threads.data["blocked_outside_ns"][:] = round(0.9e9 * computing_s[0])
    assert mostly_blocked(run, computing_s)


def test_a_run_without_one_of_its_ranks_is_refused(open_mpi: Mpi, run_directory: Path, tmp_path: Path) -> None:
    (tmp_path / "script").write_text("clearway-script 1\nranks 3\nsteps 2\nrank 0-2\ncompute 100000\nallreduce 8\n")
    program = [clearway_tool("clearway-workload"), tmp_path / "script"]
    outcome = run_job(open_mpi, program, 3, run_directory=run_directory, record_options=("--timeline",))
    assert outcome.exit_code == 0, outcome.says
    sorted(run_directory.glob("rank.*"))[1].unlink()
    for words in (
        ("predict", "--from", run_directory),
        ("what-if", run_directory, "--cluster", "gigabit"),
        ("scale", run_directory, run_directory, "--to", "8"),
    ):
        refused = run_clearway(*words)
        assert refused.stderr.startswith("error: 1 of 3 ranks left no record in "), refused.says
        assert "\n\nhint: " in refused.stderr
    said = run_clearway("what-if", run_directory, "--network", "perfect")
    assert "1 of 3 ranks left no record" in said.stdout, said.says


def test_gathers_and_scatters_are_messages_of_their_root(
    debian_mpi: Mpi, programs: ProgramBuilder, run_directory: Path, tmp_path: Path
) -> None:
    """The last of four ranks is the root, twice of each; 50 numbers a rank, then 1, 2, 3 and 4, of 8 bytes."""
    program = [programs.build(debian_mpi, "calls", *CALLS), "collectives"]
    outcome = run_job(debian_mpi, program, 4, run_directory=run_directory, record_options=("--timeline",))
    assert outcome.exit_code == 0, outcome.says
    script = write_replay(load(run_directory), tmp_path).script
    ranks = [text.splitlines()[1:] for text in script.path.read_text().split("\nrank ")[1:]]
    said = [Counter(line.partition(" tag ")[0] for line in lines if " tag " in line) for lines in ranks]
    for rank in range(3):
        assert said[rank] == Counter({"send 3 400": 2, f"send 3 {8 * (rank + 1)}": 1, "recv 3 400": 2, "recv 3 20": 1})
        for line in ("recv {} 400", "send {} 400"):
            assert said[3][line.format(rank)] == 2
    assert replayed(run_directory)["points"]


def test_receives_that_end_in_another_order_get_their_own_messages(
    debian_mpi: Mpi, programs: ProgramBuilder, run_directory: Path, tmp_path: Path
) -> None:
    """In a Script messages of one tag are received in their order: the second would get the first one's bytes."""
    program = programs.build(debian_mpi, "completed_backwards", "completed_backwards.c")
    outcome = run_job(debian_mpi, [program], 2, run_directory=run_directory, record_options=("--timeline",))
    assert outcome.exit_code == 0, outcome.says
    script = write_replay(load(run_directory), tmp_path).script
    lines = [line for line in script.path.read_text().splitlines() if " tag " in line]
    assert lines[:3] == ["send 1 704 tag 0", "send 1 49152 tag 1", "send 1 96 tag 2"]
    sizes = ((0, 704), (1, 49152), (2, 96))
    assert lines[3:] == [f"irecv 0 {size} tag {number} request {number}" for number, size in sizes]
    waits = [line for line in script.path.read_text().splitlines() if line.startswith("wait")]
    assert waits == ["wait 1", "wait 0", "waitall"]
    assert replayed(run_directory)["points"]


ORDERS = (
    *("exchange-inside", "one-by-one", "from-anyone", "sent-last", "buffered", "persistent", "another-world"),
    "threads",
)


@pytest.mark.parametrize("order", ORDERS)
def test_a_replay_ends_in_whatever_order_a_job_waited(
    debian_mpi: Mpi, programs: ProgramBuilder, run_directory: Path, order: str
) -> None:
    """Each order is correct, and each waited for ever in a replay that posts receives later or waits earlier."""
    program = [programs.build(debian_mpi, "orders", "orders.c"), order]
    outcome = run_job(debian_mpi, program, 2, run_directory=run_directory, record_options=("--timeline",))
    assert outcome.exit_code == 0, outcome.says
    (point,) = replayed(run_directory, "--eager", "1000", "--alltoall", "ordered")["points"]
    slept_ns = 100e6 if order == "threads" else 0  # by one, while the other was in MPI
    assert point["duration_ns"] > slept_ns


def test_sends_that_return_at_one_instant_were_both_expected(
    debian_mpi: Mpi, programs: ProgramBuilder, run_directory: Path
) -> None:
    """As they may in shared memory: each receive was posted before the send beside it, whose peer else waits for it."""
    program = [programs.build(debian_mpi, "orders", "orders.c"), "persistent"]
    outcome = run_job(debian_mpi, program, 2, run_directory=run_directory, record_options=("--timeline",))
    assert outcome.exit_code == 0, outcome.says
    run = load(run_directory)
    replay = Replay(run)
    in_order = sorted(run.messages.sends.tolist(), key=replay.messages.exit_s.__getitem__)
    sends = [[event for event in in_order if run.events.process[event] == rank] for rank in (0, 1)]
    returned_s = {
        event: max(replay.messages.exit_s[one] for one in both) for both in zip(*sends, strict=True) for event in both
    }
    for event, exit_s in returned_s.items():
        replay.messages.exit_s[event] = exit_s
    ranks = [
        replace(
            rank,
            calls=tuple(
                replace(call, exit_s=max([call.exit_s, *(returned_s.get(event, 0.0) for event in call.events)]))
                for call in rank.calls
            ),
        )
        for rank in recorded_ranks(run)
    ]
    _, *lines = replay.text(ranks, [1.0, 1.0]).split("\nrank ")
    for text in lines:
        messages = [line.split()[0].removeprefix("i") for line in text.splitlines() if " tag " in line]
        assert messages == ["recv", "send"] * 3


def test_where_a_replay_cannot_go_on_it_says_who_waits(open_mpi: Mpi, run_directory: Path, tmp_path: Path) -> None:
    """Both send before they receive, which only an MPI does that sends such messages at once."""
    (tmp_path / "script").write_text("clearway-script 1\nranks 2\nrank 0-1\nsend +1 3000\nrecv -1 3000\n")
    program = [clearway_tool("clearway-workload"), tmp_path / "script"]
    outcome = run_job(open_mpi, program, 2, run_directory=run_directory, record_options=("--timeline",))
    assert outcome.exit_code == 0, outcome.says
    assert replayed(run_directory)["points"]
    outcome = predict("--from", run_directory, "--eager", "2000")
    assert outcome.exit_code != 0
    waits = "rank 0 waits until rank 1 receives 3000 bytes (in send, its activity "
    assert outcome.stderr.startswith(f"error: the simulated job hangs: {waits}"), outcome.says
    assert "\n\nhint: " in outcome.stderr and "--eager" in outcome.stderr, outcome.says


def test_a_replay_uses_the_algorithms_of_the_recorded_mpi(debian_mpi: Mpi, run_directory: Path, tmp_path: Path) -> None:
    """In a long bcast to four the root's card sends the vector three times in Open MPI, and twice in a tree, whose
    last message leaves another card."""
    (tmp_path / "script").write_text("clearway-script 1\nranks 4\nsteps 2\nrank 0-3\nbcast 0 100000\nbarrier\n")
    program = [clearway_tool("clearway-workload"), tmp_path / "script"]
    outcome = run_job(debian_mpi, program, 4, run_directory=run_directory, record_options=("--timeline",))
    assert outcome.exit_code == 0, outcome.says
    on_four = ("--hosts", "4", "--per-host", "1", "--buffer", "deep", "--rate", "10mbit", "--no-core-wait")
    took_ns = {
        name: replayed(run_directory, *on_four, *more)["points"][0]["duration_ns"]
        for name, more in {
            "recorded": (),
            "openmpi": ("--set", "mpi.collectives=openmpi"),
            "mpich": ("--set", "mpi.collectives=mpich"),
        }.items()
    }
    assert took_ns["recorded"] == took_ns[debian_mpi.name.partition("-")[0]]
    assert took_ns["openmpi"] > 1.1 * took_ns["mpich"]


def test_a_replay_looks_twice_where_the_recorded_mpi_does(debian_mpi: Mpi, run_directory: Path, tmp_path: Path) -> None:
    """On cores that ranks share a look in vain takes a tenth of a millisecond: one for each of 50 messages."""
    (tmp_path / "script").write_text(
        "clearway-script 1\nranks 2\nsteps 50\nrank 0\nsend 1 8\nrecv 1 8\nrank 1\nrecv 0 8\nsend 0 8\n"
    )
    program = [clearway_tool("clearway-workload"), tmp_path / "script"]
    outcome = run_job(debian_mpi, program, 2, run_directory=run_directory, record_options=("--timeline",))
    assert outcome.exit_code == 0, outcome.says
    on_testbed = ("--cluster", "testbed", "--hosts", "2", "--per-host", "1", "--no-core-wait")
    recorded_ns, twice_ns, once_ns = (
        replayed(run_directory, *on_testbed, *more)["points"][0]["duration_ns"]
        for more in ((), ("--set", "mpi.looks_twice=true"), ("--set", "mpi.looks_twice=false"))
    )
    assert recorded_ns == (twice_ns if debian_mpi.name.startswith("openmpi") else once_ns)
    assert twice_ns - once_ns == pytest.approx(100 * 115_000, rel=0.2)


def test_a_replay_is_bound_where_the_recorded_ranks_were(open_mpi: Mpi, run_directory: Path, tmp_path: Path) -> None:
    """Rank 1 computes when it has sent. Rank 0 hears of it at once if it has a core of its own; else it may be woken
    on the core of rank 1, and wait there."""
    ranks = "rank 1\nsend 0 100\ncompute 1000000\nrecv 0 100\nrank 0\nrecv 1 100\ncompute 1000000\nsend 1 100\n"
    (tmp_path / "script").write_text(f"clearway-script 1\nranks 2\nsteps 50\n{ranks}")
    bound = ("sh", "-c", 'exec taskset -c "$OMPI_COMM_WORLD_RANK" "$@"', "sh")
    program = [*bound, clearway_tool("clearway-workload"), tmp_path / "script"]
    outcome = run_job(open_mpi, program, 2, run_directory=run_directory, record_options=("--timeline",))
    assert outcome.exit_code == 0, outcome.says
    on_testbed = ("--cluster", "testbed", "--hosts", "2", "--per-host", "1", "--no-core-wait")
    recorded_ns, bound_ns = (
        replayed(run_directory, *on_testbed, *more)["points"][0]["duration_ns"]
        for more in ((), ("--set", "mpi.bound=true"))
    )
    assert has_cores_of_its_own(load(run_directory))
    assert recorded_ns == bound_ns


def test_ranks_that_may_use_the_same_core_are_not_bound(open_mpi: Mpi, run_directory: Path, tmp_path: Path) -> None:
    (tmp_path / "script").write_text("clearway-script 1\nranks 2\nsteps 5\nrank 0-1\nbarrier\n")
    program = [clearway_tool("clearway-workload"), tmp_path / "script"]
    outcome = run_job(open_mpi, program, 2, run_directory=run_directory, record_options=("--timeline",))
    assert outcome.exit_code == 0, outcome.says
    assert not has_cores_of_its_own(load(run_directory))


def test_a_timeline_keeps_every_call_for_the_replay(open_mpi: Mpi, run_directory: Path, tmp_path: Path) -> None:
    """More than a Run keeps one by one without it; a job of more calls than the timeline has is refused."""
    calls = 17_000
    (tmp_path / "script").write_text(f"clearway-script 1\nranks 2\nsteps {calls}\nrank 0-1\nsendrecv +1 8 -1 8\n")
    program = [clearway_tool("clearway-workload"), tmp_path / "script"]
    outcome = run_job(open_mpi, program, 2, run_directory=run_directory, record_options=("--timeline",))
    assert outcome.exit_code == 0, outcome.says
    assert len(load(run_directory).events) >= 2 * 2 * calls
    script = write_replay(load(run_directory), tmp_path).script
    assert script.path.read_text().count("isend") == 2 * calls
    few = run_directory.with_name("few")
    outcome = run_job(open_mpi, program, 2, run_directory=few, record_options=("--timeline=1000",))
    assert outcome.exit_code == 0, outcome.says
    outcome = predict("--from", few)
    assert outcome.stderr.startswith("error: the timeline is too short for all calls of the job"), outcome.says
    assert "--timeline=" in outcome.stderr


def computing_s(script: Path) -> float:
    """Of the mean rank."""
    lines = script.read_text().splitlines()
    ranks = next(int(line.split()[1]) for line in lines if line.startswith("ranks "))
    return sum(int(line.split()[1]) for line in lines if line.startswith("compute ")) * 1e-9 / ranks


@pytest.mark.timed
def test_what_ranks_waited_for_a_core_can_be_left_out(open_mpi: Mpi, run_directory: Path, tmp_path: Path) -> None:
    """Four ranks on one core wait three quarters of the time; computing is 0.2 s of it, whoever else is there."""
    (tmp_path / "script").write_text(
        "clearway-script 1\nranks 4\nsteps 20\nrank 0-3\ncompute 10000000\nsendrecv +1 8 -1 8\n"
    )
    one_core = ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0)))]
    program = [*one_core, clearway_tool("clearway-workload"), tmp_path / "script"]
    outcome = run_job(open_mpi, program, 4, run_directory=run_directory, record_options=("--timeline",))
    assert outcome.exit_code == 0, outcome.says
    run = load(run_directory)
    as_recorded = write_replay(run, tmp_path).script
    recorded_s = computing_s(as_recorded.path)
    without = write_replay(run, tmp_path, without_core_wait=True).script
    assert 0.7 * 0.2 < computing_s(without.path) < 2 * 0.2
    assert recorded_s > 2 * computing_s(without.path)
    (slow,), (fast,) = (replayed(run_directory, *PREDICTED, *more)["points"] for more in ((), ("--no-core-wait",)))
    assert slow["duration_ns"] > 2 * fast["duration_ns"]
    outcome = predict("--workload", "gromacs33", "--no-core-wait")
    assert outcome.stderr.startswith("error: --no-core-wait is only for recorded jobs"), outcome.says


def test_a_run_without_a_timeline_is_refused(debian_mpi: Mpi, run_directory: Path) -> None:
    outcome = run_job(debian_mpi, [clearway_tool("clearway-workload"), EVERY_KIND], 4, run_directory=run_directory)
    assert outcome.exit_code == 0, outcome.says
    outcome = predict("--from", run_directory)
    assert outcome.exit_code != 0
    assert outcome.stderr.startswith(f"error: there is no timeline in {run_directory}"), outcome.says
    assert "clearway run --timeline" in outcome.stderr
    outcome = predict("--from", run_directory, "--ranks", "4")
    assert outcome.stderr.startswith("error: --ranks is only for workloads"), outcome.says
