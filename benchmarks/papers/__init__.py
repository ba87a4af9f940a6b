"""Reproduce: what papers published, held against what the simulator says of the same cluster (docs/reproduce.md)."""
