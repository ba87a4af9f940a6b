"""`-o run-%j`: sbatch's patterns in the name of a Run directory, and the job's number in a name that nobody gave."""

from __future__ import annotations

import re
from collections.abc import Mapping

from clearway.base.ranges import names
from clearway.job.batch import batch_job, in_batch_job

_PATTERN = re.compile(r"%(?:(%)|([0-9]{0,2})([jAaxnNJ]))")


def filled_in(given: str, environment: Mapping[str, str]) -> str:
    """sbatch's %j %J %A %a %x %n %N, from the batch job; outside of one the text as it is."""
    told = in_batch_job(environment)
    job = batch_job(told)
    if job is None:
        return given
    number = told.get("SLURM_JOB_ID", job.id)
    first = told.get("SLURM_JOB_NODELIST", "")
    words = {
        "j": number,
        "J": f"{number}.{job.step}" if job.step else number,
        "A": told.get("SLURM_ARRAY_JOB_ID") or told.get("JOB_ID") or number,
        "a": job.array_task or "0",
        "x": job.name,
        "n": "0",  # all ranks write into one Run: it is the job's first node
        "N": _first(first),
    }

    def word(match: re.Match[str]) -> str:
        if match[1]:
            return "%"
        text = plain(words[match[3]])
        return text.zfill(min(10, int(match[2] or 0))) if text.isdecimal() else text

    return _PATTERN.sub(word, given)


def job_in_name(environment: Mapping[str, str]) -> str:
    """ "1234", "1234_7"; empty outside of a batch job."""
    job = batch_job(in_batch_job(environment))
    return plain(job.id) if job else ""


def plain(text: str) -> str:
    """What may stand in a directory's name, whatever the job is called; never "." or ".."."""
    made = re.sub(r"[^A-Za-z0-9._+-]", "_", text)[:64]
    return re.sub(r"^\.+", lambda dots: "_" * len(dots[0]), made)


def _first(nodes: str) -> str:
    try:
        return names(nodes)[0].partition(".")[0] if nodes else ""
    except Exception:  # the name of a directory is no reason not to run the job
        return ""
