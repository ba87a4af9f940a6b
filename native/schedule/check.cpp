#include "schedule/check.hpp"

#include "schedule/check/findings.hpp"
#include "schedule/check/parts.hpp"

namespace clearway::schedule {

std::string_view name_of(Fault fault) {
    static constexpr std::string_view kNames[kFaults] = {"malformed", "unmatched", "size",  "phase",
                                                         "race",      "deadlock",  "unset", "misplaced",
                                                         "missing",   "twice",     "port"};
    return kNames[static_cast<std::size_t>(fault)];
}

std::vector<Violation> check(const Schedule& schedule) {
    Findings findings;
    check_form(schedule, findings);
    if (!findings.empty()) return findings.finish();
    const std::vector<Message> messages = match_messages(schedule, findings);
    check_leaves(schedule, findings);
    check_races(schedule, findings);
    check_run(schedule, messages, findings);
    check_ports(schedule, messages, findings);
    return findings.finish();
}

}  // namespace clearway::schedule
