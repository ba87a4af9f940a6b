"""Programs that were built to be looked at or checked say so, stripped or not."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from clearway.page.build.built_to_check import built_to_check

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
SOURCE = """#include <vector>
int main(int count, char**) { std::vector<int> one(3, count); int sum = 0; for (int each : one) sum += each * count;
    return one[static_cast<unsigned>(count)] + sum; }
"""


@pytest.mark.parametrize("strip", [False, True])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], []),
        (["-g", "-O2", "-D_GLIBCXX_ASSERTIONS"], []),
        (["-D_GLIBCXX_DEBUG"], ["-D_GLIBCXX_DEBUG"]),
        (["-pg"], ["-pg"]),
        (["--coverage"], ["--coverage"]),
        (["-fsanitize=address", "-fsanitize=undefined"], ["-fsanitize=address", "-fsanitize=undefined"]),
    ],
)
def test_it_is_noted_for_what_it_was_built(options: list[str], said: list[str], strip: bool, tmp_path: Path) -> None:
    (tmp_path / "md.cpp").write_text(SOURCE)
    built = subprocess.run(["g++", *options, *["-s"] * strip, "md.cpp", "-o", "md"], cwd=tmp_path, check=False)
    if built.returncode:
        pytest.skip("this compiler cannot build so")
    found = list(built_to_check("md", (tmp_path / "md").read_bytes()))
    assert [each.partition("built with ")[2].partition(":")[0] for each in found] == said


def test_a_program_that_speaks_of_them_was_not_built_so() -> None:
    assert not list(built_to_check("md", b"\0how to use mcount and __asan_init\0libgcov\0gnu_debug\0"))
