#include "simulator/command/wish.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "simulator/network/flow_control.hpp"

namespace clearway::simulator {

namespace {

constexpr std::uint64_t kMostHosts = 16384;
constexpr std::uint64_t kMostRanksAHost = 256;
constexpr std::uint64_t kMostFatTreePorts = 128;

std::size_t sub_switches_of(const Wish& wish) {
    return wish.sub_switch_of_host.empty() ? 0 : std::size_t{std::ranges::max(wish.sub_switch_of_host)} + 1;
}

bool is_one_a_sub_switch(const std::vector<std::uint64_t>& values, const Wish& wish) {
    return values.empty() || values.size() == sub_switches_of(wish);
}

std::string fault_of_switches(const Wish& wish) {
    const int shapes = (wish.is_crossover != 0 ? 1 : 0) + (wish.sub_switch_of_host.empty() ? 0 : 1) +
                       (wish.leaf_hosts != 0 ? 1 : 0) + (wish.fat_tree_ports != 0 ? 1 : 0);
    if (shapes > 1) return "the hosts are joined in one way: a cable, sub-switches, leaves or a fat tree";
    if (wish.leaf_hosts != 0 && wish.spines == 0) return "leaves need spines";
    if (wish.fat_tree_ports % 2 != 0 || wish.fat_tree_ports > kMostFatTreePorts)
        return "switches of a fat tree have an even number of ports, up to 128";
    if (wish.fat_tree_ports != 0 && wish.hosts > hosts_of_fat_tree(wish.fat_tree_ports))
        return "the fat tree has no place for so many hosts";
    if (wish.link.burst_bytes != 0 && (wish.cuts_through || wish.flow_control != "off"))
        return "token buckets neither cut through nor heed PAUSE";
    if (wish.flow_control != "off" && wish.flow_control != "pause" && wish.flow_control != "pfc")
        return "flow control is off, pause or pfc";
    if (wish.flow_control != "off" && wish.shared_bytes != 0)
        return "with flow control each port has a buffer of its own";
    return {};
}

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
    if (!is_one_a_sub_switch(wish.uplinks_bps, wish) || !is_one_a_sub_switch(wish.uplink_buffers_bytes, wish))
        return "each sub-switch needs its uplink";
    if (std::ranges::any_of(wish.uplinks_bps, [](std::uint64_t bps) { return bps < 1000; }))
        return "links must carry 1000 bit/s at least";
    return fault_of_switches(wish);
}

Topology topology_of(const Wish& wish) {
    const auto deep = [](std::uint64_t bytes) { return bytes == 0 ? kUnlimited : bytes; };
    if (wish.is_crossover != 0) return crossover(wish.link);
    Plug plug{.card = wish.link, .port = wish.link};
    plug.card.mark_bytes = kUnlimited;
    plug.port.buffer_bytes = deep(wish.shared_bytes != 0 ? 0 : wish.buffer_bytes);
    const Memory memory{wish.shared_bytes, static_cast<double>(wish.shared_percent) / 100};
    const auto hosts = static_cast<std::uint32_t>(wish.hosts);
    LinkSettings uplink = plug.port;
    uplink.rate_bps = wish.uplink_bps;
    uplink.latency_ns = wish.uplink_latency_ns;
    uplink.buffer_bytes = deep(wish.shared_bytes != 0 ? 0 : wish.uplink_buffer_bytes);
    if (wish.fat_tree_ports != 0) return fat_tree(hosts, wish.fat_tree_ports, plug, uplink, memory);
    if (wish.leaf_hosts != 0) return leaf_spine(hosts, {wish.leaf_hosts, wish.spines}, plug, uplink, memory);
    if (wish.sub_switch_of_host.empty()) return one_switch(hosts, plug, memory);
    std::vector<LinkSettings> uplinks(sub_switches_of(wish), uplink);
    for (std::size_t i = 0; i < wish.uplinks_bps.size(); ++i) uplinks[i].rate_bps = wish.uplinks_bps[i];
    for (std::size_t i = 0; i < wish.uplink_buffers_bytes.size(); ++i)
        uplinks[i].buffer_bytes = deep(wish.shared_bytes != 0 ? 0 : wish.uplink_buffers_bytes[i]);
    return switch_of_switches(wish.sub_switch_of_host, plug, uplinks, memory);
}

schedule::Placement placement_of(const Wish& wish) {
    return schedule::place_in_blocks(
        std::vector<std::uint32_t>(wish.hosts, static_cast<std::uint32_t>(wish.ranks_per_host)));
}

std::string fault_of_candidate(const Wish& wish, const schedule::Candidate& candidate, schedule::Operation operation) {
    if (!schedule::serves(*candidate.algorithm, operation))
        return std::string(candidate.algorithm->name) + " does not serve " + wish.operation;
    return {};
}

// DCTCP is nothing without marks.
bool parse_congestion(const std::string& name, TcpSettings& tcp) {
    if (name == "dctcp") tcp.has_ecn = true;
    tcp.congestion = name == "dctcp" ? Congestion::dctcp : name == "reno" ? Congestion::reno : Congestion::cubic;
    return name == "cubic" || name == "reno" || name == "dctcp";
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
    scenario.topology.flow_seed = wish.seed;
    scenario.topology.cuts_through = wish.cuts_through;
    scenario.topology.arrivals_first = wish.arrivals_first;
    if (wish.flow_control != "off") make_lossless(scenario.topology, wish.framing, wish.tcp.segment_bytes);
    scenario.framing = wish.framing;
    scenario.tcp = wish.tcp;
    scenario.mpi = wish.mpi;
    scenario.noise = wish.noise;
    scenario.calls = static_cast<std::uint32_t>(wish.calls);
    scenario.pause_ns = wish.pause_ns;
    scenario.meets_before_calls = wish.meets_before_calls;
    scenario.seed = wish.seed;
    if (!parse_congestion(wish.congestion, scenario.tcp)) return "congestion control is cubic, reno or dctcp";
    if (wish.timeout_rule != "linux" && wish.timeout_rule != "rfc6298") return "the timeout rule is linux or rfc6298";
    scenario.tcp.timeout_rule = wish.timeout_rule == "linux" ? TimeoutRule::linux : TimeoutRule::rfc6298;
    return {};
}

}  // namespace clearway::simulator
