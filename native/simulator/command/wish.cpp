#include "simulator/command/wish.hpp"

#include <utility>

namespace clearway::simulator {

namespace {

constexpr std::uint64_t kMostHosts = 16384;
constexpr std::uint64_t kMostRanksAHost = 256;

std::string fault_of_numbers(const Wish& wish) {
    if (wish.hosts < 1 || wish.hosts > kMostHosts) return "there must be 1 to 16384 hosts";
    if (wish.ranks_per_host < 1 || wish.ranks_per_host > kMostRanksAHost) return "there must be 1 to 256 ranks a host";
    if (wish.calls < 1) return "there must be a call";
    if (wish.block_bytes >= (std::uint64_t{1} << 32) / (wish.hosts * wish.ranks_per_host))
        return "the blocks of a rank must be smaller than 4 GiB together";
    if (wish.link.rate_bps < 1000 || wish.uplink_bps < 1000) return "links must carry 1000 bit/s at least";
    if (wish.tcp.segment_bytes < 64 || wish.tcp.segment_bytes > 16000) return "segments have 64 to 16000 bytes";
    if (wish.mpi.header_bytes < 1) return "a message needs a header, or an empty one would be nothing";
    if (wish.tcp.initial_window < 1) return "the initial window must be 1 segment at least";
    // With both alike each loss is followed by another (an acknowledgement that comes when it is no longer awaited).
    if (wish.tcp.delayed_ack_ns >= wish.tcp.least_timeout_ns)
        return "acknowledgements must not be delayed for as long as the least timeout";
    if (wish.is_crossover != 0 && wish.hosts != 2) return "a cable joins two hosts";
    if (!wish.sub_switch_of_host.empty() && wish.sub_switch_of_host.size() != wish.hosts)
        return "each host needs its sub-switch";
    return {};
}

Topology topology_of(const Wish& wish) {
    const auto deep = [](std::uint64_t bytes) { return bytes == 0 ? kUnlimited : bytes; };
    if (wish.is_crossover != 0) return crossover(wish.link);
    Plug plug{.card = wish.link, .port = wish.link};
    plug.card.mark_bytes = kUnlimited;
    plug.port.buffer_bytes = deep(wish.shared_bytes != 0 ? 0 : wish.buffer_bytes);
    if (wish.sub_switch_of_host.empty())
        return one_switch(static_cast<std::uint32_t>(wish.hosts), plug, wish.shared_bytes,
                          static_cast<double>(wish.shared_percent) / 100);
    LinkSettings uplink = plug.port;
    uplink.rate_bps = wish.uplink_bps;
    uplink.latency_ns = wish.uplink_latency_ns;
    uplink.buffer_bytes = deep(wish.uplink_buffer_bytes);
    return switch_of_switches(wish.sub_switch_of_host, plug, uplink);
}

schedule::Placement placement_of(const Wish& wish) {
    return schedule::place_in_blocks(
        std::vector<std::uint32_t>(wish.hosts, static_cast<std::uint32_t>(wish.ranks_per_host)));
}

std::string fault_of_candidate(const Wish& wish, const Candidate& candidate, schedule::Operation operation) {
    if (!schedule::serves(*candidate.algorithm, operation))
        return std::string(candidate.algorithm->name) + " does not serve " + wish.operation;
    const schedule::Separation& separation = candidate.separation;
    if (separation.gate == schedule::Gate::credits || separation.pace_bytes_per_s != 0)
        return "credits and pacing are not simulated";
    return {};
}

}  // namespace

std::string make_scenario(const Wish& wish, Scenario& scenario) {
    if (std::string fault = fault_of_numbers(wish); !fault.empty()) return fault;
    bool is_known = false;
    for (const schedule::Operation operation : schedule::kOperations) {
        if (schedule::name_of(operation) != wish.operation || !schedule::is_uniform(operation)) continue;
        scenario.problem.operation = operation;
        is_known = true;
    }
    if (!is_known) return "'" + wish.operation + "' is not simulated: alltoall, allgather";
    if (!parse(wish.candidate, scenario.candidate) || scenario.candidate.is_own())
        return "'" + wish.candidate + "' names no algorithm of ours";
    if (std::string fault = fault_of_candidate(wish, scenario.candidate, scenario.problem.operation); !fault.empty())
        return fault;
    scenario.problem.placement = placement_of(wish);
    scenario.problem.block_bytes = {wish.block_bytes};
    scenario.topology = topology_of(wish);
    scenario.framing = wish.framing;
    scenario.tcp = wish.tcp;
    scenario.mpi = wish.mpi;
    scenario.noise = wish.noise;
    scenario.calls = static_cast<std::uint32_t>(wish.calls);
    scenario.pause_ns = wish.pause_ns;
    scenario.seed = wish.seed;
    if (wish.congestion != "cubic" && wish.congestion != "reno") return "congestion control is cubic or reno";
    scenario.tcp.congestion = wish.congestion == "reno" ? Congestion::reno : Congestion::cubic;
    if (wish.timeout_rule != "linux" && wish.timeout_rule != "rfc6298") return "the timeout rule is linux or rfc6298";
    scenario.tcp.timeout_rule = wish.timeout_rule == "linux" ? TimeoutRule::linux : TimeoutRule::rfc6298;
    return {};
}

}  // namespace clearway::simulator
