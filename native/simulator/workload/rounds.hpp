// Writes a Runnable round by round. What belongs to one round may happen in any order; rounds follow each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/mpi/rank_call.hpp"

namespace clearway::simulator {

class Rounds {
public:
    explicit Rounds(std::uint32_t rank) { program_.rank = rank; }

    void next() { ++round_; }
    void send(std::uint32_t peer, std::uint64_t bytes) { add(schedule::Action::send, peer, bytes); }
    void receive(std::uint32_t peer, std::uint64_t bytes) { add(schedule::Action::receive, peer, bytes); }
    void exchange(std::uint32_t peer, std::uint64_t bytes) {
        receive(peer, bytes);
        send(peer, bytes);
    }

    Runnable finish(schedule::Gate gate = schedule::Gate::none) {
        Runnable runnable{std::move(program_), {}, std::move(bytes_), round_ + 1, {.gate = gate}};
        runnable.order = order_of(runnable.program, runnable.phases);
        return runnable;
    }

private:
    // A message of a collective operation is sent even where it is empty: the other side waits for it.
    void add(schedule::Action action, std::uint32_t peer, std::uint64_t bytes) {
        program_.steps.push_back(
            {.action = action, .phase = round_, .peer = peer, .reads = {}, .writes = {}, .after = {}});
        bytes_.push_back(std::max<std::uint64_t>(bytes, 1));
    }

    schedule::Program program_;
    std::vector<std::uint64_t> bytes_;
    std::uint32_t round_ = 0;
};

}  // namespace clearway::simulator
