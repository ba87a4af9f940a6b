// Which message is which: the n-th from a rank with a tag on a communicator is the same n-th on both sides
// (MPI 4.1, 3.5: messages do not overtake), so a number counted on each side pairs them without talking.
#pragma once

#include <cstdint>

#include "recorder/mpi/abi.hpp"

namespace clearway {

// Set when MPI_Init_thread granted MPI_THREAD_MULTIPLE: only then do two threads come here at once.
extern bool many_threads;

enum class Direction : std::uint8_t { send = 1, receive = 2 };

inline constexpr std::uint32_t kNoSequence = 0xffffffff;

// Next number of a message to or from (peer, tag); kNoSequence when the table of tags is full.
std::uint32_t next_message(std::uint16_t comm, std::int32_t peer, std::int32_t tag, Direction direction);

// A receive, or a persistent send, that has been posted and not completed; also a matched-probe message.
struct Posted {
    Arg handle;
    std::uint64_t bytes;  // room in the buffer; for sends what they send
    std::uint32_t sequence;
    std::int32_t peer;   // world rank; kPeerAny: to be read from the status
    std::int32_t tag;    // abi.any_tag likewise
    std::uint16_t comm;  // CommInfo::index
    Direction direction;
    bool persistent;
    bool active;
    const struct CommInfo* info;
};

void post(const Posted& posted);
// Copies the entry of `handle` into `posted`; false where it is none of ours. Entries of completed receives are
// removed, those of persistent requests become inactive.
bool take_posted(Arg handle, Posted& posted);
bool find_posted(Arg handle, Posted& posted);
void forget_posted(Arg handle);
void activate_posted(Arg handle, std::uint32_t sequence);

}  // namespace clearway
