#include "simulator/workload/job_plan.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace clearway::simulator {

namespace {

using workload::Activity;
using Do = workload::ActivityKind;

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint32_t>::max();

schedule::Operation operation_of(Do kind) {
    switch (kind) {
        case Do::alltoall:
            return schedule::Operation::alltoall;
        case Do::alltoallv:
            return schedule::Operation::alltoallv;
        case Do::allgather:
            return schedule::Operation::allgather;
        case Do::allgatherv:
            return schedule::Operation::allgatherv;
        case Do::bcast:
            return schedule::Operation::bcast;
        case Do::reduce:
            return schedule::Operation::reduce;
        case Do::allreduce:
            return schedule::Operation::allreduce;
        default:
            return schedule::Operation::barrier;
    }
}

bool is_of_blocks(Do kind) { return is_collective(kind) && !schedule::is_on_vector(operation_of(kind)); }

const schedule::Candidate& candidate_for(Do kind, const Choices& choices) {
    if (schedule::is_allgather(operation_of(kind))) return choices.allgather;
    return kind == Do::alltoallv && choices.alltoallv ? *choices.alltoallv : choices.alltoall;
}

// Of an operation on a vector: none where it is done as the MPI does it.
std::optional<schedule::Candidate> candidate_on_vector(Do kind, const Choices& choices) {
    switch (kind) {
        case Do::bcast:
            return choices.bcast;
        case Do::reduce:
            return choices.reduce;
        case Do::allreduce:
            return choices.allreduce;
        default:
            return std::nullopt;
    }
}

std::optional<schedule::Candidate> chosen_for(Do kind, const Choices& choices) {
    if (!is_collective(kind)) return std::nullopt;
    return is_of_blocks(kind) ? candidate_for(kind, choices) : candidate_on_vector(kind, choices);
}

schedule::Candidate candidate_of_call(Do kind, const std::vector<std::uint64_t>& block_bytes, const Choices& choices) {
    schedule::Candidate candidate = candidate_for(kind, choices);
    if (candidate.separation.gate == schedule::Gate::barrier &&
        *std::ranges::max_element(block_bytes) <= choices.barrier_above_bytes)
        candidate.separation.gate = schedule::Gate::none;
    return candidate;
}

// Some algorithms send all blocks of a rank in one message.
std::uint64_t largest_message(const workload::Script& script, const Activity& activity) {
    if (activity.kind == Do::wait) return 0;
    const auto& members = script.communicators[static_cast<std::size_t>(activity.communicator)].ranks;
    if (activity.counts >= 0) {
        std::uint64_t sum = 0;
        for (const std::uint64_t bytes : script.counts[static_cast<std::size_t>(activity.counts)]) sum += bytes;
        return sum;
    }
    return is_of_blocks(activity.kind) ? activity.bytes * members.size()
                                       : std::max(activity.bytes, activity.from_bytes);
}

// The placement of a communicator's members, with their hosts numbered from 0.
schedule::Placement placement_of(const std::vector<std::uint32_t>& members, const schedule::Placement& world) {
    std::map<std::uint32_t, std::uint32_t> number;
    for (const std::uint32_t rank : members) number.try_emplace(world.host_of_rank[rank], 0U);
    std::uint32_t next = 0;
    for (auto& [host, its_number] : number) its_number = next++;
    std::vector<std::uint32_t> hosts;
    hosts.reserve(members.size());
    for (const std::uint32_t rank : members) hosts.push_back(number.at(world.host_of_rank[rank]));
    return schedule::place(std::move(hosts));
}

}  // namespace

std::string fault_of(const workload::Script& script, const Choices& choices) {
    for (const auto& activities : script.activities_of)
        for (const Activity& activity : activities) {
            if (largest_message(script, activity) > kMostBytes) return "messages must be smaller than 4 GiB";
            const std::optional<schedule::Candidate> candidate = chosen_for(activity.kind, choices);
            if (!candidate) continue;
            const schedule::Operation operation = operation_of(activity.kind);
            if (!schedule::serves(*candidate->algorithm, operation))
                return std::string(candidate->algorithm->name) + " cannot do " +
                       std::string(schedule::name_of(operation));
        }
    return {};
}

