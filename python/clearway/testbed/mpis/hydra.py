"""MPICH and Intel MPI: Hydra's `mpiexec`."""

from __future__ import annotations

from collections.abc import Mapping

from clearway.testbed.mpis.model import Job, Mpi


def _job(job: Job) -> list[str]:
    exports = [word for name, value in job.environment.items() for word in ("-genv", name, value)]
    return [*exports, "-hosts", job.slot_list, "-n", str(job.ranks), *job.program]


def command_mpich(mpi: Mpi, job: Job) -> list[str]:
    launcher = [str(mpi.launcher), "-launcher", "rsh", "-launcher-exec", str(job.remote_shell)]
    return [*launcher, "-iface", job.control_device, *_job(job)]


def command_intel(mpi: Mpi, job: Job) -> list[str]:
    launcher = [str(mpi.launcher), "-bootstrap", "rsh", "-bootstrap-exec", str(job.remote_shell)]
    return [*launcher, "-iface", job.control_device, *_job(job)]


def settings_mpich(_mpi: Mpi, job: Job) -> Mapping[str, str]:
    """Debian's MPICH 4 and PyPI's MPICH 5 go by UCX, if they are not told MPIR_CVAR_CH4_NETMOD=ofi.

    Within a host they have shared memory of their own.
    """
    return {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": job.device, "FI_PROVIDER": "tcp", "FI_TCP_IFACE": job.device}


def settings_intel(_mpi: Mpi, job: Job) -> Mapping[str, str]:
    return {
        "FI_PROVIDER": "tcp",
        "FI_TCP_IFACE": job.device,
        "I_MPI_FABRICS": "shm:ofi" if job.shares_hosts else "ofi",
        "I_MPI_HYDRA_IFACE": job.control_device,
        "I_MPI_PIN": "0",
        "I_MPI_PERHOST": str(max(count for _, count in job.slots)),  # it does not read the numbers in -hosts
    }
