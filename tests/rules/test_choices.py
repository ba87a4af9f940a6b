"""Which remedies `clearway fix` tries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import pytest

from clearway.diagnosis.choose import choices, together
from clearway.diagnosis.diagnose import Diagnosed
from clearway.diagnosis.finding import Finding, Remedy
from clearway.diagnosis.remedies import Offer, RemedyModule, remedies
from clearway.experiment.fixing import Diagnosis, name_of
from clearway.job.agreement import disagree, includes
from clearway.job.change import Change
from clearway.page.model import Page


def change(word: str) -> Change:
    """`word` says what is set and to what: "buffer=8m"."""
    name, _, value = word.partition("=")
    return Change(environment=((name, value),))


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
    monkeypatch.setattr("clearway.diagnosis.choose.remedies", lambda: known)
    assert "flow" in remedies()  # the real ones stay as they are


def names(findings: list[Diagnosed], *wanted: str) -> list[list[str]]:
    return [[one.id for one in choice] for choice in choices(findings, wanted)]


def promised(findings: list[Diagnosed]) -> float | None:
    tried = choices(findings)
    page = cast(Page, None)  # not looked at
    return Diagnosis(page, tried, tuple(findings)).expected_gain_s(tried[0])


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
    findings = [found("first", 5, {"a": offer("x=1")}), found("second", 1, {"c": offer("x=2")})]
    (choice,) = choices(findings)
    assert together(choice) == change("x=1")
    assert promised(findings) == 5  # what is not applied is not promised


def test_one_remedy_that_sets_two_things_is_taken_for_both() -> None:
    """Larger send buffers do not mend small receive buffers."""
    findings = [found("first", 5, {"a": offer("send=1")}), found("second", 1, {"a": offer("receive=1")})]
    (choice,) = choices(findings)
    assert together(choice) == Change(environment=(("receive", "1"), ("send", "1")))
    assert name_of(choice) == "a (first) + a (second)"
    assert promised(findings) == 6


def test_another_remedy_with_the_same_effect_is_not_taken() -> None:
    findings = [found("first", 5, {"a": offer("x=1")}), found("second", 1, {"c": offer("x=1")})]
    assert names(findings) == [["a"]]
    assert promised(findings) == 6


def test_what_one_finding_is_not_promised_another_may_be() -> None:
    """Pinning ranks of which two share a core, beside another program."""
    findings = [found("first", 5, {"a": offer("x=1", None)}), found("second", 1, {"c": offer("x=1")})]
    assert names(findings) == [["a"]]
    assert promised(findings) == 1
    assert promised([found("first", 5, {"a": offer("x=1", None)}), found("second", 1, {"c": offer("y=1")})]) is None


def test_options_of_one_list_are_joined() -> None:
    send, receive = offer("CLEARWAY_FLOW_SOCKETS=send_buffer:1"), offer("CLEARWAY_FLOW_SOCKETS=receive_buffer:1")
    findings = [found("first", 5, {"a": send}), found("second", 1, {"a": receive})]
    (choice,) = choices(findings)
    assert together(choice) == change("CLEARWAY_FLOW_SOCKETS=receive_buffer:1,send_buffer:1")
    assert promised(findings) == 6


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Change(launcher_options=("--bind-to", "core")), Change(launcher_options=("-bind-to", "none"))),
        (Change(program_options=("-npme", "0")), Change(program_options=("-npme", "2"))),
        (Change(recorder_options=("--flow-algorithm=own",)), Change(recorder_options=("--flow-algorithm=ring",))),
        (Change(parameters=(("btl", "tcp"),)), Change(parameters=(("btl", "self,tcp"),))),
        (Change(ranks=2), Change(ranks=4)),
    ],
)
def test_what_cannot_be_said_at_once(one: Change, other: Change) -> None:
    assert disagree(one, other)
    assert not disagree(one, one)
    assert includes(one, one)
    assert not includes(one, other)
    assert not disagree(one, change("x=1"))
