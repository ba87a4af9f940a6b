#include "collectives/comm_being_freed.hpp"

#include <array>
#include <new>

#include "collectives/stack_frames.hpp"

namespace clearway::collectives {

namespace {

// Callbacks may free other communicators. Deeper than this nobody goes; those communicators are forgotten at once.
constexpr std::size_t kMost = 8;

struct Leaving {
    Arg comm;
    Group* group;
    const void* frame;
};
constinit thread_local std::array<Leaving, kMost> leaving [[gnu::tls_model("initial-exec")]] = {};
constinit thread_local std::size_t number_leaving [[gnu::tls_model("initial-exec")]] = 0;

// A callback may have left by longjmp.
void drop_stale(const void* frame) {
    while (number_leaving > 0 && has_ended(leaving[number_leaving - 1].frame, frame))
        destroy(leaving[--number_leaving].group);
}

}  // namespace

CommBeingFreed::CommBeingFreed(Arg comm) {
    drop_stale(this);
    Group* group = take_group(comm);
    if (number_leaving < kMost)
        leaving[number_leaving++] = {as_handle(comm), group, this};
    else
        destroy(group);
}

CommBeingFreed::~CommBeingFreed() {
    if (number_leaving > 0 && leaving[number_leaving - 1].frame == this) destroy(leaving[--number_leaving].group);
}

Group* group_being_freed(Arg comm) {
    if (number_leaving == 0) return nullptr;
    const int here = 0;
    drop_stale(&here);
    for (std::size_t i = number_leaving; i-- > 0;) {
        if (leaving[i].comm != as_handle(comm)) continue;
        if (leaving[i].group == nullptr) leaving[i].group = new (std::nothrow) Group;
        return leaving[i].group;
    }
    return nullptr;
}

}  // namespace clearway::collectives
