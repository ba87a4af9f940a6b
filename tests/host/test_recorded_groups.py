"""Control groups of version 2, as the recorder reads them: the kernel's own, as far as its controllers are not used by
version 1, and made files for the others. Each in a mount namespace of its own.
"""

from __future__ import annotations

import subprocess
import time
import uuid
from pathlib import Path

import pytest
from harness.mpis import clearway_tool, mpi
from harness.programs import ProgramBuilder

from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.facts.counters import process_last, process_rises
from clearway.diagnosis.facts.other_jobs import other_jobs
from clearway.run import load
from clearway.testbed import privilege

MOUNTED = "/sys/fs/cgroup"
ONLY_VERSION_2 = "mount --bind {named} /proc/$$/cgroup\n"  # the process has groups of version 1, too
JOBS = "system.slice/slurmstepd.scope"
TASK = f"{JOBS}/job_12/step_0/user/task_0"


@pytest.fixture(autouse=True)
def may_mount() -> None:
    trouble = privilege.why_not()
    if trouble is not None:
        pytest.skip(trouble[0])


def recorded(prepare: str, folder: Path, programs: ProgramBuilder) -> Case:
    """A rank that computes for a second and a half, where the shell's lines have mounted what it sees."""
    one = mpi("mpich-debian")  # its program needs no daemon if nobody launched it
    if one.missing:
        pytest.skip(one.missing)
    program = programs.build(one, "crowded", "crowded.c")
    run = folder / "run"
    job = f"{clearway_tool('clearway-record')} -o {run} {program} 0.05 30"
    script = f"set -e\nmount --make-rprivate /\n{prepare}\nexec {job}"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        env=one.environment or None,
    )
    assert done.returncode == 0, done.stderr
    return open_case(load(run))


def test_of_the_kernel(tmp_path: Path, programs: ProgramBuilder) -> None:
    """Another job's processor time, and how long the own group waited for memory."""
    if "cgroup2" not in Path("/proc/filesystems").read_text():
        pytest.skip("this kernel has no control groups of version 2")
    top = f"clearway-test-{uuid.uuid4().hex[:8]}"
    own, other, named, used = f"{top}/job_12/step_0", f"{top}/job_13/step_0", tmp_path / "cgroup", tmp_path / "used"
    burns = f"( echo 0 > {MOUNTED}/{other}/cgroup.procs; exec timeout 20 sh -c 'while :; do :; done' )"
    waits = f"tail --pid=$$ -s 0.05 -f /dev/null; cat {MOUNTED}/{other}/cpu.stat > {used}; kill $burner"
    cleans = f"cd {MOUNTED}/{top}; while ! rmdir job_*/step_0; do sleep 0.05; done; rmdir job_*; cd ..; rmdir {top}"
    lines = [
        f"mount -t cgroup2 none {MOUNTED}",
        f"mkdir -p {MOUNTED}/{own} {MOUNTED}/{other}",
        f"{burns} >/dev/null 2>&1 & burner=$!",
        f"( {waits}; {cleans} ) >/dev/null 2>&1 &",
        f"echo $$ > {MOUNTED}/{own}/cgroup.procs",
        f"grep ^0:: /proc/$$/cgroup > {named}",
        ONLY_VERSION_2.format(named=named),
    ]
    case = recorded("\n".join(lines), tmp_path, programs)
    end = time.monotonic() + 10
    while not used.exists() or not used.read_text():
        assert time.monotonic() < end
        time.sleep(0.05)
    (found,) = other_jobs(case)
    used_s = int(used.read_text().split()[1]) * 1e-6
    assert found.id == "13"
    assert 0.3 < found.cpu_s <= used_s + 0.1
    assert case.run.hosts[0].facts["other_jobs.in"] == f"{MOUNTED}/{top}"
    assert "process.cgroup_memory_stalled_us" in names_of(case)


def names_of(case: Case) -> set[str]:
    return {name.decode() for name in case.run.counters.data["name"].tolist()}


MADE = {
    f"{JOBS}/job_12/cpu.max": "150000 100000",
    f"{JOBS}/job_12/cpu.stat": "usage_usec 9\nnr_periods {0}0\nnr_throttled {0}\nthrottled_usec {0}00",
    f"{JOBS}/job_12/memory.max": "209715200",
    f"{JOBS}/job_12/memory.events": "low 0\nhigh {0}\nmax {0}\noom 1\noom_kill {0}",
    f"{JOBS}/job_12/memory.pressure": "some avg10=0.00 avg60=0.00 avg300=0.00 total={0}000",
    f"{JOBS}/job_12/step_0/memory.max": "max",
    f"{TASK}/cpu.max": "max 100000",
    f"{TASK}/memory.max": "max",
    f"{TASK}/cpuset.cpus.effective": "0-1",
    f"{JOBS}/job_13/cpu.stat": "usage_usec {0}00000",
}


def test_of_slurm(tmp_path: Path, programs: ProgramBuilder) -> None:
    """Its limits are of the job's group, its processes in the task's: the tightest level counts, and its counters."""
    for number in (1, 5):
        for name, text in MADE.items():
            path = tmp_path / str(number) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text.format(number)}\n")
    named = tmp_path / "cgroup"
    named.write_text(f"0::/{TASK}\n")
    copy = f"cp -r {tmp_path}/%s/. {MOUNTED}"
    later = f"( sleep 0.7; {copy % 5} ) >/dev/null 2>&1 &"
    lines = [f"mount -t tmpfs none {MOUNTED}", copy % 1, later, ONLY_VERSION_2.format(named=named)]
    case = recorded("\n".join(lines), tmp_path, programs)
    job = f"{MOUNTED}/{JOBS}/job_12"
    assert case.fact("process.cgroup_cpus") == "1.500"
    assert case.fact("process.cgroup_cpus_at") == job
    assert case.fact("process.cgroup_memory_bytes") == "209715200"
    assert case.fact("process.cgroup_memory_at") == job
    assert case.fact("process.cgroup_cpuset") == "0-1"
    rises = {
        name: process_rises(case, f"process.cgroup_{name}")[0] for name in ("throttled_us", "periods", "oom_kills")
    }
    assert rises == {"throttled_us": 400, "periods": 40, "oom_kills": 4}
    assert process_rises(case, "process.cgroup_memory_hits")[0] == 8
    assert process_last(case, "process.cgroup_memory_stalled_us")[0] == 5000
    assert [(one.id, one.cpu_s) for one in other_jobs(case)] == [("13", pytest.approx(0.4))]
