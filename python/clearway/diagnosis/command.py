"""What a person types to try a remedy."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace

from clearway.base.errors import ClearwayError
from clearway.diagnosis.facts import Case
from clearway.job.change import Change, changed, describe
from clearway.job.which_launcher import identify_recorded


def command_with(case: Case, change: Change | None) -> str:
    """The job's own command line with the change in it; only the change where that line is not known."""
    if change is None:
        return ""
    if change.batch_options:
        line = replace(change, batch_options=())
        launched = f" {command_with(case, line)}" if line != Change() else ""
        return f"sbatch {shlex.join(change.batch_options)} …{launched}"
    if case.command:
        try:
            words = changed(case.command, change, os.environ, identify_launcher=identify_recorded)
        except ClearwayError:
            return describe(change)  # a Run may be looked at where its launcher is not installed
        is_script = case.run.launch is not None and case.run.launch.is_script
        return " ".join(word if is_script and word in case.command else shlex.quote(word) for word in words)
    return describe(change)
