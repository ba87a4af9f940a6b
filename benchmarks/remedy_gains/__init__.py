"""What remedies give back: `python -m remedy_gains.measure`, with python and benchmarks on PYTHONPATH."""
