"""`tools/papers collapse`: what is varied in the cells where LAM collapses, and what the page tells of it."""

from __future__ import annotations

import pytest
from harness.mpis import REPOSITORY
from measured.circumstances import Circumstances
from papers.collapse import page
from papers.collapse.cells import Cell, cells, point, setup
from papers.collapse.trial import AS_IT_IS, SEEDS, Answer, Trial, trials
from papers.collapse.unknowns import Unknown, Variant, unknowns, with_grid, with_stack, with_step, with_uneven

DOCUMENT = REPOSITORY / "docs/kutzner-unknowns.md"
MADE = Circumstances("2026-11-27", "0123456789", "a processor", 2, "6.1")


def compute_lines(script: str | None) -> list[int]:
    assert script is not None
    return [int(line.split()[1]) for line in script.splitlines() if line.startswith("compute ")]


def test_cells_are_those_of_table_1() -> None:
    assert cells() == [
        Cell(4, 2.7, 3.7, 3.68),
        Cell(8, 1.9, 6.75, 6.43),
        Cell(16, 2.0, 11.2, 10.7),
        Cell(32, 1.9, 14.5, 14.5),
    ]


def test_what_a_step_loses() -> None:
    """By hand: of a second on one CPU, half a second at a speedup of 2, a fifth at 5."""
    assert Cell(4, 2.0, 5.0, 5.0).lost_ms(1e9) == pytest.approx(300)


def test_each_unknown_changes_what_it_says() -> None:
    made = setup(4)
    assert with_stack(tick_ns=7)(made).model.stack.tick_ns == 7
    assert with_step(2)(made).system.serial_ns == 2 * made.system.serial_ns
    assert with_grid(8, 8, 8)(made).system.grid == (8, 8, 8)
    for unknown in unknowns():
        for variant in unknown.variants:
            changed = point(variant.change(made))
            assert changed != point(made), f"{unknown.what}: {variant.value} is what is simulated anyhow"


def test_uneven_ranks_compute_longer_or_shorter() -> None:
    even, uneven = (compute_lines(point(made).script) for made in (setup(4), with_uneven(0.1)(setup(4))))
    factors = [after / before for before, after in zip(even, uneven, strict=True)]
    assert len({round(factor, 3) for factor in factors}) == 4  # one for each rank
    assert min(factors) >= 0.9
    assert max(factors) <= 1.1


def test_trials_have_an_answer_for_each_cell() -> None:
    """On a fast network nobody loses anything, and all seeds agree."""
    quick = [cells()[0]]
    deep = Unknown("buffer", "36 kB", "", (Variant("deep", with_stack(receive_buffer_bytes=1 << 20)),))
    first, second = trials(quick, [deep], None, lambda *_: None)
    assert (first.unknown, second.unknown) == (None, deep)
    for trial in (first, second):
        (answer,) = trial.answers
        assert len(answer.speedups) == len(SEEDS)
        assert 0.5 < answer.speedup < 4


def test_the_page_tells_what_moves_a_cell() -> None:
    cell = Cell(4, 2.0, 4.0, 4.0)
    buffer = Unknown(
        "buffer", "36 kB", "fitted", (Variant("54 kB", AS_IT_IS.change), Variant("72 kB", AS_IT_IS.change))
    )
    tried = [
        Trial(None, AS_IT_IS, (Answer(cell, (1.0, 1.1, 1.2), 3.0),)),
        Trial(buffer, buffer.variants[0], (Answer(cell, (2.4, 2.4, 2.4), 1.0),)),
        Trial(buffer, buffer.variants[1], (Answer(cell, (2.6, 2.6, 2.6), 1.0),)),
    ]
    text = page.document([cell], tried, [buffer], {1.0: [3.5]}, MADE)
    assert "| simulated | 1.10 (1.00–1.20) |" in text
    assert "| buffer (used: 36 kB) | 54 kB | **2.40** | 1 of 1 |" in text
    assert "| buffer (used: 36 kB) | 72 kB | 2.60 | 0 of 1 |" in text
    assert "- 4 CPUs, 2.00 published, 1.10 simulated: is reached with buffer: 54 kB (2.40)\n" in text
    assert "\nAt most 1 of 1 cells are within 25% at once: buffer: 54 kB.\n" in text
    assert "| buffer | 36 kB | fitted | – |" in text
    assert "| 1.31 s | 3.50 |" in text


def test_the_document_has_all_unknowns() -> None:
    """As it was made: tools/papers collapse --markdown docs/kutzner-unknowns.md."""
    text = DOCUMENT.read_text()
    for unknown in unknowns():
        for variant in unknown.variants:
            assert f"| {unknown.what} (used: {unknown.taken}) | {variant.value} |" in text
