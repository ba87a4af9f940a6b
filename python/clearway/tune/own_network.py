"""The network that the job ran on, as the simulator takes it."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

from clearway.base.ethernet import SHARE_OF_WIRE, WIRE_BYTES
from clearway.bench.on_testbed import shape_and_mpi
from clearway.cluster import Network, Stack, Switch
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.eager import EAGER_WORDS, eager_limit_bytes
from clearway.diagnosis.facts.latency import latency_between_hosts
from clearway.diagnosis.facts.transport import LIBFABRIC, goes_by_tcp, transport
from clearway.predict.jobs.recorded import as_recorded
from clearway.predict.simulated_cluster import GBIT_BPS, Modelled
from clearway.predict.testbed_cluster import model_of_testbed

USUAL_BYTES = (128_000, 64_000, 32_000, 16_000, 8_000, 4_000)  # of each port
NEVER_ASKS = 1 << 30  # libfabric's TCP behaves so (docs/simulator-mpis.md)
BITS = 8
NS_PER_S, US_PER_S = 1e9, 1e6


def own_networks(case: Case, testbed: str) -> tuple[Modelled, ...]:
    """What it may have been. Nothing where the ranks do not speak TCP between hosts, or where it is not known how fast
    their links are.

    `testbed`: the options of the testbed that the job ran on; empty: on real hosts, whose links and round trips the
    record has. How large the buffers of their switch are, it has not: where no packet was lost they are taken to be
    deep, else there is a network for each size that is usual, the largest first.

    Raises ClearwayError for a testbed that is not modelled.
    """
    if not goes_by_tcp(case):
        return ()
    if testbed:
        models = [model_of_testbed(shape_and_mpi(testbed, "clearway tune")[0])]
    else:
        rates = [each.bytes_per_s for each in case.connections if not each.inside_host and each.bytes_per_s]
        latency = latency_between_hosts(case)
        if not rates or latency is None:
            return ()
        hosts = case.tables.job.hosts
        rate_bps, latency_ns = round(median(rates) * BITS / SHARE_OF_WIRE), round(latency.wire_s * NS_PER_S)
        models = [
            Modelled(
                Network("as recorded", rate_bps, latency_ns, switch=Switch(hosts, buffer_bytes=buffer_bytes)),
                hosts,
                max(1, -(-case.ranks // hosts)),
                Stack(),
            )
            for buffer_bytes in (USUAL_BYTES if _lost(case) else (None,))
        ]
    network, stack = models[0].network, as_recorded(models[0].stack, case.run, keeps=("skew",))
    packet_us = round(WIRE_BYTES * BITS / (network.rate_bps or GBIT_BPS) * US_PER_S)
    stack = replace(stack, skew_us=max(stack.skew_us, packet_us))  # in perfect step nothing would be lost
    if transport(case) in EAGER_WORDS:
        stack = replace(stack, eager_bytes=eager_limit_bytes(case))
    elif transport(case) == LIBFABRIC:
        stack = replace(stack, eager_bytes=NEVER_ASKS)
    return tuple(replace(model, stack=stack) for model in models)


def _lost(case: Case) -> bool:
    return case.tables.ledger.mpi_stall_s > 0 or any(socket.lost for socket in case.tables.sockets)
