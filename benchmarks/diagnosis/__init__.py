"""Planted faults: is each found, and first? Is nothing found where nothing is wrong?

`python -m diagnosis.measure`, with python and benchmarks on PYTHONPATH, runs all of it. What has been measured is in
docs/diagnosis-benchmark.md.
"""
