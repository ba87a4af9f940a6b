"""Facts and counters agree with what /proc says."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from harness.programs import ProgramBuilder

MAPPED_BYTES = 256 << 20


def facts_of(rows) -> dict[str, str]:  # type: ignore[no-untyped-def]
    return {row["name"].decode(): row["text"].decode() for row in rows}


def test_process_facts(record, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    result = record("sh", "-c", "exit 0; : 'two words'", prefix=("taskset", "-c", "0"))
    facts = facts_of(result.run.facts.data)
    assert facts["process.command_line"] == "sh -c 'exit 0; : '\\''two words'\\'''"
    assert Path(facts["process.program"]).name in ("sh", "dash", "bash")
    assert facts["process.cwd"] == str(tmp_path / "work")
    assert facts["process.cpus_allowed"] == "0"
    assert facts["process.nodename"] == os.uname().nodename
    assert "process.stdout" not in facts  # a pipe


def test_standard_output_in_a_file(record, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    target = tmp_path / "out.txt"
    result = record("true", prefix=("sh", "-c", f'exec "$@" > {target}', "sh"))
    assert facts_of(result.run.facts.data)["process.stdout"] == str(target)


def test_process_counters(record) -> None:  # type: ignore[no-untyped-def]
    result = record(sys.executable, "-c", "sum(range(10_000_000))")
    last = {row["name"].decode(): int(row["last"]) for row in result.run.counters.data}
    assert last["process.cpu_all_threads_ns"] > 50_000_000
    assert last["process.rss_bytes"] <= last["process.peak_rss_bytes"]
    assert last["process.threads"] == 1


def test_what_a_program_maps_itself(record) -> None:  # type: ignore[no-untyped-def]
    several = f"import mmap\nfor _ in range(5): mmap.mmap(-1, {MAPPED_BYTES}).close()"
    result = record(sys.executable, "-c", several)
    last = {row["name"].decode(): int(row["last"]) for row in result.run.counters.data}
    assert 5 * MAPPED_BYTES <= last["process.mapped_bytes"] < 6 * MAPPED_BYTES
    assert "process.allocator" not in facts_of(result.run.facts.data)


def test_an_allocator_that_is_not_the_c_librarys(record, programs: ProgramBuilder) -> None:  # type: ignore[no-untyped-def]
    program = programs.build_plain("own_allocator", "own_allocator.c")
    assert facts_of(record(program).run.facts.data)["process.allocator"] == str(program)


def test_host(record) -> None:  # type: ignore[no-untyped-def]
    host = record("sleep", "1.2").run.hosts[0]
    assert host.facts["host.kernel"] == os.uname().release
    assert int(host.facts["host.cores"]) == os.cpu_count()
    flags = next(
        (line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")), ""
    ).split()
    assert host.facts.get("host.vectors") == next((each for each in ("avx512f", "avx2", "avx") if each in flags), None)
    control = Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text().strip()
    assert host.facts["tcp.congestion_control"] == control
    assert host.facts["net.lo.addresses"].split()[0] == "127.0.0.1"
    first, last = host.counters["cpu.idle_ms"]
    assert 0 <= last - first <= 1500 * (os.cpu_count() or 1) * 2
    assert {"tcp.RetransSegs", "tcpext.TCPTimeouts", "net.lo.tx_bytes", "memory.available_bytes"} <= set(host.counters)
