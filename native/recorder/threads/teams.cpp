#include "recorder/threads/teams.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
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

// Where there is no room left, a thread goes on with the cell of one that has ended. Of threads that come and go by the
// thousand, as those of GCC's runtime do where teams differ in size, what they did together counts.
TeamCell* take_over_cell(std::uint32_t tid) {
    constexpr unsigned kMostTried = 64;
    static std::atomic<std::uint32_t> next{0};
    const std::uint32_t cells = process.teams.size();
    for (unsigned i = 0; cells != 0 && i < kMostTried; ++i) {
        TeamCell* cell = process.teams.at(next.fetch_add(1, std::memory_order_relaxed) % cells);
        std::uint32_t owner = __atomic_load_n(&cell->tid, __ATOMIC_RELAXED);
        if (syscall(SYS_tgkill, getpid(), owner, 0) == 0 || errno != ESRCH) continue;
        if (!__atomic_compare_exchange_n(&cell->tid, &owner, tid, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
        __atomic_store_n(&cell->body_entry_ticks, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&cell->region_entry_ticks, 0, __ATOMIC_RELAXED);
        return cell;
    }
    return nullptr;
}

// How far the library reaches that is loaded there.
std::uintptr_t bytes_at(const void* base) {
    const auto begin = reinterpret_cast<std::uintptr_t>(base);
    const auto& header = *static_cast<const ElfW(Ehdr)*>(base);
    const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(begin + header.e_phoff);
    std::uintptr_t bytes = 0;
    for (unsigned i = 0; i < header.e_phnum; ++i)
        if (segments[i].p_type == PT_LOAD)
            bytes = std::max<std::uintptr_t>(bytes, segments[i].p_vaddr + segments[i].p_memsz);
    return bytes;
}

}  // namespace

constinit thread_local TeamState team_state [[gnu::tls_model("initial-exec")]] = {};
constinit TellingRuntimes telling_runtimes;

// A runtime asks for its tool once, and has the loader's lock or one of its own meanwhile: two at once would be two
// runtimes that start in two threads, of which the second then counts as one that does not tell.
void TellingRuntimes::add(const void* function) {
    Dl_info info{};
    const unsigned number = number_.load(std::memory_order_relaxed);
    if (have(function) || number == kMost || dladdr(function, &info) == 0 || info.dli_fbase == nullptr) return;
    images_[number] = {reinterpret_cast<std::uintptr_t>(info.dli_fbase), bytes_at(info.dli_fbase)};
    number_.store(number + 1, std::memory_order_release);
}

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
    if (process.teams.size() == kMostTeamCells) state.cell = take_over_cell(fresh.tid);
    if (state.cell == nullptr) state.cell = process.teams.add(process.file, fresh);
    state.failed = state.cell == nullptr;
    errno = saved_errno;
    return state.cell;
}

}  // namespace clearway::recorder
