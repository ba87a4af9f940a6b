// Which message is which: the n-th from a rank with a tag on a communicator is the same n-th on both sides
// (MPI 4.1, 3.5: messages do not overtake), so a number counted on each side pairs them without talking.
#pragma once

#include <cstdint>

#include "mpi/abi.hpp"

namespace clearway {

// Set when MPI_Init_thread granted MPI_THREAD_MULTIPLE: only then do two threads come here at once.
extern bool many_threads;

enum class Direction : std::uint8_t { send = 1, receive = 2 };

inline constexpr std::uint32_t kNoSequence = 0xffffffff;

// Messages to or from one (peer, tag) on one communicator.
struct MessageCounter {
    std::uint64_t key;  // 0: free
    std::uint32_t tag;
    std::uint32_t next;
};

inline std::uint64_t message_key(std::uint16_t comm, std::int32_t peer, Direction direction) {
    return static_cast<std::uint64_t>(direction) << 48 | static_cast<std::uint64_t>(comm) << 32 |
           static_cast<std::uint32_t>(peer);
}

// The counter that this thread used last, by direction: a program that talks to one neighbour at a time, as most
// of the calls that are short enough to matter do, finds it here.
extern constinit thread_local MessageCounter* last_counter [[gnu::tls_model("initial-exec")]][3];

std::uint32_t next_message_of_any(std::uint64_t key, std::uint32_t tag, Direction direction);

// Next number of a message to or from (peer, tag); kNoSequence when the table of tags is full.
inline std::uint32_t next_message(std::uint16_t comm, std::int32_t peer, std::int32_t tag, Direction direction) {
    const std::uint64_t key = message_key(comm, peer, direction);
    MessageCounter* last = last_counter[static_cast<unsigned>(direction)];
    if (last != nullptr && last->key == key && last->tag == static_cast<std::uint32_t>(tag) && !many_threads)
        return last->next++;
    return next_message_of_any(key, static_cast<std::uint32_t>(tag), direction);
}

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
