"""argparse, with our way of saying what is wrong, and the examples before the options."""

from __future__ import annotations

import argparse
import re
from typing import NoReturn

from clearway.base.errors import ClearwayError


class UsageError(ClearwayError):
    """The command line itself is wrong."""


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        lacks = re.fullmatch(r"argument (?:.*/)?(--[\w-]+): expected one argument", message)
        hint = f"{lacks[1]}=VALUE, where the value begins with a dash" if lacks else f"{self.prog} --help"
        raise UsageError(f"{self.prog}: {message}", hint)

    def format_help(self) -> str:
        """What it is for and how it is typed come first: few people read a list of options from its beginning."""
        formatter = self._get_formatter()
        formatter.add_text(self.description)
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        for group in self._action_groups:
            formatter.start_section(group.title)
            formatter.add_text(group.description)
            formatter.add_arguments(group._group_actions)
            formatter.end_section()
        return formatter.format_help()
