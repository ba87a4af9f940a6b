"""The error that users see: what was attempted, on what, and what to do."""

from __future__ import annotations


def reason(error: Exception) -> str:
    """Why a file could not be read, without its name, which the message has already."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


class ClearwayError(Exception):
    """An error that is reported without a traceback. `hint` is one line of advice, or None."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
