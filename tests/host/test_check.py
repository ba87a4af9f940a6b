"""`clearway host check` on a machine of its own: planted faults are found, and mended by the remedies it names."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import jsonschema
import pytest
from harness.mpis import REPOSITORY
from host.machine import CARD, HOST, Machine

from clearway.base.schema import schema_of
from clearway.cluster.hosts.check import Check
from clearway.cluster.hosts.state import SCHEMA


def test_the_schema_in_the_documentation_is_this_one() -> None:
    assert json.loads((REPOSITORY / "docs/json-schema/clearway-host-1.json").read_text()) == schema_of(Check, SCHEMA)


def checked(machine: Machine) -> dict[str, Any]:
    """The one host of the JSON."""
    outcome = machine.host("check", "--json", "-")
    assert outcome.exit_code == 0, outcome.says
    tree = json.loads(outcome.stdout)
    jsonschema.validate(tree, schema_of(Check, SCHEMA))
    assert tree["schema"] == "clearway-host-1"
    assert tree["differences"] == []
    (host,) = tree["hosts"]
    assert host["state"]["host"] == HOST
    return dict(host)


def faults(machine: Machine) -> dict[str, dict[str, Any]]:
    return {fault["id"]: fault for fault in checked(machine)["faults"]}


PLANTED = {
    "offloads-off": f"ethtool -K {CARD} tso off",
    "small-shm": "mount -o remount,size=8m /dev/shm",
    "long-timeout": f"ip route change 10.99.0.0/24 dev {CARD} proto kernel scope link src 10.99.0.1",
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_mended_by_its_remedy(machine: Machine, name: str) -> None:
    """What the check tells to type makes it find nothing more."""
    machine.says("ethtool", "-K", CARD, "tso", "on", "gso", "on", "gro", "on")
    machine.says("mount", "-o", "remount,size=1g", "/dev/shm")
    machine.says("ip", "route", "change", *f"10.99.0.0/24 dev {CARD} scope link src 10.99.0.1 rto_min 50ms".split())
    assert not set(faults(machine)) & set(PLANTED)
    machine.says(*PLANTED[name].split())
    found = faults(machine)
    assert set(found) & set(PLANTED) == {name}
    (remedy,) = found[name]["remedies"]
    words = [f"{remedy['setting']}={remedy['value']}", *(["--device", CARD] if remedy["device"] else [])]
    shown = machine.host("check").stdout
    assert f"sudo clearway host apply {' '.join(words)}\n" in shown
    done = machine.host("apply", *words, "--yes")
    assert done.exit_code == 0, done.says
    assert not set(faults(machine)) & set(PLANTED)


@pytest.mark.timed
def test_a_busy_process_is_named(machine: Machine) -> None:
    """Whatever else runs here, it gets a core."""
    busy = subprocess.Popen(["nice", "-n", "-19", "sh", "-c", "while :; do :; done"])
    try:
        found = faults(machine)
    finally:
        busy.kill()
        busy.wait()
    assert any(f"sh ({busy.pid})" in each["value"] for each in found["busy-host"]["evidence"])


def test_every_fact_says_where_it_was_read(machine: Machine) -> None:
    facts = checked(machine)["state"]["facts"]
    assert facts[f"link.{CARD}.speed_mbit"]["value"] == 10_000  # of a veth
    assert facts[f"link.{CARD}.speed_mbit"]["source"] == f"ethtool {CARD}"
    for fact in facts.values():
        assert fact["source"]
        assert (fact["value"] is None) == bool(fact["trouble"])
    shown = machine.host("check", "--all").stdout
    for name, fact in facts.items():
        assert name in shown or fact["value"] is None
    assert f"ethtool -a {CARD}: netlink error: Operation not supported" in shown


def test_values_are_those_of_the_kernel(machine: Machine) -> None:
    machine.says("ip", "link", "set", "dev", CARD, "mtu", "1480")
    machine.says("sysctl", "-q", "-w", "net.ipv4.tcp_wmem=4096 20000 3000000")
    facts = checked(machine)["state"]["facts"]
    assert facts[f"link.{CARD}.mtu"]["value"] == 1480
    assert facts["tcp.wmem_most_bytes"]["value"] == 3_000_000
    assert facts["memory.shm_bytes"]["value"] == 64 << 20
    assert facts["network.cards"]["value"] == CARD
    assert facts[f"link.{CARD}.address"]["value"] == "10.99.0.1"


def test_without_ethtool_it_says_so(machine: Machine) -> None:
    machine.says("mount", "--bind", "/dev/null", machine.says("sh", "-c", "command -v ethtool").strip())
    facts = checked(machine)["state"]["facts"]
    assert facts[f"link.{CARD}.duplex"] == {"value": None, "source": "ethtool", "trouble": "it is not installed"}
    assert facts[f"link.{CARD}.speed_mbit"]["source"] == f"/sys/class/net/{CARD}/speed"
    assert facts[f"link.{CARD}.speed_mbit"]["value"] == 10_000


def test_it_needs_no_root_and_changes_nothing(machine: Machine) -> None:
    before = machine.looks()
    outcome = machine.host("check", as_nobody=True)
    assert outcome.exit_code == 0, outcome.says
    assert CARD in outcome.stdout
    assert machine.looks() == before
    assert machine.undo_files() == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--hosts", "/nowhere"), "cannot read the hosts in '/nowhere'"),
        (("--hosts", "/etc/hosts", "--testbed", "--hosts 2"), "exclude each other"),
        (("--", "true"), "no host answered"),
        (("--", "/nowhere/mpirun"), "cannot run '/nowhere/mpirun"),
        (("--json", "/nowhere/at/all"), "cannot write /nowhere/at/all"),
    ],
)
def test_mistakes(machine: Machine, words: tuple[str, ...], said: str) -> None:
    outcome = machine.host("check", *words)
    assert outcome.exit_code == 1
    assert said in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_settings_are_listed(machine: Machine) -> None:
    listed = machine.host("settings").stdout
    for name in ("tcp.buffers", "tcp.rto_min", "tcp.ecn", "tcp.congestion_control", "link.flow_control"):
        assert f"{name}=VALUE" in listed
    assert listed.count("safe?") == listed.count("=VALUE")
