"""Predict: the same communication on a cluster that is not there, simulated packet by packet (docs/simulator.md)."""
