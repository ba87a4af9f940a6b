"""`clearway fix` on real programs where the network loses packets, and how near it comes to one that does not.

    tools/install-packages flow-programs
    export PYTHONPATH=benchmarks:benchmarks/flow_programs
    .venv/bin/python benchmarks/fix/measure.py --programs cp.x
    .venv/bin/python benchmarks/fix/measure.py --programs gromacs-dhfr --hosts 4

As root. For each program: `clearway fix` on a testbed with shallow buffers, as a user would type it; then the unchanged
program on the same testbed with buffers that never overflow. What has been measured is kept in benchmarks/fix/results;
the page is docs/fix-benchmark.md.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from measured.circumstances import Circumstances, here_and_now
from page import Measured, write_page
from programs import PROGRAMS, Program

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "build/fix"
RESULTS = Path(__file__).resolve().parent / "results"
LOSSY = "--hosts {hosts} --rate 20mbit --buffer 20k"
LOSSLESS = "--hosts {hosts} --rate 20mbit --buffer deep"
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
DEFAULT_PROGRAMS = "gromacs-dhfr,cp.x,cp2k"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=DEFAULT_PROGRAMS, metavar="LIST")
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--parts", default=",".join(PARTS), metavar="LIST", help="for a machine that is quiet for minutes only"
    )
    parser.add_argument("--page-only", action="store_true", help="write the page from what has been measured")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what is running is ended, too
    for program in [] if arguments.page_only else chosen(arguments.programs):
        if program.missing:
            print(f"{program.name}: {program.command[0]} is not installed", file=sys.stderr)
            continue
        for part in arguments.parts.split(","):
            PARTS[part](program, arguments.hosts, arguments.rounds)
    if measured := [read(folder.parent) for folder in sorted(RESULTS.glob("*/lossless.json"))]:
        write_page(measured)
    return 0


def chosen(names: str) -> list[Program]:
    known = {program.name: program for program in PROGRAMS}
    unknown = [name for name in names.split(",") if name not in known]
    if unknown:
        raise SystemExit(f"error: there is no program '{unknown[0]}'\n\nhint: one of {', '.join(known)}")
    return [known[name] for name in names.split(",")]


def folders(program: Program, hosts: int) -> tuple[Path, Path]:
    """Of this program's files, and of its results."""
    name = f"{program.name}-{hosts}"
    return FOLDER / name, RESULTS / name


def prepare(program: Program, hosts: int, _rounds: int) -> None:
    """Begins anew, with the input files."""
    for folder in folders(program, hosts):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    work = folders(program, hosts)[0] / "work"
    work.mkdir()
    program.prepare(work)


def fix(program: Program, hosts: int, rounds: int) -> None:
    """Leaves fix.txt, fix.json, circumstances.json and, of the job as it was typed, page.txt in the results."""
    folder, results = folders(program, hosts)
    shutil.rmtree(folder / "fix", ignore_errors=True)
    words = ["fix", "--rounds", str(rounds), "--fresh", "-o", str(folder / "fix"), "--json", str(results / "fix.json")]
    said = clearway([*words, "--testbed", LOSSY.format(hosts=hosts)], program, folder / "work")
    (results / "fix.txt").write_text(said)
    report = [REPOSITORY / ".venv/bin/clearway", "report", folder / "fix/first-run"]
    page = subprocess.run(report, env={**os.environ, "COLUMNS": "100"}, stdout=subprocess.PIPE, text=True, check=True)
    (results / "page.txt").write_text(without_path(page.stdout))
    (results / "fix.json").write_text(without_path((results / "fix.json").read_text()))
    (results / "circumstances.json").write_text(json.dumps(dataclasses.asdict(here_and_now()), indent=1) + "\n")
    print(said.rstrip().rpartition("\n\n")[2], flush=True)


def lossless(program: Program, hosts: int, rounds: int) -> None:
    """Leaves lossless.json there."""
    folder, results = folders(program, hosts)
    shutil.rmtree(folder / "lossless", ignore_errors=True)
    words = ["compare", "--bare", "--rounds", str(rounds), "--fresh", "-o", str(folder / "lossless")]
    words += ["--json", str(results / "lossless.json"), "--testbed", LOSSLESS.format(hosts=hosts)]
    clearway(words, program, folder / "work")
    (results / "lossless.json").write_text(without_path((results / "lossless.json").read_text()))


PARTS = {"prepare": prepare, "fix": fix, "lossless": lossless}


def clearway(words: list[str], program: Program, work: Path) -> str:
    """What it prints. Ends this program where it fails: a figure of a failed run is none."""
    command = [str(REPOSITORY / ".venv/bin/clearway"), *words, "--", *program.command]
    print(f"{program.name}: clearway {words[0]}", flush=True)
    ran = subprocess.run(command, cwd=work, env={**os.environ, **ONE_THREAD}, stdout=subprocess.PIPE, text=True)
    if ran.returncode != 0:
        raise SystemExit(f"error: {program.name}: clearway {words[0]} ended with {ran.returncode}\n\n{ran.stdout}")
    return without_path(ran.stdout)


def without_path(text: str) -> str:
    """A reader's programs are on the PATH."""
    return text.replace(f"{REPOSITORY}/.venv/bin/", "").replace(f"{REPOSITORY}/", "")


def read(folder: Path) -> Measured:
    name, _, hosts = folder.name.rpartition("-")
    about = f"{chosen(name)[0].about}, on {hosts} hosts"
    proof, lossless = (
        json.loads(path.read_text()) if path.exists() else None
        for path in (folder / "fix.json", folder / "lossless.json")
    )
    circumstances = Circumstances(**json.loads((folder / "circumstances.json").read_text()))
    return Measured(about, (folder / "fix.txt").read_text(), proof, lossless, circumstances)


if __name__ == "__main__":
    sys.exit(main())
