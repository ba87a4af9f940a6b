"""Measuring collective operations: `clearway bench` around the native clearway-bench."""
