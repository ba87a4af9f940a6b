// The call that the main thread is in: with whom, for those who look at a job that hangs.
//
// A call only leaves its arguments behind. What they mean is found out by the sampler, and only of a call that is still
// open a period later: so it costs the job nothing but the stores.
#pragma once

#include "recorder/thread.hpp"

namespace clearway::recorder {

// Of a call that ends when a message or a collective does.
[[gnu::always_inline]] inline void note_open(const ThreadState& thread, std::uint32_t function, std::intptr_t comm,
                                             std::int32_t peer, std::int32_t tag) {
    OpenArguments& open = *thread.open;
    open.function = function;
    open.comm = comm;
    open.peer = peer;
    open.tag = tag;
}

// Of one that ends when requests do.
[[gnu::always_inline]] inline void note_open(const ThreadState& thread, std::uint32_t function,
                                             const std::intptr_t* requests, std::size_t count) {
    OpenArguments& open = *thread.open;
    open.function = function;
    open.requests = requests;
    open.count = count;
}

// One turn of the sampler: writes down what a call that was open the last time too waits for.
void describe_open_call();

}  // namespace clearway::recorder
