"""A cluster in a box: hosts as network namespaces, joined by a switch whose ports have a rate and a small buffer.

    with shaped_link(hosts=2, rate_mbit=42, port_buffer_bytes=200_000) as cluster:
        cluster.run(open_mpi, program, ...)

Real Linux TCP runs over it. Everything is removed at the end, also after a failure.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.runs import Outcome, run_command

_ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")


def _run(command: str) -> None:
    result = subprocess.run(shlex.split(command), capture_output=True, text=True, timeout=30)
    if result.returncode != 0:
        raise OSError(f"{command}: {result.stderr.strip()}")


@dataclass(frozen=True)
class Cluster:
    """Hosts 10.77.0.1, 10.77.0.2 …, one rank each; `head` is where mpirun runs, on an unshaped port."""

    hosts: tuple[str, ...]  # names of their network namespaces, and their host names
    head: str
    remote_shell: Path

    def address(self, host: int) -> str:
        return f"10.77.0.{host + 1}"

    def run(
        self,
        open_mpi: Mpi,
        program: Sequence[str | Path],
        run_directory: Path | None,
        environment: Mapping[str, str],
        timeout_s: float = 55,
    ) -> Outcome:
        """Runs `program` on one rank a host, with Open MPI over TCP."""
        if run_directory is not None:
            program = [clearway_tool("clearway-record"), "-o", run_directory, "--", *program]
        settings = {
            "plm_rsh_agent": str(self.remote_shell),
            "plm_rsh_no_tree_spawn": "1",
            "btl": "tcp,self",
            "pml": "ob1",
            "btl_tcp_if_include": "eth0",
            "oob_tcp_if_include": "eth0",
            "orte_keep_fqdn_hostnames": "1",
            "mpi_yield_when_idle": "1",
        }
        command: list[str | Path] = ["nsenter", f"--net=/run/netns/{self.head}", *open_mpi.launcher]
        for name, value in settings.items():
            command += ["--mca", name, value]
        for name in environment:
            command += ["-x", name]
        command += ["--host", ",".join(self.address(i) for i in range(len(self.hosts)))]
        command += ["-np", str(len(self.hosts)), *program]
        return run_command(command, {**open_mpi.environment, **environment}, timeout_s)


def _add_host(name: str, switch: str, number: int, rate_mbit: float | None, port_buffer_bytes: int) -> None:
    port = f"p{number}"
    _run(f"ip netns add {name}")
    _run(f"ip link add eth0 netns {name} type veth peer name {port} netns {switch}")
    _run(f"ip -n {name} address add 10.77.0.{number + 1}/24 dev eth0")
    for namespace, device in ((name, "eth0"), (switch, port)):
        # Offloading would move 64 kB bursts that no real link carries as one.
        _run(f"ip -n {namespace} link set {device} gso_max_segs 1 up")
        if shutil.which("ethtool"):
            _run(f"ip netns exec {namespace} ethtool -K {device} tso off gso off gro off")
    _run(f"ip -n {name} link set lo up")
    _run(f"ip -n {switch} link set {port} master bridge")
    if rate_mbit is not None:
        _run(f"tc -n {name} qdisc add dev eth0 root tbf rate {rate_mbit}mbit burst 3200 limit 1000000")
        _run(f"tc -n {switch} qdisc add dev {port} root tbf rate {rate_mbit}mbit burst 3200 limit {port_buffer_bytes}")
    settings = {"tcp_congestion_control": "cubic", "tcp_limit_output_bytes": "9000"}
    for setting, value in settings.items():
        _run(f"ip netns exec {name} sh -c 'echo {value} > /proc/sys/net/ipv4/{setting}'")


@contextlib.contextmanager
def _cubic_allowed() -> Iterator[None]:
    """Namespaces may only choose congestion controls that the outer one allows; put back at the end."""
    before = _ALLOWED.read_text()
    if "cubic" not in before:
        _ALLOWED.write_text(f"{before.strip()} cubic\n")
    try:
        yield
    finally:
        _ALLOWED.write_text(before)


@contextlib.contextmanager
def shaped_link(hosts: int, rate_mbit: float, port_buffer_bytes: int) -> Iterator[Cluster]:
    """A cluster of `hosts`; the test is skipped where there is no privilege to make one."""
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("tc"):
        pytest.skip("network namespaces need root, ip and tc")
    unique = os.getpid() % 10000
    switch, head = f"cwswitch{unique}", f"cwhead{unique}"
    names = tuple(f"cwnode{unique}-{i}" for i in range(hosts))
    with contextlib.ExitStack() as stack:
        try:
            _run(f"ip netns add {switch}")
        except OSError as error:
            pytest.skip(f"network namespaces do not work here: {error}")
        for name in (switch, head, *names):
            stack.callback(subprocess.run, ["ip", "netns", "delete", name], capture_output=True)
        stack.enter_context(_cubic_allowed())
        _run(f"ip -n {switch} link add bridge type bridge")
        _run(f"ip -n {switch} link set bridge up")
        for number, name in enumerate(names):
            _add_host(name, switch, number, rate_mbit, port_buffer_bytes)
        _add_host(head, switch, 200, None, 0)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        yield Cluster(names, head, _remote_shell(folder, names))


def _remote_shell(folder: Path, names: Sequence[str]) -> Path:
    """What stands in for ssh: runs a command line in the namespaces of the host with that address."""
    script = folder / "remote-shell"
    cases = "\n".join(f"10.77.0.{i + 1}) name={name};;" for i, name in enumerate(names))
    script.write_text(
        "#!/bin/sh\n"
        f'case "$1" in\n{cases}\n*) echo "no host $1" >&2; exit 1;;\nesac\n'
        "shift\n"
        "exec nsenter --net=/run/netns/$name unshare --uts sh -c "
        '\'hostname "$1"; shift; exec sh -c "$*"\' sh "$name" "$@"\n'
    )
    script.chmod(0o755)
    return script
