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
        raise UsageError(f"{self.prog}: {message}", self._with_a_value(lacks[1]) if lacks else f"{self.prog} --help")

    def _with_a_value(self, option: str) -> str:
        value = self._option_string_actions[option].metavar or "VALUE"
        return f"{option} {value}; if it begins with a dash: {option}={value}"

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
