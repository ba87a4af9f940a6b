"""Record, diagnose, choose remedies: how a job is fixed, up to the comparison that proves it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from clearway.base import quantities as q
from clearway.base.errors import ClearwayError
from clearway.base.pasted import pasted
from clearway.diagnosis.choose import Choice, asked_of_slurm, choices, together
from clearway.diagnosis.diagnose import Diagnosed, diagnose
from clearway.diagnosis.facts import open_case
from clearway.diagnosis.facts.batch_job import in_slurm
from clearway.diagnosis.facts.speed import has_speed
from clearway.diagnosis.flow_anyway import FLOW, flow_anyway
from clearway.diagnosis.half_the_ranks import HALF, half_the_ranks
from clearway.diagnosis.one_thread_a_core import one_thread_a_core
from clearway.experiment.comparison import Basis, Comparison, Row, Verdict
from clearway.experiment.conclusions import mended
from clearway.experiment.half_shown import what_half_shows
from clearway.experiment.plan import Plan, Variant
from clearway.experiment.runner import OUTPUT, Runner
from clearway.experiment.same_work import WHAT_TO_DO, may_change_work
from clearway.job.agreement import includes
from clearway.job.change import UNCHANGED, Change
from clearway.job.slurm_nodes import features_of
from clearway.page.build import with_findings
from clearway.page.model import Page
from clearway.run import load

FIRST_RUN = "first-run"
OUT_OF_MEMORY = "out-of-memory"  # the finding for which a job fails


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a first run of the job says, and what can be tried."""

    page: Page  # with its findings
    choices: tuple[Choice, ...]
    findings: tuple[Diagnosed, ...]
    unproved: Mapping[str, str] = field(
        default_factory=dict
    )  # remedies that are not tried; by what the work may change
    asked: Choice = ()  # remedies that only a batch script can ask for: tried where each run may be a job of its own
    half_is_pointless: bool = False  # half of the ranks was asked for, and would tell nothing

    def lets_it_end(self) -> bool:
        """Whether a job that failed may do better with what is asked for."""
        return any(each.rule == OUT_OF_MEMORY for each in self.asked)

    def left_out(self) -> Iterator[str]:
        """Which remedies are not tried, and what would let them be."""
        for name, what in self.unproved.items():
            yield f"{name} cannot be compared: the work may have changed with the {what}."
        if self.unproved:
            yield WHAT_TO_DO
        if self.half_is_pointless:
            yield f"{HALF} is not tried: it needs two or more ranks on one machine, each with a core of its own."

    def expected_gain_s(self, choice: Choice) -> float | None:
        """Of wall-clock; None where a remedy of the choice promises nothing, to whichever finding it was offered.

        A remedy may mend several findings; of one finding no more comes back than the best of the choice gives.
        """
        if not choice or not all(self._promised(each.change) for each in choice):
            return None
        made = together(choice)
        return sum(
            max((gain or 0.0 for change, gain in _changes(one) if includes(made, change)), default=0.0)
            for one in self.findings
        )

    def _promised(self, change: Change) -> bool:
        """Pinning promises nothing against other programs, but something where ranks share a core as well."""
        return any(gain is not None and same == change for one in self.findings for same, gain in _changes(one))


def _changes(one: Diagnosed) -> Iterator[tuple[Change, float | None]]:
    """What the remedies of a finding change, and promise."""
    for remedy in one.finding.remedies:
        change = one.offers[remedy.id].change
        if change is not None:
            yield change, remedy.expected_gain_s


def first_run(runner: Runner, run_directory: Path, timeout_s: float | None) -> ClearwayError | None:
    """Runs the job as it was typed. How it failed, if it did."""
    ran = runner.run(Variant(UNCHANGED), run_directory, timeout_s)
    if not ran.fault:
        return None
    why = f"its output is in {run_directory / OUTPUT}"
    if any(run_directory.glob("*.cwr")):  # else the program never started, and there is no page
        why += f"; why it failed: clearway report {pasted(str(run_directory))}"
    return ClearwayError(f"cannot record the unchanged job: it {ran.fault}", why)


