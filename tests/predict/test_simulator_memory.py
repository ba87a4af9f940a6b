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
    assert drops_within(bytes_a_pair, algorithm, calls, buffer_bytes=0) == [0] * calls


def test_a_lost_segment_takes_no_more_memory_while_its_timeout_runs() -> None:
    """Most packets are lost, some of them several times: each end has a lone segment again whenever nothing goes on."""
    [drops] = drops_within(270, "lam", calls=1, buffer_bytes=64_000)
    assert drops > HOSTS**2


def drops_within(bytes_a_pair: int, algorithm: str, calls: int, buffer_bytes: int) -> list[int]:
    """By call. Fails where the simulator needs more memory."""
    told = {"candidate": algorithm, "hosts": HOSTS, "bytes": 1024, "buffer-bytes": buffer_bytes, "calls": calls}
    words = [word for name, value in told.items() for word in (f"--{name}", str(value))]
    limit = HOSTS**2 * bytes_a_pair
    outcome = run_command(["prlimit", f"--data={limit}", clearway_tool("clearway-simulate"), *words], {})
    assert outcome.exit_code == 0, outcome.says
    return [call["drops"] for call in json.loads(outcome.stdout)["calls"]]
