#include "schedule/traffic.hpp"

#include <algorithm>

namespace clearway::schedule {

namespace {

struct Load {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

// `ports` has an element for each host and direction, out and in; `traffic` takes the busiest of them.
void take_busiest(const std::vector<Load>& ports, Traffic& traffic) {
    for (const Load& port : ports) {
        traffic.port_messages = std::max(traffic.port_messages, port.messages);
        traffic.port_bytes = std::max(traffic.port_bytes, port.bytes);
    }
}

// Calls visit(phase, sender's host, receiver's host, bytes) for each message.
template <typename Visit>
void for_each_message(const Schedule& schedule, Visit&& visit) {
    const std::vector<std::uint32_t>& host_of_rank = schedule.problem.placement.host_of_rank;
    for (std::uint32_t rank = 0; rank < schedule.programs.size(); ++rank) {
        const Program& program = schedule.programs[rank];
        for (const Step& step : program.steps)
            if (step.action == Action::send)
                visit(step.phase, host_of_rank[rank], host_of_rank[step.peer],
                      bytes_of(schedule.problem, program, rank, step.reads));
    }
}

void add(Traffic& traffic, Load* ports, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    ++traffic.messages;
    if (from == to) return;
    ++traffic.crossing_messages;
    traffic.crossing_bytes += bytes;
    for (Load* port : {&ports[2 * from], &ports[2 * to + 1]}) {
        ++port->messages;
        port->bytes += bytes;
    }
}

}  // namespace

std::vector<Traffic> traffic_by_phase(const Schedule& schedule) {
    const std::size_t ports_a_phase = 2 * std::size_t{hosts_of(schedule.problem.placement)};
    std::vector<Traffic> phases(schedule.phases);
    std::vector<Load> ports(ports_a_phase * schedule.phases);
    for_each_message(schedule, [&](std::uint32_t phase, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
        add(phases[phase], &ports[phase * ports_a_phase], from, to, bytes);
    });
    for (std::uint32_t phase = 0; phase < schedule.phases; ++phase) {
        const auto first = ports.begin() + static_cast<std::ptrdiff_t>(phase * ports_a_phase);
        take_busiest({first, first + static_cast<std::ptrdiff_t>(ports_a_phase)}, phases[phase]);
    }
    return phases;
}

Traffic traffic_of(const Schedule& schedule) {
    Traffic traffic;
    std::vector<Load> ports(2 * std::size_t{hosts_of(schedule.problem.placement)});
    for_each_message(schedule, [&](std::uint32_t, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
        add(traffic, ports.data(), from, to, bytes);
    });
    take_busiest(ports, traffic);
    return traffic;
}

}  // namespace clearway::schedule
