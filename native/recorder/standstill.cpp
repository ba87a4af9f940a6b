#include "recorder/standstill.hpp"

#include <sys/resource.h>

#include "recorder/clock.hpp"
#include "recorder/kept_file.hpp"
#include "recorder/sampler.hpp"
#include "recorder/threads/thread_uses.hpp"

namespace clearway::recorder {
namespace {

// What is shorter may be a control group's quota: it holds processes back for less than its period, mostly 100 ms.
constexpr std::uint64_t kShortest_ns = 250'000'000;

std::uint64_t own_run_delay_ns() {
    static constinit KeptThreadFile file("schedstat");
    char text[96];
    return file.read(static_cast<unsigned>(sampler_thread_id()), text, sizeof text) ? run_delay_in(text) : 0;
}

// Those for which this thread waited until a page came from a disk.
long own_page_faults() {
    rusage usage{};
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_majflt : 0;
}

}  // namespace

Standstill::Standstill()
    : begin_ns_(clock_ns(CLOCK_MONOTONIC)),
      run_delay_ns_(own_run_delay_ns()),
      cpu_ns_(clock_ns(CLOCK_PROCESS_CPUTIME_ID)),
      page_faults_(own_page_faults()) {}

std::uint64_t Standstill::lasted_ns(std::uint64_t asked_ns) const {
    const std::uint64_t slept_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns_;
    if (slept_ns < asked_ns + kShortest_ns) return 0;
    // Of a process that went on meanwhile only this thread was held up.
    if (own_page_faults() != page_faults_) return 0;
    const std::uint64_t taken_ns =
        asked_ns + (own_run_delay_ns() - run_delay_ns_) + (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns_);
    return slept_ns >= taken_ns + kShortest_ns ? slept_ns - taken_ns : 0;
}

}  // namespace clearway::recorder
