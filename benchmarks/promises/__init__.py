"""What remedies promise, and what they give: `python -m promises.measure`, with python and benchmarks on PYTHONPATH."""
