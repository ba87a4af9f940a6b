"""Shows a Page: in the terminal, as HTML, JSON, CSV, or live. Nothing here computes a figure, it only lays out."""
