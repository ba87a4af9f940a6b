"""Clusters as files: TOML of a person's hand (docs/place.md), and the plain host files of launchers."""
