"""Clusters as files: there and back, and what is said of faulty ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cluster.clusters import EXAMPLES, any_cluster, example, patient
from hypothesis import given

from clearway.base.errors import ClearwayError
from clearway.cluster import Cluster, Host, Stack
from clearway.cluster.files.read import parse_cluster
from clearway.cluster.files.stack import TABLES, Key
from clearway.cluster.files.write import write_cluster
from clearway.cluster.ready import named_cluster, ready_names
from clearway.predict.collectives.request import stack_options
from clearway.predict.options import stack_with
from clearway.predict.simulated_cluster import model_of


@patient
@given(any_cluster())
def test_any_cluster_comes_back(cluster: Cluster) -> None:
    assert parse_cluster(write_cluster(cluster), "here") == cluster


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.toml")), ids=lambda file: file.stem)
def test_examples_come_back(file: Path) -> None:
    cluster = example(file.stem)
    assert parse_cluster(write_cluster(cluster), "here") == cluster
    assert cluster.hosts[0].cores
    assert cluster.networks


@pytest.mark.parametrize("name", ready_names())
def test_ready_clusters_come_back(name: str) -> None:
    """Each can be simulated: its network's rate, latency and TCP are told, and its hosts have a number of ranks."""
    cluster = named_cluster(name)
    assert parse_cluster(write_cluster(cluster), "here") == cluster
    model = model_of(cluster, None, None, None)
    assert model.network.latency_ns
    assert cluster.stack is not None
    assert model.per_host >= 1


OTHER_VALUES: dict[str, str | bool] = {
    "congestion": "reno",
    "timeout_rule": "rfc6298",
    "collectives": "openmpi",
    "rdma_congestion": "dcqcn",
}
SETTINGS = [(table, key) for table, keys in TABLES.items() for key in keys]


@pytest.mark.parametrize(("table", "key"), SETTINGS, ids=[f"{table}.{key.name}" for table, key in SETTINGS])
def test_each_setting_comes_back_and_reaches_the_simulator(table: str, key: Key) -> None:
    """And is the same whether a file says it or an option."""
    usual = getattr(Stack(), key.field)
    other = not usual if isinstance(usual, bool) else OTHER_VALUES.get(key.field) or 2 * usual + 8_000_000
    partner: dict[str, Any] = {"noise_period_ns": 500, "noise_length_ns": 500} if key.field.startswith("noise") else {}
    stack = replace(Stack(), **{**partner, key.field: other})
    file = write_cluster(Cluster((Host("a"),), stack=stack))
    assert parse_cluster(file, "here").stack == stack
    assert stack_options(stack) != stack_options(replace(Stack(), **{**partner, key.field: usual}))
    settings = [f"mpi.{name.removesuffix('_ns')}={value}ns" for name, value in partner.items()]
    value = key.write(other)
    written = str(value).lower() if isinstance(value, bool) else value
    assert stack_with(Stack(), [*settings, f"{table}.{key.name}={written}"]) == stack


FAULTY = {
    '[networks.a.switch]\nports = 4\nmark = "5k"\nmark_all = "9k"\n[[hosts]]\nname = "a"': "needs mark and mark_share",
    '[networks.a.switch]\nports = 4\nmark = "5k"\nmark_all = "4k"\n[[hosts]]\nname = "a"': "must be more than mark",
    '[networks.a.switch]\nports = 4\nmark_share = 2.0\n[[hosts]]\nname = "a"': "must be more than 0 and at most 1",
    '[rdma]\nincrease_timer = "0ns"\n[[hosts]]\nname = "a"': "must be more than 0",
    '[networks.a.switch]\nports = 4\ncredits = true\nflow_control = true\n[[hosts]]\nname = "a"': "exclude each other",
    'hosts = "node1"': "hosts must be a list of tables",
    "[networks.a]": "hosts is missing",
    '[[hosts]]\nname = "a"\ncolour = "red"': "hosts[0].colour is not a known key",
    '[[hosts]]\nname = "a[1-"': "hosts[0].name is wrong",
    '[[hosts]]\nname = "a"\nsockets = "two"': "hosts[0].sockets must be a whole number, not 'two'",
    '[[hosts]]\nname = "a"\nsockets = 0': "hosts[0].sockets must be 1 or more",
    '[[hosts]]\nname = "a"\ncores_per_socket = 333333333333': "a host of more than 65,536 processors",
    '[[hosts]]\nname = "a"\nnuma_per_socket = 4\ncores_per_socket = 2': "is 4, more than the cores of a socket, 2",
    '[[hosts]]\nname = "a"\ncards = [{ network = "b" }]': "hosts[0].cards[0].network 'b' is not a network",
    '[[hosts]]\nname = "a"\nnuma = [{ socket = 0 }]': "hosts[0].numa[0].cpus is missing",
    '[[hosts]]\nname = "a"\nsockets = 1\nhwloc = "x.xml"': "exclude each other",
    '[[hosts]]\nname = "a"\nhwloc = "absent.xml"': "absent.xml",
    '[[hosts]]\nname = "a,a"': "names a more than once",
    '[networks.a]\nrate = "fast"\n[[hosts]]\nname = "a"': "networks.a.rate is wrong: 'fast' is not a rate",
    '[networks.a.switch]\nports = 4\nsub_switches = [{ ports = "1-8" }]\n[[hosts]]\nname = "a"': "1 to 4",
    '[networks.a.switch]\nports = 4\n[[hosts]]\nname = "a,b"\ncards = [{ network = "a", port = "3,3" }]': "on one port",
    '[networks.a.switch]\nports = 4\n[[hosts]]\nname = "a,b"\ncards = [{ network = "a", port = "3" }]': "1 entries",
    '[mpi]\nnoise_length = "5us"\n[[hosts]]\nname = "a"': "must be given together",
    '[networks.a.switch]\nports = 4\npool_share = 0.0\n[[hosts]]\nname = "a"': "pool_share must be more than 0, not 0",
    '[tcp]\nleast_timeout = "soon"\n[[hosts]]\nname = "a"': "tcp.least_timeout is wrong: 'soon' is not a time",
    '[tcp]\nleast_timeout = "1us"\n[[hosts]]\nname = "a"': "tcp.least_timeout must be at least 1 ms",
    '[tcp]\ncongestion = "vegas"\n[[hosts]]\nname = "a"': "tcp.congestion must be cubic or reno or dctcp, not 'vegas'",
    '[mpi]\nlate = 1\n[[hosts]]\nname = "a"': "mpi.late is not a known key",
    '[[hosts]]\nname = "a"\nspeed = 0.0': "hosts[0].speed must be more than 0",
    "[[hosts": "is not TOML",
}


@pytest.mark.parametrize("text", FAULTY)
def test_faults_are_told_by_file_and_key(text: str) -> None:
    with pytest.raises(ClearwayError) as caught:
        parse_cluster(text, "my.toml")
    assert FAULTY[text] in caught.value.message
    assert "my.toml" in caught.value.message or "absent.xml" in caught.value.message
