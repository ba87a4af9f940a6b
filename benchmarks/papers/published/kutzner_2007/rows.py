"""The setups that GROMACS was measured on: an MPI, a network, and how MPI_Alltoall is done."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clearway.predict.models.grids import SINGLE_COMPLEX, divisible, transpose_bytes
from clearway.predict.models.programs.gromacs33 import SYSTEMS
from clearway.predict.simulated_cluster import Modelled
from papers import figures, notation
from papers.claim import Claim, Null, exactly
from papers.point import Choice, Point, job, ready_model

S_BARR_BYTES = {1: 16384, 2: 4096}
CLEAN_STEPS, LOSSY_STEPS = 10, 30  # with losses a step takes between 0 and several timeouts
MPICH_SHORT_BYTES = 32_768  # longer blocks go between pairs of ranks


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    cluster: str = "procurve2848"
    is_paused: bool = False
    """With flow control."""
    is_ordered: bool = False
    is_mpich: bool = False
    alone: float = 1.0
    """On one CPU, by LAM's speed there."""

    @property
    def is_lossy(self) -> bool:
        return not (self.is_paused or self.is_ordered or self.is_mpich)


LAM = Row("LAM")
PAUSED = Row("LAM + flow control", is_paused=True)
ORDERED = Row("LAM + ordered all-to-all", is_ordered=True)
# The other MPIs' speeds on one CPU are of Table 1.
MPICH = Row("MPICH-2 + flow control", is_paused=True, is_mpich=True, alone=0.97)
MYRINET = Row("MPICH with Myrinet", "myrinet-2000", is_mpich=True, alone=0.95)


def speedup_claim(
    where: str, system: str, row: Row, cpus: int, per_host: int, published: float, reason: str | None
) -> Claim:
    return Claim(
        where,
        f"{system.upper()}, {row.name}, {cpus} CPUs, {per_host} a node",
        *exactly(published),
        notation.times,
        (point(system, row, cpus, per_host),),
        figures.speedup(SYSTEMS[system].serial_ns, steps_of(row), row.alone),
        reason=reason,
        nulls=null_models(system, row, cpus, per_host),
    )


def null_models(system: str, row: Row, cpus: int, per_host: int) -> tuple[Null, ...]:
    """Whoever takes the network for perfect, and whoever takes every network for the paper's Myrinet."""
    perfect = Null("speedup = N", (), lambda _: cpus)
    if row == MYRINET:
        return (perfect,)
    curve = figures.speedup(SYSTEMS[system].serial_ns, steps_of(MYRINET), MYRINET.alone)
    return perfect, Null("as simulated over Myrinet", (point(system, MYRINET, cpus, per_host),), curve)


def steps_of(row: Row) -> int:
    return LOSSY_STEPS if row.is_lossy else CLEAN_STEPS


def point(system: str, row: Row, cpus: int, per_host: int) -> Point:
    model = ready_model(row.cluster, cpus // per_host, per_host)
    if row == MPICH:
        model = with_mpich(model)
    if row.is_paused:
        model = with_pause(model)
    return job(model, ("gromacs33", system), choice_of(row, system, cpus, per_host), steps_of(row))


def choice_of(row: Row, system: str, cpus: int, per_host: int) -> Choice:
    """What was put in order is "the MPI_Alltoall calls in the FFT" alone."""
    if row.is_mpich:
        block = transpose_bytes(divisible(SYSTEMS[system].grid, cpus), cpus, SINGLE_COMPLEX)
        return Choice("pairwise" if block > MPICH_SHORT_BYTES else "direct", "direct")
    if row.is_ordered:
        ordered = "ordered+barrier" if per_host == 1 else "node_ordered+barrier"
        return Choice(ordered, "lam", S_BARR_BYTES[per_host])
    return Choice("lam")


MPICH_EAGER_BYTES = 128_000  # MPIDI_CH3_EAGER_MAX_MSG_SIZE


def with_mpich(model: Modelled) -> Modelled:
    """MPICH-2 instead of LAM, where they differ: MPID_Irecv answers a request that has come before it returns."""
    return replace(model, stack=replace(model.stack, eager_bytes=MPICH_EAGER_BYTES, asks_first=False))


# What a part of the switch may hold of what comes from the others: all of the memory that is told of a sister switch.
PART_BYTES = 512 * 1024


def with_pause(model: Modelled) -> Modelled:
    """Parts of the switch stop hosts, and not one another: assumed, for where packets are lost that would explain."""
    switch = model.network.switch
    assert switch is not None
    parts = tuple(replace(part, buffer_bytes=PART_BYTES) for part in switch.sub_switches)
    paused = replace(switch, flow_control=True, uplink_flow_control=False, sub_switches=parts)
    return replace(model, network=replace(model.network, switch=paused))
