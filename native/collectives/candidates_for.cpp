#include "collectives/candidates_for.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>

namespace clearway {

namespace {

using schedule::Operation;
using schedule::Placement;

constexpr std::uint64_t kAnySize = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t kFewRanksAHost = 4;

// Blocks of up to so many bytes, and the ways for them. The last row of a table takes any size.
struct Row {
    std::uint64_t most_bytes;
    std::span<const std::string_view> ways;
};

constexpr std::string_view kTiny[] = {"bruck", "ordered"};
constexpr std::string_view kSmall[] = {"ordered", "pairwise+token"};
constexpr std::string_view kMedium[] = {"pairwise+token:12000,chunk:8000", "ordered+token:12000,chunk:8000", "ordered"};
constexpr std::string_view kLarge[] = {"pairwise+token:12000,chunk:8000", "ordered+token:12000,chunk:8000",
                                       "pairwise+token:48000,chunk:8000", "ordered"};
constexpr Row kOneRankAHost[] = {{512, kTiny}, {8192, kSmall}, {32768, kMedium}, {kAnySize, kLarge}};

constexpr std::string_view kSharedTiny[] = {"hierarchical", "bruck"};
constexpr std::string_view kShared[] = {"port_pairs+token:12000,chunk:8000", "node_ordered+token:12000,chunk:8000"};
constexpr Row kFewRanks[] = {{512, kSharedTiny}, {kAnySize, kShared}};

constexpr std::string_view kSharedByMany[] = {"hierarchical", "node_ordered+token:12000,chunk:8000"};
constexpr Row kManyRanks[] = {{kAnySize, kSharedByMany}};

constexpr std::string_view kGatherTiny[] = {"bruck", "ring"};
constexpr std::string_view kGather[] = {"ring,chunk:8000", "ordered+token:12000,chunk:8000"};
constexpr Row kAllgather[] = {{512, kGatherTiny}, {kAnySize, kGather}};

std::uint32_t most_ranks_on_a_host(const Placement& placement) {
    std::uint32_t most = 0;
    for (std::uint32_t host = 0; host < hosts_of(placement); ++host) most = std::max(most, ranks_on(placement, host));
    return most;
}

std::span<const Row> rows_for(const Placement& placement, Operation operation) {
    if (schedule::is_allgather(operation)) return kAllgather;
    const std::uint32_t most = most_ranks_on_a_host(placement);
    if (most == 1) return kOneRankAHost;
    return most <= kFewRanksAHost ? std::span<const Row>(kFewRanks) : std::span<const Row>(kManyRanks);
}

// An odd number of hosts leaves one of them without a partner in every phase.
bool wastes_phases(const Candidate& candidate, const Placement& placement) {
    return candidate.algorithm->name == "pairwise" && hosts_of(placement) % 2 != 0;
}

}  // namespace

std::uint64_t judged_bytes(Operation operation, std::uint64_t block_bytes) {
    return operation == Operation::alltoallv || operation == Operation::alltoallw ? kAnySize : block_bytes;
}

std::vector<Candidate> candidates_for(const Placement& placement, Operation operation, std::uint64_t block_bytes) {
    const std::uint64_t bytes = judged_bytes(operation, block_bytes);
    const auto rows = rows_for(placement, operation);
    const auto row = std::ranges::find_if(rows, [bytes](const Row& each) { return bytes <= each.most_bytes; });
    std::vector<Candidate> candidates;
    for (const std::string_view text : row->ways) {
        Candidate candidate;
        if (parse(text, candidate) && schedule::serves(*candidate.algorithm, operation) &&
            !wastes_phases(candidate, placement))
            candidates.push_back(candidate);
    }
    candidates.push_back({});
    return candidates;
}

}  // namespace clearway
