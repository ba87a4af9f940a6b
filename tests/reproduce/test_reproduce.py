"""`clearway reproduce`: how deviations are told, which figures come out, and what the document holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.command_line import run_clearway
from harness.mpis import REPOSITORY
from harness.outcome import Outcome

from clearway.reproduce import figures, words
from clearway.reproduce.claim import Claim, Paper, Verdict, at_least, exactly
from clearway.reproduce.markdown import document
from clearway.reproduce.papers import find_paper, paper_names
from clearway.reproduce.papers.kutzner_2007 import sizes, times
from clearway.reproduce.point import Call, outcome_of
from clearway.reproduce.point import Outcome as Simulated
from clearway.reproduce.run import judge

DOCUMENT = REPOSITORY / "docs/reproduce.md"


def reproduce(*arguments: str | Path) -> Outcome:
    return run_clearway("reproduce", *arguments)


def verdict(published: tuple[float, float], predicted: float, fitted: str | None = None) -> Verdict:
    claim = Claim("text", "what", *published, words.times, (), lambda _: predicted, fitted)
    return Verdict(claim, predicted)


@pytest.mark.parametrize(
    ("published", "predicted", "told"),
    [
        (exactly(2), 2.0, "0 %"),
        (exactly(2), 2.3, "+15 %"),
        (exactly(2), 1.5, "-25 %"),
        (at_least(10), 200.0, "0 %"),
        (at_least(10), 5.0, "-50 %"),
        ((200, 250), 240.0, "0 %"),
        ((200, 250), 300.0, "+20 %"),
        (exactly(0), 3.0, "–"),
    ],
)
def test_deviations(published: tuple[float, float], predicted: float, told: str) -> None:
    assert words.deviation(verdict(published, predicted)) == told


def test_figures_of_outcomes() -> None:
    """Two calls, by hand: 1 ms and 3 ms, the second with a loss; four ranks send 2^20 bytes to each other."""
    clean, lossy = (Simulated((Call(1_000_000, 0, 0), Call(3_000_000, drops, 0))) for drops in (0, 7))
    stalled = Simulated((Call(1_000_000, 0, 0), Call(204_000_000, 1, 1), Call(208_000_000, 1, 1)))
    assert figures.call_ms([clean]) == 2.0
    assert figures.throughput_mib_per_s(4, 1 << 20)([clean]) == pytest.approx(1500)
    assert figures.ratio_of_times([clean, Simulated((Call(5_000_000, 0, 0),))]) == 2.5
    assert figures.drops([clean, lossy, lossy]) == 14
    assert figures.largest_without_loss([1, 2, 4])([clean, clean, lossy]) == 2
    assert figures.largest_without_loss([1, 2, 4])([lossy, clean, clean]) == 0
    assert figures.largest_without_loss([1, 2, 4])([clean, clean, clean]) == 4
    assert figures.stalled_ms([stalled]) == 206
    assert figures.ratio_of_speeds([Simulated((Call(5_000_000, 0, 0),)), clean]) == 2.5
    assert figures.speedup(8_000_000, 3)([Simulated((Call(12_000_000, 0, 0),))]) == 2
    assert figures.step_ms(3)([Simulated((Call(12_000_000, 0, 0),))]) == 4
    assert figures.steepest_fall([1, 2])([clean, Simulated((Call(40_000_000, 0, 0),))]) == pytest.approx(10)


def test_answers_of_the_simulator() -> None:
    told = {"calls": [{"duration_ns": 5, "drops": 2, "timeouts": 1, "resent": 3}], "hops": 9}
    assert outcome_of(told) == Simulated((Call(5, 2, 1),))
    assert outcome_of({"duration_ns": 7, "drops": 1, "timeouts": 0, "hops": 9}) == Simulated((Call(7, 1, 0),))


def test_a_program_on_old_computers() -> None:
    """AMBER 6 on Fast Ethernet: figures of a post of 2000, nothing fitted."""
    paper = find_paper("konerding-2000")
    for each in judge(paper, None, lambda *_: None):
        assert each.is_close, words.deviation(each)


def test_small_messages_of_kutzner_2007() -> None:
    """The cheap figures come out, and each is told with its kind."""
    cheap = Paper("cheap", "cheap", "", (), (*times.claims()[:4], *sizes.claims()))
    done: list[str] = []
    verdicts = judge(cheap, None, lambda place, _: done.append(place))
    assert len(done) == 3
    assert [words.kind(each) for each in verdicts] == ["fitted"] * 2 + ["predicted"] * 2 + ["computed"] * 6
    assert all(abs(each.deviation) < 0.25 for each in verdicts)
    assert "| 1.40 ms |" in document([(cheap, verdicts)])


def test_the_document_holds_all_figures() -> None:
    """As it was made: clearway reproduce all --markdown docs/reproduce.md."""
    text = DOCUMENT.read_text()
    for paper in map(find_paper, paper_names()):
        for claim in paper.claims:
            assert f"| {claim.where} | {claim.what} | {words.published(claim)} |" in text


def test_command() -> None:
    listed = reproduce("list")
    assert listed.exit_code == 0, listed.says
    assert "kutzner-2007" in listed.stdout
    unknown = reproduce("kutzner-2077")
    assert unknown.exit_code == 1
    assert unknown.stderr == f"error: there is no paper 'kutzner-2077'\n\nhint: one of: {', '.join(paper_names())}\n"
