"""The page of a Run: its model as plain values; `build` fills it from a Run, `render` shows it."""
