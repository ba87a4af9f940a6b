// The parts of the proof; check.cpp puts them together. All but check_form rely on well-formed Programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/check/findings.hpp"
#include "schedule/schedule.hpp"

namespace clearway::schedule {

// A step of a rank, in the whole Schedule.
struct StepId {
    std::uint32_t rank;
    std::uint32_t index;
};

struct Message {
    StepId send;
    StepId receive;
};

inline const Step& step_at(const Schedule& schedule, StepId id) { return schedule.programs[id.rank].steps[id.index]; }

// "rank 3's send to rank 1 in phase 2"
std::string words_of(const Schedule& schedule, StepId id);

void check_form(const Schedule& schedule, Findings& findings);

// Pairs the ends of messages; finds unmatched ends, and pairs that differ in bytes or phase.
std::vector<Message> match_messages(const Schedule& schedule, Findings& findings);

// Finds leaves that only one end knows of.
void check_leaves(const Schedule& schedule, Findings& findings);

void check_races(const Schedule& schedule, Findings& findings);

// Runs the Schedule on symbols: deadlock, and what stands in each receive buffer at the end.
void check_run(const Schedule& schedule, const std::vector<Message>& messages, Findings& findings);

void check_ports(const Schedule& schedule, const std::vector<Message>& messages, Findings& findings);

}  // namespace clearway::schedule
