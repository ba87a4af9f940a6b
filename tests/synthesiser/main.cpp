// clearway-synthesise: writes a Run of many ranks without running any, through the real writer. The job that it
// imitates repeats one step: compute, exchange halos with the neighbours, two MPI_Alltoall, one MPI_Allreduce.
// Figures are pseudo-random but the same at every run; tests and the benchmark of the page live on it.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "command_line/options.hpp"
#include "run_record/call_cell.hpp"
#include "run_record/layout.hpp"
#include "run_record/run_file.hpp"

namespace clearway {
namespace {

struct Shape {
    std::string directory;
    std::uint32_t ranks = 16;
    std::uint32_t ranks_per_host = 64;
    std::uint32_t steps = 330;     // about 6 events each
    std::uint32_t neighbours = 2;  // on each side
    std::uint32_t cells = 200;
    std::uint32_t sockets = 20;
    std::uint32_t timeline = 0;
};

enum Function : std::uint16_t { kInit = 1, kIsend, kIrecv, kWaitall, kAlltoall, kAllreduce, kBarrier, kFinalize };

constexpr FunctionName kFunctions[] = {
    {kInit, FunctionClass::life, "MPI_Init"},
    {kIsend, FunctionClass::start, "MPI_Isend"},
    {kIrecv, FunctionClass::start, "MPI_Irecv"},
    {kWaitall, FunctionClass::wait, "MPI_Waitall"},
    {kAlltoall, FunctionClass::collective, "MPI_Alltoall"},
    {kAllreduce, FunctionClass::collective, "MPI_Allreduce"},
    {kBarrier, FunctionClass::collective, "MPI_Barrier"},
    {kFinalize, FunctionClass::life, "MPI_Finalize"},
};

// Each host has counters and clocks that began at different moments; one tick is half a nanosecond.
constexpr std::uint64_t kTicksPerUs = 2000;
constexpr std::uint64_t kJobRealtime_ns = 1'750'000'000'000'000'000;
constexpr std::uint64_t kStep_us = 20'000;

std::uint64_t random_below(std::uint64_t limit, std::uint64_t a, std::uint64_t b) { return mix(mix(a) ^ b) % limit; }

struct Clock {
    std::uint64_t ticks_at_start, monotonic_at_start_ns, realtime_skew_ns;

    explicit Clock(std::uint32_t host)
        : ticks_at_start((1ULL << 50) + mix(host) % (1ULL << 40)),
          monotonic_at_start_ns(1'000'000'000'000 + mix(host + 1'000'000U) % 1'000'000'000'000),
          realtime_skew_ns(mix(host + 2'000'000U) % 2'000'000) {}

    std::uint64_t ticks(std::uint64_t us) const { return ticks_at_start + us * kTicksPerUs; }
    Instant at(std::uint64_t us) const {
        return {ticks(us), monotonic_at_start_ns + us * 1000, kJobRealtime_ns + realtime_skew_ns + us * 1000};
    }
};

// When each rank does what, in microseconds since the job began. The last rank to arrive lets all others go.
struct Plan {
    explicit Plan(const Shape& shape) : shape_(shape) {}

