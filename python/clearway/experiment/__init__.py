"""Comparing ways to run a job, by running them in turns: `clearway compare`, and the proof of `clearway fix`."""

from clearway.experiment.compare import Quiet, Watch, compare
from clearway.experiment.comparison import Comparison, End, Row, Verdict
from clearway.experiment.plan import Plan, Variant, check_limits, checked
from clearway.experiment.runner import Runner
from clearway.experiment.variant_command import lines_here, lines_on_testbed

__all__ = [
    "Comparison",
    "End",
    "Plan",
    "Quiet",
    "Row",
    "Runner",
    "Variant",
    "Verdict",
    "Watch",
    "check_limits",
    "checked",
    "compare",
    "lines_here",
    "lines_on_testbed",
]
