"""How right an answer is: the arithmetic of the benchmark of drawn faults, on made results."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from causes import results
from causes.answer import Answer, Said
from causes.draw import Draw, Planted
from causes.page import page
from causes.results import Measured, Result, read, result_of
from causes.score import judge
from measured.circumstances import Circumstances

HERE = Circumstances("2026-11-23", "0123456789", "a processor", 2, "6.18.44")
IMBALANCE, LATE_START, LOAD = "load-imbalance", "late-start", "foreign-load"


def fault(kind: str) -> Planted:
    return Planted(kind, "one rank", "always", 0.3, 0.0, 0.1, 0, 0, 0, 1)


def made(*kinds: str) -> Draw:
    return Draw(1, 0, False, "openmpi", "halo", 0, 2, 1, 20, 0.1, 64, tuple(fault(kind) for kind in kinds))


def said(rule: str, share: float, title: str = "") -> Said:
    return Said(rule, title, "", 10 * share, share, 0.9)


def run(wall_s: float, lost_s: float = 0.0, *findings: Said, others_cores: float = 0.0) -> Measured:
    return Measured(wall_s, lost_s, Answer(findings, wall_s, 0.1, 2, 2, others_cores))


def result(*findings: Said, kinds: tuple[str, ...] = ("late-rank",), lost_s: float = 4.0, **more: float) -> Result:
    """Twins of 6 s, and a faulty run of 10 s."""
    faulty = run(10.0, lost_s, *findings, others_cores=more.get("others_cores", 0.0))
    alone = run(8.0, more.get("alone_s", 2.0)) if len(kinds) > 1 else None
    return Result(made(*kinds), HERE, (run(6.0), run(more.get("again_s", 6.0))), alone, faulty)


def test_the_right_one_first() -> None:
    verdict = judge(result(said("blocked", 0.35, "asleep: sleeping"), said("file-wait", 0.2), kinds=("sleeping-rank",)))
    assert (verdict.word, verdict.cost, verdict.cost_near) == ("right first", 0.4, True)


def test_of_work_that_somebody_has_to_do_an_even_load_gives_back_a_part() -> None:
    """Of two ranks the half."""
    verdict = judge(result(said(IMBALANCE, 0.19), said("file-wait", 0.1)))
    assert (verdict.word, verdict.cost, verdict.cost_near) == ("right first", 0.2, True)
    assert not judge(result(said(IMBALANCE, 0.14))).cost_near
    assert not judge(result(said(IMBALANCE, 0.26))).cost_near


def test_the_right_one_second() -> None:
    assert judge(result(said("file-wait", 0.09), said(IMBALANCE, 0.05))).word == "partly"
    assert judge(result(said("file-wait", 0.11), said(IMBALANCE, 0.10))).word == "explained falsely"


def test_nothing_and_something_else() -> None:
    assert judge(result()).word == "missed"
    assert judge(result(said("file-wait", 0.09))).word == "missed"
    assert judge(result(said("file-wait", 0.11))).word == "explained falsely"


def test_a_kind_without_a_finding_is_missed() -> None:
    assert judge(result(kinds=("sleeping-rank",))).word == "missed"
    assert judge(result(said(IMBALANCE, 0.4), kinds=("sleeping-rank",))).word == "explained falsely"


def test_what_an_engine_says_of_itself_is_so_anyway() -> None:
    """Debian's GROMACS was built for older processors, whatever is planted; another program's finding is judged."""
    judged = result(said("slow-build", 0.37), said(IMBALANCE, 0.2))
    assert judge(judged).word == "explained falsely"
    in_gromacs = dataclasses.replace(judged, draw=dataclasses.replace(judged.draw, family="gromacs"))
    assert judge(in_gromacs).word == "right first"


def test_what_was_slow_but_not_why() -> None:
    assert judge(result(said("file-wait", 0.4), kinds=("tiny-writes",))).word == "partly"


def test_one_rule_of_several_faults_goes_by_its_words() -> None:
    interrupted = said("outage", 0.4, "The network between hosts was interrupted, and TCP waits")
    full = said("congestion-loss", 0.4, "The network loses packets, and TCP waits out timeouts")
    assert judge(result(interrupted, kinds=("outage",))).word == "right first"
    assert judge(result(full, kinds=("outage",))).word == "partly"
    assert judge(result(full, kinds=("small-buffer",))).word == "right first"
    assert judge(result(interrupted, kinds=("small-buffer",))).word == "explained falsely"
    assert judge(result(interrupted, kinds=("small-buffer",))).first == "outage"


def test_what_is_so_anyway_is_passed_over() -> None:
    load = said(LOAD, 0.5)
    assert judge(result(load, said(IMBALANCE, 0.4), others_cores=0.15)).word == "right first"
    assert judge(result(load, said(IMBALANCE, 0.4), others_cores=0.01)).word == "explained falsely"
    assert judge(result(load, kinds=(LOAD,), others_cores=0.9)).word == "right first"


def test_a_draw_that_others_disturbed_counts_for_nothing() -> None:
    """Unless that is what was planted."""
    assert judge(result(said(IMBALANCE, 0.35), others_cores=0.3)).word == "undecided"
    assert judge(result(said(LOAD, 0.35), kinds=(LOAD,), others_cores=0.3)).word == "right first"


def test_of_two_both_are_named() -> None:
    both = (LOAD, "fsync")  # each costs 20 %
    named = said(LOAD, 0.2), said("sync-storm", 0.2)
    assert judge(result(*named, kinds=both)).word == "right first"
    assert judge(result(*reversed(named), kinds=both)).word == "right first"
    assert judge(result(named[0], kinds=both)).word == "partly"
    assert judge(result(named[0], said("file-wait", 0.1), named[1], kinds=both)).word == "partly"
    assert judge(result(said("polling", 0.2), *named, kinds=both)).word == "explained falsely"


def test_of_two_one_that_costs_nothing_need_not_be_named() -> None:
    verdict = judge(result(said(LOAD, 0.4), kinds=(LOAD, "fsync"), alone_s=3.9))
    assert (verdict.word, verdict.to_name) == ("right first", (LOAD,))


def test_harmless_and_undecided() -> None:
    verdict = judge(result(said(IMBALANCE, 0.03), lost_s=0.29))
    assert (verdict.word, verdict.first) == ("harmless", IMBALANCE)
    assert judge(result(lost_s=0.29, again_s=6.4)).word == "undecided"
    assert judge(result(said(IMBALANCE, 0.4), again_s=11.0)).word == "undecided"
    assert judge(Result(made("late-rank"), HERE, failed="no such program")).word == "failed"


def test_the_mean_of_both_twins_counts() -> None:
    assert judge(result(again_s=7.0, kinds=("sleeping-rank",))).cost == pytest.approx(0.35)


def test_a_result_is_read_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    every = [result(said(IMBALANCE, 0.35), kinds=(LATE_START, LOAD)), Result(made("lock"), HERE, failed="because")]
    for each in every:
        results.add(each)
    path = results.path_of(1, held_out=False)
    with path.open("a") as file:
        file.write('{"draw": {"se')  # interrupted here
    assert list(read(path)) == every
    assert result_of(json.loads(json.dumps(dataclasses.asdict(every[0])))) == every[0]


def test_the_page_counts_them() -> None:
    lines = list(page([result(said(IMBALANCE, 0.35)), result(), result(said(IMBALANCE, 0.03), lost_s=0.1)]))
    assert {"| draws | 3 |", "| right first | 1 of 2 (50%) |", "| missed | 1 of 2 (50%) |"} <= set(lines)
    assert "| harmless draws with a finding | 1 of 1 (100%) |" in lines
    head = next(line for line in lines if line.startswith("| planted |"))
    row = next(line for line in lines if line.startswith("| `late-rank` |") and line.count("|") == head.count("|"))
    assert (head, row) == ("| planted | load-imbalance | nothing |", "| `late-rank` | **1** | 1 |")
