// The entry points of GCC's OpenMP runtime (libgomp_g.h), which also clang's and Intel's have: where parallel regions
// begin and end, and where the threads of a team wait for each other.
#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "base/no_signals.hpp"
#include "recorder/process.hpp"
#include "recorder/threads/teams.hpp"

namespace clearway::recorder {
namespace {

// Libraries whose OpenMP runtime nobody else sees, as Python's wheels bring them: by where they are loaded.
class PrivateRuntimes {
public:
    bool any() const { return number_.load(std::memory_order_acquire) != 0; }

    bool has(const void* library) const {
        const unsigned number = number_.load(std::memory_order_acquire);
        for (unsigned i = 0; i < number; ++i)
            if (libraries_[i] == library) return true;
        return false;
    }

    void add(const void* library) {
        if (writing_.test_and_set(std::memory_order_acquire)) return;
        const unsigned number = number_.load(std::memory_order_relaxed);
        if (number < kMost && !has(library)) {
            libraries_[number] = library;
            number_.store(number + 1, std::memory_order_release);
        }
        writing_.clear(std::memory_order_release);
    }

private:
    static constexpr unsigned kMost = 64;
    const void* libraries_[kMost] = {};
    std::atomic<unsigned> number_{0};
    std::atomic_flag writing_;
};
constinit PrivateRuntimes private_runtimes;

// A function of the runtime that `caller` was bound to. Where libraries that nobody else sees bring a runtime each,
// that is not the same for all: it is looked for as the loader did for the caller, first among what everybody sees,
// then among what the caller's library depends on. There it stays, although a runtime for all may be loaded later.
class OfRuntime {
public:
    constexpr explicit OfRuntime(const char* name) : name_(name) {}

    // Null: there is no runtime, and whoever asked for the function asks whether there is one.
    template <class Function>
    Function* of(void* caller) {
        if (void* all = of_all_.load(std::memory_order_acquire)) [[likely]]
            return reinterpret_cast<Function*>(all);
        for (unsigned i = 0; i < kPlaces; ++i) {
            const Known& known = place(caller, i);
            if (known.caller.load(std::memory_order_acquire) == caller)
                return reinterpret_cast<Function*>(known.function.load(std::memory_order_relaxed));
        }
        return reinterpret_cast<Function*>(find(caller));
    }

private:
    static constexpr unsigned kKnown = 256, kPlaces = 4;  // of callers, and those where one may be
    struct Known {
        std::atomic<void*> caller{nullptr}, function{nullptr};
    };

    Known& place(void* caller, unsigned number) {
        return known_[((reinterpret_cast<std::uintptr_t>(caller) >> 2) + number) % kKnown];
    }

    [[gnu::noinline]] void* find(void* caller) {
        const NoSignals undisturbed;
        const int saved_errno = errno;
        Dl_info from{};
        const bool told = dladdr(caller, &from) != 0 && from.dli_fname != nullptr;
        const bool is_private = told && private_runtimes.has(from.dli_fbase);
        void* found = is_private ? nullptr : dlsym(RTLD_NEXT, name_);
        if (found != nullptr && !private_runtimes.any()) {
            stay_loaded(found);
            of_all_.store(found, std::memory_order_release);
        } else if (found != nullptr) {
            stay_loaded(found);
            keep(caller, found);
        } else if (told && (found = find_beside(from.dli_fname)) != nullptr) {
            stay_loaded(found);
            private_runtimes.add(from.dli_fbase);
            keep(caller, found);
        }
        errno = saved_errno;
        return found;
    }

    // GCC's runtime goes with the last library that needs it, and comes back elsewhere.
    static void stay_loaded(void* function) {
        Dl_info runtime{};
        if (dladdr(function, &runtime) == 0 || runtime.dli_fname == nullptr) return;
        if (void* handle = dlopen(runtime.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)) dlclose(handle);
    }

    // Whoever comes first has the place for good: it is never read half written.
    void keep(void* caller, void* found) {
        static std::atomic_flag writing;
        if (writing.test_and_set(std::memory_order_acquire)) return;
        for (unsigned i = 0; i < kPlaces; ++i) {
            Known& known = place(caller, i);
            if (known.caller.load(std::memory_order_relaxed) != nullptr) continue;
            known.function.store(found, std::memory_order_relaxed);
            known.caller.store(caller, std::memory_order_release);
            break;
        }
        writing.clear(std::memory_order_release);
    }

    void* find_beside(const char* path) const {
        void* library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
        if (library == nullptr) return nullptr;
        void* found = dlsym(library, name_);
        dlclose(library);
        return found;
    }

