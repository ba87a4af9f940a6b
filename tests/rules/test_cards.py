"""slow-card, link-speed, slower-fabric: what the bytes would take less on the card that they should go by."""

from __future__ import annotations

from pathlib import Path

import pytest
from rules.network_jobs import GIGABIT, GIGABIT_PAYLOAD, Job

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts.host_cards import PAYLOAD, mbit
from clearway.diagnosis.rules import Suspicion, rules

SLOW = {"speed_mbit": "100", "duplex": "full"}
SLOW_PAYLOAD = GIGABIT_PAYLOAD / 10
SENT = {"bytes_sent": 70_000_000}  # 5.95 s at 100 Mbit/s


def examine(rule: str, job: Job, directory: Path) -> Suspicion | None:
    return rules()[rule].examine(job.case(directory))


def test_the_slower_of_two_cards(tmp_path: Path) -> None:
    job = Job(cards={"eth0": SLOW, "eth1": GIGABIT}).connect(0, 1, back=SENT, **SENT)
    found = examine("slow-card", job, tmp_path)
    assert found is not None and found.confidence >= 0.9
    assert found.claims["transfer_s"] == pytest.approx(2 * 0.9 * 70e6 / SLOW_PAYLOAD, rel=1e-3)
    assert "eth1" in found.says and "10 times" in found.says


@pytest.mark.parametrize(("fast_bytes", "told"), [(70_000_000, True), (70_000, False)])
def test_both_cards_in_use_are_told_as_both(tmp_path: Path, fast_bytes: int, told: bool) -> None:
    """An MPI that may use both gives each a part of large messages; over the fast one more goes, or next to nothing."""
    fast = {"bytes_sent": fast_bytes, "busy_time_us": 0}
    job = Job(cards={"eth0": SLOW, "eth1": GIGABIT}).connect(0, 1, back=SENT, **SENT)
    found = examine("slow-card", job.connect(0, 1, card=1, back=fast, **fast), tmp_path)
    assert found is not None
    assert ("eth1 carried" in found.says) == told
    assert ("waits for the slower one" in found.says) == told


def test_no_more_than_was_spent_moving_data(tmp_path: Path) -> None:
    job = Job(moving_s=2.0, cards={"eth0": SLOW, "eth1": GIGABIT}).connect(0, 1, back=SENT, **SENT)
    found = examine("slow-card", job, tmp_path)
    assert found is not None
    assert found.claims["transfer_s"] == pytest.approx(2 * 0.9 * 2.0)


def test_the_faster_card_is_in_use(tmp_path: Path) -> None:
    job = Job(cards={"eth0": SLOW, "eth1": GIGABIT}).connect(0, 1, card=1, back=SENT, **SENT)
    assert examine("slow-card", job, tmp_path) is None


def test_a_faster_card_that_does_not_lead_there(tmp_path: Path) -> None:
    job = Job(cards={"eth0": SLOW, "eth1": GIGABIT}).connect(0, 1, back=SENT, **SENT)
    job.facts[2] = {"net.eth1.networks": "10.200.0.0/24", "net.eth1.addresses": "10.200.0.2"}
    assert examine("slow-card", job, tmp_path) is None


def test_link_local_addresses_join_nothing(tmp_path: Path) -> None:
    job = Job(cards={"eth0": SLOW, "eth1": GIGABIT}).connect(0, 1, back=SENT, **SENT)
    for number in (1, 2):
        address = f"10.20{number}.0.1 fe80::{number}"
        here = {"net.eth1.networks": f"10.20{number}.0.0/24 fe80::/64", "net.eth1.addresses": address}
        job.facts[number] = here
    assert examine("slow-card", job, tmp_path) is None


def test_a_bridge_of_each_hosts_own(tmp_path: Path) -> None:
    job = Job(cards={"eth0": SLOW, "eth1": GIGABIT}).connect(0, 1, back=SENT, **SENT)
    for number in (1, 2):  # as containers have it: the same address everywhere
        job.facts[number] = {"net.eth1.addresses": "10.1.0.1"}
    assert examine("slow-card", job, tmp_path) is None


