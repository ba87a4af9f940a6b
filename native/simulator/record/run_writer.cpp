#include "simulator/record/run_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/text.hpp"
#include "run_record/run_file.hpp"
#include "simulator/record/function_table.hpp"
#include "simulator/record/socket_cells.hpp"

namespace clearway::simulator {

namespace {

constexpr std::int32_t kFirstPid = 1000;
constexpr char kJob[] = "predicted";

Instant instant(std::uint64_t ns) { return {kFirstTick + ns, kFirstTick + ns, kFirstRealtime_ns + ns}; }

std::string host_name(std::uint32_t host) {
    char name[24];
    std::snprintf(name, sizeof name, "host%04u", host);
    return name;
}

// The processes of all hosts have one clock: it is simulated.
void fill_header(FileHeader& header, const std::string& host, std::uint64_t end_ns) {
    const Instant begin = instant(0), end = instant(std::max<std::uint64_t>(end_ns, 1));
    write_header(header,
                 {.host = host.c_str(),
                  .job = kJob,
                  .boot_id = kJob,
                  .start = begin,
                  .process_start_monotonic_ns = begin.monotonic_ns,
                  .event_window_ms = kPredictedWindow_ms},
                 {begin, end, end});
}

template <typename Element>
bool put(RecordFile& file, SegmentKind kind, const std::vector<Element>& elements) {
    return write_segment(file, kind, std::span(elements));
}

std::vector<CommCell> comm_cells(const workload::Script& script, std::uint32_t rank) {
    std::vector<CommCell> cells;
    for (std::size_t i = 0; i < script.communicators.size(); ++i) {
        const workload::Communicator& communicator = script.communicators[i];
        const int own = workload::rank_in(communicator, static_cast<int>(rank));
        if (own < 0) continue;
        CommCell cell{};
        cell.index = static_cast<std::uint16_t>(i);
        cell.size = static_cast<std::uint32_t>(communicator.ranks.size());
        cell.my_rank = own;
        cell.id = i + 1;
        copy_text(cell.name, i == 0 ? "MPI_COMM_WORLD" : communicator.name.c_str());
        cells.push_back(cell);
    }
    return cells;
}

// It polls: all of its time is CPU time.
ThreadCell thread_cell(std::uint32_t rank, std::uint64_t end_ns, const RankLog& log) {
    ThreadCell cell{};
    cell.tid = static_cast<std::uint32_t>(kFirstPid) + rank;
    cell.is_main = 1;
    cell.first_ticks = kFirstTick;
    cell.cpu_ns = end_ns;
    cell.cpu_in_mpi_ns = log.mpi_ns;
    cell.sampled_ticks = kFirstTick + end_ns;
    return cell;
}

int write_rank(const std::string& directory, const FinishedJob& job, std::uint32_t rank, const Sockets& sockets) {
    const std::string host = host_name(job.scenario.placement.host_of_rank[rank]);
    const std::uint64_t end_ns = to_ns(job.machine.now());
    const std::int32_t pid = kFirstPid + static_cast<std::int32_t>(rank);
    const std::string id = std::to_string(pid);
    RecordFile file;
    const int error = create_run_file(file, FileKind::rank, directory.c_str(), host.c_str(), id.c_str());
    if (error != 0) return error;
    FileHeader& header = *file.header();
    fill_header(header, host, end_ns);
    header.pid = pid;
    header.rank = static_cast<std::int32_t>(rank);
    header.world_size = job.scenario.script.ranks;
    const RankLog& log = job.calls.of(rank);
    header.event_level = log.event_level;
    header.dropped[static_cast<unsigned>(SegmentKind::events)] = log.events_dropped;
    const std::vector<FunctionName> functions(std::begin(kFunctionTable), std::end(kFunctionTable));
    const char* const title = job.scenario.script.title.c_str();
    const std::vector<Fact> facts{fact_of("process.program", title), fact_of("process.command_line", title),
                                  fact_of("mpi.library", "simulated (clearway-simulate " CLEARWAY_VERSION ")"),
                                  fact_of("predicted.by", "clearway-simulate " CLEARWAY_VERSION)};
    const bool is_whole = put(file, SegmentKind::functions, functions) &&
                          put(file, SegmentKind::threads, std::vector{thread_cell(rank, end_ns, log)}) &&
                          put(file, SegmentKind::comms, comm_cells(job.scenario.script, rank)) &&
                          put(file, SegmentKind::calls, log.cells) && put(file, SegmentKind::events, log.events) &&
                          put(file, SegmentKind::timeline, log.timeline) &&
                          put(file, SegmentKind::sockets, sockets.cells) &&
                          put(file, SegmentKind::stalls, sockets.stalls) && put(file, SegmentKind::facts, facts);
    return is_whole ? 0 : ENOSPC;
}

struct HostSums {
    std::uint64_t sent_bytes = 0, received_bytes = 0, resent = 0, timeouts = 0, segments = 0;

    void add(const Sockets& sockets) {
        for (const SocketCell& cell : sockets.cells) {
            sent_bytes += cell.bytes_sent;
            received_bytes += cell.bytes_received;
            resent += cell.total_retrans;
            timeouts += cell.total_rto;
            segments += cell.segs_out;
        }
    }
};

int write_host(const std::string& directory, const FinishedJob& job, std::uint32_t host, const HostSums& sums) {
    RecordFile file;
    const std::string name = host_name(host);
    const int error = create_run_file(file, FileKind::host, directory.c_str(), name.c_str(), kJob);
    if (error != 0) return error;
    fill_header(*file.header(), name, to_ns(job.machine.now()));
    file.header()->pid = 0;
    const std::uint64_t rate_bps = job.machine.network().topology().links[host].settings.rate_bps;
    const char* const control = name_of(job.scenario.tcp.congestion);
    const bool is_whole =
        put(file, SegmentKind::facts,
            std::vector{fact_of("net.eth0.speed_mbit", std::to_string(rate_bps / 1'000'000).c_str()),
                        fact_of("net.eth0.duplex", "full"), fact_of("tcp.congestion_control", control),
                        fact_of("predicted.by", "clearway-simulate " CLEARWAY_VERSION)}) &&
        put(file, SegmentKind::counters,
            std::vector{counter_of("net.eth0.tx_bytes", 0, sums.sent_bytes),
                        counter_of("net.eth0.rx_bytes", 0, sums.received_bytes),
                        counter_of("tcp.OutSegs", 0, sums.segments), counter_of("tcp.RetransSegs", 0, sums.resent),
                        counter_of("tcpext.TCPTimeouts", 0, sums.timeouts)});
    return is_whole ? 0 : ENOSPC;
}

}  // namespace

int write_run(const std::string& directory, const FinishedJob& job) {
    std::vector<HostSums> hosts(schedule::hosts_of(job.scenario.placement));
    for (std::uint32_t rank = 0; rank < schedule::ranks_of(job.scenario.placement); ++rank) {
        const Sockets sockets = sockets_of(job, rank);
        hosts[job.scenario.placement.host_of_rank[rank]].add(sockets);
        if (const int error = write_rank(directory, job, rank, sockets); error != 0) return error;
    }
    for (std::uint32_t host = 0; host < hosts.size(); ++host)
        if (const int error = write_host(directory, job, host, hosts[host]); error != 0) return error;
    return 0;
}

}  // namespace clearway::simulator
