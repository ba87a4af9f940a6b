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


def settings_ucx(_mpi: Mpi, job: Job) -> Mapping[str, str]:
    """Debian's MPICH 4 goes by UCX; within a host it has shared memory of its own."""
    return {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": job.device}


def settings_ofi(_mpi: Mpi, job: Job) -> Mapping[str, str]:
    """MPICH 5 of PyPI goes by libfabric."""
    return {"FI_PROVIDER": "tcp", "FI_TCP_IFACE": job.device}


def settings_intel(_mpi: Mpi, job: Job) -> Mapping[str, str]:
    return {
        "FI_PROVIDER": "tcp",
        "FI_TCP_IFACE": job.device,
        "I_MPI_FABRICS": "shm:ofi" if job.shares_hosts else "ofi",
        "I_MPI_HYDRA_IFACE": job.control_device,
        "I_MPI_PIN": "0",
    }
