"""Pages made by hand: what a job of GROMACS on two hosts leaves, and the odd ones."""

from __future__ import annotations

import random
from dataclasses import replace

from clearway.diagnosis.finding import Evidence, Finding, Remedy
from clearway.page import model as p

ALLTOALL_LAST = 5


def ledger(wall: float, *shares: float) -> p.Ledger:
    """A ledger of `wall` seconds from the shares of its lines, in their order on the page."""
    seconds = [wall * share for share in shares]
    return p.Ledger(wall, *seconds, residue_s=wall - sum(seconds), mpi_undivided_s=0.05 * seconds[3])


def total(ledgers: list[p.Ledger]) -> p.Ledger:
    fields = p.Ledger.__dataclass_fields__
    return p.Ledger(**{name: sum(getattr(one, name) for one in ledgers) for name in fields})


def rank(number: int, one: p.Ledger, host: str = "node1", **changes: object) -> p.Rank:
    cpu_s = one.compute_s + 0.9 * one.mpi_wait_s + 0.6 * one.mpi_transfer_s
    row = p.Rank(
        rank=number,
        host=host,
        pid=4100 + number,
        state="exited",
        cpus=str(number % 4),
        ledger=one,
        cpu_s=cpu_s,
        cpu_utilisation=cpu_s / one.wall_s if one.wall_s else 0.0,
        bytes_sent=3_481_000_000 + 7_000_000 * (number % 64),
        bytes_received=3_512_000_000 - 5_000_000 * (number % 64),
    )
    return replace(row, **changes)  # type: ignore[arg-type]


def call(function: str, kind: str, count: int, time_s: float, size: int, *split: float) -> p.CallRow:
    """`split`: the shares of time_s that are waiting, moving, stalled, off the core, undivided."""
    parts = [time_s * share for share in split]
    return p.CallRow(function, kind, count, time_s, size, 0.4e-6, 0.2413, *parts)


def collective(function: str, size: int, low: int, count: int, time_s: float, *split: float) -> p.CollectiveRow:
    parts = [time_s * share for share in split]
    return p.CollectiveRow(
        function, "MPI_COMM_WORLD", size, low, 2 * low - 1, count, count, time_s, *parts, ALLTOALL_LAST, 0.81
    )


def connection(number: int, peer: int, timeouts: int = 0, **changes: object) -> p.Socket:
    row = p.Socket(
        rank=number,
        host="node1" if number < 4 else "node2",
        local=f"10.0.0.{1 + number // 4}:{41000 + number}",
        peer=f"10.0.0.{1 + peer // 4}:{1024 + peer}",
        peer_rank=peer,
        bytes_sent=435_000_000,
        bytes_received=435_000_000,
        retransmits=31 * timeouts,
        timeouts=timeouts,
        stall_s=0.21 * timeouts,
        rtt_s=0.00031,
        min_rtt_s=0.00006,
        cwnd=10,
        busy_s=21.4,
        rwnd_limited_s=0.02,
        sndbuf_limited_s=9.8 if number == 2 else 0.0,
        send_buffer_bytes=87_040,
        receive_buffer_bytes=131_072,
        congestion_control="cubic",
    )
    return replace(row, **changes)  # type: ignore[arg-type]


def host(name: str) -> p.Host:
    card = p.Interface("eth0", 1000, "full", 14_200_000_000, 14_180_000_000, 412, 0, 0, 0)
    loop = p.Interface("lo", None, None, 120_000, 120_000, 0, 0, None, None)
    facts = {
        "net.core.rmem_max": "212992",
        "net.core.wmem_max": "212992",
        "net.ipv4.tcp_wmem": "4096 16384 4194304",
        "cpu.model": "AMD EPYC 9R14",
        "mpi.library": "Open MPI v4.1.4",
    }
    return p.Host(name, 4, 4, 16_480_000_000, "6.1.0-18-amd64", "cubic", 3_127, 187, 0.04, (card, loop), facts)


