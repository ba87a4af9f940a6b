"""Colours and marks of curves: Okabe and Ito's palette, which colour-blind people tell apart too."""

from __future__ import annotations

GREY = "#555555"
COLOURS = ("#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442")
BLUE = "#0072B2"
MARKERS = "osD^vPX*"
