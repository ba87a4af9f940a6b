"""What the selector does in real jobs, as the page tells it."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow.conftest import RANKS, Flowing
from harness.mpis import Mpi, clearway_tool
from harness.runs import load_page, own_words, run_command

from clearway.run import load
from clearway.run.directory import find_records
from clearway.run.layout import FileKind

TITLE = "# clearway flow table 1"


@pytest.mark.timeout(150)
def test_every_mpi_tries_ways_and_settles(any_mpi: Mpi, flowing: Flowing) -> None:
    """Every call is counted once; ways were measured, the MPI's own among them; the data is right.

    Not all ways: where other programs hold up the ranks, a look may cost so much that the next one has to wait.
    """
    outcome, rows = flowing(any_mpi, "alltoall", "3000", "500")
    assert outcome.exit_code == 0, outcome.says
    assert own_words(outcome.stderr) == []
    [row] = rows
    assert (row["operation"], row["ranks"], row["hosts"], row["communicators"]) == ("alltoall", RANKS, RANKS, 1)
    assert (row["low_bytes"], row["high_bytes"]) == (3000, 3000)
    assert row["calls"] == 500
    assert sum(way["calls"] for way in row["ways"]) == row["calls"]
    ways = {way["candidate"]: way for way in row["ways"]}
    assert {"own", row["chosen"]} <= set(ways)
    assert sum(way["calls"] > 0 for way in row["ways"]) >= 2
    assert row["trial_calls"] > 0
    assert row["regret_s"] >= 0
    assert row["own_s"] == ways["own"]["time_s"]
    assert row["gain"] == pytest.approx(row["own_s"] / row["time_s"])


def test_sizes_and_operations_have_trials_of_their_own(open_mpi: Mpi, flowing: Flowing) -> None:
    words = ("alltoall 100 60", "alltoall 200 60", "alltoallv 300 60", "allgather 100 60", "allgatherv 100 60")
    outcome, rows = flowing(open_mpi, *" ".join(words).split())
    assert outcome.exit_code == 0, outcome.says
    found = {(row["operation"], row["high_bytes"]): row["calls"] for row in rows}
    assert found == {
        ("alltoall", 100): 60,
        ("alltoall", 200): 60,
        ("alltoallv", None): 60,
        ("allgather", 100): 60,
        ("allgatherv", 100): 60,
    }


def test_many_sizes_share_trials(open_mpi: Mpi, flowing: Flowing) -> None:
    """Sixty-four sizes have a trial each; a program with more of them must not try for ever."""
    words = [word for size in range(1000, 1100) for word in ("alltoall", str(size), "3")]
    outcome, rows = flowing(open_mpi, *words)
    assert outcome.exit_code == 0, outcome.says
    assert len(rows) == 64 + 1  # from the sixty-fifth on all lie between 1024 and 2047
    assert {(row["low_bytes"], row["high_bytes"]) for row in rows} >= {(1000, 1000), (1063, 1063), (1024, 2047)}
    assert sum(row["calls"] for row in rows) == 300


def test_a_forced_way_is_told(open_mpi: Mpi, flowing: Flowing, run_directory: Path) -> None:
    """Nothing is tried, and nothing measured; what the algorithm does not serve went the MPI's own way."""
    words = ("alltoall 3000 20", "allgather 100 7", "allgather 3000 6", "allgatherv 300 5")
    outcome, rows = flowing(open_mpi, *" ".join(words).split(), options=("--flow", "--flow-algorithm=ring"))
    assert outcome.exit_code == 0, outcome.says
    found = {(row["operation"], row["high_bytes"]): (row["chosen"], row["chosen_calls"]) for row in rows}
    assert found == {
        ("alltoall", 3000): ("own", 20),
        ("allgather", 100): ("ring", 7),
        ("allgather", 3000): ("ring", 6),
        ("allgatherv", 300): ("ring", 5),
    }
    assert all(row["gain"] is None and row["calls"] == row["chosen_calls"] for row in rows)
    assert not [note for note in load_page(run_directory)["job"]["notes"] if "Flow" in note]


def test_one_host_is_left_to_the_mpi(open_mpi: Mpi, flowing: Flowing, run_directory: Path) -> None:
    outcome, rows = flowing(open_mpi, "alltoall", "3000", "20", hosts=1)
    assert outcome.exit_code == 0, outcome.says
    assert rows == []
    assert [note for note in load_page(run_directory)["job"]["notes"] if "Flow" in note]  # the user sees why
    for hosts, options in ((RANKS, ("--flow",)), (1, ())):
        flowing(open_mpi, "alltoall", "3000", "20", hosts=hosts, options=options)
        assert not [note for note in load_page(run_directory)["job"]["notes"] if "Flow" in note]


def test_without_the_switch_nothing_is_steered(open_mpi: Mpi, flowing: Flowing) -> None:
    outcome, rows = flowing(open_mpi, "alltoall", "3000", "20", options=())
    assert outcome.exit_code == 0, outcome.says
    assert rows == []


def test_the_environment_is_a_switch(open_mpi: Mpi, flowing: Flowing) -> None:
    _, rows = flowing(open_mpi, "alltoall", "3000", "20", options=(), CLEARWAY_FLOW="on")
    assert len(rows) == 1


