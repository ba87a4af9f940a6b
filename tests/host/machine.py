"""A machine of its own for tests that change settings: namespaces with real kernel settings, cards and mounts."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from harness.mpis import clearway_tool
from harness.runs import Outcome, run_command

HOST = "lonely"
CARD = "eth0"
ROUTE = "10.99.0.0/24 dev eth0 proto kernel scope link src 10.99.0.1"
# What a change may touch and a test looks at, each in words that must be the same again after undoing.
LOOK = f"""
ip -4 route show
ip -o link show dev {CARD} | grep -o 'mtu [0-9]*'
ethtool -k {CARD} | grep -E 'segmentation-offload|generic-receive|generic-seg'
cat /proc/sys/net/ipv4/tcp_ecn /proc/sys/net/ipv4/tcp_congestion_control
cat /proc/sys/net/ipv4/tcp_slow_start_after_idle /proc/sys/net/ipv4/tcp_rmem /proc/sys/net/ipv4/tcp_wmem
cat /proc/sys/net/core/rmem_max /proc/sys/net/core/wmem_max /proc/sys/kernel/numa_balancing
grep ' /dev/shm ' /proc/self/mounts | tail -n 1
find /etc/sysctl.d /etc/systemd/system -type f -exec head -c 10000 '{{}}' +
find /etc/sysctl.d /etc/systemd/system | sort
"""
BEGIN = f"""
set -e
hostname {HOST}
for folder in /var/lib /etc/sysctl.d /etc/systemd/system; do mount -t tmpfs -o mode=755 test $folder; done
mount -t tmpfs -o size=64m,mode=1777 test /dev/shm
if [ "$1" = own-network ]; then
    mount -t sysfs test /sys
    ip link set lo up
    ip link add {CARD} type veth peer name far
    ip link set {CARD} up
    ip link set far up
    ip address add 10.99.0.1/24 dev {CARD}
fi
echo ready
exec sleep 1000
"""


class Machine:
    """Its settings are its own, without `own_network` but for TCP's, which are the real ones."""

    def __init__(self, own_network: bool = True) -> None:
        spaces = ["--mount", "--uts", *(["--net"] if own_network else [])]
        command = ["unshare", *spaces, "sh", "-c", BEGIN, "sh", "own-network" if own_network else "shared"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._enter = ["nsenter", f"--target={self._process.pid}", *spaces]
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def __enter__(self) -> Machine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate()

    def inside(self, *command: str | Path) -> list[str]:
        return [*self._enter, *map(str, command)]

    def says(self, *command: str) -> str:
        return subprocess.run(self.inside(*command), check=True, capture_output=True, text=True, timeout=30).stdout

    def looks(self) -> str:
        """All that a change may touch."""
        return self.says("sh", "-c", LOOK)

    def host(self, *words: str | Path, as_nobody: bool = False) -> Outcome:
        """`clearway host WORDS`."""
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if as_nobody else []
        return run_command(self.inside(*nobody, *clearway_host(*words)))

    def undo_files(self) -> Sequence[str]:
        return self.says("sh", "-c", "ls /var/lib/clearway 2>/dev/null || true").split()


def clearway_host(*words: str | Path) -> list[str | Path]:
    return [sys.executable, clearway_tool("clearway"), "host", *words]
