"""Says of each job that ended what held it up: the work behind `clearway-slurm job-end`, of Slurm's EpilogSlurmctld.

Jobs that ended wait in a folder, a file each. Whoever finds nobody at work takes the lock and works until there is
none left: no daemon of ours, and Python starts once for many jobs. A job's records are read as its user, in a process
of its own: they are that user's, and the head may not be able to read them otherwise.
"""

from __future__ import annotations

import fcntl
import importlib
import os
import pkgutil
import pwd
import select
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import clearway
from clearway.base.errors import ClearwayError
from clearway.base.visible import visible
from clearway.base.whole import is_whole
from clearway.site.runs_of_job import runs_in
from clearway.site.settings import Settings, folder_of, read_settings
from clearway.site.verdict import LONGEST, verdict

LOCK = ".lock"
SETTLES_S = 1.0  # after a job's end its last step may still be gathered
PATIENCE_S = 60.0  # for one job
NICENESS = 10
READING = ("base", "run", "ledger", "engines", "job", "diagnosis")  # rooms
USED_BY_THEM = ("heapq", "numpy.char", "numpy.ma")  # others import these only when they need them


@dataclass(frozen=True, slots=True)
class EndedJob:
    number: str
    user: int
    path: Path  # of its file in the queue
    ended_s: float


def work(queue: Path, says: bool) -> None:
    """Until the queue is empty; at once where somebody else is at work."""
    os.nice(NICENESS)
    import_all()
    while _jobs(queue):
        with _alone(queue) as alone:
            if not alone:
                return
            while jobs := _jobs(queue):
                _take(jobs, read_settings(), says)


def import_all() -> None:
    """Before a user's process begins: once for all jobs, and that user need not be able to read this installation."""
    for name in USED_BY_THEM:
        importlib.import_module(name)
    for folder in clearway.__path__:
        for room in READING:
            for module in pkgutil.walk_packages([f"{folder}/{room}"], f"clearway.{room}."):
                importlib.import_module(module.name)


def _take(jobs: list[EndedJob], settings: Settings, says: bool) -> None:
    for job in jobs:
        time.sleep(max(0.0, min(SETTLES_S, job.ended_s + SETTLES_S - time.time())))
        try:
            said = said_of(job, settings, says)
            if said:
                comment_on(job.number, said)
        finally:
            job.path.unlink(missing_ok=True)  # whatever went wrong: the next one counts as well


def _jobs(queue: Path) -> list[EndedJob]:
    found = []
    for path in queue.iterdir():
        number, _, user = path.name.partition("-")
        if is_whole(number) and is_whole(user):
            found.append(EndedJob(number, int(user), path, path.stat().st_mtime))
    return sorted(found, key=lambda job: job.ended_s)


@contextmanager
def _alone(queue: Path) -> Iterator[bool]:
    with (queue / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def said_of(job: EndedJob, settings: Settings, says: bool) -> str:
    """The sentence on a job; empty where it has no Run."""
    try:
        person = pwd.getpwuid(job.user)
    except KeyError:
        return ""
    folder = folder_of(settings, person.pw_dir, person.pw_name)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _as_user(person, job.number, folder, says, writing)
    os.close(writing)
    text = _listen(reading, child)
    return text.decode(errors="replace")[:LONGEST]


def _as_user(person: pwd.struct_passwd, number: str, folder: Path, says: bool, writing: int) -> None:
    """In the child: it never returns."""
    try:
        if os.geteuid() == 0:
            os.initgroups(person.pw_name, person.pw_gid)
            os.setresgid(person.pw_gid, person.pw_gid, person.pw_gid)
            os.setresuid(person.pw_uid, person.pw_uid, person.pw_uid)
        runs = runs_in(folder, number)
        if runs and (os.getuid() == person.pw_uid or os.geteuid() != 0):
            said = _verdict(runs, number)
            if says:
                add_to_output(number, f"clearway: {said}\n")
            os.write(writing, said.encode())
    finally:
        os._exit(0)


def _verdict(runs: list[Path], number: str) -> str:
    try:
        return verdict(runs, number)
    except ClearwayError as error:
        return visible(f"its Run cannot be read: {error.message}")
    except Exception as error:  # a broken record; whoever asks for its report sees more
        return f"its Run cannot be read: {type(error).__name__}"


def _listen(reading: int, child: int) -> bytes:
    text, end = b"", time.monotonic() + PATIENCE_S
    with os.fdopen(reading, "rb", buffering=0) as file:
        while select.select([file], [], [], max(0.0, end - time.monotonic()))[0]:
            more = file.read(LONGEST)
            if not more:
                break
            text += more
    if time.monotonic() >= end:
        os.kill(child, 9)
    os.waitpid(child, 0)
    return text


def comment_on(number: str, said: str) -> None:
    """With Slurm's accounting, for Slurm itself takes no comment on a job that is over (22.05: "already finished")."""
    setting = f"AdminComment={said}"
    if not _done("scontrol", "update", f"JobId={number}", setting):
        _done("sacctmgr", "--immediate", "update", "job", "where", f"jobid={number}", "set", setting)


def _done(*words: str) -> bool:
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.returncode == 0


def add_to_output(number: str, line: str) -> None:
    """At the end of the file that the job printed to, if it is there: as the job's user."""
    told = subprocess.run(
        ["scontrol", "--oneliner", "show", "job", number], capture_output=True, text=True, check=False
    )
    _, found, rest = told.stdout.partition(" StdOut=")
    path = rest.split(" Power=")[0].strip()
    if not found or not path.startswith("/"):
        return
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.write(file, visible(line.rstrip("\n")).encode() + b"\n")
    finally:
        os.close(file)
