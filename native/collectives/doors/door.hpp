// A door: one of MPI's names, and its PMPI_ name. As in the recorder, which stands in front of us: all arguments are
// taken as Arg (mpi/abi.hpp), and the function behind is the real MPI's PMPI_ one.
#pragma once

#include <atomic>

#include "collectives/perform.hpp"

#define CLEARWAY_EXPORT extern "C" [[gnu::visibility("default")]]

namespace clearway {

// MPI_ERR_OTHER is 15 in MPICH and 16 in the others; either is an error in all.
inline int missing_function() { return 16; }

template <class... Args>
class Door {
public:
    constexpr explicit Door(const char* symbol) : symbol_(symbol) {}

    int own(Args... args) {
        auto* function = function_.load(std::memory_order_relaxed);
        if (function == nullptr) [[unlikely]]
            function = resolve();
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
    static void* to_address(int (*function)()) { return reinterpret_cast<void*>(function); }

    const char* symbol_;
    std::atomic<Function*> function_{nullptr};
};

// Goes through the door of a collective: `describe` gives the Call, where it is wanted. Calls on a communicator that is
// known as handed do without, before they come here.
template <class... Args, class Describe>
int pass(Door<Args...>& door, Arg comm, Describe describe, Args... args) {
    const Passage passage(comm);
    if (passage.group() == nullptr) return door.own(args...);
    const auto own = [&] { return door.own(args...); };
    return perform(*passage.group(), describe(), OwnCall(own));
}

}  // namespace clearway
