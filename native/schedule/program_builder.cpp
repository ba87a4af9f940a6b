#include "schedule/program_builder.hpp"

#include <algorithm>
#include <utility>

#include "schedule/neighbour_leaves.hpp"

namespace clearway::schedule {

namespace {
constexpr std::size_t kMostDirectEdges = 2;  // a Sendrecv's two ends; beyond that a join keeps the edges few
}

void ProgramBuilder::enter_phase(std::uint32_t phase) {
    if (phase == phase_) return;
    if (latest_.size() > kMostDirectEdges) {
        const Range after{static_cast<std::uint32_t>(program_.after.size()),
                          static_cast<std::uint32_t>(latest_.size())};
        program_.after.insert(program_.after.end(), latest_.begin(), latest_.end());
        latest_ = {static_cast<std::uint32_t>(program_.steps.size())};
        program_.steps.push_back({.action = Action::join, .phase = phase_, .reads = {}, .writes = {}, .after = after});
    }
    // A phase in which this rank has nothing to do keeps the fence of an earlier one.
    if (!latest_.empty()) fence_ = std::move(latest_);
    latest_.clear();
    phase_ = phase;
}

std::uint32_t ProgramBuilder::send(std::uint32_t peer, std::span<const Slots> from, std::uint32_t after) {
    return append(Action::send, peer, from, {}, std::span(&after, 1));
}

std::uint32_t ProgramBuilder::receive(std::uint32_t peer, std::span<const Slots> into, std::uint32_t after) {
    return append(Action::receive, peer, {}, into, std::span(&after, 1));
}

std::uint32_t ProgramBuilder::copy(std::span<const Slots> from, std::span<const Slots> into, std::uint32_t after) {
    return append(Action::copy, kNoPeer, from, into, std::span(&after, 1));
}

std::uint32_t ProgramBuilder::reduce(Slots from, Slots into, std::uint32_t after, std::uint32_t and_after) {
    const std::uint32_t both[] = {after, and_after};
    return append(Action::reduce, kNoPeer, std::span(&from, 1), std::span(&into, 1), both);
}

std::uint32_t ProgramBuilder::copy_own_block() {
    const Slots from = outgoing(problem_, rank_);
    const Slots into = incoming(rank_);
    return copy(std::span(&from, 1), std::span(&into, 1));
}

std::uint32_t ProgramBuilder::reserve_scratch(std::uint32_t slots) {
    const std::uint32_t first = program_.scratch_slots;
    program_.scratch_slots += slots;
    return first;
}

Program ProgramBuilder::finish(std::uint32_t phases) {
    if (has_own_leaves_) {
        sort_leaves(program_.gives);
        sort_leaves(program_.needs);
    } else {
        add_neighbour_leaves(program_, phases);
    }
    return std::move(program_);
}

std::uint32_t ProgramBuilder::append(Action action, std::uint32_t peer, std::span<const Slots> reads,
                                     std::span<const Slots> writes, std::span<const std::uint32_t> after) {
    if (is_empty(reads) && is_empty(writes)) return kNoStep;
    Step step{
        .action = action, .phase = phase_, .peer = peer, .reads = keep(reads), .writes = keep(writes), .after = {}};
    step.after.first = static_cast<std::uint32_t>(program_.after.size());
    for (const std::uint32_t each : after) {
        if (each == kNoStep || program_.steps[each].phase != phase_) continue;
        program_.after.push_back(each);
        std::erase(latest_, each);
    }
    if (program_.after.size() == step.after.first)
        program_.after.insert(program_.after.end(), fence_.begin(), fence_.end());
    step.after.count = static_cast<std::uint32_t>(program_.after.size()) - step.after.first;
    const auto index = static_cast<std::uint32_t>(program_.steps.size());
    program_.steps.push_back(step);
    latest_.push_back(index);
    return index;
}

Range ProgramBuilder::keep(std::span<const Slots> slots) {
    const Range range{static_cast<std::uint32_t>(program_.slots.size()), static_cast<std::uint32_t>(slots.size())};
    program_.slots.insert(program_.slots.end(), slots.begin(), slots.end());
    return range;
}

bool ProgramBuilder::is_empty(std::span<const Slots> slots) const {
    return std::all_of(slots.begin(), slots.end(), [&](const Slots& run) {
        for (std::uint32_t slot = run.first; slot < run.first + run.count; ++slot)
            if (bytes_of_slot(problem_, rank_, run.buffer, slot) != 0) return false;
        return true;
    });
}

void append_slot(std::vector<Slots>& runs, Buffer buffer, std::uint32_t slot) {
    if (!runs.empty() && runs.back().buffer == buffer && runs.back().first + runs.back().count == slot) {
        ++runs.back().count;
    } else {
        runs.push_back({buffer, slot, 1});
    }
}

}  // namespace clearway::schedule
