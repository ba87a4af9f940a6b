// What we keep of a communicator of the program: a communicator of our own over the same ranks, so that our messages
// never match the program's, and who runs on which host.
#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/abi.hpp"
#include "schedule/problem.hpp"

namespace clearway {

struct Courses;  // what the selector knows of this communicator (course.hpp)
struct Plans;    // the Programs made for earlier calls on it (plans.hpp)

enum class GroupState : std::uint8_t {
    fresh,   // seen, nothing made yet: the calls go to the MPI
    ready,   // has a communicator and a placement
    handed,  // for good the MPI's: inter-communicator, one rank, one host, or no communicator to be had
};

// All of it but `rank` and the pointers is alike on all ranks, so decisions made from it are.
struct Group {
    GroupState state = GroupState::fresh;
    Arg comm = 0;  // ours
    std::uint32_t rank = 0;
    schedule::Placement placement;
    Courses* courses = nullptr;
    Plans* plans = nullptr;
};

// The group of the program's communicator; null where there is no memory for one. Communicates nothing. A pointer
// stays good until `forget_group`.
Group* group_of(Arg comm);

// Makes a fresh group ready, or hands it over. Collective over `comm`.
void establish(Group& group, Arg comm);

// How many times groups were forgotten: what a thread remembers of a communicator holds while this stays the same.
extern std::atomic<std::uint32_t> groups_forgotten;

// To be called before the program's communicator is freed or disconnected; collective like the freeing.
void forget_group(Arg comm);

// To be called before MPI_Finalize: lets go of everything, and frees no communicator. `each` sees every group first.
void forget_all_groups(void (*each)(const Group& group));

}  // namespace clearway
