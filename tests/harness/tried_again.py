"""Which tests may be tried again: those marked `timed`, those under Slurm whose Open MPI crashed as it does there
without Clearway, too, and never many of them in one run.

A test that reads the clock can be spoilt by whatever else the machine does at that moment, so it gets two more tries.
Every other test says the same each time it runs: what fails there has failed. More than `AT_MOST` tries in a whole
run (of all of xdist's workers together) mean that the machine, or Clearway, is not in order, and the run fails.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import pytest

MORE_TRIES = 2
AT_MOST = 10
# What these say must hold at any speed: a lost record, a hang or a false sentence is no matter of a busy machine.
NEVER = {"crash", "flow", "recording", "rules"}
# What Debian 12's Open MPI and Slurm do to very short jobs on a busy machine, without anything of ours in them, too
# (docs/slurm.md): some 4 % crash in MPI_Init (why: python/clearway/testbed/slurm/configuration.py), and 1 % hang in it,
# where a host's daemon starts later than the others wait for it.
UNDER_SLURM = {"slurm", "every_job"}
CRASHED = r"(?s)MPI_Init.*signal 11|Failing at address: \(nil\)"  # it calls a null pointer
HANGS = "pmixp_p2p_send: .* exceeded the retry limit"
REFUSED = pytest.StashKey[str]()  # why a test's mark is


class StartedAgainWarning(UserWarning):
    """A test started its job again after a fault that is known not to be ours: counts as a try."""


def mark_timed(items: Iterable[pytest.Item]) -> None:
    """Gives the tests marked `timed` and those under Slurm their tries, and notes which marks are refused."""
    for item in items:
        reason = _why_not(item)
        if reason is not None:
            item.stash[REFUSED] = reason
            item.own_markers = [mark for mark in item.own_markers if mark.name != "flaky"]
        elif item.get_closest_marker("timed") is not None:
            item.add_marker(pytest.mark.flaky(reruns=MORE_TRIES))
        elif item.path.parent.name in UNDER_SLURM or item.path.name == "test_slurm.py":
            item.add_marker(pytest.mark.flaky(reruns=MORE_TRIES, only_rerun=[CRASHED, HANGS]))


def _why_not(item: pytest.Item) -> str | None:
    if item.get_closest_marker("flaky") is not None:
        return f"{item.nodeid} is marked flaky; only `timed` lets a test be tried again"
    if item.get_closest_marker("timed") is not None and item.path.parent.name in NEVER:
        return (
            f"{item.nodeid} is marked timed, but no test in tests/{item.path.parent.name} may be tried again: "
            "make its verdict independent of the clock"
        )
    return None


class TriedAgain:
    """Lists what was tried again below the results, and fails a run that needed too much of it."""

    def __init__(self) -> None:
        self.tries: list[tuple[str, str]] = []  # the test, the last line of what it said

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Fails a test whose mark is refused. Not while tests are collected: a worker of xdist's would end there, with
        all of its tests, and tell nobody why."""
        if REFUSED in item.stash:
            pytest.fail(item.stash[REFUSED], pytrace=False)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome == "rerun":  # type: ignore[comparison-overlap]  # pytest-rerunfailures' own word
            self.tries.append((report.nodeid, _what_failed(report)))

    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage, nodeid: str) -> None:
        if issubclass(warning_message.category, StartedAgainWarning):
            self.tries.append((nodeid, str(warning_message.message)))

    @property
    def too_many(self) -> bool:
        return len(self.tries) > AT_MOST

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.too_many and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.tries:
            return
        terminalreporter.section(f"tried again: {len(self.tries)} (at most {AT_MOST} in a run)")
        for test, failure in self.tries:
            terminalreporter.write_line(f"{test}: {failure}")
        if self.too_many:
            terminalreporter.write_line(
                f"error: {len(self.tries)} tries had to be repeated, at most {AT_MOST} may be: the run has failed",
                red=True,
            )


def _what_failed(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    words = crash.message if crash is not None else str(report.longrepr)
    return str(words).partition("\n")[0]