    std::uint64_t begin(std::uint32_t step) const { return 500'000 + step * kStep_us; }
    std::uint64_t compute(std::uint32_t rank, std::uint32_t step) const {
        return 9000 + random_below(2000, rank, step);
    }
    std::uint64_t sends(std::uint32_t rank, std::uint32_t step) const { return begin(step) + compute(rank, step); }
    std::uint64_t waits(std::uint32_t rank, std::uint32_t step) const { return sends(rank, step) + 40; }
    std::uint64_t alltoall(std::uint32_t rank, std::uint32_t step, unsigned which) const {
        return begin(step) + 12'000 + which * 3000 + random_below(500, rank ^ 0xa11U, step * 2 + which);
    }
    std::uint64_t allreduce(std::uint32_t rank, std::uint32_t step) const {
        return begin(step) + 18'500 + random_below(200, rank ^ 0xa11edU, step);
    }
    std::uint64_t end() const { return begin(shape_.steps) + 10'000; }

private:
    const Shape& shape_;
};

class RankWriter {
public:
    RankWriter(const Shape& shape, std::uint32_t rank)
        : shape_(shape), rank_(rank), host_(rank / shape.ranks_per_host), clock_(host_), plan_(shape) {}

    int write() {
        const int error = create(FileKind::rank, std::to_string(1000 + rank_).c_str());
        if (error != 0) return error;
        for (const FunctionName& function : kFunctions) functions_.add(file_, function);
        write_thread();
        CommCell world{0, 0, shape_.ranks, static_cast<std::int32_t>(rank_), 0, 0x77, "MPI_COMM_WORLD"};
        comms_.add(file_, world);
        if (!write_events() || !write_calls() || !write_timeline()) return ENOSPC;
        write_files();
        write_sockets();
        write_facts();
        return 0;
    }

    int write_host() {
        const int error = create(FileKind::host, "");
        if (error != 0) return error;
        file_.header()->rank = -1;
        add_fact("host.cores", "64");
        add_fact("host.memory_bytes", "274877906944");
        add_fact("host.kernel", "6.1.0");
        add_fact("tcp.congestion_control", "cubic");
        add_fact("net.eth0.speed_mbit", "1000");
        add_fact("net.eth0.duplex", "full");
        add_counter("net.eth0.rx_bytes", 1'000'000'000);
        add_counter("net.eth0.tx_bytes", 1'000'000'000);
        add_counter("net.eth0.rx_dropped", 12);
        add_counter("tcp.RetransSegs", 96);
        add_counter("tcpext.TCPTimeouts", 4);
        add_counter("cpu.steal_ms", 0);
        return 0;
    }

private:
    std::uint32_t neighbour(std::int32_t distance) const {
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(rank_ + shape_.ranks) + distance) % shape_.ranks;
    }

    int create(FileKind kind, const char* id) {
        char host[16], boot_id[40];
        std::snprintf(host, sizeof host, "node%04u", host_);
        std::snprintf(boot_id, sizeof boot_id, "00000000-0000-4000-8000-%012u", host_);
        const int error = create_run_file(file_, kind, shape_.directory.c_str(), host, id);
        if (error != 0) return error;
        FileHeader& header = *file_.header();
        write_header(header,
                     {.host = host,
                      .job = "synthetic",
                      .boot_id = boot_id,
                      .start = clock_.at(20'000),
                      .process_start_monotonic_ns = clock_.at(0).monotonic_ns,
                      .event_window_ms = kEventWindow_ms},
                     {clock_.at(400'000), clock_.at(plan_.end()), clock_.at(plan_.end() + 20'000)});
        header.pid = static_cast<std::int32_t>(1000 + rank_);
        header.rank = static_cast<std::int32_t>(rank_);
        header.world_size = static_cast<std::int32_t>(shape_.ranks);
        return 0;
    }

    void write_thread() {
        ThreadCell thread{};
        thread.tid = 1000 + rank_;
        thread.is_main = 1;
        thread.first_ticks = clock_.ticks(20'000);
        thread.io_ticks = 150'000 * kTicksPerUs;
        thread.run_delay_ns = 90'000'000;
        thread.run_delay_in_mpi_ns = 40'000'000;
        thread.cpu_ns = (plan_.end() - 100'000) * 1000;
        thread.cpu_in_mpi_ns = thread.cpu_ns / 4;
        thread.blocked_outside_ns = 20'000'000;
        thread.sampled_ticks = clock_.ticks(plan_.end());
        threads_.add(file_, thread);
    }

    EventRecord event(Function function, EventKind kind, std::int32_t peer, std::uint32_t seq, std::uint64_t entry_us,
                      std::uint64_t exit_us, std::uint64_t bytes) const {
        return {function,        0, peer, 0, seq, clock_.ticks(entry_us), clock_.ticks(exit_us), bytes, 0, kind,
                kEventCommitted, 0, 0,    0, 0};
    }

    void exchange_halos(std::uint32_t step, std::vector<EventRecord>& events) {
        const std::uint64_t sent = plan_.sends(rank_, step), waits = plan_.waits(rank_, step);
        std::uint64_t done = waits + 30;
        const auto reach = static_cast<std::int32_t>(shape_.neighbours);
        for (std::int32_t d = -reach; d <= reach; ++d)
            if (d != 0) done = std::max(done, plan_.sends(neighbour(d), step) + 60);
        for (std::int32_t d = -reach; d <= reach; ++d) {
            if (d == 0) continue;
            const auto peer = static_cast<std::int32_t>(neighbour(d));
            events.push_back(event(kIsend, EventKind::send, peer, sequence(step, d, true), sent, sent + 3, 17'000));
            events.push_back(event(kWaitall, EventKind::receive, peer, sequence(step, d, false), waits, done, 17'000));
        }
        add_call(kWaitall, kPeerNone, 0, done - waits, 0);
    }

    // In a ring smaller than the neighbourhood, several messages of a step go to one rank.
    std::uint32_t sequence(std::uint32_t step, std::int32_t distance, bool sending) const {
        const auto reach = static_cast<std::int32_t>(shape_.neighbours);
        std::uint32_t earlier = 0, alike = 0;
        for (std::int32_t d = -reach; d <= reach; ++d) {
            if (d == 0 || neighbour(d) != neighbour(distance)) continue;
            ++alike;
            // The sender's message at distance d is the receiver's at -d: its order there runs the other way.
            if (sending ? d < distance : d > distance) ++earlier;
        }
        return step * alike + earlier;
    }

    void collective(std::vector<EventRecord>& events, Function function, std::uint32_t seq, std::uint64_t entry,
                    std::uint64_t exit, std::uint64_t bytes) {
        events.push_back(event(function, EventKind::collective, kPeerNone, seq, entry, exit, bytes));
        add_call(function, kPeerNone, bytes, exit - entry, bytes);
    }

    bool write_events() {
        std::vector<EventRecord> events;
        for (std::uint32_t step = 0; step < shape_.steps; ++step) {
            exchange_halos(step, events);
            for (unsigned which = 0; which < 2; ++which) {
                const std::uint64_t go = plan_.begin(step) + 12'500 + which * 3000;
                const std::uint64_t exit = go + 1500 + random_below(300, rank_, step + 77 * which);
                collective(events, kAlltoall, step * 3 + which, plan_.alltoall(rank_, step, which), exit, 270'000);
            }
            collective(events, kAllreduce, step * 3 + 2, plan_.allreduce(rank_, step), plan_.begin(step) + 18'750,
                       1800);
        }
        return write_segment(file_, SegmentKind::events, std::span<const EventRecord>(events));
    }

    void add_call(Function function, std::int32_t peer, std::uint64_t size, std::uint64_t us, std::uint64_t bytes,
                  std::uint64_t count = 1) {
        const std::uint8_t bin = size_bin(size);
        const auto same = [&](const CallCell& cell) {
            return cell.function == function && cell.peer == peer && cell.size_bin == bin;
        };
        auto cell = std::find_if(calls_.begin(), calls_.end(), same);
        if (cell == calls_.end()) cell = calls_.insert(cell, empty_cell(function, 0, peer, bin, 0));
        cell->count += count;
        cell->bytes += bytes;
        add_time(*cell, us * kTicksPerUs / std::max<std::uint64_t>(count, 1), count, 0);
    }

    bool write_calls() {
        add_call(kInit, kPeerNone, 0, 350'000, 0);
        add_call(kFinalize, kPeerNone, 0, 15'000, 0);
        add_call(kBarrier, kPeerNone, 0, 0, 0);
        const auto reach = static_cast<std::int32_t>(shape_.neighbours);
        for (std::int32_t d = -reach; d <= reach; ++d) {
            if (d == 0) continue;
            const auto peer = static_cast<std::int32_t>(neighbour(d));
            add_call(kIsend, peer, 17'000, shape_.steps * 3ULL, shape_.steps * 17'000ULL, shape_.steps);
            add_call(kIrecv, peer, 17'000, shape_.steps * 1ULL, 0, shape_.steps);
        }
        for (std::uint32_t i = 0; calls_.size() < shape_.cells && i < shape_.cells; ++i)
            add_call(kIsend, static_cast<std::int32_t>(neighbour(3 + static_cast<std::int32_t>(i))), 64, 3, 64);
        return write_segment(file_, SegmentKind::calls, std::span<const CallCell>(calls_));
    }

    bool write_timeline() {
        if (shape_.timeline == 0) return true;
        SegmentEntry* entry = nullptr;
        auto* ring = static_cast<TimelineRecord*>(
            file_.add_segment(SegmentKind::timeline, sizeof(TimelineRecord), shape_.timeline, 0, &entry));
        if (ring == nullptr) return false;
        std::uint32_t written = 0;
        const auto put = [&](Function function, std::uint64_t begin, std::uint64_t end, std::uint64_t bytes) {
            ring[written++ % shape_.timeline] = {clock_.ticks(begin), clock_.ticks(end), bytes, function, 0, kPeerNone};
        };
        for (std::uint32_t step = 0; step < shape_.steps; ++step) {
            const std::uint64_t waits = plan_.waits(rank_, step);
            put(kWaitall, waits, waits + 300, 17'000);
            put(kAlltoall, plan_.alltoall(rank_, step, 0), plan_.begin(step) + 14'000, 270'000);
            put(kAlltoall, plan_.alltoall(rank_, step, 1), plan_.begin(step) + 17'000, 270'000);
            put(kAllreduce, plan_.allreduce(rank_, step), plan_.begin(step) + 18'750, 1800);
        }
        entry->count = written;
        return true;
    }

    void write_files() {
        static constexpr const char* kPaths[] = {"/scratch/topol.tpr", "/scratch/traj.xtc", "/scratch/md.log"};
        for (std::uint32_t i = 0; i < 3; ++i) {
            FileCell cell{};
            cell.opens = cell.closes = 1;
            cell.writes = i == 0 ? 0 : 100;
            cell.reads = i == 0 ? 100 : 0;
            cell.read_bytes = i == 0 ? 6'000'000 : 0;
            cell.written_bytes = i == 0 ? 0 : 3'000'000;
            cell.extent_bytes = 3'000'000;
            cell.sequential_reads = cell.reads;
            cell.sequential_writes = cell.writes;
            cell.read_ticks = i == 0 ? 50'000 * kTicksPerUs : 0;
            cell.write_ticks = i == 0 ? 0 : 50'000 * kTicksPerUs;
            cell.flags = i == 0 ? kFileRead | kFileExisted : kFileWritten;
            std::snprintf(cell.path, sizeof cell.path, "%s", kPaths[i]);
            files_.add(file_, cell);
        }
    }

    // A connection's two ends must agree: its ports come from the lower and the higher of the two ranks.
    void write_sockets() {
        for (std::uint32_t i = 0; i < shape_.sockets; ++i) {
            const auto distance = static_cast<std::int32_t>(i / 2 + 1);
            const std::uint32_t peer = neighbour(i % 2 == 0 ? distance : -distance);
            if (peer == rank_) continue;
            SocketCell cell{};
            cell.family = 2;  // AF_INET
            set_end(rank_, peer, cell.local_address, cell.local_port);
            set_end(peer, rank_, cell.peer_address, cell.peer_port);
            cell.first_ticks = clock_.ticks(500'000);
            cell.last_ticks = clock_.ticks(plan_.end());
            cell.bytes_sent = cell.bytes_acked = cell.bytes_received = 5'000'000;
            cell.segs_out = cell.segs_in = 4000;
            cell.rtt_us = 120;
            cell.min_rtt_us = 60;
            cell.max_rtt_us = 900;
            cell.cwnd = 10;
            cell.mss = 1448;
            cell.samples = static_cast<std::uint32_t>(plan_.end() / 100'000);
            cell.send_buffer_bytes = cell.receive_buffer_bytes = 262'144;
            std::snprintf(cell.congestion, sizeof cell.congestion, "cubic");
            const bool stalls = i == 0 && rank_ % 16 == 3;
            const std::uint64_t begin = plan_.alltoall(rank_, 7, 0) + 600;
            if (stalls) {
                cell.total_retrans = 3;
                cell.total_rto = cell.stalls = 1;
                cell.stall_ticks = 500 * kTicksPerUs;
            }
            sockets_.add(file_, cell);
            if (stalls) stalls_.add(file_, {i, 1, 0, clock_.ticks(begin), clock_.ticks(begin + 500), 0, 0, 0, 0});
        }
    }

    static void set_end(std::uint32_t rank, std::uint32_t other, std::uint8_t (&address)[16], std::uint16_t& port) {
        address[0] = 10;
        address[1] = static_cast<std::uint8_t>(rank >> 16);
        address[2] = static_cast<std::uint8_t>(rank >> 8);
        address[3] = static_cast<std::uint8_t>(rank);
        port = static_cast<std::uint16_t>(rank < other ? 10'000 + other % 50'000 : 1024);
    }

    void write_facts() {
        char cpus[16];
        std::snprintf(cpus, sizeof cpus, "%u", rank_ % shape_.ranks_per_host);
        add_fact("process.program", "/usr/bin/synthetic_md");
        add_fact("process.command_line", "synthetic_md -deffnm water");
        add_fact("process.cpus_allowed", cpus);
        add_counter("process.rss_bytes", 200'000'000);
    }

    void add_fact(const char* name, const char* text) { facts_.add(file_, fact_of(name, text)); }
    void add_counter(const char* name, std::uint64_t rise) {
        counters_.add(file_, counter_of(name, 1000, 1000 + rise));
    }

    const Shape& shape_;
    std::uint32_t rank_, host_;
    Clock clock_;
    Plan plan_;
    std::vector<CallCell> calls_;
    RecordFile file_;
    Table<FunctionName> functions_{SegmentKind::functions, 64, 512};
    Table<ThreadCell> threads_{SegmentKind::threads, 42, 64};
    Table<CommCell> comms_{SegmentKind::comms, 64, 64};
    Table<FileCell> files_{SegmentKind::files, 8, 64};
    Table<SocketCell> sockets_{SegmentKind::sockets, 16, 4096};
    Table<StallRecord> stalls_{SegmentKind::stalls, 128, 4096};
    Table<Fact> facts_{SegmentKind::facts, 8, 512};
    Table<Counter> counters_{SegmentKind::counters, 51, 512};
};

// The writer keeps its mappings for the life of the process: one child per host keeps their number small.
int write_one_host(const Shape& shape, std::uint32_t first) {
    const pid_t child = fork();
    if (child < 0) return errno;
    if (child == 0) {
        int error = RankWriter(shape, first).write_host();
        const std::uint32_t end = std::min(first + shape.ranks_per_host, shape.ranks);
        for (std::uint32_t rank = first; rank < end && error == 0; ++rank) error = RankWriter(shape, rank).write();
        _exit(error);
    }
    int status = 0;
    if (waitpid(child, &status, 0) < 0) return errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

command_line::Program program_of(Shape& shape) {
    constexpr std::uint32_t kMost = 100'000'000;
    const auto number = [](std::string_view name, std::uint32_t& value, std::uint32_t least, const char* meaning) {
        return command_line::Option{name, "N", meaning, command_line::number(value, least, kMost)};
    };
    return {.name = "clearway-synthesise",
            .complains_as = "error",
            .head = "usage: clearway-synthesise [OPTIONS] DIR\n\n",
            .column = 22,
            .options = {number("--ranks", shape.ranks, 1, "of the job"),
                        number("--ranks-per-host", shape.ranks_per_host, 1, "of them"),
                        number("--steps", shape.steps, 0, "of about 6 events"),
                        number("--neighbours", shape.neighbours, 0, "on each side"),
                        number("--cells", shape.cells, 0, "of calls"), number("--sockets", shape.sockets, 0, "a rank"),
                        number("--timeline", shape.timeline, 0, "records of it")},
            .take_word = [&shape](std::string_view word) {
                const bool is_second = !shape.directory.empty();
                shape.directory = word;
                return is_second ? "one directory at a time" : "";
            }};
}

int synthesise(char** arguments) {
    Shape shape;
    const command_line::Program program = program_of(shape);
    if (const command_line::Parsed parsed = parse(arguments, program); parsed != command_line::Parsed::run)
        return parsed == command_line::Parsed::done ? 0 : 2;
    if (shape.directory.empty()) return complain(program, "no directory given"), 2;
    if (mkdir(shape.directory.c_str(), 0755) != 0 && errno != EEXIST) {
        std::fprintf(stderr, "error: cannot make %s: %s\n", shape.directory.c_str(), std::strerror(errno));
        return 1;
    }
    for (std::uint32_t first = 0; first < shape.ranks; first += shape.ranks_per_host) {
        const int error = write_one_host(shape, first);
        if (error == 0) continue;
        std::fprintf(stderr, "error: cannot write a record into %s: %s\n", shape.directory.c_str(),
                     std::strerror(error));
        return 1;
    }
    return 0;
}

}  // namespace
}  // namespace clearway

int main(int, char** arguments) { return clearway::synthesise(arguments); }