JobPlan::JobPlan(const workload::Script& script, const schedule::Placement& placement, const Choices& choices)
    : script_(script) {
    for (const workload::Communicator& communicator : script.communicators)
        members_.emplace_back(communicator.ranks.begin(), communicator.ranks.end());
    calls_.resize(members_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) plan_communicator(static_cast<int>(i), placement, choices);
    for (const auto& activities : script.activities_of)
        for (const Activity& activity : activities)
            contexts_.try_emplace({activity.communicator, activity.tag}, static_cast<std::uint32_t>(contexts_.size()));
}

void JobPlan::plan_communicator(int communicator, const schedule::Placement& placement, const Choices& choices) {
    std::vector<std::vector<const Activity*>> by_ordinal;
    for (const std::uint32_t rank : members(communicator)) {
        std::size_t ordinal = 0;
        for (const Activity& activity : script_.activities_of[rank]) {
            if (activity.communicator != communicator || !is_collective(activity.kind)) continue;
            if (by_ordinal.size() == ordinal) by_ordinal.emplace_back();
            by_ordinal[ordinal++].push_back(&activity);
        }
    }
    const schedule::Placement own = placement_of(members(communicator), placement);
    for (const auto& call : by_ordinal)
        calls_[static_cast<std::size_t>(communicator)].push_back(parts_for(call, own, choices));
}

JobPlan::Key JobPlan::key_of(const std::vector<const Activity*>& call) const {
    const Activity& first = *call.front();
    Key key{static_cast<std::uint64_t>(first.communicator), static_cast<std::uint64_t>(first.kind), first.bytes,
            static_cast<std::uint64_t>(first.peer)};
    for (const Activity* activity : call) {
        if (activity->counts < 0) continue;
        const auto& counts = script_.counts[static_cast<std::size_t>(activity->counts)];
        key.insert(key.end(), counts.begin(), counts.end());
        if (first.kind == Do::allgatherv) break;  // all members have the same
    }
    return key;
}

const JobPlan::Parts* JobPlan::parts_for(const std::vector<const Activity*>& call, const schedule::Placement& placement,
                                         const Choices& choices) {
    const auto [found, is_new] = parts_.try_emplace(key_of(call));
    if (is_new) found->second = make(call, placement, choices);
    return &found->second;
}

JobPlan::Parts JobPlan::make(const std::vector<const Activity*>& call, const schedule::Placement& placement,
                             const Choices& choices) {
    const Activity& first = *call.front();
    const auto ranks = static_cast<std::uint32_t>(call.size());
    if (!is_of_blocks(first.kind)) return make_on_vector(first, placement, choices);
    schedule::Problem problem{operation_of(first.kind), placement, {first.bytes}};
    if (first.counts >= 0) {
        const Key key = key_of(call);
        problem.block_bytes.assign(key.end() - static_cast<std::ptrdiff_t>(
                                                   first.kind == Do::allgatherv ? ranks : std::uint64_t{ranks} * ranks),
                                   key.end());
    }
    return parts_of(problem, candidate_of_call(first.kind, problem.block_bytes, choices));
}

JobPlan::Parts JobPlan::make_on_vector(const Activity& activity, const schedule::Placement& placement,
                                       const Choices& choices) {
    const schedule::Operation operation = operation_of(activity.kind);
    const schedule::Algorithm& usual =
        usual_algorithm(choices.library, operation, schedule::ranks_of(placement), activity.bytes);
    const schedule::Candidate candidate =
        candidate_on_vector(activity.kind, choices).value_or(schedule::Candidate{&usual, {}});
    // A message of a collective operation is sent even where it is empty: the other side waits for it.
    const std::uint64_t bytes = std::max<std::uint64_t>(activity.bytes, 1);
    const auto root = schedule::has_root(operation) ? static_cast<std::uint32_t>(activity.peer) : 0;
    return parts_of(schedule::vector_problem(*candidate.algorithm, operation, placement, bytes, 1, root), candidate);
}

JobPlan::Parts JobPlan::parts_of(const schedule::Problem& problem, const schedule::Candidate& candidate) {
    const Runnables& runnables = scheduled_.emplace_back(problem, candidate);
    Parts parts;
    for (std::uint32_t rank = 0; rank < schedule::ranks_of(problem); ++rank) parts.push_back(runnables.of(rank));
    return parts;
}

}  // namespace clearway::simulator
