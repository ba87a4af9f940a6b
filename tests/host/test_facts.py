"""Reading the files of other machines: what this one does not have, from a tree of files as they have it."""

from __future__ import annotations

from pathlib import Path

import pytest

from clearway.cluster.hosts.reader import Reader
from clearway.cluster.hosts.sources import links, memory, network, processors, tcp
from clearway.cluster.hosts.state import Fact

TWO_SOCKETS = {
    "proc/cpuinfo": "".join(f"processor\t: {i}\nmodel name\t: EPYC of a kind\n\n" for i in range(8)),
    "proc/self/cgroup": "0::/system.slice/job",
    "sys/fs/cgroup/system.slice/job/cpu.max": "250000 100000",
    **{f"sys/devices/system/cpu/cpu{i}/topology/core_id": f"{i % 2}" for i in range(8)},
    **{f"sys/devices/system/cpu/cpu{i}/topology/physical_package_id": f"{i // 4}" for i in range(8)},
    **{f"sys/devices/system/cpu/cpu{i}/cpufreq/scaling_governor": "powersave" for i in range(7)},
    "sys/devices/system/cpu/cpu7/cpufreq/scaling_governor": "performance",
    **{f"sys/devices/system/cpu/cpu{i}/cpufreq/cpuinfo_max_freq": f"{3_600_000 - i}" for i in range(8)},
    "sys/devices/system/node/node0/cpulist": "0-3",
    "sys/devices/system/node/node1/cpulist": "4-7",
    "proc/meminfo": "MemTotal:       65536000 kB\nMemFree:        1 kB\nMemAvailable:   60000000 kB\n",
    "proc/self/mounts": "tmpfs /dev/shm tmpfs rw,nosuid,nodev,inode64 0 0",
    "proc/sys/kernel/numa_balancing": "1",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    "sys/class/infiniband/mlx5_0/node_type": "1: CA",
    "proc/sys/net/core/rmem_max": "212992",
    "proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456",
    "proc/net/snmp": "Tcp: ActiveOpens OutSegs RetransSegs\nTcp: 7 1000 30",
    "proc/net/netstat": "TcpExt: TCPTimeouts TCPLossProbeRecovery\nTcpExt: 4 2",
}


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    for name, text in TWO_SOCKETS.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    return Reader(tmp_path)


def test_a_machine_with_two_sockets(reader: Reader) -> None:
    facts = dict(processors.read(reader))
    assert facts["processor.threads"].value == 8
    assert facts["processor.cores"].value == 4
    assert facts["processor.numa_nodes"].value == 2
    assert facts["processor.governor"].value == "performance powersave"
    assert facts["processor.most_mhz"].value == 3599
    assert facts["processor.quota_cores"].value == 2.5
    assert facts["processor.model"] == Fact("EPYC of a kind", "/proc/cpuinfo")


def test_a_limit_of_the_job_holds_for_its_steps(reader: Reader) -> None:
    (reader.root / "proc/self/cgroup").write_text("0::/system.slice/job/step/task\n")
    step = reader.root / "sys/fs/cgroup/system.slice/job/step"
    step.mkdir()
    (step / "cpu.max").write_text("max 100000\n")
    assert dict(processors.read(reader))["processor.quota_cores"].value == 2.5


def test_the_first_version_of_control_groups(reader: Reader) -> None:
    (reader.root / "proc/self/cgroup").write_text("12:memory:/m\n4:cpu,cpuacct:/docker/x\n0::/\n")
    group = reader.root / "sys/fs/cgroup/cpu/docker/x"
    group.mkdir(parents=True)
    (group / "cpu.cfs_quota_us").write_text("-1\n")
    (group / "cpu.cfs_period_us").write_text("100000\n")
    assert dict(processors.read(reader))["processor.quota_cores"].value == "all"
    (group / "cpu.cfs_quota_us").write_text("50000\n")
    assert dict(processors.read(reader))["processor.quota_cores"].value == 0.5


def test_memory_and_tcp(reader: Reader) -> None:
    facts = {**dict(memory.read(reader)), **dict(tcp.read(reader))}
    assert facts["memory.total_bytes"].value == 65536000 * 1024
    assert facts["memory.shm_bytes"].value == 65536000 * 1024 // 2  # half of it, where the mount says nothing
    assert facts["memory.numa_balancing"].value == 1
    assert facts["memory.huge_pages"].value == "madvise"
    assert facts["tcp.rmem_max_bytes"].value == 212_992
    assert facts["tcp.rmem_most_bytes"].value == 6_291_456
    assert facts["tcp.timeouts"].value == 4
    assert facts["tcp.probe_recoveries"].value == 2
    assert facts["tcp.ecn"] == Fact(None, "/proc/sys/net/ipv4/tcp_ecn", "No such file or directory")
    assert dict(network.read(reader))["network.fabrics"].value == "mlx5_0"


def test_nothing_can_be_read_of_no_machine(tmp_path: Path) -> None:
    """Each fact says why; none is guessed, and nothing fails."""
    nothing = Reader(tmp_path)
    for source in (network, links, tcp, memory, processors):
        for name, fact in source.read(nothing):
            if not name.startswith(("network.name_address", "network.fabrics", "memory.locked", "processor.loop")):
                assert fact.value is None or name == "memory.shm_free_bytes", name
                assert fact.trouble or fact.value is not None, name
