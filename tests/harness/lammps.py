"""A small job of LAMMPS: argon."""

from __future__ import annotations

import shutil

import pytest


def needs_lammps() -> None:
    if shutil.which("lmp") is None:
        pytest.skip("LAMMPS is not installed")


def argon(steps: int, box: str = "0 ${size} 0 ${size} 0 ${size}") -> str:
    """In a box of 4 × SIZE³ atoms: `lmp -in FILE -var size SIZE`. Its logs have nearly the same length at any speed."""
    return f"""units real
atom_style atomic
lattice fcc 5.3
region box block {box}
create_box 1 box
create_atoms 1 box
mass 1 39.948
pair_style lj/cut 8.5
pair_coeff 1 1 0.238 3.405
velocity all create 90 7
fix 1 all nve
timestep 2.0
thermo 50
run {steps}
"""
