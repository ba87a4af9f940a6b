"""A switch made of four: which ports hosts are plugged into (Fig. 9)."""

from __future__ import annotations

from dataclasses import replace

from clearway.base import quantities as q
from clearway.predict.simulated_cluster import Modelled
from papers import figures, notation
from papers.claim import Claim, exactly
from papers.point import alltoall, ready_model
from papers.published.kutzner_2007.rows import with_mpich

WHERE = "Influence of the Switch"
SIZES = [1 << power for power in range(8, 16)]  # MPICH's classic algorithm serves 256 bytes to 32 kB
PORTS = range(7, 13)
LARGE_BYTES = 131_072
CALLS = 5  # of 128 KiB: with loss a call of 36 hosts takes seconds of simulated time
IN_A_ROW = (12, 12, 8)


def with_hosts_per_part(model: Modelled, hosts: tuple[int, ...]) -> Modelled:
    """The same switch, with so many hosts on each of its parts."""
    switch = model.network.switch
    assert switch is not None
    part = switch.sub_switches[0]
    firsts = [1 + sum(hosts[:index]) for index in range(len(hosts))]
    parts = tuple(replace(part, ports=tuple(range(at, at + some))) for at, some in zip(firsts, hosts, strict=True))
    network = replace(model.network, switch=replace(switch, ports=sum(hosts), sub_switches=parts))
    return replace(model, network=network, hosts=sum(hosts))


def claims() -> list[Claim]:
    scattered = with_mpich(ready_model("procurve2848", 32, 2))
    in_a_row = with_hosts_per_part(scattered, IN_A_ROW)
    single = ready_model("procurve2848", 32)
    three_parts = tuple(with_hosts_per_part(single, (some,) * 3) for some in PORTS)
    return [
        Claim(
            WHERE,
            "ports of each 12 that work without loss",
            *exactly(9),
            notation.number,
            tuple(alltoall(model, "ordered+barrier", LARGE_BYTES, CALLS) for model in three_parts),
            figures.largest_without_loss(PORTS),
            reason="in the model ten ports fill a link, and the buffers absorb an eleventh; a real switch adds headers",
        ),
        Claim(
            WHERE,
            "MPICH-2, 64 CPUs, ports 1–32: largest S without loss",
            *exactly(1024),
            q.bytes_,
            tuple(alltoall(in_a_row, "direct", size) for size in SIZES),
            figures.largest_without_loss(SIZES),
            fitted="buffers of the links inside the switch",
        ),
        Claim(
            WHERE,
            "the same, scattered ports: largest S without loss",
            *exactly(16384),
            q.bytes_,
            tuple(alltoall(scattered, "direct", size) for size in SIZES),
            figures.largest_without_loss(SIZES),
            reason="not known; the order in which MPICH's ch3:ssm device writes to 63 sockets is not modelled",
        ),
    ]
