"""Faults that nobody chose: drawn by a seed, planted in programs of our own, with twins. What is said of them?

`python -m causes.measure`, with python and benchmarks on PYTHONPATH, draws, runs and scores. What has been measured is
in docs/causes-benchmark.md.
"""
