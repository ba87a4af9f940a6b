"""Everything that reads a Run, up to the whole page.

The input is a list of edits to a valid two-rank Run, so that the fuzzer gets past the magic and the version: each
edit is 2 bytes of position (scaled over header, directory and data) and 1 byte of value, or, with the first bit
of the input set, raw bytes that replace a file from the front.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path

from fuzzing import fuzz, watched

with watched:
    from clearway.base.errors import ClearwayError
    from clearway.page.build import summarise
    from clearway.run import layout, load

from python.made_runs import Machine, SegmentKind, world

HOT_BYTES = layout.FILE_HEADER.itemsize  # header
HOT_DIRECTORY = 24 * 14  # the directory's used entries


def valid_records() -> list[bytes]:
    ranks = world(2)
    ranks[1].machine = Machine("node1", "boot-1", realtime_ahead_s=2.0)
    for call in range(6):
        ranks[0].collective("MPI_Allreduce", 1.0 + call, 1.5 + call, nbytes=4096)
        ranks[1].collective("MPI_Allreduce", 1.3 + call, 1.5 + call, nbytes=4096)
    ranks[0].send(1, 8.0, 8.1, nbytes=9000)
    ranks[1].receive(0, 7.5, 8.2)
    for rank in ranks:
        own, other = (rank.rank, 1 - rank.rank)
        rank.add(
            SegmentKind.SOCKETS,
            family=2,
            local_port=5000 + own,
            peer_port=5000 + other,
            local_address=bytes([10, 0, 0, own]) + bytes(12),
            peer_address=bytes([10, 0, 0, other]) + bytes(12),
        )
        ticks = rank.machine.ticks
        rank.add(SegmentKind.STALLS, socket=0, timeouts=1, begin_ticks=ticks(7.6), end_ticks=ticks(7.8))
        rank.add(SegmentKind.FILES, path=b"/scratch/a", reads=3, read_bytes=300, extent_bytes=100, read_ticks=10**8)
        rank.add(SegmentKind.TIMELINE, entry_ticks=ticks(1.0), exit_ticks=ticks(1.5), function=16)
        rank.fact("process.command_line", "md -deffnm water")
        rank.add(SegmentKind.COUNTERS, name=b"process.rss_bytes", first=1, last=2)
    host = ranks[0].host_record({"host.cores": "8", "net.eth0.speed_mbit": "1000"}, {"net.eth0.rx_bytes": (1, 9)})
    return [ranks[0].record(), ranks[1].record(), host]


RECORDS = valid_records()
FOLDER = Path(tempfile.mkdtemp(prefix="clearway-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))


def place(position: int, size: int) -> int:
    """Half of the edits go to the header, a quarter to the directory, a quarter to the data."""
    region, within = position & 3, position >> 2
    if region < 2:
        return within % HOT_BYTES
    if region == 2:
        return layout.HEADER_BYTES + within % HOT_DIRECTORY
    return layout.FIRST_SEGMENT_OFFSET + (within * 37) % (size - layout.FIRST_SEGMENT_OFFSET)


def run_once(data: bytes) -> None:
    if not data:
        return
    which = (data[0] >> 1) % len(RECORDS)
    record = bytearray(RECORDS[which])
    if data[0] & 1:
        record[: len(data) - 1] = data[1:]
    else:
        for at in range(1, len(data) - 2, 3):
            record[place(int.from_bytes(data[at : at + 2], "little"), len(record))] = data[at + 2]
    if data[0] & 0x80:
        del record[len(record) * (data[0] & 0x78) // 0x78 :]
    names = ("rank.node0.1000.cwr", "rank.node1.1001.cwr", "host.node0.cwr")
    for number, name in enumerate(names):
        (FOLDER / name).write_bytes(record if number == which else RECORDS[number])
    with contextlib.suppress(ClearwayError):
        summarise(load(FOLDER))


if __name__ == "__main__":
    try:
        fuzz(run_once)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
