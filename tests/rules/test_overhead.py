"""Functions that only serve a computation, on made profiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from python.made_runs import world, write_all
from rules.host_jobs import MadeHost, case_of
from rules.test_threads import made, rank

from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.facts.overhead_kinds import KINDS
from clearway.diagnosis.facts.overheads import is_mpi, kind_of
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer, remedies
from clearway.diagnosis.rules import Suspicion, load_imbalance, overhead
from clearway.job.change import Change
from clearway.ledger.profile import Function, Profile
from clearway.run import load

LIBSTDCXX, LIBGFORTRAN = "/usr/lib/libstdc++.so.6.0.30", "/usr/lib/libgfortran.so.5.0.0"
LIBZ = "/usr/lib/libz.so.1.2.13"
LIBPYTHON = "/usr/lib/libpython3.11.so.1.0"
LIBC, MPI = "/usr/lib64/libc.so.6", "/opt/openmpi/lib/libmpi.so.40"
OWN = Function("/home/me/md", "forces")
CLOCK = Function("[vdso]", "")


OPENBLAS = "/opt/python/pyscf/lib/libopenblas-r0.3.3.so"
OLD = Function(OPENBLAS, "dgemm_kernel_BARCELONA")


def sampled(directory: Path, *spent: tuple[Function, float], vectors: str = "", told: str = "") -> Case:
    """One rank that computed, with so many sampled seconds in each function."""
    one = rank()
    if told:
        one.fact(f"environment.{told.partition('=')[0]}", told.partition("=")[2])
    host = {"host.cores": "2"} | ({"host.vectors": vectors} if vectors else {})
    case = case_of([one], directory, MadeHost(facts=host))
    functions = tuple(function for function, _ in spent)
    seconds = np.array([second for _, second in spent])
    number = np.arange(len(spent), dtype=np.int32)
    profile = Profile(functions, np.zeros(len(spent), np.int32), number, seconds, np.zeros(len(spent)), 0.01)
    return replace(case, tables=replace(case.tables, profile=profile))


def clocks(directory: Path, costs: bool) -> Case:
    """The clock is read, in a fifth of the time or in a fiftieth."""
    return sampled(directory, (OWN, 6.0), (CLOCK, 1.5 if costs else 0.12))


def examined(directory: Path, *spent: tuple[Function, float]) -> Suspicion | None:
    return overhead.examine(sampled(directory, *spent))


@pytest.mark.parametrize(
    ("path", "name", "kind"),
    [
        (LIBC, "malloc", "allocation"),
        ("/lib/libc-2.28.so", "_int_malloc", "allocation"),
        ("/opt/x/libjemalloc.so.2", "anything", "allocation"),
        (LIBC, "memcpy", ""),  # that may be what the program is for
        ("/lib/libm.so.6", "exp", ""),
        ("/home/me/md", "malloc_forces", ""),
        ("/home/me/md", "__addtf3", "soft-numbers"),
        ("/home/me/md", "mcount", "instrumentation"),
        ("/lib/libgomp.so.1.0.0", "GOMP_loop_dynamic_next", "handing-out"),
        ("/lib/libgomp.so.1.0.0", "GOMP_parallel", ""),
        ("/opt/intel/libiomp5.so", "__kmpc_dispatch_next_4", "handing-out"),
        ("/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0", "dgemm_", "reference-blas"),
        ("/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3", "dgemm_", ""),
        ("/usr/bin/python3.11", "_PyEval_EvalFrameDefault", "python"),
        ("/usr/lib/python3/numpy/core/_multiarray_umath.so", "DOUBLE_add", ""),
        (LIBZ, "deflate", "compression"),
        (LIBZ, "", "compression"),
        (LIBZ, "crc32_z", "checksums"),  # that alone is no compressing
        ("/usr/lib/libcrypto.so.3", "MD5_Update", "checksums"),
        ("/usr/lib/libcrypto.so.3", "EVP_EncryptUpdate", ""),
        ("/usr/lib/libcrypto.so.3", "", ""),
        ("/usr/lib/python3.11/lib-dynload/_sha256.cpython-311-x86_64-linux-gnu.so", "", "checksums"),
        (LIBSTDCXX, "__dynamic_cast", "types"),  # streams use it for each line: no exception is thrown
        (LIBSTDCXX, "__cxa_throw", "exceptions"),
        (LIBSTDCXX, "std::_Hash_bytes", "names"),
        (LIBSTDCXX, "std::_Rb_tree_increment", "look-ups"),
        (LIBGFORTRAN, "_gfortran_compare_string", "names"),
        (LIBGFORTRAN, "_gfortran_adjustl", "names"),
        (LIBGFORTRAN, "_gfortran_internal_pack", "packing"),
        (LIBGFORTRAN, "_gfortran_pack", ""),  # the program's own `pack`
        (LIBGFORTRAN, "_gfortran_matmul_r8", ""),
        ("/lib64/libc.so.6", "__strcmp_avx2", "names"),
        ("/lib/libm.so.6", "fmod", "remainders"),
        ("/lib/libm.so.6", "__fmod_finite", "remainders"),
        ("/lib/libm.so.6", "frexp", ""),
        ("/lib/libm.so.6", "pow", ""),  # the exponent may be any number
        ("/home/me/md", "fmod", ""),
        (OPENBLAS, "dgemm_kernel_BARCELONA", "old-kernels"),
        (OPENBLAS, "ddot_k_NEHALEM", "old-kernels"),
        (OPENBLAS, "dgemm_kernel_HASWELL", ""),
        (OPENBLAS, "blas_thread_server", ""),
        ("/home/me/md", "forces_BARCELONA", ""),
        ("/opt/intel/mkl/lib/libmkl_def.so.1", "mkl_blas_def_xdgemm", "old-kernels"),
        ("/opt/intel/mkl/lib/libmkl_avx2.so.1", "mkl_blas_avx2_xdgemm", ""),
        ("/home/me/md", "std::_Hashtable<…>::_M_find_before_node", "look-ups"),
        ("/home/me/md", "std::map<…>::operator[]", "look-ups"),
        ("/home/me/md", "std::__detail::_Executor<…>::_M_dfs", "names"),
        ("/home/me/md", "std::vector<…>::operator[]", "not-optimised"),
        ("/home/me/md", "std::vector<…>::size", "not-optimised"),
        ("/home/me/md", "std::operator+<…>", ""),  # of texts: it is called in optimised programs, too
        ("/home/me/md", "std::vector<…>::_M_realloc_insert", ""),  # that is no line, in optimised programs neither
        ("/home/me/md", "std::mersenne_twister_engine<…>::_M_gen_rand", ""),
        (MPI, "PMPI_Wtime", "clock"),
        (MPI, "PMPI_Allreduce", ""),
        (MPI, "MPI_Pack", "mpi-for-each"),
        ("/opt/mpich/lib/libmpich.so.12", "PMPI_Comm_rank", "mpi-for-each"),
        (MPI, "MPI_Pack_external32", ""),
        (MPI, "opal_convertor_pack", ""),  # each message is packed
        ("/home/me/md", "MPI_Pack", ""),
        ("/usr/lib/libefence.so.0.0", "", "checked-memory"),
        ("/lib/libc_malloc_debug.so.0", "malloc", "checked-memory"),
        (LIBPYTHON, "_PyMem_DebugCheckAddress", "checked-memory"),
        (LIBPYTHON, "_PyObject_Malloc", "python"),
        (LIBPYTHON, "_Py_dg_dtoa", "text"),
        (LIBPYTHON, "quorem", "text"),
        (LIBPYTHON, "lshift.part.0", "text"),
        ("/home/me/md", "quorem", ""),
    ],
)
def test_what_a_function_is_for(path: str, name: str, kind: str) -> None:
    assert kind_of(Function(path, name)) == kind


def test_a_helper_between_two_checksums_is_of_one() -> None:
    crypto = "/usr/lib/libcrypto.so.3"
    assert kind_of(Function(crypto, "", "SHA1_Init", "SHA224_Init")) == "checksums"
    assert kind_of(Function(crypto, "", "MD5_Final", "OBJ_NAME_add")) == ""


def test_what_an_mpi_answers_at_once_is_the_program_s() -> None:
    assert not is_mpi(Function(MPI, "MPI_Pack")) and not is_mpi(Function(MPI, "PMPI_Comm_size"))
    assert is_mpi(Function(MPI, "MPI_Comm_dup")) and is_mpi(Function(MPI, ""))


def test_helpers_without_a_name_are_of_the_kind_around_them() -> None:
    assert kind_of(Function(LIBC, "", "malloc", "free")) == "allocation"
    assert kind_of(Function(LIBC, "", "malloc", "qsort")) == ""
    assert (
        kind_of(Function("/lib/libgomp.so.1.0.0", "", "omp_get_device_num", "GOMP_loop_static_start")) == "handing-out"
    )
    assert kind_of(Function(LIBGFORTRAN, "", "_gfortran_reshape_c16", "_gfortran_pow_i4_i4")) == "packing"
    assert kind_of(Function(LIBGFORTRAN, "", "_gfortran_pack", "_gfortran_unpack0")) == ""
    assert kind_of(Function("/home/me/md", "")) == ""


def test_an_atomic_operation_of_a_lock_is_the_lock_s() -> None:
    assert kind_of(Function(LIBC, "pthread_mutex_lock", atomic=True)) == "locks"
    assert kind_of(Function("/home/me/md", "add", atomic=True)) == "atomics"


def test_every_kind_says_what_to_do() -> None:
    assert all(kind.title and len(kind.why) > 80 and 0 < kind.comes_back <= 1 for kind in KINDS.values())


def test_a_clock_that_is_read_all_the_time(tmp_path: Path) -> None:
    told = examined(tmp_path, (OWN, 6.0), (CLOCK, 2.0))
    assert told is not None
    assert told.title == KINDS["clock"].title
    assert "25.0 %" in told.says
    case = made(tmp_path / "same", rank())
    assert told.claims["compute_s"] == pytest.approx(0.25 * 0.9 * case.losses.compute_s)


def test_waiting_in_the_mpi_makes_no_share_smaller(tmp_path: Path) -> None:
    alone = examined(tmp_path / "alone", (OWN, 6.0), (CLOCK, 2.0))
    beside = examined(tmp_path / "beside", (OWN, 6.0), (CLOCK, 2.0), (Function(MPI, "opal_progress"), 40.0))
    assert alone is not None
    assert beside is not None
    assert alone.claims == beside.claims


@pytest.mark.parametrize(("vectors", "is_found"), [("avx512f", True), ("avx2", True), ("avx", False), ("", False)])
def test_kernels_for_older_processors_are_a_fault_on_newer_ones_only(
    vectors: str, is_found: bool, tmp_path: Path
) -> None:
    told = overhead.examine(sampled(tmp_path, (OWN, 2.0), (OLD, 6.0), vectors=vectors))
    assert (told is not None) == is_found
    assert told is None or told.title == KINDS["old-kernels"].title


def offered(case: Case) -> Offer | None:
    told = overhead.examine(case)
    assert told is not None
    finding = Finding("overhead", told.title or "", told.says, 1.0, 0.1, told.evidence, (), 0.6)
    return remedies()["blas-kernels"].offer(case, finding)


def test_openblas_is_told_what_the_processor_can(tmp_path: Path) -> None:
    found = offered(sampled(tmp_path, (OWN, 2.0), (OLD, 6.0), vectors="avx2"))
    assert found is not None
    assert found.change == Change(environment=(("OPENBLAS_CORETYPE", "Haswell"),))
    assert "dgemm_kernel_BARCELONA" in found.why


def test_openblas_is_not_told_again(tmp_path: Path) -> None:
    told = "OPENBLAS_CORETYPE=Prescott"
    assert offered(sampled(tmp_path, (OWN, 2.0), (OLD, 6.0), vectors="avx2", told=told)) is None


def test_neither_is_mkl_nor_a_program_with_another_overhead(tmp_path: Path) -> None:
    mkl = Function("/opt/intel/mkl/lib/libmkl_def.so.1", "mkl_blas_def_xdgemm")
    assert offered(sampled(tmp_path / "mkl", (OWN, 2.0), (mkl, 6.0), vectors="avx2")) is None
    assert offered(sampled(tmp_path / "clock", (OWN, 2.0), (CLOCK, 6.0), (OLD, 0.5), vectors="avx2")) is None


@pytest.mark.parametrize("clock_s", [0.2, 0.3])
def test_little_is_no_finding(tmp_path: Path, clock_s: float) -> None:
    assert examined(tmp_path, (OWN, 7.0), (CLOCK, clock_s)) is None


def test_few_samples_are_no_finding(tmp_path: Path) -> None:
    assert examined(tmp_path, (OWN, 0.1), (CLOCK, 0.19)) is None
    assert examined(tmp_path / "more", (OWN, 0.1), (CLOCK, 0.21)) is not None


def test_the_kind_that_gives_most_back_is_told_first(tmp_path: Path) -> None:
    told = examined(tmp_path, (OWN, 2.0), (CLOCK, 2.0), (Function(LIBC, "malloc"), 3.0))  # 1.8 and 1.5 s
    assert told is not None
    assert told.title == KINDS["clock"].title
    assert any(KINDS["allocation"].title in one.value for one in told.evidence)


def uneven(directory: Path, *spent: tuple[str | Function, float, float], programs: Sequence[str] = ()) -> str:
    """What is said of a rank that computes 6 s instead of 2, with sampled seconds of both in each function."""
    ranks = world(2)
    for one, computed_s in zip(ranks, (6.0, 2.0), strict=True):
        one.thread = {"cpu_ns": round(computed_s * 1e9)}
        for step in range(20):
            begin_s = step * 0.35
            one.collective("MPI_Allreduce", begin_s + computed_s / 20, begin_s + 0.31, nbytes=8)
    for one, program in zip(ranks, programs, strict=False):
        one.fact("process.program", program)
    case = open_case(load(write_all(ranks, directory)))
    functions = tuple(one if isinstance(one, Function) else Function("/home/me/md", one) for one, _, _ in spent)
    number = np.tile(np.arange(len(spent), dtype=np.int32), 2)
    seconds = np.array([one[1] for one in spent] + [one[2] for one in spent])
    process = np.repeat(np.arange(2, dtype=np.int32), len(spent))
    profile = Profile(functions, process, number, seconds, np.zeros(len(seconds)), 0.01)
    told = load_imbalance.examine(replace(case, tables=replace(case.tables, profile=profile)))
    assert told is not None
    return told.says


def test_the_function_in_which_a_rank_takes_longer_is_named(tmp_path: Path) -> None:
    said = uneven(tmp_path / "a", ("forces", 1.5, 1.5), ("neighbours", 4.5, 0.5))
    assert "Most of the difference is in `neighbours`" in said


def test_no_function_is_named_where_all_take_longer(tmp_path: Path) -> None:
    assert "Most of the difference" not in uneven(tmp_path / "b", ("a", 2.0, 0.7), ("b", 2.0, 0.7), ("c", 2.0, 0.6))


@pytest.mark.parametrize(
    ("programs", "told"),
    [
        (["/opt/analyse", "/opt/md"], "Rank 0 on node0, which runs analyse, computes"),
        (["/opt/md", "/opt/md"], "Rank 0 on node0 computes"),
        (["/opt/analyse"], "Rank 0 on node0 computes"),  # it is not known whether the other runs it, too
    ],
)
def test_a_late_rank_of_another_program_is_told_by_that(tmp_path: Path, programs: list[str], told: str) -> None:
    assert told in uneven(tmp_path, ("forces", 6.0, 2.0), programs=programs)


CRYPTO = "/usr/lib/libcrypto.so.3"


@pytest.mark.parametrize(
    "spent",
    [
        [("forces", 2.0, 2.0), (Function(CRYPTO, ""), 4.0, 0.0)],
        [("forces", 2.0, 2.0), *((Function(CRYPTO, name), 0.8, 0.0) for name in ("sha", "md5", "crc", "rsa"))],
    ],
)
def test_a_library_is_named_where_no_function_is_most_of_it(
    tmp_path: Path, spent: list[tuple[str | Function, float, float]]
) -> None:
    """One whose names are stripped, or whose functions divide the time among them."""
    assert "Most of the difference is in functions of libcrypto.so.3: " in uneven(tmp_path, *spent)


@pytest.mark.parametrize(
    ("file", "name", "is_its"),
    [
        ("libmpi.so.40.30.4", "PMPI_Allreduce", True),
        ("libmpich.so.12", "", True),
        ("libopen-pal.so.40", "opal_progress", True),
        ("mca_btl_vader.so", "", True),
        ("libucp.so.0", "", True),
        ("libopenblas.so.0", "dgemm_", False),
        ("libmpi.so.40.30.4", "MPI_Wtime", False),
    ],
)
def test_what_is_of_the_mpi(file: str, name: str, is_its: bool) -> None:
    assert is_mpi(Function(f"/usr/lib/{file}", name)) == is_its
