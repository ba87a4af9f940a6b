"""Scratch files in the host's own memory, where the program keeps them on a slow file system."""

from __future__ import annotations

from pathlib import PurePath

from clearway.base import quantities as q
from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.file_time import file_system, on_network
from clearway.diagnosis.facts.scratch import MEMORY_BYTES_PER_S
from clearway.diagnosis.facts.settings_in_force import variable
from clearway.diagnosis.facts.tables.files import File
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES = frozenset({"io-cache"})
# By the beginning of a program's name: the variable that says where its scratch files go.
VARIABLES = {
    "nwchem": "SCRATCH_DIR",
    "pw.x": "ESPRESSO_TMPDIR",
    "cp.x": "ESPRESSO_TMPDIR",
    "psi4": "PSI_SCRATCH",
}
IN_MEMORY = "/dev/shm"
ON_DISK = "/tmp"
JOURNALS = ("-journal", "-wal", "-shm")  # SQLite's
ROOM = 0.5  # of /dev/shm: it takes the job's own memory


def offer(case: Case, finding: Finding) -> Offer | None:
    """Only for files that the job deletes itself, where there is room for them.

    gain = 1 - time in memory / time now, of the share that these files have in the time of all.
    """
    name = next((name for program, name in VARIABLES.items() if case.tables.job.program.startswith(program)), "TMPDIR")
    scratch = [file for file in case.tables.files if file.deleted and not file.path.startswith(IN_MEMORY)]
    if name == "TMPDIR":
        folder = variable(case, name)
        scratch = [file for file in scratch if folder and _is_there_for_it(case, file, folder)]
    all_s, now_s = sum(file.time_s for file in case.tables.files), sum(file.time_s for file in scratch)
    then_s = sum(file.bytes_read + file.bytes_written for file in scratch) / MEMORY_BYTES_PER_S
    if not _fit(case, scratch):
        return _on_the_hosts_disk(case, name, scratch)
    if then_s >= now_s:
        return None
    return Offer(
        what=f"keep scratch files in {IN_MEMORY}",
        why=f"{q.seconds(now_s)} went into files that the job deleted; {IN_MEMORY} is large enough for them",
        gain=(now_s - then_s) / all_s,
        change=Change(environment=((name, IN_MEMORY),)),
    )


def _is_there_for_it(case: Case, file: File, folder: str) -> bool:
    """Whether TMPDIR is why the file is where it is: not where the whole job works in that folder, and no journal that
    a database keeps beside itself.
    """
    path, works_in = PurePath(file.path), PurePath(case.fact("process.cwd") or "/")
    if not path.is_relative_to(folder) or path.name.endswith(JOURNALS):
        return False
    return not (works_in.is_relative_to(folder) and path.is_relative_to(works_in))


def _on_the_hosts_disk(case: Case, name: str, scratch: list[File]) -> Offer | None:
    """For files on a network file system, where the hosts have a disk. No gain is promised: nobody knows how fast."""
    system = file_system(case, ON_DISK)
    far = [file for file in scratch if on_network(file_system(case, file.path))]
    if not far or not system or on_network(system):
        return None
    return Offer(
        what=f"keep scratch files in {ON_DISK}, on the hosts' own disk",
        why=(
            f"{q.seconds(sum(file.time_s for file in far))} went into files that the job deleted, on "
            f"{file_system(case, far[0].path)}; {IN_MEMORY} is too small for them"
        ),
        gain=None,
        change=Change(environment=((name, ON_DISK),)),
    )


def _fit(case: Case, scratch: list[File]) -> bool:
    """All of them on one host, to be sure: the record does not tell how many of its ranks' files are on each."""
    sizes = [host.facts.get("shm.size_bytes", "") for host in case.tables.hosts]
    rooms = [int(size) for size in sizes if is_whole(size)]
    needed = sum(max(file.bytes_written, file.mapped_bytes) for file in scratch)
    return bool(scratch) and bool(rooms) and needed <= ROOM * min(rooms)
