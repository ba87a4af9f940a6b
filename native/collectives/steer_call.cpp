#include "collectives/steer_call.hpp"

#include <time.h>

#include <algorithm>
#include <new>
#include <optional>

#include "base/clock.hpp"
#include "collectives/agreement.hpp"
#include "collectives/buffers/block_list.hpp"
#include "collectives/executor.hpp"
#include "collectives/forced.hpp"
#include "collectives/forced_calls.hpp"
#include "collectives/own_mpi.hpp"
#include "collectives/plans.hpp"
#include "collectives/refusal.hpp"
#include "collectives/reserve.hpp"
#include "collectives/selector.hpp"

namespace clearway::collectives {

namespace {

// What an alltoallv's Program is made from has a number for each pair of ranks (128 MiB at this size).
constexpr std::uint32_t kMostRanksOfUneven = 4096;

std::uint64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }

bool all_know_sizes(schedule::Operation operation) {
    return schedule::is_uniform(operation) || schedule::is_allgather(operation);
}

// Bytes of a block, of the largest one, or 0, as all ranks know them alike (selector.hpp). The sides of an alltoall
// must agree, and where they do not, some MPIs take room for more than is sent.
std::uint64_t common_bytes(const Call& call, std::uint32_t ranks) {
    if (!all_know_sizes(call.operation)) return 0;
    const std::uint64_t received = bytes_of_largest_block(call.receive, ranks);
    if (schedule::is_allgather(call.operation) || call.send.is_in_place()) return received;
    return std::min(received, bytes_of_block(call.send, 0));
}

// MPI_ERR_NO_MEM.
int no_memory() { return abi.abi == Abi::mpich ? 34 : abi.abi == Abi::open_mpi ? 39 : 57; }

// A call ready to go: after this nothing is allocated.
struct Ready {
    int code = kMpiSuccess;
    std::optional<Execution> execution;

