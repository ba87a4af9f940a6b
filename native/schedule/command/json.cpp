#include "schedule/command/json.hpp"

#include <string_view>

#include "command_line/json.hpp"
#include "schedule/algorithms.hpp"
#include "schedule/check.hpp"
#include "schedule/traffic.hpp"

namespace clearway::schedule {

namespace {

using command_line::Json;

std::string_view name_of(PortUse use) {
    switch (use) {
        case PortUse::any:
            return "any";
        case PortUse::one_host:
            return "one_host";
        case PortUse::one_message:
            return "one_message";
    }
    return "";
}

void print_traffic(const Traffic& traffic, Json& json) {
    json.object([&] {
        json.member("messages", traffic.messages);
        json.member("crossing_messages", traffic.crossing_messages);
        json.member("crossing_bytes", traffic.crossing_bytes);
        json.member("port_messages", traffic.port_messages);
        json.member("port_bytes", traffic.port_bytes);
    });
}

// [phase, sender, receiver, bytes]
void print_messages(const Schedule& schedule, Json& json) {
    for (std::uint32_t rank = 0; rank < schedule.programs.size(); ++rank) {
        const Program& program = schedule.programs[rank];
        for (const Step& step : program.steps) {
            if (step.action != Action::send) continue;
            json.list([&] {
                json.value(step.phase);
                json.value(rank);
                json.value(step.peer);
                json.value(bytes_of(schedule.problem, program, rank, step.reads));
            });
        }
    }
}

void print_violations(const Schedule& schedule, Json& json) {
    for (const Violation& violation : check(schedule))
        json.object([&] {
            json.member("fault", name_of(violation.fault));
            json.member("sentence", violation.sentence);
        });
}

}  // namespace

void print_algorithms(std::FILE* out) {
    Json json(out);
    json.list([&] {
        for (const Algorithm& algorithm : algorithms())
            json.object([&] {
                json.member("name", algorithm.name);
                json.member("summary", algorithm.summary);
                json.key("operations");
                json.list([&] {
                    for (const Operation operation : algorithm.operations) json.value(name_of(operation));
                });
            });
    });
    json.end_line();
}

void print_schedule(const Schedule& schedule, bool with_messages, bool with_check, std::FILE* out) {
    Json json(out);
    json.object([&] {
        json.member("algorithm", schedule.algorithm);
        json.member("operation", name_of(schedule.problem.operation));
        json.member("gate", name_of(schedule.separation.gate));
        json.member("port_use", name_of(schedule.port_use));
        json.key("total");
        print_traffic(traffic_of(schedule), json);
        json.key("phases");
        json.list([&] {
            for (const Traffic& traffic : traffic_by_phase(schedule)) print_traffic(traffic, json);
        });
        if (with_messages) {
            json.key("sends");
            json.list([&] { print_messages(schedule, json); });
        }
        if (with_check) {
            json.key("violations");
            json.list([&] { print_violations(schedule, json); });
        }
    });
    json.end_line();
}

}  // namespace clearway::schedule
