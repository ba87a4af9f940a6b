// Which message is which: the n-th from a rank with a tag on a communicator is the same n-th on both sides
// (MPI 4.1, 3.5: messages do not overtake), so a number counted on each side pairs them without talking.
#pragma once

#include <cstdint>

#include "mpi/abi.hpp"
#include "recorder/lock.hpp"
#include "recorder/thread.hpp"

namespace clearway::recorder {

// Set when MPI_Init_thread granted MPI_THREAD_MULTIPLE: only then do two threads come here at once.
extern bool many_threads [[gnu::visibility("hidden")]];

// Where two threads may come here at once, keeps the others out.
struct ThreadsGuard : SpinGuard {
    explicit ThreadsGuard(SpinLock& lock) : SpinGuard(many_threads ? &lock : nullptr) {}
};

// What a request does. Those of collectives have no messages of their own.
enum class Direction : std::uint8_t { send = 1, receive = 2, collective = 3 };

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

// The number that the next message from (peer, tag) will have.
std::uint32_t coming_message(std::uint16_t comm, std::int32_t peer, std::int32_t tag);

// A receive, a persistent send, or a collective that has been posted and not completed; also a matched-probe message.
struct Posted {
    Arg handle;
    std::uint64_t bytes;  // room in the buffer; for sends what they send; for collectives the function's id
    std::uint32_t sequence;
    std::int32_t peer;   // world rank; kPeerAny: to be read from the status; of collectives the root
    std::int32_t tag;    // abi.any_tag likewise; of collectives how often they had been started before
    std::uint16_t comm;  // CommInfo::index
    Direction direction;
    bool persistent;
    bool active;
    bool cancelled;        // MPI_Cancel was called: whether in time, the status tells
    bool untold;           // no event was kept of how it was posted
    std::uint32_t waiter;  // the thread that is inside a call that may complete it; 0: none
    const struct CommInfo* info;
};

// Who completes a request, where two threads may be inside MPI at once; else 0. The MPI may give the handle of a
// request to another one as soon as it is complete, before the call that completed it has returned: so the call claims
// its requests first, and one posted meanwhile is not taken for them.
inline std::uint32_t waiter_of(const ThreadState& thread) { return many_threads ? thread.index + 1 : 0; }

void post(const Posted& posted);
// Copies the entry of `handle` that `waiter` claimed into `posted`; false where it is none of ours. Entries of
// completed receives are removed, those of persistent requests become inactive.
bool take_posted(Arg handle, std::uint32_t waiter, Posted& posted);
void claim_posted(const Arg* handles, std::size_t count, std::uint32_t waiter);
void release_posted(const Arg* handles, std::size_t count, std::uint32_t waiter);
bool find_posted(Arg handle, Posted& posted);
bool look_at_posted(Arg handle, Posted& posted);  // whoever claimed it
void forget_posted(Arg handle);
void activate_posted(Arg handle, std::uint32_t sequence);
void mark_cancelled(Arg handle);
// A posted receive was cancelled: its number goes to the next message, and those behind it move up. False where none
// are.
bool withdraw_posted(const Posted& posted);

// The requests that a call may complete, claimed while it is under way.
class Claim {
public:
    Claim(const ThreadState& thread, const Arg* handles, std::size_t count)
        : handles_(handles), count_(count), waiter_(waiter_of(thread)) {
        if (waiter_ != 0) claim_posted(handles, count, waiter_);
    }
    ~Claim() {
        if (waiter_ != 0) release_posted(handles_, count_, waiter_);
    }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

private:
    const Arg* handles_;
    std::size_t count_;
    std::uint32_t waiter_;
};

// A message from a matched probe, taken before the call that receives it.
struct MatchedMessage {
    explicit MatchedMessage(Arg handle) : known(take_posted(handle, 0, posted)) {}
    Posted posted{};
    bool known;
};

}  // namespace clearway::recorder
