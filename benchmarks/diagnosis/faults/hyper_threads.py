"""Two ranks on the two hardware threads of one core, while another core is free.

This machine's processors are cores: what /sys says of them is made up, and read by the recorder as it would be.
"""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

TREE = "/sys/devices/system/cpu"
# The real cpuset would say that there are two processors only.
SAID = f"""mount -t tmpfs none /sys/fs/cgroup/cpuset && mount -t tmpfs none {TREE} && echo 0-3 >{TREE}/online || exit 1
for cpu in 0 1 2 3; do
    mkdir -p {TREE}/cpu$cpu/topology && cd {TREE}/cpu$cpu/topology && echo 0 >physical_package_id || exit 1
    echo "$1" >thread_siblings_list && cd "$OLDPWD" && shift
done
exec "$@\""""


def on(step: str, *siblings: str) -> Job:
    """Open MPI binds the two ranks to processors 0 and 1. `siblings`: for each of four."""
    return Job(program=("unshare", "--mount", "sh", "-c", SAID, "sh", *siblings, *workload(step)))


def together(step: str) -> Job:
    return on(step, "0-1", "0-1", "2-3", "2-3")


def apart(step: str) -> Job:
    return on(step, "0,2", "1,3", "0,2", "1,3")


STEP = "--steps 200 --compute-ms 10 --halo 10000 --allreduce 64"
PLANT = Plant(
    rule="hyper-threads",
    how="2 ranks on processors 0 and 1, which /sys, made of plain files, says are one of two cores",
    instead="it says that they are two cores",
    faulty=together(STEP),
    sound=apart(STEP),
    cost_known=False,  # nothing is faster in the twin
    quick=False,
)

# A third of a tenth of the time could come back.
SLIGHT_STEP = "--steps 100 --compute-ms 4 --sleep-ms 36 --halo 10000 --allreduce 64"
SLIGHT = replace(
    PLANT,
    how="the same, and they compute for a tenth of the time; for the rest a device does",
    faulty=together(SLIGHT_STEP),
    sound=apart(SLIGHT_STEP),
)

HARD_STEP = "--steps 150 --compute-ms 8 --slow-rank 1 --slow-factor 1.5 --halo 2000000 --allreduce 64"
HARD = replace(
    PLANT,
    how="the same, one computes half as long again as the other, and they send each other 2 MB a step",
    faulty=together(HARD_STEP),
    sound=apart(HARD_STEP),
    besides=frozenset({"load-imbalance"}),
)
