"""A batch script with remedies in it: as a patch to read, and written."""

from __future__ import annotations

import os
import shutil
from itertools import count
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.output_file import whole_file, write_error
from clearway.diagnosis.choose import together
from clearway.experiment.comparison import Comparison
from clearway.experiment.conclusions import best_of, mended
from clearway.experiment.fixing import Diagnosis
from clearway.experiment.plan import Plan
from clearway.job.change import Change


def patch_of(plan: Plan, change: Change) -> str:
    """A unified diff, as `patch -p1` reads it."""
    script = plan.batch_script()
    return script.diff(script.with_change(change, os.environ))


def write_best(plan: Plan, comparison: Comparison, folder: Path) -> str:
    """The fastest of those that are proved to be faster, or to let the job end well. Says what was done."""
    best = best_of(comparison) or next(iter(mended(comparison)), None)
    if best is None:
        return "No remedy is proved to be faster: the script stays as it is."
    change = next(variant.change for variant in plan.variants if variant.name == best.name)
    return _write(plan, change, best.name, folder)


def write_first(plan: Plan, diagnosis: Diagnosis, folder: Path) -> str:
    """What the page advises, without a proof, other allocations too. Says what was done."""
    choice = (*(diagnosis.choices[0] if diagnosis.choices else ()), *diagnosis.asked)
    return _write(plan, together(choice), " + ".join(each.name for each in choice), folder)


def _write(plan: Plan, change: Change, name: str, folder: Path) -> str:
    """Raises ClearwayError where the script is not what it was: what somebody has changed meanwhile is not lost."""
    path = folder / plan.command[0]
    script = plan.batch_script()
    try:
        if path.read_text(encoding="utf-8") != plan.script:
            raise ClearwayError(
                f"cannot patch '{path}': it was changed in the meantime", "apply the patch above by hand"
            )
        kept = _free(path)
        shutil.copy2(path, kept)
    except OSError as error:
        raise write_error(path, error) from None
    mode = path.stat().st_mode
    with whole_file(path) as stream:
        stream.write(script.with_change(change, os.environ))
    path.chmod(mode)
    return f"{path} now has {name}; the original is {kept.name}."


def _free(path: Path) -> Path:
    first = path.with_name(f"{path.name}.orig")
    others = (path.with_name(f"{path.name}.orig-{number}") for number in count(2))
    return first if not first.exists() else next(each for each in others if not each.exists())