def diagnosis_of(
    run_directory: Path, wanted: Collection[str] = (), tells_work: bool = False, half: bool = False
) -> Diagnosis:
    """What is wrong with a recorded job, and the remedies to try (only those of `wanted`, where that names any).

    Where nothing tells how much work the job does, remedies that may change it are left out: they could not be proved.
    `tells_work`: the user named what does. `half`: also half of the ranks; tried anyway where there is nothing else.
    Where cores have two threads each, one thread each is tried besides: nothing else shows which is faster.
    Flow is tried for whoever names it, even if no finding offers it.
    """
    case = open_case(load(run_directory))
    if in_slurm(case):
        case = replace(case, features=features_of(case.run.host_names))
    findings = diagnose(case)
    tells_work = tells_work or has_speed(case)
    unproved = {} if tells_work else _that_may_change_work(findings, wanted)
    triable = [_without(one, unproved) for one in findings]
    tried, asked = choices(triable, wanted), asked_of_slurm(triable, wanted)
    if FLOW in wanted and not any(each.id == FLOW for choice in tried for each in choice):
        steered = flow_anyway(case)
        tried = (*tried, (steered,)) if steered is not None else tried
    one_each = None if wanted else one_thread_a_core(case)
    ranks = half_the_ranks(case, half) if half or not (tried or asked or wanted or one_each) else None
    for question, is_wanted in ((one_each, True), (ranks, half)):
        changed = "" if question is None or tells_work else may_change_work(question.change)
        if question is not None and not changed:
            tried = (*tried, (question,))
        elif question is not None and is_wanted:
            unproved = {**unproved, question.id: changed}
    return Diagnosis(with_findings(case, findings), tried, findings, unproved, asked, half and ranks is None)


def _that_may_change_work(findings: Sequence[Diagnosed], wanted: Collection[str]) -> dict[str, str]:
    offers = [(name, offer) for one in findings for name, offer in one.offers.items() if not wanted or name in wanted]
    return {name: what for name, offer in offers if offer.change and (what := may_change_work(offer.change))}


def _without(one: Diagnosed, names: Collection[str]) -> Diagnosed:
    return replace(one, offers={name: offer for name, offer in one.offers.items() if name not in names})


def name_of(choice: Choice) -> str:
    return " + ".join(each.name for each in choice)


def proof(plan: Plan, tried: Sequence[Choice], each: bool) -> Plan:
    """`plan` with its variants: the job unchanged, with each choice, and with `each` also with every remedy alone.

    Choices that ask for another allocation can only be among them where each run may be a job of its own.
    """
    alone = [(one,) for choice in tried for one in choice if len(choice) > 1] if each else []
    named = {name_of(choice): together(choice) for choice in (*alone, *tried)}
    variants = (Variant(name, change) for name, change in named.items())
    return replace(plan, variants=(Variant(UNCHANGED), *variants))


def promise_and_proof(diagnosis: Diagnosis, comparison: Comparison) -> Iterator[str]:
    """What each choice should have given back, and what it gave: a line each."""
    rows = {row.name: row for row in comparison.rows}
    for choice in (*diagnosis.choices, diagnosis.asked):
        row = rows.get(name_of(choice))
        if row is None:
            continue
        before_s = comparison.baseline.wall_s
        if row.name == HALF:
            yield from what_half_shows(comparison, row)
            continue
        if row in mended(comparison):
            yield f"With {row.name} the job ended well in {row.rounds} of {row.rounds} runs; unchanged it fails."
            continue
        if row.not_compared:
            yield f"{row.name} cannot be compared: {row.not_compared}."
            continue
        if None in (row.ratio_low, row.ratio_high) or row.ratio is None or row.wall_s is None or before_s is None:
            yield f"{row.name}: no gain is proved."
            continue
        in_all = f"{q.seconds(before_s - row.wall_s)} of {q.seconds(before_s)} in all"
        yield f"{what_came_back(row, _of(comparison), in_all)}, {_promise(diagnosis, choice)}."


def what_came_back(row: Row, of: str, in_all: str) -> str:
    """No gain is told as one that was not proved."""
    assert row.ratio is not None and row.ratio_low is not None and row.ratio_high is not None
    back = (1 - row.ratio, 1 - row.ratio_high, 1 - row.ratio_low)
    if row.verdict is Verdict.FASTER:
        return f"{row.name} gives back {_bounded(*back)} of {of}; {in_all}"
    if row.verdict is Verdict.SLOWER:
        return f"{row.name} makes the job slower: {of} takes {_bounded(-back[0], -back[2], -back[1])} more"
    if row.verdict is Verdict.SAME:
        return f"{row.name} gives back nothing that counts: {_bounded(*back)} of {of}"
    return f"It is not clear whether {row.name} gives back anything: {_bounded(*back)} of {of}"


def _bounded(share: float, low: float, high: float) -> str:
    """ "39 % (32 % to 45 %)"."""
    return f"{_percent(share)} ({_percent(low)} to {_percent(high)})"


def _of(comparison: Comparison) -> str:
    """An engine's log tells the time of steps without start-up; a remedy promises part of the whole."""
    if comparison.basis is Basis.FIGURE:
        return f"the time that '{comparison.figure}' gives"
    return "each step" if comparison.basis in (Basis.DAY, Basis.STEP) else "the wall-clock"


def _promise(diagnosis: Diagnosis, choice: Choice) -> str:
    expected_s = diagnosis.expected_gain_s(choice)
    return "no gain was predicted" if expected_s is None else f"{q.seconds(expected_s)} predicted"


def _percent(share: float) -> str:
    return f"{round(100 * share)} %"  # an integer: no "-0 %"
