"""The trace of a timeline."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from clearway.base.errors import ClearwayError
from clearway.page.render.trace import write_trace
from clearway.run import Run
from clearway.run.layout import FunctionClass
from clearway.run.names import Function
from clearway.run.run import Timeline


def run_with_timeline() -> Run:
    """Two ranks on two hosts; rank 1 writes a file with a hostile name."""
    functions = [
        Function("unknown", FunctionClass.UNKNOWN),
        Function("MPI_Send", FunctionClass.SEND),
        Function("write", FunctionClass.FILE_OPERATION),
    ]

    def timeline(process: int, function: int, file: int, peer: int) -> Timeline:
        one = np.array
        return Timeline(process, one([function]), one([0]), one([file]), one([peer]), one([0.5]), one([0.75]), one([8]))

    made = SimpleNamespace(
        directory="run",
        has_timeline=True,
        host_names=("node1", 'no"de2'),
        processes=np.array([(0, 0), (1, 1)], [("rank", np.int32), ("host", np.int32)]),
        functions=SimpleNamespace(all=functions),
        files=SimpleNamespace(process=np.array([0, 1]), data=np.array([(b"/a",), (b'/"\n\xff',)], [("path", "S16")])),
        timelines=lambda: iter([timeline(0, 1, -1, 1), timeline(1, 2, 0, -1)]),
    )
    return cast(Run, made)


def test_each_rank_has_a_track(tmp_path: Path) -> None:
    write_trace(run_with_timeline(), tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_bytes())["traceEvents"]
    names = {(one["pid"], one["name"]): one["args"] for one in events if one["ph"] == "M"}
    assert names[1, "process_name"] == {"name": 'no"de2'}
    assert names[1, "thread_name"] == {"name": "rank 1"}
    calls = [one for one in events if one["ph"] == "X"]
    assert [(one["name"], one["cat"], one["pid"], one["tid"], one["ts"], one["dur"]) for one in calls] == [
        ("MPI_Send", "send", 0, 0, 500_000.0, 250_000.0),
        ("write", "file_operation", 1, 1, 500_000.0, 250_000.0),
    ]
    assert calls[0]["args"] == {"bytes": 8, "peer": 1}
    assert calls[1]["args"]["file"].startswith('/"\n')


def test_a_run_without_timeline_is_told_how_to_get_one(tmp_path: Path) -> None:
    run = cast(Run, SimpleNamespace(directory="run", has_timeline=False))
    with pytest.raises(ClearwayError, match="there is no timeline in run"):
        write_trace(run, tmp_path / "trace.json")
    assert list(tmp_path.iterdir()) == []
