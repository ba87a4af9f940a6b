"""Whole jobs on a modelled cluster: models of programs on several numbers of ranks, and recorded jobs again."""
