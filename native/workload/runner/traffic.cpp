#include "workload/runner/traffic.hpp"

#include <algorithm>
#include <climits>

#include "workload/runner/pattern.hpp"

namespace clearway::workload {

namespace {

// Counts of the n-th alltoallv of `rank` on a communicator. The parser has seen to it that there is one.
const std::vector<std::uint64_t>& counts_of(const Script& script, int rank, int communicator, std::size_t n) {
    for (const Activity& each : script.activities_of[static_cast<std::size_t>(rank)]) {
        if (each.kind != ActivityKind::alltoallv || each.communicator != communicator) continue;
        if (n-- == 0) return script.counts[static_cast<std::size_t>(each.counts)];
    }
    static const std::vector<std::uint64_t> none;
    return none;
}

std::vector<Block> alike(std::size_t ranks, std::uint64_t bytes) {
    std::vector<Block> blocks;
    for (std::size_t peer = 0; peer < ranks; ++peer) blocks.push_back({static_cast<int>(peer), bytes});
    return blocks;
}

std::vector<Block> each_its(const std::vector<std::uint64_t>& counts) {
    std::vector<Block> blocks;
    for (const std::uint64_t bytes : counts) blocks.push_back({static_cast<int>(blocks.size()), bytes});
    return blocks;
}

}  // namespace

std::uint64_t bytes_of(const std::vector<Block>& blocks) {
    std::uint64_t sum = 0;
    for (const Block& block : blocks) sum += block.bytes;
    return sum;
}

void TrafficOf::begin_step() { std::fill(alltoallvs_.begin(), alltoallvs_.end(), 0); }

Traffic TrafficOf::of_alltoallv(const Activity& activity) {
    const auto on = static_cast<std::size_t>(activity.communicator);
    const Communicator& communicator = script_.communicators[on];
    const auto self = static_cast<std::size_t>(rank_in(communicator, rank_));
    const std::size_t n = alltoallvs_[on]++;
    Traffic traffic{each_its(script_.counts[static_cast<std::size_t>(activity.counts)]), {}};
    for (std::size_t peer = 0; peer < communicator.ranks.size(); ++peer)
        traffic.receives.push_back(
            {static_cast<int>(peer), counts_of(script_, communicator.ranks[peer], activity.communicator, n)[self]});
    return traffic;
}

Traffic TrafficOf::operator()(const Activity& activity) {
    const Communicator& communicator = script_.communicators[static_cast<std::size_t>(activity.communicator)];
    const std::size_t ranks = communicator.ranks.size();
    switch (activity.kind) {
        case ActivityKind::send:
        case ActivityKind::isend:
            return {{{activity.peer, activity.bytes}}, {}};
        case ActivityKind::recv:
        case ActivityKind::irecv:
            return {{}, {{activity.peer, activity.bytes}}};
        case ActivityKind::sendrecv:
            return {{{activity.peer, activity.bytes}}, {{activity.from, activity.from_bytes}}};
        case ActivityKind::alltoall:
            return {alike(ranks, activity.bytes), alike(ranks, activity.bytes)};
        case ActivityKind::alltoallv:
            return of_alltoallv(activity);
        case ActivityKind::allgather:
            return {{{kAll, activity.bytes}}, alike(ranks, activity.bytes)};
        case ActivityKind::allgatherv: {
            const auto& counts = script_.counts[static_cast<std::size_t>(activity.counts)];
            return {{{kAll, counts[static_cast<std::size_t>(rank_in(communicator, rank_))]}}, each_its(counts)};
        }
        case ActivityKind::bcast:
            if (rank_in(communicator, rank_) == activity.peer) return {{{kAll, activity.bytes}}, {}};
            return {{}, {{activity.peer, activity.bytes}}};
        default:
            return {};
    }
}

Room room_for(const Script& script, int rank) {
    Room room;
    TrafficOf traffic_of(script, rank);
    std::uint64_t open_send_bytes = 0, open_receive_bytes = 0;
    std::size_t requests = 0, waited = 0;
    for (const Activity& each : script.activities_of[static_cast<std::size_t>(rank)]) {
        const Traffic traffic = traffic_of(each);
        const bool is_sum = each.kind == ActivityKind::allreduce || each.kind == ActivityKind::reduce;
        const std::uint64_t sends = is_sum ? each.bytes + sizeof(double) : bytes_of(traffic.sends);
        const std::uint64_t receives = is_sum ? sends : bytes_of(traffic.receives);
        room.send_bytes = std::max(room.send_bytes, open_send_bytes + sends);
        room.receive_bytes = std::max(room.receive_bytes, open_receive_bytes + receives);
        room.fits = room.fits && std::max(sends, receives) <= INT_MAX;
        if (each.kind == ActivityKind::isend || each.kind == ActivityKind::irecv) {
            open_send_bytes += aligned(sends);
            open_receive_bytes += aligned(receives);
            room.requests = std::max(room.requests, ++requests);
        }
        if (each.kind == ActivityKind::wait) waited += script.counts[static_cast<std::size_t>(each.counts)].size();
        if (each.kind == ActivityKind::waitall || (waited > 0 && waited == requests))
            open_send_bytes = open_receive_bytes = requests = waited = 0;
    }
    return room;
}

}  // namespace clearway::workload
