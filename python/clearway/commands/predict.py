"""Predict a job, or a collective operation, on a modelled cluster, simulated packet by packet.

clearway predict --workload gromacs33:aqp1 --ranks 1,2,4,8,16 --cluster procurve2848 --alltoall lam,ordered
clearway predict --workload gromacs33 --ranks 16 --run DIR       leaves Runs: see clearway report DIR
clearway predict --from DIR --rate 10gbit --latency-us 5         a recorded job (--timeline) on another network
clearway predict --from DIR --no-core-wait                       … as if its ranks had not waited for cores
clearway predict alltoall --hosts 16 --rate 1gbit --buffer 64k    where does it collapse, and which order cures it?
clearway predict alltoall --cluster procurve2848 --hosts 16       a ready cluster, or a file (clearway docs clusters)
clearway predict alltoall --hosts 32 --sub-switches 9,9,9,5 --uplink 10gbit --algorithms lam,ordered+barrier
clearway predict alltoall --cluster testbed --hosts 8 --set mpi.shared_cores=4 --algorithms lam,ordered+credits:8000
clearway predict alltoall --testbed "--hosts 8 --buffer 20k --mpi mpich"   what clearway bench would measure there
clearway predict alltoall --hosts 64 --leaf-spine 16x4 --uplink 40gbit --flow-control pause
clearway predict allgather --hosts 8 --algorithms ring,recursive_doubling --sizes 4Ki..1Mi --json FILE
clearway predict alltoall --hosts 16 --vary rate=1gbit,10gbit --vary seed=1-100 --csv FILE    200 predictions
clearway predict alltoall --vary seed=1-10000 --submit='--partition=short --time=60'           as a job array of Slurm

The same options give the same figures. `clearway docs simulator` says what is modelled, and how far it agrees with real
TCP.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from clearway.predict.asked import add_options, options_read, predicted
from clearway.queue.options import check_submit

if TYPE_CHECKING:
    from clearway.predict.collectives.prediction import Prediction
    from clearway.predict.jobs.prediction import JobPrediction


def configure(parser: argparse.ArgumentParser) -> None:
    add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    from clearway.base.errors import ClearwayError
    from clearway.base.interruption import ended_by_signals

    check_submit(arguments)
    if arguments.vary or arguments.resume:
        from clearway.predict.sweep.command import sweep

        with ended_by_signals():
            return sweep(arguments, options_read, predicted)
    for option in ("submit", "csv", "output"):
        if getattr(arguments, option) is not None:
            raise ClearwayError(f"--{option} needs a sweep", "--vary rate=1gbit,10gbit")
    check_outputs(arguments)
    with ended_by_signals():
        prediction = predicted(arguments)
    write(prediction, arguments)
    return 0


def check_outputs(arguments: argparse.Namespace) -> None:
    """Before anything is simulated. Raises ClearwayError."""
    from clearway.base.picture.figure import check_plot_name, require_matplotlib

    if arguments.plot:
        check_plot_name(arguments.plot)
    if arguments.html:
        require_matplotlib()


def write(prediction: Prediction | JobPrediction, arguments: argparse.Namespace) -> None:
    from clearway.base.json import write_json
    from clearway.predict.collectives.prediction import Prediction

    if arguments.json != "-":
        from clearway.base.console import open_console, print_lines, sheet_for
        from clearway.predict.collectives.terminal import table_of
        from clearway.predict.jobs.terminal import table_of as job_table_of

        console = open_console()
        sheet = sheet_for(console)
        print_lines(
            console,
            table_of(prediction, sheet) if isinstance(prediction, Prediction) else job_table_of(prediction, sheet),
        )
    if arguments.json:
        write_json(prediction, arguments.json)
    if not arguments.plot and not arguments.html:
        return
    if isinstance(prediction, Prediction):
        draw_operation(prediction, arguments)
    else:
        draw_job(prediction, arguments)


def draw_job(prediction: JobPrediction, arguments: argparse.Namespace) -> None:
    from clearway.predict.jobs.html import write_html
    from clearway.predict.jobs.picture import write_plot

    if arguments.plot:
        write_plot(prediction, arguments.plot)
    if arguments.html:
        write_html(prediction, arguments.html)


def draw_operation(prediction: Prediction, arguments: argparse.Namespace) -> None:
    from clearway.bench.html import write_html
    from clearway.bench.plot import write_plot
    from clearway.predict.collectives.picture import sweep_of

    sweep = sweep_of(prediction)
    if arguments.plot:
        write_plot(sweep, arguments.plot)
    if arguments.html:
        write_html(sweep, arguments.html)
