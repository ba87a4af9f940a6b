"""How much memory the simulator needs: it grows with the square of the hosts, so bytes a pair of them count."""

from __future__ import annotations

import json

import pytest
from harness.mpis import clearway_tool
from harness.runs import run_command

HOSTS = 512


@pytest.mark.parametrize(("algorithm", "bytes_a_pair"), [("direct", 165), ("ordered", 140), ("pairwise", 140)])
def test_an_all_to_all_fits_into_so_many_bytes_a_pair(algorithm: str, bytes_a_pair: int) -> None:
    """All at once, each connection has a message under way; in phases nearly all of them rest."""
    limit = HOSTS**2 * bytes_a_pair
    command = [
        clearway_tool("clearway-simulate"),
        "--candidate",
        algorithm,
        "--hosts",
        str(HOSTS),
        "--bytes",
        "1024",
        "--calls",
        "1",
    ]
    outcome = run_command(["prlimit", f"--data={limit}", *command], {})
    assert outcome.exit_code == 0, outcome.says
    (call,) = json.loads(outcome.stdout)["calls"]
    assert call["drops"] == 0
