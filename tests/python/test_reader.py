"""What the reader takes, what it refuses, and in which words."""

from __future__ import annotations

import json
import os
import resource
from pathlib import Path

import numpy as np
import pytest
from python.made_runs import Rank, SegmentKind, State, world, write_all

from clearway.base.errors import ClearwayError
from clearway.page.build import summarise
from clearway.run import layout, load
from clearway.run.reader import UnreadableRecordError, open_record


def patched(path: Path, offset: int, raw: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(raw)


def field(name: str) -> int:
    """Offset of a header field."""
    return int((layout.FILE_HEADER.fields or {})[name][1])


def entry(number: int, name: str) -> int:
    """Offset of a field of a directory entry."""
    own = int((layout.SEGMENT_ENTRY.fields or {})[name][1])
    return layout.HEADER_BYTES + number * layout.SEGMENT_ENTRY.itemsize + own


@pytest.fixture
def record(tmp_path: Path) -> Path:
    rank = Rank(0, 1)
    rank.collective("MPI_Barrier", 1.0, 2.0)
    return rank.write(tmp_path / "run")


def refusal(path: Path) -> str:
    with pytest.raises(UnreadableRecordError) as caught:
        open_record(path)
    return caught.value.message


def test_no_such_directory(tmp_path: Path) -> None:
    with pytest.raises(ClearwayError, match="there is no such directory") as caught:
        load(tmp_path / "absent")
    assert caught.value.hint


def test_a_file_is_no_directory(record: Path) -> None:
    with pytest.raises(ClearwayError, match="it is a file"):
        load(record)


def test_an_empty_directory(tmp_path: Path) -> None:
    with pytest.raises(ClearwayError, match="has no record of a job"):
        load(tmp_path)


def test_only_a_host_record(tmp_path: Path) -> None:
    (tmp_path / "host.a.cwr").write_bytes(Rank(-1, 0).host_record({}, {}))
    with pytest.raises(ClearwayError, match="only of hosts"):
        load(tmp_path)


def test_wrong_magic(record: Path) -> None:
    patched(record, 0, b"NOTCLEAR")
    assert "is not a Clearway record" in refusal(record)


def test_a_newer_version_names_both(record: Path) -> None:
    patched(record, field("version"), (layout.VERSION + 6).to_bytes(4, "little"))
    message = refusal(record)
    assert "newer" in message
    assert f"version {layout.VERSION + 6}" in message
    assert f"version {layout.VERSION}" in message


def test_other_byte_order(record: Path) -> None:
    patched(record, field("byte_order"), layout.BYTE_ORDER.to_bytes(4, "big"))
    assert "other byte order" in refusal(record)


@pytest.mark.parametrize("size", [1, 7, 8, 100, 4095, 4096, 16383])
def test_cut_inside_the_header(record: Path, size: int) -> None:
    os.truncate(record, size)
    assert "not a Clearway record" in refusal(record) or "cut short" in refusal(record)


def unbegin(record: Path, how: str) -> None:
    """Leaves what a process leaves that is killed while it makes its record."""
    match how:
        case "created":
            os.truncate(record, 0)
        case "reserved":
            record.write_bytes(bytes(layout.FIRST_SEGMENT_OFFSET))
        case "no clock reading":
            for name in ("start", "heartbeat", "mpi_begin", "mpi_end"):
                patched(record, field(name), bytes(layout.FILE_HEADER[name].itemsize))


UNBEGUN = ("created", "reserved", "no clock reading")


@pytest.mark.parametrize("how", UNBEGUN)
def test_a_job_that_was_killed_while_it_made_its_record(record: Path, how: str) -> None:
    unbegin(record, how)
    (record.parent / "host.a.cwr").write_bytes(Rank(-1, 0).host_record({}, {}))
    with pytest.raises(ClearwayError, match=r"1 file ends before the first clock reading") as caught:
        load(record.parent)
    assert caught.value.hint == "the job was killed while it started; there is nothing to read"


@pytest.mark.parametrize("how", UNBEGUN)
def test_a_rank_that_was_killed_while_it_made_its_record(tmp_path: Path, how: str) -> None:
    ranks = world(2)
    write_all(ranks, tmp_path)
    unbegin(tmp_path / ranks[1].path(), how)
    page = summarise(load(tmp_path))
    assert [rank.rank for rank in page.ranks] == [0]
    assert any("ends before its first clock reading" in note for note in page.job.notes)


def test_cut_inside_the_data(record: Path) -> None:
    os.truncate(record, layout.FIRST_SEGMENT_OFFSET + 64 * 3)
    page = summarise(load(record.parent))
    assert page.job.ranks == 1
    assert any("ended before its data" in note for note in page.job.notes)


@pytest.mark.parametrize(("rank", "world_size"), [(-2, 4), (4, 4), (7, 4), (0, 0), (0, -1)])
def test_absurd_ranks(tmp_path: Path, rank: int, world_size: int) -> None:
    path = Rank(0, 1, header={"rank": rank, "world_size": world_size}).write(tmp_path)
    assert "claims to be rank" in refusal(path)


def test_a_bad_file_among_good_ones_is_left_out(tmp_path: Path) -> None:
    ranks = world(3)
    write_all(ranks, tmp_path)
    (tmp_path / ranks[1].path()).write_bytes(b"rubbish")
    page = summarise(load(tmp_path))
    assert [rank.rank for rank in page.ranks] == [0, 2]
    assert any("could not be read" in note for note in page.job.notes)
    assert any("1 of 3 ranks left no record (rank 1)" in note for note in page.job.notes)
    assert not page.job.complete


def test_wrong_element_size(record: Path) -> None:
    patched(record, entry(4, "element_bytes"), (40).to_bytes(2, "little"))
    assert "events of 40 bytes each" in refusal(record)


def test_unknown_kinds_are_skipped(record: Path) -> None:
    patched(record, entry(4, "kind"), (99).to_bytes(2, "little"))
    assert len(load(record.parent).events) == 0


def test_overlapping_segments(record: Path) -> None:
    raw = record.read_bytes()
    everything = layout.SEGMENT_ENTRY.itemsize
    many = bytearray(raw)
    first = raw[layout.HEADER_BYTES : layout.HEADER_BYTES + everything]
    for number in range(400):
        at = layout.HEADER_BYTES + number * everything
        many[at : at + everything] = first
    many[field("segment_count") : field("segment_count") + 4] = (400).to_bytes(4, "little")
    record.write_bytes(many)
    assert "overlap" in refusal(record)


def test_a_huge_count_in_a_sparse_file_takes_little_memory(record: Path) -> None:
    os.truncate(record, 1 << 40)
    for number in range(5):
        patched(record, entry(number, "capacity"), (2**32 - 1).to_bytes(4, "little") * 2)
        patched(record, entry(number, "offset"), (layout.FIRST_SEGMENT_OFFSET).to_bytes(8, "little"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run = load(record.parent)
    assert len(run.events) <= layout.ELEMENT[SegmentKind.EVENTS][1]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000  # KiB


def test_offsets_outside_the_file(record: Path) -> None:
    for offset in (2**64 - 48, 1 << 62, 0, 100):
        patched(record, entry(4, "offset"), offset.to_bytes(8, "little"))
        assert len(load(record.parent).events) == 0


def test_a_world_of_two_billion(tmp_path: Path) -> None:
    Rank(5, 2**31 - 1).write(tmp_path)
    page = summarise(load(tmp_path))
    assert page.job.ranks_expected == 2**31 - 1
    assert any("rank 0, 1, 2, 3, 4, 6, 7, 8, …" in note for note in page.job.notes)


def test_the_newest_job_is_shown_and_the_older_noted(tmp_path: Path) -> None:
    old, new = Rank(0, 1, job="old"), Rank(0, 1, job="new", begin_s=100.0, recording_s=100.0, end_s=104.0)
    (tmp_path / "rank.a.1.cwr").write_bytes(old.record())
    (tmp_path / "rank.a.2.cwr").write_bytes(new.record())
    run = load(tmp_path)
    assert run.job == "new"
    assert any("1 older job" in note for note in run.notes)


def test_where_no_record_can_be_read_there_is_a_hint(tmp_path: Path) -> None:
    (tmp_path / "rank.a.1.cwr").write_bytes(Rank(0, 1).record()[:275])
    with pytest.raises(ClearwayError, match="is cut short: 275 bytes") as said:
        load(tmp_path)
    assert said.value.hint == "copy the Run again from where it was recorded, or record the job again"


def test_two_records_of_one_rank(tmp_path: Path) -> None:
    (tmp_path / "rank.a.1.cwr").write_bytes(Rank(0, 1, end_s=3.0).record())
    (tmp_path / "rank.a.2.cwr").write_bytes(Rank(0, 1, end_s=8.0).record())
    run = load(tmp_path)
    assert len(run.processes) == 1
    assert run.processes["end_s"][0] == pytest.approx(8.0)
    assert any("There are 2 jobs on record" in note for note in run.notes)


def test_the_first_sentence_tells_of_a_driver_whose_longest_launch_is_the_least_of_it(tmp_path: Path) -> None:
    """It prepares each replica with a program that has an MPI, too, one after another, and then runs them briefly."""
    began_s = 0
    for pid, (program, ranks, took_s) in enumerate(
        [("gmx_mpi grompp -f a.mdp", 1, 8)] * 3 + [("gmx_mpi mdrun -s a", 2, 5)]
    ):
        for rank in range(ranks):
            one = Rank(rank, ranks, begin_s=began_s, recording_s=began_s, end_s=began_s + took_s)
            one.fact("process.command_line", f"/usr/bin/{program}")
            (tmp_path / f"rank.a.{10 * pid + rank}.cwr").write_bytes(one.record())
        began_s += took_s + 1
    run = load(tmp_path)
    assert run.besides is not None
    assert run.besides.shown == pytest.approx(10 / 34)
    assert run.besides.programs == (("gmx_mpi grompp", pytest.approx(24.0)),)
    sentence = summarise(run).sentence
    assert "the longest of 4 launches on record, and has 29.4 % of their rank-seconds" in sentence
    assert "the rest (gmx_mpi grompp 24.0 s) is not in the figures below" in sentence


def test_programs_of_a_script_are_never_mixed(tmp_path: Path) -> None:
    """Of three in a row, and of two at the same time that PMIx has given names, all ranks shown are of one."""
    for pid, (rank, begin_s, end_s) in enumerate(
        [(0, 0, 3), (1, 0, 3), (0, 4, 9), (1, 4, 6), (0, 10, 12), (1, 10, 14)]
    ):
        one = Rank(rank, 2, begin_s=begin_s, recording_s=begin_s + 0.25, end_s=end_s)
        (tmp_path / f"rank.a.{pid}.cwr").write_bytes(one.record())
    run = load(tmp_path)
    assert run.processes["end_s"].tolist() == pytest.approx([5.0, 2.0])  # since each began
    assert any("There are 3 jobs on record" in note and "7.0 of 19.0 rank-seconds" in note for note in run.notes)
    assert run.besides is not None
    assert (run.besides.launches, round(run.besides.shown, 2), run.besides.programs) == (3, 0.37, ())  # names are lost
    beside = tmp_path / "beside"
    beside.mkdir()
    for pid, (rank, name) in enumerate([(0, "one"), (0, "two"), (1, "two"), (1, "one")]):
        one = Rank(rank, 2, end_s=8.0 if name == "one" else 9.0, begin_s=0.1 * pid, recording_s=0.1 * pid)
        (beside / f"rank.a.{pid}.cwr").write_bytes(one.fact("process.launch", name).record())
    assert load(beside).processes["end_s"].tolist() == pytest.approx([8.9, 8.9])


def test_programs_without_mpi_are_numbered(tmp_path: Path) -> None:
    for pid in (1, 2):
        (tmp_path / f"rank.a.{pid}.cwr").write_bytes(Rank(-1, 0, begin_s=0.1 * pid, recording_s=1.0).record())
    assert load(tmp_path).processes["rank"].tolist() == [0, 1]


def test_of_a_process_the_last_program_that_it_executed_counts(tmp_path: Path) -> None:
    """A wrapper that ends with `exec`: both began when the process did."""
    for number, recording_s in (("", 1.0), (".2", 3.0)):
        (tmp_path / f"rank.a.1{number}.cwr").write_bytes(Rank(-1, 0, recording_s=recording_s, end_s=4.0).record())
    assert load(tmp_path).processes["recording_s"].tolist() == pytest.approx([3.0])


def test_of_a_program_and_those_that_it_starts_one_is_shown(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    for pid, cpu_s in ((1, 0.5), (2, 7.0), (3, 1.5)):
        one = Rank(-1, 0, begin_s=0.1 * pid, recording_s=1.0, end_s=9.0)
        one.add(SegmentKind.COUNTERS, name=b"process.cpu_all_threads_ns", first=0, last=round(cpu_s * 1e9))
        (tmp_path / f"rank.a.{pid}.cwr").write_bytes(one.record())
    run = load(tmp_path)
    assert run.counters.data["last"].tolist() == [7_000_000_000]
    assert any("3 processes are on record" in note and "7.0 of 9.0 s" in note for note in run.notes)


def test_shells_and_launchers_of_a_batch_job_are_no_ranks(tmp_path: Path) -> None:
    """Slurm tells all of them that they are rank 0. One that loaded an MPI is: it ended in MPI_Init."""
    Rank(0, 1).write(tmp_path)
    for pid in (2, 3):
        (tmp_path / f"rank.a.{pid}.cwr").write_bytes(Rank(-1, 0).fact("process.launched_rank", "0").record())
    assert not any("never got through" in note for note in load(tmp_path).notes)
    again = Rank(-1, 0, state=State.STARTED).fact("process.launched_rank", "0").fact("mpi.library", "Open MPI v4.1.4")
    (tmp_path / "rank.a.4.cwr").write_bytes(again.record())
    assert "1 process never got through MPI_Init and is left out: rank 0 on node0." in load(tmp_path).notes


def test_processes_killed_inside_init_are_noted(tmp_path: Path) -> None:
    Rank(0, 2).write(tmp_path)
    (tmp_path / "rank.a.2.cwr").write_bytes(
        Rank(-1, 0, state=State.STARTED).fact("process.launched_rank", "1").record()
    )
    (tmp_path / "rank.a.3.cwr").write_bytes(Rank(-1, 0).record())  # the shell of the script
    assert "1 process never got through MPI_Init and is left out: rank 1 on node0." in load(tmp_path).notes


@pytest.mark.parametrize("said", ["", "[]", "{", '{"command": 7}', '{"exit_code": "x"}', "9" * 5000, "[" * 9000])
def test_a_broken_run_json_is_no_obstacle(record: Path, said: str) -> None:
    (record.parent / "run.json").write_text(said)
    summarise(load(record.parent))


def test_run_json(record: Path) -> None:
    said = {"command": ["mpirun", "-np", "1", "md"], "exit_code": 3, "started_ns": 1, "ended_ns": 2, "stdout": "o"}
    (record.parent / "run.json").write_text(json.dumps(said))
    page = summarise(load(record.parent))
    assert page.job.exit_code == 3
    assert page.job.command == "mpirun -np 1 md"


def test_the_timeline_ring_is_unrolled(tmp_path: Path) -> None:
    rank = Rank(0, 1)
    for second in (4, 5, 2, 3):  # capacity 4, six written: the oldest, second 2, is at 6 % 4
        ticks = rank.machine.ticks
        rank.add(SegmentKind.TIMELINE, entry_ticks=ticks(second), exit_ticks=ticks(second + 0.5), function=2)
    path = rank.write(tmp_path)
    patched(path, entry(5, "count"), (6).to_bytes(4, "little"))
    (timeline,) = load(tmp_path).timelines()
    assert timeline.entry_s.tolist() == pytest.approx([2, 3, 4, 5])


def test_a_call_that_was_being_written_down_is_passed_over(tmp_path: Path) -> None:
    rank = Rank(0, 1)
    for second, function in ((2, 2), (3, 0), (4, 2)):
        ticks = rank.machine.ticks
        rank.add(SegmentKind.TIMELINE, entry_ticks=ticks(second), exit_ticks=ticks(second + 0.5), function=function)
    rank.write(tmp_path)
    (timeline,) = load(tmp_path).timelines()
    assert timeline.entry_s.tolist() == pytest.approx([2, 4])


def test_every_single_byte_of_the_header_may_be_wrong(record: Path) -> None:
    good = record.read_bytes()
    generator = np.random.default_rng(1)
    for at in range(layout.FILE_HEADER.itemsize):
        broken = bytearray(good)
        broken[at] = generator.integers(256)
        record.write_bytes(broken)
        try:
            summarise(load(record.parent))
        except ClearwayError as error:
            assert str(record) in error.message or "no record" in error.message


@pytest.mark.parametrize("number", [0, 999, 65534, 65535])
def test_ids_that_nothing_describes_are_unknown(tmp_path: Path, number: int) -> None:
    rank = Rank(0, 1)
    rank.add(SegmentKind.FUNCTIONS, id=65535, function_class=8, name=b"MPI_Last")
    rank.add(SegmentKind.COMMS, index=65534, size=1, id=5, name=b"last")
    rank.add(SegmentKind.CALLS, function=number, comm=number, count=1, ticks=10**9)
    rank.write(tmp_path)
    (row,) = summarise(load(tmp_path)).mpi_calls
    assert row.function == ("MPI_Last" if number == 65535 else "unknown")
    assert row.time_s == pytest.approx(1.0)


@pytest.mark.parametrize(
    "header",
    [
        {"state": 2**32 - 1},
        {"exit_code": -(2**31), "pid": -1},
        {"event_window_ms": 0, "event_level": 24},
        {"heartbeat_index": 2**64 - 1},
        {"heartbeat": [(2**64 - 1, 2**61, 2**61), (1, 1, 1)]},
        {"heartbeat": [(2**63, 2**62 - 1, 1), (2**63 + 5, 2**62 - 1, 2**62 - 1)]},
        {"start": (1, 1, 1)},
        {"process_start_monotonic_ns": 2**64 - 1},
        {"dropped": [2**64 - 1] * 16},
        {"host": b"\xff\xfe<b>", "boot_id": b"", "job": b"\xff" * 64},
    ],
    ids=str,
)
def test_a_header_full_of_nonsense(tmp_path: Path, header: dict[str, object]) -> None:
    """Found by the fuzzer: any figure may be anything, and there is still a page or one clear error."""
    rank = Rank(0, 1, header=header)
    rank.collective("MPI_Barrier", 1.0, 2.0)
    ticks = rank.machine.ticks
    rank.add(SegmentKind.SOCKETS, family=10)
    rank.add(SegmentKind.STALLS, socket=2**32 - 1, begin_ticks=ticks(30.0), end_ticks=2**64 - 1)
    rank.write(tmp_path)
    page = summarise(load(tmp_path))
    assert page.job.ranks == 1
    assert page.ledger.wall_s >= 0


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """Opening one to read waits for somebody who writes: `clearway list` stood still."""
    run = tmp_path / "run"
    world(1)[0].write(run)
    os.mkfifo(run / "rank.node0.9.cwr")
    (note,) = (note for note in summarise(load(run)).job.notes if "could not be read" in note)
    assert "it is not a regular file" in note
