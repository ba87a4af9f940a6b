// What OpenMP runtimes tell a tool of themselves: LLVM's and Intel's do (OpenMP 5.0, chapter 4, OMPT). GCC's does not.
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>

#include "recorder/process.hpp"
#include "recorder/threads/teams.hpp"
#include "recorder/threads/thread_uses.hpp"

namespace clearway::recorder {
namespace {

// The names and numbers of omp-tools.h.
union Data {
    std::uint64_t value;
    void* pointer;
};
struct Frame;
using Callback = void();
using Lookup = Callback*(const char*);
using SetCallback = int(int, Callback*);

struct StartToolResult {
    int (*initialize)(Lookup*, int, Data*);
    void (*finalize)(Data*);
    std::uint64_t tool_data;
};

enum Event {
    thread_end = 2,
    parallel_begin = 3,
    parallel_end = 4,
    task_create = 5,
    implicit_task = 7,
    sync_region_wait = 16
};
enum Endpoint { scope_begin = 1, scope_end = 2 };
constexpr int kImplicitTask = 2, kExplicitTask = 4;                 // of the flags of a task
enum Kind { barrier_implicit = 2, barrier_implicit_parallel = 9 };  // of waits: those that may be at a region's end

// A thread's newest wait. The last one of a region is for its end, of which a thread may hear no sooner than at the
// next region's begin; so each is counted when the next begins, and the last one not.
struct Wait {
    std::uint64_t begin, ticks;
};
constinit thread_local Wait wait [[gnu::tls_model("initial-exec")]] = {};

// Of nested regions the outermost counts. A forked child counts none: it has its parent's record before it still.
void began_region(Data*, const Frame*, Data* region, unsigned, int, const void*) {
    const bool counts = recording && team_state.depth == 0;
    if (region != nullptr) region->value = counts ? now_ticks() : 0;
    if (counts) enter_region(team_state);
}

void ended_region(Data*, Data*, int, const void*) {
    if (team_state.depth == 0) leave_region(team_state);
}

// The region is not told any more at the end: whether it counts is left with the thread's part in it.
void in_body(int endpoint, Data* region, Data* part, unsigned threads, unsigned number, int flags) {
    TeamState& state = team_state;
    if ((flags & kImplicitTask) == 0 || part == nullptr) return;
    if (endpoint == scope_begin) {
        part->value = recording && region != nullptr && region->value != 0;
        if (part->value == 0) return;
        if (enter_body(state) && number != 0) note_begin(state, region->value);
        wait = {};
        if (number == 0) is_first_of(state, threads);
    } else if (endpoint == scope_end && part->value != 0) {
        part->value = 0;
        leave_body(state, wait.begin != 0 ? wait.begin : now_ticks());
    }
}

void in_wait(int kind, int endpoint, Data*, Data*, const void*) {
    TeamState& state = team_state;
    if (state.depth == 0) return;
    if (endpoint == scope_begin) {
        waited_in_team(state, wait.ticks);
        end_stretch(state);
        wait = {now_ticks(), 0};
        if (is_first(state)) begin_stretch(state, Stretch::wait, wait.begin);
    } else if (endpoint == scope_end && wait.begin != 0) {
        const std::uint64_t now = now_ticks();
        end_stretch(state);
        wait.ticks = elapsed(wait.begin, now);
        if (kind != barrier_implicit && kind != barrier_implicit_parallel) begin_stretch(state, Stretch::work, now);
    }
}

// The runtime ends its threads before the process's last look at them.
void ended_thread(Data*) { note_own_end(); }

void made_task(Data*, const Frame*, Data*, int flags, int, const void*) {
    if ((flags & kExplicitTask) != 0) note_tasks(team_state);
}

template <class Function>
Callback* as_callback(Function* function) {
    return reinterpret_cast<Callback*>(function);
}

int initialize(Lookup* lookup, int, Data*) {
    auto* set = reinterpret_cast<SetCallback*>(lookup("ompt_set_callback"));
    if (set == nullptr) return 0;
    set(thread_end, as_callback(&ended_thread));
    set(parallel_begin, as_callback(&began_region));
    set(parallel_end, as_callback(&ended_region));
    set(implicit_task, as_callback(&in_body));
    set(sync_region_wait, as_callback(&in_wait));
    set(task_create, as_callback(&made_task));
    telling_runtimes.add(reinterpret_cast<const void*>(lookup));
    return 1;
}

void finalize(Data*) {}

}  // namespace
}  // namespace clearway::recorder

// The runtime asks for it when it starts. A tool of the user's goes before us.
extern "C" [[gnu::visibility("default")]] clearway::recorder::StartToolResult* ompt_start_tool(unsigned version,
                                                                                               const char* runtime) {
    using namespace clearway::recorder;
    if (auto* next = reinterpret_cast<decltype(&ompt_start_tool)>(dlsym(RTLD_NEXT, "ompt_start_tool")))
        if (StartToolResult* other = next(version, runtime)) return other;
    const char* libraries = std::getenv("OMP_TOOL_LIBRARIES");
    if (!recording || (libraries != nullptr && *libraries != '\0')) return nullptr;
    static StartToolResult result{&initialize, &finalize, 0};
    return &result;
}
