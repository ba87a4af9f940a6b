// Runs a Schedule on real bytes, one step after another in an order drawn by chance: a second opinion on the checker,
// which shares no code with it. No message is buffered: it moves when both of its ends have begun.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "schedule/schedule.hpp"

namespace clearway::schedule {

enum class Outcome { right, wrong, hangs };

class ByteRun {
public:
    ByteRun(const Schedule& schedule, std::uint32_t seed)
        : schedule_(schedule), problem_(schedule.problem), random_(seed) {
        const std::uint32_t ranks = ranks_of(problem_);
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            Rank state;
            const Program& program = schedule.programs[rank];
            for (const Buffer buffer : {Buffer::send, Buffer::receive, Buffer::scratch})
                for (std::uint32_t slot = 0; slot < slots_in(problem_, program, buffer); ++slot)
                    state.bytes[static_cast<int>(buffer)].emplace_back(bytes_of_slot(problem_, rank, buffer, slot), 0);
            auto& send = state.bytes[0];
            for (std::uint32_t slot = 0; slot < send.size(); ++slot)
                for (std::size_t i = 0; i < send[slot].size(); ++i) send[slot][i] = byte_of(rank, slot, i);
            state.begun.assign(program.steps.size(), false);
            state.ended.assign(program.steps.size(), false);
            ranks_.push_back(std::move(state));
        }
        match();
    }

    Outcome run() {
        for (;;) {
            std::vector<std::pair<std::uint32_t, std::uint32_t>> possible;
            for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
                for (std::uint32_t index = 0; index < ranks_[rank].begun.size(); ++index)
                    if (!ranks_[rank].begun[index] && may_begin(rank, index)) possible.emplace_back(rank, index);
            if (possible.empty()) break;
            const auto [rank, index] = possible[random_() % possible.size()];
            begin(rank, index);
        }
        for (const Rank& rank : ranks_)
            if (std::ranges::find(rank.ended, false) != rank.ended.end()) return Outcome::hangs;
        return is_right() ? Outcome::right : Outcome::wrong;
    }

private:
    struct Rank {
        std::vector<std::vector<std::uint8_t>> bytes[3];  // by buffer, by slot
        std::vector<bool> begun;
        std::vector<bool> ended;
        std::vector<std::uint32_t> partner;
    };
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    // Never 0, which stands for a byte that never came.
    static std::uint8_t byte_of(std::uint32_t origin, std::uint32_t slot, std::size_t i) {
        return static_cast<std::uint8_t>(1 + (origin * 131 + slot * 31 + i * 7) % 251);
    }

    void match() {
        std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> receives;
        for (const Action action : {Action::receive, Action::send}) {
            for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
                const std::vector<Step>& steps = schedule_.programs[rank].steps;
                ranks_[rank].partner.resize(steps.size(), kNone);
                std::map<std::uint32_t, std::uint32_t> count;
                for (std::uint32_t index = 0; index < steps.size(); ++index) {
                    if (steps[index].action != action) continue;
                    const std::uint32_t peer = steps[index].peer;
                    const std::uint32_t k = count[peer]++;
                    if (action == Action::receive) {
                        receives[{peer, rank, k}] = index;
                    } else if (const auto found = receives.find({rank, peer, k}); found != receives.end()) {
                        ranks_[rank].partner[index] = found->second;
                        ranks_[peer].partner[found->second] = index;
                    }
                }
            }
        }
    }

    bool may_begin(std::uint32_t rank, std::uint32_t index) const {
        const Program& program = schedule_.programs[rank];
        const Range after = program.steps[index].after;
        for (std::uint32_t i = after.first; i < after.first + after.count; ++i)
            if (!ranks_[rank].ended[program.after[i]]) return false;
        return true;
    }

    void begin(std::uint32_t rank, std::uint32_t index) {
        ranks_[rank].begun[index] = true;
        const Step& step = schedule_.programs[rank].steps[index];
        if (step.action == Action::copy) move(rank, index, rank, index);
        if (step.action == Action::reduce) combine(rank, step);
        if (step.action != Action::send && step.action != Action::receive) {
            ranks_[rank].ended[index] = true;
            return;
        }
        const std::uint32_t other = ranks_[rank].partner[index];
        if (other == kNone || !ranks_[step.peer].begun[other]) return;
        if (step.action == Action::send) {
            move(rank, index, step.peer, other);
        } else {
            move(step.peer, other, rank, index);
        }
        ranks_[rank].ended[index] = true;
        ranks_[step.peer].ended[other] = true;
    }

    void move(std::uint32_t from, std::uint32_t from_index, std::uint32_t into, std::uint32_t into_index) {
        std::vector<std::uint8_t> wire;
        for_each(from, schedule_.programs[from].steps[from_index].reads,
                 [&](std::vector<std::uint8_t>& slot) { wire.insert(wire.end(), slot.begin(), slot.end()); });
        std::size_t at = 0;
        for_each(into, schedule_.programs[into].steps[into_index].writes, [&](std::vector<std::uint8_t>& slot) {
            const std::size_t bytes = std::min(slot.size(), wire.size() - at);
            std::copy_n(wire.begin() + static_cast<std::ptrdiff_t>(at), bytes, slot.begin());
            at += bytes;
        });
    }

    // Sums of bytes: each part must be in once. Of a barrier the largest stands for all.
    std::uint8_t combined(std::uint8_t a, std::uint8_t b) const {
        return problem_.operation == Operation::barrier ? std::max(a, b) : static_cast<std::uint8_t>(a + b);
    }

    void combine(std::uint32_t rank, const Step& step) {
        std::vector<std::uint8_t> read;
        for_each(rank, step.reads,
                 [&](std::vector<std::uint8_t>& slot) { read.insert(read.end(), slot.begin(), slot.end()); });
        std::size_t at = 0;
        for_each(rank, step.writes, [&](std::vector<std::uint8_t>& slot) {
            for (std::size_t i = 0; i < slot.size() && at < read.size(); ++i, ++at)
                slot[i] = combined(slot[i], read[at]);
        });
    }

    template <typename Visit>
    void for_each(std::uint32_t rank, Range range, Visit&& visit) {
        for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
            const Slots& slots = schedule_.programs[rank].slots[i];
            for (std::uint32_t slot = slots.first; slot < slots.first + slots.count; ++slot)
                visit(ranks_[rank].bytes[static_cast<int>(slots.buffer)][slot]);
        }
    }

    std::uint8_t promised(std::uint32_t rank, std::uint32_t slot, std::size_t i) const {
        if (problem_.operation == Operation::bcast) return byte_of(problem_.root, slot, i);
        if (!is_reduction(problem_.operation)) return byte_of(slot, is_allgather(problem_.operation) ? 0 : rank, i);
        const std::uint32_t block = problem_.operation == Operation::reduce_scatter ? rank : slot;
        std::uint8_t all = byte_of(0, block, i);
        for (std::uint32_t origin = 1; origin < ranks_.size(); ++origin) all = combined(all, byte_of(origin, block, i));
        return all;
    }

    bool is_right() const {
        for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
            const auto& received = ranks_[rank].bytes[static_cast<int>(Buffer::receive)];
            for (std::uint32_t slot = 0; slot < received.size(); ++slot)
                for (std::size_t i = 0; i < received[slot].size(); ++i)
                    if (received[slot][i] != promised(rank, slot, i)) return false;
        }
        return true;
    }

    const Schedule& schedule_;
    const Problem& problem_;
    std::mt19937 random_;
    std::vector<Rank> ranks_;
};

}  // namespace clearway::schedule
