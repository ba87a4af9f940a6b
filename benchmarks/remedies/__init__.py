"""What remedies promise, and what they give: `python -m remedies.measure`, with python and benchmarks on PYTHONPATH."""
