"""What ran, and the one sentence."""

from __future__ import annotations

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.mpi_name import mpi_name
from clearway.base.sheet import QUIET, Sheet, paragraph
from clearway.base.visible import visible
from clearway.page.model import Page
from clearway.page.render.batch_words import asked_words, found_words, job_words, queue_words

LONGEST_NAME = 40
LONGEST_TEXT = 600


def headline(page: Page, sheet: Sheet) -> list[Text]:
    job = page.job
    name = visible(job.program or "a job", min(LONGEST_NAME, sheet.width // 2))
    facts = [found_words(job, page.cores), q.seconds(job.wall_s)]
    title = Text.assemble((name, "bold"))
    for words in filter(None, (job_words(job), asked_words(job))):
        title.append(f" · {visible(words, LONGEST_NAME)}")
    if page.engine is not None:
        facts.append(q.speed(page.engine.ns_per_day, page.engine.s_per_step))
    line = " · ".join(filter(None, facts))
    space = sheet.width - title.cell_len - len(line)
    lines = [title.append(" " * space).append(line)] if space >= 2 else [title, *paragraph(Text(line), sheet.width)]
    lines += paragraph(Text(under(page), style=QUIET), sheet.width)
    return [*lines, Text(), *paragraph(Text(visible(page.sentence, LONGEST_TEXT)), sheet.width)]


def under(page: Page) -> str:
    """The second line: when, with which MPI, by which command, and how it ended."""
    job = page.job
    ended = "" if job.exit_code in (0, None) else f"exit code {job.exit_code}"
    parts = (q.instant(job.started_at), queue_words(job), mpi_name(job.mpi_library), ended)
    return " · ".join(visible(part, 60) for part in parts if part)
