"""argparse, with our way of saying what is wrong, and the examples before the options."""

from __future__ import annotations

import argparse
import re
from typing import Any, NoReturn

from clearway.base.errors import ClearwayError


class UsageError(ClearwayError):
    """The command line itself is wrong."""


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        message = _plainly(message)
        lacks = re.fullmatch(r"argument (?:.*/)?(--[\w-]+): expected one argument", message)
        raise UsageError(f"{self.prog}: {message}", self._with_a_value(lacks[1]) if lacks else f"{self.prog} --help")

    def _with_a_value(self, option: str) -> str:
        value = self._option_string_actions[option].metavar or "VALUE"
        return f"{option} {value}; if it begins with a dash: {option}={value}"

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """argparse takes "--" for the end of options even where it is the value: `--output=--` gave an empty list."""
        if action.option_strings and arg_strings == ["--"]:
            value = self._get_value(action, "--")
            self._check_value(action, value)
            return value
        return super()._get_values(action, arg_strings)

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


def _plainly(message: str) -> str:
    """argparse's words for programmers, as others would say them."""
    message = message.replace("\0", "--")  # which stands for it where its place counts: `clearway diff`
    for kind, noun in (("int", "a whole number"), ("float", "a number")):
        message = re.sub(rf"(?s)invalid {kind} value: (.*)", rf"\1 is not {noun}", message)
    return message
