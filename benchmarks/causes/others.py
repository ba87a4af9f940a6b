"""What a planted fault needs besides the program: somebody who holds a lock, answers late, reads slowly, computes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from diagnosis.slow_disk import slow_disk

from causes.draw import PIPE_BYTES

GAP_S = 1e-3  # in which a lock is free
DISK_MB = 60
FILE_BYTES = 4 * 1024 * 1024


@contextlib.contextmanager
def repeated(work: Callable[[threading.Event], None]) -> Iterator[None]:
    """A thread that does this until it is told to stop."""
    stop = threading.Event()
    thread = threading.Thread(target=work, args=(stop,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(timeout=5)


@contextlib.contextmanager
def held_lock(path: Path, held_s: float) -> Iterator[None]:
    def hold(stop: threading.Event) -> None:
        with path.open("w") as file:
            while not stop.is_set():
                fcntl.flock(file, fcntl.LOCK_EX)
                stop.wait(held_s)
                fcntl.flock(file, fcntl.LOCK_UN)
                stop.wait(GAP_S)

    with repeated(hold):
        yield


class _Answer(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        time.sleep(float(self.rfile.readline() or 0))
        with contextlib.suppress(OSError):
            self.wfile.write(b"yes\n")


class _Service(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


@contextlib.contextmanager
def late_service() -> Iterator[int]:
    """Its port. It answers after as many seconds as it is told."""
    with _Service(("127.0.0.1", 0), _Answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


@contextlib.contextmanager
def slow_reader(path: Path, bytes_per_s: float) -> Iterator[None]:
    os.mkfifo(path)
    file = os.open(path, os.O_RDWR | os.O_NONBLOCK)  # for writing, too: a writer that opens it need not wait

    def read(stop: threading.Event) -> None:
        pause_s = min(max(1024 / bytes_per_s, 1e-3), 0.05)
        last_s, allowed = time.monotonic(), 0.0
        while not stop.wait(pause_s):
            now_s = time.monotonic()
            allowed = min(allowed + (now_s - last_s) * bytes_per_s, PIPE_BYTES)
            last_s = now_s
            with contextlib.suppress(BlockingIOError):
                allowed -= len(os.read(file, int(allowed))) if allowed >= 1 else 0

    try:
        with repeated(read):
            yield
    finally:
        os.close(file)


@contextlib.contextmanager
def computing_now_and_then(core: int, busy_s: float, share: float, after: Callable[[], bool]) -> Iterator[None]:
    """Somebody else's program on that core, busy for so long at a time; it begins once `after` says so."""
    idle_s = busy_s * (1 - share) / share
    script = (
        "import time\n"
        "while True:\n"
        f"    end = time.monotonic() + {busy_s}\n"
        "    while time.monotonic() < end: pass\n"
        f"    time.sleep({idle_s})\n"
    )
    started: list[subprocess.Popen[bytes]] = []

    def start(stop: threading.Event) -> None:
        while not after():
            if stop.wait(0.02):
                return
        started.append(subprocess.Popen(["taskset", "-c", str(core), sys.executable, "-c", script]))

    try:
        with repeated(start):
            yield
    finally:
        for busy in started:
            busy.kill()
            busy.wait()


@contextlib.contextmanager
def limited_disk(folder: Path, limit: str, value: float, ranks: int, files: bool) -> Iterator[Path]:
    """The begin of a file's name for each rank, on a disk with that limit; they are there already if `files`."""
    with slow_disk(folder, DISK_MB, {limit: int(value)}) as disk:
        if files:
            for rank in range(ranks):
                path = disk / f"file.{rank}"
                path.write_bytes(b"x" * FILE_BYTES)
            os.sync()
        yield disk / "file"


@contextlib.contextmanager
def once(act: Callable[[], None], after: Callable[[], bool]) -> Iterator[None]:
    def wait(stop: threading.Event) -> None:
        while not after():
            if stop.wait(0.02):
                return
        act()
        stop.wait()

    with repeated(wait):
        yield


@contextlib.contextmanager
def link_down(set_link: Callable[[str], None], down_s: float, after: Callable[[], bool]) -> Iterator[None]:
    def take_down(stop: threading.Event) -> None:
        while not after():
            if stop.wait(0.02):
                return
        set_link("down")
        stop.wait(down_s)
        set_link("up")

    with repeated(take_down):
        yield
