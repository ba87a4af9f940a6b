#include "recorder/threads/yields.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "recorder/clock.hpp"
#include "recorder/thread.hpp"
#include "recorder/threads/teams.hpp"
#include "recorder_doors.hpp"

namespace clearway::recorder {
namespace {

// The processor time is read once in so many yields, for that is a system call like them.
constexpr unsigned kPerReading = 64;
constexpr std::uint64_t kLongest_ns = 4'000;  // a yield, and what is done until the next: more, and it is work
constexpr std::uint64_t kMoment_ns = 1'000'000'000;

// What a thread has spent on asking. Its own alone writes to it.
struct alignas(64) Asked {
    std::atomic<unsigned> tid;
    std::atomic<std::uint64_t> ns;
};
constexpr unsigned kMost = 512;
Asked all[kMost];
std::atomic<unsigned> begun{0};  // of `all`, or more: those that found no room

struct Own {
    Asked* asked;
    bool uncounted;  // it is the main thread, or there is no room
    unsigned yields;
    std::uint64_t cpu_ns;  // when it was last read
};
constinit thread_local Own own [[gnu::tls_model("initial-exec")]] = {};

unsigned number_begun() {
    const unsigned number = begun.load(std::memory_order_acquire);
    return number < kMost ? number : kMost;
}

// The kernel gives numbers again: of two with the same number the later one is that of the thread that lives.
Asked* begin_asking() {
    const auto tid = static_cast<unsigned>(syscall(SYS_gettid));
    if (tid == static_cast<unsigned>(getpid()) || number_begun() == kMost) return nullptr;
    const unsigned number = begun.fetch_add(1, std::memory_order_acq_rel);
    if (number >= kMost) return nullptr;
    all[number].tid.store(tid, std::memory_order_release);
    return &all[number];
}

[[gnu::noinline]] void read_asking() {
    const std::uint64_t before_ns = own.cpu_ns, now_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    own.cpu_ns = now_ns;
    if (own.asked == nullptr) {
        own.asked = begin_asking();
        own.uncounted = own.asked == nullptr;
    } else if (elapsed(before_ns, now_ns) < kPerReading * kLongest_ns) {
        own.asked->ns.fetch_add(elapsed(before_ns, now_ns), std::memory_order_relaxed);
    }
}

// Who has made recorded calls, or was in a parallel region, did something for the program; and waits in regions are
// known otherwise.
void note_yield() {
    if (thread_state.cell != nullptr || team_state.cell != nullptr || own.uncounted) return;
    if (own.yields++ % kPerReading == 0) [[unlikely]]
        read_asking();
}

}  // namespace

bool only_asked(unsigned tid, std::uint64_t cpu_ns) {
    for (unsigned i = number_begun(); i-- > 0;) {
        if (all[i].tid.load(std::memory_order_acquire) != tid) continue;
        const std::uint64_t asked_ns = all[i].ns.load(std::memory_order_relaxed);
        // To begin costs a little as well.
        return asked_ns > 0 && asked_ns < kMoment_ns && elapsed(asked_ns, cpu_ns) <= cpu_ns / 8;
    }
    return false;
}

}  // namespace clearway::recorder

using namespace clearway;
using namespace clearway::recorder;

CLEARWAY_DOOR(sched_yield) {
    note_yield();
    return CLEARWAY_REAL(sched_yield);
}
