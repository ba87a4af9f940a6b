"""Work that a cluster's own engine does: pieces of it are tasks of a job array, and no process of ours waits for them.

All that is known lies in one directory, which every host of the cluster sees: what was asked for (submission.py),
which jobs were submitted (jobs.py), and what each piece gave (results.py). Whoever comes there next goes on with it
(advance.py): a job that Slurm starts when the array has ended, or a person, from any login shell.
"""

from clearway.queue.advance import Standing, advance, look
from clearway.queue.submission import Submission, asked_in, is_submitted, read_submission, submit, write_submission
from clearway.queue.work import AllAlike, Work, work_through

__all__ = [
    "AllAlike",
    "Standing",
    "Submission",
    "Work",
    "advance",
    "asked_in",
    "is_submitted",
    "look",
    "read_submission",
    "submit",
    "work_through",
    "write_submission",
]
