"""Which Open MPI it is, by what the library says of itself: "Open MPI v5.0.11, package: Debian … root@srv5 …"."""

from __future__ import annotations

import re

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.file_time import file_system
from clearway.diagnosis.facts.settings_in_force import parameter

SM_SINCE = 5
OWN_PARAMETERS = "/.openmpi/mca-params.conf"  # below the user's home


def shared_memory_layer(case: Case) -> str:
    """What its byte transfer layer for shared memory is called."""
    version = re.match(r"Open MPI v(\d+)\.", case.tables.job.mpi_library)
    return "sm" if version and int(version[1]) >= SM_SINCE else "vader"


def own_parameter_file(case: Case) -> str | None:
    """The user's file of parameters, where there is one with something in it; a site's is read by every job."""
    return next(
        (file.path for file in case.tables.files if file.path.endswith(OWN_PARAMETERS) and file.bytes_read > 0), None
    )


def is_told_romio(case: Case) -> bool:
    told = parameter(case, "io") or ""
    return told.startswith("romio") or (told.startswith("^") and "ompio" in told)


def uses_ompio(case: Case) -> bool:
    """For MPI-IO: by default, but for Lustre."""
    if case.family != "openmpi" or is_told_romio(case):
        return False
    on_lustre = file_system(case, case.fact("process.cwd") or "").startswith("lustre")
    return not on_lustre or parameter(case, "io") == "ompio"
