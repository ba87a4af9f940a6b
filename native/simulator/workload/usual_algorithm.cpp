#include "simulator/workload/usual_algorithm.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace clearway::simulator {

namespace {

using enum schedule::Operation;

constexpr auto kAnyRanks = std::numeric_limits<std::uint32_t>::max();
constexpr auto kAnyBytes = std::numeric_limits<std::uint64_t>::max();

// The first of the operation that has room for the ranks, and for the bytes, counts.
struct Limit {
    schedule::Operation operation;
    std::uint32_t fewer_ranks_than;
    std::uint64_t fewer_bytes_than;
    std::string_view algorithm;
};

constexpr Limit kMpich[] = {
    {bcast, 8, kAnyBytes, "binomial"},
    {bcast, kAnyRanks, 12'288, "binomial"},
    {bcast, kAnyRanks, kAnyBytes, "scatter_ring"},
    {reduce, kAnyRanks, 2'049, "binomial"},
    {reduce, kAnyRanks, kAnyBytes, "rabenseifner"},
    {allreduce, kAnyRanks, 2'049, "recursive_doubling"},
    {allreduce, kAnyRanks, kAnyBytes, "rabenseifner"},
    {barrier, kAnyRanks, kAnyBytes, "dissemination"},
};

constexpr Limit kOpenMpi[] = {
    {bcast, 4, 32, "chain"},
    {bcast, 4, 256, "linear"},
    {bcast, 4, 512, "chain"},
    {bcast, 4, 131'072, "linear"},
    {bcast, 4, 262'144, "chain"},
    {bcast, 4, kAnyBytes, "linear"},
    {bcast, 8, 8'192, "binomial"},
    {bcast, 8, 1'048'576, "linear"},
    {bcast, 8, kAnyBytes, "chain"},
    {bcast, 16, 32'768, "binomial"},
    {bcast, 16, kAnyBytes, "linear"},
    {bcast, 32, 1'048'576, "binomial"},
    {bcast, 32, kAnyBytes, "scatter_ring"},
    {bcast, kAnyRanks, kAnyBytes, "binomial"},
    {reduce, 4, 16, "linear"},
    {reduce, 4, 32, "chain"},
    {reduce, 4, 262'144, "linear"},
    {reduce, 4, kAnyBytes, "chain"},
    {reduce, 8, 4'096, "binomial"},
    {reduce, 8, 65'536, "chain"},
    {reduce, 8, 262'144, "binomial"},
    {reduce, 8, 524'288, "linear"},
    {reduce, 8, 1'048'576, "binomial"},
    {reduce, 8, kAnyBytes, "linear"},
    {reduce, kAnyRanks, kAnyBytes, "binomial"},
    {allreduce, 4, 4'096, "recursive_doubling"},
    {allreduce, 4, 8'192, "ring"},
    {allreduce, 4, 16'384, "recursive_doubling"},
    {allreduce, 4, 262'144, "ring"},
    {allreduce, 4, kAnyBytes, "rabenseifner"},
    {allreduce, 16, 8'192, "recursive_doubling"},
    {allreduce, 16, kAnyBytes, "rabenseifner"},
    {allreduce, 32, 4'096, "recursive_doubling"},
    {allreduce, 32, kAnyBytes, "rabenseifner"},
    {allreduce, 64, 128, "recursive_doubling"},
    {allreduce, 64, kAnyBytes, "rabenseifner"},
    {allreduce, 256, 262'144, "recursive_doubling"},
    {allreduce, 256, kAnyBytes, "rabenseifner"},
    {allreduce, 512, 4'096, "recursive_doubling"},
    {allreduce, 512, kAnyBytes, "rabenseifner"},
    {allreduce, kAnyRanks, 16'384, "recursive_doubling"},
    {allreduce, kAnyRanks, kAnyBytes, "rabenseifner"},
    {barrier, 4, kAnyBytes, "dissemination"},
    {barrier, 8, kAnyBytes, "linear"},
    {barrier, kAnyRanks, kAnyBytes, "dissemination"},
};

constexpr std::span<const Limit> limits_of(Library library) {
    return library == Library::open_mpi ? std::span<const Limit>(kOpenMpi) : std::span<const Limit>(kMpich);
}

}  // namespace

std::optional<Library> find_library(std::string_view name) {
    if (name == "mpich") return Library::mpich;
    if (name == "openmpi") return Library::open_mpi;
    return std::nullopt;
}

const schedule::Algorithm& usual_algorithm(Library library, schedule::Operation operation, std::uint32_t ranks,
                                           std::uint64_t bytes) {
    const auto found = std::ranges::find_if(limits_of(library), [&](const Limit& limit) {
        return limit.operation == operation && ranks < limit.fewer_ranks_than && bytes < limit.fewer_bytes_than;
    });
    return *schedule::find_algorithm(found->algorithm);
}

}  // namespace clearway::simulator
