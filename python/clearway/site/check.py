"""Whether the jobs of this cluster are recorded, seen from where one asks: a sentence for each thing in the way."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.site.plugin import version_of_plugin
from clearway.site.runs_of_job import own_folder
from clearway.site.settings import PLUGIN, Settings


def check_site(settings: Settings) -> list[str]:
    """What is in the way; nothing where all is well."""
    if settings.source is None:
        return ["No plugstack.conf names clearway.so: the plugin is not installed here."]
    return [*_versions(settings.source), *_folder(settings)]


def slurm_version() -> str:
    program = shutil.which("srun")
    if program is None:
        return ""
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    match = re.search(r"\d+\.\d+(\.\d+)?", told)
    return match[0] if match else ""


def _versions(source: Path) -> list[str]:
    path = next((Path(word) for line in source.read_text(errors="replace").splitlines() for word in line.split()
                 if Path(word).name == PLUGIN), Path(PLUGIN))  # fmt: skip
    if not path.is_absolute():
        return []
    try:
        built, here = version_of_plugin(path), slurm_version()
    except ClearwayError as error:
        return [f"{error.message}: jobs run unrecorded."]
    if here and built.rpartition(".")[0] != ".".join(here.split(".")[:2]):
        others = f"{path} was built for Slurm {built}; the Slurm here, {here}, does not load it"
        return [f"{others}: jobs run unrecorded until it is built again (clearway slurm plugin)."]
    return []


def _folder(settings: Settings) -> list[str]:
    try:
        folder = own_folder(settings)
    except ClearwayError as error:
        return [f"{error.message}: your jobs run unrecorded."]
    nearest = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if os.access(nearest, os.W_OK | os.X_OK):
        return []
    return [f"You may not write to {folder}, where your Runs would be kept: your jobs run unrecorded."]
