"""Clusters that come with Clearway: one file each in this folder, named for what it is."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.nearest import did_you_mean
from clearway.cluster.files.read import parse_cluster, read_cluster
from clearway.cluster.model import Cluster

FOLDER = files(__name__)


def ready_names() -> list[str]:
    return sorted(file.name.removesuffix(".toml") for file in FOLDER.iterdir() if file.name.endswith(".toml"))


def ready_text(name: str) -> str:
    """The file of a ready cluster, with where each figure is from. Raises ClearwayError."""
    if name not in ready_names():
        hint = did_you_mean(name, ready_names(), "clearway cluster list")
        raise ClearwayError(f"there is no ready cluster '{name}'", hint)
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def title_of(text: str) -> str:
    """What the first line of a ready cluster's file says."""
    return text.partition("\n")[0].lstrip("# ")


def named_cluster(name_or_file: str) -> Cluster:
    """A file where it looks like one or is one, else a ready cluster. Raises ClearwayError."""
    if name_or_file.endswith(".toml") or "/" in name_or_file or Path(name_or_file).is_file():
        return read_cluster(Path(name_or_file))
    return parse_cluster(ready_text(name_or_file), name_or_file)
