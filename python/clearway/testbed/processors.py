"""A slow host: a control group that gives all that runs on it a share of one core."""

from __future__ import annotations

import errno
import time
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.testbed.layout import Host, Layout

GROUPS = Path("/sys/fs/cgroup")
PATIENCE_S = 3.0  # for the groups of one testbed
PERIOD_US = 10_000  # short: a host that has used up its share stands still until the next begins


def slow_hosts(layout: Layout) -> dict[Host, float]:
    """The hosts that have only a share of a core."""
    faults = (fault for fault in layout.shape.faults if fault.cpu_share is not None)
    return {layout.hosts[fault.node - 1]: fault.cpu_share or 0.0 for fault in faults}


def group_prefix(layout: Layout) -> Path:
    """The group of a host, without the host's name: version 1 of control groups has a folder a controller."""
    parent = GROUPS / "cpu" if (GROUPS / "cpu").is_dir() else GROUPS
    return parent / layout.namespace("")


def make_groups(layout: Layout) -> None:
    for host, share in slow_hosts(layout).items():
        group = Path(f"{group_prefix(layout)}{host.name}")
        quota_us = max(1000, round(share * PERIOD_US))
        try:
            group.mkdir(exist_ok=True)  # Slurm has made one for each host
            if (group / "cpu.max").exists():
                (group / "cpu.max").write_text(f"{quota_us} {PERIOD_US}\n")
            else:
                (group / "cpu.cfs_period_us").write_text(f"{PERIOD_US}\n")
                (group / "cpu.cfs_quota_us").write_text(f"{quota_us}\n")
        except OSError as error:
            raise ClearwayError(
                f"cannot slow down {host.name}: {error}",
                "this needs control groups with the cpu controller, mounted writable",
            ) from None


def remove_groups(prefix: str) -> None:
    """Those whose names begin with `prefix`. What was killed in them may take a moment to go."""
    until = time.monotonic() + PATIENCE_S
    found = (*GROUPS.glob(f"{prefix}*"), *GROUPS.glob(f"*/{prefix}*"))
    for group in (each for outermost in found for each in _and_below(outermost)):
        while True:
            try:
                group.rmdir()
            except OSError as error:
                if error.errno == errno.EBUSY and time.monotonic() < until:
                    time.sleep(0.02)
                    continue
            break


def _and_below(group: Path) -> list[Path]:
    """It and all groups in it, the innermost first; links stand for controllers that are mounted together."""
    if group.is_symlink() or not group.is_dir():
        return []
    return [*(inner for path in sorted(group.iterdir()) for inner in _and_below(path)), group]
