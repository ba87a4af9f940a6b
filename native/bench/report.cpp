#include "bench/report.hpp"

#include <cstdio>

#include "command_line/json.hpp"

namespace clearway::bench {

namespace {

using command_line::Json;

// A line of ours among those that the launcher and the MPI print.
template <class Fill>
void print_line(Fill&& fill) {
    std::fputs("clearway-bench ", stdout);
    Json json(stdout);
    json.object([&] { fill(json); });
    json.end_line();
    std::fflush(stdout);
}

}  // namespace

void print_job(const Options& options, const World& world, const Hosts& hosts) {
    print_line([&](Json& json) {
        json.key("job");
        json.object([&] {
            json.member("operation", name_of(options.operation));
            json.member("ranks", world.ranks);
            json.member("hosts", hosts.count);
            json.member("ranks_per_host", hosts.most_ranks);
            json.member("mpi", world.version);
            json.member("mpi_library", mpi_library_path());
            json.member("interleaved", options.interleave);
        });
    });
}

void print_point(const Point& point) {
    print_line([&](Json& json) {
        json.key("point");
        json.object([&] {
            json.member("candidate", point.candidate);
            json.member("block_bytes", point.block_bytes);
            json.member("retransmits", point.tcp.retransmits);
            json.member("timeouts", point.tcp.timeouts);
            json.member("fault", point.fault);
            json.members("calls_ns", point.calls_ns);
        });
    });
}

void print_end() {
    print_line([](Json& json) { json.member("end", true); });
}

}  // namespace clearway::bench
