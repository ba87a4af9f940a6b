// What each host's network port carries in each phase, held against the algorithm's promise.
#include "schedule/check/parts.hpp"

namespace clearway::schedule {

namespace {

constexpr std::uint32_t kNoHost = ~std::uint32_t{0};

// One direction of a port during one phase.
struct Lane {
    std::uint32_t messages = 0;
    std::uint32_t other_host = kNoHost;
    bool several_hosts = false;
};

void take(Lane& lane, std::uint32_t other_host) {
    ++lane.messages;
    if (lane.other_host != kNoHost && lane.other_host != other_host) lane.several_hosts = true;
    lane.other_host = other_host;
}

void judge(PortUse promise, const Lane& lane, std::uint32_t host, std::uint32_t phase, const char* direction,
           Findings& findings) {
    const auto where = [&] {
        return "in phase " + std::to_string(phase) + " the port of host " + std::to_string(host) + " " + direction;
    };
    if (promise == PortUse::one_message && lane.messages > 1)
        findings.add(Fault::port, [&] {
            return where() + " " + std::to_string(lane.messages) + " messages; the algorithm promises one";
        });
    if (promise == PortUse::one_host && lane.several_hosts)
        findings.add(Fault::port,
                     [&] { return where() + " messages of several hosts; the algorithm promises those of one"; });
}

}  // namespace

void check_ports(const Schedule& schedule, const std::vector<Message>& messages, Findings& findings) {
    if (schedule.port_use == PortUse::any) return;
    const std::vector<std::uint32_t>& host_of_rank = schedule.problem.placement.host_of_rank;
    const std::size_t hosts = hosts_of(schedule.problem.placement);
    std::vector<Lane> out(hosts * schedule.phases);
    std::vector<Lane> in(hosts * schedule.phases);
    for (const Message& message : messages) {
        const std::uint32_t sender = host_of_rank[message.send.rank];
        const std::uint32_t receiver = host_of_rank[message.receive.rank];
        if (sender == receiver) continue;
        take(out[step_at(schedule, message.send).phase * hosts + sender], receiver);
        take(in[step_at(schedule, message.receive).phase * hosts + receiver], sender);
    }
    for (std::uint32_t phase = 0; phase < schedule.phases; ++phase)
        for (std::uint32_t host = 0; host < hosts; ++host) {
            judge(schedule.port_use, out[phase * hosts + host], host, phase, "sends", findings);
            judge(schedule.port_use, in[phase * hosts + host], host, phase, "receives", findings);
        }
}

}  // namespace clearway::schedule
