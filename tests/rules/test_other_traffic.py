"""A card that carries more than the ranks send: only where it is much, and the link is busy with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from rules.network_jobs import GIGABIT_PAYLOAD, Job

from clearway.diagnosis.facts import Case
from clearway.diagnosis.rules import rules

OWN = 200_000_000  # that each of three hosts sends to the others together, and receives


def job(foreign: int, moving_s: float = 8.0, **sending: int) -> Job:
    made = Job(hosts=3, moving_s=moving_s).all_connected(**sending)
    wire = round(OWN * 1538 / 1448 * 1.03)
    for number in range(1, 4):
        made.counted[number] = {"net.eth0.rx_bytes": wire + foreign * (number == 2), "net.eth0.tx_bytes": wire}
    return made


def copied(directory: Path, costs: bool) -> Case:
    """400 MB more reach node2; without cost the ranks move hardly any data."""
    return job(400_000_000, 8.0 if costs else 0.05).case(directory)


def test_bytes_of_others_cost_the_time_that_the_link_takes_for_them(tmp_path: Path) -> None:
    found = rules()["other-traffic"].examine(copied(tmp_path, True))
    assert found is not None
    assert "of what eth0 of node2 receives is not of the ranks' connections" in found.says
    assert found.claims["transfer_s"] == pytest.approx(3 * 4e8 / (GIGABIT_PAYLOAD * 1538 / 1448), rel=0.05)


@pytest.mark.parametrize(
    ("foreign", "moving_s", "sending"),
    [
        (20_000_000, 8.0, {}),
        (120_000_000, 8.0, {}),
        (100_000_000, 8.0, {"total_retrans": 40_000}),
    ],
    ids=["little", "the link has room for both", "sent again"],
)
def test_what_is_no_fault_of_others(foreign: int, moving_s: float, sending: dict[str, int], tmp_path: Path) -> None:
    assert rules()["other-traffic"].examine(job(foreign, moving_s, **sending).case(tmp_path)) is None
