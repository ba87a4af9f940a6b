"""Functions by their addresses: what is read from files that the compiler and its tools made."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from clearway.ledger.profile.atomics import behind_atomic
from clearway.ledger.profile.plain_names import plain
from clearway.ledger.profile.symbols import Place, Symbols, symbols_of

SOURCE = """
#include <stdatomic.h>
static atomic_long count; static _Atomic(unsigned char) small; static long sums[64];
__attribute__((noinline)) static long hidden(long n) { return n * n + sums[n & 63]; }
__attribute__((noinline)) long seen(long n) {
    atomic_fetch_add(&count, n); small++; sums[n & 63] ^= n;
    __atomic_fetch_or(&sums[n & 7], 5, __ATOMIC_SEQ_CST);
    __atomic_sub_fetch(sums + 9, 100000, __ATOMIC_SEQ_CST);
    long old = n; __atomic_compare_exchange_n(&sums[n & 15], &old, 7, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return hidden(n) + old;
}
int main(int c, char **v) { (void)v; return (int)seen(c) & 1; }
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("symbols")
    (folder / "p.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O1", "-rdynamic", "-o", folder / "p", folder / "p.c"], check=True)
    return folder / "p"


def addresses(program: Path) -> dict[str, tuple[int, int]]:
    """(address, bytes) of each function, as binutils' nm says."""
    lines = subprocess.run(["nm", "-S", program], check=True, capture_output=True, text=True).stdout.splitlines()
    words = [line.split() for line in lines]
    return {one[3]: (int(one[0], 16), int(one[1], 16)) for one in words if len(one) == 4 and one[2] in "Tt"}


def text_at(program: Path) -> int:
    """What an address of the program's text is more than its place in the file, as readelf says."""
    said = subprocess.run(["readelf", "-lW", program], check=True, capture_output=True, text=True).stdout
    found = re.search(r"LOAD\s+0x(\w+) 0x(\w+) \S+ \S+ \S+ R E", said)
    assert found is not None
    return int(found[2], 16) - int(found[1], 16)


def places(program: Path, *at: int) -> list[Place]:
    return Symbols(program.read_bytes()).places(np.array(at, np.uint64) - np.uint64(text_at(program)))


def test_each_address_of_a_function_is_in_it(program: Path) -> None:
    for name in ("hidden", "seen", "main"):
        begin, length = addresses(program)[name]
        assert {one.function for one in places(program, *range(begin, begin + length))} == {name}


def test_a_stripped_program_keeps_what_others_may_call(program: Path, tmp_path: Path) -> None:
    known = addresses(program)
    stripped = tmp_path / "stripped"
    subprocess.run(["strip", "-o", stripped, program], check=True)
    (seen, hidden) = places(stripped, known["seen"][0], known["hidden"][0])
    assert seen.function == "seen"
    assert hidden.function == ""
    assert hidden.behind in ("seen", "main")  # the compiler put it before them


def test_names_that_are_kept_apart_and_compressed(program: Path, tmp_path: Path) -> None:
    """As Red Hat's packages have them: https://sourceware.org/gdb/current/onlinedocs/gdb.html/MiniDebugInfo.html."""
    if shutil.which("xz") is None:
        pytest.skip("no xz")
    debug, packed = tmp_path / "debug", tmp_path / "packed"
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["xz", debug], check=True)
    subprocess.run(["strip", "-o", packed, program], check=True)
    subprocess.run(["objcopy", "--add-section", f".gnu_debugdata={debug}.xz", packed], check=True)
    begin, _ = addresses(program)["hidden"]
    assert places(packed, begin)[0].function == "hidden"


def test_a_file_that_changed_since_tells_nothing(program: Path) -> None:
    status = program.stat()
    assert symbols_of(str(program), status.st_size, int(status.st_mtime)) is not None
    assert symbols_of(str(program), status.st_size + 1, int(status.st_mtime)) is None
    assert symbols_of(str(program), status.st_size, int(status.st_mtime) - 1) is None
    assert symbols_of("/nowhere", 1, 1) is None


@pytest.mark.parametrize("cut", [0, 3, 16, 63, 64, 200, 5000])
def test_what_is_no_whole_program_tells_nothing(program: Path, tmp_path: Path, cut: int) -> None:
    part = tmp_path / "part"
    part.write_bytes(program.read_bytes()[:cut])
    found = symbols_of(str(part), cut, int(part.stat().st_mtime))
    assert found is None or found.places(np.array([4096], np.uint64)) == [Place()]


def test_instructions_behind_locked_ones(program: Path) -> None:
    """All of the program's text, compared with what objdump says of it."""
    said = subprocess.run(["objdump", "-d", "-w", program], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^ +([0-9a-f]+):\t[0-9a-f ]+\t(.*)$", said, re.MULTILINE)
    lines = [(int(at, 16), instruction) for at, instruction in found]
    if not any(instruction.startswith("lock") for _, instruction in lines):
        pytest.skip("no such instructions on this processor")
    pairs = [(behind, before.startswith("lock")) for (_, before), (behind, _) in itertools.pairwise(lines)]
    offsets = np.array([at for at, _ in pairs], np.uint64) - np.uint64(text_at(program))
    assert behind_atomic(str(program), offsets) == [locked for _, locked in pairs]
    assert sum(locked for _, locked in pairs) >= 5


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("dgemm_", "dgemm_"),
        ("__becmod_MOD_calbec_k", "becmod::calbec_k"),
        ("becmod_mp_calbec_k_", "becmod::calbec_k"),
        ("_ZN9LAMMPS_NS9PairLJCut7computeEii", "LAMMPS_NS::PairLJCut::compute"),
        ("_ZNSt6vectorIdSaIdEE17_M_realloc_insertIJdEEEvN9__gnu_cxx17__normal_iteratorIPdS1_EEDpOT_",
         "std::vector<…>::_M_realloc_insert<…>"),
        ("_ZN12_GLOBAL__N_17checkedEi.cold", "checked"),
        ("_Znot_a_name", "_Znot_a_name"),
    ],
)  # fmt: skip
def test_names_as_in_the_program_s_text(symbol: str, name: str) -> None:
    assert plain(symbol) == name
