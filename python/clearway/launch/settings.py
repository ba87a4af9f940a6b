"""Environment variables and MPI parameters of all ranks, as each launcher is told of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from clearway.errors import ClearwayError
from clearway.launch.command_line import CommandLine, Option, Section
from clearway.launch.grammar import Grammar, words
from clearway.launch.mpich_hydra import HYDRAS
from clearway.launch.openmpi import OPEN_MPIS
from clearway.launch.rewriting import in_all, in_section, of_name, put, without
from clearway.launch.slurm import SRUN

PARAMETER_OPTIONS = words("mca gmca omca gomca")  # Open MPI's
HYDRA_OPTIONS = words("env genv")
VARIABLE_OPTIONS = HYDRA_OPTIONS | words("x export")  # of any launcher


def with_parameter(line: CommandLine, name: str, value: str) -> CommandLine:
    """An Open MPI parameter; where the launcher is not Open MPI's own, by the environment."""
    if line.grammar in OPEN_MPIS:

        def same(option: Option) -> bool:
            return option.name in PARAMETER_OPTIONS and option.values[:1] == (name,)

        return in_all(line, Option(("--mca", name, value), "mca", (name, value)), same)
    if line.grammar in HYDRAS:
        raise ClearwayError(f"'{name}' is a parameter of Open MPI; '{line.launcher}' is none of its launchers")
    return with_variable(line, f"OMPI_MCA_{name}", value, {})


def with_variable(line: CommandLine, name: str, value: str, environment: Mapping[str, str]) -> CommandLine:
    """NAME=VALUE in the environment of every rank."""
    if line.grammar is None:
        return _with_env(line, name, value)
    if line.grammar is SRUN:
        return line.each_section(lambda section: _with_export(section, name, value, environment))
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
        told = [part for o in section.options if o.name == "export" for part in o.values[0].split(",")]
    else:
        told = [o.values[0] for o in section.options if o.name == "x"]
    pairs = [part.partition("=") for part in told if part not in ("ALL", "NONE", "NIL")]
    return [(name, value if equals else None) for name, equals, value in pairs]


def _with_env(line: CommandLine, name: str, value: str) -> CommandLine:
    word = f"{name}={value}"
    prefix = [word if each.startswith(f"{name}=") else each for each in line.prefix]
    if word not in prefix:
        assigned = bool(prefix) and "=" in prefix[-1] and not prefix[-1].startswith("-")
        prefix += [word] if assigned else ["env", word]
    return replace(line, prefix=tuple(prefix))


def _with_export(section: Section, name: str, value: str, environment: Mapping[str, str]) -> Section:
    """Slurm's list of variables: ALL,NAME=VALUE. A comma within a value is quoted for it."""
    is_list = of_name(SRUN, "export")
    lists = [option.values[0] for option in section.options if is_list(option)]
    before = (lists or [environment.get("SLURM_EXPORT_ENV", "ALL")])[-1].split(",")
    kept = [each for each in before if each.partition("=")[0] not in (name, "NONE", "NIL")]
    told = ",".join([*kept, f"{name}='{value}'" if "," in value else f"{name}={value}"])
    return put(section, Option((f"--export={told}",), "export", (told,)), is_list)
