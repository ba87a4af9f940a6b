"""Workloads: models of real programs, as Scripts that the simulator and real MPI run alike (docs/workloads.md)."""

from clearway.predict.models.catalogue import find_program, make_script, program_names
from clearway.predict.models.model import Job, Program, System
from clearway.predict.models.script import Script

__all__ = ["Job", "Program", "Script", "System", "find_program", "make_script", "program_names"]
