"""The MPIs that a testbed can start, each set to use TCP and to yield: many ranks share few cores here."""

from clearway.testbed.mpis.find import MPI_NAMES, find_mpi
from clearway.testbed.mpis.model import Job, Mpi

__all__ = ["MPI_NAMES", "Job", "Mpi", "find_mpi"]
