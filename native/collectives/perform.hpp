// The way of a collective call, from its door on.
#pragma once

#include <cstdint>

#include "collectives/call.hpp"
#include "collectives/group.hpp"

namespace clearway {

// The communicator of the thread's last call that is the MPI's for good. Its calls must cost next to nothing.
struct HandedComm {
    Arg comm;
    std::uint32_t groups_forgotten;  // at that call
};
extern constinit thread_local HandedComm last_handed [[gnu::tls_model("initial-exec")]];

inline bool is_known_as_handed(Arg comm) {
    return last_handed.comm == comm && last_handed.groups_forgotten == groups_forgotten.load(std::memory_order_relaxed);
}

// While one lives, the thread's calls are the MPI's affair: an MPI's own function may come back through our doors.
class Passage {
public:
    explicit Passage(Arg comm);
    ~Passage();
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;

    // Null where the call is the MPI's.
    Group* group() const { return group_; }

private:
    Group* group_ = nullptr;
};

// Does the call in the way the selector chooses, or as forced, or with `own`. Returns what the program is to get. The
// first call on a communicator makes its group ready, which communicates.
int perform(Group& group, const Call& call, const OwnCall& own);

}  // namespace clearway
