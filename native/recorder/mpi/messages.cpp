#include "recorder/mpi/messages.hpp"

#include <sys/mman.h>
#include <cerrno>

#include "base/hash.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {

bool many_threads = false;

namespace {

// Anonymous memory costs nothing until it is touched, so the tables have their full size from the start.
template <class T>
T* table_of(std::uint64_t elements) {
    const int saved_errno = errno;
    void* memory =
        mmap(nullptr, elements * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = saved_errno;
    return memory != MAP_FAILED ? static_cast<T*>(memory) : nullptr;
}

constexpr std::uint64_t kCounters = 1U << 16;  // the hash below yields 16 bits
constinit SpinLock counters_lock;
MessageCounter* counters = nullptr;
std::uint64_t counters_used = 0;

constexpr std::uint64_t kPosted = 1U << 14;
constinit SpinLock posted_lock;
Posted* posted_table = nullptr;
std::uint64_t posted_used = 0;

// The counter of (key, tag), or the free place where it would stand.
MessageCounter* find_counter(std::uint64_t key, std::uint32_t tag) {
    if (counters == nullptr) return nullptr;
    // One multiplication scrambles enough here: keys differ in few, low bits.
    std::uint64_t i = ((key ^ static_cast<std::uint64_t>(tag) << 20) * kGoldenRatio) >> 48;
    while (counters[i].key != 0 && (counters[i].key != key || counters[i].tag != tag)) i = (i + 1) & (kCounters - 1);
    return &counters[i];
}

std::uint64_t home(Arg handle) { return mix(static_cast<std::uint64_t>(handle)) & (kPosted - 1); }

Posted* lookup(Arg handle, std::uint32_t waiter = 0) {
    if (posted_table == nullptr || handle == 0) return nullptr;
    for (std::uint64_t i = home(handle); posted_table[i].handle != 0; i = (i + 1) & (kPosted - 1))
        if (posted_table[i].handle == handle && posted_table[i].waiter == waiter) return &posted_table[i];
    return nullptr;
}

// Linear probing without tombstones: what follows the hole and could have stood in it moves back
// (Knuth, The Art of Computer Programming 3, 6.4, algorithm R).
void remove(Posted* entry) {
    auto hole = static_cast<std::uint64_t>(entry - posted_table);
    for (std::uint64_t i = (hole + 1) & (kPosted - 1); posted_table[i].handle != 0; i = (i + 1) & (kPosted - 1)) {
        const std::uint64_t from_home = (i - home(posted_table[i].handle)) & (kPosted - 1);
        if (from_home >= ((i - hole) & (kPosted - 1))) {
            posted_table[hole] = posted_table[i];
            hole = i;
        }
    }
    posted_table[hole].handle = 0;
    --posted_used;
}

}  // namespace

constinit thread_local MessageCounter* last_counter [[gnu::tls_model("initial-exec")]][3] = {};

std::uint32_t next_message_of_any(std::uint64_t key, std::uint32_t tag, Direction direction) {
    const ThreadsGuard guard(counters_lock);
    if (counters == nullptr && (counters = table_of<MessageCounter>(kCounters)) == nullptr) return kNoSequence;
    MessageCounter* counter = find_counter(key, tag);
    if (counter->key == 0) {
        if (counters_used > kCounters / 4 * 3) return kNoSequence;  // a tag a message: such a job cannot be paired
        ++counters_used;
        *counter = {key, tag, 0};
    }
    last_counter[static_cast<unsigned>(direction)] = counter;
    return counter->next++;
}

std::uint32_t coming_message(std::uint16_t comm, std::int32_t peer, std::int32_t tag) {
    const ThreadsGuard guard(counters_lock);
    const MessageCounter* counter =
        find_counter(message_key(comm, peer, Direction::receive), static_cast<std::uint32_t>(tag));
    if (counter != nullptr && counter->key != 0) return counter->next;
    return counters_used > kCounters / 4 * 3 ? kNoSequence : 0;
}

void post(const Posted& posted) {
    const ThreadsGuard guard(posted_lock);
    if (posted_table == nullptr && (posted_table = table_of<Posted>(kPosted)) == nullptr) return;
    Posted* entry = lookup(posted.handle);  // left over from a request that ended out of our sight
    if (entry == nullptr) {
        if (posted.handle == 0 || posted_used > kPosted / 4 * 3) return;
        std::uint64_t i = home(posted.handle);
        while (posted_table[i].handle != 0) i = (i + 1) & (kPosted - 1);
        entry = &posted_table[i];
        ++posted_used;
    }
    *entry = posted;
}

bool take_posted(Arg handle, std::uint32_t waiter, Posted& posted) {
    const ThreadsGuard guard(posted_lock);
    Posted* entry = lookup(handle, waiter);
    if (entry == nullptr || !entry->active) return false;
    posted = *entry;
    if (entry->persistent) {
        entry->active = entry->cancelled = false;
    } else {
        remove(entry);
    }
    return true;
}

void claim_posted(const Arg* handles, std::size_t count, std::uint32_t waiter) {
    const ThreadsGuard guard(posted_lock);
    for (std::size_t i = 0; i < count; ++i)
        if (Posted* entry = lookup(handles[i])) entry->waiter = waiter;
}

void release_posted(const Arg* handles, std::size_t count, std::uint32_t waiter) {
    const ThreadsGuard guard(posted_lock);
    for (std::size_t i = 0; i < count; ++i)
        if (Posted* entry = lookup(handles[i], waiter)) entry->waiter = 0;
}

bool find_posted(Arg handle, Posted& posted) {
    const ThreadsGuard guard(posted_lock);
    const Posted* entry = lookup(handle);
    if (entry != nullptr) posted = *entry;
    return entry != nullptr;
}

bool look_at_posted(Arg handle, Posted& posted) {
    const ThreadsGuard guard(posted_lock);
    if (posted_table == nullptr || handle == 0) return false;
    std::uint64_t i = home(handle);
    for (std::uint64_t seen = 0; seen < kPosted && posted_table[i].handle != 0; ++seen, i = (i + 1) & (kPosted - 1)) {
        if (posted_table[i].handle != handle) continue;
        posted = posted_table[i];
        return true;
    }
    return false;
}

void forget_posted(Arg handle) {
    const ThreadsGuard guard(posted_lock);
    if (Posted* entry = lookup(handle)) remove(entry);
}

void activate_posted(Arg handle, std::uint32_t sequence) {
    const ThreadsGuard guard(posted_lock);
    if (Posted* entry = lookup(handle)) {
        entry->active = true;
        entry->sequence = sequence;
        if (entry->direction == Direction::collective) ++entry->tag;
    }
}

void mark_cancelled(Arg handle) {
    const ThreadsGuard guard(posted_lock);
    if (Posted* entry = lookup(handle)) entry->cancelled = true;
}

bool withdraw_posted(const Posted& posted) {
    if (posted.sequence == kNoSequence) return false;
    {
        const ThreadsGuard guard(counters_lock);
        MessageCounter* counter = find_counter(message_key(posted.comm, posted.peer, posted.direction),
                                               static_cast<std::uint32_t>(posted.tag));
        if (counter == nullptr || counter->key == 0) return false;
        if (--counter->next == posted.sequence) return false;
    }
    const ThreadsGuard guard(posted_lock);
    for (std::uint64_t i = 0; i < kPosted; ++i) {
        Posted& later = posted_table[i];
        if (later.handle != 0 && later.direction == posted.direction && later.comm == posted.comm &&
            later.peer == posted.peer && later.tag == posted.tag && later.sequence != kNoSequence &&
            later.sequence > posted.sequence)
            --later.sequence;
    }
    return true;
}

}  // namespace clearway::recorder
