"""What a command or a job gave to the world."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """What a job gave to the world: its output, its exit code, and how long it took."""

    stdout: str
    stderr: str
    exit_code: int
    wall_s: float

    @property
    def lines(self) -> list[str]:
        """Standard output without the order in which ranks happened to print."""
        return sorted(self.stdout.splitlines())

    @property
    def says(self) -> str:
        """For assertion messages."""
        return f"exit code {self.exit_code}\n{self.stdout[-3000:]}\n{self.stderr[-3000:]}"
