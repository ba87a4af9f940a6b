"""Environment variables and MPI parameters of all ranks, as each launcher is told of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from clearway.base.errors import ClearwayError
from clearway.job.command_line import CommandLine, Option, Section
from clearway.job.launcher_options import Grammar, words
from clearway.job.launchers.mpich_hydra import HYDRAS
from clearway.job.launchers.openmpi import OPEN_MPIS
from clearway.job.launchers.slurm import SRUN
from clearway.job.launchers.testbed import TESTBED
from clearway.job.rewriting import (
    handed_on,
    in_all,
    in_section,
    of_name,
    put,
    testbed_option,
    without,
)

PARAMETER_OPTIONS = words("mca gmca omca gomca")  # Open MPI's
HYDRA_OPTIONS = words("env genv")
VARIABLE_OPTIONS = HYDRA_OPTIONS | words("x export")  # of any launcher


def with_parameter(line: CommandLine, name: str, value: str) -> CommandLine:
    """An Open MPI parameter; where the launcher is not Open MPI's own, by the environment."""
    if line.grammar in OPEN_MPIS:

        def same(option: Option) -> bool:
            return option.name in PARAMETER_OPTIONS and option.values[:1] == (name,)

        return in_all(line, Option(("--mca", name, value), "mca", (name, value)), same)
    if line.grammar is TESTBED:
        return _with_parameter_on_testbed(line, name, value)
    if line.grammar in HYDRAS:
        raise ClearwayError(
            f"'{name}' is a parameter of Open MPI; '{line.launcher}' is not a launcher of Open MPI",
            "start the job with mpirun of Open MPI, or write a variable in capitals",
        )
    return with_variable(line, f"OMPI_MCA_{name}", value, {})


def _with_parameter_on_testbed(line: CommandLine, name: str, value: str) -> CommandLine:
    mpi = testbed_option(line, "mpi")
    if not mpi.startswith("openmpi"):
        raise ClearwayError(
            f"'{name}' is a parameter of Open MPI; this testbed has '{mpi}'", "use a testbed with --mpi openmpi"
        )
    if name == "btl_tcp_if_include":
        return in_section(line, 0, Option(("--device", value), "device", (value,)), of_name(TESTBED, "device"))
    variable = f"OMPI_MCA_{name}"
    line = line.each_section(lambda section: replace(section, options=without(section, _sets(variable))))
    return handed_on(line, ("--mca", name, value))


def _sets(variable: str) -> Callable[[Option], bool]:
    return lambda option: option.name == "env" and option.values[0].partition("=")[0] == variable


def with_variable(line: CommandLine, name: str, value: str, environment: Mapping[str, str]) -> CommandLine:
    """NAME=VALUE in the environment of every rank."""
    if line.grammar is None:
        return _with_env(line, name, value)
    if line.grammar is TESTBED:
        return in_section(line, 0, Option(("--env", f"{name}={value}"), "env", (f"{name}={value}",)), _sets(name))
    if line.grammar is SRUN:
        return _with_export(line, name, value, environment)
    if line.grammar in HYDRAS:

        def named(option: Option) -> bool:
            return option.name in HYDRA_OPTIONS and option.values[:1] == (name,)

        others = line.each_section(lambda s: s if s is line.sections[0] else replace(s, options=without(s, named)))
        return in_section(others, 0, Option(("-genv", name, value), "genv", (name, value)), named)

    def exported(option: Option) -> bool:
        return option.name == "x" and option.values[0].partition("=")[0] == name

    return in_all(line, Option(("-x", f"{name}={value}"), "x", (f"{name}={value}",)), exported)


def variables_of(grammar: Grammar, section: Section) -> list[tuple[str, str | None]]:
    """NAME and VALUE of what is exported; None: the value that the launcher's own environment has."""
    if grammar in HYDRAS:
        return [(o.values[0], o.values[1]) for o in section.options if o.name in HYDRA_OPTIONS]
    if grammar is SRUN:
        told = [unquoted(part) for o in section.options if o.name == "export" for part in split_exports(o.values[0])]
    else:
        told = [o.values[0] for o in section.options if o.name in ("x", "env")]
    pairs = [part.partition("=") for part in told if part not in ("ALL", "NONE", "NIL")]
    return [(name, value if equals else None) for name, equals, value in pairs]


def _with_env(line: CommandLine, name: str, value: str) -> CommandLine:
    word = f"{name}={value}"
    prefix = [word if each.startswith(f"{name}=") else each for each in line.prefix]
    if word not in prefix:
        assigned = bool(prefix) and "=" in prefix[-1] and not prefix[-1].startswith("-")
        prefix += [word] if assigned else ["env", word]
    return replace(line, prefix=tuple(prefix))


def _with_export(line: CommandLine, name: str, value: str, environment: Mapping[str, str]) -> CommandLine:
    """Where srun hands on all of its own environment, there: its list does not overrule what is set in it (tried with
    22.05: under `export X=5` a task of `srun --export=ALL,X=60` has 5). Else in its list."""
    is_list = of_name(SRUN, "export")
    told = _export_of(name, value)

    def exports(section: Section) -> list[str]:
        lists = [option.values[0] for option in section.options if is_list(option)]
        return split_exports((lists or [environment.get("SLURM_EXPORT_ENV", "ALL")])[-1])

    def each(section: Section) -> Section:
        before = exports(section)
        kept = [part for part in before if unquoted(part).partition("=")[0] not in (name, "NONE", "NIL")]
        if "ALL" not in kept:
            kept.append(name if told is None else told)
        elif kept == before:
            return section
        words = ",".join(kept)
        return put(section, Option((f"--export={words}",), "export", (words,)), is_list)

    inherited = told is None or any("ALL" in exports(section) for section in line.sections)
    line = line.each_section(each)
    return _with_env(line, name, value) if inherited else line


def _export_of(name: str, value: str) -> str | None:
    """Quotes around all of it are Slurm's; around the value alone they would become part of it (tried with 22.05)."""
    word = f"{name}={value}"
    if "'" in word:
        return None
    return f"'{word}'" if "," in word or '"' in word else word


def split_exports(text: str) -> list[str]:
    """Slurm's list of variables at its commas, as Slurm does it: not within quotes."""
    parts, quote = [""], ""
    for letter in text:
        if letter == "," and not quote:
            parts.append("")
            continue
        if letter in "'\"" and quote in ("", letter):
            quote = "" if quote else letter
        parts[-1] += letter
    return parts


def unquoted(part: str) -> str:
    return part[1:-1] if len(part) > 1 and part[0] == part[-1] and part[0] in "'\"" else part
