"""Keeps Runs for the tests beside this file, packed, each under its own name: `python tests/odd_runs/keep.py RUN…`.

After a change of the record's format they have to be recorded again, as tests/odd_runs/recorded/README.md tells.
"""

from __future__ import annotations

import sys
import zlib
from pathlib import Path

import numpy as np

from clearway.run import layout

RECORDED = Path(__file__).parent / "recorded"


def keep(run: Path, below: Path = RECORDED) -> None:
    """Its records, each as Slurm's plugin packs them."""
    (below / run.name).mkdir(parents=True, exist_ok=True)
    for path in sorted(run.glob("*.cwr")):
        content = path.read_bytes()
        header = np.zeros(1, layout.PACKED_HEADER)
        header["magic"], header["byte_order"] = layout.PACKED_MAGIC, layout.BYTE_ORDER
        header["record_bytes"] = len(content)
        (below / run.name / path.name).write_bytes(header.tobytes() + zlib.compress(content, 9))


if __name__ == "__main__":
    for named in sys.argv[1:]:
        keep(Path(named))
