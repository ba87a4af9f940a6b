"""The timeline as a trace for Perfetto (ui.perfetto.dev) or chrome://tracing: one process a host, one track a rank.

Format: "Trace Event Format", complete events ("ph": "X"), times in microseconds from the start of the Run. It is
written rank by rank, so that memory is bounded by one rank's ring.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.output_file import whole_file
from clearway.base.visible import storable
from clearway.run.layout import text
from clearway.run.run import Run, Timeline


def write_trace(run: Run, path: str | Path) -> None:
    """Raises ClearwayError where the Run has no timeline, or the file cannot be written."""
    if not run.has_timeline:
        raise ClearwayError(
            f"there is no timeline in {run.directory}", "record the job with `clearway run --timeline -- …`"
        )
    with whole_file(path) as stream:
        stream.write('{"displayTimeUnit": "ms", "traceEvents": [\n')
        stream.write(",\n".join(tracks(run)))
        for timeline in run.timelines():
            for event in events(run, timeline):
                stream.write(",\n")
                stream.write(event)
        stream.write("\n]}\n")


def quoted(name: str) -> str:
    return json.dumps(storable(name), ensure_ascii=False)


def tracks(run: Run) -> Iterator[str]:
    """Names of hosts and ranks, and their order."""
    for number, host in enumerate(run.host_names):
        yield f'{{"ph": "M", "name": "process_name", "pid": {number}, "args": {{"name": {quoted(host)}}}}}'
    for row in run.processes:
        place = f'"pid": {row["host"]}, "tid": {row["rank"]}'
        yield f'{{"ph": "M", "name": "thread_name", {place}, "args": {{"name": "rank {row["rank"]}"}}}}'
        yield f'{{"ph": "M", "name": "thread_sort_index", {place}, "args": {{"sort_index": {row["rank"]}}}}}'


def events(run: Run, timeline: Timeline) -> Iterator[str]:
    row = run.processes[timeline.process]
    place = f'"pid": {row["host"]}, "tid": {row["rank"]}'
    names = [
        f'"name": {quoted(one.name)}, "cat": {quoted(one.function_class.name.lower())}' for one in run.functions.all
    ]
    paths = [quoted(text(path)) for path in run.files.data["path"][run.files.process == timeline.process].tolist()]
    for function, begin_us, duration_us, size, peer, file in zip(
        timeline.function.tolist(),
        (timeline.entry_s * 1e6).tolist(),
        ((timeline.exit_s - timeline.entry_s) * 1e6).tolist(),
        timeline.bytes.tolist(),
        timeline.peer.tolist(),
        timeline.file.tolist(),
        strict=True,
    ):
        arguments = f'"bytes": {size}'
        if peer >= 0:
            arguments += f', "peer": {peer}'
        if 0 <= file < len(paths):
            arguments += f', "file": {paths[file]}'
        yield (
            f'{{"ph": "X", {names[function]}, {place}, "ts": {begin_us:.3f}, "dur": {duration_us:.3f}, '
            f'"args": {{{arguments}}}}}'
        )
