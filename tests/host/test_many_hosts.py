"""Several hosts: what differs between them, and how their answers come through a launcher's output."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clearway.base.errors import ClearwayError
from clearway.cluster.hosts.answer import is_first_of_host
from clearway.cluster.hosts.ask import launcher_for, states_in
from clearway.cluster.hosts.check import check_of
from clearway.cluster.hosts.differences import differences
from clearway.cluster.hosts.output_lines import LINE_BYTES, encode
from clearway.cluster.hosts.state import Fact, State, Value, text_of


def hosts(name: str, *values: Value | None) -> list[State]:
    return [State(f"node{i}", {name: Fact(value, "there")}) for i, value in enumerate(values, 1)]


@pytest.mark.parametrize(
    ("name", "values", "odd"),
    [
        ("link.eth0.mtu", (1500, 1500, 1500), []),
        ("link.eth0.mtu", (1500, 9000, 1500), ["node2"]),
        ("link.eth0.speed_mbit", (1000, 1000, None), ["node3"]),
        ("tcp.congestion_control", ("cubic", "bbr"), ["node2"]),
        ("link.eth0.address", ("10.0.0.1", "10.0.0.2"), []),
        ("link.eth0.rx_errors", (0, 5), []),
        ("processor.loop_ms", (50.0, 52.0, 61.0, 49.0), []),
        ("processor.loop_ms", (50.0, 52.0, 140.0, 49.0), ["node3"]),
        ("memory.total_bytes", (1_000_000, 1_001_000, 500_000), ["node3"]),
    ],
)
def test_differences(name: str, values: tuple[Value | None, ...], odd: list[str]) -> None:
    found = differences(hosts(name, *values))
    assert [host for each in found for host in each.odd] == odd
    assert all(each.values == {f"node{i}": value for i, value in enumerate(values, 1)} for each in found)


def test_hosts_in_the_order_of_their_numbers() -> None:
    check = check_of([State(f"node{i}", {}) for i in (10, 2, 1)])
    assert [host.state.host for host in check.hosts] == ["node1", "node2", "node10"]


FACTS = st.dictionaries(
    st.text(min_size=1, max_size=30),
    st.builds(Fact, st.none() | st.integers() | st.text(max_size=300), st.text(max_size=60), st.text(max_size=60)),
    max_size=60,
)


@given(st.lists(FACTS, min_size=1, max_size=4), st.text(alphabet="xyz \n", max_size=80))
def test_lines_come_back_from_among_others(facts: list[dict[str, Fact]], noise: str) -> None:
    """In any order of whole lines, with a job's own words between them."""
    states = [State(f"node{i}", each) for i, each in enumerate(facts)]
    by_host = [encode(text_of(state)) for state in states]
    longest = max(map(len, by_host))
    mixed = [lines[at] for at in range(longest) for lines in by_host if at < len(lines)]
    assert all(len(line) < 4096 for line in mixed)
    assert sorted(states_in(f"\n{noise}\n".join(mixed)), key=lambda state: state.host) == states


def test_damage_is_noticed() -> None:
    facts = {f"fact{i}": Fact(i * 7919 % 1000, f"/file/{i * 104729}") for i in range(1000)}
    first, *rest = encode(text_of(State("node1", facts)))
    assert len(first) > LINE_BYTES
    assert rest
    for damaged in ([first], [first.replace("A", "B", 1), *rest], [first[:2000], first[2000:], *rest]):
        with pytest.raises(ClearwayError, match="mixed up"):
            states_in("\n".join(damaged))
    assert states_in("nothing of ours\n") == []


def test_one_answer_a_host() -> None:
    same = [State("node1", {"x": Fact(number, "there")}) for number in (1, 2)]
    assert len(states_in("\n".join(line for state in same for line in encode(text_of(state))))) == 1
    assert is_first_of_host({"OMPI_COMM_WORLD_LOCAL_RANK": "0"})
    assert not is_first_of_host({"MPI_LOCALRANKID": "1"})


def test_host_files(tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("# mine\nnode1 slots=4\nnode2:4\n\nnode1\nnode3 # the slow one\n")
    assert launcher_for(file, "mpiexec.hydra")[-1] == "3"
    with pytest.raises(ClearwayError, match="cannot give a host file"):
        launcher_for(file, "srun")
    file.write_text("# nobody\n")
    with pytest.raises(ClearwayError, match="names no host"):
        launcher_for(file, "mpirun")
