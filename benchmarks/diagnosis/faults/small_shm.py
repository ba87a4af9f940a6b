"""/dev/shm too small for what the MPI wants to keep there."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

SMALL = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=64k tmpfs /dev/shm && exec "$@"', "sh")
SOUND = Job(program=workload("--steps 200 --compute-ms 5 --halo 2000 --halo-messages 50"))

PLANT = Plant(
    rule="small-shm",
    how="2 ranks on one host whose /dev/shm has 64 kB",
    instead="its normal size",
    faulty=replace(SOUND, outer=SMALL),
    sound=SOUND,
)
