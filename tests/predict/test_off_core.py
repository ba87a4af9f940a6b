"""What calls took because another rank of the same message or collective was without a core."""

from __future__ import annotations

import numpy as np

from clearway.ledger.again.off_core import held_off_core
from clearway.run.pairing import Collectives, Messages

NONE = np.empty(0, np.int64)


def collective(*events: int) -> Collectives:
    one = np.ones(1, np.bool_)
    zero = np.zeros(1, np.int32)
    return Collectives(np.array(events), np.array([0, len(events)]), zero, zero, one, one)


def test_a_member_without_a_core_holds_the_others() -> None:
    """The longest counts, of the other members alone; one of whom no call is kept counts for nobody."""
    ready_s, exit_s = np.zeros(3), np.ones(3)
    core_wait_s = np.array([0.0, 0.3, 0.1])
    call_of = np.array([0, 1, 2, -1])
    found = collective(0, 1, 2, 3)
    held_s, holder = held_off_core(Messages(NONE, NONE), found, call_of, ready_s, exit_s, core_wait_s, core_wait_s)
    assert held_s.tolist() == [0.3, 0.1, 0.3]
    assert holder.tolist() == [1, 2, 1]


def test_either_end_of_a_message_holds_the_other_while_both_are_ready() -> None:
    """The receiver came 0.75 s later, and the sender left 0.25 s after that: more it cannot have been held."""
    ready_s, exit_s, core_wait_s = np.array([0.0, 0.75]), np.array([1.0, 2.0]), np.array([0.5, 0.125])
    sent = Messages(np.array([0]), np.array([1]))
    held_s, holder = held_off_core(sent, collective(0), np.array([0, 1]), ready_s, exit_s, core_wait_s, core_wait_s)
    assert held_s.tolist() == [0.125, 0.25]
    assert holder.tolist() == [1, 0]


def test_where_nothing_is_recorded_nobody_is_held() -> None:
    empty = np.empty(0)
    collectives = Collectives(NONE, np.zeros(1, np.int64), *(np.empty(0, np.int32),) * 2, *(np.empty(0, np.bool_),) * 2)
    held_s, _ = held_off_core(Messages(NONE, NONE), collectives, NONE, empty, empty, empty, empty)
    assert len(held_s) == 0


def test_a_rank_may_have_been_held_by_what_counts_as_its_own_waiting() -> None:
    """The first one's run delay is more than what the ledger could not take for waiting; the second one left sooner."""
    ready_s, exit_s = np.zeros(2), np.array([1.0, 0.125])
    core_wait_s, run_delay_s = np.array([0.25, 0.0]), np.array([0.75, 0.0])
    found = collective(0, 1)
    call_of = np.array([0, 1])
    held_s, holder = held_off_core(Messages(NONE, NONE), found, call_of, ready_s, exit_s, core_wait_s, run_delay_s)
    assert held_s.tolist() == [0.5, 0.125]
    assert holder.tolist() == [0, 0]
