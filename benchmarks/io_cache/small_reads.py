"""Random small reads of a file in the cache, beside one in tmpfs: `python benchmarks/io_cache/small_reads.py [FOLDER]`.

Both are read in turns in one process, 1,000 calls at a time, so that what else the machine does meets both.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIBRARY = Path(sys.prefix) / "lib/libclearway-io.so"
SIZES = (64, 512, 4096, 65536)
ROUNDS = 2000


def ratios(program: Path, folder: Path, size: int) -> list[float]:
    """Nanoseconds in the cache over those in tmpfs, a figure a round."""
    environment = os.environ | {
        "LD_PRELOAD": str(LIBRARY),
        "CLEARWAY_IO_CACHE": "64Mi",
        "CLEARWAY_IO_CACHE_FILES": f"{folder}/*",
        "CLEARWAY_IO_CACHE_SINCE_NS": str(time.time_ns()),
    }
    files = [str(folder / "cached"), f"/dev/shm/clearway-small-reads.{os.getpid()}"]
    command = [str(program), *files, str(size), str(ROUNDS)]
    said = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    rounds = [line.split() for line in said.splitlines()]
    return [int(cached) / int(other) for cached, other in rounds]


def main(parent: str | None) -> None:
    with tempfile.TemporaryDirectory(dir=parent) as name:
        folder = Path(name)
        program = folder / "small_reads"
        subprocess.run(["cc", "-O2", Path(__file__).with_suffix(".c"), "-o", program], check=True)
        print("bytes   cache / tmpfs: median (quartiles)")
        for size in SIZES:
            low, median, high = statistics.quantiles(ratios(program, folder, size), n=4)
            print(f"{size:5}   {median:.2f} ({low:.2f} to {high:.2f})")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
