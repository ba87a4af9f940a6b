"""Faults, one a file, found by being there: PLANT says how it is planted, and which rule must say so first."""
