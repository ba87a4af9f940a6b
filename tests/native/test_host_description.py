"""The environment, the cores, the control group and the mounts of a record agree with what the system says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from clearway.diagnosis.facts import open_case
from clearway.diagnosis.facts.clocks import slow_clock
from clearway.diagnosis.facts.core_kinds import kinds_of
from clearway.run.layout import text

V1_CPU = Path("/sys/fs/cgroup/cpu")
BUSY = "import time; end = time.monotonic() + 3\nwhile time.monotonic() < end: pass"


def process_facts(recorded: Any) -> dict[str, str]:
    return {text(row["name"]): text(row["text"]) for row in recorded.run.facts.data}


def test_variables_that_decide_about_speed(record) -> None:  # type: ignore[no-untyped-def]
    said = ("OMP_NUM_THREADS=3", "OMPI_MCA_btl=tcp,self", "UCX_TLS=tcp", "TMPDIR=/tmp", "FI_LONG=" + "x" * 900)
    unsaid = ("HOME_ADDRESS=1", "UCX_ACCESS_KEY=1", "FI_Password=1", "OMPI_MCA_orte_hnp_uri=1", "TMPDIR_OF_MINE=1")
    facts = process_facts(record("true", prefix=("env", *said, *unsaid)))
    for variable in said:
        name, _, value = variable.partition("=")
        assert facts[f"environment.{name}"] == value[:447]
    for variable in unsaid:
        assert f"environment.{variable.partition('=')[0]}" not in facts


def test_the_nice_value(record) -> None:  # type: ignore[no-untyped-def]
    facts = process_facts(record("true", prefix=("nice", "-n", "7")))
    assert facts["process.nice"] == str(min(os.nice(0) + 7, 19))


@pytest.mark.parametrize(("option", "name"), [("--idle", "SCHED_IDLE"), ("--batch", "SCHED_BATCH"), ("--other", None)])
def test_the_scheduling_class(option: str, name: str | None, record) -> None:  # type: ignore[no-untyped-def]
    facts = process_facts(record("true", prefix=("chrt", option, "0")))
    assert facts.get("process.scheduler") == name


def test_at_most_64_variables_and_none_by_half_its_name(record) -> None:  # type: ignore[no-untyped-def]
    many = [f"UCX_N{number}=1" for number in range(100)]
    facts = process_facts(record("true", prefix=("env", "OMP_" + "N" * 60 + "=1", *many)))
    assert sum(name.startswith("environment.") for name in facts) == 64
    assert not any("NNNN" in name for name in facts)


def test_what_mpirun_sets_for_itself_is_left_out(open_mpi, record) -> None:  # type: ignore[no-untyped-def]
    launch = ("env", *(f"{name}={value}" for name, value in open_mpi.environment.items()))
    command = open_mpi.command(1, ())
    facts = process_facts(record("sleep", "0.1", prefix=(*launch, *command, "--mca", "btl_tcp_sndbuf", "70000")))
    assert facts["environment.OMPI_MCA_btl_tcp_sndbuf"] == "70000"
    assert not any(name.startswith("environment.OMPI_MCA_orte") for name in facts)


def test_cores_and_nodes(record) -> None:  # type: ignore[no-untyped-def]
    facts = record("true").run.hosts[0].facts
    said = subprocess.run(["lscpu", "-p=CPU,CORE,SOCKET,NODE"], capture_output=True, text=True, check=True, timeout=20)
    rows = [tuple(line.split(",")) for line in said.stdout.splitlines() if not line.startswith("#")]
    assert int(facts["topology.cores"]) == len({(core, socket) for _, core, socket, _ in rows})
    assert int(facts["topology.sockets"]) == len({socket for _, _, socket, _ in rows})
    siblings = [
        core for name, value in facts.items() if name.startswith("topology.siblings.") for core in value.split()
    ]
    assert len(siblings) == (int(facts["topology.cores"]) if int(facts["topology.threads_per_core"]) > 1 else 0)
    for node in {node or "0" for *_, node in rows}:
        assert facts[f"numa.{node}.cpus"] == Path(f"/sys/devices/system/node/node{node}/cpulist").read_text().strip()


def test_mounts(record) -> None:  # type: ignore[no-untyped-def]
    facts = record("true").run.hosts[0].facts
    mounts = [value.split() for name, value in facts.items() if name.startswith("mount.")]
    points = {point: kind for kind, point, _ in mounts}
    assert points["/"] == subprocess.run(
        ["stat", "-f", "-c", "%T", "/"], capture_output=True, text=True, check=True, timeout=20
    ).stdout.strip().replace("ext2/ext3", "ext4").replace("overlayfs", "overlay")
    assert "proc" not in points.values()


@contextmanager
def a_twentieth_of_a_processor() -> Iterator[Path]:
    """A control group of version 1 that grants 5 ms in each 100 ms, before everybody else."""
    group = V1_CPU / f"clearway-test-{os.getpid()}"
    if os.geteuid() != 0 or not (V1_CPU / "cpu.cfs_quota_us").exists():
        pytest.skip("needs root and the cpu controller (cgroup v1)")
    group.mkdir()
    try:
        (group / "cpu.shares").write_text("262144")
        (group / "cpu.cfs_period_us").write_text("100000")
        (group / "cpu.cfs_quota_us").write_text("5000")
        yield group
    finally:
        group.rmdir()


def test_control_group(record) -> None:  # type: ignore[no-untyped-def]
    with a_twentieth_of_a_processor() as group:
        step = group / "step"  # as a batch system's: the limit is the job's, above it
        step.mkdir()
        enter = ("sh", "-c", f'echo $$ > {step}/cgroup.procs; exec "$@"', "sh")
        try:
            recorded = record(sys.executable, "-c", BUSY, prefix=enter)
        finally:
            step.rmdir()
    facts = process_facts(recorded)
    assert facts["process.cgroup_cpus"] == "0.050"
    assert facts["process.cgroup_cpus_at"] == str(group)
    last = {text(row["name"]): int(row["last"]) for row in recorded.run.counters.data}
    assert last["process.cgroup_throttled_us"] > 100_000
    assert last["process.cgroup_periods"] >= last["process.cgroup_throttled_periods"] > 0
    assert last["process.cgroup_oom_kills"] == 0
    assert facts["process.user_namespace"] == str(Path("/proc/self/ns/user").readlink())


def test_a_clock_that_is_held_back(record, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """A made folder in the place of processor 0's, in a mount namespace of the recorded program."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to put other files in the place of the kernel's")
    told = {
        "cpufreq/cpuinfo_max_freq": "4000000",
        "cpufreq/scaling_max_freq": "2000000",
        "cpufreq/scaling_cur_freq": "1500000",
        "cpufreq/scaling_governor": "powersave",
        "thermal_throttle/package_throttle_count": "7",
        "thermal_throttle/package_throttle_total_time_ms": "4000",
        "topology/physical_package_id": "0",
        "topology/thread_siblings_list": "0,4",
    }
    for name, value in told.items():
        (tmp_path / "cpu0" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "cpu0" / name).write_text(f"{value}\n")
    instead = 'mount --bind "$0" /sys/devices/system/cpu/cpu0 && exec "$@"'
    recorded = record("sleep", "2.5", prefix=("unshare", "--mount", "sh", "-c", instead, str(tmp_path / "cpu0")))
    [host] = recorded.run.hosts
    assert host.facts["cpufreq.cpuinfo_max_freq_khz"] == "4000000"
    assert host.facts["cpufreq.scaling_max_freq_khz"] == "2000000"
    assert host.facts["topology.siblings.0"] == "0,4"
    first, last = host.counters["cpufreq.samples"]
    assert last - first >= 1
    sums = host.counters["cpufreq.sum_khz"]
    assert (sums[1] - sums[0]) / (last - first) == 1_500_000
    assert host.counters["cpu.package_throttled_ms"] == (4000, 4000)
    slow = slow_clock(open_case(recorded.run), host)
    assert slow is not None
    assert (slow.why, slow.share) == ("limit", 0.5)