def threads(ranks: int, name: str = "gmx_mpi") -> p.CoreSeconds:
    """Two threads in each rank, one of them half as busy."""
    rows = tuple(
        p.RankThreads(
            number,
            2.0,
            (p.Thread(name, True, 0.9, 0.02, f"{2 * number}"), p.Thread(name, False, 0.45, 0.01, f"{2 * number + 1}")),
            (p.CoreUse(2 * number, 1.9), p.CoreUse(2 * number + 1, 0.4)),
        )
        for number in range(ranks)
    )
    given_s = 120.0 * ranks
    shares = {"compute_s": 0.6, "core_wait_s": 0.02, "team_wait_s": 0.2, "serial_s": 0.08, "elsewhere_s": 0.05}
    return p.CoreSeconds(
        given_s=given_s,
        cores=2.0 * ranks,
        fewest_threads=2,
        most_threads=2,
        beside_s=0.05 * given_s,
        mpi_threads_s=0.0,
        unused_s=0.0,
        residue_s=0.0,
        told_by="OpenMP runtime",
        allocation_used=1.0,
        parallel_efficiency=0.6,
        process_efficiency=0.9,
        thread_efficiency=0.67,
        ranks=rows,
        **{line: share * given_s for line, share in shares.items()},
    )


def steps(ranks: int, calls: int) -> tuple[p.Step, ...]:
    """Time steps as in Kutzner et al., Fig. 2: halo exchange, computing, two all-to-alls, one of which stalls."""
    made: list[p.Step] = []
    noise = random.Random(1)
    start = 0.0
    for step in range(calls):
        late = [start + 0.04 + 0.01 * noise.random() for _ in range(ranks)]
        for number in range(ranks):
            made.append(p.Step(number, "MPI_Waitall", "wait", start + 0.01, start + 0.014 + 0.001 * number, 17_000))
            made.append(p.Step(number, "write", "file_operation", start + 0.03, start + 0.031, 4_096))
        end = max(late) + (0.21 if step % 2 else 0.02)
        for number in range(ranks):
            stop = end if number not in (3, 5) else max(late) + 0.02
            made.append(p.Step(number, "MPI_Alltoall", "collective", late[number], stop, 270_000))
            made.append(p.Step(number, "MPI_Sendrecv", "send_receive", stop + 0.004, stop + 0.009, 17_000))
        start = end + 0.02
    return tuple(made)


def io_cache() -> p.IoCache:
    """As ADF's users saw it in 2002, where the memory was too small."""
    curve = [(8, 231_000, 118_000), (16, 172_880, 90_870), (64, 60_000, 30_100), (128, 1_100, 801), (256, 1_100, 801)]
    return p.IoCache(
        processes=8,
        budget_bytes=16 << 20,
        record_bytes=4096,
        records=4056,
        peak_records=4056,
        read_records=307_069,
        fetched_records=172_880,
        written_records=118_013,
        stored_records=90_870,
        file_s=14_000.0,
        evicted_serial=94_538,
        evicted_other=132_762,
        lookups=1_217_472,
        conflicts=414_681,
        files=24,
        deleted_files=20,
        left_files=1,
        store_errors=0,
        policy="keep-first",
        fits=False,
        enough_bytes=128 << 20,
        enough_wall_s=1_790.0,
        sizes=tuple(
            p.IoCacheSize(mb << 20, fetched, stored, 1_775.0 + 0.0066 * (fetched + stored))
            for mb, fetched, stored in curve
        ),
    )


def scratch_page() -> p.Page:
    """A job whose scratch files did not fit into the I/O cache."""
    return replace(tiny_page(), io_cache=io_cache())


def flow_row(
    operation: str, block_bytes: int | None, chosen: str, chosen_calls: int, time_s: float, own_s: float
) -> p.FlowRow:
    """A row on one communicator of 8 ranks on two hosts, where one other way was tried beside the MPI's own."""
    ways = (
        p.FlowWay(chosen, chosen_calls, time_s),
        p.FlowWay("node_ordered+token:12000,chunk:8000", 10, None),
        *([p.FlowWay("own", 4, own_s)] if chosen != "own" else []),
    )
    calls = sum(way.calls for way in ways)
    gain = own_s / time_s
    trial = (calls - chosen_calls, 4 * max(own_s - time_s, 0.0), 0)
    return p.FlowRow(
        operation, 8, 2, 1, block_bytes, block_bytes, calls, chosen, chosen_calls, time_s, own_s, gain, *trial, 1, ways
    )


