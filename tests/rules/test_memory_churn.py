"""memory-churn: page faults beyond what the ranks ever held."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import Machine, Rank, SegmentKind

from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.rules import rules
from clearway.run import load


def case(
    directory: Path,
    faults: int,
    fault_ns: str = "2000",
    mapped: int = 0,
    allocator: str = "",
    system_ms: int = 0,
    **environment: str,
) -> Case:
    """Two ranks that compute for 10 s, with 1,000 pages at their peak."""
    machine = Machine()
    for number in range(2):
        rank = Rank(number, 2, machine=machine, thread={"cpu_ns": 10 * 10**9})
        held = 4096 * 1000
        for name, last in (
            ("process.minor_faults", faults),
            ("process.peak_rss_bytes", held),
            ("process.mapped_bytes", 4096 * mapped),
            *([("process.main_system_ms", system_ms), ("process.threads", 1)] if system_ms else []),
        ):
            rank.add(SegmentKind.COUNTERS, name=name.encode(), first=0, last=last)
        if allocator:
            rank.fact("process.allocator", allocator)
        for name, value in environment.items():
            rank.fact(f"environment.{name}", value)
        rank.write(directory)
    record = Rank(0, 1, machine=machine).host_record({"memory.page_fault_ns": fault_ns}, {})
    (directory / "host.node0.00000000.cwr").write_bytes(record)
    return open_case(load(directory))


def test_faults_beyond_the_peak_cost_what_the_host_takes(tmp_path: Path) -> None:
    found = rules()["memory-churn"].examine(case(tmp_path, faults=501_000))
    assert found is not None
    assert found.claims == {"compute_s": pytest.approx(2 * 2 * 500_000 * 2e-6)}


@pytest.mark.parametrize(("faults", "fault_ns"), [(1000, "2000"), (501_000, ""), (120_000, "2000")])
def test_nothing_where_few_pages_were_touched_again_or_the_cost_is_unknown(
    tmp_path: Path, faults: int, fault_ns: str
) -> None:
    assert rules()["memory-churn"].examine(case(tmp_path, faults, fault_ns)) is None


def test_what_the_c_library_was_told_is_named(tmp_path: Path) -> None:
    found = rules()["memory-churn"].examine(case(tmp_path, faults=501_000, MALLOC_TRIM_THRESHOLD_="0"))
    assert found is not None
    assert "by MALLOC_TRIM_THRESHOLD_=0: try it without" in found.says


def test_among_its_tunables_too(tmp_path: Path) -> None:
    told = "glibc.rtld.nns=4:glibc.malloc.mmap_threshold=4096"
    found = rules()["memory-churn"].examine(case(tmp_path, faults=501_000, GLIBC_TUNABLES=told))
    assert found is not None
    assert "by GLIBC_TUNABLES=glibc.malloc.mmap_threshold=4096: try it without" in found.says


@pytest.mark.parametrize(
    ("library", "name", "value", "told"),
    [
        ("libjemalloc.so.2", "MALLOC_CONF", "stats_print:true,dirty_decay_ms:0", "MALLOC_CONF=dirty_decay_ms:0"),
        ("libjemalloc.so.2", "MALLOC_CONF", "stats_print:true", ""),
        ("libtcmalloc.so.4", "TCMALLOC_RELEASE_RATE", "10", "TCMALLOC_RELEASE_RATE=10"),
        ("libtcmalloc.so.4", "MALLOC_CONF", "dirty_decay_ms:0", ""),
        ("libmimalloc.so.2", "MIMALLOC_PURGE_DELAY", "0", "MIMALLOC_PURGE_DELAY=0"),
        ("libjemalloc.so.2", "MALLOC_TRIM_THRESHOLD_", "0", ""),
    ],
)
def test_what_another_allocator_was_told_is_named(
    tmp_path: Path, library: str, name: str, value: str, told: str
) -> None:
    """By variables that are its own, and only what decides when it gives memory back."""
    found = rules()["memory-churn"].examine(case(tmp_path, faults=501_000, allocator=library, **{name: value}))
    assert found is not None
    assert ("try it without" in found.says) == bool(told)
    assert told in found.says


def test_no_more_than_the_kernel_took_and_that_once(tmp_path: Path) -> None:
    """Of 3 s of system time 2 ms were for touching each page once: no other rule claims the rest again."""
    slow = case(tmp_path, faults=5_001_000, system_ms=3000)
    found = rules()["memory-churn"].examine(slow)
    assert found is not None
    assert found.claims == {"compute_s": pytest.approx(2 * (3.0 - 0.002))}
    assert rules()["kernel-time"].examine(slow) is None


def test_no_more_than_was_computed(tmp_path: Path) -> None:
    found = rules()["memory-churn"].examine(case(tmp_path, faults=10**9))
    assert found is not None
    assert found.claims["compute_s"] == pytest.approx(20.0)


def test_what_the_program_maps_itself_is_not_the_c_librarys(tmp_path: Path) -> None:
    found = rules()["memory-churn"].examine(case(tmp_path / "few", faults=501_000, mapped=100_000))
    assert found is not None
    assert "when the C library returns" in found.says
    found = rules()["memory-churn"].examine(case(tmp_path / "most", faults=501_000, mapped=400_000))
    assert found is not None
    assert "maps memory by mmap" in found.says
    assert found.evidence[-1].value == "800,000 pages"


def test_another_allocator_is_named(tmp_path: Path) -> None:
    found = rules()["memory-churn"].examine(case(tmp_path, faults=501_000, allocator="/usr/lib/libjemalloc.so.2"))
    assert found is not None
    assert "the allocator (libjemalloc.so.2, not the C library's)" in found.says
