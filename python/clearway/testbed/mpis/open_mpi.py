"""Open MPI: `mpirun` of 4.1 (ORTE) and of 5.0 (PRRTE)."""

from __future__ import annotations

from collections.abc import Mapping

from clearway.testbed.mpis.model import Job, Mpi

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
AS_ROOT_5 = {**AS_ROOT, "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def _options(option: str, values: Mapping[str, str]) -> list[str]:
    return [word for name, value in values.items() for word in (option, name, value)]


def _transport(job: Job, shared_memory: str) -> dict[str, str]:
    return {
        "pml": "ob1",
        "btl": f"tcp,self,{shared_memory}" if job.shares_hosts else "tcp,self",
        "btl_tcp_if_include": job.device,
        "mpi_yield_when_idle": "1",
    }


def _program(job: Job) -> list[str]:
    exports = [word for name in job.environment for word in ("-x", name)]
    return [*exports, "--host", job.slot_list, "-np", str(job.ranks), *job.program]


def command_4(mpi: Mpi, job: Job) -> list[str]:
    settings = {
        "plm_rsh_agent": str(job.remote_shell),
        "plm_rsh_no_tree_spawn": "1",
        "oob_tcp_if_include": job.control_device,
        "orte_keep_fqdn_hostnames": "1",
        **_transport(job, "vader"),
    }
    return [
        str(mpi.launcher),
        *_options("--mca", settings),
        *("--bind-to", "none", "--map-by", "slot"),
        *_program(job),
    ]


def command_5(mpi: Mpi, job: Job) -> list[str]:
    runtime = {
        "plm_ssh_agent": str(job.remote_shell),
        "plm_ssh_no_tree_spawn": "1",
        "prte_if_include": job.control_device,
        "prte_keep_fqdn_hostnames": "1",
    }
    return [
        str(mpi.launcher),
        *_options("--prtemca", runtime),
        *_options("--mca", _transport(job, "sm")),
        *("--bind-to", "none", "--map-by", "slot"),
        *_program(job),
    ]


def settings(_mpi: Mpi, job: Job) -> Mapping[str, str]:
    return job.environment
