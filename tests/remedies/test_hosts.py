"""What an administrator is asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from remedies.made_cases import call, connection, made_case, offer

from clearway.cluster.hosts.faults import find_faults
from clearway.cluster.hosts.settings import all_settings
from clearway.cluster.hosts.state import Fact, State
from clearway.diagnosis.remedies import remedies

CARD = {"net.eth0.addresses": "10.0.0.#", "net.eth0.speed_mbit": "1000"}
EVERYTHING = {
    **CARD,
    "net.eth0.duplex": "half",
    "net.eth0.rx_pause": "off",
    "net.eth0.tx_pause": "off",
    "tcp.ecn": "2",
    "tcp.mtu_probing": "0",
    "shm.size_bytes": "1048576",
}
TROUBLED = (connection(timeouts=10, stall_s=3.0, sndbuf_limited_s=2.0, congestion_control="bbr"),)


def test_every_one_names_a_setting_that_there_is(tmp_path: Path) -> None:
    case = made_case(tmp_path, host=EVERYTHING, sockets=TROUBLED)
    known = {setting.id for setting in all_settings()}
    settings = {name for name in remedies() if name.startswith("host-")} - {"host-cpu-quota"}
    for name in sorted(settings):  # a quota is no setting of the host: its maker has a command for it
        found = offer(name, case, "send-buffer")
        assert found is not None, name
        assert found.command.split()[:4] == ["sudo", "clearway", "host", "apply"]
        assert found.command.split()[4].split("=")[0] in known, name


def test_a_shorter_timeout(tmp_path: Path) -> None:
    # 10 timeouts of 300 ms become 14 of 100 ms.
    calls = (call("MPI_Waitall", stall_s=3.0),)
    case = made_case(tmp_path, host=CARD, sockets=TROUBLED, mpi_calls=calls)
    case = replace(case, losses=replace(case.losses, stall_s=4.0))
    found = offer("host-rto-min", case, cost_s=1.0)
    assert found is not None
    assert found.gain == pytest.approx(1 - 14 * 0.1 / 3.0)
    assert found.command == "sudo clearway host apply tcp.rto_min=50ms --device eth0"


def test_a_shorter_timeout_promises_nothing_for_collectives(tmp_path: Path) -> None:
    calls = (replace(call("MPI_Alltoall", stall_s=3.0), function_class="collective"),)
    found = offer("host-rto-min", made_case(tmp_path, host=CARD, sockets=TROUBLED, mpi_calls=calls))
    assert found is not None and found.gain is None


@pytest.mark.parametrize(("timeouts", "stall_s"), [(10, 0.6), (0, 3.0)])
def test_no_shorter_timeout_where_they_are_short_or_probes_came_first(
    tmp_path: Path, timeouts: int, stall_s: float
) -> None:
    stalled = (connection(timeouts=timeouts, stall_s=stall_s),)
    assert offer("host-rto-min", made_case(tmp_path, host=CARD, sockets=stalled)) is None


def test_flow_control_only_where_it_is_off(tmp_path: Path) -> None:
    on = {**CARD, "net.eth0.rx_pause": "on", "net.eth0.tx_pause": "on"}
    assert offer("host-flow-control", made_case(tmp_path / "on", host=on, sockets=TROUBLED)) is None
    assert offer("host-flow-control", made_case(tmp_path / "none", host=CARD, sockets=TROUBLED)) is None


def test_congestion_control_of_clusters_stays(tmp_path: Path) -> None:
    assert offer("host-congestion-control", made_case(tmp_path, sockets=(connection(),))) is None


@pytest.mark.parametrize("name", ["cubic", "reno", "dctcp", "htcp", "bbr", "vegas"])
def test_a_check_before_a_job_asks_for_the_same(name: str, tmp_path: Path) -> None:
    """Of a congestion control, and of a card that does not heed pause frames."""
    card = {"pause_rx": "off", "pause_tx": "off"}
    facts = {"tcp.congestion_control": name, "tcp.available": "cubic", "network.cards": "eth0"}
    facts |= {f"link.eth0.{key}": value for key, value in card.items()}
    before = find_faults(State("node1", {key: Fact(value, "there") for key, value in facts.items()}))
    used = (connection(timeouts=10, stall_s=3.0, congestion_control=name),)
    case = made_case(tmp_path, host=EVERYTHING, sockets=used)
    offers = [offer(each, case, "congestion-loss") for each in ("host-congestion-control", "host-flow-control")]
    asked = {remedy.command for fault in before for remedy in fault.remedies}
    assert {each.command for each in offers if each} == asked
