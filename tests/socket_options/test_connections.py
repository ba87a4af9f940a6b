"""What CLEARWAY_FLOW_SOCKETS puts on real connections, and what it leaves alone.

A connection to an address of this machine's own network card counts as one to another host: only 127/8 and ::1 do not.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.runs import run_command

# Makes a connection and prints what both of its ends have; `late` is set by the program once it is connected.
_PROGRAM = """
import json, socket, sys
LATE = 300_000
def options(each):
    def rto_min():
        try:
            return each.getsockopt(socket.IPPROTO_TCP, 45)
        except OSError:
            return None
    return {
        "send_buffer": each.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF),
        "receive_buffer": each.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF),
        "notsent_lowat": each.getsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT),
        "pace": each.getsockopt(socket.SOL_SOCKET, 47),
        "rto_min": rto_min(),
        "congestion": each.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\\0").decode(),
    }
with socket.create_server((sys.argv[1], 0)) as server:
    connecting = socket.create_connection(server.getsockname()[:2])
    accepted, _ = server.accept()
    for each in (connecting, accepted):
        each.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LATE // 2)
    accepted.sendall(b"x" * 1000)
    received = connecting.recv(1000, socket.MSG_WAITALL)
    port = server.getsockname()[1]
probe = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
refused = probe.connect_ex((sys.argv[1], port))
print(json.dumps({"ends": [options(connecting), options(accepted)], "refused": refused, "received": len(received)}))
"""
LATE_BYTES = 300_000  # SO_SNDBUF gives back twice what was asked for


@pytest.fixture(scope="session")
def library() -> Path:
    return clearway_tool("clearway-record").resolve().parents[1] / "lib" / "libclearway-flow.so"


@pytest.fixture(scope="session")
def own_address() -> str:
    """Of the card that leads away from this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError as error:
            pytest.skip(f"this machine has no network: {error}")
        return str(probe.getsockname()[0])


def connect(library: Path, address: str, settings: str | None, flow: str = "on") -> dict[str, object]:
    environment = {"LD_PRELOAD": str(library), "CLEARWAY_FLOW": flow}
    if settings is not None:
        environment["CLEARWAY_FLOW_SOCKETS"] = settings
    outcome = run_command([sys.executable, "-c", _PROGRAM, address], environment={**os.environ, **environment})
    assert outcome.exit_code == 0, outcome.says
    assert not outcome.stderr
    answer: dict[str, object] = json.loads(outcome.stdout)
    assert answer["received"] == 1000
    assert os.strerror(answer["refused"]) == "Connection refused"  # type: ignore[call-overload]
    return answer


def ends(answer: dict[str, object]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = answer["ends"]  # type: ignore[assignment]
    return found


def test_both_ends_have_the_options(library: Path, own_address: str) -> None:
    before = ends(connect(library, own_address, "off"))
    settings = "pace:40mbit,send_buffer:30k,receive_buffer:20k,notsent_lowat:7k,rto_min:60ms,congestion:reno"
    for end, plain in zip(ends(connect(library, own_address, settings)), before, strict=True):
        assert end["send_buffer"] == 60_000  # not what the program asked for later
        assert end["receive_buffer"] == 40_000
        assert end["notsent_lowat"] == 7_000
        assert end["pace"] == 5_000_000
        assert end["congestion"] == "reno"
        assert end["rto_min"] == (None if plain["rto_min"] is None else 60_000)
        assert plain["send_buffer"] == LATE_BYTES


@pytest.mark.parametrize(("settings", "flow"), [("off", "on"), ("rto_min:60ms", "off"), ("nonsense", "on")])
def test_nothing_is_set_where_nothing_is_to_be(library: Path, own_address: str, settings: str, flow: str) -> None:
    bare = ends(connect(library, own_address, "", "off"))
    assert ends(connect(library, own_address, settings, flow)) == bare


def test_loopback_is_left_alone(library: Path) -> None:
    bare = ends(connect(library, "127.0.0.1", "off"))
    assert ends(connect(library, "127.0.0.1", "send_buffer:30k,pace:40mbit,rto_min:60ms")) == bare


def test_a_loss_stalls_shortly_by_default(library: Path, own_address: str) -> None:
    plain = ends(connect(library, own_address, "off"))
    if plain[0]["rto_min"] is None:
        pytest.skip("this kernel has no TCP_RTO_MIN_US (Linux 6.15)")
    for end, before in zip(ends(connect(library, own_address, None)), plain, strict=True):
        assert end.pop("rto_min") == 40_000
        assert before.pop("rto_min") == 200_000
        assert end == before


def test_what_cannot_be_set_does_no_harm(library: Path, own_address: str) -> None:
    bare = ends(connect(library, own_address, "off"))
    assert ends(connect(library, own_address, "congestion:nosuch")) == bare


def test_the_launcher_says_what_is_wrong(tmp_path: Path) -> None:
    record = clearway_tool("clearway-record")
    environment = {**os.environ, "CLEARWAY_FLOW_SOCKETS": "pace:fast"}
    command = [record, "--flow", "--always", "-o", tmp_path / "run", "true"]
    outcome = run_command(command, environment=environment)
    assert outcome.exit_code == 0
    assert outcome.stderr.count("ignoring CLEARWAY_FLOW_SOCKETS, which is not valid: 'pace:fast'") == 1
    assert "hint: pace:20mbit" in outcome.stderr
