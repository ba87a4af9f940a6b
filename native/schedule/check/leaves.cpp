#include "schedule/check/parts.hpp"

#include <algorithm>
#include <compare>
#include <iterator>
#include <string>
#include <vector>

namespace clearway::schedule {

namespace {

struct Given {
    std::uint32_t giver;
    std::uint32_t phase;
    std::uint32_t receiver;
    auto operator<=>(const Given&) const = default;
};

std::string words_of(const Given& given) {
    return "the leave of rank " + std::to_string(given.giver) + " to rank " + std::to_string(given.receiver) +
           " at the end of phase " + std::to_string(given.phase);
}

}  // namespace

void check_leaves(const Schedule& schedule, Findings& findings) {
    if (schedule.separation.gate != Gate::token) return;
    std::vector<Given> given;
    std::vector<Given> needed;
    for (std::uint32_t rank = 0; rank < schedule.programs.size(); ++rank) {
        for (const Leave& leave : schedule.programs[rank].gives) given.push_back({rank, leave.phase, leave.peer});
        for (const Leave& leave : schedule.programs[rank].needs) needed.push_back({leave.peer, leave.phase, rank});
    }
    std::ranges::sort(given);
    std::ranges::sort(needed);
    std::vector<Given> lonely;
    std::ranges::set_difference(given, needed, std::back_inserter(lonely));
    for (const Given& one : lonely)
        findings.add(Fault::unmatched, [&] { return words_of(one) + " is given and not expected"; });
    lonely.clear();
    std::ranges::set_difference(needed, given, std::back_inserter(lonely));
    for (const Given& one : lonely)
        findings.add(Fault::unmatched, [&] { return words_of(one) + " is waited for and never given"; });
}

}  // namespace clearway::schedule
