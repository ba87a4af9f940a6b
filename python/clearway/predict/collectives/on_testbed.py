"""What `clearway bench --testbed` would measure: a request for the simulator.

Each fact about an MPI was seen by itself on a testbed whose buffers are deep (docs/simulator.md, "Five MPIs").
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from clearway.predict.collectives.request import Request
from clearway.predict.testbed_cluster import model_of_testbed
from clearway.testbed import Shape

WHATEVER_ITS_SIZE = 1 << 30
# Of a core that ranks share with the rest of the machine: fitted on one scenario, in which nothing is lost as long as
# all keep in step (benchmarks/grid, seed 1, number 20).
NOISE_PERIOD_NS, NOISE_LENGTH_NS = 100_000_000, 2_000_000


@dataclass(frozen=True, slots=True)
class Manners:
    """Of an MPI over TCP."""

    eager_bytes: int
    """Longer messages wait for their receive, and then for what is on the same connection before them."""
    wakeup_ns: int
    """Until a rank that waits notices something, where ranks share cores: on average."""
    header_bytes: int
    """Before each short message: UCX's and the tag's, libfabric's and the tag's."""
    linear_barriers: tuple[int, ...] = ()
    """Numbers of ranks with which rank 0 leaves MPI_Barrier a latency before all others."""


# ob1: 14 bytes of a header, 8 of btl/tcp's; both count for its limit of 64 KiB.
OPEN_MPI = Manners(65_000, 120_000, 22, (3, 4, 5, 6, 7))
MANNERS = {
    "openmpi": OPEN_MPI,
    "openmpi5": OPEN_MPI,
    "mpich": Manners(18_000, 20_000, 13),  # UCX 1.13
    "mpich5": Manners(WHATEVER_ITS_SIZE, 20_000, 13),
    "impi": Manners(WHATEVER_ITS_SIZE, 40_000, 24, (3, 5, 6, 7)),  # libfabric
}


def request_on_testbed(operation: str, shape: Shape, mpi: str, calls: int, seed: int) -> Request:
    """Raises ClearwayError where something of it is not modelled."""
    model = model_of_testbed(shape)
    manners = MANNERS[mpi]
    stack = replace(
        model.stack,
        message_ns=10_000,
        kilobyte_ns=1_000,
        wakeup_ns=manners.wakeup_ns,
        skew_us=0,
        noise_period_ns=NOISE_PERIOD_NS,
        noise_length_ns=NOISE_LENGTH_NS,
        eager_bytes=manners.eager_bytes,
        message_header_bytes=manners.header_bytes,
    )
    ranks = shape.hosts * shape.per_host
    # Two ranks stay as far apart as they were: each waits for a word of the other's.
    is_linear = ranks == 2 or ranks in manners.linear_barriers
    meeting = "linear" if is_linear else "dissemination"
    return Request(operation, model.hosts, model.per_host, model.network, stack, calls, 0, seed, meeting)
