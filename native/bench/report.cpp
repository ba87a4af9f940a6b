#include "bench/report.hpp"

#include <cinttypes>
#include <cstdio>

namespace clearway::bench {

namespace {

constexpr char kMark[] = "clearway-bench ";

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += ' ';
        } else {
            out += c;
        }
    }
    return out + '"';
}

}  // namespace

void print_job(const Options& options, const World& world, const Hosts& hosts) {
    std::printf(
        "%s{\"job\": {\"operation\": \"%s\", \"ranks\": %u, \"hosts\": %u, \"ranks_per_host\": %u, "
        "\"mpi\": %s, \"mpi_library\": %s, \"interleaved\": %s}}\n",
        kMark, name_of(options.operation), world.ranks, hosts.count, hosts.most_ranks, quoted(world.version).c_str(),
        quoted(mpi_library_path()).c_str(), options.interleave ? "true" : "false");
    std::fflush(stdout);
}

void print_point(const Point& point) {
    std::printf("%s{\"point\": {\"candidate\": %s, \"block_bytes\": %" PRIu64 ", \"retransmits\": %" PRIu64
                ", \"timeouts\": %" PRIu64 ", \"fault\": %s, \"calls_ns\": [",
                kMark, quoted(point.candidate).c_str(), point.block_bytes, point.tcp.retransmits, point.tcp.timeouts,
                quoted(point.fault).c_str());
    for (std::size_t i = 0; i < point.calls_ns.size(); ++i)
        std::printf("%s%" PRIu64, i == 0 ? "" : ", ", point.calls_ns[i]);
    std::printf("]}}\n");
    std::fflush(stdout);
}

void print_end() {
    std::printf("%s{\"end\": true}\n", kMark);
    std::fflush(stdout);
}

}  // namespace clearway::bench
