"""Many Runs at once: which there are (`clearway list`), and what sets two of them apart (`clearway diff`)."""
