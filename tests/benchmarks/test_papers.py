"""`tools/papers`: how deviations are told, which figures come out, and what the document holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness.mpis import REPOSITORY
from harness.runs import Outcome, run_command
from papers import figures, first_answers, notation
from papers.claim import Assumption, Claim, Kind, Null, Paper, Verdict, at_least, exactly
from papers.markdown import Judged, document, row
from papers.point import Call, Point, outcome_of
from papers.point import Outcome as Simulated
from papers.published import find_paper, paper_names
from papers.published.kutzner_2007 import sizes, times
from papers.run import SEEDS, judge, variants, with_value

DOCUMENT = REPOSITORY / "docs/reproduce.md"
QUICK = ("duke-2004", "konerding-2000")
LONG = (pytest.mark.slow, pytest.mark.timeout(1200))


def told(*arguments: str) -> Outcome:
    return run_command([REPOSITORY / "tools/papers", *arguments])


POINT = Point("a place", ("--seed", "1", "--buffer-bytes", "32000"))


def verdict(published: tuple[float, float], *predicted: float, **told: Any) -> Verdict:
    claim = Claim("text", "what", *published, notation.times, (POINT,), lambda _: predicted[0], **told)
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
    assert notation.deviation(verdict(published, predicted)) == told


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
    slow, fast = (Simulated((Call(time, 0, 0),)) for time in (40_000_000, 1_000_000))
    assert figures.deepest_fall([1, 2, 4])([fast, slow, slow]) == pytest.approx(20)  # 1 per ms; 1/20; 1/10
    assert figures.mpi_by_computing([Simulated((Call(100, 0, 0),), (60, 20))]) == pytest.approx(80 / 120)
    assert figures.steepest_fall([1, 2])([clean, Simulated((Call(40_000_000, 0, 0),))]) == pytest.approx(10)


def test_answers_of_the_simulator() -> None:
    told = {"calls": [{"duration_ns": 5, "drops": 2, "timeouts": 1, "resent": 3}], "hops": 9}
    assert outcome_of(told) == Simulated((Call(5, 2, 1),))
    assert outcome_of({"duration_ns": 7, "drops": 1, "timeouts": 0, "hops": 9}) == Simulated((Call(7, 1, 0),))


def test_a_program_on_old_computers() -> None:
    """AMBER 6 on Fast Ethernet: figures of a post of 2000, nothing fitted."""
    paper = find_paper("konerding-2000")
    for each in judge(paper, None, lambda *_: None):
        assert each.is_close, notation.deviation(each)


def test_small_messages_of_kutzner_2007() -> None:
    """The cheap figures come out, and each is told with its kind."""
    cheap = Paper("cheap", "cheap", "", (), (*times.claims()[:4], *sizes.claims()))
    done: list[str] = []
    verdicts = judge(cheap, None, lambda place, _: done.append(place))
    assert len(done) == 3 * len(SEEDS)
    kinds = [each.claim.kind for each in verdicts]
    assert kinds == [Kind.FITTED, Kind.FITTED, Kind.SEEN, Kind.UNCOUNTED, *[Kind.COMPUTED] * 6]
    assert all(abs(each.deviation) < 0.25 for each in verdicts)
    assert "| 1.40 ms |" in document([Judged(cheap, verdicts)])


def test_only_predicted_numbers_count() -> None:
    """A bound, a fitted figure and what follows from other rows are told apart, however well they come out."""
    verdicts = [
        verdict(exactly(2), 2.1, 2.0, 9.0),
        verdict(exactly(2), 3.0),
        verdict(at_least(2), 3.0),
        verdict(exactly(0), 0.0),
        verdict(exactly(2), 2.0, fitted="the buffer"),
        verdict(exactly(2), 2.0, uncounted="follows from the row above"),
        verdict(exactly(2), 2.1, is_unseen=True),
        verdict(at_least(2), 1.0, is_unseen=True),
    ]
    told = (
        "1 of 1 unseen numbers within 15 % · 1 of 2 seen numbers within 15 % · 0 of 1 unseen bounds kept · "
        "2 of 2 seen bounds kept · 1 fitted · 1 not counted"
    )
    assert notation.summary(verdicts) == told
    assert notation.seeds(verdicts[0]) == "2.00× – 9.00×"
    assert notation.told_kind(verdicts[4].claim) == "fitted: the buffer"
    assert [notation.told_kind(each.claim) for each in verdicts[-2:]] == ["unseen", "bound, unseen"]


def test_the_first_answer_to_what_was_unseen_stays(tmp_path: Path) -> None:
    """A model that is changed until it fits gains nothing by that; what was seen counts as it is predicted today."""
    paper = Paper("made", "made", "", (), ())
    wrong, right = (verdict(exactly(2), predicted, is_unseen=True) for predicted in (3.0, 2.0))
    file = tmp_path / "first.json"
    first_answers.keep(first_answers.new_answers(paper, [wrong, verdict(exactly(2), 2.0)], {}), file)
    kept = first_answers.kept(file)
    assert [answer["value"] for answer in kept.values()] == [3.0]
    assert first_answers.new_answers(paper, [right], kept) == {}
    (today,) = first_answers.with_first_answers(paper, [right], kept)
    assert not today.is_close
    assert row(today).endswith("| 2.00× | 3.00× | +50 % |  | unseen; today's model: 2.00× |")


def test_every_unseen_figure_has_its_first_answer() -> None:
    kept = first_answers.kept()
    names = [f"{paper.name}: {claim.where}: {claim.what}"
             for paper in map(find_paper, paper_names()) for claim in paper.claims if claim.is_unseen]  # fmt: skip
    assert sorted(names) == sorted(kept)


def test_null_models_are_counted_on_the_numbers_that_they_speak_of() -> None:
    perfect = (Null("speedup = N", (), lambda _: 4.0),)
    spoken = [verdict(exactly(value), predicted, nulls=perfect) for value, predicted in ((3.9, 3.8), (2.0, 2.1))]
    spoken = [Verdict(each.claim, each.by_seed, (("speedup = N", 4.0),)) for each in spoken]
    assert notation.null_models([*spoken, verdict(exactly(1), 1.0)]) == [("speedup = N", 2, 1, 2)]


def test_an_assumption_is_varied_where_it_was_made() -> None:
    assumption = Assumption("the buffer", "buffer-bytes", 32_000, (16_000,), notation.number)
    elsewhere = Point("another network", ("--seed", "1", "--buffer-bytes", "9"))
    claim = Claim("text", "what", 2, 2, notation.times, (POINT, elsewhere), lambda _: 2.0)
    varied = with_value(claim, assumption, 16_000)
    assert [point.option("buffer-bytes") for point in varied.points] == ["16000", "9"]
    paper = Paper("made", "made", "", (), (claim,), assumptions=(assumption,))
    assert [value for _, value, _ in variants(paper)] == [32_000, 16_000]
    only_bounds = Paper("made", "made", "", (), (verdict(at_least(1), 2.0).claim,), assumptions=(assumption,))
    assert all(not claims for *_, claims in variants(only_bounds))


def test_the_document_holds_all_figures() -> None:
    """As it was made: tools/papers all --markdown docs/reproduce.md."""
    text = DOCUMENT.read_text()
    for paper in map(find_paper, paper_names()):
        for claim in paper.claims:
            row = next(line for line in text.splitlines() if f"| {claim.what} | {notation.published(claim)} |" in line)
            assert row.removesuffix(" |").partition("; today's model")[0].endswith(f"| {notation.told_kind(claim)}")


@pytest.mark.parametrize("name", [name if name in QUICK else pytest.param(name, marks=LONG) for name in paper_names()])
def test_the_document_is_what_is_simulated(name: str) -> None:
    text = DOCUMENT.read_text()
    paper = find_paper(name)
    verdicts = judge(paper, None, lambda *_: None)
    for each in first_answers.with_first_answers(paper, verdicts, first_answers.kept()):
        assert row(each) in text.splitlines()


def test_command() -> None:
    listed = told("list")
    assert listed.exit_code == 0, listed.says
    assert "kutzner-2007" in listed.stdout
    unknown = told("kutzner-2077")
    assert unknown.exit_code == 1
    assert unknown.stderr == f"error: there is no paper 'kutzner-2077'\n\nhint: one of: {', '.join(paper_names())}\n"
