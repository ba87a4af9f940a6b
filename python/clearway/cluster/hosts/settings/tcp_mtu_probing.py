"""Path MTU probing (RFC 4821): TCP tries smaller packets where large ones vanish without a word."""

from clearway.cluster.hosts.settings.sysctl import one_key

SETTING = one_key(
    "tcp.mtu_probing",
    "net.ipv4.tcp_mtu_probing",
    "let TCP try smaller packets after some timeouts, where large ones never arrive",
    "safe: nothing changes where all sizes pass; the real cure is the same MTU on all cards and ports",
    {"off": "0", "on": "1", "always": "2"},
    "on",
)
