"""Changing a host and taking it back: run a plan, journal what was begun, undo it, make it last across boots."""