def loss() -> Finding:
    """What the pages of jobs on a bad switch begin with."""
    return Finding(
        rule="congestion-loss",
        title="The network loses packets, and TCP waits out timeouts",
        says="Data stood still until a timeout told TCP that packets were lost, most of it in MPI_Alltoall.",
        cost_s=6.12,
        share=0.1,
        evidence=(
            Evidence("retransmission timeouts", "132", "tcpi_total_rto of the stalled connections"),
            Evidence("receiver stalled most", "node2 (61 % of the stalls)", "peers of connections"),
        ),
        remedies=(
            Remedy(
                "flow",
                "let Clearway order the collective operations (flow)",
                "mpirun -np 8 clearway-record --flow gmx_mpi mdrun -s water.tpr -ntomp 1",
                False,
                True,
                5.51,
                "100 % of the stalls are in operations that it can order",
            ),
            Remedy(
                "host-ecn",
                "turn on ECN (congestion marks)",
                "sudo clearway host apply tcp.ecn=on",
                True,
                True,
                None,
                "a switch that marks packets slows senders down before it must drop",
            ),
        ),
        confidence=0.95,
    )


def water_page() -> p.Page:
    """Eight ranks of GROMACS on two hosts whose switch loses packets."""
    shares = [
        (
            0.46 + 0.012 * (n % 3),
            0.004,
            0.31 - 0.012 * (n % 3) - 0.04 * (n == ALLTOALL_LAST),
            0.13 + 0.04 * (n == ALLTOALL_LAST),
            0.075,
            0.009 + 0.018 * (n == 0),
            0.0119 - 0.018 * (n == 0) / 2,
        )
        for n in range(8)
    ]
    ranks = tuple(rank(n, ledger(61.2, *share), "node1" if n < 4 else "node2") for n, share in enumerate(shares))
    calls = (
        call("MPI_Alltoall", "collective", 160_032, 152.31, 21_600_000_000, 0.57, 0.18, 0.23, 0.02, 0.0),
        call("MPI_Waitall", "wait", 480_100, 41.07, 0, 0.61, 0.29, 0.02, 0.0, 0.08),
        call("MPI_Sendrecv", "send_receive", 320_064, 38.5, 5_440_000_000, 0.52, 0.4, 0.0, 0.01, 0.07),
        call("MPI_Allreduce", "collective", 40_008, 9.12, 22_404_480, 0.93, 0.07, 0.0, 0.0, 0.0),
        call("MPI_Isend", "start", 960_200, 2.13, 4_230_000_000, 0.0, 1.0, 0.0, 0.0, 0.0),
        call("MPI_Irecv", "start", 960_200, 0.71, 0, 0.0, 1.0, 0.0, 0.0, 0.0),
        call("MPI_Bcast", "collective", 1_216, 0.42, 188_743_680, 0.7, 0.3, 0.0, 0.0, 0.0),
        call("MPI_Init_thread", "life", 8, 0.31, 0, 0.0, 0.0, 0.0, 0.0, 1.0),
        call("MPI_Comm_split", "communicator", 48, 0.05, 0, 0.0, 0.0, 0.0, 0.0, 1.0),
        call("MPI_Barrier", "collective", 24, 0.002, 0, 1.0, 0.0, 0.0, 0.0, 0.0),
        call("MPI_Comm_rank", "local", 824, 0.00004, 0, 0.0, 0.0, 0.0, 0.0, 0.0),
        call("MPI_Comm_size", "local", 512, 0.00002, 0, 0.0, 0.0, 0.0, 0.0, 0.0),
    )
    histogram = (
        p.SizeBin(0, 0, 96, 0),
        p.SizeBin(4, 7, 1_216, 4_864),
        p.SizeBin(512, 1023, 40_008, 22_404_480),
        p.SizeBin(4096, 8191, 480_100, 2_115_000_000),
        p.SizeBin(16384, 32767, 800_164, 13_600_000_000),
        p.SizeBin(131072, 262143, 1_216, 188_743_680),
        p.SizeBin(262144, 524287, 160_032, 43_200_000_000),
    )
    matrix = p.Matrix(1, [[0.0 if a == b else 6e8 + 2.4e9 / (1 + (a - b) ** 2) for b in range(8)] for a in range(8)])
    pairs = [connection(a, b, (a * b) % 5 if a != b else 0) for a in range(8) for b in range(8) if (a < 4) != (b < 4)]
    files = (
        p.File("/scratch/anna/water/traj_comp.xtc", 1, 4.02, 2_410, 0, 312_400_000, 0, 0.99, None, 2_001, False),
        p.File("/scratch/anna/water/md.log", 1, 0.31, 8_112, 0, 412_000, 0, 1.0, None, 0, False),
        p.File("/home/anna/water/topol.tpr", 8, 0.09, 96, 8_240_000, 0, 0, 0.98, 8.0, 0, False),
        p.File("/tmp/ompi.node1.0/shared_mem.4100", 4, 0.002, 16, 0, 0, 4_194_312, None, None, 0, True),
    )
    job = p.Job(
        directory="clearway-gmx_mpi-7f3a",
        program="gmx_mpi",
        command="gmx_mpi mdrun -s topol.tpr -nsteps 20000 -ntomp 1",
        mpi_library="Open MPI v4.1.4",
        ranks=8,
        ranks_expected=8,
        hosts=2,
        started_at="2026-03-02T14:05:09Z",
        wall_s=61.2,
        complete=True,
        exit_code=0,
        notes=("The clocks of the 2 hosts are aligned to within 38 µs, from 41,310 matched calls.",),
        clock_error_s=38e-6,
    )
    return p.Page(
        schema=p.SCHEMA,
        sentence=(
            "Of 8 ranks × 61.2 s, 47 % went into computing and 29 % into waiting for slower ranks, "
            "most of it in MPI_Alltoall; TCP packet loss stalled another 8 %."
        ),
        job=job,
        ledger=total([one.ledger for one in ranks]),
        pop=p.Pop(0.47, 0.97, 0.48, 0.62, 0.78),
        ranks=ranks,
        mpi_calls=calls,
        collectives=(
            collective("MPI_Alltoall", 8, 262_144, 20_004, 152.31, 0.57, 0.2, 0.23),
            collective("MPI_Allreduce", 8, 512, 5_001, 9.12, 0.93, 0.07, 0.0),
            replace(collective("MPI_Bcast", 8, 131_072, 152, 0.42, 0.7, 0.3, 0.0), last_rank=None, last_share=None),
        ),
        messages=p.Messages(histogram, 59_126_000_000, matrix, 2_928_000, 0.02, 0.98),
        sockets=tuple(sorted(pairs, key=lambda row: -row.stall_s)),
        files=files,
        hosts=(host("node1"), host("node2")),
        engine=p.Engine("GROMACS", "/scratch/anna/water/md.log", 56.47, 0.00306, 20_000),
        timeline=steps(8, 3),
        flow=(
            flow_row("alltoall", 43_264, "ordered+token:12000,chunk:8000", 19_961, 0.00391, 0.0184),
            flow_row("alltoallv", None, "own", 4_990, 0.00052, 0.00052),
            replace(flow_row("allgather", 512, "own", 12, 0.0001, 0.0001), chosen=None, time_s=None, gain=None),
        ),
        findings=(loss(),),
    )


