"""Settings of the MPI that somebody made for this job, as far as they decide how it moves data."""

from __future__ import annotations

from collections.abc import Iterator

from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Evidence
from clearway.run.layout import text

ENVIRONMENT = "environment."
OF_MESSAGES = ("OMPI_MCA_btl", "OMPI_MCA_pml", "OMPI_MCA_mtl", "MPIR_CVAR_CH4", "MPIR_CVAR_NEMESIS", "UCX_", "FI_")
OF_COLLECTIVES = ("OMPI_MCA_coll", "MPIR_CVAR", "I_MPI_ADJUST")
OF_INTEL = ("I_MPI_FABRICS", "I_MPI_SHM", "I_MPI_OFI", "I_MPI_EAGER", "I_MPI_INTRANODE")
NO_MATTER = ("OMPI_MCA_btl_base_warn", "OMPI_MCA_btl_tcp_if_", "UCX_HANDLE_ERRORS", "UCX_NET_DEVICES", "FI_TCP_IFACE")


def settings(case: Case, collective: bool) -> dict[str, str]:
    """By variable; mpirun hands parameters of its command line on as variables. `collective`: for such operations."""
    prefixes = (*OF_MESSAGES, *OF_INTEL, *(OF_COLLECTIVES if collective else ()))
    found = {}
    for row in case.run.facts.data:
        name = text(row["name"]).removeprefix(ENVIRONMENT)
        if name.startswith(prefixes) and not name.startswith(NO_MATTER):
            found[name] = text(row["text"])
    return found


def evidence(case: Case, collective: bool) -> Iterator[Evidence]:
    for name, value in settings(case, collective).items():
        yield Evidence("was set", f"{name}={value}", "environment of the ranks")
