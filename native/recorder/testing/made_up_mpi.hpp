// An MPI without a second process, with MPICH's ABI: what a call does and answers is what the test says.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace clearway::testing {

inline constexpr int kWorld = 0x44000000, kSelf = 0x44000001, kNoRequest = 0x2c000000;
inline constexpr int kInt = 0x4c000405, kByte = 0x4c00010d, kAnySource = -2, kAnyTag = -1, kProcNull = -1;
inline constexpr std::intptr_t kInPlace = -1, kIgnore = 1;
inline constexpr int kDerivedType = static_cast<int>(0x8c000000), kDerivedBytes = 24;

struct Status {
    std::uint32_t bytes_low, bytes_high;  // the lowest bit of this one: cancelled
    int source, tag, error;
};

// What comes with a message: to a blocking receive, or where its request completes.
struct Arrival {
    int source = 0, tag = 0;
    std::uint64_t bytes = 0;
    bool is_cancelled = false;
};

struct Group {
    std::vector<int> world_ranks;
    int my_rank = 0;
    std::vector<int> remote{};  // not empty: of an inter-communicator
};

struct MadeUpMpi {
    std::map<int, Group> comms;
    int next_handle = 1;                // of requests, messages and communicators to come; set it, and one comes back
    std::map<int, Arrival> arrivals;    // by request or message; 0: of the next blocking receive or probe
    std::vector<int> completed;         // indices that Waitany and Waitsome tell; Test, Iprobe: done where not empty
    int result = 0;                     // of the calls of this group: Send, Irecv, Barrier, Comm_free
    std::function<void()> inside = {};  // what happens inside Barrier and Comm_free
};

MadeUpMpi& made_up_mpi();

}  // namespace clearway::testing
