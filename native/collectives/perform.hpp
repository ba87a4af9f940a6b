// The way of a collective call, from its door on.
#pragma once

#include <cstdint>

#include "collectives/call.hpp"
#include "collectives/group.hpp"

namespace clearway::collectives {

// The communicator of the thread's last call that is the MPI's for good. Its calls must cost next to nothing.
struct HandedComm {
    Arg comm;
    std::uint32_t groups_forgotten;  // at that call
};
extern constinit thread_local HandedComm last_handed [[gnu::tls_model("initial-exec")]];

inline bool is_known_as_handed(Arg comm) {
    return last_handed.comm == comm && last_handed.groups_forgotten == groups_forgotten.load(std::memory_order_relaxed);
}

// While one lives, the thread's calls are the MPI's affair: an MPI's own function may come back through our doors. The
// program's functions that MPI calls meanwhile, such as error handlers, may call on other communicators, and may leave
// without coming back.
class Passage {
public:
    explicit Passage(Arg comm);
    ~Passage();
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;

    // Null where the call is the MPI's.
    Group* group() const { return group_; }

    // From here on the call is the MPI's, which may call functions of the program that never come back.
    void end();

private:
    friend class OwnWay;
    struct Inside {
        const void* frame;  // null: in no passage
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
    explicit OwnWay(const Passage& passage) { Passage::inside.comm = passage.comm_; }
    ~OwnWay() { Passage::inside.comm = 0; }
    OwnWay(const OwnWay&) = delete;
    OwnWay& operator=(const OwnWay&) = delete;
};

struct Outcome {
    int code;        // what the program is to get
    bool is_untold;  // an error of which its handler does not know yet
};

// Does the call in the way the selector chooses, or as forced, or with `own`. The first call on a communicator makes
// its group ready, which communicates.
Outcome perform(Passage& passage, const Call& call, const OwnCall& own);

// Calls the program's error handler, which may not come back.
void tell(Arg comm, int error);

}  // namespace clearway::collectives
