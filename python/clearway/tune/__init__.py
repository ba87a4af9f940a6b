"""How a job should be run: a race of short runs, seeded and bounded by what the first one was seen to wait for."""

from clearway.tune.session import dry, tune
from clearway.tune.task import Task, read_task, write_task
from clearway.tune.tuning import Tuning

__all__ = ["Task", "Tuning", "dry", "read_task", "tune", "write_task"]
