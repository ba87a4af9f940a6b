"""How long a program waited for locks stands beside its files, however it asked for them."""

from __future__ import annotations

import fcntl
import sys
import threading
from pathlib import Path

from clearway.run.layout import SegmentKind

HELD_S = 0.4
SCRIPT = """
import fcntl
free = open("free", "w")
fcntl.lockf(free, fcntl.LOCK_EX)
fcntl.lockf(free, fcntl.LOCK_UN)
held = open("held", "w")
fcntl.flock(held, fcntl.LOCK_EX)
fcntl.flock(held, fcntl.LOCK_UN)
fcntl.flock(held, fcntl.LOCK_SH)
"""


def test_the_time_until_a_lock_is_had(record, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """By flock, and by fcntl, which is what Python's lockf calls."""
    (tmp_path / "work").mkdir()
    with (tmp_path / "work" / "held").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        asked = tmp_path / "work" / "free"

        def let_go_later() -> None:
            while not asked.exists() and not given_up.wait(0.01):
                pass
            given_up.wait(HELD_S)
            fcntl.flock(held, fcntl.LOCK_UN)

        given_up = threading.Event()
        later = threading.Thread(target=let_go_later)
        later.start()
        result = record(sys.executable, "-c", SCRIPT)
        given_up.set()
        later.join()
    assert result.outcome.exit_code == 0, result.outcome.says
    arrays = result.run.records[result.process].read(frozenset({SegmentKind.FILES, SegmentKind.LOCKS}))
    files = [Path(cell["path"].decode()).name for cell in arrays[SegmentKind.FILES]]
    locks = {files[cell["file"]]: cell for cell in arrays[SegmentKind.LOCKS]}
    assert {name: int(cell["calls"]) for name, cell in locks.items()} == {"free": 2, "held": 3}
    waited_s = float(locks["held"]["ticks"]) * result.seconds_per_tick
    assert waited_s > 0.5 * HELD_S
    assert float(locks["free"]["ticks"]) * result.seconds_per_tick < waited_s
    assert result.file(tmp_path / "work" / "held")["metadata_ticks"] * result.seconds_per_tick >= waited_s
