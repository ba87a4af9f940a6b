"""The replay of recorded calls (native/job_replay/) against what its description says, on jobs drawn at random."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clearway.ledger.again.calls import JobCalls
from clearway.ledger.again.needs import Rows
from clearway.ledger.again.replay import Durations, Replayed, replay
from clearway.ledger.timelines import DOING

EACH_S = st.floats(0.0, 2.0)


def rows(lists: list[list[int]]) -> Rows:
    return Rows(np.cumsum([0, *map(len, lists)]), np.array([one for each in lists for one in each], np.int64))


def job(
    calls_of: list[int],
    needs: list[list[int]],
    meetings: list[list[int]],
    kept_wait_s: list[float],
    clock_s: list[float],
) -> JobCalls:
    """Every process in one stretch, which begins at its `clock_s`."""
    count, first = sum(calls_of), np.cumsum([0, *calls_of])
    nothing, zeros = np.zeros(count), np.zeros(count, np.int64)
    begins, clocks_s = np.zeros(count, np.bool_), np.zeros(count)
    for process, at in enumerate(first[:-1]):
        if calls_of[process]:
            begins[at], clocks_s[at] = True, clock_s[process]
    return JobCalls(
        process=np.repeat(np.arange(len(calls_of)), calls_of),
        function=zeros,
        comm=zeros,
        bytes=zeros,
        first=first,
        begins=begins,
        clock_s=clocks_s,
        covered_s=np.zeros(len(calls_of)),
        open_s=np.zeros(len(calls_of)),
        outside_s=np.zeros((count, len(DOING))),
        transfer_s=nothing,
        undivided_s=nothing,
        held_s=nothing,
        stall_s=nothing,
        core_wait_s=nothing,
        off_core_s=nothing,
        off_core=zeros,
        kept_wait_s=np.array(kept_wait_s),
        all_meet=np.zeros(count, np.bool_),
        rounds=(zeros, zeros),
        needs=rows(needs),
        meetings=rows(meetings),
        whole=True,
    )


def taking(before_s: list[float], transfer_s: list[float]) -> Durations:
    count = len(before_s)
    outside_s = np.zeros((count, len(DOING)))
    outside_s[:, DOING.index("compute")] = before_s
    return Durations(outside_s, np.array(transfer_s), np.zeros(count), np.zeros(count))


def as_described(calls: JobCalls, durations: Durations) -> Replayed:
    """Entries are put later until no call has to wait any longer."""
    before_s = durations.outside_s.sum(axis=1)
    entry_s, wait_s, end_s = np.zeros(len(calls)), np.zeros(len(calls)), np.zeros(calls.processes)
    meetings = np.split(calls.meetings.values, calls.meetings.first[1:-1]) if len(calls.meetings) else []
    needs = np.split(calls.needs.values, calls.needs.first[1:-1]) if len(calls) else []
    for _ in range(len(calls) + 1):
        for process in range(calls.processes):
            now_s = 0.0
            for call in range(calls.first[process], calls.first[process + 1]):
                now_s = (calls.clock_s[call] if calls.begins[call] else now_s) + before_s[call]
                entry_s[call] = now_s
                others = [
                    entry_s[meetings[need - len(calls)]].max() if need >= len(calls) else entry_s[need]
                    for need in needs[call]
                ]
                wait_s[call] = max([0.0, *(other - now_s for other in others)]) + calls.kept_wait_s[call]
                now_s += wait_s[call] + durations.transfer_s[call]
            end_s[process] = now_s
    return Replayed(wait_s, end_s)


@st.composite
def jobs(draw: st.DrawFn) -> tuple[JobCalls, Durations]:
    """Whose needs go to earlier calls alone, in an order that some job may have had: there is no circle."""
    calls_of = draw(st.lists(st.integers(0, 6), min_size=1, max_size=5))
    first = np.cumsum([0, *calls_of])
    owner = np.repeat(np.arange(len(calls_of)), calls_of)
    count = sum(calls_of)
    order = draw(st.permutations(owner.tolist()))
    at, turn = first[:-1].tolist(), [0] * count  # when each call had its turn
    for number, process in enumerate(order):
        turn[at[process]] = number
        at[process] += 1
    needs: list[list[int]] = [[] for _ in range(count)]
    meetings: list[list[int]] = []
    for call in range(count):
        earlier = [other for other in range(count) if turn[other] < turn[call] and owner[other] != owner[call]]
        if earlier:
            needs[call] = draw(st.lists(st.sampled_from(earlier), max_size=3))
            members = draw(st.lists(st.sampled_from(earlier), unique=True, max_size=4))
            if len(members) > 1:
                meetings.append([*members, call] if draw(st.booleans()) else members)
                needs[call].append(count + len(meetings) - 1)
    times = st.lists(EACH_S, min_size=count, max_size=count)
    clock_s = draw(st.lists(EACH_S, min_size=len(calls_of), max_size=len(calls_of)))
    return job(calls_of, needs, meetings, draw(times), clock_s), taking(draw(times), draw(times))


@settings(deadline=None)
@given(jobs())
def test_is_what_its_description_says(drawn: tuple[JobCalls, Durations]) -> None:
    calls, durations = drawn
    replayed, expected = replay(calls, durations), as_described(calls, durations)
    assert replayed.wait_s == pytest.approx(expected.wait_s, abs=1e-9)
    assert replayed.end_s == pytest.approx(expected.end_s, abs=1e-9)


def test_a_circle_ends() -> None:
    """Two calls that each need what the other enters after it: clocks that differ may tell so."""
    calls = job([2, 2], [[3], [], [1], []], [], [0.0] * 4, [0.0, 0.0])
    replayed = replay(calls, taking([1.0, 1.0, 2.0, 1.0], [0.5] * 4))
    assert replayed.wait_s.tolist() == [0.0, 0.0, 0.5, 0.0]  # the first goes on
    assert replayed.end_s.tolist() == [3.0, 4.5]


def test_members_of_a_circle_do_not_wait_for_each_other_for_ever() -> None:
    """A meeting at which somebody comes only after another has gone on from it."""
    calls = job([2, 2], [[4], [], [5], []], [[0, 3], [2, 1]], [0.0] * 4, [0.0, 0.0])
    replayed = replay(calls, taking([1.0] * 4, [0.0] * 4))
    assert np.isfinite(replayed.end_s).all() and replayed.end_s.min() >= 2.0


def test_without_calls() -> None:
    replayed = replay(job([0, 0], [], [], [], [0.0, 0.0]), taking([], []))
    assert replayed.wait_s.tolist() == [] and replayed.end_s.tolist() == [0.0, 0.0]
