"""What a program does to its files, one line each, from what strace saw of it.

`r FILE OFFSET BYTES` and `w FILE OFFSET BYTES`: read and written; `t FILE BYTES`: cut; `d FILE`: deleted. FILE is a
number.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

CALLS = (
    "open,openat,creat,read,write,pread64,pwrite64,readv,writev,preadv,pwritev,lseek,dup,dup2,dup3,fcntl,ftruncate,"
    "unlink,unlinkat,rename,renameat,renameat2"
)
CALL = re.compile(r"(?P<process>\d+) +(?P<name>\w+)\((?P<arguments>.*)\) += (?P<result>-?\d+)(?:<(?P<made>[^>]*)>)?")
FILE = re.compile(r"(?P<number>\d+)<(?P<path>[^>]*)>")
NAME = re.compile(r'"(?:\./)?([^"]*)"')
UNFINISHED = re.compile(r"(?P<process>\d+) +(?P<begin>.*?) *<unfinished \.\.\.>$")
RESUMED = re.compile(r"(?P<process>\d+) +<\.\.\. \w+ resumed>(?P<end>.*)$")


def watch(command: Sequence[str], folder: Path, variables: Mapping[str, str], into: Path) -> None:
    """Runs the command under strace. Raises CalledProcessError where it fails."""
    strace = ["strace", "-f", "--seccomp-bpf", "-y", "-s", "0", "-e", f"trace={CALLS}", "-o", str(into)]
    subprocess.run(
        [*strace, *command],
        cwd=folder,
        env=dict(variables),
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def trace_lines(strace: Iterable[str], below: Path) -> Iterator[str]:
    """The trace of the files below a folder."""
    files = _Files(f"{below}/")
    for call in _calls(strace):
        yield from files.lines_of(call)


def _calls(lines: Iterable[str]) -> Iterator[re.Match[str]]:
    begun: dict[str, str] = {}  # calls during which another process made one, by process
    for line in lines:
        if unfinished := UNFINISHED.match(line):
            begun[unfinished["process"]] = unfinished["begin"]
            continue
        if resumed := RESUMED.match(line):
            line = f"{resumed['process']} {begun.pop(resumed['process'], '')}{resumed['end']}"
        if call := CALL.match(line):
            yield call


@dataclass(slots=True)
class _Files:
    """Numbers files, and follows the offsets of descriptors, which calls do not name."""

    below: str
    numbers: dict[str, int] = field(default_factory=dict)  # by path
    count: int = 0
    sizes: dict[str, int] = field(default_factory=dict)  # by path
    offsets: dict[tuple[str, str], int] = field(default_factory=dict)  # by process and descriptor
    appending: set[tuple[str, str]] = field(default_factory=set)

    def lines_of(self, call: re.Match[str]) -> Iterator[str]:
        name, arguments, result = call["name"], call["arguments"], int(call["result"])
        if result < 0:
            return
        if name in ("open", "openat", "creat"):
            yield from self._opened((call["process"], str(result)), call["made"] or "", arguments, name == "creat")
        elif name.startswith(("unlink", "rename")):
            yield from self._named(name, arguments)
        elif (file := FILE.match(arguments)) and file["path"].startswith(self.below):
            yield from self._used((call["process"], file["number"]), file["path"], name, arguments, result)

    def _number(self, path: str) -> int:
        if path not in self.numbers:
            self.numbers[path] = self.count
            self.count += 1
        return self.numbers[path]

    def _opened(self, here: tuple[str, str], path: str, arguments: str, created: bool) -> Iterator[str]:
        if not path.startswith(self.below):
            return
        self.offsets[here] = 0
        self.appending.discard(here)
        if "O_APPEND" in arguments:
            self.appending.add(here)
        if created or "O_TRUNC" in arguments:
            self.sizes[path] = 0
            yield f"t {self._number(path)} 0"

    def _named(self, name: str, arguments: str) -> Iterator[str]:
        known = [
            next((path for path in self.numbers if path.endswith(f"/{end}")), end.lstrip("/"))
            for end in (named.lstrip("/") for named in NAME.findall(arguments))
        ]
        gone = known[-1]  # deleted, or replaced by what is renamed
        if gone in self.numbers:
            yield f"d {self.numbers.pop(gone)}"
        self.sizes.pop(gone, None)
        if name.startswith("rename") and known[0] in self.numbers:
            target = str(Path(known[0]).parent / Path(gone).name)
            self.numbers[target] = self.numbers.pop(known[0])
            self.sizes[target] = self.sizes.pop(known[0], 0)

    def _used(self, here: tuple[str, str], path: str, name: str, arguments: str, result: int) -> Iterator[str]:
        if name == "lseek":
            self.offsets[here] = result
        elif name == "ftruncate":
            size = int(arguments.rsplit(",", 1)[1])
            self.sizes[path] = size
            yield f"t {self._number(path)} {size}"
        elif name.startswith("dup") or (name == "fcntl" and "F_DUPFD" in arguments):
            self.offsets[here[0], str(result)] = self.offsets.get(here, 0)
        elif name.startswith(("read", "write", "pread", "pwrite")) and result > 0:
            yield from self._moved(here, path, name, arguments, result)

    def _moved(self, here: tuple[str, str], path: str, name: str, arguments: str, moved: int) -> Iterator[str]:
        placed, writes = name.startswith("p"), "write" in name
        offset = int(arguments.rsplit(",", 1)[1]) if placed else self.offsets.get(here, 0)
        if writes and here in self.appending:
            offset = self.sizes.get(path, 0)
        if not placed:
            self.offsets[here] = offset + moved
        self.sizes[path] = max(self.sizes.get(path, 0), offset + moved)
        yield f"{'w' if writes else 'r'} {self._number(path)} {offset} {moved}"
