"""Changing a host and taking it back.

choice (what is asked for) -> plan_text (shown) -> run -> undo, with record (the undo file) and drop_ins (for restarts)
"""
