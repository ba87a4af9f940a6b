"""Explicit congestion notification: a switch that can mark packets need not drop them."""

from clearway.cluster.hosts.settings.sysctl import one_key

SETTING = one_key(
    "tcp.ecn",
    "net.ipv4.tcp_ecn",
    "use ECN (congestion marks) on TCP connections; helps where switches mark packets",
    "safe within a cluster; a few old firewalls drop connections that ask for it",
    {"off": "0", "on": "1", "accept": "2"},
    "on",
)
