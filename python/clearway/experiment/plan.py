"""What is to be compared, and for how long: all that must be known to begin, or to go on after an interruption."""

from __future__ import annotations

from dataclasses import dataclass, field

from clearway.base.errors import ClearwayError
from clearway.experiment.interval import FEWEST
from clearway.experiment.printed_figure import PrintedFigure, pattern_of
from clearway.job.batch_script import BatchScript, read_script
from clearway.job.change import Change


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to run the job."""

    name: str
    change: Change = field(default_factory=Change)
    command: tuple[str, ...] = ()  # in place of the job's; empty: the job's


@dataclass(frozen=True, slots=True)
class Plan:
    """The job, its variants, and when to stop. The first variant is what the others are compared with."""

    command: tuple[str, ...]
    variants: tuple[Variant, ...]
    rounds: int = 10  # at most; in each round every variant runs once
    warm_up: bool = True  # a round before them that does not count
    precision: float = 0.02  # a ratio known to ± this is clear
    budget_s: float | None = None  # of all runs together
    timeout_s: float | None = None  # of one run
    fresh: bool = False  # each run in a copy of the working directory
    seed: int = 0  # of the order within rounds
    testbed: str = ""  # its options; empty: the job runs where its launcher puts it
    price: float | None = None  # of the machine, in any currency
    figure: PrintedFigure | None = None  # of progress, that the job prints
    same_work: bool = False  # in all variants, as the user says
    script: str = ""  # the batch script that `command` names, as it was; empty: `command` is a command line
    line: int = 0  # of the script: where the job is launched, if it launches several

    @property
    def baseline(self) -> Variant:
        return self.variants[0]

    def batch_script(self) -> BatchScript:
        """Raises ClearwayError where it is none, or launches several jobs."""
        return read_script(self.command[0], self.script, self.line)


def checked(plan: Plan) -> Plan:
    """`plan`, if it can be followed. Raises ClearwayError."""
    names = [variant.name for variant in plan.variants]
    twice = next((name for name in names if names.count(name) > 1), None)
    if len(names) < 2:
        raise ClearwayError(
            "no variant to compare the job with", "--vary NAME=A,B, --ranks 1,2,4, --mpi A,B, or --bare"
        )
    if twice is not None:
        raise ClearwayError(f"two variants are called '{twice}'", "give each variant a name of its own")
    check_limits(plan)
    return plan


def check_limits(plan: Plan) -> None:
    """Of rounds and precision, which are known before the variants are. Raises ClearwayError."""
    if plan.rounds < FEWEST:
        raise ClearwayError(
            f"--rounds must be at least {FEWEST}, to tell a difference from chance, not {plan.rounds}",
            f"--rounds {FEWEST}",
        )
    if plan.figure is not None:
        pattern_of(plan.figure.words)
    if not 0 < plan.precision < 1:
        raise ClearwayError(
            f"a precision must be more than 0 and less than 1, not {plan.precision:g}", "--precision 2%"
        )
