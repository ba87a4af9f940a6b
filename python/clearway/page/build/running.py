"""A running job's page, read again and again: what it is so far, and what the last reading added."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from clearway.base.errors import ClearwayError
from clearway.diagnosis.facts import open_case
from clearway.diagnosis.facts.tables.cores import core_seconds_added
from clearway.ledger.totals import Ledger, added
from clearway.page.build import page_of, summarise
from clearway.page.model import CoreSeconds, Page
from clearway.run import load

ENDED = ("exited", "finalized")


@dataclass(slots=True)
class Running:
    """The job in `directory`."""

    directory: str
    page: Page  # as last read, without findings
    added: Ledger  # by the last reading
    cores_added: CoreSeconds | None = None  # likewise
    silent: int = 0  # readings in a row that added nothing

    def read_again(self) -> None:
        """Nothing changes where the record was caught in the middle of a change."""
        before = self.page
        with contextlib.suppress(ClearwayError, OSError):
            self.page = _page_now(self.directory)
        self.added = added(self.page.ledger, before.ledger)
        self.cores_added = core_seconds_added(self.page.cores, before.cores)
        self.silent = self.silent + 1 if self.page.ledger.wall_s == before.ledger.wall_s else 0

    def whole(self) -> Page:
        """The page now, with findings; or the last one, likewise."""
        try:
            return summarise(load(self.directory))
        except (ClearwayError, OSError):
            return self.page

    @property
    def has_ended(self) -> bool:
        if self.page.job.exit_code is not None:
            return True
        all_there = len(self.page.ranks) >= self.page.job.ranks_expected
        return all_there and all(one.state in ENDED for one in self.page.ranks)


def running(directory: str) -> Running:
    """Raises ClearwayError where there is no Run."""
    page = _page_now(directory)
    return Running(directory, page, added(page.ledger, page.ledger))


def _page_now(directory: str) -> Page:
    return page_of(open_case(load(directory)))
