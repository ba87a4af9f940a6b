"""The network that the job ran on, as the simulator takes it."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

from clearway.base.ethernet import SHARE_OF_WIRE
from clearway.bench.on_testbed import shape_and_mpi
from clearway.cluster import Network, Stack, Switch
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.eager import EAGER_WORDS, eager_limit_bytes
from clearway.diagnosis.facts.latency import latency_between_hosts
from clearway.diagnosis.facts.transport import goes_by_tcp, transport
from clearway.predict.jobs.recorded import as_recorded
from clearway.predict.simulated_cluster import Modelled
from clearway.predict.testbed_cluster import model_of_testbed

SHALLOW_BYTES = 16_000  # of each port
BITS = 8
NS_PER_S = 1e9


def own_network(case: Case, testbed: str) -> Modelled | None:
    """None where the ranks do not speak TCP between hosts, or the record does not tell how fast their links are.

    `testbed`: the options of the testbed that the job ran on; empty: on real hosts, whose links and round trips the
    record has. How large the buffers of their switch are, it has not: where no packet was lost they are taken to be
    deep, else so shallow that the order of messages decides what is lost.

    Raises ClearwayError for a testbed that is not modelled.
    """
    if not goes_by_tcp(case):
        return None
    if testbed:
        model = model_of_testbed(shape_and_mpi(testbed, "clearway tune")[0])
    else:
        rates = [each.bytes_per_s for each in case.connections if not each.inside_host and each.bytes_per_s]
        latency = latency_between_hosts(case)
        if not rates or latency is None:
            return None
        hosts = case.tables.job.hosts
        switch = Switch(hosts, buffer_bytes=SHALLOW_BYTES if _lost(case) else None)
        rate_bps = round(median(rates) * BITS / SHARE_OF_WIRE)
        network = Network("as recorded", rate_bps, round(latency.wire_s * NS_PER_S), switch=switch)
        model = Modelled(network, hosts, max(1, -(-case.ranks // hosts)), Stack())
    stack = as_recorded(model.stack, case.run, keeps=("skew",))  # ranks in perfect step would lose nothing
    if transport(case) in EAGER_WORDS:
        stack = replace(stack, eager_bytes=eager_limit_bytes(case))
    return replace(model, stack=stack)


def _lost(case: Case) -> bool:
    return case.tables.ledger.mpi_stall_s > 0 or any(socket.lost for socket in case.tables.sockets)
