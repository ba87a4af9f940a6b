"""Clusters for tests: the examples, and any that hypothesis can think of."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from clearway.cluster import Card, Cluster, Host, Network, SubSwitch, Switch
from clearway.cluster.files.read import read_cluster
from clearway.cluster.topology import cores_by_counts

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # the machine may be busy
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "clusters"


def example(name: str) -> Cluster:
    return read_cluster(EXAMPLES / f"{name}.toml")


@st.composite
def any_host(draw: st.DrawFn, name: str, port: int | None = None) -> Host:
    counts = [draw(st.integers(1, most)) for most in (3, 2, 4, 2)]
    counts[1] = min(counts[1], counts[2])
    cards = [Card("one", "eth0", None, None, port)]
    if draw(st.booleans()):
        cards.append(Card("two", "eth1", f"{name}_hs"))
    return Host(name, cores_by_counts(*counts), tuple(cards), draw(st.none() | st.integers(1, 8)))


@st.composite
def any_cluster(draw: st.DrawFn) -> Cluster:
    """Hosts of all kinds, on a switch of up to four parts or on none."""
    parts = draw(st.integers(0, 4))
    size = draw(st.integers(2, 5))
    sub_switches = tuple(
        SubSwitch(tuple(range(1 + part * size, 1 + (part + 1) * size)), 10**9) for part in range(parts)
    )
    switch = (
        Switch(
            parts * size,
            "any",
            64_000,
            None,
            sub_switches,
            pool_share=0.5,
            uplink_latency_ns=900,
            uplink_flow_control=False,
            mark_bytes=5_000,
            mark_all_bytes=200_000,
            mark_share=0.01,
            credits=draw(st.booleans()),
        )
        if parts
        else None
    )
    count = draw(st.integers(1, parts * size if parts else 6))
    ports = draw(st.permutations(range(1, parts * size + 1))) if parts else [None] * count
    hosts = tuple(draw(any_host(f"n{at}", ports[at])) for at in range(count))
    return Cluster(hosts, (Network("one", 10**8, 5000, "10.0.0.0/24", switch, 3200), Network("two", 10**9)))