def test_a_killed_job_leaves_what_it_knew(open_mpi: Mpi, flowing: Flowing) -> None:
    outcome, rows = flowing(open_mpi, "--die", "alltoall", "3000", "60")
    assert outcome.exit_code != 0
    assert [row["calls"] for row in rows] == [60]
    assert rows[0]["chosen"] is not None


def test_only_rank_0_writes(open_mpi: Mpi, flowing: Flowing, run_directory: Path) -> None:
    flowing(open_mpi, "alltoall", "3000", "20")
    assert len(list(run_directory.glob("flow.*.cwr"))) == 1
    found = find_records(run_directory)
    assert [record.header["kind"] for record in found.flows] == [FileKind.FLOW]
    assert len(found.ranks) == RANKS


def test_a_table_is_where_it_begins(open_mpi: Mpi, flowing: Flowing, run_directory: Path, tmp_path: Path) -> None:
    table = tmp_path / "flow.table"
    table.write_text(f"{TITLE}\nalltoall {RANKS} {RANKS} 4096 ordered+barrier\n")
    outcome, [row] = flowing(open_mpi, "alltoall", "3000", "12", options=(f"--flow={table}",))
    assert outcome.exit_code == 0, outcome.says
    assert own_words(outcome.stderr) == []
    assert (row["chosen"], row["chosen_calls"], row["own_s"]) == ("ordered+barrier", 12, None)
    assert str(table).encode() not in load(run_directory).files.data["path"].tolist()  # it is no file of the job's


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("alltoall 4 4 4096 own\n", f"its first line is not '{TITLE}'"),
        (f"{TITLE}\nalltoall 4 4 4096 sorted\n", "line 2: it has no known algorithm"),
        (None, "No such file or directory"),
    ],
)
def test_a_bad_table_is_complained_of_once(
    open_mpi: Mpi, flowing: Flowing, tmp_path: Path, text: str | None, said: str
) -> None:
    table = tmp_path / "flow.table"
    if text is not None:
        table.write_text(text)
    outcome, rows = flowing(open_mpi, "alltoall", "3000", "20", options=(f"--flow={table}",))
    assert outcome.exit_code == 0, outcome.says
    complaint, hint = outcome.stderr.strip().splitlines()
    assert complaint == f"clearway: the flow table '{table}' is not used: {said}"
    assert hint.startswith("hint: `clearway bench --save-table FILE`")
    assert len(rows) == 1


def test_tables_that_differ_between_ranks_are_not_used(open_mpi: Mpi, flowing: Flowing, tmp_path: Path) -> None:
    """Ranks that go different ways would wait for each other for ever."""
    for rank in range(RANKS):
        way = "ordered" if rank == 2 else "pairwise"
        (tmp_path / f"table.{rank}").write_text(f"{TITLE}\nalltoall {RANKS} {RANKS} 3000 {way}\n")
    wrapper = tmp_path / "clearway-record"
    recorder = clearway_tool("clearway-record")
    wrapper.write_text(
        f'#!/bin/sh\nCLEARWAY_FLOW_TABLE="{tmp_path}/table.$OMPI_COMM_WORLD_RANK" exec "{recorder}" "$@"\n'
    )
    wrapper.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "harness.runs.clearway_tool", lambda name: wrapper if name == wrapper.name else clearway_tool(name)
        )
        outcome, [row] = flowing(open_mpi, "alltoall", "3000", "30")
    assert outcome.exit_code == 0, outcome.says
    assert (
        outcome.stderr.splitlines()[0]
        == "clearway: the flow table is not used, because not all ranks read the same one"
    )
    assert "own" in {way["candidate"] for way in row["ways"] if way["calls"]}


def test_clearway_run_switches_it_on(open_mpi: Mpi, tmp_path: Path) -> None:
    """On the ranks only: behind the recorder, and not in the launcher, which is their parent."""
    show = ["sh", "-c", 'echo "$LD_PRELOAD $CLEARWAY_FLOW $(grep -c clearway-flow /proc/$PPID/environ)"']
    words = [clearway_tool("clearway"), "run", "-q", "-o", tmp_path / "run", "--flow", "--"]
    outcome = run_command([*words, *open_mpi.command(2, show)], open_mpi.environment, 50, tmp_path)
    assert outcome.exit_code == 0, outcome.says
    assert len(outcome.lines) == 2
    for line in outcome.lines:
        libraries, switch, times_in_launcher = line.split()
        assert [Path(each).name for each in libraries.split(":")] == ["libclearway.so", "libclearway-flow.so"]
        assert (switch, times_in_launcher) == ("on", "0")


@pytest.mark.parametrize(
    ("option", "said"),
    [("--flow=nowhere", "there is no table 'nowhere'"), ("--flow=wrong", "'wrong' is not a flow table")],
)
def test_clearway_run_refuses_what_is_no_table(tmp_path: Path, option: str, said: str) -> None:
    (tmp_path / "wrong").write_text("alltoall 4 4 4096 own\n")
    outcome = run_command([clearway_tool("clearway"), "run", option, "--", "true"], None, 30, tmp_path)
    assert outcome.exit_code != 0
    assert said in outcome.stderr
    assert "\nhint: " in outcome.stderr
    assert list(tmp_path.iterdir()) == [tmp_path / "wrong"]
