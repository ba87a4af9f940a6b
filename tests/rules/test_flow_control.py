"""flow-control: stalls over cards that say that they do not take part, where Clearway cannot order the traffic."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import SegmentKind
from rules.network_jobs import GIGABIT, Job

from clearway.diagnosis.facts import Case
from clearway.diagnosis.rules import rules

OFF = {**GIGABIT, "rx_pause": "off", "tx_pause": "off", "pause_autoneg": "on"}
ON = {**GIGABIT, "rx_pause": "on", "tx_pause": "on", "pause_autoneg": "on"}


def stalled(directory: Path, cards: dict[str, str], function: str = "MPI_Allreduce") -> Case:
    job = Job(function=function, cards={"eth0": cards})
    ticks = job.ranks[0].machine.ticks
    begin, end = ticks(2.0), ticks(4.0)
    job.connect(0, 1, stall_ticks=end - begin, stalls=1, total_rto=2)
    job.ranks[0].add(SegmentKind.STALLS, socket=0, timeouts=2, begin_ticks=begin, end_ticks=end)
    return job.case(directory)


def test_loss_over_cards_without_flow_control(tmp_path: Path) -> None:
    case = stalled(tmp_path, OFF)
    found = rules()["flow-control"].examine(case)
    assert found is not None
    assert case.losses.stall_s == pytest.approx(4.0)  # both ranks stood still for 2 s
    assert found.claims["stall_s"] == pytest.approx(4.0)
    loss = rules()["congestion-loss"].examine(case)
    assert loss is not None and found.confidence > loss.confidence


def test_what_can_be_ordered_is_left_to_congestion_loss(tmp_path: Path) -> None:
    assert rules()["flow-control"].examine(stalled(tmp_path, OFF, "MPI_Alltoall")) is None


@pytest.mark.parametrize("cards", [ON, GIGABIT])
def test_cards_that_take_part_or_cannot_tell(cards: dict[str, str], tmp_path: Path) -> None:
    assert rules()["flow-control"].examine(stalled(tmp_path, cards)) is None
