#include "collectives/perform.hpp"

#include <time.h>

#include <cstdlib>
#include <cstring>

#include "collectives/buffers/block_list.hpp"
#include "collectives/executor.hpp"
#include "collectives/forced.hpp"
#include "collectives/own_mpi.hpp"
#include "collectives/plans.hpp"
#include "collectives/selector.hpp"

namespace clearway {

namespace {

// What an alltoallv's Program is made from has a number for each pair of ranks (128 MiB at this size).
constexpr std::uint32_t kMostRanksOfUneven = 4096;

constinit thread_local std::uint32_t depth [[gnu::tls_model("initial-exec")]] = 0;

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

std::uint64_t now_ns() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

// MPI_BOTTOM is null too, but then types tell addresses, which predefined ones do not.
bool lacks_memory(const Side& side, std::uint32_t ranks) {
    return side.buffer == 0 && side.division != Division::typed && is_predefined_type(as_handle(side.types)) &&
           bytes_of_largest_block(side, ranks) != 0;
}

// Sent from the very bytes that are received into: an error, which some MPIs tell.
bool overlaps_itself(const Call& call) {
    return call.operation == schedule::Operation::alltoall && call.send.buffer == call.receive.buffer &&
           as_handle(call.send.types) == as_handle(call.receive.types);
}

bool all_know_sizes(schedule::Operation operation) {
    return schedule::is_uniform(operation) || schedule::is_allgather(operation);
}

// Sizes that the sides of one rank must have in common.
bool agrees_with_itself(const Call& call, std::uint32_t rank) {
    const bool gathers = schedule::is_allgather(call.operation);
    if (call.send.is_in_place() || !all_know_sizes(call.operation)) return true;
    return bytes_of_block(call.send, 0) == bytes_of_block(call.receive, gathers ? rank : 0);
}

// Bytes of a block, of the largest one, or 0, as all ranks know them alike (selector.hpp).
std::uint64_t common_bytes(const Call& call, std::uint32_t ranks) {
    return all_know_sizes(call.operation) ? bytes_of_largest_block(call.receive, ranks) : 0;
}

bool is_sound_pair(const Call& call, std::uint32_t ranks) {
    if (!is_sound(call.receive, ranks) || lacks_memory(call.receive, ranks)) return false;
    if (call.send.is_in_place()) return true;
    return is_sound(call.send, ranks) && !lacks_memory(call.send, ranks) && !overlaps_itself(call);
}

// Whether the call is one of ours. All ranks must come to the same answer: what is asked here is the same on all of
// them, or else an error, which the MPI itself is to tell.
bool is_ours(const Call& call, const Group& group, std::uint64_t& block_bytes) {
    const std::uint32_t ranks = schedule::ranks_of(group.placement);
    if (!is_sound_pair(call, ranks) || !agrees_with_itself(call, group.rank)) return false;
    block_bytes = common_bytes(call, ranks);
    return all_know_sizes(call.operation) ? block_bytes != 0 : ranks <= kMostRanksOfUneven;
}

// An error that MPI tells before it communicates: the other ranks may not even be in the call. (Arrays cannot be looked
// at yet: how long they are depends on the kind of communicator.)
bool is_alone_in_error(const Call& call) {
    const auto is_wrong = [](const Side& side) {
        const bool is_scalar = side.division == Division::equal || side.division == Division::one_block;
        return is_scalar && !side.is_in_place() && !is_sound(side, 1);
    };
    return is_wrong(call.send) || is_wrong(call.receive);
}

int run(Group& group, const Call& call, const Candidate& candidate, CallBuffers& buffers) {
    int code = buffers.open(call, group.rank, group.comm);
    if (code != kMpiSuccess) return code;
    const Runnable& runnable =
        plan_for(group, call.operation, candidate, buffers.send_bytes(), buffers.receive_bytes());
    code = execute(*own_mpi(), group.comm, runnable, buffers.exchange());
    return code == kMpiSuccess ? buffers.close(group.comm) : code;
}

int go(Group& group, const Call& call, const Candidate& candidate, const OwnCall& own) {
    if (candidate.is_own() || !schedule::serves(*candidate.algorithm, call.operation)) return own();
    CallBuffers& buffers = plans_of(group).buffers;
    // A type that MPI refuses: an error, which the MPI is to tell in its own words.
    if (!buffers.read(call, schedule::ranks_of(group.placement), group.comm)) return own();
    const int code = run(group, call, candidate, buffers);
    // Our own communicator returns errors; the program learns of them as it has asked on its own.
    if (code != kMpiSuccess) own_mpi()->comm_call_errhandler(call.comm, code);
    return code;
}

}  // namespace

constinit thread_local HandedComm last_handed [[gnu::tls_model("initial-exec")]] = {0, 0};

Passage::Passage(Arg comm) {
    if (depth++ != 0 || !is_on()) return;
    const std::uint32_t forgotten = groups_forgotten.load(std::memory_order_acquire);
    Group* group = group_of(comm);
    if (group == nullptr) return;
    if (group->state == GroupState::handed)
        last_handed = {comm, forgotten};
    else if (group->state == GroupState::ready || !is_null_comm(as_handle(comm)))
        group_ = group;
}

Passage::~Passage() { --depth; }

int perform(Group& group, const Call& call, const OwnCall& own) {
    // At the first call: one that collapses would leave TCP small windows for those after it.
    if (group.state == GroupState::fresh && !is_alone_in_error(call)) establish(group, call.comm);
    if (group.state != GroupState::ready) return own();
    std::uint64_t block_bytes = 0;
    if (!is_ours(call, group, block_bytes)) return own();
    if (const Candidate* forced = forced_candidate(); forced != nullptr) return go(group, call, *forced, own);
    const Choice choice = choose(group, call.operation, block_bytes);
    if (choice.course == nullptr) return go(group, call, *choice.candidate, own);
    const std::uint64_t begin_ns = now_ns();
    const int code = go(group, call, *choice.candidate, own);
    learn(group, choice, now_ns() - begin_ns);
    return code;
}

}  // namespace clearway
