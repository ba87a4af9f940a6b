// What we keep of a communicator of the program: where our messages for it go, so that they never match the program's,
// and who runs on which host.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "collectives/channel.hpp"
#include "mpi/abi.hpp"
#include "schedule/algorithms.hpp"
#include "schedule/problem.hpp"

namespace clearway::collectives {

struct Trials;       // what the selector knows of this communicator (trial.hpp)
struct Plans;        // the Programs made for earlier calls on it (plans.hpp)
struct ForcedCalls;  // how many went which forced way (forced_calls.cpp)

enum class GroupState : std::uint8_t {
    fresh,        // seen, nothing made yet: the calls go to the MPI
    ready,        // has a channel and a placement
    left_to_mpi,  // for good the MPI's: see `establish`
};

// An operation done by an algorithm, for which all ranks had memory when so many bytes were moved.
struct MemoryAgreement {
    const schedule::Algorithm* algorithm = nullptr;
    schedule::Operation operation{};
    std::uint64_t bytes = 0;
};

// All of it but `rank` and the pointers is alike on all ranks, so decisions made from it are.
struct Group {
    GroupState state = GroupState::fresh;
    Arg comm = 0;  // the program's: for what all its ranks agree upon inside one of its collective calls
    std::uint32_t rank = 0;
    Channel channel;  // for messages from rank to rank
    schedule::Placement placement;
    std::array<MemoryAgreement, 16> memory_agreements{};
    std::uint32_t next_agreement = 0;
    // What is kept for its calls, and how to be rid of it: as whoever keeps it says.
    Trials* trials = nullptr;
    void (*destroy_trials)(Trials* trials) = nullptr;
    Plans* plans = nullptr;
    void (*destroy_plans)(Plans* plans) = nullptr;
    ForcedCalls* forced_calls = nullptr;
    void (*destroy_forced_calls)(ForcedCalls* calls) = nullptr;
};

// The group of the program's communicator; null where there is no memory for one. Communicates nothing. A pointer
// stays good until `take_group` and `destroy`.
Group* group_of(Arg comm);

// Makes a fresh group ready, or leaves it to the MPI for good: an inter-communicator; one rank, or one host; processes
// outside this MPI_COMM_WORLD, which may have no Clearway; no channel to be had. Collective over `comm`.
void establish(Group& group, Arg comm);

// How many times groups were forgotten: what a thread remembers of a communicator holds while this stays the same.
extern std::atomic<std::uint32_t> groups_forgotten;

// Takes the group of a communicator out of the table; null where it has none. To be called before the program's
// communicator is freed: its handle may come back for another one at once.
Group* take_group(Arg comm);

// Communicates nothing. The group may be null.
void destroy(Group* group);

void each_group(void (*visit)(const Group& group));

}  // namespace clearway::collectives
