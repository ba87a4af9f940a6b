"""Charm++'s processes are where the placement says: charmrun of PyPI's charm4py, NAMD's launcher, on a testbed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cluster.clusters import example
from cluster.conftest import cluster_of, seats, write
from harness.mpis import REPOSITORY

from clearway.base.errors import ClearwayError
from clearway.cluster.forms.command import as_placed, program_of
from clearway.cluster.forms.registry import FORMS
from clearway.cluster.placement import Request, place
from clearway.testbed import Shape, Testbed
from clearway.testbed.layout import HEAD

PYTHON = REPOSITORY / ".mpi" / "charm4py" / "bin" / "python"
SEAT = Path(__file__).with_name("charm_seat.py")

# Words as charmrun says them to ssh: HOST [-l USER] [-o OPTION] COMMAND
REMOTE_SHELL = """\
#!/bin/sh
host=$1
shift
while :; do case $1 in -l | -o) shift 2 ;; -*) shift ;; *) break ;; esac done
exec {enter} $host sh -c "$*"
"""


@pytest.mark.usefixtures("privileged")
@pytest.mark.skipif(not PYTHON.exists(), reason="charm4py is not in .mpi: tools/install-mpis charm4py")
def test_processes_are_where_they_were_placed(tmp_path: Path) -> None:
    charmrun = next(PYTHON.parent.parent.glob("lib/python*/site-packages/charmrun/charmrun"))
    charmrun.chmod(0o755)
    with Testbed(Shape(hosts=3)) as testbed:
        shell = tmp_path / "remote-shell"
        shell.write_text(REMOTE_SHELL.format(enter=testbed.on_host(HEAD, [])[0]))
        shell.chmod(0o755)
        placement = place(cluster_of(testbed), Request(4, per_host=2))
        entry, typed = FORMS["charm"], [str(charmrun), str(PYTHON), str(SEAT)]
        made = entry.make(placement, str(tmp_path), program_of(entry, typed, {}))
        write(tmp_path, made.files)
        launcher, *rest = as_placed(made, entry, typed, {})
        line = testbed.on_host(HEAD, [launcher, "++remote-shell", str(shell), *rest])
        answer = subprocess.run(line, capture_output=True, text=True, timeout=60)
    assert seats(answer.stdout) == [(seat.rank, seat.host.name, seat.cpus) for seat in placement.seats], answer


def test_what_charmrun_does_not_do_is_refused(tmp_path: Path) -> None:
    for asked, words in ((Request(4, order="cyclic"), "neighbouring"), (Request(2, threads=2), "one core")):
        with pytest.raises(ClearwayError, match=words):
            FORMS["charm"].make(place(example("duke-2004"), asked), str(tmp_path), ["namd2"])
