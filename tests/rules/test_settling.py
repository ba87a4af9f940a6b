"""No second is counted in two findings."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clearway.diagnosis.rules import Suspicion
from clearway.diagnosis.settle import settle
from clearway.ledger.losses import Losses

LOST = Losses(stall_s=10, transfer_s=20, core_wait_s=5, io_s=0, imbalance_s=3, wait_s=4, blocked_s=1)


def suspicion(confidence: float, **claims: float) -> Suspicion:
    return Suspicion(claims, "", (), confidence)


def test_the_surest_is_served_first() -> None:
    served = settle(
        {
            "a": suspicion(0.5, transfer_s=20),
            "b": suspicion(0.9, transfer_s=15, stall_s=1),
            "c": suspicion(0.9, transfer_s=2),
        },
        LOST,
    )
    assert served == {"b": 16, "c": 2, "a": 3}


def test_what_was_not_lost_cannot_be_claimed() -> None:
    assert settle({"a": suspicion(1.0, io_s=7, stall_s=-2)}, LOST) == {"a": 0}


CAUSES = st.sampled_from(["stall_s", "transfer_s", "core_wait_s", "imbalance_s", "wait_s"])
CLAIMS = st.dictionaries(CAUSES, st.floats(-5, 50), max_size=5)


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=3), st.builds(Suspicion, CLAIMS, st.just(""), st.just(()), st.floats(0, 1))
    )
)
def test_all_together_get_no_more_than_was_lost(suspicions: dict[str, Suspicion]) -> None:
    served = settle(suspicions, LOST)
    assert served.keys() == suspicions.keys()
    assert all(seconds >= 0 for seconds in served.values())
    assert sum(served.values()) <= 10 + 20 + 5 + 3 + 4 + 1e-9
