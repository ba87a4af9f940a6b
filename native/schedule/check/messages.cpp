// The k-th send of a rank to a peer meets the k-th receive of that peer from the rank.
#include <algorithm>

#include "schedule/check/parts.hpp"

namespace clearway::schedule {

namespace {

struct End {
    std::uint32_t from;
    std::uint32_t to;
    StepId id;
};

// Ascending by sender and receiver; ends of one pair stay in the order of their Program.
std::vector<End> ends(const Schedule& schedule, Action action) {
    std::vector<End> found;
    for (std::uint32_t rank = 0; rank < schedule.programs.size(); ++rank) {
        const std::vector<Step>& steps = schedule.programs[rank].steps;
        for (std::uint32_t index = 0; index < steps.size(); ++index) {
            if (steps[index].action != action) continue;
            const std::uint32_t peer = steps[index].peer;
            const bool sends = action == Action::send;
            found.push_back({sends ? rank : peer, sends ? peer : rank, {rank, index}});
        }
    }
    std::ranges::stable_sort(
        found, [](const End& a, const End& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
    return found;
}

std::uint64_t bytes_at(const Schedule& schedule, StepId id) {
    const Step& step = step_at(schedule, id);
    const Range slots = step.action == Action::send ? step.reads : step.writes;
    return bytes_of(schedule.problem, schedule.programs[id.rank], id.rank, slots);
}

void compare(const Schedule& schedule, const Message& message, Findings& findings) {
    const std::uint64_t sent = bytes_at(schedule, message.send);
    const std::uint64_t expected = bytes_at(schedule, message.receive);
    if (sent != expected)
        findings.add(Fault::size, [&] {
            return words_of(schedule, message.send) + " has " + std::to_string(sent) + " bytes, its receiver expects " +
                   std::to_string(expected);
        });
    if (step_at(schedule, message.send).phase != step_at(schedule, message.receive).phase)
        findings.add(Fault::phase, [&] {
            return words_of(schedule, message.send) + " is received in phase " +
                   std::to_string(step_at(schedule, message.receive).phase);
        });
}

}  // namespace

std::string words_of(const Schedule& schedule, StepId id) {
    const Step& step = step_at(schedule, id);
    std::string words = "rank " + std::to_string(id.rank) + "'s ";
    switch (step.action) {
        case Action::send:
            words += "send to rank " + std::to_string(step.peer);
            break;
        case Action::receive:
            words += "receive from rank " + std::to_string(step.peer);
            break;
        case Action::copy:
            words += "copy";
            break;
        case Action::reduce:
            words += "reduce";
            break;
        case Action::join:
            words += "join";
            break;
    }
    return words + " in phase " + std::to_string(step.phase);
}

std::vector<Message> match_messages(const Schedule& schedule, Findings& findings) {
    const std::vector<End> sends = ends(schedule, Action::send);
    const std::vector<End> receives = ends(schedule, Action::receive);
    std::vector<Message> messages;
    messages.reserve(sends.size());
    const auto lone = [&](StepId id, const char* lacks) {
        findings.add(Fault::unmatched, [&] { return words_of(schedule, id) + lacks; });
    };
    std::size_t s = 0;
    std::size_t r = 0;
    const auto before = [](const End& a, const End& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; };
    while (s < sends.size() || r < receives.size()) {
        if (r == receives.size() || (s < sends.size() && before(sends[s], receives[r]))) {
            lone(sends[s++].id, " is never received");
        } else if (s == sends.size() || before(receives[r], sends[s])) {
            lone(receives[r++].id, " has no message");
        } else {
            messages.push_back({sends[s++].id, receives[r++].id});
            compare(schedule, messages.back(), findings);
        }
    }
    return messages;
}

}  // namespace clearway::schedule
