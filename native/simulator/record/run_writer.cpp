#include "simulator/record/run_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "run_record/record_file.hpp"
#include "simulator/record/function_table.hpp"
#include "simulator/record/socket_cells.hpp"

namespace clearway::simulator {

namespace {

constexpr std::int32_t kFirstPid = 1000;
constexpr char kJob[] = "predicted";

Instant instant(std::uint64_t ns) { return {kFirstTick + ns, kFirstTick + ns, kFirstRealtime_ns + ns}; }

template <std::size_t size>
void put_text(char (&field)[size], const std::string& text) {
    std::snprintf(field, size, "%s", text.c_str());
}

std::string host_name(std::uint32_t host) {
    char name[24];
    std::snprintf(name, sizeof name, "host%04u", host);
    return name;
}

// The processes of all hosts have one clock: it is simulated.
void fill_header(FileHeader& header, std::uint32_t host, std::uint64_t end_ns) {
    header.state = State::exited;
    header.event_window_ms = kPredictedWindow_ms;
    header.start = header.mpi_begin = instant(0);
    header.mpi_end = header.heartbeat[1] = instant(std::max<std::uint64_t>(end_ns, 1));
    header.heartbeat_index = 1;
    header.process_start_monotonic_ns = header.start.monotonic_ns;
    put_text(header.host, host_name(host));
    put_text(header.boot_id, kJob);
    put_text(header.job, kJob);
}

// A segment with all elements at once.
template <typename Element>
bool put(RecordFile& file, SegmentKind kind, const std::vector<Element>& elements) {
    if (elements.empty()) return true;
    SegmentEntry* entry = nullptr;
    const auto count = static_cast<std::uint32_t>(elements.size());
    void* room = file.add_segment(kind, sizeof(Element), count, 0, &entry);
    if (room == nullptr) return false;
    std::memcpy(room, elements.data(), elements.size() * sizeof(Element));
    entry->count = count;
    return true;
}

Fact fact(const char* name, const std::string& text) {
    Fact made{};
    put_text(made.name, name);
    put_text(made.text, text);
    return made;
}

Counter counter(const char* name, std::uint64_t rise) {
    Counter made{};
    put_text(made.name, name);
    made.last = rise;
    return made;
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
        put_text(cell.name, i == 0 ? "MPI_COMM_WORLD" : communicator.name);
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
    const std::uint32_t host = job.scenario.placement.host_of_rank[rank];
    const std::uint64_t end_ns = to_ns(job.machine.now());
    const std::string path =
        directory + "/rank." + host_name(host) + "." + std::to_string(kFirstPid + static_cast<int>(rank)) + ".cwr";
    RecordFile file;
    if (const int error = file.create(path.c_str(), FileKind::rank); error != 0) return error;
    FileHeader& header = *file.header();
    fill_header(header, host, end_ns);
    header.pid = kFirstPid + static_cast<std::int32_t>(rank);
    header.rank = static_cast<std::int32_t>(rank);
    header.world_size = job.scenario.script.ranks;
    const RankLog& log = job.calls.of(rank);
    header.event_level = log.event_level;
    header.dropped[static_cast<unsigned>(SegmentKind::events)] = log.events_dropped;
    const std::vector<FunctionName> functions(std::begin(kFunctionTable), std::end(kFunctionTable));
    const std::vector<Fact> facts{fact("process.program", job.scenario.script.title),
                                  fact("process.command_line", job.scenario.script.title),
                                  fact("mpi.library", "simulated (clearway-simulate " CLEARWAY_VERSION ")"),
                                  fact("predicted.by", "clearway-simulate " CLEARWAY_VERSION)};
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
    const std::string path = directory + "/host." + host_name(host) + "." + kJob + ".cwr";
    if (const int error = file.create(path.c_str(), FileKind::host); error != 0) return error;
    fill_header(*file.header(), host, to_ns(job.machine.now()));
    file.header()->pid = 0;
    const std::uint64_t rate_bps = job.machine.network().topology().links[host].settings.rate_bps;
    const char* const control = name_of(job.scenario.tcp.congestion);
    const bool is_whole =
        put(file, SegmentKind::facts,
            std::vector{fact("net.eth0.speed_mbit", std::to_string(rate_bps / 1'000'000)),
                        fact("net.eth0.duplex", "full"), fact("tcp.congestion_control", control),
                        fact("predicted.by", "clearway-simulate " CLEARWAY_VERSION)}) &&
        put(file, SegmentKind::counters,
            std::vector{counter("net.eth0.tx_bytes", sums.sent_bytes),
                        counter("net.eth0.rx_bytes", sums.received_bytes), counter("tcp.OutSegs", sums.segments),
                        counter("tcp.RetransSegs", sums.resent), counter("tcpext.TCPTimeouts", sums.timeouts)});
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
