"""Which rank on which host and cores: a Request and a Cluster make a Placement, by small pure functions."""

from clearway.cluster.placement.model import Placement, Request, Seat
from clearway.cluster.placement.place import place

__all__ = ["Placement", "Request", "Seat", "place"]
