"""What a run that failed is said to have failed of: the engine's words before the launcher's."""

from __future__ import annotations

from pathlib import Path

import pytest

from clearway.base.errors import ClearwayError
from clearway.experiment import runner
from clearway.experiment.plan import Plan, Variant
from clearway.experiment.runner import Runner, fault_of
from clearway.experiment.session import directory_for
from clearway.experiment.variant_command import lines_here

LAUNCHER = """--------------------------------------------------------------------------
mpirun detected that one or more processes exited with non-zero status, thus causing
the job to be terminated. The first process to do so was:

  Process name: [[1,1],0]
  Exit code:    1
--------------------------------------------------------------------------
"""
PRIMARY = """--------------------------------------------------------------------------
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
--------------------------------------------------------------------------
"""


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("ERROR: Unknown command: no_such_command (src/input.cpp:232)\n" + LAUNCHER, "ERROR: Unknown command"),
        (
            "Fatal error:\nThere is no domain decomposition for 3 ranks\n\n" + LAUNCHER,
            "Fatal error: There is no domain",
        ),
        (
            (
                "Inconsistency in user input:\nBonded interactions on GPU are not supported in:\n  CPU-only build\n\n"
                "For more information and tips for troubleshooting, please check the GROMACS\nwebsite at http://x/Errors\n"
            ),
            "input: Bonded interactions on GPU are not supported in: CPU-only build",
        ),
        ("[vm:1] Signal: Segmentation fault (11)\n[vm:1] *** End of error message ***\n", "Signal: Segmentation fault"),
        ("MPI_ABORT was invoked\nwith errorcode 3.\nno input here\n", "no input here"),
        ("wrong password\n" + PRIMARY + LAUNCHER, "ended with exit code 1: wrong password"),
        (PRIMARY + LAUNCHER, "ended with exit code 1"),
        (
            "clearway-record: cannot run 'md': No such file or directory\n" + LAUNCHER,
            ": clearway-record: cannot run 'md': No such file or directory",
        ),
        (
            (
                "------\nmpirun has detected an attempt to run as root.\n\nThis is *strongly* discouraged.\n\n"
                "We reiterate our advice against doing so - please proceed at your own risk.\n------\n"
            ),
            "mpirun has detected an attempt to run as root.",
        ),
        (
            (
                "------\nThere are not enough slots available in the system to satisfy the 4\n"
                "slots that were requested by the application:\n\n  md\n\n"
                "Either request fewer slots for your application, or make more slots\navailable for use.\n\n"
                "ignore the number of slots when deciding the number of processes to\nlaunch.\n------\n"
            ),
            "to satisfy the 4 slots that were requested by the application: md",
        ),
        ("", "ended with exit code 1"),
    ],
)
def test_what_went_wrong(printed: str, said: str, tmp_path: Path) -> None:
    output = tmp_path / "output.txt"
    output.write_text(printed)
    told = fault_of(1, None, output)
    assert "user-direction" not in told and "Exit code" not in told  # of the launcher, and known
    assert told.startswith("ended with exit code 1") and said in told


def test_what_went_well_and_what_took_too_long(tmp_path: Path) -> None:
    assert fault_of(0, None, tmp_path / "none") == ""
    assert fault_of(None, 12.0, tmp_path / "none") == "did not end within 12 s"


def test_a_run_that_fills_the_disk_is_not_blamed_on_the_variant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its log is cut off: what it lacks says nothing of how it was run."""
    plan = Plan(("true",), (Variant("one"),))
    job = Runner(lines_here(plan), tmp_path)
    assert job.run(plan.baseline, tmp_path / "enough", 20.0).fault == ""
    monkeypatch.setattr(runner, "left_bytes", lambda _: 0)
    with pytest.raises(ClearwayError, match="is full"):
        job.run(plan.baseline, tmp_path / "full", 20.0)


def test_links_to_inputs_that_jobs_share_lead_there_from_a_copy(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    (folder / "deep").mkdir(parents=True)
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/input").write_text("shared")
    (folder / "own").write_text("own")
    for name, aim in (("file", "../shared/input"), ("deep/folder", "../../shared"), ("inside", "deep/../own")):
        (folder / name).symlink_to(aim)
    plan = Plan(
        ("sh", "-c", "cat file deep/folder/input inside; readlink inside; echo changed > file"), (Variant("one"),)
    )
    ran = Runner(lines_here(plan), folder, fresh=True).run(plan.baseline, tmp_path / "run", 20.0)
    assert (ran.fault, (tmp_path / "run/output.txt").read_text()) == ("", "sharedsharedowndeep/../own\n")
    assert (tmp_path / "shared/input").read_text() == "shared"


def test_what_goes_while_the_folder_is_copied_is_not_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint that another job of the same folder renames."""
    folder = tmp_path / "job"
    folder.mkdir()
    (folder / "input").write_text("input")
    (folder / "step.cpt").write_text("soon gone")
    plan = Plan(("sh", "-c", "ls"), (Variant("one"),))
    job = Runner(lines_here(plan), folder, fresh=True)

    def renames(_: Path) -> bool:  # asked of each that was listed
        (folder / "step.cpt").unlink(missing_ok=True)
        return False

    monkeypatch.setattr(runner, "_is_run", renames)
    ran = job.run(plan.baseline, tmp_path / "run", 20.0)
    assert (ran.fault, (tmp_path / "run/output.txt").read_text()) == ("", "input\n")


def test_runs_and_races_are_no_input(tmp_path: Path) -> None:
    """Another race may have just begun there: a task of the same array."""
    folder = tmp_path / "job"
    (folder / "run-7").mkdir(parents=True)
    (folder / "own").mkdir()
    for name in ("run-7/run.json", "run-7/rank.a.1.cwr", "own/run.json"):
        (folder / name).write_text("{}")
    plan = Plan(("sh", "-c", "ls"), (Variant("one"),))
    directory_for("tune", lines_here(plan)(plan.baseline), str(folder / "race"))
    ran = Runner(lines_here(plan), folder, fresh=True).run(plan.baseline, tmp_path / "run", 20.0)
    assert (ran.fault, (tmp_path / "run/output.txt").read_text()) == ("", "own\n")
