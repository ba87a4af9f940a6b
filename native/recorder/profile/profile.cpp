#include "recorder/profile/profile.hpp"

#include <cerrno>
#include <cstdio>

#include "base/hash.hpp"
#include "recorder/process.hpp"
#include "recorder/profile/code_ranges.hpp"
#include "recorder/profile/sampled_thread.hpp"
#include "recorder/profile/switches.hpp"
#include "recorder/sandbox.hpp"
#include "recorder/sockets/job_descriptors.hpp"
#include "recorder/thread.hpp"
#include "recorder/threads/thread_uses.hpp"

namespace clearway::recorder {
namespace {

constexpr unsigned kMostWatched = 64;  // threads: each has two pages, of which a user has some hundred per processor
constexpr unsigned kMostFailures = 8;  // threads that begin and end, or a kernel that does not allow it

// A thread, as long as it is there, and its samples, where it may be sampled.
struct Watched {
    unsigned tid = 0;  // 0: none
    Switches switches;
    SampledThread sampled;
};
// The sampler may run before initialisers do: as zeros, each would have descriptor 0.
constinit Watched watched[kMostWatched];
unsigned failures = 0;
enum class May { unknown, yes, no } may = May::unknown;

// Of a program with very many hot instructions the rest is counted by the page.
constexpr std::uint32_t kMostExact = kMostCodeSamples - 1024, kPage_bytes = 4096;

// Where the CodeSample of an address is: an open hash of its number + 1.
constexpr std::uint32_t kSlots = 2 * kMostCodeSamples;
std::uint16_t slots[kSlots];

CodeSample* cell_of(std::uint64_t address, std::uint32_t bytes) {
    std::uint32_t slot = static_cast<std::uint32_t>(mix(address) % kSlots);
    for (; slots[slot] != 0; slot = (slot + 1) % kSlots) {
        CodeSample* cell = process.code_samples.at(slots[slot] - 1U);
        if (cell->address == address && cell->bytes == bytes) return cell;
    }
    if (bytes == 1 && process.code_samples.size() >= kMostExact) return nullptr;
    std::uint32_t number = 0;
    CodeSample* cell = process.code_samples.add(process.file, {address, bytes, code_range_of(address), 0, 0}, &number);
    if (cell != nullptr) slots[slot] = static_cast<std::uint16_t>(number + 1);
    return cell;
}

void count(std::uint64_t address, bool by_main) {
    CodeSample* cell = cell_of(address, 1);
    if (cell == nullptr) cell = cell_of(address / kPage_bytes * kPage_bytes, kPage_bytes);
    if (cell == nullptr) return;
    std::uint32_t& samples = by_main ? cell->by_main : cell->by_others;
    __atomic_store_n(&samples, samples + 1, __ATOMIC_RELAXED);
}

unsigned main_tid() {
    const std::uint32_t main = __atomic_load_n(&main_thread, __ATOMIC_RELAXED);
    return main < process.threads.size() ? process.threads.at(main)->tid : 0;
}

// A filter of system calls, which a job may have from whoever started it, may end the process for one of ours.
May look_whether_we_may() {
    if (!process.settings.profiles || !has_own_descriptors() || has_filter()) return May::no;
    return May::yes;
}

Watched* find(unsigned tid) {
    for (Watched& one : watched)
        if (one.tid == tid) return &one;
    return nullptr;
}

// Once, with the first thread: that there is a profile, or why not.
void tell(int error) {
    static bool told = false;
    if (told) return;
    told = true;
    char text[16];
    std::snprintf(text, sizeof text, "%d", error == 0 ? static_cast<int>(kSample_us) : error);
    add_fact(error == 0 ? "profile.period_us" : "profile.errno", text);
}

void watch(unsigned tid) {
    if (tid == 0 || find(tid) != nullptr) return;
    if (Watched* free = find(0); free != nullptr) free->tid = tid;
}

void leave(Watched& one) {
    one.sampled.end();
    one.switches.forget();
    one.tid = 0;
}

bool has(const ThreadList& threads, unsigned tid) {
    for (unsigned i = 0; i < threads.number; ++i)
        if (threads.tids[i] == tid) return true;
    return false;
}

void take_samples(Watched& one, unsigned main) {
    const bool by_main = one.tid == main;
    if (one.sampled.is_on()) one.sampled.drain([by_main](std::uint64_t address) { count(address, by_main); });
}

void sample_or_not(Watched& one) {
    const bool may_be = one.switches.are_few(one.tid) && failures < kMostFailures;
    if (may_be == one.sampled.is_on()) return;
    if (!may_be) return one.sampled.end();
    const int error = one.sampled.begin(one.tid);
    if (error != 0) ++failures;
    tell(error);
}

ThreadList others;

}  // namespace

void profile_threads() {
    if (may == May::unknown) may = look_whether_we_may();
    if (may == May::no || !has_own_descriptors()) return;
    const int saved_errno = errno;
    const unsigned main = main_tid();
    list_others(others);
    watch(main);
    for (unsigned i = 0; i < others.number; ++i) watch(others.tids[i]);
    for (Watched& one : watched) {
        if (one.tid == 0) continue;
        take_samples(one, main);
        if (one.tid == main || has(others, one.tid))
            sample_or_not(one);
        else
            leave(one);
    }
    errno = saved_errno;
}

void end_profile() {
    const int saved_errno = errno;
    const unsigned main = main_tid();
    for (Watched& one : watched) {
        if (one.tid == 0) continue;
        take_samples(one, main);
        leave(one);
    }
    errno = saved_errno;
}

}  // namespace clearway::recorder
