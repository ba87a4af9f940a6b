#include "simulator/command/scenario_options.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "simulator/network/credited.hpp"
#include "simulator/network/flow_control.hpp"

namespace clearway::simulator {

namespace {

constexpr std::uint64_t kMostHosts = 16384;
constexpr std::uint64_t kMostRanksAHost = 256;
constexpr std::uint64_t kMostFatTreePorts = 128;
constexpr std::uint32_t kMostPortsOfARouter = 128;
constexpr std::uint64_t kMostFramingBytes = 4096;

std::size_t sub_switches_of(const ScenarioOptions& options) {
    return options.sub_switch_of_host.empty() ? 0 : std::size_t{std::ranges::max(options.sub_switch_of_host)} + 1;
}

bool is_one_a_sub_switch(const std::vector<std::uint64_t>& values, const ScenarioOptions& options) {
    return values.empty() || values.size() == sub_switches_of(options);
}

std::string fault_of_dragonfly(const ScenarioOptions& options) {
    const Dragonfly& shape = options.dragonfly;
    if (shape.hosts_a_router == 0) return {};
    if (shape.routers_a_group == 0 || shape.links_a_router == 0) return "a dragonfly needs routers and links of each";
    if (std::max({shape.hosts_a_router, shape.routers_a_group, shape.links_a_router}) > kMostPortsOfARouter)
        return "routers of a dragonfly have up to 128 ports of a kind";
    if (options.hosts > hosts_of_dragonfly(shape.hosts_a_router, shape.routers_a_group, shape.links_a_router))
        return "the dragonfly is too small for so many hosts";
    // Full buffers of groups would wait for one another in a circle; credits have lanes against that.
    if (options.flow_control == "pause" || options.flow_control == "pfc")
        return "a dragonfly without virtual channels may jam for ever with flow control";
    return {};
}

std::uint32_t full_packet_bytes(const ScenarioOptions& options) {
    return options.rdma.mtu_bytes != 0 ? options.rdma.mtu_bytes : options.tcp.segment_bytes;
}

Framing framing_of(const ScenarioOptions& options) {
    Framing framing = options.framing;
    if (options.rdma.mtu_bytes != 0) framing.header_bytes = options.rdma_header_bytes;
    return framing;
}

std::string fault_of_credits(const ScenarioOptions& options) {
    if (options.flow_control != "credits" || options.is_crossover != 0) return {};
    if (!options.stops_switches) return "credits are of all links";
    const std::uint64_t packet = credit_blocks(longest_frame_bytes(framing_of(options), full_packet_bytes(options)));
    for (std::uint64_t bytes : {options.buffer_bytes, options.uplink_buffer_bytes})
        if (bytes / kCreditBlockBytes < packet) return "with credits a port's buffer must hold a full packet";
    return {};
}

std::string fault_of_rdma(const ScenarioOptions& options) {
    if (options.rdma.mtu_bytes == 0) return {};
    if (options.rdma.mtu_bytes < 256 || options.rdma.mtu_bytes > 16000)
        return "RDMA's packets must have 256 to 16000 bytes";
    if (options.rdma_header_bytes > kMostFramingBytes) return "headers and gaps must have at most 4096 bytes";
    const DcqcnSettings& dcqcn = options.rdma.dcqcn;
    if (std::min({dcqcn.notification_ns, dcqcn.alpha_ns, dcqcn.increase_ns, dcqcn.increase_bytes, dcqcn.least_bps}) < 1)
        return "DCQCN's times, bytes and lowest rate must be more than 0";
    if (dcqcn.inverse_gain < 2) return "DCQCN's gain must be at most 1/2";
    if (options.rdma.has_dcqcn && options.link.mark_bytes == kUnlimited) return "DCQCN needs ports that mark packets";
    const bool may_lose = options.flow_control == "off" || !options.stops_switches;
    return may_lose && options.is_crossover == 0 ? "RDMA needs flow control on all links: pfc or credits" : "";
}

std::string fault_of_switches(const ScenarioOptions& options) {
    const int shapes = (options.is_crossover != 0 ? 1 : 0) + (options.sub_switch_of_host.empty() ? 0 : 1) +
                       (options.leaf_hosts != 0 ? 1 : 0) + (options.fat_tree_ports != 0 ? 1 : 0) +
                       (options.dragonfly.hosts_a_router != 0 ? 1 : 0);
    if (shapes > 1) return "give only one of: a cable, sub-switches, leaves, a fat tree, a dragonfly";
    if (options.leaf_hosts != 0 && options.spines == 0) return "leaves need spines";
    if (options.fat_tree_ports % 2 != 0 || options.fat_tree_ports > kMostFatTreePorts)
        return "switches of a fat tree must have an even number of ports, up to 128";
    if (options.fat_tree_ports != 0 && options.hosts > hosts_of_fat_tree(options.fat_tree_ports))
        return "the fat tree is too small for so many hosts";
    if (std::string fault = fault_of_dragonfly(options); !fault.empty()) return fault;
    if (options.link.burst_bytes != 0 && (options.cuts_through || options.flow_control != "off"))
        return "token buckets support neither cut-through nor PAUSE";
    if (options.flow_control != "off" && options.flow_control != "pause" && options.flow_control != "pfc" &&
        options.flow_control != "credits")
        return "flow control must be off, pause, pfc or credits";
    if (options.flow_control != "off" && options.shared_bytes != 0)
        return "with flow control each port has a buffer of its own";
    if (std::string fault = fault_of_credits(options); !fault.empty()) return fault;
    return fault_of_rdma(options);
}

std::string fault_of_numbers(const ScenarioOptions& options) {
    if (options.hosts < 1 || options.hosts > kMostHosts) return "--hosts must be 1 to 16384";
    if (options.ranks_per_host < 1 || options.ranks_per_host > kMostRanksAHost)
        return "--ranks-per-host must be 1 to 256";
    if (options.calls < 1) return "--calls must be at least 1";
    if (options.meeting != "none" && options.meeting != "dissemination" && options.meeting != "linear" &&
        options.meeting != "doubling")
        return "the barrier must be dissemination, doubling, linear or none";
    if (options.block_bytes >= (std::uint64_t{1} << 32) / (options.hosts * options.ranks_per_host))
        return "the blocks of a rank must be smaller than 4 GiB together";
    if (options.link.rate_bps < 1000 || options.uplink_bps < 1000) return "links must carry at least 1000 bit/s";
    if (options.tcp.segment_bytes < 64 || options.tcp.segment_bytes > 16000)
        return "segments must have 64 to 16000 bytes";
    const Framing& framing = options.framing;
    if (std::max({framing.header_bytes, framing.frame_bytes, framing.least_frame_bytes, framing.gap_bytes}) >
        kMostFramingBytes)
        return "headers and gaps must have at most 4096 bytes";
    if (options.mpi.header_bytes < 1) return "a message needs a header of at least 1 byte";
    if (options.tcp.send_buffer_bytes >= kMostBufferBytes || options.tcp.receive_buffer_bytes >= kMostBufferBytes)
        return "socket buffers must be smaller than 1 GiB";
    if (options.tcp.initial_window < 1) return "the initial window must be at least 1 segment";
    // With both alike each loss is followed by another (an acknowledgement that comes when it is no longer awaited).
    if (options.tcp.delayed_ack_ns >= options.tcp.least_timeout_ns)
        return "acknowledgements must be delayed for less than the minimum timeout";
    if (options.is_crossover != 0 && options.hosts != 2) return "a cable needs exactly two hosts";
    if (!options.sub_switch_of_host.empty() && options.sub_switch_of_host.size() != options.hosts)
        return "each host needs a sub-switch";
    if (!is_one_a_sub_switch(options.uplinks_bps, options) ||
        !is_one_a_sub_switch(options.uplink_buffers_bytes, options))
        return "each sub-switch needs an uplink";
    if (std::ranges::any_of(options.uplinks_bps, [](std::uint64_t bps) { return bps < 1000; }))
        return "links must carry at least 1000 bit/s";
    return fault_of_switches(options);
}

Topology topology_of(const ScenarioOptions& options) {
    const auto deep = [](std::uint64_t bytes) { return bytes == 0 ? kUnlimited : bytes; };
    if (options.is_crossover != 0) return crossover(options.link);
    Plug plug{.card = options.link, .port = options.link};
    plug.port.mark_share = static_cast<double>(options.mark_ppm) / 1e6;
    plug.card.mark_bytes = kUnlimited;
    plug.port.buffer_bytes = deep(options.shared_bytes != 0 ? 0 : options.buffer_bytes);
    const SwitchMemory memory{options.shared_bytes, static_cast<double>(options.shared_percent) / 100};
    const auto hosts = static_cast<std::uint32_t>(options.hosts);
    LinkSettings uplink = plug.port;
    uplink.rate_bps = options.uplink_bps;
    uplink.latency_ns = options.uplink_latency_ns;
    uplink.buffer_bytes = deep(options.shared_bytes != 0 ? 0 : options.uplink_buffer_bytes);
    if (options.fat_tree_ports != 0) return fat_tree(hosts, options.fat_tree_ports, plug, uplink, memory);
    if (options.dragonfly.hosts_a_router != 0) return dragonfly(hosts, options.dragonfly, plug, uplink, memory);
    if (options.leaf_hosts != 0) return leaf_spine(hosts, {options.leaf_hosts, options.spines}, plug, uplink, memory);
    if (options.sub_switch_of_host.empty()) return one_switch(hosts, plug, memory);
    std::vector<LinkSettings> uplinks(sub_switches_of(options), uplink);
    for (std::size_t i = 0; i < options.uplinks_bps.size(); ++i) uplinks[i].rate_bps = options.uplinks_bps[i];
    for (std::size_t i = 0; i < options.uplink_buffers_bytes.size(); ++i)
        uplinks[i].buffer_bytes = deep(options.shared_bytes != 0 ? 0 : options.uplink_buffers_bytes[i]);
    return switch_of_switches(options.sub_switch_of_host, plug, uplinks, memory);
}

schedule::Placement placement_of(const ScenarioOptions& options) {
    return schedule::place_in_blocks(
        std::vector<std::uint32_t>(options.hosts, static_cast<std::uint32_t>(options.ranks_per_host)));
}

std::string fault_of_candidate(const ScenarioOptions& options, const schedule::Candidate& candidate,
                               schedule::Operation operation) {
    if (!schedule::serves(*candidate.algorithm, operation))
        return std::string(candidate.algorithm->name) + " cannot do " + options.operation;
    return {};
}

// DCTCP is nothing without marks.
bool parse_congestion(const std::string& name, TcpSettings& tcp) {
    if (name == "dctcp") tcp.has_ecn = true;
    tcp.congestion = name == "dctcp" ? Congestion::dctcp : name == "reno" ? Congestion::reno : Congestion::cubic;
    return name == "cubic" || name == "reno" || name == "dctcp";
}

}  // namespace

std::string make_scenario(const ScenarioOptions& options, Scenario& scenario) {
    if (std::string fault = fault_of_numbers(options); !fault.empty()) return fault;
    bool is_known = false;
    for (const schedule::Operation operation : schedule::kOperations) {
        if (schedule::name_of(operation) != options.operation || !schedule::is_uniform(operation)) continue;
        scenario.problem.operation = operation;
        is_known = true;
    }
    if (!is_known) return "'" + options.operation + "' cannot be simulated: give alltoall or allgather";
    if (!parse(options.candidate, scenario.candidate) || scenario.candidate.is_own())
        return "'" + options.candidate + "' is not an algorithm of Clearway's";
    if (std::string fault = fault_of_candidate(options, scenario.candidate, scenario.problem.operation); !fault.empty())
        return fault;
    scenario.problem.placement = placement_of(options);
    scenario.problem.block_bytes = {options.block_bytes};
    scenario.topology = topology_of(options);
    scenario.topology.flow_seed = options.seed;
    scenario.topology.cuts_through = options.cuts_through;
    scenario.topology.arrivals_first = options.arrivals_first;
    scenario.framing = framing_of(options);
    scenario.tcp = options.tcp;
    scenario.rdma = options.rdma;
    scenario.rdma.most_copied_bytes = options.mpi.eager_bytes + options.mpi.header_bytes;
    if (options.flow_control == "credits") {
        scenario.topology.has_credits = true;
    } else if (options.flow_control != "off" || scenario.has_rdma()) {
        make_lossless(scenario.topology, scenario.framing, full_packet_bytes(options), options.stops_switches);
    }
    scenario.mpi = options.mpi;
    scenario.noise = options.noise;
    scenario.calls = static_cast<std::uint32_t>(options.calls);
    scenario.pause_ns = options.pause_ns;
    scenario.meeting.barrier = options.meeting == "linear"          ? Barrier::linear
                               : options.meeting == "doubling"      ? Barrier::doubling
                               : options.meeting == "dissemination" ? Barrier::dissemination
                                                                    : Barrier::none;
    scenario.meeting.gathers_first = options.gathers_first;
    scenario.seed = options.seed;
    if (!parse_congestion(options.congestion, scenario.tcp)) return "congestion control must be cubic, reno or dctcp";
    if (options.timeout_rule != "linux" && options.timeout_rule != "rfc6298")
        return "the timeout rule must be linux or rfc6298";
    scenario.tcp.timeout_rule = options.timeout_rule == "linux" ? TimeoutRule::linux : TimeoutRule::rfc6298;
    return {};
}

}  // namespace clearway::simulator
