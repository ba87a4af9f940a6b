"""What of a batch script's own options the tasks of an array get that run it."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.experiment.plan import Plan
from clearway.job.batch_script import extended, read_script
from clearway.job.change import grouped
from clearway.queue.slurm_time import times

RUNS = (
    5  # of the job in a task: a first one that does not count, the unchanged job, and up to three choices of remedies
)
ANOTHERS = {  # of the script's own job: name, output, place in the queue
    *("job-name", "output", "error", "array", "dependency", "mail-type", "mail-user", "wait", "open-mode", "input"),
    *("parsable", "requeue", "no-requeue", "begin", "deadline", "test-only", "wrap", "quiet", "verbose"),
    *("J", "o", "e", "a", "d", "W", "i", "b", "Q", "v"),
}


def options_of(plan: Plan) -> tuple[str, ...]:
    """Nothing where no script is fixed. The time limit is for all runs of a task."""
    if not plan.script:
        return ()
    said = read_script(plan.command[0], plan.script).options()
    kept = [word for group in grouped(said) for word in group if _name(group[0]) not in ANOTHERS]
    return tuple(times(kept, RUNS))


def asked_besides(plan: Plan, options: Sequence[str]) -> tuple[str, ...]:
    """Options of sbatch that a variant asks for, to follow the script's own: what was excluded stays so."""
    if not options or not plan.script:
        return tuple(options)
    return tuple(word for option in grouped(options) for word in extended(plan.script, option))


def _name(option: str) -> str:
    return option[2:].partition("=")[0] if option.startswith("--") else option[1:2]
