#include "schedule/problem.hpp"

#include <algorithm>
#include <utility>

namespace clearway::schedule {

namespace {
constexpr std::size_t kMostRanks = 46340;  // two slots for every pair of ranks can be numbered with 32 bits
}

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
        if (host >= ranks) return "hosts are not numbered from 0 without gaps: there is a host " + std::to_string(host);
    for (std::uint32_t host = 0; host < hosts; ++host)
        if (ranks_on(problem.placement, host) == 0) return "host " + std::to_string(host) + " has no rank";
    const std::size_t sizes = problem.block_bytes.size();
    std::size_t wanted = 1;
    if (!is_uniform(problem.operation)) wanted = problem.operation == Operation::allgatherv ? ranks : ranks * ranks;
    if (sizes != 1 && sizes != wanted)
        return std::string(name_of(problem.operation)) + " of " + std::to_string(ranks) + " ranks needs 1 " +
               (wanted == 1 ? "block size" : "or " + std::to_string(wanted) + " block sizes") + ", not " +
               std::to_string(sizes);
    return {};
}

}  // namespace clearway::schedule
