"""Another algorithm or another limit, in each MPI's words, where the trouble is in such operations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from remedies.made_cases import INTEL, MPICH, OPEN_MPI, call, connection, made_case, offer, sizes

from clearway.job.change import Change
from clearway.page.model import CallRow, CollectiveRow, Messages

MOSTLY_ALLTOALL = (call("MPI_Alltoall", stall_s=6.0), call("MPI_Sendrecv", stall_s=2.0))
MOSTLY_ALLGATHERV = (call("MPI_Allgatherv", transfer_s=8.0), call("MPI_Send", transfer_s=2.0))


def messages(tmp_path: Path, *histogram: tuple[int, int]) -> Messages:
    return replace(made_case(tmp_path).tables.messages, histogram=tuple(sizes(*each) for each in histogram))


ALL_AT_ONCE = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_alltoall_algorithm": "1"}


@pytest.mark.parametrize(
    ("library", "environment", "change"),
    [
        (
            OPEN_MPI,
            ALL_AT_ONCE,
            Change(
                parameters=(
                    ("coll_tuned_use_dynamic_rules", "1"),
                    ("coll_tuned_alltoall_algorithm", "4"),
                    ("coll_tuned_alltoallv_algorithm", "2"),
                )
            ),
        ),
        (
            MPICH,
            {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM": "pairwise"},
            Change(environment=(("MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM", "scattered"),)),
        ),
        (INTEL, {"I_MPI_ADJUST_ALLTOALL": "2"}, Change(environment=(("I_MPI_ADJUST_ALLTOALL", "3"),))),
    ],
)
def test_alltoall_in_place_of_what_the_job_names(
    tmp_path: Path, library: str, environment: dict[str, str], change: Change
) -> None:
    case = made_case(
        tmp_path, library=library, sockets=(connection(),), mpi_calls=MOSTLY_ALLTOALL, environment=environment
    )
    found = offer("alltoall-algorithm", case)
    assert found is not None
    assert found.change == change
    assert found.gain == pytest.approx(0.75)


@pytest.mark.parametrize(("low_bytes", "offered"), [(16384, False), (65536, True)])
def test_mpichs_own_choice_is_replaced_where_it_exchanges_in_pairs(
    tmp_path: Path, low_bytes: int, offered: bool
) -> None:
    row = CollectiveRow("MPI_Alltoall", "", 4, low_bytes, 2 * low_bytes - 1, 10, 10, 1.0, 0.0, 1.0, 0.0, None, None)
    case = made_case(tmp_path, library=MPICH, sockets=(connection(),), mpi_calls=MOSTLY_ALLTOALL, collectives=(row,))
    assert (offer("alltoall-algorithm", case) is not None) == offered


@pytest.mark.parametrize(
    ("environment", "calls"),
    [
        ({}, MOSTLY_ALLTOALL),
        ({**ALL_AT_ONCE, "OMPI_MCA_coll_tuned_alltoall_algorithm": "4"}, MOSTLY_ALLTOALL),
        (ALL_AT_ONCE, (call("MPI_Sendrecv", stall_s=2.0),)),
        (ALL_AT_ONCE, ()),
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
    calls = (replace(call("MPI_Alltoall", stall_s=1.0), function_class="collective"),)
    case = made_case(tmp_path, sockets=(connection(),), messages=sized, environment=said, mpi_calls=calls)
    found = offer("eager-limit", case)
    if limit is None:
        assert found is None
    else:
        assert found is not None
        assert found.change == Change(parameters=(("btl_tcp_eager_limit", limit), ("btl_tcp_rndv_eager_limit", limit)))
        assert found.what.startswith("send messages of up to "), "the limit that is set is twice that"


def test_eager_limit_is_not_for_stalls_between_two_ranks(tmp_path: Path) -> None:
    sized = messages(tmp_path / "sizes", (65536, 4_000_000))
    calls = (call("MPI_Waitall", stall_s=1.0),)
    assert offer("eager-limit", made_case(tmp_path, sockets=(connection(),), messages=sized, mpi_calls=calls)) is None
