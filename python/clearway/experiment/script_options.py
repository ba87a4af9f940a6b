"""What of a batch script's own options the tasks of an array get that run it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from clearway.experiment.plan import Plan
from clearway.job.batch_script import BatchScript, all_extended
from clearway.job.change import grouped
from clearway.queue.slurm_time import times

RUNS = (
    5  # of the job in a task: a first one that does not count, the unchanged job, and up to three choices of remedies
)
ANOTHERS = {  # of the script's own job: name, output, place in the queue
    *("job-name", "output", "error", "array", "dependency", "mail-type", "mail-user", "wait", "open-mode", "input"),
    *("parsable", "requeue", "no-requeue", "begin", "deadline", "test-only", "wrap", "quiet", "verbose", "hold"),
    *("signal",),  # for the script's traps, at its own time limit
    *("J", "o", "e", "a", "d", "W", "i", "b", "Q", "v", "H"),
}


def options_of(plan: Plan) -> tuple[str, ...]:
    """Nothing where no script is fixed. The time limit is for all runs of a task."""
    if not plan.script:
        return ()
    said = plan.batch_script().options()
    kept = [word for group in grouped(said) for word in group if _name(group[0]) not in ANOTHERS]
    return tuple(times(kept, RUNS))


def asked_besides(plan: Plan, options: Sequence[str]) -> tuple[str, ...]:
    """Options of sbatch that a variant asks for, to follow the script's own: what was excluded stays so."""
    return tuple(all_extended(plan.script, options) if plan.script else options)


def environment_of_script(script: BatchScript, environment: Mapping[str, str]) -> dict[str, str]:
    """As in a job of the script's own: the array that it runs in now is ours. A script that is an array is run as the
    first of its tasks.
    """
    kept = {name: value for name, value in environment.items() if not name.startswith("SLURM_ARRAY_")}
    tasks = _tasks_of(script.options())
    if not tasks:
        return kept
    told = {"TASK_ID": tasks[0], "TASK_MIN": min(tasks), "TASK_MAX": max(tasks), "TASK_COUNT": len(tasks)}
    job = environment.get("SLURM_ARRAY_JOB_ID") or environment.get("SLURM_JOB_ID", "0")
    return {**kept, "SLURM_ARRAY_JOB_ID": job, **{f"SLURM_ARRAY_{name}": str(value) for name, value in told.items()}}


def _tasks_of(options: Sequence[str]) -> list[int]:
    """The numbers in --array=0-15:4,20%2; none where the script is no array, or one that we cannot read."""
    groups = [group for group in grouped(options) if _name(group[0]) in ("array", "a")]
    if not groups:
        return []
    first, *values = groups[-1]
    text = values[0] if values else first.partition("=")[2] if first.startswith("--") else first[2:]
    tasks: list[int] = []
    for part in text.partition("%")[0].split(","):
        found = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6})(?::(\d{1,6}))?)?", part.strip())
        if found is None:
            return []
        begin, end, step = int(found[1]), int(found[2] or found[1]), int(found[3] or 1)
        tasks += range(begin, end + 1, max(1, step))
    return tasks


def _name(option: str) -> str:
    return option[2:].partition("=")[0] if option.startswith("--") else option[1:2]
