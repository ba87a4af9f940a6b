"""What tables and pictures make of a Schedule."""

from __future__ import annotations

import pytest
from schedule.schedules import schedule

from clearway.schedule.model import phase_name
from clearway.schedule.pattern import pattern
from clearway.schedule.text_picture import draw


@pytest.mark.parametrize(
    ("algorithm", "sizes", "rules"),
    [
        ("ordered", [1] * 5, ["r → r + 1", "r → r + 2", "r → r + 3", "r → r + 4"]),
        ("pairwise", [1] * 4, ["r ↔ r xor 1", "r → r + 2", "r ↔ r xor 3"]),
        ("pairwise", [1] * 3, ["1↔2", "0↔1", "0↔2"]),
        ("node_ordered", [2, 2, 2], ["inside hosts", "host h → h + 1", "host h → h + 2"]),
        ("hierarchical", [2, 1, 3], ["inside hosts", "host h → h + 1", "host h → h + 2", "inside hosts"]),
        ("lam", [4], ["all to all"]),
        ("direct", [1], ["nobody"]),
    ],
)
def test_rules_of_phases(algorithm: str, sizes: list[int], rules: list[str]) -> None:
    made = schedule(algorithm, *sizes)
    assert [pattern(made.sends_in(phase), made.request.hosts) for phase in range(len(made.phases))] == rules


def test_pairs_without_a_rule_are_listed() -> None:
    made = schedule("recursive_doubling", 1, 1, 1, 1, 1, operation="allgather")
    assert pattern(made.sends_in(0), made.request.hosts) == "0→1"
    assert pattern(made.sends_in(1), made.request.hosts) == "1↔2  3↔4"


def test_arrows_never_touch_or_leave_the_ranks() -> None:
    """Each lane of the drawing is a row of whole arrows, and there are as many as pairs that talk."""
    made = schedule("ordered", 1, 2, 3, 1)
    lines = draw(made, 98, 99)
    assert lines is not None
    drawn = "\n".join(lines)
    pairs = [{tuple(sorted((s.sender, s.receiver))) for s in made.sends_in(p)} for p in range(len(made.phases))]
    heads = sum(drawn.count(head) for head in "●◀▶")
    assert heads == 2 * sum(len(each) for each in pairs)
    assert max(map(len, lines)) <= 98


def test_no_picture_where_it_does_not_fit() -> None:
    assert draw(schedule("ordered", *[1] * 17), 500, 99) is None
    assert draw(schedule("ordered", *[1] * 12), 20, 99) is None


def test_one_rank_has_no_picture() -> None:
    assert draw(schedule("ordered", 1), 80, 99) == []


def test_phases_have_letters_while_there_are_any() -> None:
    assert [phase_name(phase, 26) for phase in (0, 25)] == ["A", "Z"]
    assert phase_name(26, 27) == "27"
