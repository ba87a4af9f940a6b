"""A testbed as the simulator takes it: the ready cluster of that name, in the shape that was asked for."""

from __future__ import annotations

import os
from dataclasses import replace

from clearway.base.errors import ClearwayError
from clearway.cluster import Card, Cluster, Host, SubSwitch, Switch
from clearway.cluster.ready import named_cluster
from clearway.predict.simulated_cluster import Modelled, model_of
from clearway.testbed import Shape
from clearway.testbed.plan import burst_bytes


def model_of_testbed(shape: Shape) -> Modelled:
    """Raises ClearwayError where something of it is not modelled."""
    return model_of(cluster_of_testbed(shape), None, None, None)


def cluster_of_testbed(shape: Shape) -> Cluster:
    """What a cluster's file would say of it. Raises ClearwayError where something of it is not modelled."""
    if shape.faults or shape.second_card_bps is not None:
        raise ClearwayError("cannot predict testbeds with faults or second cards", "leave out --fault, --second-card")
    ready = named_cluster("testbed")
    (network,), stack = ready.networks, ready.stack
    assert stack is not None
    return Cluster(
        hosts=tuple(
            Host(f"node{port}", cards=(Card(network.name, port=port),), slots=shape.per_host)
            for port in range(1, shape.hosts + 1)
        ),
        networks=(
            replace(
                network,
                rate_bps=shape.rate_bps,
                burst_bytes=burst_bytes(shape.rate_bps),
                latency_ns=(network.latency_ns or 0) + shape.latency_us * 1000,
                switch=Switch(shape.hosts, buffer_bytes=shape.buffer_bytes, sub_switches=parts_of(shape)),
            ),
        ),
        stack=replace(
            stack,
            congestion=shape.congestion,
            rto_min_ms=shape.rto_min_ms or stack.rto_min_ms,
            shared_cores=len(os.sched_getaffinity(0)),
        ),
    )


def parts_of(shape: Shape) -> tuple[SubSwitch, ...]:
    """Hosts are in a row on the switches, or dealt out to them in turn."""
    if shape.switches == 1:
        return ()
    ports: list[list[int]] = [[] for _ in range(shape.switches)]
    for host in range(shape.hosts):
        ports[host % shape.switches if shape.spread else host * shape.switches // shape.hosts].append(host + 1)
    return tuple(SubSwitch(tuple(part), shape.uplink_bps or shape.rate_bps) for part in ports)
