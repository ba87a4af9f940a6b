"""What `clearway bench --testbed` would measure: a request for the simulator.

Each fact about an MPI was seen by itself on a testbed whose buffers are deep (docs/simulator-mpis.md, "Five MPIs").
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from clearway.cluster import Stack
from clearway.predict.collectives.request import Request
from clearway.predict.testbed_cluster import model_of_testbed
from clearway.testbed import Shape

WHATEVER_ITS_SIZE = 1 << 30
# Of a core that ranks share with the rest of the machine: fitted on one scenario, in which nothing is lost as long as
# all keep in step (benchmarks/grid, seed 1, number 20).
NOISE_PERIOD_NS, NOISE_LENGTH_NS = 100_000_000, 2_000_000
# How far apart ranks begin their first call, beside a round trip: they connect in it, one after another.
FIRST_APART_US = 6_000
# What takes time of the cores that all hosts share, but for messages (Manners): as the ready cluster has it.
COSTS = ("kilobyte_ns", "packet_ns", "timer_ns", "wake_ns", "switch_ns", "poll_ns")
RELAY_NS = 14_000  # of the program that gives cables their length, for each packet


@dataclass(frozen=True, slots=True)
class Manners:
    """Of an MPI over TCP."""

    eager_bytes: int
    """Longer messages wait for their receive, and then for what is on the same connection before them."""
    wakeup_ns: int
    """Until a rank that waits is woken for what has come: on average, where there are more ranks than cores."""
    message_ns: int
    """Of a core, for each message sent or received."""
    header_bytes: int
    """Before each short message: UCX's and the tag's, libfabric's and the tag's."""
    linear_barriers: tuple[int, ...] = ()
    """Numbers of ranks with which rank 0 leaves MPI_Barrier a latency before all others."""
    doubling_from: int | None = None
    """From so many ranks on MPI_Barrier doubles recursively: those beyond a power of two leave a latency later."""
    looks_twice: bool = False
    """Having read a message, it looks again before the program goes on."""
    confirms_bodies: bool = False
    """A message beyond the eager limit ends with a confirmation and the answer to it."""


# ob1: 14 bytes of a header, 8 of btl/tcp's; both count for its limit of 64 KiB.
OPEN_MPI = Manners(65_000, 20_000, 12_000, 22, (3, 4, 5, 6, 7), doubling_from=8, looks_twice=True)
MANNERS = {
    "openmpi": OPEN_MPI,
    "openmpi5": replace(OPEN_MPI, message_ns=10_000),
    "mpich": Manners(18_000, 20_000, 4_000, 13, confirms_bodies=True),  # UCX 1.13
    "mpich5": Manners(WHATEVER_ITS_SIZE, 20_000, 4_000, 13),
    "impi": Manners(WHATEVER_ITS_SIZE, 40_000, 5_000, 24, doubling_from=2),  # libfabric
}


def request_on_testbed(operation: str, shape: Shape, mpi: str, calls: int, seed: int, slowness: float = 1.0) -> Request:
    """`slowness`: so many times as long as there the processor takes for all that it does. Raises ClearwayError where
    something of it is not modelled."""
    model = model_of_testbed(shape)
    manners = MANNERS[mpi]
    stack = replace(
        model.stack,
        **costs_ns(model.stack, manners, shape.latency_us > 0, slowness),
        wakeup_ns=manners.wakeup_ns if shape.hosts * shape.per_host > model.stack.shared_cores else 0,
        skew_us=FIRST_APART_US + 2 * shape.latency_us,
        looks_twice=manners.looks_twice,
        noise_period_ns=NOISE_PERIOD_NS,
        noise_length_ns=NOISE_LENGTH_NS,
        eager_bytes=manners.eager_bytes,
        message_header_bytes=manners.header_bytes,
        confirms_bodies=manners.confirms_bodies,
    )
    meeting = barrier_of(manners, shape.hosts * shape.per_host)
    return Request(operation, model.hosts, model.per_host, model.network, stack, calls, 0, seed, meeting)


def costs_ns(there: Stack, manners: Manners, is_long: bool, slowness: float) -> dict[str, Any]:
    """By the Stack's fields. `is_long`: cables have a length."""
    own_ns = {"message_ns": manners.message_ns, "relay_ns": RELAY_NS if is_long else 0}
    there_ns = {**{field: getattr(there, field) for field in COSTS}, **own_ns}
    return {field: round(cost_ns * slowness) for field, cost_ns in there_ns.items()}


def barrier_of(manners: Manners, ranks: int) -> str:
    if ranks == 2 or ranks in manners.linear_barriers:  # two stay apart: each waits for a word of the other's
        return "linear"
    doubles = manners.doubling_from is not None and ranks >= manners.doubling_from
    return "doubling" if doubles else "dissemination"
