"""Find what holds a job up, apply what needs no privilege, and prove the gain.

clearway fix -- mpirun -np 8 PROGRAM …   records it, and runs it with and without the remedies for what was found
clearway fix --dry-run -- mpirun …       records the job once, and only prints the command line with the remedies
clearway fix --from DIR --dry-run        the same for a job that was recorded before
clearway fix --remedy flow -- mpirun …   tries this remedy only
clearway fix --half -- mpirun …          also runs it on half the ranks: do they compete for memory bandwidth?
clearway fix job.sh                      a batch script of Slurm: recorded and proved as jobs, and a patch to the script
clearway fix --resume DIR                continues what was submitted; with --write it changes the script

The job is recorded once as typed. Remedies for what its page finds are put into its command line, and the job
runs with and without them in turns, until it is clear what they give. For a long job, use a short version of it.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clearway.diagnosis.choose import Choice
    from clearway.diagnosis.finding import Finding
    from clearway.experiment import Plan, Runner
    from clearway.experiment.fixing import Diagnosis

DEFAULT_ROUNDS = 5


def configure(parser: argparse.ArgumentParser) -> None:
    from clearway.job.progress_options import add_progress
    from clearway.queue.options import add_submit

    parser.usage = "clearway fix [--dry-run] [--remedy ID] [OPTIONS] [--] LAUNCHER … PROGRAM …"
    what = parser.add_argument_group("what to try")
    what.add_argument("--dry-run", action="store_true", help="only print the command line with the remedies in it")
    what.add_argument(
        "--remedy",
        metavar="ID",
        action="append",
        default=[],
        help="try only this remedy, by its name on the page (may be repeated)",
    )
    what.add_argument("--each", action="store_true", help="also try each remedy alone, if there are several")
    what.add_argument(
        "--half", action="store_true", help="also run it on half the ranks: do they compete for memory bandwidth?"
    )
    what.add_argument(
        "--line",
        metavar="N",
        type=int,
        default=0,
        help="the line of the batch script that launches the job, if several do",
    )
    what.add_argument("--from", metavar="DIR", dest="recorded", help="use this Run instead of recording a first one")
    add_progress(parser.add_argument_group("by which figure (default: the engine's own, else the time)"))
    when = parser.add_argument_group("when to stop")
    when.add_argument(
        "--rounds", type=int, default=DEFAULT_ROUNDS, metavar="N", help="at most this many rounds (default 5)"
    )
    when.add_argument("--budget", metavar="TIME", help="time limit for all runs of the proof: 30m, 2h (default: none)")
    when.add_argument(
        "--precision", metavar="SHARE", default="2%", help="stop when the ratio is known to ± this (default 2%%)"
    )
    when.add_argument("--timeout", metavar="TIME", help="time limit for one run (default: 10 times the first)")
    where = parser.add_argument_group("where to run")
    where.add_argument(
        "--testbed", metavar="OPTIONS", default="", help="run on a cluster in a box: '--hosts 8 --buffer 20k'"
    )
    where.add_argument("--fresh", action="store_true", help="start each run in a fresh copy of the working directory")
    where.add_argument(
        "-o", "--output", metavar="DIR", help="directory for the Runs (default: clearway-fix-PROGRAM-TIME)"
    )
    where.add_argument("--resume", metavar="DIR", help="resume what was submitted from DIR")
    add_submit(parser, "the first run and each round of the proof", "default 1: they might disturb each other")
    output = parser.add_argument_group("output")
    output.add_argument("--write", action="store_true", help="change the batch script; the old one is kept as .orig")
    output.add_argument("--json", metavar="FILE", help="the proof, as `clearway compare --json` writes it")
    output.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND", help="the job, as you would type it")


def run(arguments: argparse.Namespace) -> int:
    import os
    from pathlib import Path

    from clearway.base.interruption import ended_by_signals, interrupt
    from clearway.experiment import Runner
    from clearway.experiment.session import lines_of
    from clearway.queue.options import check_submit

    if arguments.resume:
        return shown(Path(arguments.resume).absolute(), arguments)
    plan = plan_of(arguments)
    if arguments.submit is None and plan.script and not os.environ.get("SLURM_JOB_ID") and not arguments.dry_run:
        arguments.submit = ""  # a batch script has its own options
    check_submit(arguments)
    if arguments.submit is not None and not arguments.dry_run:
        return submitted(plan, arguments)
    with ended_by_signals(interrupt), lines_of(plan) as line_of:
        return fixed(plan, Runner(line_of, Path.cwd(), plan.fresh, plan.figure), arguments)


def submitted(plan: Plan, arguments: argparse.Namespace) -> int:
    """The first run and the proof as tasks of a job array."""
    from dataclasses import replace
    from pathlib import Path

    from clearway.base.errors import ClearwayError
    from clearway.experiment import Runner, lines_here
    from clearway.experiment.fix_by_queue import Fixes, Wish, write_wish
    from clearway.experiment.journal import write_plan
    from clearway.experiment.script_options import options_of
    from clearway.queue import submit, write_submission

    if plan.testbed or arguments.write:
        raise ClearwayError(
            "--submit and --testbed exclude each other" if plan.testbed else "--write has to wait for the proof",
            "clearway fix --resume DIR --write",
        )
    if plan.script and plan.batch_script().has_components:
        raise ClearwayError(
            f"'{plan.command[0]}' is a heterogeneous job, which Slurm cannot run as a job array",
            f"record it with clearway run in the script, then: clearway fix --from DIR --dry-run {plan.command[0]}",
        )
    plan = replace(plan, warm_up=True)
    runner = Runner(lines_here(plan), Path.cwd(), plan.fresh, plan.figure)
    submission = submit(arguments.submit, "fix", arguments.at_once or 1)
    submission = replace(submission, options=(*options_of(plan), *submission.options))
    recorded = str(Path(arguments.recorded).absolute()) if arguments.recorded else ""
    directory = new_directory(runner, arguments)
    wish = Wish(tuple(arguments.remedy), arguments.each, recorded, arguments.half)
    write_plan(directory, plan)
    write_wish(directory, wish)
    write_submission(directory, submission)
    work = Fixes(directory, wish)
    if (diagnosis := work.diagnosis()) is not None:
        work.plan_proof(diagnosis)
    return shown(directory, arguments)


def shown(directory: Path, arguments: argparse.Namespace) -> int:
    """What there is of it, with whatever is missing submitted."""
    from clearway.experiment import session
    from clearway.experiment.fix_by_queue import fixes_in
    from clearway.experiment.fixing import promise_and_proof
    from clearway.queue import advance
    from clearway.queue.watch import follow, tell

    work = fixes_in(directory)
    standing = advance(directory, work, by_a_person=True)
    if arguments.watch and not standing.is_complete:
        standing = follow(directory, work)
    tell(standing, directory, "fix")
    diagnosis, rounds = work.diagnosis(), work.rounds()
    if diagnosis is None:
        return 0
    if arguments.json != "-":
        show(diagnosis, rounds.runner if rounds else None, work.plan())
    comparison = rounds.so_far() if rounds else None
    if rounds is None or comparison is None or not any(row.rounds or row.fault for row in comparison.rows):
        return 0
    session.show(comparison, arguments.json, arguments.quiet)
    if arguments.json != "-":
        print("\n".join(promise_and_proof(diagnosis, comparison)))
    if arguments.write:
        from clearway.experiment.patch import write_best

        print(write_best(work.plan(), comparison, rounds.runner.working_directory))
    return 0


def plan_of(arguments: argparse.Namespace) -> Plan:
    """The proof, without its variants yet. Raises ClearwayError."""
    from pathlib import Path

    from clearway.base.errors import ClearwayError
    from clearway.base.units import parse_share, parse_time_s
    from clearway.diagnosis.facts import open_case
    from clearway.experiment import Plan, check_limits
    from clearway.experiment.progress_options import figure_of
    from clearway.run import load

    command = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    if not command and arguments.recorded:
        command = list(open_case(load(Path(arguments.recorded))).command)
    if not command:
        raise ClearwayError("no job to fix", "clearway fix -- mpirun -np 8 PROGRAM ARGUMENTS")
    known_remedies(arguments.remedy)
    script = script_of(command, arguments.line)
    if arguments.line and not script:
        raise ClearwayError("--line says where a batch script launches its job", "clearway fix --line 8 job.sh")
    if arguments.write and not script:
        raise ClearwayError("--write changes a batch script, but the command is not one", "clearway fix job.sh")
    plan = Plan(
        command=tuple(command),
        variants=(),
        rounds=arguments.rounds,
        warm_up=False,  # the first run was one
        precision=parse_share(arguments.precision),
        budget_s=parse_time_s(arguments.budget) if arguments.budget else None,
        timeout_s=parse_time_s(arguments.timeout) if arguments.timeout else None,
        fresh=arguments.fresh,
        testbed=arguments.testbed,
        figure=figure_of(arguments),
        same_work=arguments.same_work,
        script=script,
        line=arguments.line,
    )
    check_limits(plan)
    return plan


def script_of(command: list[str], line: int) -> str:
    """The text of the batch script that is named; empty where a command is."""
    from pathlib import Path

    from clearway.base.errors import ClearwayError
    from clearway.job.batch_script import is_batch_script, read_script

    path = Path(command[0])
    if len(command) > 1 or not path.is_file():
        return ""
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        return ""  # a program
    except OSError as error:
        raise ClearwayError(
            f"cannot read '{path}': {error.strerror}", "give a batch script, or a launcher with its program"
        ) from None
    if not is_batch_script(text):
        return ""
    read_script(command[0], text, line)
    return text


def known_remedies(wanted: list[str]) -> None:
    from clearway.base.errors import ClearwayError
    from clearway.diagnosis.remedies import remedies

    for name in wanted:
        if name not in remedies():
            raise ClearwayError(f"there is no remedy '{name}'", f"one of: {', '.join(remedies())}")


def fixed(plan: Plan, runner: Runner, arguments: argparse.Namespace) -> int:
    from pathlib import Path

    from clearway.experiment.fixing import FIRST_RUN, diagnosis_of, first_run

    directory = None
    if arguments.recorded:
        run_directory = Path(arguments.recorded)
    else:
        directory = new_directory(runner, arguments)
        say(arguments, "recording the job as typed")
        run_directory = directory / FIRST_RUN
        if failed := first_run(runner, run_directory, plan.timeout_s):
            raise failed
    tells_work = plan.figure is not None or plan.same_work
    diagnosis = diagnosis_of(run_directory, arguments.remedy, tells_work, arguments.half)
    if arguments.json != "-":
        show(diagnosis, runner, plan)
    if arguments.dry_run or not diagnosis.choices:
        if arguments.write and arguments.dry_run and (diagnosis.choices or diagnosis.asked):
            from clearway.experiment.patch import write_first

            print(write_first(plan, diagnosis, Path.cwd()))
        return 0
    return proved(diagnosis, plan, runner, directory or new_directory(runner, arguments), arguments)


def new_directory(runner: Runner, arguments: argparse.Namespace) -> Path:
    from clearway.experiment import Variant
    from clearway.experiment.session import directory_for
    from clearway.job.change import UNCHANGED

    return directory_for("fix", runner.line_of(Variant(UNCHANGED)), arguments.output)


def _why_nothing(findings: Sequence[Finding]) -> str:
    if any(each.remedies for each in findings):
        return "None of the remedies can be tried here: they need root, another input file, or another allocation."
    return f"Clearway has no remedy that it could try. `clearway explain {findings[0].rule}` says what you can do."


def show(diagnosis: Diagnosis, runner: Runner | None, plan: Plan) -> None:
    """The findings, and the command line, or the patch to the batch script, with what is chosen in it."""
    import shlex

    from rich.text import Text

    from clearway.base.console import open_console, print_lines, sheet_for
    from clearway.base.sheet import paragraph
    from clearway.base.visible import visible
    from clearway.diagnosis.choose import together
    from clearway.experiment import Variant
    from clearway.experiment.fixing import name_of
    from clearway.experiment.patch import patch_of
    from clearway.page.render.terminal.findings import findings

    console = open_console()
    sheet = sheet_for(console)
    lines = findings(diagnosis.page, sheet)
    for choice in diagnosis.choices if runner else ():
        lines += [Text(), Text(f"With {name_of(choice)}{asks(choice)}:")]
        if plan.script:
            lines += [Text(visible(line)) for line in patch_of(plan, together(choice)).splitlines()]
        elif runner:
            lines.append(Text(f"  {shlex.join(runner.command(Variant(name_of(choice), together(choice))))}"))
    if plan.script and diagnosis.asked:
        name = name_of(diagnosis.asked)
        tried = any(variant.name == name for variant in plan.variants)
        how = "in jobs of its own:" if tried else "which is not tried: it is another allocation."
        lines += [Text(), Text(f"With {name}, {how}")]
        lines += [Text(visible(line)) for line in patch_of(plan, together(diagnosis.asked)).splitlines()]
    for sentence in diagnosis.left_out():
        lines += [Text(), *paragraph(Text(sentence), sheet.width)]
    if diagnosis.page.findings and not diagnosis.choices and not diagnosis.unproved and not plan.variants:
        lines += [Text(), *paragraph(Text(_why_nothing(diagnosis.page.findings)), sheet.width)]
    print_lines(console, lines)


def asks(choice: Choice) -> str:
    """What is tried to find out, not to mend."""
    from clearway.diagnosis.half_the_ranks import HALF
    from clearway.diagnosis.one_thread_a_core import ONE_EACH

    questions = {
        HALF: ", to see whether ranks compete for memory bandwidth",
        ONE_EACH: ", to see whether cores are faster with one thread than with two",
    }
    return questions.get(choice[0].id, "")


def proved(diagnosis: Diagnosis, plan: Plan, runner: Runner, directory: Path, arguments: argparse.Namespace) -> int:
    from clearway.base.interruption import INTERRUPTED
    from clearway.experiment import End, checked, session
    from clearway.experiment.fixing import promise_and_proof, proof
    from clearway.experiment.journal import write_plan

    plan = checked(proof(plan, diagnosis.choices, arguments.each))
    write_plan(directory, plan)
    say(arguments, "running it with and without the remedies, in turns")
    comparison = session.watched(plan, runner, directory, arguments.quiet)
    session.show(comparison, arguments.json, arguments.quiet)
    if arguments.json != "-":
        print("\n".join(promise_and_proof(diagnosis, comparison)))
    if arguments.write:
        from clearway.experiment.patch import write_best

        print(write_best(plan, comparison, runner.working_directory))
    return INTERRUPTED if comparison.end is End.INTERRUPTED else 0


def say(arguments: argparse.Namespace, what: str) -> None:
    import sys

    if not arguments.quiet:
        print(f"clearway: {what}", file=sys.stderr, flush=True)
