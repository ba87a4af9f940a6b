"""Connecting a socket that needs no connection asks the kernel nothing; connections are recorded all the same."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.programs import ProgramBuilder


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("way", ["udp", "again"])
def test_only_connections_are_looked_at(
    way: str, port: int, record: Callable[..., Any], programs: ProgramBuilder
) -> None:
    """Also one on a descriptor that was no connection's, and that changed hands behind the recorder's back."""
    source = Path(__file__).parent / "connects.c"
    program = programs.build_plain("connects", str(source), flags=("-rdynamic",))
    result = record(program, way, str(port))
    assert result.outcome.exit_code == 0, result.outcome.says
    assert result.outcome.stdout.split() == ["0"]
    ports = [int(cell["peer_port"]) for cell in result.run.sockets.data]
    assert ports == ([port] if way == "again" else [])
