// What the engine wants to know of a Program besides its steps: who waits for whom, and which receives may be posted
// before their turn.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"

namespace clearway::schedule {

// Of the steps before it in its own phase: those of the phases before have ended anyway.
struct StepOrder {
    std::vector<std::uint32_t> waits_for;        // by step: how many of them must end first; empty where none must
    std::vector<std::uint32_t> first_dependent;  // by step, and one more: range of `dependents`
    std::vector<std::uint32_t> dependents;
    std::vector<std::uint32_t> next_with_same_peer;  // by step: the next send to, or receive from, its peer; kNoStep
    std::vector<bool> follows_same_peer;             // by step: whether there is one before
    // By step: a receive into a slot that no other step touches. It may be posted early, so that the message finds
    // its buffer: then neither a copy nor a rendezvous's round trip delays it. It waits for nothing of its own phase:
    // what comes after it comes after that too, though it may end before it.
    std::vector<bool> may_be_early;
    std::vector<std::uint32_t> steps_in_phase;
    // A power of two, and no smaller than the number of steps of any two phases in a row: so many are open at a time.
    std::uint32_t most_open = 1;

    std::uint32_t phases() const { return static_cast<std::uint32_t>(steps_in_phase.size()); }
};

StepOrder order_of(const Program& program, std::uint32_t phases);

}  // namespace clearway::schedule
