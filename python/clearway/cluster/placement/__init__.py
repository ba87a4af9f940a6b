"""Which rank on which host and cores: a Wish and a Cluster make a Placement, by small pure functions."""

from clearway.cluster.placement.model import Placement, Seat, Wish
from clearway.cluster.placement.place import place

__all__ = ["Placement", "Seat", "Wish", "place"]
