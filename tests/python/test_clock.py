"""Ticks to seconds, and one axis for many machines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from python.made_runs import Machine, Rank, world, write_all

from clearway.run import load
from clearway.run.clock import fit, machine_lines
from clearway.run.clock_offsets import Bounds, correction
from clearway.run.layout import INSTANT


def instants(*rows: tuple[float, float]) -> np.ndarray:
    """Instants of a 3 GHz counter: (seconds, seconds by which the ticks were read too late)."""
    return np.array([(1000 + round((s + late) * 3e9), 7_000_000_000 + round(s * 1e9), 1) for s, late in rows], INSTANT)


def test_the_rate_comes_from_the_instants() -> None:
    line = fit(instants((0.0, 0.0), (5.0, 0.0), (10.0, 0.0)))
    assert line is not None
    assert line.seconds_per_tick == pytest.approx(1 / 3e9, rel=1e-9)


@pytest.mark.parametrize("rows", [[(0.0, 0.0)], [(0.0, 0.0), (1e-5, 0.0)], [(0.0, 0.0), (9.0, -9.0)]])
def test_no_rate_from_too_little(rows: list[tuple[float, float]]) -> None:
    assert fit(instants(*rows)) is None


def test_a_preempted_reading_moves_nobody() -> None:
    # The second of three processes was preempted for 30 ms between reading its clocks, every time.
    good, late = instants((0.0, 0.0), (10.0, 0.0)), instants((1.0, 0.03), (9.0, 0.03))
    lines, own = machine_lines([good, late, good])
    assert own == [1]
    assert lines[0] == lines[2]
    assert lines[0].seconds_per_tick == pytest.approx(1 / 3e9, rel=1e-9)


def test_a_process_without_a_second_reading_uses_its_neighbours_rate() -> None:
    lines, own = machine_lines([instants((0.0, 0.0), (10.0, 0.0)), instants((4.0, 0.0))])
    assert own == []
    assert lines[1].seconds_per_tick == lines[0].seconds_per_tick


def test_a_run_on_one_machine_has_no_clock_error(tmp_path: Path) -> None:
    write_all(world(4), tmp_path)
    assert load(tmp_path).clock_error_s == 0.0


def test_a_process_that_began_before_its_record(tmp_path: Path) -> None:
    Rank(0, 1, begin_s=0.0, recording_s=2.5, end_s=9.0).write(tmp_path)
    process = load(tmp_path).processes[0]
    assert process["begin_s"] == pytest.approx(0.0)
    assert process["recording_s"] == pytest.approx(2.5)
    assert process["end_s"] == pytest.approx(9.0)


def test_a_believed_start_lies_before_the_record(tmp_path: Path) -> None:
    Rank(0, 1, header={"process_start_monotonic_ns": 2**63}).write(tmp_path)
    assert load(tmp_path).processes["begin_s"][0] == pytest.approx(0.0)


def channel(offset: float, drift: float, height: float, points: int = 500) -> Bounds:
    """Noisy bounds around the line offset + drift * t, none nearer to it than `height`."""
    generator = np.random.default_rng(3)
    at = np.sort(generator.uniform(0, 100, points))
    true = offset + drift * at
    slack = generator.exponential(height * 5, (2, points))
    return Bounds(at, true + height + slack[0], at, true - height - slack[1])


def test_the_line_in_the_middle_of_the_channel() -> None:
    found = correction(channel(-2.5, 3e-5, 20e-6))
    assert found is not None
    ends = np.array([0.0, 100.0])
    assert found.offset_s + found.drift * ends == pytest.approx(-2.5 + 3e-5 * ends, abs=30e-6)
    assert 15e-6 < found.error_s < 60e-6


def test_one_sided_bounds_tell_nothing() -> None:
    both = channel(0.0, 0.0, 1e-5)
    empty = np.empty(0)
    assert correction(Bounds(both.upper_at_s, both.upper_s, empty, empty)) is None


def test_messages_in_both_directions_align_two_machines(tmp_path: Path) -> None:
    far = Machine("node1", "boot-1", realtime_ahead_s=-1.5)
    ranks = [Rank(0, 2, end_s=40.0), Rank(1, 2, end_s=40.0, machine=far)]
    for call in range(100):
        at_s = 1.0 + call * 0.3
        ranks[0].send(1, at_s, at_s + 10e-6)
        ranks[1].receive(0, at_s - 1e-3, at_s + 40e-6)
        ranks[1].send(0, at_s + 0.1, at_s + 0.1 + 10e-6)
        ranks[0].receive(1, at_s + 0.099, at_s + 0.1 + 40e-6)
    write_all(ranks, tmp_path)
    run = load(tmp_path)
    assert run.clock_error_s == pytest.approx(40e-6, rel=0.1)
    assert run.processes["end_s"] == pytest.approx([40.0, 40.0], abs=1e-4)


def test_a_third_machine_is_aligned_through_the_second(tmp_path: Path) -> None:
    # Ranks 0 and 1 exchange messages, ranks 1 and 2 do; 0 and 2 never meet.
    machines = [Machine(f"node{i}", f"boot-{i}", realtime_ahead_s=0.7 * i) for i in range(3)]
    ranks = [Rank(i, 3, machine=machines[i]) for i in range(3)]
    for call in range(20):
        for a, b, at_s in ((0, 1, 1.0 + call * 0.3), (1, 2, 1.1 + call * 0.3)):
            ranks[a].send(b, at_s, at_s + 10e-6)
            ranks[b].receive(a, at_s - 1e-3, at_s + 40e-6)
            ranks[b].send(a, at_s + 0.05, at_s + 0.05 + 10e-6)
            ranks[a].receive(b, at_s + 0.049, at_s + 0.05 + 40e-6)
    write_all(ranks, tmp_path)
    run = load(tmp_path)
    assert run.clock_error_s == pytest.approx(80e-6, rel=0.1)
    assert run.processes["end_s"] == pytest.approx([10.0, 10.0, 10.0], abs=1e-4)