    const char* name_;
    std::atomic<void*> of_all_{nullptr};  // what everybody sees
    Known known_[kKnown];
};

using Body = void(void*);
using TeamSize = int();

constinit OfRuntime team_size{"omp_get_num_threads"};

// What the threads of a region get in place of the program's own pair. A thread is first in one counted region at a
// time, so each has one for good; while that does not change, the others have its cache line already.
struct alignas(64) Region {
    Body* body;
    void* data;
    TeamState* first;  // thread of the team
    TeamSize* size;
};
constinit thread_local Region own_region [[gnu::tls_model("initial-exec")]] = {};

[[gnu::always_inline]] inline void* begin_own_region(Body* body, void* data, TeamState& state, TeamSize* size) {
    Region& region = own_region;
    if (region.body != body || region.data != data || region.first != &state || region.size != size)
        region = {body, data, &state, size};
    enter_region(state);
    return &region;
}

// Who is alone waits for nobody, and nobody for it: of its body there is nothing to know but that it is in one.
void do_alone(const Region& region, TeamState& state) {
    ++state.depth;
    region.body(region.data);
    if (state.depth != 0) --state.depth;
}

void in_team(void* argument) {
    const Region& region = *static_cast<const Region*>(argument);
    TeamState& state = team_state;
    const bool first = &state == region.first;
    if (first && region.size != nullptr) {
        const auto threads = static_cast<unsigned>(region.size());
        is_first_of(state, threads);
        if (threads < 2) return do_alone(region, state);
    }
    if (enter_body(state) && !first && region.first->cell != nullptr)
        note_begin(state, region.first->cell->region_entry_ticks);
    region.body(region.data);
    const std::uint64_t end = now_ticks();
    leave_body(state, end);
    if (first) begin_stretch(state, Stretch::wait, end);
}

template <class Function>
const void* as_address(Function* function) {
    return reinterpret_cast<const void*>(function);
}

// A region inside the body of another belongs to the other's body. So does one inside a task that the thread does
// once its own body has ended: others of the team may not have begun theirs, and read from its Region what to do.
bool is_counted(const TeamState& state, const void* real) {
    return recording && state.depth == 0 && !state.leads && !telling_runtimes.have(real);
}

// That OMP_SCHEDULE divides a loop of the program, once; and how loops are divided without it.
void note_chosen_schedule(const void* real) {
    static std::atomic<bool> noted{false};
    if (!recording || noted.load(std::memory_order_relaxed) || noted.exchange(true)) return;
    add_fact("openmp.default_schedule", telling_runtimes.have(real) ? "static" : "dynamic");
}

// Calls the runtime with the program's own body, or with ours around it.
template <class Function, class Call>
[[gnu::always_inline]] inline auto begin_region(Function* real, Body* body, void* data, void* caller, Call call) {
    TeamState& state = team_state;
    if (!is_counted(state, as_address(real))) return call(body, data);
    struct Leaving {
        TeamState& state;
        ~Leaving() {
            state.leads = false;
            leave_region(state);
        }
    };
    void* const region = begin_own_region(body, data, state, team_size.of<TeamSize>(caller));
    state.leads = true;
    const Leaving leaving{state};
    return call(&in_team, region);
}

template <class Function, class Call>
[[gnu::always_inline]] inline void wait_in_team(Function* real, Call call) {
    TeamState& state = team_state;
    if (state.depth == 0 || telling_runtimes.have(as_address(real))) return call();
    if (state.cell != nullptr && is_alone(*state.cell)) return call();
    const std::uint64_t since = now_ticks();
    end_stretch(state);
    if (is_first(state)) begin_stretch(state, Stretch::wait, since);
    call();
    const std::uint64_t end = now_ticks();
    end_stretch(state);
    waited_in_team(state, elapsed(since, end));
    begin_stretch(state, Stretch::work, end);
}

}  // namespace
}  // namespace clearway::recorder

using namespace clearway::recorder;

#define CLEARWAY_EXPORT extern "C" [[gnu::visibility("default")]]
#define CLEARWAY_CALLER __builtin_return_address(0)

// Without a runtime a region is done by the thread that is there.
#define CLEARWAY_REGION(name, result_type, alone, parameters, ...) \
    CLEARWAY_NOTED_REGION(name, void(), result_type, alone, parameters, __VA_ARGS__)
