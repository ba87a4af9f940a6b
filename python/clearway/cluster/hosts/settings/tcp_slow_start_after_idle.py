"""Whether TCP begins anew after a pause: a simulation pauses at each step, while it computes."""

from clearway.cluster.hosts.settings.sysctl import one_key

SETTING = one_key(
    "tcp.slow_start_after_idle",
    "net.ipv4.tcp_slow_start_after_idle",
    "let connections keep their congestion window while ranks compute",
    "safe on a network that is not shared; may lose more packets where switch buffers are small",
    {"off": "0", "on": "1"},
    "off",
)
