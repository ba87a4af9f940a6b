"""Buffers: whose word is taken, and how much larger they may be."""

from __future__ import annotations

from pathlib import Path

import pytest
from remedies.made_cases import INTEL, MPICH, connection, made_case, offer

from clearway.job.change import Change

WAITING = (connection(sndbuf_limited_s=3.0, send_buffer_bytes=16384),)
HIGH = {"tcp.wmem_max": "8388608"}


def test_a_buffer_that_the_job_fixed_is_left_to_the_kernel(tmp_path: Path) -> None:
    case = made_case(tmp_path, sockets=WAITING, environment={"OMPI_MCA_btl_tcp_sndbuf": "8192"})
    found = offer("mpi-buffers", case, "send-buffer")
    assert found is not None
    assert found.change == Change(parameters=(("btl_tcp_sndbuf", "0"),))
    assert found.gain == pytest.approx(1 - 16384 / 4194304)


def test_no_more_is_gained_than_the_pipe_needs(tmp_path: Path) -> None:
    # 1 Gbit/s x 0.5 ms: 58,840 bytes on their way, which take a buffer of twice that. 16 of 118 kB are there.
    card = {"net.eth0.addresses": "10.0.0.#", "net.eth0.speed_mbit": "1000"}
    case = made_case(tmp_path, sockets=WAITING, host=card, environment={"OMPI_MCA_btl_tcp_sndbuf": "8192"})
    found = offer("mpi-buffers", case, "send-buffer")
    assert found is not None
    assert found.gain == 1.0


def test_one_that_the_kernel_chooses_is_fixed_where_a_program_may_have_more(tmp_path: Path) -> None:
    found = offer("mpi-buffers", made_case(tmp_path, sockets=WAITING, host=HIGH), "send-buffer")
    assert found is not None
    assert found.change == Change(parameters=(("btl_tcp_sndbuf", "8388608"),))  # of which Linux makes 16 MiB
    assert found.gain == pytest.approx(1 - 16384 / 16777216)


def test_not_where_the_kernel_goes_further_than_a_program_may(tmp_path: Path) -> None:
    assert offer("mpi-buffers", made_case(tmp_path, sockets=WAITING), "send-buffer") is None


def test_in_the_words_of_ucx(tmp_path: Path) -> None:
    case = made_case(
        tmp_path,
        library=MPICH,
        facts={"mpi.device": "ch4:ucx"},
        environment={"UCX_TCP_RCVBUF": "8k"},
        sockets=(
            connection(rwnd_limited_s=1.0),
            connection(rank=2, host="node1", local="10.0.0.2:5000", peer="10.0.0.1:5000", peer_rank=0),
        ),
    )
    found = offer("mpi-buffers", case, "receive-window")
    assert found is not None
    assert found.change == Change(environment=(("UCX_TCP_RCVBUF", "auto"),))


def test_libfabric_has_no_word_for_it_but_a_library_has(tmp_path: Path) -> None:
    case = made_case(tmp_path, library=INTEL, sockets=WAITING)
    assert offer("mpi-buffers", case, "send-buffer") is None
    found = offer("socket-buffers", case, "send-buffer")
    assert found is not None
    assert found.change == Change(
        environment=(("CLEARWAY_FLOW_SOCKETS", "send_buffer:212992"),),
        recorder_options=("--flow", "--flow-algorithm=own"),
    )
    assert found.gain == pytest.approx(1 - 16384 / 425984)


def test_a_library_that_sets_it_already_is_not_offered_again(tmp_path: Path) -> None:
    said = {"CLEARWAY_FLOW_SOCKETS": "send_buffer:64k"}
    assert offer("socket-buffers", made_case(tmp_path, sockets=WAITING, environment=said), "send-buffer") is None


def test_higher_ceilings_are_for_root(tmp_path: Path) -> None:
    found = offer("host-buffers", made_case(tmp_path, sockets=WAITING), "send-buffer")
    assert found is not None
    assert found.needs_root
    assert found.command == "sudo clearway host apply tcp.buffers=4Mi"


def test_high_ceilings_are_not_raised(tmp_path: Path) -> None:
    host = {"tcp.wmem_max": "8388608", "tcp.wmem": "4096 16384 8388608"}
    assert offer("host-buffers", made_case(tmp_path, sockets=WAITING, host=host), "send-buffer") is None


@pytest.mark.parametrize("name", ["mpi-buffers", "socket-buffers", "host-buffers"])
def test_nothing_without_a_connection_that_waits(tmp_path: Path, name: str) -> None:
    case = made_case(tmp_path, sockets=(connection(),), environment={"OMPI_MCA_btl_tcp_sndbuf": "8192"})
    assert offer(name, case, "send-buffer") is None
