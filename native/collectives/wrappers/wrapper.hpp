// A wrapper: one of MPI's names, and its PMPI_ name. As in the recorder, which stands in front of us: all arguments are
// taken as Arg (mpi/abi.hpp), and the function behind is the real MPI's PMPI_ one. A PMPI tool behind us is called
// first, where the program called MPI_X, and calls PMPI_X in its turn: then it is ours.
#pragma once

#include <atomic>

#include "collectives/own_mpi.hpp"
#include "collectives/steer_call.hpp"

#define CLEARWAY_EXPORT extern "C" [[gnu::visibility("default")]]

// MPI_X and PMPI_X, whose ways part where a tool stands behind us. `pass_X` is what we do.
#define CLEARWAY_BOTH_NAMES(name, wrapper, parameters, ...)                                              \
    CLEARWAY_EXPORT int name parameters { return wrapper.next(pass_##name __VA_OPT__(, ) __VA_ARGS__); } \
    CLEARWAY_EXPORT int P##name parameters { return pass_##name(__VA_ARGS__); }

// A collective whose blocks are all of one size. `pass_blocks` is the file's own: what is sent, what received.
#define CLEARWAY_BLOCKS_WRAPPER(name, wrapper, large)                                                                  \
    static int pass_##name(Arg sendbuf, Arg sendcount, Arg sendtype, Arg recvbuf, Arg recvcount, Arg recvtype,         \
                           Arg comm) {                                                                                 \
        if (is_left_to_mpi(comm)) [[likely]]                                                                           \
            return wrapper.own(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);                      \
        return pass_blocks(wrapper, large, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);          \
    }                                                                                                                  \
    CLEARWAY_BOTH_NAMES(                                                                                               \
        name, wrapper, (Arg sendbuf, Arg sendcount, Arg sendtype, Arg recvbuf, Arg recvcount, Arg recvtype, Arg comm), \
        sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)

namespace clearway::collectives {

// MPI_ERR_OTHER is 15 in MPICH and 16 in the others; either is an error in all.
inline int missing_function() { return 16; }

template <class... Args>
class Wrapper {
public:
    constexpr explicit Wrapper(const char* symbol) : symbol_(symbol) {}

    int own(Args... args) {
        auto* function = function_.load(std::memory_order_relaxed);
        if (function == nullptr) [[unlikely]]
            function = resolve();
        return function(args...);
    }

    // Where a call of MPI_X goes on: to a tool's MPI_X, or to `ours`.
    [[gnu::always_inline]] int next(int (*ours)(Args...), Args... args) {
        auto* function = next_.load(std::memory_order_relaxed);
        if (function == nullptr) [[unlikely]]
            function = find_next(ours, __builtin_return_address(0));
        return function(args...);
    }

private:
    using Function = int(Args...);

    [[gnu::noinline]] Function* resolve() {
        void* found = find_in_mpi(symbol_);
        auto* function = reinterpret_cast<Function*>(found != nullptr ? found : to_address(missing_function));
        function_.store(function, std::memory_order_relaxed);
        return function;
    }
    [[gnu::noinline]] Function* find_next(Function* ours, const void* caller) {
        void* tool = find_tool(symbol_ + 1, caller);
        auto* function = tool != nullptr ? reinterpret_cast<Function*>(tool) : ours;
        next_.store(function, std::memory_order_relaxed);
        return function;
    }
    static void* to_address(int (*function)()) { return reinterpret_cast<void*>(function); }

    const char* symbol_;
    std::atomic<Function*> function_{nullptr}, next_{nullptr};
};

using BlocksWrapper = Wrapper<Arg, Arg, Arg, Arg, Arg, Arg, Arg>;

// Goes through the wrapper of a collective: `describe` gives the Call, where it is wanted. Calls on a communicator that
// is left to the MPI do without, before they come here.
template <class... Args, class Describe>
int pass(Wrapper<Args...>& wrapper, Arg comm, Describe describe, Args... args) {
    int error = kMpiSuccess;
    {
        CallInProgress progress(comm);
        if (progress.group() == nullptr) return wrapper.own(args...);
        const auto own = [&] { return wrapper.own(args...); };
        const Outcome outcome = steer_call(progress, describe(), OwnCall(own));
        if (!outcome.is_untold) return outcome.code;
        error = outcome.code;
    }
    // Our own communicator returns errors; the program learns of them as it has asked on its own.
    tell_error_handler(comm, error);
    return error;
}

}  // namespace clearway::collectives
