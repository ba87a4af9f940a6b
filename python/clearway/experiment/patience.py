"""Waiting for a job, with a limit to patience."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable

from clearway.testbed.job import end_group


def attended(job: subprocess.Popen[bytes], timeout_s: float | None, kill_rest: Callable[[], None]) -> int | None:
    """Its exit code as a shell gives it. After the time limit (None), or when we are interrupted, it is ended.

    A thread looks at the clock: a wait with a time limit of its own would notice the end up to 50 ms late.
    """
    late = threading.Event()

    def end() -> None:
        late.set()
        end_group(job)

    timer = threading.Timer(threading.TIMEOUT_MAX if timeout_s is None else timeout_s, end)
    timer.start()
    try:
        code = job.wait()
    except BaseException:
        end_group(job)
        kill_rest()
        raise
    finally:
        timer.cancel()
    if late.is_set():
        kill_rest()
        return None
    return 128 - code if code < 0 else code
