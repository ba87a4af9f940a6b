#include "schedule/engine/step_order.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace clearway::schedule {

namespace {

// Calls visit(step, another of its phase that it waits for).
template <class Visit>
void for_each_wait(const Program& program, Visit&& visit) {
    for (std::uint32_t index = 0; index < program.steps.size(); ++index) {
        const Step& step = program.steps[index];
        for (std::uint32_t i = step.after.first; i < step.after.first + step.after.count; ++i)
            if (program.steps[program.after[i]].phase == step.phase) visit(index, program.after[i]);
    }
}

void find_dependents(const Program& program, StepOrder& order) {
    const auto steps = static_cast<std::uint32_t>(program.steps.size());
    order.waits_for.assign(steps, 0);
    order.first_dependent.assign(steps + 1, 0);
    for_each_wait(program, [&](std::uint32_t step, std::uint32_t other) {
        ++order.waits_for[step];
        ++order.first_dependent[other + 1];
    });
    for (std::uint32_t step = 0; step < steps; ++step) order.first_dependent[step + 1] += order.first_dependent[step];
    order.dependents.resize(order.first_dependent[steps]);
    std::vector<std::uint32_t> next(order.first_dependent.begin(), order.first_dependent.end() - 1);
    for_each_wait(program, [&](std::uint32_t step, std::uint32_t other) { order.dependents[next[other]++] = step; });
    if (order.dependents.empty()) order.waits_for.clear();
}

// MPI matches messages between two ranks in the order in which they were posted, so that must be the Program's.
void chain_by_peer(const Program& program, StepOrder& order) {
    std::unordered_map<std::uint64_t, std::uint32_t> latest;  // by action and peer
    order.next_with_same_peer.assign(program.steps.size(), kNoStep);
    order.follows_same_peer.assign(program.steps.size(), false);
    for (std::uint32_t index = 0; index < program.steps.size(); ++index) {
        const Step& step = program.steps[index];
        if (step.action != Action::send && step.action != Action::receive) continue;
        const std::uint64_t key = std::uint64_t{step.peer} << 1 | (step.action == Action::send ? 1U : 0U);
        const auto [before, is_first] = latest.try_emplace(key, index);
        if (is_first) continue;
        order.next_with_same_peer[before->second] = index;
        order.follows_same_peer[index] = true;
        before->second = index;
    }
}

template <class Visit>
void for_each_receive_slot(const Program& program, Range range, Visit&& visit) {
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
        const Slots& run = program.slots[i];
        if (run.buffer != Buffer::receive) continue;
        for (std::uint32_t slot = run.first; slot < run.first + run.count; ++slot) visit(slot);
    }
}

// By slot of the receive buffer: how many times the steps name it.
std::vector<std::uint32_t> uses_of_receive_slots(const Program& program) {
    std::vector<std::uint32_t> uses;
    for (const Step& step : program.steps)
        for (const Range range : {step.reads, step.writes})
            for_each_receive_slot(program, range, [&](std::uint32_t slot) {
                if (slot >= uses.size()) uses.resize(slot + 1);
                ++uses[slot];
            });
    return uses;
}

void find_early_receives(const Program& program, StepOrder& order) {
    const std::vector<std::uint32_t> uses = uses_of_receive_slots(program);
    order.may_be_early.assign(program.steps.size(), false);
    for (std::uint32_t index = 0; index < program.steps.size(); ++index) {
        const Step& step = program.steps[index];
        if (step.action != Action::receive || (!order.waits_for.empty() && order.waits_for[index] != 0)) continue;
        bool is_alone = true;
        for (std::uint32_t i = step.writes.first; i < step.writes.first + step.writes.count; ++i)
            is_alone = is_alone && program.slots[i].buffer == Buffer::receive;
        for_each_receive_slot(program, step.writes,
                              [&](std::uint32_t slot) { is_alone = is_alone && uses[slot] == 1; });
        order.may_be_early[index] = is_alone;
    }
}

}  // namespace

StepOrder order_of(const Program& program, std::uint32_t phases) {
    StepOrder order;
    find_dependents(program, order);
    chain_by_peer(program, order);
    find_early_receives(program, order);
    order.steps_in_phase.assign(phases, 0);
    for (const Step& step : program.steps) ++order.steps_in_phase[step.phase];
    for (std::uint32_t phase = 0; phase < phases; ++phase) {
        const std::uint32_t next = phase + 1 < phases ? order.steps_in_phase[phase + 1] : 0;
        order.most_open = std::max(order.most_open, std::bit_ceil(order.steps_in_phase[phase] + next));
    }
    return order;
}

}  // namespace clearway::schedule
