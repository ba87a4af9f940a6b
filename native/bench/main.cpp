// clearway-bench: times a collective operation under any MPI and any launcher.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/measure.hpp"
#include "bench/options.hpp"
#include "bench/report.hpp"
#include "command_line/visible.hpp"

namespace clearway::bench {

namespace {

// A library can only be preloaded by starting again. No launcher agrees with another on how to hand LD_PRELOAD to
// ranks, so each rank does it itself.
void preload(const std::string& library, char** arguments) {
    const char* present = std::getenv("LD_PRELOAD");
    const std::string before = present != nullptr ? present : "";
    if (library.empty() || before.find(library) != std::string::npos) return;
    setenv("LD_PRELOAD", (before.empty() ? library : before + ":" + library).c_str(), 1);
    setenv("CLEARWAY_FLOW_SOCKETS", "off", 0);  // its options on connections would help the MPI's own way as well
    setenv("CLEARWAY_FLOW_MEMORY", "off", 0);   // what is measured here must not depend on what was before
    execv("/proc/self/exe", arguments);
    std::fprintf(stderr, "clearway-bench: cannot start again with %s preloaded: %s\n", library.c_str(),
                 std::strerror(errno));
}

std::vector<std::vector<Candidate>> turns(const Options& options) {
    std::vector<std::vector<Candidate>> groups;
    for (const std::string& name : options.candidates) {
        if (groups.empty() || !options.interleave) groups.emplace_back();
        groups.back().emplace_back(name, options.operation);
    }
    return groups;
}

std::vector<std::uint64_t> sizes_of(const Options& options, std::uint32_t ranks) {
    std::vector<std::uint64_t> sizes = options.block_bytes;
    if (options.grid.x != 0) sizes.push_back(block_bytes_of(options.grid, ranks));
    return sizes;
}

int fail(const World& world, const std::string& message, const char* hint) {
    if (world.rank == 0)
        std::fprintf(stderr, "clearway-bench: %s\n\nhint: %s\n", command_line::visible(message).c_str(), hint);
    end_mpi();
    return 1;
}

// A candidate at a time, through all sizes: after a collapse TCP goes on with small windows for a while, and would
// spoil whatever is measured next.
int run(const Options& options) {
    if (!open_mpi(options.mpi_library)) return 1;
    World world;
    if (!start_mpi(world)) {
        std::fprintf(stderr, "clearway-bench: %s does not start, or is not an MPI that Clearway knows\n",
                     mpi_library_path().c_str());
        return 1;
    }
    if (world.ranks < 2)
        return fail(world, mpi_library_path() + " sees only one rank",
                    "start two or more; if you did, give the launcher's own library: --mpi-library PATH");
    const std::vector<std::uint64_t> sizes = sizes_of(options, world.ranks);
    for (const std::uint64_t bytes : sizes)
        if (!CollectiveCall::fits(world.ranks, bytes))
            return fail(world, std::to_string(bytes) + " bytes per block are too many for this number of ranks",
                        "give smaller --sizes");
    const Hosts hosts = find_hosts(world);
    if (world.rank == 0) print_job(options, world, hosts);
    for (const std::vector<Candidate>& candidates : turns(options))
        for (const std::uint64_t bytes : sizes)
            for (const Point& point : measure({options, world, hosts}, candidates, bytes))
                if (world.rank == 0) print_point(point);
    if (world.rank == 0) print_end();
    end_mpi();
    return 0;
}

}  // namespace

}  // namespace clearway::bench

int main(int, char** arguments) {
    using namespace clearway::bench;
    Options options;
    using clearway::command_line::Parsed;
    if (const Parsed parsed = parse_options(arguments, options); parsed != Parsed::run)
        return parsed == Parsed::done ? 0 : 2;
    preload(options.flow_library, arguments);
    return run(options);
}
