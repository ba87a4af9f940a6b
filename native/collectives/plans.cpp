#include "collectives/plans.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace clearway::collectives {

namespace {

// More than the candidates of a trial; a program with other sparse patterns at each call makes its Program each time.
constexpr std::size_t kMostPlans = 32;

auto as_tuple(const schedule::Separation& separation) {
    return std::tie(separation.gate, separation.window_bytes, separation.chunk_bytes, separation.pace_bytes_per_s);
}

bool are_equal(const PlanKey& a, const PlanKey& b) {
    return a.operation == b.operation && a.candidate.algorithm == b.candidate.algorithm &&
           as_tuple(a.candidate.separation) == as_tuple(b.candidate.separation) && a.has_bytes == b.has_bytes;
}

std::vector<bool> blocks_with_bytes(const std::vector<std::uint64_t>& send, const std::vector<std::uint64_t>& receive) {
    std::vector<bool> has_bytes;
    has_bytes.reserve(send.size() + receive.size());
    for (const std::uint64_t bytes : send) has_bytes.push_back(bytes != 0);
    for (const std::uint64_t bytes : receive) has_bytes.push_back(bytes != 0);
    if (std::ranges::find(has_bytes, false) == has_bytes.end()) has_bytes.clear();
    return has_bytes;
}

// Blocks of one byte for blocks of any size.
schedule::Problem problem_of(const Group& group, const PlanKey& key) {
    schedule::Problem problem{.operation = key.operation, .placement = group.placement, .block_bytes = {1}};
    if (key.has_bytes.empty()) return problem;
    const std::size_t ranks = schedule::ranks_of(group.placement);
    const bool gathers = schedule::is_allgather(key.operation);
    const auto received = key.has_bytes.end() - static_cast<std::ptrdiff_t>(ranks);
    if (gathers) {
        problem.block_bytes.assign(received, key.has_bytes.end());
        return problem;
    }
    problem.block_bytes.assign(ranks * ranks, 0);
    for (std::size_t peer = 0; peer < ranks; ++peer) {
        problem.block_bytes[group.rank * ranks + peer] = key.has_bytes[peer] ? 1 : 0;
        problem.block_bytes[peer * ranks + group.rank] = received[static_cast<std::ptrdiff_t>(peer)] ? 1 : 0;
    }
    return problem;
}

std::unique_ptr<Plan> make_plan(const Group& group, PlanKey key) {
    const schedule::Problem problem = problem_of(group, key);
    const schedule::Algorithm& algorithm = *key.candidate.algorithm;
    schedule::Runnable runnable = schedule::make_runnable(schedule::make_program(algorithm, problem, group.rank),
                                                          algorithm.phases(problem), key.candidate.separation);
    return std::make_unique<Plan>(Plan{std::move(key), 0, std::move(runnable)});
}

}  // namespace

Plans& plans_of(Group& group) {
    if (group.plans == nullptr) {
        group.plans = new Plans;
        group.destroy_plans = [](Plans* plans) { delete plans; };
    }
    return *group.plans;
}

const schedule::Runnable& plan_for(Group& group, schedule::Operation operation, const schedule::Candidate& candidate,
                                   const std::vector<std::uint64_t>& send_bytes,
                                   const std::vector<std::uint64_t>& receive_bytes) {
    Plans& plans = plans_of(group);
    PlanKey key{operation, candidate, {}};
    if (!schedule::is_uniform(operation)) key.has_bytes = blocks_with_bytes(send_bytes, receive_bytes);
    auto found = std::ranges::find_if(plans.plans, [&](const auto& plan) { return are_equal(plan->key, key); });
    if (found == plans.plans.end()) {
        if (plans.plans.size() == kMostPlans)
            plans.plans.erase(
                std::ranges::min_element(plans.plans, {}, [](const auto& plan) { return plan->last_use; }));
        plans.plans.reserve(kMostPlans);
        plans.plans.push_back(make_plan(group, std::move(key)));
        found = plans.plans.end() - 1;
    }
    (*found)->last_use = ++plans.uses;
    return (*found)->runnable;
}

}  // namespace clearway::collectives
