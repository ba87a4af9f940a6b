"""The ordinary users of a testbed with Slurm: known on its hosts only, each with a home there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from clearway.base.errors import ClearwayError

SHELL = "/bin/bash"


@dataclass(frozen=True, slots=True)
class User:
    name: str
    number: int  # user id and group id, late in the range that Debian keeps for people (Debian Policy 9.2.2)

    def home(self, directory: Path) -> Path:
        return directory / "home" / self.name


USERS = (User("user1", 58_001), User("user2", 58_002))


def user_called(name: str) -> User:
    for user in USERS:
        if user.name == name:
            return user
    raise ClearwayError(f"a testbed has no user '{name}'", f"one of: {', '.join(user.name for user in USERS)}")


def make_homes(directory: Path) -> None:
    """And the lists of users and groups that the hosts see: the machine's own, and these."""
    for file, line in (
        ("passwd", "{name}:x:{number}:{number}:an ordinary user of the testbed:{home}:{shell}\n"),
        ("group", "{name}:x:{number}:\n"),
    ):
        lines = [
            line.format(name=user.name, number=user.number, home=user.home(directory), shell=SHELL) for user in USERS
        ]
        known = Path("/etc", file).read_text(encoding="utf-8", errors="surrogateescape")
        if not known.endswith("\n"):
            known += "\n"
        path = directory / file
        path.write_text(known + "".join(lines), encoding="utf-8", errors="surrogateescape")
        path.chmod(0o644)
    for user in USERS:
        home = user.home(directory)
        home.mkdir(parents=True)
        os.chown(home, user.number, user.number)


def as_user(user: User, directory: Path) -> list[str]:
    """Before a command: it runs as that user, at home, without privilege; other variables stay."""
    home = str(user.home(directory))
    identity = [f"HOME={home}", f"USER={user.name}", f"LOGNAME={user.name}", f"SHELL={SHELL}"]
    who = [f"--reuid={user.number}", f"--regid={user.number}", "--clear-groups", "--inh-caps=-all"]
    return ["setpriv", *who, "env", f"--chdir={home}", *identity]
