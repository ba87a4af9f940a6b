"""The containers of one host in one user namespace, so that ranks may read each other's memory."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.namespaces import apart
from clearway.diagnosis.facts.settings_in_force import program_wrapper
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()
WORDS = {
    "apptainer": "apptainer exec --sharens …",
    "singularity": "singularity exec --sharens …",
    "podman": "podman run --userns=host …",
}


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: the finding is a bound. In the words of the container runtime, as far as they are known."""
    if not apart(case):
        return None
    return Offer(
        what="let the containers of a host share a user namespace",
        why="a message is then copied once; a single container for all ranks of the host has the same effect",
        gain=None,
        command=WORDS.get(program_wrapper(case), WORDS["apptainer"]),
    )
