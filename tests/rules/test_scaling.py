"""Whether fewer ranks would be as fast, from Runs on several numbers of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from rules.host_jobs import MadeHost, case_of, ranks_on

from clearway.commands import main
from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import fewer_ranks
from clearway.diagnosis.rules import scaling_breakdown


def run_on(directory: Path, ranks: int, wall_s: float, program: str = "md", computing_s: float = 0.0) -> Case:
    """Ranks share 8 s of computing, as far as there is time; the rest is spent in moving data."""
    world = ranks_on(MadeHost(), per_host=ranks)
    for rank in world:
        rank.end_s = wall_s
        rank.fact("process.program", f"/usr/bin/{program}")
        rank.collective("MPI_Alltoall", computing_s or min(8 / ranks, 0.9 * wall_s), wall_s)
    return case_of(world, directory / f"on{ranks}", MadeHost())


def beside(directory: Path, walls_s: Sequence[tuple[int, float]]) -> Case:
    first, *others = [run_on(directory, ranks, wall_s) for ranks, wall_s in walls_s]
    return replace(first, others=others)


def test_ranks_time_that_bought_nothing(tmp_path: Path) -> None:
    found = scaling_breakdown.examine(beside(tmp_path, [(8, 10.0), (4, 10.0), (2, 18.0)]))
    assert found is not None
    assert sum(found.claims.values()) == pytest.approx(8 * 10.0 - 4 * 10.0)
    assert found.claims["transfer_s"] == pytest.approx(40.0)
    assert "on 2 ranks" in {each.what for each in found.evidence}


def test_no_more_is_claimed_than_was_lost(tmp_path: Path) -> None:
    found = scaling_breakdown.examine(beside(tmp_path, [(8, 10.0), (1, 5.0)]))
    assert found is not None
    assert sum(found.claims.values()) == pytest.approx(8 * 9.0)


def test_runs_that_differ_by_chance_say_nothing(tmp_path: Path) -> None:
    on_8, on_4 = (run_on(tmp_path, ranks, 10.0 - 0.01 * ranks, computing_s=5.0) for ranks in (8, 4))
    assert scaling_breakdown.examine(replace(on_8, others=[on_4])) is None


def test_a_run_that_is_hardly_faster_is_not_advised(tmp_path: Path) -> None:
    finding = Finding("small-messages", "", "", 5.0, 0.5, (), (), 0.9)
    for fewer_s, advised in ((9.9, False), (8.0, True)):
        case = beside(tmp_path / str(fewer_s), [(2, 10.0), (1, fewer_s)])
        offer = fewer_ranks.offer(case, finding)
        assert (offer is not None) == advised
        assert offer is None or offer.what == "use 1 rank"


def test_more_ranks_that_pay_are_no_finding(tmp_path: Path) -> None:
    assert scaling_breakdown.examine(beside(tmp_path, [(8, 10.0), (4, 11.0)])) is None


def test_larger_runs_say_nothing_about_this_one(tmp_path: Path) -> None:
    assert scaling_breakdown.examine(beside(tmp_path, [(4, 10.0), (8, 9.0)])) is None
    assert scaling_breakdown.examine(run_on(tmp_path / "alone", 4, 10.0)) is None


def test_the_page_of_a_run_beside_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    beside(tmp_path, [(8, 10.0), (4, 10.0)])
    assert main(["report", str(tmp_path / "on8"), str(tmp_path / "on4")]) == 0
    assert "fewer ranks would be as fast" in capsys.readouterr().out
    assert main(["report", str(tmp_path / "on8")]) == 0
    assert "fewer ranks would be as fast" not in capsys.readouterr().out


def test_runs_of_different_programs_are_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_on(tmp_path, 8, 10.0)
    run_on(tmp_path / "other", 4, 10.0, "relax")
    assert main(["report", str(tmp_path / "on8"), str(tmp_path / "other" / "on4")]) == 1
    assert "cannot compare different programs: " in capsys.readouterr().err
