#include "collectives/call_in_progress.hpp"

#include <cstdlib>
#include <cstring>

#include "collectives/comm_being_freed.hpp"
#include "collectives/forced.hpp"
#include "collectives/own_mpi.hpp"
#include "collectives/stack_frames.hpp"

namespace clearway::collectives {

namespace {

bool find_out_whether_on() {
    const char* word = std::getenv("CLEARWAY_FLOW");
    if ((word != nullptr && std::strcmp(word, "off") == 0) || own_mpi() == nullptr) return false;
    forced_candidate();  // says at once what is wrong with it
    return true;
}

// Without a word from the environment it is on: somebody loaded us.
bool is_on() {
    static const bool on = find_out_whether_on();
    return on;
}

}  // namespace

constinit thread_local CommLeftToMpi last_left_to_mpi [[gnu::tls_model("initial-exec")]] = {0, 0};

constinit thread_local CallInProgress::Inside CallInProgress::inside [[gnu::tls_model("initial-exec")]] = {nullptr, 0};

CallInProgress::CallInProgress(Arg comm) : before_(inside), comm_(comm) {
    const bool is_inside = inside.frame != nullptr && !has_ended(inside.frame, this);
    if (!is_inside) before_ = {nullptr, 0};
    if (is_inside && (inside.comm == 0 || inside.comm == comm)) return;
    inside = {this, 0};
    if (!is_on()) return;
    const std::uint32_t forgotten = groups_forgotten.load(std::memory_order_acquire);
    Group* leaving = group_being_freed(comm);
    Group* group = leaving != nullptr ? leaving : group_of(comm);
    if (group == nullptr) return;
    if (group->state == GroupState::left_to_mpi) {
        if (leaving == nullptr) last_left_to_mpi = {comm, forgotten};
    } else if (group->state == GroupState::ready || !is_null_comm(as_handle(comm))) {
        group_ = group;
    }
}

CallInProgress::~CallInProgress() { end(); }

void CallInProgress::end() {
    if (inside.frame == this) inside = before_;
}

}  // namespace clearway::collectives
