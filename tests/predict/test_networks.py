"""`clearway predict` on other networks than one switch with drop-tail ports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness.command_line import run_clearway
from harness.mpis import clearway_tool
from harness.outcome import Outcome
from harness.runs import run_command

FLOOD = ("alltoall", "--hosts", "8", "--sizes", "32Ki", "--calls", "3", "--algorithms", "lam")
TURNS = ("alltoall", "--hosts", "16", "--sizes", "16Ki", "--calls", "3", "--algorithms", "ordered", "--buffer", "deep")


def predict(*arguments: str | Path) -> Outcome:
    return run_clearway("predict", *arguments, "--no-cache", "--quiet")


def point(*arguments: str | Path) -> dict[str, Any]:
    """The one point of a prediction that must succeed."""
    outcome = predict(*arguments, "--json", "-")
    assert outcome.exit_code == 0, outcome.says
    (only,) = json.loads(outcome.stdout)["points"]
    return dict(only)


@pytest.mark.parametrize("kind", ["pause", "pfc", "credits"])
def test_ports_that_say_stop_lose_nothing(kind: str) -> None:
    """Everything at once overruns small ports, unless they stop the senders in time (IEEE 802.3x)."""
    lossy, lossless = point(*FLOOD), point(*FLOOD, "--flow-control", kind)
    assert lossy["timeouts"] > 0
    assert lossy["drops"] > 0
    assert lossless["drops"] == lossless["timeouts"] == 0
    assert lossless["mean_bytes_per_s"] > 3 * lossy["mean_bytes_per_s"]


def test_rdma_fills_a_link_and_no_more() -> None:
    """Around a ring of three all but what requests and the skew of ranks need besides the wire."""
    ring = ("alltoall", "--hosts", "3", "--sizes", "4Mi", "--calls", "3", "--algorithms", "ordered")
    for network in (
        ("--cluster", "infiniband-fdr", "--per-host", "1"),
        ("--flow-control", "pfc", "--set", "rdma.mtu=1024"),
    ):
        only = point(*ring, *network)
        assert 0.95 < only["share_of_limit"] < 1
        assert only["drops"] == only["resent"] == 0


def test_with_dcqcn_senders_slow_down_before_switches_say_stop() -> None:
    """Hashes put more flows on some uplinks of leaves than on others: there buffers fill, and stop whoever sends."""
    flood = ("--hosts", "32", "--bytes", "200000", "--calls", "2", "--candidate", "direct", "--buffer-bytes", "300000")
    leaves = ("--leaf-hosts", "8", "--spines", "2", "--uplink-bps", "50000000000", "--uplink-buffer-bytes", "300000")
    rdma = ("--flow-control", "pfc", "--mtu-bytes", "1024", "--rdma-header-bytes", "44", "--rate-bps", "25000000000")
    marks = ("--mark-bytes", "5000", "--mark-all-bytes", "200000", "--mark-ppm", "10000")
    stops = {}
    for dcqcn in ("0", "1"):
        command = [clearway_tool("clearway-simulate"), *flood, *leaves, *rdma, *marks, "--dcqcn", dcqcn]
        outcome = run_command(command, {})
        assert outcome.exit_code == 0, outcome.says
        stops[dcqcn] = json.loads(outcome.stdout)["stops"]
    assert stops["1"] < stops["0"] / 4


def test_a_dragonfly_with_credits_does_not_jam() -> None:
    flood = ("alltoall", "--cluster", "infiniband-dragonfly", "--per-host", "1", "--sizes", "64Ki", "--calls", "2")
    only = point(*flood, "--algorithms", "lam", "--buffer", "8k")
    assert only["drops"] == 0
    assert only["share_of_limit"] > 0.1


def test_cutting_through_saves_time() -> None:
    """A small message is there earlier by nearly the time that its frame takes on the second link."""
    small = ("alltoall", "--hosts", "2", "--sizes", "1Ki", "--calls", "3", "--algorithms", "ordered")
    stored, cut = point(*small), point(*small, "--cut-through")
    assert sum(cut["calls_ns"]) < sum(stored["calls_ns"])
    assert cut["packet_hops"] == stored["packet_hops"]


def test_leaves_with_enough_uplinks_are_as_good_as_one_switch() -> None:
    """16 hosts on 4 leaves: one uplink of the hosts' own rate a leaf carries a quarter of what 10 Gbit/s would."""
    thin = point(*TURNS, "--leaf-spine", "4x1", "--uplink", "1gbit")
    fast = point(*TURNS, "--leaf-spine", "4x4", "--uplink", "10gbit")
    one = point(*TURNS)
    assert fast["mean_bytes_per_s"] > 1.5 * thin["mean_bytes_per_s"]
    assert fast["mean_bytes_per_s"] > 0.7 * one["mean_bytes_per_s"]
    assert fast["packet_hops"] > 1.5 * one["packet_hops"]


