"""`clearway tune` against the exhaustive grid of a few real jobs, and against other ways to search it."""
