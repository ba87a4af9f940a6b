"""One TCP connection between two hosts, without MPI: what the links themselves do."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from testbed.conftest import python_on_host

from clearway.testbed import Testbed

_RECEIVER = """
import json, socket, sys, time
with socket.create_server((sys.argv[1], int(sys.argv[2]))) as server:
    print("ready", flush=True)
    connection, _ = server.accept()
    total, begin = 0, None
    while chunk := connection.recv(65536):
        begin = begin or time.monotonic()
        total += len(chunk)
    print(json.dumps([total, begin, time.monotonic()]))
"""
_SENDER = """
import socket, sys
with socket.create_connection((sys.argv[1], int(sys.argv[3]))) as connection:
    print(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\\0").decode())
    round_trip_offset = 68  # of tcpi_rtt
    information = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 72)
    print(int.from_bytes(information[round_trip_offset:], sys.byteorder))
    connection.sendall(bytes(int(sys.argv[2])))
"""


@dataclass(frozen=True)
class Flow:
    received_bytes: int
    begin_s: float  # on the clock that all processes of this machine share
    end_s: float
    congestion: str  # the control that the sender's connection had
    handshake_us: int  # a round trip, as the sender's TCP took it

    @property
    def rate_bps(self) -> float:
        """Of the payload."""
        return joint_rate_bps([self])


def joint_rate_bps(flows: Sequence[Flow]) -> float:
    """All bytes by the time from the first to the last."""
    elapsed_s = max(flow.end_s for flow in flows) - min(flow.begin_s for flow in flows)
    return 8 * sum(flow.received_bytes for flow in flows) / elapsed_s


def send(
    testbed: Testbed, sender: str, receiver: str, size_bytes: int, prefix: str = "10.77", port: int = 7000
) -> Flow:
    """Sends `size_bytes` from one host to the other and waits until all is there."""
    address = f"{prefix}.0.{receiver.removeprefix('node')}"
    command = testbed.on_host(receiver, python_on_host(_RECEIVER, address, str(port)))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
        client = testbed.on_host(sender, python_on_host(_SENDER, address, str(size_bytes), str(port)))
        said = subprocess.run(client, check=True, capture_output=True, text=True, timeout=60).stdout
        received_bytes, begin_s, end_s = json.loads(server.stdout.readline())
    return Flow(received_bytes, begin_s, end_s, said.split()[0], int(said.split()[1]))


def exchange(testbed: Testbed, pairs: Sequence[tuple[str, str]], size_bytes: int) -> list[Flow]:
    """Sends between all pairs at the same time."""
    with ThreadPoolExecutor(len(pairs)) as pool:
        jobs = [
            pool.submit(send, testbed, sender, receiver, size_bytes, port=7000 + i)
            for i, (sender, receiver) in enumerate(pairs)
        ]
        return [job.result() for job in jobs]


def gather(testbed: Testbed, senders: Sequence[str], receiver: str, size_bytes: int) -> list[Flow]:
    """All senders send to one receiver at the same time."""
    return exchange(testbed, [(sender, receiver) for sender in senders], size_bytes)
