"""Processes that are killed at random moments leave on disk what they had synced or closed; the others lose nothing.

They note each call in memory that outlives them (tests/programs/io_killed.c). What docs/io-cache-files.md promises
follows from these notes: for each byte what it must be, or may be.
"""

from __future__ import annotations

import mmap
import os
import random
import signal
import struct
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.programs import ProgramBuilder

PROCESSES, ENTRIES, PART_BYTES, SHARED = 3, 20_000, 50_000, 3
HEAD, ENTRY = struct.Struct("<I12x"), struct.Struct("<IBBBBIII")
OPEN, WRITE, SYNC, CLOSE, CUT, END, BEGIN = range(1, 8)
BEGUN, DONE = 1, 2
ENDS = ["exit", "_exit", "abort", "raise", "exec"]
LAST = 1 << 30


@dataclass
class Note:
    state: int
    kind: int
    writer: int  # a thread
    file: int
    value: int
    at: int
    length: int
    count_after: int  # notes that had begun when the call returned


@dataclass
class Part:
    """What one thread wrote into a file: as it wrote it, as the disk must have it, and what it may have instead."""

    written: bytearray = field(default_factory=bytearray)
    sure: bytes = b""
    possible: list[tuple[int, int, int]] = field(default_factory=list)  # first byte, first byte behind, value
    unfinished: list[tuple[int, int, int]] = field(default_factory=list)  # the same, by calls that never returned

    def write(self, note: Note, begin: int) -> None:
        end = begin + note.length
        if note.state == DONE:
            self.written.extend(bytes(max(0, end - len(self.written))))
            self.written[begin:end] = bytes([note.value]) * note.length
        self._may_be_there(note, (begin, end, note.value))

    def cut(self, note: Note, end: int) -> None:
        if note.state == DONE:
            self.written = self.written[:end].ljust(end, b"\0")
        self._may_be_there(note, (end, LAST, 0))

    def _may_be_there(self, note: Note, what: tuple[int, int, int]) -> None:
        (self.possible if note.state == DONE else self.unfinished).append(what)

    def settle(self) -> None:
        """A call that its process was killed in may have done its work, or some of it, before this or after it."""
        self.sure, self.possible = bytes(self.written), []

    def lost(self, disk: bytes) -> list[int]:
        """Bytes that neither are what they must be, nor what they may be."""
        length = max(len(disk), len(self.written), len(self.sure))
        is_there, sure = disk.ljust(length, b"\0"), self.sure.ljust(length, b"\0")
        return [i for i in range(length) if is_there[i] != sure[i] and not self._may_be(i, is_there[i])]

    def _may_be(self, i: int, value: int) -> bool:
        return any(begin <= i < end and value == may for begin, end, may in (*self.possible, *self.unfinished))


