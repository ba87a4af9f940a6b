"""Pictures of what was measured or predicted, as files and within pages. Needs matplotlib, which is optional."""