def tiny_page() -> p.Page:
    """One process without MPI and without anything to tell."""
    one = ledger(0.8, 0.97, 0.01, 0.0, 0.0, 0.0, 0.02, 0.0)
    job = p.Job("run", "prog", "./prog", "", 1, 0, 1, "2026-03-02T14:05:09Z", 0.8, True, None)
    empty = p.Messages((), 0, p.Matrix(1, []), 0, 0.0, None)
    alone = rank(0, one, bytes_sent=0, bytes_received=0)
    bare = p.Host("node1", 1, None, None, "", "", None, None, None, ())
    sentence = "Of 0.8 s, 97 % went into computing."
    pop = p.Pop(0.97, 1.0, 1.0, None, None)
    return p.Page(p.SCHEMA, sentence, job, one, pop, (alone,), (), (), empty, (), (), (bare,), None)


def killed_page() -> p.Page:
    """A job that was killed: one rank missing, one inside a call."""
    water = water_page()
    ranks = tuple(
        replace(one, state="running", inside="MPI_Alltoall") if one.rank < 7 else one for one in water.ranks[:7]
    )
    notes = (
        "Rank 7 left no record.",
        "7 ranks were ended before MPI_Finalize, 61.2 s after the start; all of them in MPI_Alltoall.",
        *water.job.notes,
    )
    job = replace(water.job, ranks=7, complete=False, exit_code=None, notes=notes, clock_error_s=None)
    return replace(
        water, job=job, ranks=ranks, ledger=total([one.ledger for one in ranks]), engine=None, cores=threads(7)
    )


HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror="document.title=\'owned\'">',
    "[bold red]markup[/] [link=file:///etc/passwd]here[/link] :smiley:",
    "\x1b[31mred\x1b[0m\x1b]0;title\x07\r\n\tend",
    "safe\u202egnp.exe\u200b",
    "bytes\udcff\udc80that are no text",
    "{{ 7 * 7 }}{% include 'x' %}",
    "x" * 10_240,
    '=HYPERLINK("http://example.org")',
    "漢字のファイル名" * 12,
    "</style></title></svg>&amp;",
)


def hostile_page() -> p.Page:
    """Every text that a job can choose is an attack."""
    water = water_page()
    names = list(HOSTILE)
    files = tuple(replace(water.files[0], path=f"/data/{name}", time_s=1.0 / (n + 1)) for n, name in enumerate(names))
    interface = replace(water.hosts[0].interfaces[0], name=names[1], duplex=names[0])
    hosts = tuple(
        replace(water.hosts[0], name=name, kernel=name, congestion_control=name, facts={name: name, "b" + name: name},
                interfaces=(interface,))
        for name in names
    )  # fmt: skip
    ranks = tuple(replace(one, host=names[one.rank], inside=names[one.rank], cpus=names[0]) for one in water.ranks)
    text = " ".join(names)
    job = replace(
        water.job,
        directory=names[0],
        program=names[0],
        command=text,
        mpi_library=names[1],
        started_at=names[0],
        notes=tuple(names),
    )
    sockets = tuple(
        replace(one, host=names[0], local=names[1], peer=names[2], peer_rank=None, congestion_control=names[3])
        for one in water.sockets
    )
    calls = tuple(replace(one, function=names[n % len(names)]) for n, one in enumerate(water.mpi_calls))
    collectives = tuple(replace(one, function=names[0], communicator=names[1]) for one in water.collectives)
    flow = tuple(
        replace(
            one, operation=names[0], chosen=names[1], ways=tuple(replace(way, candidate=names[2]) for way in one.ways)
        )
        for one in water.flow
    )
    timeline = tuple(
        replace(one, function=names[n % 2], function_class=names[1]) for n, one in enumerate(water.timeline)
    )
    findings = tuple(
        replace(
            loss(),
            title=name,
            says=name,
            evidence=(Evidence(name, name, name),),
            remedies=(Remedy(name, name, name, False, True, 1.0, name),),
        )
        for name in names
    )
    return replace(
        water,
        findings=findings,
        sentence=text,
        job=job,
        ranks=ranks,
        files=files,
        hosts=hosts,
        sockets=sockets,
        mpi_calls=calls,
        collectives=collectives,
        timeline=timeline,
        flow=flow,
        cores=threads(len(ranks), names[0]),
        engine=replace(water.engine, name=names[0], log=names[1]) if water.engine else None,
    )


def large_page(ranks: int = 4096) -> p.Page:
    """As many ranks as a large cluster runs; a few of them apart from the others."""
    water = water_page()
    noise = random.Random(2)
    rows = []
    for number in range(ranks):
        compute = 0.55 + 0.02 * noise.random() - (0.3 if number in (17, 2048) else 0.0)
        waiting = 0.9 - compute
        rows.append(
            rank(number, ledger(61.2, compute, 0.002, waiting, 0.06, 0.01, 0.005, 0.02), f"n{number // 64:03d}")
        )
    blocks = 64
    matrix = p.Matrix(ranks // blocks, [[1e9 / (1 + abs(a - b)) for b in range(blocks)] for a in range(blocks)])
    job = replace(water.job, ranks=ranks, ranks_expected=ranks, hosts=ranks // 64)
    return replace(
        water,
        job=job,
        ranks=tuple(rows),
        cores=threads(ranks),
        ledger=total([one.ledger for one in rows]),
        messages=replace(water.messages, matrix=matrix),
        hosts=tuple(replace(water.hosts[0], name=f"n{n:03d}", ranks=64) for n in range(ranks // 64)),
        sockets=tuple(connection(n % 8, (n + 4) % 8, n % 7) for n in range(20_000)),
        files=tuple(replace(water.files[0], path=f"/scratch/out.{n}", time_s=1.0 / (n + 1)) for n in range(5_000)),
        timeline=steps(64, 20),
    )