def test_cores_of_two_kinds(record, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """A made folder in the place of the kernel's; favoured cores among the fast ones are no kind."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to put other files in the place of the kernel's")
    (tmp_path / "online").write_text("0-5\n")
    for cpu, khz in enumerate((5_200_000, 5_200_000, 5_000_000, 5_000_000, 3_900_000, 3_900_000)):
        told = {
            "topology/physical_package_id": 0,
            "topology/thread_siblings_list": cpu,
            "cpufreq/cpuinfo_max_freq": khz,
        }
        for name, value in told.items():
            (tmp_path / f"cpu{cpu}" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / f"cpu{cpu}" / name).write_text(f"{value}\n")
    instead = 'mount --bind "$0" /sys/devices/system/cpu && exec "$@"'
    [host] = record("true", prefix=("unshare", "--mount", "sh", "-c", instead, str(tmp_path))).run.hosts
    assert host.facts["cpufreq.highest_khz.0"] == "0-3:5200000 4-5:3900000"
    kinds = kinds_of(host)
    assert kinds is not None
    assert sorted(kinds.slow) == [4, 5]


def test_migrations(record) -> None:  # type: ignore[no-untyped-def]
    if (os.cpu_count() or 1) < 2 or "nr_migrations" not in Path("/proc/self/sched").read_text():
        pytest.skip("needs two processors and CONFIG_SCHED_DEBUG")
    to_and_fro = "import os\nfor turn in range(100): os.sched_setaffinity(0, {turn % 2})"
    last = {text(row["name"]): int(row["last"]) for row in record(sys.executable, "-c", to_and_fro).run.counters.data}
    assert last["process.migrations"] >= 99


def test_pages_near_and_far(record) -> None:  # type: ignore[no-untyped-def]
    """On one memory node nothing is far; memory that was asked for but never touched is nowhere."""
    touch_and_wait = "import time; kept = bytearray(20_000_000); time.sleep(1.2)"
    last = {
        text(row["name"]): int(row["last"]) for row in record(sys.executable, "-c", touch_and_wait).run.counters.data
    }
    nodes = len(list(Path("/sys/devices/system/node").glob("node[0-9]*")))
    assert 0 < last["process.sampled_pages_near"] <= 256
    assert nodes > 1 or last["process.sampled_pages_far"] == 0
