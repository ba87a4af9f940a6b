"""A cluster in a box: hosts as network namespaces, connected by a switch whose ports have a rate and a small buffer.

    with Testbed(Shape(hosts=8, rate_bps=20_000_000, buffer_bytes=20_000)) as testbed:
        outcome = testbed.run(find_mpi("openmpi"), ["./program"])

Real MPI over real Linux TCP, with real loss, on one machine. Everything is removed at the end, also after a failure.
"""

from clearway.testbed.counters import Counters
from clearway.testbed.mpis import MPI_NAMES, Mpi, find_mpi
from clearway.testbed.outcome import Outcome
from clearway.testbed.shape import DEEP, Shape
from clearway.testbed.testbed import Testbed

__all__ = ["DEEP", "MPI_NAMES", "Counters", "Mpi", "Outcome", "Shape", "Testbed", "find_mpi"]
