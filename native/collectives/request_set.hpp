// The requests of a call that are under way, each with a word on what it is for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/own_mpi.hpp"

namespace clearway::collectives {

enum class Purpose : std::uint8_t {
    send,
    receive,
    give_leave,
    await_leave,
    give_credit,
    await_credit,
    barrier,
    given_up,  // a chunk that will not come
};

struct Pending {
    Purpose purpose;
    bool is_short = false;      // less came than there was room for
    std::uint32_t subject = 0;  // a step, or a phase
    std::uint32_t bytes = 0;    // of a message's chunk; of one that has ended, what came
    std::uint32_t chunk = 0;
};

class RequestSet {
public:
    explicit RequestSet(const OwnMpi& mpi) : mpi_(mpi) {}

    // No more memory is wanted while so many requests are under way.
    void reserve(std::size_t requests);

    bool empty() const { return pending_.empty(); }

    // Where the next request's handle goes; `keep` makes it one of the set, once the call that fills it succeeded.
    Arg next_handle();
    void keep(const Pending& pending) { pending_.push_back(pending); }

    // Takes the requests that have ended out of the set and adds them to `ended`; `wait` blocks until there is one.
    // Returns an MPI error code.
    int take_ended(bool wait, std::vector<Pending>& ended);

    // Chunks of a message behind `last`, which is its last: nothing will come for them.
    void give_up_chunks_behind(std::uint32_t subject, std::uint32_t last);

    // Gives up on all that is under way, after an error.
    void abandon();

private:
    int error_in_statuses(int code, int count) const;
    void note_bytes(std::span<const int> indices);
    void remove(std::span<int> indices, std::vector<Pending>& ended);

    const OwnMpi& mpi_;
    std::vector<std::byte> handles_;  // of pending_, in the same order; there may be room for more
    std::vector<Pending> pending_;
    std::vector<int> indices_;
    std::vector<std::byte> statuses_;
};

}  // namespace clearway::collectives