def test_a_limit_of_the_host_counts_as_the_cards_speed(tmp_path: Path) -> None:
    limited = {**GIGABIT, "shaped_bytes_per_s": "12500000"}
    job = Job(cards={"eth0": limited, "eth1": GIGABIT}).connect(0, 1, back=SENT, **SENT)
    assert examine("slow-card", job, tmp_path) is not None


@pytest.mark.parametrize(
    ("told", "factor"),
    [
        ({"net.eth0.speed_mbit": "100", "net.eth0.supported_mbit": "1000"}, 10),
        ({"net.eth0.speed_mbit": "100", "net.eth0.duplex": "half"}, 2),
    ],
)
def test_a_link_below_what_its_card_can(told: dict[str, str], factor: float, tmp_path: Path) -> None:
    job = Job().connect(0, 1, back=SENT, **SENT)
    job.facts[2] = told
    found = examine("link-speed", job, tmp_path)
    assert found is not None and "node2" in found.says
    assert found.claims["transfer_s"] == pytest.approx(2 * (1 - 1 / factor) * 70e6 / SLOW_PAYLOAD, rel=1e-3)


def test_a_link_below_those_of_the_other_hosts(tmp_path: Path) -> None:
    job = Job(hosts=4).all_connected(**SENT)
    job.facts[3] = {"net.eth0.speed_mbit": "100"}
    found = examine("link-speed", job, tmp_path)
    assert found is not None and "eth0 of node3" in found.says
    # Three times 70 MB at 100 Mbit/s are more than the 8 s: all four ranks wait for node3 nine tenths of their time.
    assert found.claims["transfer_s"] == pytest.approx(4 * 0.9 * 8.0)


@pytest.mark.parametrize(("raw", "said"), [(5e5, "4.00"), (1.25e8, "1,000"), (1.25e10, "100,000")])
def test_rates_as_people_say_them(raw: float, said: str) -> None:
    assert mbit(PAYLOAD * raw) == f"{said} Mbit/s"


def test_links_of_one_speed(tmp_path: Path) -> None:
    assert examine("link-speed", Job(hosts=4, cards={"eth0": SLOW}).all_connected(**SENT), tmp_path) is None


def test_one_other_host_is_no_majority(tmp_path: Path) -> None:
    job = Job().connect(0, 1, back=SENT, **SENT)
    job.facts[2] = {"net.eth0.speed_mbit": "100"}
    assert examine("link-speed", job, tmp_path) is None


def fabric(job: Job, hosts: tuple[int, ...]) -> Job:
    for number in hosts:
        job.facts[number] = {"rdma.mlx5_0.1.mbit": "100000", "rdma.mlx5_0.1.layer": "InfiniBand"}
    return job


def test_a_fabric_that_nobody_uses(tmp_path: Path) -> None:
    job = fabric(Job(cards={"eth0": SLOW}).connect(0, 1, back=SENT, **SENT), (1, 2))
    found = examine("slower-fabric", job, tmp_path)
    assert found is not None and "100,000 Mbit/s" in found.says
    wire_s = 70e6 / SLOW_PAYLOAD
    assert found.claims["transfer_s"] == pytest.approx(2 * wire_s, rel=2e-3)


def test_a_fabric_that_one_host_lacks(tmp_path: Path) -> None:
    job = fabric(Job(cards={"eth0": SLOW}).connect(0, 1, back=SENT, **SENT), (1,))
    assert examine("slower-fabric", job, tmp_path) is None


def test_a_fabric_in_use_beside_some_tcp(tmp_path: Path) -> None:
    few = {"bytes_sent": 100_000}
    job = fabric(Job(cards={"eth0": SLOW}, nbytes=140_000_000).connect(0, 1, back=few, **few), (1, 2))
    assert examine("slower-fabric", job, tmp_path) is None


def test_a_limit_of_the_host_itself_is_not_to_be_negotiated(tmp_path: Path) -> None:
    job = Job(hosts=4).all_connected(**SENT)
    job.facts[3] = {"net.eth0.shaped_bytes_per_s": "12500000"}
    case = job.case(tmp_path)
    found = rules()["link-speed"].examine(case)
    assert found is not None and any("tc" in one.source for one in found.evidence)
    made = next(one.finding for one in diagnose(case) if one.finding.rule == "link-speed")
    assert made.remedies == ()
