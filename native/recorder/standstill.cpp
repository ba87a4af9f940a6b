#include "recorder/standstill.hpp"

#include <sys/resource.h>

#include "recorder/clock.hpp"
#include "recorder/kept_file.hpp"
#include "recorder/sampler.hpp"
#include "recorder/threads/thread_uses.hpp"

namespace clearway::recorder {
namespace {

std::uint64_t own_run_delay_ns() {
    static constinit KeptThreadFile file("schedstat");
    char text[96];
    return file.read(static_cast<unsigned>(sampler_thread_id()), text, sizeof text) ? run_delay_in(text) : 0;
}

}  // namespace

Moment this_moment() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return {.wall_ns = clock_ns(CLOCK_MONOTONIC),
            .run_delay_ns = own_run_delay_ns(),
            .cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID),
            .page_faults = usage.ru_majflt,
            .blocks_written = usage.ru_oublock,
            .given_up = usage.ru_nvcsw};
}

}  // namespace clearway::recorder
