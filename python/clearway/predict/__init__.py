"""Predict: the same communication on a modelled cluster, simulated packet by packet (docs/simulator.md)."""
