"""Clusters as files: there and back, and what is said of faulty ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from cluster.clusters import EXAMPLES, any_cluster, example, patient
from hypothesis import given

from clearway.cluster import Cluster
from clearway.cluster.ready import named_cluster, ready_names
from clearway.cluster.toml_read import parse_cluster
from clearway.cluster.toml_write import write_cluster
from clearway.errors import ClearwayError
from clearway.predict.modelled import model_of


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


FAULTY = {
    'hosts = "node1"': "hosts must be a list of tables",
    "[networks.a]": "hosts is missing",
    '[[hosts]]\nname = "a"\ncolour = "red"': "hosts[0].colour is no key known here",
    '[[hosts]]\nname = "a[1-"': "hosts[0].name is wrong",
    '[[hosts]]\nname = "a"\nsockets = "two"': "hosts[0].sockets must be a whole number, not 'two'",
    '[[hosts]]\nname = "a"\nsockets = 0': "hosts[0].sockets must be 1 or more",
    '[[hosts]]\nname = "a"\ncards = [{ network = "b" }]': "hosts[0].cards[0].network 'b' is none of",
    '[[hosts]]\nname = "a"\nnuma = [{ socket = 0 }]': "hosts[0].numa[0].cpus is missing",
    '[[hosts]]\nname = "a"\nsockets = 1\nhwloc = "x.xml"': "say the same thing",
    '[[hosts]]\nname = "a"\nhwloc = "absent.xml"': "absent.xml",
    '[[hosts]]\nname = "a,a"': "names a more than once",
    '[networks.a]\nrate = "fast"\n[[hosts]]\nname = "a"': "networks.a.rate is wrong: 'fast' is no rate",
    '[networks.a.switch]\nports = 4\nsub_switches = [{ ports = "1-8" }]\n[[hosts]]\nname = "a"': "1 to 4",
    '[networks.a.switch]\nports = 4\n[[hosts]]\nname = "a,b"\ncards = [{ network = "a", port = "3,3" }]': "on one port",
    '[networks.a.switch]\nports = 4\n[[hosts]]\nname = "a,b"\ncards = [{ network = "a", port = "3" }]': "1 things",
    '[tcp]\nleast_timeout = "soon"\n[[hosts]]\nname = "a"': "tcp.least_timeout is wrong: 'soon' is no time",
    '[tcp]\nleast_timeout = "1us"\n[[hosts]]\nname = "a"': "tcp.least_timeout must be 1 ms at least",
    '[tcp]\ncongestion = "vegas"\n[[hosts]]\nname = "a"': "tcp.congestion must be cubic or reno, not 'vegas'",
    '[mpi]\nlate = 1\n[[hosts]]\nname = "a"': "mpi.late is no key known here",
    '[[hosts]]\nname = "a"\nspeed = 0.0': "hosts[0].speed must be more than 0",
    "[[hosts": "is not TOML",
}


@pytest.mark.parametrize("text", FAULTY)
def test_faults_are_told_by_file_and_key(text: str) -> None:
    with pytest.raises(ClearwayError) as caught:
        parse_cluster(text, "my.toml")
    assert FAULTY[text] in caught.value.message
    assert "my.toml" in caught.value.message or "absent.xml" in caught.value.message
