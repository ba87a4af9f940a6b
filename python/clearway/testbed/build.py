"""Makes the parts of a testbed in the kernel, in the order in which they need each other."""

from __future__ import annotations

import contextlib
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.installed import find_program
from clearway.testbed import plan
from clearway.testbed.kernel import (
    NAMESPACES,
    in_namespace,
    poll_in_order,
    run_batch,
    run_tool,
    turn_off_offloads,
    write_settings,
)
from clearway.testbed.layout import SWITCH, Layout
from clearway.testbed.processors import make_groups

CONGESTION = "net/ipv4/tcp_congestion_control"
ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")


def build(layout: Layout) -> None:
    """Raises ClearwayError with what could not be made; the caller takes away what was."""
    run_batch("ip", None, [f"netns add {name}" for name in layout.namespaces])
    run_batch("ip", None, plan.cable_lines(layout))
    switch = layout.namespace(SWITCH)
    in_namespace(switch, lambda: write_settings(plan.SWITCH_SETTINGS))
    run_batch("ip", switch, plan.switch_lines(layout))
    run_batch("tc", switch, plan.port_lines(layout))
    _lengthen_cables(layout)
    in_namespace(switch, lambda: turn_off_offloads(plan.switch_devices(layout)))
    in_order = _keep_order(switch, plan.switch_devices(layout))
    make_groups(layout)
    cards = [network.device for network in layout.networks]
    for host in layout.everyone:
        namespace = layout.namespace(host.name)
        in_namespace(namespace, lambda: _prepare_host(cards, layout.shape.congestion, in_order))
        run_batch("ip", namespace, [*(plan.unmerged_lines(cards) if in_order else []), *plan.host_lines(layout, host)])
        run_batch("tc", namespace, plan.card_lines(layout, host))


def _lengthen_cables(layout: Layout) -> None:
    """The program that does it runs in the switch's namespace and ends with it."""
    cables = plan.long_cables(layout)
    if not cables:
        return
    switch = layout.namespace(SWITCH)
    for latency_us in sorted({cable[0] for cable in cables}):
        pairs = [f"{port}:{tap}" for latency, port, tap, _ in cables if latency == latency_us]
        program = [str(find_program("clearway-testbed-delay")), str(latency_us), *pairs]
        run_tool(["nsenter", f"--net={NAMESPACES / switch}", *program])
    run_batch("ip", switch, plan.tap_lines(layout))
    run_batch("bridge", switch, plan.address_lines(layout))


def _keep_order(switch: str, devices: list[str]) -> bool:
    """Whether this machine can. Not where `ip` or the kernel is older than Linux 5.19: packets would be merged."""
    with contextlib.suppress(ClearwayError):
        run_batch("ip", switch, plan.unmerged_lines(devices))
        if "gro_max_size 1 " in run_tool(["ip", "-n", switch, "-details", "link", "show", devices[0]]):
            in_namespace(switch, lambda: poll_in_order(devices))
            return True
    return False


def _prepare_host(cards: list[str], congestion: str, in_order: bool) -> None:
    # For what goes by no card of the testbed; the routes of the cards name theirs (see plan.py).
    allowed = ALLOWED.read_text().split()
    write_settings({**plan.SETTINGS, CONGESTION: congestion if congestion in allowed else "reno"})
    turn_off_offloads(cards)
    if in_order:
        poll_in_order(cards)
