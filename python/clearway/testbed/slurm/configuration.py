"""What Slurm reads on a testbed. Pure: texts of the testbed's layout. Sources: slurm.conf(5), cgroup.conf(5),
topology.conf(5), mpi.conf(5) of Slurm 22.05."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from clearway.testbed.layout import HEAD, Layout

FOLDER = "slurm"  # of the testbed's directory
CONFIGURATION = "slurm.conf"
FIRST_PORT = 6817

_GENERAL = """\
ClusterName=testbed
SlurmctldHost={head}
SlurmUser=root
SlurmctldPort={port}
SlurmdPort={next_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%h
TmpFS={folder}/%h/tmp
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/%h.pid
SlurmctldLogFile={folder}/controller.log
SlurmdLogFile={folder}/%h.log
SlurmctldTimeout=60
SlurmdTimeout=20
KillWait=3
UnkillableStepTimeout=60
MinJobAge=3600
ReturnToService=2
MpiDefault=pmix
SchedulerParameters=sched_interval=1,bf_interval=1
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU={memory_per_cpu_mib}
SlurmdParameters=config_overrides
TaskProlog={folder}/{task_prolog}
{tracking}
{topology}
NodeName={nodes} CPUs={cpus} RealMemory={memory_mib} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES:4
"""

CGROUP_CONF = """\
CgroupPlugin=cgroup/v1
CgroupMountpoint=/sys/fs/cgroup
ConstrainRAMSpace=yes
ConstrainCores={binds}
"""
# Unless told otherwise, fences with data go round a ring and those without up a tree. Then a rank may leave the last
# fence of MPI_Init while another waits in an earlier one (seen with 22.05.8, PMIx 4.2.2 and Open MPI 4.1.4 on a busy
# machine): its first message finds no receiver there, and Open MPI calls a null pointer. Of very short jobs some 4 % do
# so all the same, with PMIxFenceBarrier as well.
MPI_CONF = "PMIxCollFence=tree\n"
TASK_PROLOG = "task-prolog"


@dataclass(frozen=True, slots=True)
class Machine:
    """What each host has; all share it."""

    cpus: int
    memory_mib: int
    has_groups: bool  # version 1 of control groups, with the controllers that Slurm wants


def slurm_conf(layout: Layout, directory: Path, machine: Machine) -> str:
    cpus = layout.shape.host_cpus or machine.cpus
    return _GENERAL.format(
        head=HEAD,
        folder=directory / FOLDER,
        port=FIRST_PORT,
        next_port=FIRST_PORT + 1,
        memory_per_cpu_mib=max(1, machine.memory_mib // cpus),
        memory_mib=machine.memory_mib,
        tracking=_tracking(layout, machine),
        topology="TopologyPlugin=topology/tree" if layout.outer_switches else "TopologyPlugin=topology/none",
        nodes=",".join(host.name for host in layout.hosts),
        cpus=cpus,
        task_prolog=TASK_PROLOG,
    )


def cgroup_conf(layout: Layout, machine: Machine) -> str:
    return CGROUP_CONF.format(binds="yes" if _can_bind(layout, machine) else "no")


def _can_bind(layout: Layout, machine: Machine) -> bool:
    """Tasks cannot be bound to processors that Slurm was told of and the machine has not."""
    return (layout.shape.host_cpus or machine.cpus) <= machine.cpus


def _tracking(layout: Layout, machine: Machine) -> str:
    binding = ["task/affinity"] if _can_bind(layout, machine) else []
    limits = ["task/cgroup"] if machine.has_groups else []
    tasks = ",".join([*binding, *limits]) or "task/none"
    return f"ProctrackType=proctrack/{'cgroup' if machine.has_groups else 'linuxproc'}\nTaskPlugin={tasks}"


def topology_conf(layout: Layout) -> str:
    """A switch a line; empty where there is one switch only."""
    if not layout.outer_switches:
        return ""
    by_switch = sorted((layout.switch_of(layout.network, host), host.index, host.name) for host in layout.hosts)
    lines = [
        f"SwitchName={switch} Nodes={','.join(name for _, _, name in hosts)}"
        for switch, hosts in groupby(by_switch, key=lambda entry: entry[0])
    ]
    return "\n".join([*lines, f"SwitchName={layout.network.bridge} Switches={','.join(layout.outer_switches)}"]) + "\n"


def task_prolog(idle_library: Path) -> str:
    """Slurm puts what it prints into the environment of each task: ranks share few cores and must not poll."""
    return f"""\
#!/bin/sh
echo "export LD_PRELOAD=${{LD_PRELOAD:+$LD_PRELOAD:}}{idle_library}"
"""
