"""Cards, shared memory, fabrics."""

from __future__ import annotations

from pathlib import Path

import pytest
from remedies.made_cases import INTEL, MPICH, OPEN_MPI, OPEN_MPI_5, connection, made_case, offer

from clearway.job.change import Change


def two_cards(slow_mbit: int = 100, fast_mbit: int = 1000) -> dict[str, str]:
    return {
        "net.eth0.speed_mbit": str(slow_mbit),
        "net.eth0.addresses": "10.0.0.# fe80::#",
        "net.eth0.networks": "10.0.0.0/24",
        "net.eth1.speed_mbit": str(fast_mbit),
        "net.eth1.addresses": "10.1.0.#",
        "net.eth1.networks": "10.1.0.0/24",
        "net.lo.addresses": "127.0.0.1",
    }


@pytest.mark.parametrize(
    ("library", "device", "change"),
    [
        (OPEN_MPI, "", Change(parameters=(("btl_tcp_if_include", "eth1"),))),
        (MPICH, "ch4:ucx", Change(environment=(("UCX_NET_DEVICES", "eth1"),))),
        (INTEL, "", Change(environment=(("FI_TCP_IFACE", "eth1"),))),
    ],
)
def test_the_faster_card(tmp_path: Path, library: str, device: str, change: Change) -> None:
    facts = {"mpi.device": device} if device else {}
    case = made_case(tmp_path, library=library, facts=facts, host=two_cards(), sockets=(connection(),))
    found = offer("network-card", case, "slow-card")
    assert found is not None
    assert found.change == change


def test_not_itself_is_given_up_where_both_carry_data(tmp_path: Path) -> None:
    """More goes by the fast one already."""
    both = (connection(), connection(local="10.1.0.1:5001", peer="10.1.0.2:5001", bytes_sent=10**12))
    found = offer("network-card", made_case(tmp_path, host=two_cards(), sockets=both), "slow-card")
    assert found is not None
    assert found.what == "send messages over eth1 instead of eth0"


def test_not_where_the_faster_one_is_used_or_both_are_equal(tmp_path: Path) -> None:
    used = made_case(
        tmp_path / "used", host=two_cards(), sockets=(connection(local="10.1.0.1:5000", peer="10.1.0.2:5000"),)
    )
    equal = made_case(tmp_path / "equal", host=two_cards(1000, 1000), sockets=(connection(),))
    assert offer("network-card", used, "slow-card") is None
    assert offer("network-card", equal, "slow-card") is None


@pytest.mark.parametrize(
    ("library", "environment", "change"),
    [
        (OPEN_MPI, {"OMPI_MCA_btl": "tcp,self"}, Change(parameters=(("btl", "tcp,self,vader"),))),
        (OPEN_MPI_5, {"OMPI_MCA_btl": "tcp,self"}, Change(parameters=(("btl", "tcp,self,sm"),))),
        (OPEN_MPI, {"OMPI_MCA_btl": "^vader,openib"}, Change(parameters=(("btl", "^openib"),))),
        (OPEN_MPI, {"OMPI_MCA_btl": "^vader"}, Change(parameters=(("btl", "self,vader,tcp"),))),
        (OPEN_MPI, {"OMPI_MCA_btl": "^openib"}, None),
        (OPEN_MPI, {"OMPI_MCA_btl": "tcp,self,vader"}, None),
        (OPEN_MPI, {}, None),
        (MPICH, {"MPIR_CVAR_NOLOCAL": "1"}, Change(environment=(("MPIR_CVAR_NOLOCAL", "0"),))),
        (MPICH, {"UCX_TLS": "tcp,self"}, Change(environment=(("UCX_TLS", "tcp,self,sm"),))),
        (MPICH, {"UCX_TLS": "tcp,self,posix"}, None),
        (MPICH, {"UCX_TLS": "^ib"}, None),
        (MPICH, {}, None),
        (INTEL, {"I_MPI_FABRICS": "ofi"}, Change(environment=(("I_MPI_FABRICS", "shm:ofi"),))),
        (INTEL, {"I_MPI_FABRICS": "shm:ofi"}, None),
    ],
)
def test_shared_memory(tmp_path: Path, library: str, environment: dict[str, str], change: Change | None) -> None:
    found = offer("shared-memory", made_case(tmp_path, library=library, environment=environment), "tcp-inside-host")
    assert (found.change if found else None) == change


def test_shared_memory_not_for_one_rank_a_host(tmp_path: Path) -> None:
    case = made_case(tmp_path, ranks=2, hosts=2, environment={"OMPI_MCA_btl": "tcp,self"})
    assert offer("shared-memory", case, "tcp-inside-host") is None


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({}, False),
        ({"OMPI_MCA_btl": "^tcp"}, False),
        ({"OMPI_MCA_btl_tcp_if_include": "eth0"}, False),
        ({"OMPI_MCA_btl": "self,tcp"}, True),
        ({"OMPI_MCA_pml": "ob1"}, True),
    ],
)
def test_who_sent_the_job_by_tcp(tmp_path: Path, environment: dict[str, str], told: bool) -> None:
    found = offer("faster-fabric", made_case(tmp_path, environment=environment), "slower-fabric")
    assert found is not None
    assert ("a setting makes it use TCP" in found.why) == told


@pytest.mark.parametrize(
    ("library", "layer"),
    [
        ("Open MPI v4.1.4, package: Open MPI root@srv5 Distribution", "vader"),
        ("Open MPI v4.1.5rc1, package: v5.0", "vader"),
        ("Open MPI v5.0.11, package: Open MPI root@srv4 Distribution", "sm"),
        ("Open MPI v10.0.0", "sm"),
    ],
)
def test_the_version_is_the_librarys_own(tmp_path: Path, library: str, layer: str) -> None:
    environment = {"OMPI_MCA_btl": "tcp,self"}
    found = offer("shared-memory", made_case(tmp_path, library=library, environment=environment), "no-shared-memory")
    assert found is not None and found.change is not None
    assert found.change.parameters == (("btl", f"tcp,self,{layer}"),)


@pytest.mark.parametrize(
    ("library", "family"),
    [
        (
            "MPICH Version:      4.0.2\nMPICH CC: icc -I/opt/intel/include\nMPICH configure: --prefix=/opt/openmpi",
            "mpich",
        ),
        ("MPI VERSION    : CRAY MPICH version 8.1.25", "mpich"),
        ("Intel(R) MPI Library 2021.18 for Linux* OS", "intel"),
        ("Open MPI v4.1.4, package: Open MPI intel@mpich5 Distribution", "openmpi"),
        ("IBM Spectrum MPI", ""),
        ("", ""),
    ],
)
def test_a_library_is_called_by_its_first_word(tmp_path: Path, library: str, family: str) -> None:
    assert made_case(tmp_path, library=library).family == family