class Promises:
    """What the disk must have, from the notes. `killed`: how many notes had begun when each process was killed."""

    def __init__(self, notes: list[Note], killed: dict[int, int], own: bool, threads: int) -> None:
        self.parts: dict[tuple[int, int], Part] = {}
        self._notes, self._killed, self._own, self._threads = notes, killed, own, threads
        self._opened: dict[int, int] = {}  # which thread has the shared file open, and since which note
        self._ending: set[int] = set()
        for number, note in enumerate(notes):
            self._follow(number, note)
        for process in set(range(PROCESSES)) - set(killed):
            self._settle_all_of(process)

    def _process(self, writer: int) -> int:
        return writer // self._threads

    def _lives(self, process: int, number: int) -> bool:
        return number < self._killed.get(process, LAST)

    def _settle_all_of(self, process: int) -> None:
        for (_, writer), part in self.parts.items():
            if self._process(writer) == process:
                part.settle()

    def _follow(self, number: int, note: Note) -> None:
        part = self.parts.setdefault((note.file, note.writer), Part())
        done = note.state == DONE
        if note.kind == OPEN and note.file == SHARED and done:
            self._open_shared(note)
        elif note.kind == OPEN and note.at != 0:  # emptied
            part.cut(note, 0)
        elif note.kind == WRITE:
            part.write(note, note.at - (note.writer * PART_BYTES if note.file == SHARED else 0))
            if note.file == SHARED and done and self._is_elsewhere(number, self._process(note.writer)):
                part.settle()
        elif note.kind == CUT:
            part.cut(note, note.at)
        elif note.kind in (SYNC, CLOSE) and done:
            if note.kind == SYNC or not self._own:
                part.settle()
            if note.kind == CLOSE and note.file == SHARED:
                self._opened.pop(note.writer, None)
        elif note.kind == END:
            self._begin_to_end(self._process(note.writer))
        elif note.kind == BEGIN:  # as another program than before
            self._settle_all_of(self._process(note.writer))
            self._ending.discard(self._process(note.writer))

    def _open_shared(self, note: Note) -> None:
        """Whoever had it in memory wrote it back first, unless it was killed meanwhile."""
        opener = self._process(note.writer)
        for (file, writer), part in self.parts.items():
            process = self._process(writer)
            if file == SHARED and process != opener and self._lives(process, note.count_after):
                part.settle()
        if opener not in self._ending:
            self._opened[note.writer] = note.count_after

    def _begin_to_end(self, process: int) -> None:
        """Its files are closed by what comes now; when, nobody notes. Other threads go on until then."""
        self._ending.add(process)
        self._opened = {writer: since for writer, since in self._opened.items() if self._process(writer) != process}

    def _is_elsewhere(self, number: int, process: int) -> bool:
        """Another process had the file open when this call began: so it is in nobody's memory."""
        return self._lives(process, number) and any(
            self._process(other) != process and since <= number and self._lives(self._process(other), number)
            for other, since in self._opened.items()
        )


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("own", [False, True], ids=["shared", "own"])
def test_killed(programs: ProgramBuilder, tmp_path: Path, seed: int, own: bool, threads: int) -> None:
    program, chance = programs.build_plain("io_killed", "io_killed.c"), random.Random(seed)
    files, log = tmp_path / "files", tmp_path / "log"
    files.mkdir()
    log.write_bytes(bytes(HEAD.size + ENTRY.size * ENTRIES))
    with log.open("r+b") as opened, mmap.mmap(opened.fileno(), 0) as noted:
        jobs = [
            start(program, tmp_path, process, seed, chance.choice(ENDS), own, threads) for process in range(PROCESSES)
        ]
        killed = {}
        for process in chance.sample(range(PROCESSES), chance.randrange(PROCESSES + 1)):
            wait_for_notes(noted, jobs, chance.randrange(50, 4000))
            killed[process] = HEAD.unpack_from(noted)[0]
            jobs[process].send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM]))
        said = [job.communicate(timeout=100)[1] for job in jobs]
        count = min(HEAD.unpack_from(noted)[0], ENTRIES)
        notes = [Note(*ENTRY.unpack_from(noted, HEAD.size + i * ENTRY.size)) for i in range(count)]
    assert [job.returncode for job in jobs if job.returncode > 0] == [], said
    assert count > PROCESSES
    for (file, writer), part in Promises(notes, killed, own, threads).parts.items():
        path = files / ("all" if file == SHARED else f"{writer}.{file}")
        disk = path.read_bytes() if path.exists() else b""
        if file == SHARED:
            disk = disk[writer * PART_BYTES : (writer + 1) * PART_BYTES]
        assert part.lost(disk) == [], f"{path.name}, writer {writer}, killed {killed}"


def start(
    program: Path, folder: Path, process: int, seed: int, end: str, own: bool, threads: int
) -> subprocess.Popen[bytes]:
    options = ["--io-cache", "1Mi", "--io-cache-files", f"{folder}/files/*", "-o", f"{folder}/run", "--always"]
    words = [folder / "files", folder / "log", process, 8 * seed + process + 1, end, 2000 // threads, threads]
    return subprocess.Popen(
        [str(word) for word in (clearway_tool("clearway-record"), *options, "--", program, *words)],
        env={**os.environ, **({"PSI_SCRATCH": f"{folder}/files"} if own else {})},
        stderr=subprocess.PIPE,
    )


def wait_for_notes(noted: mmap.mmap, jobs: list[subprocess.Popen[bytes]], count: int) -> None:
    while HEAD.unpack_from(noted)[0] < count and any(job.poll() is None for job in jobs):
        time.sleep(0.001)