def test_a_fat_tree_loses_to_flows_that_share_a_way() -> None:
    """It could carry everything; but hashes put flows on the same link while others idle."""
    tree, one = point(*TURNS, "--fat-tree", "4", "--uplink", "1gbit"), point(*TURNS)
    assert 0.2 * one["mean_bytes_per_s"] < tree["mean_bytes_per_s"] < one["mean_bytes_per_s"]


def test_groups_of_a_dragonfly_share_one_link(tmp_path: Path) -> None:
    """16 hosts in two groups: half of what each sends goes over one link, which the hosts of its group share."""
    shape = ("--dragonfly", "2x4x2", "--uplink", "1gbit")
    two, one = point(*TURNS, *shape), point(*TURNS)
    across, wire_bytes_per_s = 8 * 8 * 16384, 1e9 / 8
    assert min(two["calls_ns"]) > across / wire_bytes_per_s * 1e9
    assert two["mean_bytes_per_s"] < 0.35 * one["mean_bytes_per_s"]
    file = tmp_path / "dragonfly.toml"
    file.write_text(
        '[networks.e]\nrate = "1gbit"\nlatency = "20us"\n[networks.e.switch]\nports = 16\n'
        'fabric = { router_hosts = 2, group_routers = 4, router_links = 2, uplink = "1gbit" }\n'
        '[[hosts]]\nname = "n[1-16]"\ncards = [{ network = "e", device = "eth0", port = "1-16" }]\n'
    )
    assert point(*TURNS, "--cluster", file)["calls_ns"] == two["calls_ns"]


def test_marks_keep_queues_short() -> None:
    """Ports that mark from 15 kB on, and senders that heed it, lose less than ports that only drop."""
    long = ("alltoall", "--hosts", "8", "--sizes", "256Ki", "--calls", "2", "--algorithms", "direct")
    assert point(*long, "--ecn", "15k")["drops"] < point(*long)["drops"] / 2
    dctcp = point(*long, "--ecn", "15k", "--congestion", "dctcp")
    assert dctcp["drops"] < point(*long, "--congestion", "reno")["drops"] / 2


def test_the_table_tells_of_the_network() -> None:
    outcome = predict(*TURNS, "--leaf-spine", "4x2", "--flow-control", "pause", "--cut-through", "--buffer", "128k")
    assert outcome.exit_code == 0, outcome.says
    assert "leaves of 4 hosts on 2 spines, uplinks 10 Gbit/s · PAUSE · cut-through" in " ".join(outcome.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "said", "hint"),
    [
        (("--leaf-spine", "4"), "'4' is not a number of hosts and spines, HxS", "--leaf-spine 16x4"),
        (("--leaf-spine", "0x2"), "'0x2' is not a number of hosts and spines, HxS", "--leaf-spine 16x4"),
        (("--fat-tree", "5"), "a fat tree of 5-port switches cannot have 8 hosts", "K even"),
        (("--fat-tree", "2"), "a fat tree of 2-port switches cannot have 8 hosts", "K even"),
        (("--dragonfly", "4x8"), "'4x8' is not a shape of a dragonfly", "--dragonfly 4x8x4"),
        (("--dragonfly", "1x2x1"), "a dragonfly of 1x2x1 cannot have 8 hosts", "it has room for 6"),
        (("--set", "rdma.mtu=1024"), "RDMA needs flow control on all links", "--flow-control"),
        (("--dragonfly", "2x2x1", "--flow-control", "pause"), "a dragonfly may jam for ever", "--flow-control credits"),
        (("--fat-tree", "4", "--leaf-spine", "4x2"), "more than one shape of the network", "one of"),
        (("--cable", "--fat-tree", "4"), "more than one shape of the network", "one of"),
        (("--shared-buffer", "1m", "--flow-control", "pause"), "with flow control each port has a buffer", "--buffer"),
        (("--congestion", "dctcp"), "DCTCP needs ECN marks, but no port marks packets", "--ecn 15k"),
        (("--set", "rdma.congestion=dcqcn"), "DCQCN is the congestion control of RDMA, but", "--set rdma.mtu=4096"),
        (
            ("--flow-control", "pfc", "--set", "rdma.mtu=1024", "--set", "rdma.congestion=dcqcn"),
            *("DCQCN needs ECN marks, but no port marks packets", "--ecn"),
        ),
        (("--set", "rdma.inverse_gain=1"), "--set: rdma's times, increase_bytes and least_rate", "notification"),
        (("--ecn", "much"), "'much' is not a size in bytes", "64k"),
    ],
)
def test_bad_input(arguments: tuple[str, ...], said: str, hint: str) -> None:
    outcome = predict("alltoall", "--sizes", "1Ki", *arguments)
    assert outcome.exit_code != 0
    assert outcome.stdout == ""
    assert outcome.stderr.startswith(f"error: {said}"), outcome.says
    assert hint in outcome.stderr.partition("\nhint: ")[2]


