"""Open MPI 4 and 5: a host file, and a rankfile that says the cores of each rank."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.base.ranges import short_numbers
from clearway.cluster.forms.model import Form
from clearway.cluster.forms.network_card import open_mpi_parameters, untold
from clearway.cluster.forms.runs import runs
from clearway.cluster.model import Host
from clearway.cluster.placement import Placement
from clearway.cluster.placement.reasons import UNBOUND
from clearway.cluster.topology import core_by_cpu, in_logical_order
from clearway.job.change import Change

HOSTS, RANKS = "hosts", "ranks"


def form_4(placement: Placement, directory: str, _program: Sequence[str]) -> Form:
    return _form(placement, directory, ("--rankfile", f"{directory}/{RANKS}"))


def form_5(placement: Placement, directory: str, _program: Sequence[str]) -> Form:
    return _form(placement, directory, ("--map-by", f"rankfile:file={directory}/{RANKS}"))


def _form(placement: Placement, directory: str, by_rankfile: tuple[str, ...]) -> Form:
    files = {HOSTS: host_file(placement)}
    if placement.binds:
        files[RANKS] = rankfile(placement)
        mapping = (*by_rankfile, *(("--use-hwthread-cpus",) if shares_cores(placement) else ()))
    else:
        mapping = ("--map-by", "slot" if len(runs(placement)) == len(placement.hosts) else "node")
    change = Change(
        parameters=open_mpi_parameters(placement),
        launcher_options=("--hostfile", f"{directory}/{HOSTS}", *mapping),
        ranks=len(placement.seats),
    )
    return Form(files, change, notes=(*untold(placement), *(() if placement.binds else (UNBOUND,))))


def host_file(placement: Placement) -> str:
    return "".join(f"{placement.name_of(host)} slots={len(placement.by_host[host.name])}\n" for host in placement.hosts)


def rankfile(placement: Placement) -> str:
    """Cores by hwloc's own numbers, which are not the kernel's; hardware threads, where ranks share cores."""
    whole_cores = not shares_cores(placement)
    numbers = {host.name: _numbers(host, whole_cores) for host in placement.hosts}
    return "".join(
        f"rank {seat.rank}={placement.name_of(seat.host)} "
        f"slot={short_numbers(sorted({numbers[seat.host.name][cpu] for cpu in seat.cpus}))}\n"
        for seat in placement.seats
    )


def shares_cores(placement: Placement) -> bool:
    """Whether some rank has less than a core."""
    for host in placement.hosts:
        core_of = core_by_cpu(host.cores)
        for seat in placement.by_host[host.name]:
            if any(not set(core_of[cpu].cpus) <= set(seat.cpus) for cpu in seat.cpus):
                return True
    return False


def _numbers(host: Host, whole_cores: bool) -> dict[int, int]:
    """hwloc's number of each hardware thread, or of its core."""
    cores = in_logical_order(host.cores)
    units = [core.cpus for core in cores] if whole_cores else [(cpu,) for core in cores for cpu in core.cpus]
    return {cpu: at for at, unit in enumerate(units) for cpu in unit}
