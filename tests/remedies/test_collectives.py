"""Another algorithm or another limit, in each MPI's words, where the trouble is in such operations."""

from __future__ import annotations

from pathlib import Path

import pytest
from remedies.made_cases import INTEL, MPICH, OPEN_MPI, call, connection, made_case, offer, sizes

from clearway.launch.change import Change
from clearway.page import CallRow, Messages

MOSTLY_ALLTOALL = (call("MPI_Alltoall", stall_s=6.0), call("MPI_Sendrecv", stall_s=2.0))
MOSTLY_ALLGATHERV = (call("MPI_Allgatherv", transfer_s=8.0), call("MPI_Send", transfer_s=2.0))
PAIRWISE = (
    ("coll_tuned_use_dynamic_rules", "1"),
    ("coll_tuned_alltoall_algorithm", "2"),
    ("coll_tuned_alltoallv_algorithm", "2"),
)


def messages(tmp_path: Path, *histogram: tuple[int, int]) -> Messages:
    from dataclasses import replace

    return replace(made_case(tmp_path).page.messages, histogram=tuple(sizes(*each) for each in histogram))


@pytest.mark.parametrize(
    ("library", "change"),
    [
        (OPEN_MPI, Change(parameters=PAIRWISE)),
        (MPICH, Change(environment=(("MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM", "pairwise"),))),
        (INTEL, Change(environment=(("I_MPI_ADJUST_ALLTOALL", "3"),))),
    ],
)
def test_alltoall_in_pairs(tmp_path: Path, library: str, change: Change) -> None:
    case = made_case(tmp_path, library=library, sockets=(connection(),), mpi_calls=MOSTLY_ALLTOALL)
    found = offer("alltoall-algorithm", case)
    assert found is not None
    assert found.change == change


def test_alltoall_of_large_blocks_also_needs_a_higher_limit(tmp_path: Path) -> None:
    histogram = messages(tmp_path / "sizes", (65536, 10_000_000))
    case = made_case(tmp_path, sockets=(connection(),), mpi_calls=MOSTLY_ALLTOALL, messages=histogram)
    found = offer("alltoall-algorithm", case)
    assert found is not None
    assert found.change is not None
    limits = (("btl_tcp_eager_limit", "262144"), ("btl_tcp_rndv_eager_limit", "262144"))
    assert found.change.parameters == (*PAIRWISE, *limits)


@pytest.mark.parametrize(
    ("environment", "calls"),
    [
        (
            {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_alltoall_algorithm": "3"},
            MOSTLY_ALLTOALL,
        ),
        ({}, (call("MPI_Sendrecv", stall_s=2.0),)),
        ({}, ()),
    ],
)
def test_alltoall_not_where_it_is_chosen_or_no_trouble(
    tmp_path: Path, environment: dict[str, str], calls: tuple[CallRow, ...]
) -> None:
    case = made_case(tmp_path, sockets=(connection(),), mpi_calls=calls, environment=environment)
    assert offer("alltoall-algorithm", case) is None


def test_allgather_around_a_ring(tmp_path: Path) -> None:
    case = made_case(tmp_path, ranks=8, mpi_calls=MOSTLY_ALLGATHERV)
    found = offer("allgather-algorithm", case)
    assert found is not None
    assert found.gain is not None
    assert 0 < found.gain < 1


def test_allgather_not_where_it_is_a_ring(tmp_path: Path) -> None:
    said = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_allgatherv_algorithm": "3"}
    case = made_case(tmp_path, ranks=8, mpi_calls=MOSTLY_ALLGATHERV, environment=said)
    assert offer("allgather-algorithm", case) is None


def test_allgather_where_a_linear_one_was_chosen(tmp_path: Path) -> None:
    said = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_allgatherv_algorithm": "1"}
    case = made_case(tmp_path, ranks=8, mpi_calls=MOSTLY_ALLGATHERV, environment=said)
    assert offer("allgather-algorithm", case) is not None


@pytest.mark.parametrize(
    ("histogram", "said", "limit"),
    [
        (((65536, 4_000_000), (1024, 1_000_000)), {}, "262144"),
        (((32768, 4_000_000),), {}, None),  # below the limit
        (((65536, 100_000), (1024, 1_000_000)), {}, None),  # a tenth of the bytes
        (((2**21, 4_000_000),), {}, None),  # too large to be kept by a receiver
        (((65536, 4_000_000),), {"OMPI_MCA_btl_tcp_eager_limit": "1000000"}, None),
    ],
)
def test_eager_limit(
    tmp_path: Path, histogram: tuple[tuple[int, int], ...], said: dict[str, str], limit: str | None
) -> None:
    sized = messages(tmp_path / "sizes", *histogram)
    found = offer("eager-limit", made_case(tmp_path, sockets=(connection(),), messages=sized, environment=said))
    if limit is None:
        assert found is None
    else:
        assert found is not None
        assert found.change == Change(parameters=(("btl_tcp_eager_limit", limit), ("btl_tcp_rndv_eager_limit", limit)))