def cluster_of_parts(folder: Path, *uplinks: str) -> Path:
    """Of 8 hosts on sub-switches of 4."""
    parts = ", ".join(
        f'{{ ports = "{1 + 4 * at}-{4 + 4 * at}", uplink = "{rate}" }}' for at, rate in enumerate(uplinks)
    )
    file = folder / f"{'-'.join(uplinks)}.toml"
    file.write_text(
        '[networks.e]\nrate = "1gbit"\nlatency = "20us"\n[networks.e.switch]\nports = 8\nbuffer = "64k"\n'
        f'sub_switches = [{parts}]\n[[hosts]]\nname = "n[1-8]"\n'
        'cards = [{ network = "e", device = "eth0", port = "1-8" }]\n'
    )
    return file


def test_each_sub_switch_has_its_own_uplink(tmp_path: Path) -> None:
    turns = ("alltoall", "--sizes", "16Ki", "--calls", "3", "--algorithms", "ordered")
    speeds = {
        name: point(*turns, "--cluster", cluster_of_parts(tmp_path, *name.split()))["mean_bytes_per_s"]
        for name in ("10gbit 10gbit", "10gbit 500mbit", "500mbit 10gbit", "500mbit 500mbit")
    }
    # What goes over one slow uplink, goes over both: whichever it is.
    assert max(speeds, key=lambda name: speeds[name]) == "10gbit 10gbit"
    assert speeds["10gbit 500mbit"] < 0.9 * speeds["10gbit 10gbit"]
    assert speeds["500mbit 10gbit"] < 0.9 * speeds["10gbit 10gbit"]


def test_an_uplink_that_is_asked_for_is_the_clusters(tmp_path: Path) -> None:
    turns = ("alltoall", "--sizes", "16Ki", "--calls", "3", "--algorithms", "ordered")
    file, slow = cluster_of_parts(tmp_path, "10gbit", "10gbit"), cluster_of_parts(tmp_path, "500mbit", "500mbit")
    assert point(*turns, "--cluster", file, "--uplink", "500mbit") == point(*turns, "--cluster", slow)


def test_one_switch_has_no_uplink() -> None:
    outcome = predict(*TURNS, "--uplink", "1gbit")
    assert outcome.exit_code != 0
    assert "which has no uplink" in outcome.stderr


@pytest.mark.parametrize("size", ["64Ki", "64KiB", "65536", "0"])
def test_eager_means_the_same_in_both_forms(size: str) -> None:
    short = ("alltoall", "--hosts", "2", "--sizes", "64Ki", "--calls", "2", "--algorithms", "ordered")
    told = point(*short, "--set", f"mpi.eager={size}")
    assert told == point(*short, "--eager", size)
    assert (told == point(*short)) == (size != "0")  # 64 KiB is the default, and a message of 64 KiB is eager


FILE = """\
[networks.lan]
rate = "1gbit"

[networks.lan.switch]
ports = {ports}

[[hosts]]
name = "node[1-4]"
slots = {slots}
{cards}
"""
CARDS = 'cards = [{ network = "lan" }]'


@pytest.mark.parametrize(
    ("changed", "told", "hint"),
    [
        ({"cards": ""}, "no host of the cluster has a card, so none is on a network", 'cards = [{ network = "lan" }]'),
        ({"ports": "2"}, "4 hosts do not fit on a switch with 2 ports", "ports = 4 in [networks.lan.switch]"),
        ({"slots": "0"}, "hosts[0].slots must be 1 or more, not 0", "clearway docs clusters"),
    ],
    ids=["no-cards", "few-ports", "no-slots"],
)
def test_a_file_that_cannot_be_says_what_to_write(
    tmp_path: Path, changed: dict[str, str], told: str, hint: str
) -> None:
    file = tmp_path / "my.toml"
    file.write_text(FILE.format(**{"ports": "4", "slots": "1", "cards": CARDS, **changed}))
    refused = predict("alltoall", "--cluster", file, "--sizes", "1Ki", "--algorithms", "direct")
    assert refused.exit_code == 1
    assert told in refused.stderr, refused.says
    assert hint in refused.stderr.partition("\n\nhint: ")[2], refused.says
