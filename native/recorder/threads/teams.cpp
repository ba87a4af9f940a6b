#include "recorder/threads/teams.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "recorder/thread.hpp"

namespace clearway::recorder {

namespace {

// From one stretch to the next, in the mean. The length varies, so that one does not meet the same region of a step
// each time.
constexpr std::uint64_t kStretchesApart = 8;  // checkpoint intervals

std::uint64_t next_due(std::uint64_t now) {
    const std::uint64_t apart = kStretchesApart * checkpoint_interval_ticks;
    return now + apart / 2 + now % (apart | 1);
}

}  // namespace

constinit thread_local TeamState team_state [[gnu::tls_model("initial-exec")]] = {};
std::atomic<bool> runtime_tells{false};

void begin_stretch_now(TeamState& state, Stretch kind) {
    state.stretch = kind;
    state.stretch_begin_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    state.stretch_begin_ticks = now_ticks();
    state.due_ticks[static_cast<unsigned>(kind)] = next_due(state.stretch_begin_ticks);
}

void end_stretch_now(TeamState& state) {
    const std::uint64_t begin = state.stretch_begin_ticks;
    state.stretch_begin_ticks = 0;
    if (!is_recorded(state)) return;
    const std::uint64_t cpu_ns = elapsed(state.stretch_begin_cpu_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID));
    const std::uint64_t ticks = elapsed(begin, now_ticks());
    const bool work = state.stretch == Stretch::work;
    add_ticks(work ? state.cell->sampled_work_ticks : state.cell->sampled_wait_ticks, ticks);
    add_ticks(work ? state.cell->sampled_work_cpu_ns : state.cell->sampled_wait_cpu_ns, cpu_ns);
}

TeamCell* add_team_cell(TeamState& state) {
    if (!recording) return nullptr;
    const int saved_errno = errno;
    const InRecorder inside;
    TeamCell fresh{};
    fresh.tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
    state.cell = process.teams.add(process.file, fresh);
    state.failed = state.cell == nullptr;
    errno = saved_errno;
    return state.cell;
}

}  // namespace clearway::recorder