    // Throws std::bad_alloc.
    void make(Group& group, const Call& call, const schedule::Candidate& candidate) {
        Plans& plans = plans_of(group);
        CallBuffers& buffers = plans.buffers;
        execution.reset();
        if (!buffers.prepare(call, schedule::ranks_of(group.placement))) throw std::bad_alloc();
        const schedule::Runnable& runnable =
            plan_for(group, call.operation, candidate, buffers.send_bytes(), buffers.receive_bytes());
        code = buffers.open(call, group.rank);
        if (code == kMpiSuccess)
            execution.emplace(*own_mpi(), group.channel, group.comm, runnable, buffers.exchange(), plans.workspace);
    }
    bool is_made() const { return execution.has_value(); }
};

// Up to so many bytes in all the reserve will do.
constexpr std::uint64_t kSmallBytes = 256 << 10;

// Whether the ranks must ask each other if all of them have memory for the call; alike on all ranks. What an earlier
// call had is kept.
bool needs_agreement(Group& group, const Call& call, const schedule::Candidate& candidate, std::uint64_t block_bytes) {
    const std::uint64_t bytes = block_bytes * schedule::ranks_of(group.placement);
    if (!all_know_sizes(call.operation) || bytes <= kSmallBytes) return false;
    if (bytes > kMostKeptBytes / 4) return true;
    for (const MemoryAgreement& known : group.memory_agreements)
        if (known.algorithm == candidate.algorithm && known.operation == call.operation && bytes <= known.bytes)
            return false;
    return true;
}

void note_agreement(Group& group, const Call& call, const schedule::Candidate& candidate, std::uint64_t block_bytes) {
    const std::uint64_t bytes = block_bytes * schedule::ranks_of(group.placement);
    for (MemoryAgreement& known : group.memory_agreements)
        if (known.algorithm == candidate.algorithm && known.operation == call.operation) {
            known.bytes = std::max(known.bytes, bytes);
            return;
        }
    group.memory_agreements[group.next_agreement++ % group.memory_agreements.size()] = {candidate.algorithm,
                                                                                        call.operation, bytes};
}

// False where the ranks agreed that one of them cannot.
bool all_are_ready(Group& group, const Call& call, const schedule::Candidate& candidate, std::uint64_t block_bytes,
                   const Ready& ready) {
    if (!needs_agreement(group, call, candidate, block_bytes)) return true;
    std::uint64_t missing[] = {ready.is_made() ? 0U : 1U};
    if (!agree_on_largest(group.comm, missing) || missing[0] != 0) return false;
    note_agreement(group, call, candidate, block_bytes);
    return true;
}

// Else the MPI's own way it is.
bool serves(const schedule::Candidate& candidate, const Call& call) {
    return !candidate.is_own() && schedule::serves(*candidate.algorithm, call.operation);
}

Outcome go(Group& group, const Call& call, const schedule::Candidate& candidate, std::uint64_t block_bytes,
           const OwnCall& own) {
    if (!serves(candidate, call)) return {own(), false};
    Ready ready;
    const bool has_memory = with_reserve([&] { ready.make(group, call, candidate); });
    if (!all_are_ready(group, call, candidate, block_bytes, ready)) return {own(), false};
    if (!ready.is_made()) return {has_memory ? ready.code : no_memory(), true};
    Plans& plans = *group.plans;
    int code = ready.execution->run();
    if (code == kMpiSuccess) {
        code = plans.buffers.close();
        plans.workspace.give_back_large();
    } else {
        plans.buffers.keep_for_good();
        plans.workspace.keep_for_good();
    }
    return {code, code != kMpiSuccess};
}

// Errors that MPI tells before it communicates come first: the other ranks may not even be in the call. How long the
// arrays are depends on the kind of communicator.
bool is_refused_here(const Call& call) {
    const OwnMpi& mpi = *own_mpi();
    int inter = 1, ranks = 0, rank = 0;
    if (mpi.comm_test_inter(call.comm, to_arg(&inter)) != kMpiSuccess || inter != 0 ||
        mpi.comm_size(call.comm, to_arg(&ranks)) != kMpiSuccess ||
        mpi.comm_rank(call.comm, to_arg(&rank)) != kMpiSuccess)
        return false;
    return is_refused(call, static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(ranks));
}

// Null where there is no memory to choose with.
std::optional<Choice> make_choice(Group& group, const Call& call, std::uint64_t block_bytes) {
    std::optional<Choice> choice;
    with_reserve([&] { choice = choose(group, call.operation, block_bytes); });
    return choice;
}

}  // namespace

Outcome steer_call(CallInProgress& progress, const Call& call, const OwnCall& own_call) {
    Group& group = *progress.group();
    const bool is_fresh = group.state == GroupState::fresh;
    if (is_fresh ? is_refused_here(call) : is_refused(call, group.rank, schedule::ranks_of(group.placement))) {
        progress.end();
        return {own_call(), false};
    }
    const auto do_own = [&] {
        const OwnWay way(progress);
        return own_call();
    };
    const OwnCall own(do_own);
    // At the first call: one that collapses would leave TCP small windows for those after it.
    if (is_fresh) establish(group, call.comm);
    // From here on all ranks come to the same answer, from what is the same on all of them.
    if (group.state != GroupState::ready) return {own(), false};
    const std::uint32_t ranks = schedule::ranks_of(group.placement);
    const std::uint64_t block_bytes = common_bytes(call, ranks);
    if (all_know_sizes(call.operation) ? block_bytes == 0 : ranks > kMostRanksOfUneven) return {own(), false};
    if (const schedule::Candidate* forced = forced_candidate(); forced != nullptr) {
        count_forced_call(group, call.operation, block_bytes, serves(*forced, call) ? *forced : schedule::Candidate{});
        return go(group, call, *forced, block_bytes, own);
    }
    const std::optional<Choice> choice = make_choice(group, call, block_bytes);
    if (!choice) return {no_memory(), true};
    if (choice->trial == nullptr) return go(group, call, *choice->candidate, block_bytes, own);
    const std::uint64_t begin_ns = now_ns();
    const Outcome outcome = go(group, call, *choice->candidate, block_bytes, own);
    learn(group, *choice, now_ns() - begin_ns);
    return outcome;
}

void tell_error_handler(Arg comm, int error) { own_mpi()->comm_call_errhandler(comm, error); }

}  // namespace clearway::collectives
