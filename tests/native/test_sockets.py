"""Connections and their stalls against what the two ends of a cut line saw themselves."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import clearway_tool

from clearway.run import load

RECEIVER = """
import socket, time
server = socket.create_server(("10.78.0.1", 7001))
connection, _ = server.accept()
begin = last = time.monotonic()
gaps, received = [], 0
while data := connection.recv(65536):
    now = time.monotonic()
    gaps.append(now - last)
    last, received = now, received + len(data)
print(received, sum(gap for gap in gaps if gap > 0.1), sum(gap > 0.1 for gap in gaps))
"""
SENDER = """
import socket, time
for attempt in range(50):
    try:
        connection = socket.create_connection(("10.78.0.1", 7001))
        break
    except OSError:
        time.sleep(0.1)
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
end = time.monotonic() + 6
while time.monotonic() < end:
    connection.sendall(bytes(1000))
    time.sleep(0.002)
time.sleep(0.3)
connection.close()
time.sleep(0.2)
"""


def run(command: str) -> None:
    subprocess.run(shlex.split(command), check=True, capture_output=True, timeout=20)


@pytest.fixture
def switch() -> Iterator[Callable[[bool], None]]:
    """Two hosts on a switch, clearway-a (10.78.0.1) and clearway-b (10.78.0.2); the value opens and cuts b's port."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    names = ("clearway-a", "clearway-b", "clearway-switch")
    try:
        for name in names:
            run(f"ip netns add {name}")
        run("ip -n clearway-switch link add name br0 type bridge")
        run("ip -n clearway-switch link set br0 up")
        for number, host in enumerate(names[:2], start=1):
            run(f"ip link add eth0 netns {host} type veth peer name port{number} netns clearway-switch")
            run(f"ip -n clearway-switch link set port{number} master br0 up")
            run(f"ip -n {host} addr add 10.78.0.{number}/24 dev eth0")
            run(f"ip -n {host} link set eth0 up")
        yield lambda opened: run(f"bridge -n clearway-switch link set dev port2 state {3 if opened else 0}")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no network namespaces here: {error.stderr.decode().strip()}")
    finally:
        for name in names:
            with contextlib.suppress(subprocess.CalledProcessError):
                run(f"ip netns del {name}")


@pytest.mark.timed
def test_a_cut_line_is_a_stall(switch: Callable[[bool], None], tmp_path: Path) -> None:
    def start(host: str, script: str, *words: Any, **environment: str) -> subprocess.Popen[str]:
        command = ["ip", "netns", "exec", f"clearway-{host}", *map(str, words), sys.executable, "-c", script]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})

    receiver = start("a", RECEIVER)
    record = [clearway_tool("clearway-record"), "-o", tmp_path / "run", "--"]
    sender = start("b", SENDER, *record, CLEARWAY_ALWAYS="1")
    for cut_s in (0.5, 0.15):
        time.sleep(1.2)
        switch(False)
        time.sleep(cut_s)
        switch(True)
    output, _ = receiver.communicate(timeout=30)
    assert sender.wait(timeout=30) == 0
    received, gap_s, gaps = map(float, output.split())

    result = load(tmp_path / "run")
    cells = [cell for cell in result.sockets.data if cell["peer_port"] == 7001]
    assert len(cells) == 1
    cell = cells[0]
    assert bytes(cell["peer_address"])[:4] == bytes([10, 78, 0, 1])
    assert int(cell["bytes_sent"]) - int(cell["bytes_retrans"]) == received
    assert int(cell["state"]) == 0  # its end was seen
    assert int(cell["total_retrans"]) >= gaps
    stall_s = int(cell["stall_ticks"]) * float(result.processes["seconds_per_tick"][0])
    assert int(cell["stalls"]) == gaps == 2
    assert stall_s == pytest.approx(gap_s, rel=0.05)
    lengths = result.stalls.data["end_ticks"] - result.stalls.data["begin_ticks"]
    assert int(lengths.sum()) == int(cell["stall_ticks"])
