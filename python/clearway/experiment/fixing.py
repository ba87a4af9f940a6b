"""Record, diagnose, choose remedies: how a job is fixed, up to the comparison that proves it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clearway.diagnosis import diagnose
from clearway.diagnosis.choice import Choice, choices, together
from clearway.errors import ClearwayError
from clearway.experiment.comparison import Comparison
from clearway.experiment.plan import Plan, Variant
from clearway.experiment.runner import Runner
from clearway.launch.change import UNCHANGED
from clearway.page import Page
from clearway.run import load
from clearway.summary import open_case, with_findings

FIRST_RUN = "first-run"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a first run of the job says, and what can be tried."""

    page: Page  # with its findings
    choices: tuple[Choice, ...]

    def expected_gain(self, choice: Choice) -> float | None:
        """As a share of the wall-clock; None where a remedy of the choice promises nothing."""
        gains = [each.expected_gain_s for each in choice]
        known = [gain for gain in gains if gain is not None]
        return sum(known) / self.page.job.wall_s if gains and len(known) == len(gains) else None


def first_run(runner: Runner, run_directory: Path, timeout_s: float | None) -> None:
    """Runs the job as it was typed. Raises ClearwayError where it fails."""
    ran = runner.run(Variant(UNCHANGED), run_directory, timeout_s)
    if ran.fault:
        raise ClearwayError(f"the job, unchanged, {ran.fault}", f"its output is in {run_directory}")


def diagnosis_of(run_directory: Path, wanted: Collection[str] = ()) -> Diagnosis:
    """What is wrong with a recorded job, and the remedies to try (only those of `wanted`, where that names any)."""
    case = open_case(load(run_directory))
    findings = diagnose(case)
    return Diagnosis(with_findings(case, findings), choices(findings, wanted))


def name_of(choice: Choice) -> str:
    return " + ".join(each.id for each in choice)


def proof(plan: Plan, tried: Sequence[Choice], each: bool) -> Plan:
    """`plan` with its variants: the job unchanged, with each choice, and with `each` also with every remedy alone."""
    alone = [(one,) for choice in tried for one in choice if len(choice) > 1] if each else []
    named = {name_of(choice): together(choice) for choice in (*alone, *tried)}
    variants = (Variant(name, change) for name, change in named.items())
    return replace(plan, variants=(Variant(UNCHANGED), *variants))


def promise_and_proof(diagnosis: Diagnosis, comparison: Comparison) -> Iterator[str]:
    """What each choice should have given back, and what it gave: a sentence each."""
    rows = {row.name: row for row in comparison.rows}
    for choice in diagnosis.choices:
        row = rows[name_of(choice)]
        if row.ratio is None or row.ratio_low is None or row.ratio_high is None:
            yield f"{row.name}: nothing is proved."
            continue
        gave = f"{_percent(1 - row.ratio)} ({_percent(1 - row.ratio_high)} to {_percent(1 - row.ratio_low)})"
        expected = diagnosis.expected_gain(choice)
        promise = "nobody could tell before" if expected is None else f"expected were {_percent(expected)}"
        yield f"{row.name} gives back {gave} of the wall-clock; {promise}."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
