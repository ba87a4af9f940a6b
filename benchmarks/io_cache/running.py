"""One run of one program at one place: how long it took and waited, what it printed, what it left behind."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clearway.page.build import summarise
from clearway.page.model import Page
from clearway.run import Run, load
from io_cache.disks import DISKS, Disk, inside, memory_group, own_memory_bytes
from io_cache.programs import SCRATCH, Program

LIMIT_S = 300
MOST_MEMORY_BYTES = 8 << 30  # where a limit is none


@dataclass(frozen=True, slots=True)
class Result:
    """What is kept of a run."""

    wall_s: float
    cpu_s: float  # of all its processes
    energy: str  # as printed
    left: dict[str, str]  # files that outlive it, by name: a hash of what is in them
    page: Page | None  # where it was recorded
    delay_s: float = 0.0  # it was ready for a core and had none; known where it was recorded
    scratch_bytes: int = 0  # the most that its scratch files held at a time, where that was watched
    memory_bytes: int = 0  # the most that its processes took, likewise

    @property
    def stretch(self) -> float:
        """Elapsed over CPU and waiting for a core: 1 where nothing else was waited for."""
        return self.wall_s / (self.cpu_s + self.delay_s)


def run_program(
    program: Program,
    disk: Disk,
    recorder: Sequence[str | Path] = (),
    options: Sequence[str] = (),
    memory_bytes: int = MOST_MEMORY_BYTES,
    watched: bool = False,
) -> Result:
    """Runs it in a folder of its own, recorded if a `recorder` is given. Raises OSError where it fails."""
    with (
        _own_folder() as base,
        tempfile.TemporaryDirectory(prefix="clearway-io-") as beside,  # on a disk that is not slow
        disk.make(base, memory_bytes) as place,
    ):
        folder = program.make_folder(place.folder / program.name)
        record = [*map(str, recorder), "--always", "-o", f"{beside}/run", *options, "--"] if recorder else []
        output = Path(beside) / "output"
        command = [*place.prefix, *record, *program.command]
        with _watching(folder / SCRATCH) if watched else contextlib.nullcontext(Watched()) as seen:
            code, wall_s, used = _run([*seen.prefix, *command], folder, program.variables(folder), output)
        printed = output.read_text(errors="replace")
        if code != 0:
            raise OSError(f"{program.name} ended with {code}: {printed[-3000:]}")
        run = load(Path(beside) / "run") if recorder else None
        return Result(
            wall_s=wall_s,
            cpu_s=used.ru_utime + used.ru_stime,
            memory_bytes=seen.memory_bytes,
            energy=program.final_energy(folder, printed),
            left=_left(folder),
            page=summarise(run) if run else None,
            delay_s=_delay_s(run) if run else 0.0,
            scratch_bytes=seen.scratch_bytes,
        )


@contextlib.contextmanager
def _own_folder() -> Iterator[Path]:
    """Named alike each time but for a number, so that globs that a finding recommends hold for the next run, too."""
    folder = Path(tempfile.gettempdir()) / f"clearway-io-{os.getpid():07}"
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _run(
    command: Sequence[str], folder: Path, variables: dict[str, str], output: Path
) -> tuple[int, float, os.struct_rusage]:
    """Its exit code, elapsed time, and what it and its children used."""
    begin_s = time.monotonic()
    with output.open("wb") as file:
        job = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    timer = threading.Timer(LIMIT_S, os.killpg, (job.pid, signal.SIGKILL))
    timer.start()
    try:
        _, status, used = os.wait4(job.pid, 0)
    except BaseException:  # interrupted: what the job has open would keep its file system from being taken away
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()
        raise
    finally:
        timer.cancel()
    wall_s = time.monotonic() - begin_s
    job.returncode = os.waitstatus_to_exitcode(status)
    return job.returncode, wall_s, used


def _delay_s(run: Run) -> float:
    return float(run.threads.data["run_delay_ns"].sum()) * 1e-9


@dataclass(slots=True)
class Watched:
    """What a job needed at most, while it ran."""

    prefix: tuple[str, ...] = ()  # put before its command
    scratch_bytes: int = 0
    memory_bytes: int = 0  # 0 where there is no control group to tell


@contextlib.contextmanager
def _watching(folder: Path) -> Iterator[Watched]:
    ended = threading.Event()
    with contextlib.ExitStack() as stack:
        group = None if DISKS["throttled"].why_not() else stack.enter_context(memory_group(MOST_MEMORY_BYTES))
        seen = Watched(inside(group) if group else ())

        def watch() -> None:
            while not ended.wait(0.05):
                with contextlib.suppress(OSError):  # a file was deleted meanwhile
                    seen.scratch_bytes = max(seen.scratch_bytes, sum(path.stat().st_size for path in folder.rglob("*")))
                if group:
                    seen.memory_bytes = max(seen.memory_bytes, own_memory_bytes(group))

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            yield seen
        finally:
            ended.set()
            watcher.join()


def _left(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
