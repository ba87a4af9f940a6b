"""The algorithm by which TCP decides how much may be on its way."""

from clearway.base.errors import ClearwayError
from clearway.cluster.hosts.settings.sysctl import of_key


def parse(value: str) -> str:
    if not value.replace("_", "").isalnum():
        raise ClearwayError(
            f"'{value}' is not a known congestion control", "as in net.ipv4.tcp_available_congestion_control"
        )
    return value


SETTING = of_key(
    "tcp.congestion_control",
    "net.ipv4.tcp_congestion_control",
    "the congestion control of new TCP connections",
    "safe; for all connections of the host, those to the outside too",
    values="one of net.ipv4.tcp_available_congestion_control, as cubic",
    default="cubic",
    parse=parse,
)
