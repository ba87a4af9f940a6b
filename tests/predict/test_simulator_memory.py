"""How much memory the simulator needs: it grows with the square of the hosts, so bytes a pair of them count."""

from __future__ import annotations

import json

import pytest
from harness.mpis import clearway_tool
from harness.runs import run_command

HOSTS = 512


@pytest.mark.parametrize(
    ("algorithm", "calls", "bytes_a_pair"),
    [("direct", 1, 165), ("direct", 3, 295), ("lam", 5, 295), ("ordered", 1, 140), ("pairwise", 1, 140)],
)
def test_an_all_to_all_fits_into_so_many_bytes_a_pair(algorithm: str, calls: int, bytes_a_pair: int) -> None:
    """All at once, each connection has a message under way, and from the second call on an unacknowledged one besides;
    in phases nearly all of them rest.
    """
    limit = HOSTS**2 * bytes_a_pair
    command = [
        clearway_tool("clearway-simulate"),
        "--candidate",
        algorithm,
        "--hosts",
        str(HOSTS),
        "--bytes",
        "1024",
        "--buffer-bytes",
        "0",
        "--calls",
        str(calls),
    ]
    outcome = run_command(["prlimit", f"--data={limit}", *command], {})
    assert outcome.exit_code == 0, outcome.says
    assert [call["drops"] for call in json.loads(outcome.stdout)["calls"]] == [0] * calls
