#include "schedule/command/json.hpp"

#include <cinttypes>
#include <string>

#include "schedule/algorithms.hpp"
#include "schedule/check.hpp"
#include "schedule/traffic.hpp"

namespace clearway::schedule {

namespace {

// All text is the program's own: names and sentences without a character that JSON would have to escape.
std::string quoted(std::string_view text) { return std::string("\"").append(text).append("\""); }

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

void print_traffic(const Traffic& traffic, std::FILE* out) {
    std::fprintf(out,
                 "{\"messages\":%" PRIu64 ",\"crossing_messages\":%" PRIu64 ",\"crossing_bytes\":%" PRIu64
                 ",\"port_messages\":%" PRIu64 ",\"port_bytes\":%" PRIu64 "}",
                 traffic.messages, traffic.crossing_messages, traffic.crossing_bytes, traffic.port_messages,
                 traffic.port_bytes);
}

// [phase, sender, receiver, bytes]
void print_messages(const Schedule& schedule, std::FILE* out) {
    const char* comma = "";
    std::fputs(",\"sends\":[", out);
    for (std::uint32_t rank = 0; rank < schedule.programs.size(); ++rank) {
        const Program& program = schedule.programs[rank];
        for (const Step& step : program.steps) {
            if (step.action != Action::send) continue;
            const std::uint64_t bytes = bytes_of(schedule.problem, program, rank, step.reads);
            std::fprintf(out, "%s[%u,%u,%u,%" PRIu64 "]", comma, step.phase, rank, step.peer, bytes);
            comma = ",";
        }
    }
    std::fputs("]", out);
}

void print_violations(const Schedule& schedule, std::FILE* out) {
    const char* comma = "";
    std::fputs(",\"violations\":[", out);
    for (const Violation& violation : check(schedule)) {
        std::fprintf(out, "%s{\"fault\":%s,\"sentence\":%s}", comma, quoted(name_of(violation.fault)).c_str(),
                     quoted(violation.sentence).c_str());
        comma = ",";
    }
    std::fputs("]", out);
}

}  // namespace

void print_algorithms(std::FILE* out) {
    const char* comma = "[";
    for (const Algorithm& algorithm : algorithms()) {
        std::fprintf(out, "%s{\"name\":%s,\"summary\":%s,\"operations\":[", comma, quoted(algorithm.name).c_str(),
                     quoted(algorithm.summary).c_str());
        const char* inner = "";
        for (const Operation operation : algorithm.operations) {
            std::fprintf(out, "%s%s", inner, quoted(name_of(operation)).c_str());
            inner = ",";
        }
        std::fputs("]}", out);
        comma = ",\n";
    }
    std::fputs("]\n", out);
}

void print_schedule(const Schedule& schedule, bool with_messages, bool with_check, std::FILE* out) {
    std::fprintf(out, "{\"algorithm\":%s,\"operation\":%s,\"gate\":%s,\"port_use\":%s,\"total\":",
                 quoted(schedule.algorithm).c_str(), quoted(name_of(schedule.problem.operation)).c_str(),
                 quoted(name_of(schedule.separation.gate)).c_str(), quoted(name_of(schedule.port_use)).c_str());
    print_traffic(traffic_of(schedule), out);
    const char* comma = "";
    std::fputs(",\"phases\":[", out);
    for (const Traffic& traffic : traffic_by_phase(schedule)) {
        std::fputs(comma, out);
        print_traffic(traffic, out);
        comma = ",";
    }
    std::fputs("]", out);
    if (with_messages) print_messages(schedule, out);
    if (with_check) print_violations(schedule, out);
    std::fputs("}\n", out);
}

}  // namespace clearway::schedule
