"""Open MPI 4 and 5: a host file, and a rankfile that says the cores of each rank."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.cluster.forms.maps import UNKNOWN
from clearway.cluster.forms.model import Form
from clearway.cluster.forms.network_card import open_mpi_parameters, untold
from clearway.cluster.forms.runs import runs
from clearway.cluster.placement import Placement, Seat
from clearway.cluster.ranges import short_numbers
from clearway.cluster.topology import in_logical_order
from clearway.launch.change import Change

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
    return Form(files, change, notes=(*untold(placement), *(() if placement.binds else (UNKNOWN,))))


def host_file(placement: Placement) -> str:
    return "".join(f"{placement.name_of(host)} slots={len(placement.by_host[host.name])}\n" for host in placement.hosts)


def rankfile(placement: Placement) -> str:
    """Cores by hwloc's own numbers, which are not the kernel's; hardware threads, where ranks share cores."""
    whole_cores = not shares_cores(placement)
    return "".join(
        f"rank {seat.rank}={placement.name_of(seat.host)} slot={short_numbers(_logical(seat, whole_cores))}\n"
        for seat in placement.seats
    )


def shares_cores(placement: Placement) -> bool:
    """Whether some rank has less than a core."""
    return any(set(seat.cpus) & set(core.cpus) and not set(core.cpus) <= set(seat.cpus)
               for seat in placement.seats for core in seat.host.cores)  # fmt: skip


def _logical(seat: Seat, whole_cores: bool) -> list[int]:
    cores = in_logical_order(seat.host)
    units = [core.cpus[:1] for core in cores] if whole_cores else [(cpu,) for core in cores for cpu in core.cpus]
    return [at for at, unit in enumerate(units) if unit[0] in seat.cpus]
