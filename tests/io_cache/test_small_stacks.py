"""Where a program has little stack we need little: in threads, and in signal handlers on a stack of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_command

from clearway.run import load


@pytest.mark.parametrize("size", [None, "64Mi", "1Mi"])
def test_files_in_threads_and_handlers_with_small_stacks(
    programs: ProgramBuilder, tmp_path: Path, size: str | None
) -> None:
    program = programs.build_plain("small_stacks", "small_stacks.c", flags=["-pthread"])
    (tmp_path / "scratch").mkdir()
    plain = run_command([program, tmp_path / "scratch"])
    assert (plain.exit_code, plain.stdout) == (0, "3300001 3300001\n"), plain.says
    options = ["--io-cache", size, "--io-cache-files", f"{tmp_path / 'scratch'}/*"] if size is not None else []
    record = [clearway_tool("clearway-record"), "--always", "-o", tmp_path / "run", *options, "--"]
    outcome = run_command([*record, program, tmp_path / "scratch"])
    assert (outcome.exit_code, outcome.stdout) == (0, plain.stdout), outcome.says
    if size is not None:
        assert load(tmp_path / "run").io_cache.data["written_bytes"].sum() > 0, "nothing was in the cache"


@pytest.mark.parametrize("size_kib", [100, 112, 120, 124, 240, 250, 4096])
def test_threads_of_ours_where_the_program_has_much_thread_local_storage(
    programs: ProgramBuilder, tmp_path: Path, size_kib: int
) -> None:
    """Libc takes it from the stack of each thread, of ours as well."""
    name = f"thread_storage_{size_kib}"
    program = programs.build_plain(name, "thread_storage.c", flags=[f"-DBYTES={size_kib << 10}"])
    (tmp_path / "scratch").mkdir()
    record = [clearway_tool("clearway-record"), "--always", "-o", tmp_path / "run", "--io-cache", "1Mi"]
    chosen = ["--io-cache-files", f"{tmp_path}/scratch/*", "--"]
    outcome = run_command([*record, *chosen, program, tmp_path / "scratch" / "file"])
    assert (outcome.exit_code, outcome.stdout) == (0, "well\n"), outcome.says
    assert load(tmp_path / "run").io_cache.data["written_bytes"].sum() == 1, "it was not in the cache"
