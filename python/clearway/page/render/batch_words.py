"""The batch system's job in the words of its users: "job 1234 (md-prod)", "4 nodes × 32 tasks × 2 cpus"."""

from __future__ import annotations

from clearway.page.model import CoreSeconds, Job
from clearway.page.render.core_lines import shape


def job_words(job: Job) -> str:
    """Empty outside of a batch job. The texts are the job's: escape them."""
    batch = job.batch
    if batch is None:
        return ""
    name = f" ({batch.name})" if batch.name and batch.name != job.program else ""
    return f"job {batch.id}{name}"


def asked_words(job: Job) -> str:
    """What was asked for: "4 nodes × 32 tasks × 2 cpus"; empty where the batch system does not say.

    What starts an MPI's own daemons, one a node, is a step as well: its tasks are not the ranks, and are not told.
    """
    batch = job.batch
    if batch is None or not batch.nodes:
        return ""
    nodes = _count(batch.nodes, "node")
    if not batch.tasks or batch.tasks != job.ranks_expected:
        return nodes
    cpus = f" × {_count(batch.cpus_per_task, 'cpu')}" if batch.cpus_per_task else ""
    if batch.tasks % batch.nodes:
        return f"{nodes}, {_count(batch.tasks, 'task')}{cpus}"
    return f"{nodes} × {_count(batch.tasks // batch.nodes, 'task')}{cpus}"


def found_words(job: Job, cores: CoreSeconds | None) -> str:
    """What ran, "128 ranks on 4 hosts"; empty where it is just what was asked for."""
    batch = job.batch
    as_asked = batch is not None and (batch.tasks, batch.nodes) == (job.ranks, job.hosts)
    return "" if as_asked and (cores is None or cores.most_threads < 2) else shape(job, cores)


def queue_words(job: Job) -> str:
    """Where it waited and who pays: "partition batch", "account chem"."""
    batch = job.batch
    if batch is None:
        return ""
    queue = "partition" if batch.system == "Slurm" else "queue"
    again = "" if not batch.restarts else "requeued" if batch.restarts == 1 else f"requeued {batch.restarts} times"
    told = ((queue, batch.partition), ("account", batch.account), ("", again))
    return " · ".join(f"{what} {text}".strip() for what, text in told if text)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
