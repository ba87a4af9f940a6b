// Whether every index of a Schedule points somewhere: what comes from outside must not lead the other parts astray.
#include <algorithm>
#include <functional>

#include "schedule/check/parts.hpp"

namespace clearway::schedule {

namespace {

bool lies_in(Range range, std::size_t size) { return range.first <= size && range.count <= size - range.first; }

std::string fault_of_slots(const Problem& problem, const Program& program, Range range, bool written) {
    if (!lies_in(range, program.slots.size())) return "names slots that its Program does not have";
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
        const Slots& slots = program.slots[i];
        const std::uint32_t size = slots_in(problem, program, slots.buffer);
        if (slots.first > size || slots.count > size - slots.first) return "reaches beyond the end of a buffer";
        if (written && slots.buffer == Buffer::send) return "writes to the caller's send buffer";
    }
    return {};
}

std::string fault_of_step(const Schedule& schedule, std::uint32_t rank, std::uint32_t index) {
    const Program& program = schedule.programs[rank];
    const Step& step = program.steps[index];
    const bool is_message = step.action == Action::send || step.action == Action::receive;
    if (is_message && step.peer >= schedule.programs.size()) return "has a peer that does not exist";
    if (is_message && step.peer == rank) return "is a message to itself";
    if (step.phase >= schedule.phases) return "is in a phase beyond the last";
    if (index > 0 && step.phase < program.steps[index - 1].phase) return "stands behind a step of a later phase";
    if (!lies_in(step.after, program.after.size())) return "names steps before it that its Program does not list";
    for (std::uint32_t i = step.after.first; i < step.after.first + step.after.count; ++i)
        if (program.after[i] >= index) return "comes after a step that does not stand before it";
    if (std::string fault = fault_of_slots(schedule.problem, program, step.reads, false); !fault.empty()) return fault;
    if (std::string fault = fault_of_slots(schedule.problem, program, step.writes, true); !fault.empty()) return fault;
    const bool is_inside = step.action == Action::copy || step.action == Action::reduce;
    if (!is_inside && step.action != Action::send && step.reads.count != 0)
        return "reads, though it neither sends nor copies";
    if (!is_inside && step.action != Action::receive && step.writes.count != 0)
        return "writes, though it neither receives nor copies";
    if (step.action == Action::reduce && !is_reduction(schedule.problem.operation))
        return "combines blocks of an operation that only moves them";
    return {};
}

std::string fault_of_leaves(const Schedule& schedule, const std::vector<Leave>& leaves) {
    for (const Leave& leave : leaves) {
        if (leave.peer >= schedule.programs.size()) return "has a leave with a peer that does not exist";
        if (leave.phase >= schedule.phases) return "has a leave about a phase beyond the last";
    }
    if (std::ranges::adjacent_find(leaves, std::greater_equal()) != leaves.end())
        return "has leaves that do not ascend";
    return {};
}

}  // namespace

void check_form(const Schedule& schedule, Findings& findings) {
    for (const std::string& fault : {fault_of(schedule.problem), fault_of(schedule.separation)})
        if (!fault.empty()) return findings.add(Fault::malformed, [&] { return fault; });
    if (schedule.programs.size() != ranks_of(schedule.problem))
        return findings.add(Fault::malformed, [&] {
            return "there are " + std::to_string(schedule.programs.size()) + " Programs for " +
                   std::to_string(ranks_of(schedule.problem)) + " ranks";
        });
    for (std::uint32_t rank = 0; rank < schedule.programs.size(); ++rank) {
        const Program& program = schedule.programs[rank];
        const Operation operation = schedule.problem.operation;
        if (program.scratch_slots != 0 && !is_uniform(operation) && !is_on_vector(operation))
            findings.add(Fault::malformed, [&] {
                return "rank " + std::to_string(rank) + " keeps blocks of unequal size in scratch slots";
            });
        for (const auto* leaves : {&program.gives, &program.needs})
            if (const std::string fault = fault_of_leaves(schedule, *leaves); !fault.empty())
                findings.add(Fault::malformed, [&] { return "rank " + std::to_string(rank) + " " + fault; });
        for (std::uint32_t index = 0; index < program.steps.size(); ++index)
            if (const std::string fault = fault_of_step(schedule, rank, index); !fault.empty())
                findings.add(Fault::malformed, [&] {
                    return "step " + std::to_string(index) + " of rank " + std::to_string(rank) + " " + fault;
                });
    }
}

}  // namespace clearway::schedule
