// A collective call that a thread is in: what it calls meanwhile is the MPI's affair.
#pragma once

#include <cstdint>

#include "collectives/group.hpp"

namespace clearway::collectives {

// The communicator of the thread's last call that is the MPI's for good. Its calls must cost next to nothing.
struct CommLeftToMpi {
    Arg comm;
    std::uint32_t groups_forgotten;  // at that call
};
extern constinit thread_local CommLeftToMpi last_left_to_mpi [[gnu::tls_model("initial-exec")]];

inline bool is_left_to_mpi(Arg comm) {
    return last_left_to_mpi.comm == comm &&
           last_left_to_mpi.groups_forgotten == groups_forgotten.load(std::memory_order_relaxed);
}

// While one lives, the thread's calls are the MPI's affair: an MPI's own function may come back through our wrappers.
// The program's functions that MPI calls meanwhile, such as error handlers, may call on other communicators, and may
// leave without coming back.
class CallInProgress {
public:
    explicit CallInProgress(Arg comm);
    ~CallInProgress();
    CallInProgress(const CallInProgress&) = delete;
    CallInProgress& operator=(const CallInProgress&) = delete;

    // Null where the call is the MPI's.
    Group* group() const { return group_; }

    // From here on the call is the MPI's, which may call functions of the program that never come back.
    void end();

private:
    friend class OwnWay;
    struct Inside {
        const void* frame;  // null: none is in progress
        Arg comm;           // whose calls are the MPI's; 0: all
    };
    static constinit thread_local Inside inside [[gnu::tls_model("initial-exec")]];

    Inside before_;
    Arg comm_;
    Group* group_ = nullptr;
};

// While the MPI does the call its own way, which was chosen.
class OwnWay {
public:
    explicit OwnWay(const CallInProgress& progress) { CallInProgress::inside.comm = progress.comm_; }
    ~OwnWay() { CallInProgress::inside.comm = 0; }
    OwnWay(const OwnWay&) = delete;
    OwnWay& operator=(const OwnWay&) = delete;
};

}  // namespace clearway::collectives
