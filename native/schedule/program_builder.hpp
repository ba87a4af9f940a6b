// Writes one rank's Program phase by phase. Every step of a phase comes after all of the phase before, so an algorithm
// names only the order inside a phase. Messages without bytes are left out, on both sides alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/schedule.hpp"

namespace clearway::schedule {

class ProgramBuilder {
public:
    ProgramBuilder(const Problem& problem, std::uint32_t rank) : problem_(problem), rank_(rank) {
        program_.rank = rank;
    }

    // Phases are entered in ascending order; the first one is 0 and needs no call.
    void enter_phase(std::uint32_t phase);

    // Each returns the step's index, or kNoStep.
    std::uint32_t send(std::uint32_t peer, std::span<const Slots> from, std::uint32_t after = kNoStep);
    std::uint32_t receive(std::uint32_t peer, std::span<const Slots> into, std::uint32_t after = kNoStep);
    std::uint32_t copy(std::span<const Slots> from, std::span<const Slots> into, std::uint32_t after = kNoStep);

    // Combines slot by slot; what is combined into must be there. After both of two steps of this phase.
    std::uint32_t reduce(Slots from, Slots into, std::uint32_t after, std::uint32_t and_after = kNoStep);

    std::uint32_t copy(Slots from, Slots into) { return copy(std::span(&from, 1), std::span(&into, 1)); }
    std::uint32_t send(std::uint32_t peer, Slots from) { return send(peer, std::span(&from, 1)); }
    std::uint32_t receive(std::uint32_t peer, Slots into) { return receive(peer, std::span(&into, 1)); }

    // The rank's block for itself.
    std::uint32_t copy_own_block();

    // Scratch slots that the Program needs; returns the first of them.
    std::uint32_t reserve_scratch(std::uint32_t slots);

    // For algorithms that know better who must hear from whom than neighbour_leaves.hpp does.
    void give_leave(std::uint32_t phase, std::uint32_t peer) { program_.gives.push_back({phase, peer}); }
    void need_leave(std::uint32_t phase, std::uint32_t peer) { program_.needs.push_back({phase, peer}); }
    void use_own_leaves() { has_own_leaves_ = true; }

    // The Program with its leaves; `phases` is the Schedule's number of phases.
    Program finish(std::uint32_t phases);

private:
    std::uint32_t append(Action action, std::uint32_t peer, std::span<const Slots> reads, std::span<const Slots> writes,
                         std::span<const std::uint32_t> after);
    Range keep(std::span<const Slots> slots);
    bool is_empty(std::span<const Slots> slots) const;

    const Problem& problem_;
    const std::uint32_t rank_;
    Program program_;
    std::uint32_t phase_ = 0;
    bool has_own_leaves_ = false;
    std::vector<std::uint32_t> fence_;   // what every step of this phase comes after
    std::vector<std::uint32_t> latest_;  // steps of this phase that none of this phase comes after
};

// Where the blocks of a direct message stand: rank's own for `peer`, and the place of peer's.
inline Slots outgoing(const Problem& problem, std::uint32_t peer) {
    return {Buffer::send, is_allgather(problem.operation) ? 0 : peer, 1};
}
inline Slots incoming(std::uint32_t peer) { return {Buffer::receive, peer, 1}; }

// Appends one slot to a list of runs, lengthening the last run where it can.
void append_slot(std::vector<Slots>& runs, Buffer buffer, std::uint32_t slot);

}  // namespace clearway::schedule
