"""Makes the parts of a testbed in the kernel, in the order in which they need each other."""

from __future__ import annotations

from clearway.testbed import plan
from clearway.testbed.kernel import in_namespace, run_batch, turn_off_offloads, write_settings
from clearway.testbed.layout import SWITCH, Layout
from clearway.testbed.processors import make_groups


def build(layout: Layout) -> None:
    """Raises ClearwayError with what could not be made; the caller takes away what was."""
    run_batch("ip", None, [f"netns add {name}" for name in layout.namespaces])
    run_batch("ip", None, plan.cable_lines(layout))
    switch = layout.namespace(SWITCH)
    run_batch("ip", switch, plan.switch_lines(layout))
    run_batch("tc", switch, plan.port_lines(layout))
    in_namespace(switch, lambda: turn_off_offloads(plan.switch_devices(layout)))
    make_groups(layout)
    cards = [network.device for network in layout.networks]
    for host in layout.everyone:
        namespace = layout.namespace(host.name)
        in_namespace(namespace, lambda: _prepare_host(cards))
        run_batch("ip", namespace, plan.host_lines(layout, host))
        run_batch("tc", namespace, plan.card_lines(layout, host))


def _prepare_host(cards: list[str]) -> None:
    write_settings(plan.SETTINGS)
    turn_off_offloads(cards)
