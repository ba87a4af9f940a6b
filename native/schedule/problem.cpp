#include "schedule/problem.hpp"

#include <algorithm>
#include <utility>

namespace clearway::schedule {

namespace {
constexpr std::size_t kMostRanks = 46340;  // two slots for every pair of ranks can be numbered with 32 bits
constexpr std::size_t kMostBlocks = kMostRanks;

std::size_t sizes_wanted(const Problem& problem) {
    const std::size_t ranks = ranks_of(problem);
    if (is_uniform(problem.operation)) return 1;
    if (is_on_vector(problem.operation)) return problem.blocks;
    return problem.operation == Operation::allgatherv ? ranks : ranks * ranks;
}

std::string fault_of_vector(const Problem& problem) {
    if (problem.blocks == 0 || problem.blocks > kMostBlocks)
        return "a vector must have 1 to " + std::to_string(kMostBlocks) + " blocks, not " +
               std::to_string(problem.blocks);
    if (problem.operation == Operation::reduce_scatter && problem.blocks != ranks_of(problem))
        return "a reduce_scatter needs one block for each rank";
    if (problem.operation == Operation::barrier && (problem.blocks != 1 || problem.block_bytes != std::vector{1UL}))
        return "a barrier needs one block of one byte";
    if (problem.root >= ranks_of(problem)) return "the root, rank " + std::to_string(problem.root) + ", does not exist";
    return {};
}
}  // namespace

std::string_view name_of(Operation operation) {
    switch (operation) {
        case Operation::alltoall:
            return "alltoall";
        case Operation::alltoallv:
            return "alltoallv";
        case Operation::alltoallw:
            return "alltoallw";
        case Operation::allgather:
            return "allgather";
        case Operation::allgatherv:
            return "allgatherv";
        case Operation::bcast:
            return "bcast";
        case Operation::reduce:
            return "reduce";
        case Operation::allreduce:
            return "allreduce";
        case Operation::reduce_scatter:
            return "reduce_scatter";
        case Operation::barrier:
            return "barrier";
    }
    return "";
}

Placement place(std::vector<std::uint32_t> host_of_rank) {
    Placement placement;
    placement.host_of_rank = std::move(host_of_rank);
    const std::uint32_t ranks = ranks_of(placement);
    std::uint32_t hosts = 0;
    for (const std::uint32_t host : placement.host_of_rank) hosts = std::max(hosts, std::min(host, ranks) + 1);
    std::vector<std::uint32_t> next(hosts + 1, 0);
    for (const std::uint32_t host : placement.host_of_rank) ++next[std::min(host, hosts - 1) + 1];
    for (std::uint32_t host = 0; host < hosts; ++host) next[host + 1] += next[host];
    placement.first_on_host = next;
    placement.ranks_by_host.resize(ranks);
    placement.place_of_rank.resize(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::uint32_t at = next[std::min(placement.host_of_rank[rank], hosts - 1)]++;
        placement.ranks_by_host[at] = rank;
        placement.place_of_rank[rank] = at;
    }
    return placement;
}

Placement place_in_blocks(const std::vector<std::uint32_t>& ranks_on_host) {
    std::vector<std::uint32_t> host_of_rank;
    for (std::uint32_t host = 0; host < ranks_on_host.size(); ++host)
        host_of_rank.insert(host_of_rank.end(), ranks_on_host[host], host);
    return place(std::move(host_of_rank));
}

Problem cut_vector(Operation operation, Placement placement, std::uint64_t bytes, std::uint64_t element_bytes,
                   std::uint32_t blocks) {
    const std::uint64_t elements = bytes / element_bytes;
    if (operation != Operation::reduce_scatter)
        blocks = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(elements, 1, blocks));
    Problem problem{operation, std::move(placement), {elements / blocks * element_bytes}, blocks};
    if (elements % blocks == 0) return problem;
    problem.block_bytes.clear();
    for (std::uint64_t block = 0; block < blocks; ++block)
        problem.block_bytes.push_back((elements * (block + 1) / blocks - elements * block / blocks) * element_bytes);
    return problem;
}

std::uint64_t bytes_of_block(const Problem& problem, std::uint32_t origin, std::uint32_t destination) {
    if (problem.block_bytes.size() == 1) return problem.block_bytes[0];
    if (problem.operation == Operation::allgatherv) return problem.block_bytes[origin];
    return problem.block_bytes[std::size_t{origin} * ranks_of(problem) + destination];
}

std::string fault_of(const Problem& problem) {
    const std::size_t ranks = ranks_of(problem);
    if (ranks == 0) return "there is no rank";
    if (ranks > kMostRanks) return "there are more than " + std::to_string(kMostRanks) + " ranks";
    const std::uint32_t hosts = hosts_of(problem.placement);
    for (const std::uint32_t host : problem.placement.host_of_rank)
        if (host >= ranks) return "hosts must be numbered from 0 without gaps: there is a host " + std::to_string(host);
    for (std::uint32_t host = 0; host < hosts; ++host)
        if (ranks_on(problem.placement, host) == 0) return "host " + std::to_string(host) + " has no rank";
    if (is_on_vector(problem.operation))
        if (std::string fault = fault_of_vector(problem); !fault.empty()) return fault;
    const std::size_t sizes = problem.block_bytes.size();
    const std::size_t wanted = sizes_wanted(problem);
    if (sizes != 1 && sizes != wanted)
        return std::string(name_of(problem.operation)) + " of " + std::to_string(ranks) + " ranks needs 1 " +
               (wanted == 1 ? "block size" : "or " + std::to_string(wanted) + " block sizes") + ", not " +
               std::to_string(sizes);
    return {};
}

}  // namespace clearway::schedule
