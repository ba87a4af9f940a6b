"""Makes the parts of a testbed in the kernel, in the order in which they need each other."""

from __future__ import annotations

from clearway.testbed import layout as plan
from clearway.testbed.kernel import in_namespace, run_batch, turn_off_offloads, write_settings
from clearway.testbed.layout import DEVICE, SETTINGS, SWITCH, Layout


def build(layout: Layout) -> None:
    """Raises ClearwayError with what could not be made; the caller takes away what was."""
    run_batch("ip", None, [f"netns add {name}" for name in layout.namespaces])
    run_batch("ip", None, plan.cable_lines(layout))
    switch = layout.namespace(SWITCH)
    run_batch("ip", switch, plan.switch_lines(layout))
    run_batch("tc", switch, plan.port_lines(layout))
    in_namespace(switch, lambda: turn_off_offloads(host.port for host in layout.everyone))
    for host in layout.everyone:
        namespace = layout.namespace(host.name)
        in_namespace(namespace, _prepare_host)
        run_batch("ip", namespace, plan.host_lines(layout, host))
        run_batch("tc", namespace, plan.card_lines(layout, host))


def _prepare_host() -> None:
    write_settings(SETTINGS)
    turn_off_offloads([DEVICE])
