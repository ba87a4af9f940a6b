"""Which remedies `clearway fix` tries."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from clearway.diagnosis import Diagnosed
from clearway.diagnosis.choice import choices, together
from clearway.finding import Finding, Remedy
from clearway.launch.change import Change
from clearway.remedies import Offer, RemedyModule, remedies


def change(word: str) -> Change:
    return Change(environment=(("WORD", word),))


def found(rule: str, cost_s: float, offers: Mapping[str, Offer]) -> Diagnosed:
    shown = tuple(
        Remedy(name, "", "", offer.needs_root, True, None if offer.gain is None else offer.gain * cost_s, "")
        for name, offer in offers.items()
    )
    return Diagnosed(Finding(rule, "", "", cost_s, cost_s / 10, (), shown, 1.0), dict(offers))


def offer(word: str, gain: float | None = 1.0, needs_root: bool = False) -> Offer:
    return Offer("", "", gain, None if needs_root else change(word), "sudo" if needs_root else "", needs_root)


@pytest.fixture(autouse=True)
def three_of_which_two_exclude_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    class Known:
        def __init__(self, *excludes: str) -> None:
            self.EXCLUDES = frozenset(excludes)

    known: dict[str, RemedyModule] = {"a": Known("b"), "b": Known(), "c": Known()}  # type: ignore[dict-item]
    monkeypatch.setattr("clearway.diagnosis.choice.remedies", lambda: known)
    assert "flow" in remedies()  # the real ones stay as they are


def names(findings: list[Diagnosed], *wanted: str) -> list[list[str]]:
    return [[one.id for one in choice] for choice in choices(findings, wanted)]


def test_the_smallest_of_each_finding_together() -> None:
    findings = [found("first", 5, {"a": offer("a"), "c": offer("x")}), found("second", 1, {"c": offer("c")})]
    assert names(findings) == [["a", "c"]]


def test_alternatives_are_tried_beside_each_other() -> None:
    findings = [found("first", 5, {"a": offer("a"), "b": offer("b")}), found("second", 1, {"c": offer("c")})]
    assert names(findings) == [["a", "c"], ["b", "c"]]
    assert names(findings, "b") == [["b"]]


def test_what_promises_nothing_is_no_alternative() -> None:
    assert names([found("first", 5, {"a": offer("a"), "b": offer("b", None)})]) == [["a"]]


def test_a_later_finding_takes_what_goes_with_the_first() -> None:
    findings = [found("first", 5, {"a": offer("a")}), found("second", 1, {"b": offer("b"), "c": offer("c")})]
    assert names(findings) == [["a", "c"]]


def test_one_remedy_for_two_findings_is_taken_once() -> None:
    assert names([found("first", 5, {"a": offer("a")}), found("second", 1, {"a": offer("a")})]) == [["a"]]


def test_what_needs_root_is_not_tried() -> None:
    assert names([found("first", 5, {"a": offer("a", needs_root=True)})]) == []


def test_of_two_words_for_one_thing_that_for_the_costlier_finding_stays() -> None:
    findings = [found("first", 5, {"a": offer("a")}), found("second", 1, {"c": offer("c")})]
    assert together(choices(findings)[0]) == change("a")
