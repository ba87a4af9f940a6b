#include "collectives/candidates_for.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <string_view>

namespace clearway::collectives {

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

// What the measurements of docs/flow-benchmark.md left, those first that were best where packets are lost. A window of
// 12,000 bytes and chunks of 8,000 keep within a port's 20 kB and below the MPIs' rendezvous; 48,000 are for networks
// whose bandwidth-delay product is larger than that.
constexpr std::string_view kTiny[] = {"ordered", "bruck"};
constexpr std::string_view kSmall[] = {"ordered", "pairwise+token:12000"};
constexpr std::string_view kMedium[] = {"pairwise+token:12000,chunk:8000", "ordered+token:12000,chunk:8000"};
constexpr std::string_view kLarge[] = {"pairwise+token:12000,chunk:8000", "ordered+token:12000,chunk:8000",
                                       "ordered+token:48000,chunk:8000"};
constexpr Row kOneRankAHost[] = {{512, kTiny}, {8192, kSmall}, {32768, kMedium}, {kAnySize, kLarge}};

constexpr std::string_view kSharedSmall[] = {"hierarchical", "node_ordered"};
constexpr std::string_view kShared[] = {"port_pairs+token:12000,chunk:8000", "hierarchical+token:12000,chunk:8000",
                                        "node_ordered+token:6000,chunk:4000"};
constexpr Row kFewRanks[] = {{8192, kSharedSmall}, {kAnySize, kShared}};

// A turn for every pair of ranks becomes too many turns.
constexpr std::string_view kSharedByMany[] = {"hierarchical+token:12000,chunk:8000",
                                              "node_ordered+token:8000,chunk:2000"};
constexpr Row kManyRanks[] = {{8192, kSharedSmall}, {kAnySize, kSharedByMany}};

constexpr std::string_view kGatherSmall[] = {"recursive_doubling", "ring"};
constexpr std::string_view kGather[] = {"recursive_doubling,chunk:8000", "ring,chunk:8000",
                                        "pairwise+token:12000,chunk:8000"};
constexpr Row kGatherOneRankAHost[] = {{4096, kGatherSmall}, {kAnySize, kGather}};

constexpr std::string_view kGatherSharedSmall[] = {"hierarchical", "ring"};
constexpr std::string_view kGatherShared[] = {"hierarchical+token:12000,chunk:8000", "ring,chunk:8000"};
constexpr Row kGatherFromShared[] = {{4096, kGatherSharedSmall}, {kAnySize, kGatherShared}};

// What a switch's port holds at least: the smallest buffers sold have 20 kB a port, packets' headers included.
constexpr std::uint64_t kLeastPort_bytes = 16'000;

// What the ranks of one host are sent in one call, by ranks of other hosts.
std::uint64_t bytes_into_a_port(const Placement& placement, std::uint64_t block_bytes) {
    std::uint64_t pairs = 0;
    for (std::uint32_t host = 0; host < hosts_of(placement); ++host) {
        const std::uint64_t here = ranks_on(placement, host);
        pairs = std::max(pairs, here * (ranks_of(placement) - here));
    }
    return block_bytes > kAnySize / std::max<std::uint64_t>(pairs, 1) ? kAnySize : pairs * block_bytes;
}

std::uint32_t most_ranks_on_a_host(const Placement& placement) {
    std::uint32_t most = 0;
    for (std::uint32_t host = 0; host < hosts_of(placement); ++host) most = std::max(most, ranks_on(placement, host));
    return most;
}

std::span<const Row> rows_for(const Placement& placement, Operation operation) {
    const std::uint32_t most = most_ranks_on_a_host(placement);
    if (schedule::is_allgather(operation))
        return most == 1 ? std::span<const Row>(kGatherOneRankAHost) : std::span<const Row>(kGatherFromShared);
    if (most == 1) return kOneRankAHost;
    return most <= kFewRanksAHost ? std::span<const Row>(kFewRanks) : std::span<const Row>(kManyRanks);
}

// An odd number of hosts leaves one of them without a partner in every phase of a pairwise exchange; recursive doubling
// moves blocks twice unless the ranks are a power of two.
bool wastes_phases(const schedule::Candidate& candidate, const Placement& placement) {
    if (candidate.algorithm->name == "pairwise") return hosts_of(placement) % 2 != 0;
    return candidate.algorithm->name == "recursive_doubling" && !std::has_single_bit(ranks_of(placement));
}

}  // namespace

std::uint64_t judged_bytes(Operation operation, std::uint64_t block_bytes) {
    return operation == Operation::alltoallv || operation == Operation::alltoallw ? kAnySize : block_bytes;
}

std::vector<schedule::Candidate> candidates_for(const Placement& placement, Operation operation,
                                                std::uint64_t block_bytes) {
    const std::uint64_t bytes = judged_bytes(operation, block_bytes);
    const auto rows = rows_for(placement, operation);
    const auto row = std::ranges::find_if(rows, [bytes](const Row& each) { return bytes <= each.most_bytes; });
    std::vector<schedule::Candidate> candidates;
    for (const std::string_view text : row->ways) {
        schedule::Candidate candidate;
        if (parse(text, candidate) && schedule::serves(*candidate.algorithm, operation) &&
            !wastes_phases(candidate, placement))
            candidates.push_back(candidate);
    }
    candidates.push_back({});
    return candidates;
}

// Where everything that is sent at once fits into a port, nothing can jam, and the MPI's own is hard to beat.
Outlook outlook_for(const Placement& placement, Operation operation, std::uint64_t block_bytes,
                    const std::vector<schedule::Candidate>& candidates) {
    Outlook outlook;
    outlook.may_jam = bytes_into_a_port(placement, judged_bytes(operation, block_bytes)) > kLeastPort_bytes;
    outlook.first = outlook.may_jam ? 0 : static_cast<std::uint32_t>(candidates.size() - 1);
    return outlook;
}

}  // namespace clearway::collectives
