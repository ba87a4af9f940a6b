"""Record every job of a Slurm cluster automatically: for its administrator.

clearway slurm plugin -o DIR            builds clearway.so for the Slurm of this machine
clearway slurm check                    is the plugin in use, and can it record?

`clearway docs every-job` has the three steps. Users only need the number of their job: clearway report 1234.
"""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    plugin = actions.add_parser("plugin", help="build Slurm's plugin, and print the line for plugstack.conf")
    plugin.add_argument(
        "-o", "--output", metavar="DIR", default=".", help="where to write clearway.so (default: the current directory)"
    )
    plugin.add_argument("--slurm-include", metavar="DIR", help="the directory that has slurm/spank.h")
    actions.add_parser(
        "check", help="check whether jobs can be recorded; print each obstacle, and exit with code 1 if there is one"
    )
    ended = actions.add_parser("ended", help="write the verdicts on jobs that ended (clearway-slurm job-end calls it)")
    ended.add_argument("queue", metavar="DIR", help="where the verdicts wait")
    ended.add_argument("--say", action="store_true", help="add the verdict to the job's output as well")


def run(arguments: argparse.Namespace) -> int:
    return {"plugin": build, "check": check, "ended": work_on_ended}[arguments.action](arguments)


def build(arguments: argparse.Namespace) -> int:
    from pathlib import Path

    from clearway.site.plugin import build_plugin, version_of_plugin

    made = build_plugin(
        Path(arguments.output), Path(arguments.slurm_include) if arguments.slurm_include else None
    ).resolve()
    print(f"{made} is built, for Slurm {version_of_plugin(made)}. In plugstack.conf, beside slurm.conf, on all nodes:")
    print(f"\noptional {made}")
    return 0


def check(_: argparse.Namespace) -> int:
    from clearway.site.check import check_site
    from clearway.site.settings import read_settings

    settings = read_settings()
    problems = check_site(settings)
    for problem in problems:
        print(problem)
    if not problems:
        print(f"No problem found: MPI programs of jobs are recorded in {settings.folder} (%h: home, %u: user).")
    return 1 if problems else 0


def work_on_ended(arguments: argparse.Namespace) -> int:
    from pathlib import Path

    from clearway.site.ended_jobs import work

    work(Path(arguments.queue), arguments.say)
    return 0