#define CLEARWAY_NOTED_REGION(name, note, result_type, alone, parameters, ...)                    \
    CLEARWAY_EXPORT result_type name parameters {                                                 \
        static constinit OfRuntime runtime{#name};                                                \
        using Function = result_type parameters;                                                  \
        void* const caller = CLEARWAY_CALLER;                                                     \
        auto* const real = runtime.of<Function>(caller);                                          \
        note;                                                                                     \
        if (real == nullptr) {                                                                    \
            body(data);                                                                           \
            return alone;                                                                         \
        }                                                                                         \
        return begin_region(real, body, data, caller,                                             \
                            [&](Body* run, void* with) { return real(run, with, __VA_ARGS__); }); \
    }
#define CLEARWAY_LOOP(name)                                                                                       \
    CLEARWAY_REGION(                                                                                              \
        name, void, void(),                                                                                       \
        (Body * body, void* data, unsigned threads, long start, long end, long step, long chunk, unsigned flags), \
        threads, start, end, step, chunk, flags)
#define CLEARWAY_RUNTIME_LOOP(name)                                                                                   \
    CLEARWAY_NOTED_REGION(                                                                                            \
        name, note_chosen_schedule(as_address(real)), void, void(),                                                   \
        (Body * body, void* data, unsigned threads, long start, long end, long step, unsigned flags), threads, start, \
        end, step, flags)
#define CLEARWAY_TEAM_WAIT(name, parameters, ...)                            \
    CLEARWAY_EXPORT void name parameters {                                   \
        static constinit OfRuntime runtime{#name};                           \
        auto* const real = runtime.of<void parameters>(CLEARWAY_CALLER);     \
        if (real != nullptr) wait_in_team(real, [&] { real(__VA_ARGS__); }); \
    }

CLEARWAY_REGION(GOMP_parallel, void, void(), (Body * body, void* data, unsigned threads, unsigned flags), threads,
                flags)
CLEARWAY_REGION(GOMP_parallel_reductions, unsigned, 1U, (Body * body, void* data, unsigned threads, unsigned flags),
                threads, flags)
CLEARWAY_REGION(GOMP_parallel_sections, void, void(),
                (Body * body, void* data, unsigned threads, unsigned count, unsigned flags), threads, count, flags)
CLEARWAY_LOOP(GOMP_parallel_loop_static)
CLEARWAY_LOOP(GOMP_parallel_loop_dynamic)
CLEARWAY_LOOP(GOMP_parallel_loop_guided)
CLEARWAY_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
CLEARWAY_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
CLEARWAY_RUNTIME_LOOP(GOMP_parallel_loop_runtime)
CLEARWAY_RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
CLEARWAY_RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

// The same within a region that has begun: a thread asks for its first piece.
#define CLEARWAY_RUNTIME_START(name)                                                      \
    CLEARWAY_EXPORT bool name(long start, long end, long step, long* first, long* last) { \
        static constinit OfRuntime runtime{#name};                                        \
        auto* const real = runtime.of<decltype(name)>(CLEARWAY_CALLER);                   \
        note_chosen_schedule(as_address(real));                                           \
        return real != nullptr && real(start, end, step, first, last);                    \
    }
CLEARWAY_RUNTIME_START(GOMP_loop_runtime_start)
CLEARWAY_RUNTIME_START(GOMP_loop_nonmonotonic_runtime_start)
CLEARWAY_RUNTIME_START(GOMP_loop_maybe_nonmonotonic_runtime_start)

// Clang's and Intel's way to begin a loop whose pieces are handed out. The place in the source is the first argument,
// the number of the thread the second; the schedule is kmp.h's sched_type, with modifiers in its upper bits.
#define CLEARWAY_DISPATCH(name, type, stride_type)                                                              \
    CLEARWAY_EXPORT void name(Word place, int thread, int schedule, type lower, type upper, stride_type stride, \
                              stride_type chunk) {                                                              \
        static constinit OfRuntime runtime{#name};                                                              \
        constexpr int kModifiers = 3 << 29, kRuntime = 37;                                                      \
        auto* const real = runtime.of<decltype(name)>(CLEARWAY_CALLER);                                         \
        if ((schedule & ~kModifiers) == kRuntime) note_chosen_schedule(as_address(real));                       \
        if (real != nullptr) real(place, thread, schedule, lower, upper, stride, chunk);                        \
    }
using Word = void*;
CLEARWAY_DISPATCH(__kmpc_dispatch_init_4, int, int)
CLEARWAY_DISPATCH(__kmpc_dispatch_init_4u, unsigned, int)
CLEARWAY_DISPATCH(__kmpc_dispatch_init_8, long, long)
CLEARWAY_DISPATCH(__kmpc_dispatch_init_8u, unsigned long, long)

// Waits of a team that has tasks are no waits: the threads do tasks in them. What is behind the arguments that a
// compiler passes is handed on as it lies there.
CLEARWAY_EXPORT void GOMP_task(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j) {
    static constinit OfRuntime runtime{"GOMP_task"};
    auto* const real = runtime.of<decltype(GOMP_task)>(CLEARWAY_CALLER);
    note_tasks(team_state);
    if (real != nullptr) real(a, b, c, d, e, f, g, h, i, j);
}
#define CLEARWAY_TASK_LOOP(name)                                                                              \
    CLEARWAY_EXPORT void name(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j, \
                              Word k) {                                                                       \
        static constinit OfRuntime runtime{#name};                                                            \
        auto* const real = runtime.of<decltype(name)>(CLEARWAY_CALLER);                                       \
        note_tasks(team_state);                                                                               \
        if (real != nullptr) real(a, b, c, d, e, f, g, h, i, j, k);                                           \
    }
CLEARWAY_TASK_LOOP(GOMP_taskloop)
CLEARWAY_TASK_LOOP(GOMP_taskloop_ull)

CLEARWAY_TEAM_WAIT(GOMP_barrier, (void))
CLEARWAY_TEAM_WAIT(GOMP_loop_end, (void))
CLEARWAY_TEAM_WAIT(GOMP_sections_end, (void))
CLEARWAY_TEAM_WAIT(GOMP_critical_start, (void))
CLEARWAY_TEAM_WAIT(GOMP_critical_name_start, (void** lock), lock)
