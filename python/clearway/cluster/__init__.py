"""Cluster: hosts, cores, network cards, switches; read from a machine or written by hand; and ranks placed on it."""

from clearway.cluster.model import Card, Cluster, Core, Fabric, Host, Network, SubSwitch, Switch
from clearway.cluster.stack import Stack

__all__ = ["Card", "Cluster", "Core", "Fabric", "Host", "Network", "Stack", "SubSwitch", "Switch"]
