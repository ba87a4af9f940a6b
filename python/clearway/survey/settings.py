"""How a job was run, as its record tells: everything that a person, a site or a launcher may have set otherwise.

What differs from Run to Run by itself (job ids, addresses, where the record was written) is left out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from clearway.base import quantities as q
from clearway.base.mpi_name import mpi_name
from clearway.base.older_python import StrEnum
from clearway.base.ranges import short_names, short_numbers
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.granted_processors import BATCH
from clearway.diagnosis.facts.settings_in_force import launcher_line, program_words
from clearway.diagnosis.facts.tables.hosts import Host
from clearway.job.command_line import CommandLine, Section
from clearway.job.launcher_options import Grammar
from clearway.job.settings import PARAMETER_OPTIONS, VARIABLE_OPTIONS, variables_of
from clearway.run.layout import FILE_DELETED, FILE_READ, FILE_WRITTEN, text


class Kind(StrEnum):
    """In the order in which they are shown."""

    PROGRAM = "program"
    ENGINE = "engine"
    INPUT = "input"
    OPTION = "program's option"
    MPI = "MPI"
    PARAMETER = "MPI parameter"
    VARIABLE = "variable"
    LAUNCHER = "launcher"
    BATCH = "batch job"
    SIZE = "size of the job"
    HOSTS = "hosts"
    HOST = "host"
    BINDING = "binding"
    LIMIT = "limit"


Setting = tuple[Kind, str]  # its kind and its name
Settings = dict[Setting, str]

ENVIRONMENT = "environment."
PARAMETERS = ("OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_")
OURS = ("CLEARWAY_FLOW", "CLEARWAY_IO_CACHE")  # of CLEARWAY_*, what makes the job another one
NOT_SET_BY_ANYBODY = (*BATCH, "SLURM_NTASKS", "CLEARWAY_IO_CACHE_SINCE_NS")
TOLD_BY_SLURM = (  # to each task: masks of processors and the like follow from what was asked for
    "SLURM_CPU_BIND",
    "SLURM_DISTRIBUTION",
    "SLURM_CPUS_ON_NODE",
    "SLURM_JOB_CPUS_PER_NODE",
    "SLURM_CPUS_PER_TASK",
)
NUMBER_OF_RANKS = ("n", "np", "ntasks")  # the number of ranks is a setting of its own
CPUS_PER_TASK = ("c", "cpus-per-task")  # and where Slurm tells it, wherever it was asked for, so is this
NOT_ASKED = "not asked for"
OF_A_TESTBED = re.compile(r"/run/clearway-testbed/[0-9a-f]+")  # another one each time it is up
HOST_FACTS = re.compile(
    r"host\.|topology\.|tcp\.|shm\.size_bytes|net\..*\.(speed_mbit|duplex|driver|mtu|.*pause.*|shaped.*)$"
)
LIMITS = {
    "process.cgroup_cpus": (Kind.BINDING, "CPU quota of the control group"),
    "process.cgroup_memory_bytes": (Kind.LIMIT, "memory of the control group"),
    "process.limit_locked_bytes": (Kind.LIMIT, "locked memory"),
    "process.limit_stack_bytes": (Kind.LIMIT, "stack"),
    "process.limit_open_files": (Kind.LIMIT, "open files"),
}
NOT_INPUT = ("/proc/", "/sys/", "/dev/", "/etc/", "/usr/", "/run/", "/tmp/ompi.")


def settings_of(case: Case) -> Settings:
    """Every setting on record, by kind and name. Texts come from the job: escape them."""
    return {
        setting: value
        for setting, value in (
            *_software(case),
            *_inputs(case),
            *_program_options(case),
            *_launcher(case),
            *_environment(case),
            *_batch(case),
            *_size(case),
            *_hosts(case),
            *_binding(case),
        )
        if value
    }


def _software(case: Case) -> Iterator[tuple[Setting, str]]:
    job, engine = case.tables.job, case.tables.engine
    yield (Kind.PROGRAM, "program"), case.fact("process.program") or job.program
    yield (Kind.MPI, "MPI"), mpi_name(job.mpi_library)
    yield (Kind.MPI, "device"), case.fact("mpi.device") or ""
    if engine:
        yield (Kind.ENGINE, "engine"), f"{engine.name} {engine.version}" if engine.version else engine.name


def _inputs(case: Case) -> Iterator[tuple[Setting, str]]:
    """Files that the job only read, below its working directory or named on its command line, by how far it read."""
    folder = f"{(case.fact('process.cwd') or 'unknown').rstrip('/')}/"
    named = {PurePosixPath(word).name for word in program_words(case)[1:]}
    found: dict[str, int] = {}
    for path, extent_bytes in _only_read(case):
        if path.startswith(folder) or not path.startswith("/") or PurePosixPath(path).name in named:
            found[path.removeprefix(folder)] = extent_bytes
    for name in sorted(found):
        yield (Kind.INPUT, name), f"{found[name]:,} bytes read" if found[name] else "mapped into memory"


def _only_read(case: Case) -> Iterator[tuple[str, int]]:
    """Paths, and the furthest byte read of each by any rank."""
    cells = case.run.files.data
    flags: dict[str, int] = defaultdict(int)
    extent: dict[str, int] = defaultdict(int)
    for path, flag, furthest in zip(*(cells[name].tolist() for name in ("path", "flags", "extent_bytes")), strict=True):
        flags[text(path)] |= flag
        extent[text(path)] = max(extent[text(path)], furthest)
    for name, flag in flags.items():
        if flag & FILE_READ and not flag & (FILE_WRITTEN | FILE_DELETED) and not name.startswith(NOT_INPUT):
            yield name, extent[name]


def _program_options(case: Case) -> Iterator[tuple[Setting, str]]:
    """Options by name, with the words behind them; other words by their place."""
    name, values, place = "", list[str](), 0
    for word in program_words(case)[1:]:
        if _is_option(word):
            yield from [((Kind.OPTION, name), " ".join(values) or "given")] if name else []
            name, equals, attached = word.partition("=") if word.startswith("--") else (word, "", "")
            values = [attached] if equals else []
        elif name:
            values.append(word)
        else:
            place += 1
            yield (Kind.OPTION, f"argument {place}"), word
    if name:
        yield (Kind.OPTION, name), " ".join(values) or "given"


def _is_option(word: str) -> bool:
    return len(word) > 1 and word[0] == "-" and not re.match(r"-[\d.]", word)


def _launcher(case: Case) -> Iterator[tuple[Setting, str]]:
    line = launcher_line(case)
    if not case.command:
        return
    if line is None:
        yield (Kind.LAUNCHER, "command line"), " ".join(case.command)  # of which nothing is known here but its words
        return
    yield (Kind.LAUNCHER, "before it"), " ".join(line.prefix)
    yield (Kind.LAUNCHER, "before the program"), " ".join(_wrappers(line.sections[0], case.tables.job.program))
    yield (Kind.LAUNCHER, "launcher"), line.launcher or "none"
    if line.grammar is not None:
        yield from _launcher_options(line, line.grammar, _said_elsewhere(case))


def _said_elsewhere(case: Case) -> Mapping[str, str]:
    """Launcher options that are settings of their own, with the value that these have; empty for any value."""
    batch = case.tables.job.batch
    told = dict.fromkeys(NUMBER_OF_RANKS, str(case.ranks))
    return told | (dict.fromkeys(CPUS_PER_TASK, "") if batch and batch.cpus_per_task else {})


def _wrappers(section: Section, program: str) -> Sequence[str]:
    """What the launcher starts first: "taskset -c 0" of `taskset -c 0 ./program`."""
    words = [word for word in section.program if word != "--"]
    names = [PurePosixPath(word).name for word in words]
    return words[: names.index(program)] if program in names else ()


def _launcher_options(
    line: CommandLine, grammar: Grammar, elsewhere: Mapping[str, str]
) -> Iterator[tuple[Setting, str]]:
    for number, section in enumerate(line.sections, 1):
        behind = f" (program {number})" if len(line.sections) > 1 else ""
        for option in section.options:
            if option.name in PARAMETER_OPTIONS:
                yield (Kind.PARAMETER, option.values[0]), option.values[1]
            elif option.name in elsewhere and elsewhere[option.name] in ("", " ".join(option.values)):
                continue
            elif option.name not in VARIABLE_OPTIONS:
                yield (
                    (Kind.LAUNCHER, f"{option.words[0].partition('=')[0]}{behind}"),
                    " ".join(option.values) or "given",
                )
        for name, value in variables_of(grammar, section):
            if value is not None:
                yield from _variable(name, value)


def _environment(case: Case) -> Iterator[tuple[Setting, str]]:
    """What the ranks found there goes before what the launcher was told: it is what was in force."""
    names = {name for name in case.run.facts.data["name"].tolist() if name.startswith(ENVIRONMENT.encode())}
    for fact in sorted(map(text, names)):
        yield from _variable(fact.removeprefix(ENVIRONMENT), _of_ranks(case, case.run.fact(fact)))


def _variable(name: str, value: str) -> Iterator[tuple[Setting, str]]:
    if name in NOT_SET_BY_ANYBODY or name.startswith(TOLD_BY_SLURM):
        return
    if name.startswith("CLEARWAY_") and not name.startswith(OURS):
        return
    if name == "LD_PRELOAD":  # we stand in it ourselves
        value = " ".join(part for part in re.split(r"[: ]", value) if "/libclearway" not in part)
    value = OF_A_TESTBED.sub("/run/clearway-testbed/…", value)
    prefix = next((each for each in PARAMETERS if name.startswith(each)), "")
    yield ((Kind.PARAMETER, name.removeprefix(prefix)) if prefix else (Kind.VARIABLE, name)), value or "empty"


def _batch(case: Case) -> Iterator[tuple[Setting, str]]:
    """What was asked of the batch system, by whichever of its commands. Nothing outside of a batch job."""
    batch = case.tables.job.batch
    if batch is None:
        return
    memory = (("memory per node", batch.memory_per_node_bytes), ("memory per cpu", batch.memory_per_cpu_bytes))
    asked = {
        "partition": batch.partition,
        "QOS": batch.qos,
        "constraint": batch.constraint,
        "number of cpus per task": str(batch.cpus_per_task or ""),
        **{name: q.bytes_(amount) if amount else "" for name, amount in memory},
    }
    for name, value in asked.items():
        yield (Kind.BATCH, name), value or NOT_ASKED
    yield (Kind.BATCH, "distribution of tasks"), batch.distribution
    yield (Kind.BATCH, "grant of processors"), case.environment("SLURM_JOB_CPUS_PER_NODE") or ""
    bound = case.environment("SLURM_CPU_BIND_TYPE")
    if bound and not case.command:  # else the launcher's own words say it
        yield (Kind.BATCH, "binding of tasks"), "none" if bound.startswith("none") else "bound"


def _size(case: Case) -> Iterator[tuple[Setting, str]]:
    yield (Kind.SIZE, "ranks"), str(case.ranks)
    yield (Kind.SIZE, "hosts"), str(len(case.tables.hosts))
    numbers = sorted({host.ranks for host in case.tables.hosts})
    yield (Kind.SIZE, "ranks on a host"), short_numbers(numbers)


def _hosts(case: Case) -> Iterator[tuple[Setting, str]]:
    hosts = case.tables.hosts
    yield (Kind.HOSTS, "hosts"), short_names(sorted(host.name for host in hosts))
    facts = {host.name: dict(_host_facts(host)) for host in hosts}
    for name in sorted({name for known in facts.values() for name in known}):
        yield (Kind.HOST, name), _told_apart({host: known.get(name, "not there") for host, known in facts.items()})


def _host_facts(host: Host) -> Iterator[tuple[str, str]]:
    if host.cores is not None:
        yield "processors", str(host.cores)
    if host.memory_bytes is not None:
        yield "memory", q.bytes_(host.memory_bytes)  # as exact as a person reads it: kernels take some for themselves
    yield "kernel", host.kernel
    yield "congestion control", host.congestion_control
    yield from ((name, value) for name, value in host.facts.items() if HOST_FACTS.match(name))


def _binding(case: Case) -> Iterator[tuple[Setting, str]]:
    """Which processors the ranks of each host may use, as they would stand in a launcher's report."""
    by_host: dict[str, list[str]] = defaultdict(list)
    for rank in case.tables.ranks:
        by_host[rank.host].append(rank.cpus or "any")
    alike = {tuple(cpus) for cpus in by_host.values()}
    several = [" | ".join(cpus) if len(set(cpus)) > 1 else f"{cpus[0]} for each" for cpus in sorted(alike)]
    yield (Kind.BINDING, "processors of a host's ranks"), "; ".join(several)
    for fact, setting in LIMITS.items():
        yield setting, _of_ranks(case, case.run.fact(fact))


def _of_ranks(case: Case, by_process: Mapping[int, str]) -> str:
    ranks = case.run.processes["rank"].tolist()
    if len(by_process) == len(ranks) and len(set(by_process.values())) == 1:
        return next(iter(by_process.values()))
    by_value: dict[str, list[int]] = defaultdict(list)
    for process, value in sorted(by_process.items()):
        by_value[value].append(ranks[process])
    parts = [f"{value} on {_some_ranks(sorted(members))}" for value, members in by_value.items()]
    return ", ".join(parts)


def _some_ranks(ranks: Sequence[int]) -> str:
    return f"rank {ranks[0]}" if len(ranks) == 1 else f"ranks {short_numbers(ranks)}"


def _told_apart(by_host: Mapping[str, str]) -> str:
    """A value; where hosts differ, each with its hosts."""
    hosts: dict[str, list[str]] = defaultdict(list)
    for host, value in sorted(by_host.items()):
        hosts[value].append(host)
    if len(hosts) == 1:
        return next(iter(hosts))
    parts = [f"{value} on {short_names(sorted(names))}" for value, names in hosts.items()]
    return ", ".join(parts)
