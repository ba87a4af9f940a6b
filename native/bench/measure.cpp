#include "bench/measure.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace clearway::bench {

namespace {

std::uint64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }

// The same on every rank, so that all of them decide alike.
std::uint64_t largest(const World& world, std::uint64_t value) {
    const std::vector<std::uint64_t> values = gather_all(world, value);
    return *std::max_element(values.begin(), values.end());
}

std::uint64_t timed_call_ns(const World& world, const Candidate& candidate, CollectiveCall& collective) {
    candidate.choose();
    barrier();
    const std::uint64_t begin_ns = now_ns();
    collective.run(candidate.entry_point());
    return largest(world, now_ns() - begin_ns);
}

std::string arrival_fault(const World& world, const CollectiveCall& collective) {
    return largest(world, collective.all_received() ? 0 : 1) != 0 ? "wrong or missing bytes were received" : "";
}

// The first call. Empty where all ranks got every byte.
std::string fault_of(const Stage& stage, const Candidate& candidate, CollectiveCall& collective) {
    if (largest(stage.world, candidate.choose() ? 0 : 1) != 0)
        return clearway::entry_point("clearway_flow_force") == nullptr
                   ? "the flow library is not loaded"
                   : "the flow library does not have it, or not for this operation";
    collective.forget_received();
    const int code = collective.run(candidate.entry_point());
    if (largest(stage.world, code == 0 ? 0 : 1) != 0) return "the MPI returned an error";
    return arrival_fault(stage.world, collective);
}

// The flow library tries its algorithms in the first calls of a size; what it settles on is measured after that.
void warm_up(const Stage& stage, const Candidate& candidate, CollectiveCall& collective) {
    std::uint64_t spent_ns = 0;
    // A number and not a time: slow candidates must not begin colder than fast ones.
    for (std::uint32_t call = 0; call < stage.options.warm_up_calls; ++call)
        spent_ns += timed_call_ns(stage.world, candidate, collective);
    if (!candidate.learns()) return;
    for (std::uint32_t call = 0; call < stage.options.learning_calls && spent_ns < stage.options.budget_ns; ++call)
        spent_ns += timed_call_ns(stage.world, candidate, collective);
}

}  // namespace

std::vector<Point> measure(const Stage& stage, const std::vector<Candidate>& candidates, std::uint64_t block_bytes) {
    const auto& [options, world, hosts] = stage;
    std::vector<Point> points;
    CollectiveCall collective(options.operation, world.rank, world.ranks, block_bytes);
    for (const Candidate& candidate : candidates) {
        points.push_back({candidate.name(), block_bytes, {}, {}, fault_of(stage, candidate, collective)});
        if (points.back().fault.empty()) warm_up(stage, candidate, collective);
    }
    collective.forget_received();
    const TcpCounters before = count_tcp(world, hosts);
    std::uint64_t spent_ns = 0;
    for (std::uint32_t call = 0; call < options.calls; ++call) {
        if (call >= options.least_calls && spent_ns >= options.budget_ns * candidates.size()) break;
        for (std::size_t turn = 0; turn < candidates.size(); ++turn) {
            // To and fro: whoever always follows another one would find its caches, good or bad.
            const std::size_t i = call % 2 == 0 ? turn : candidates.size() - 1 - turn;
            if (!points[i].fault.empty()) continue;
            points[i].calls_ns.push_back(timed_call_ns(world, candidates[i], collective));
            spent_ns += points[i].calls_ns.back();
        }
    }
    const TcpCounters after = count_tcp(world, hosts);
    const std::string fault = arrival_fault(world, collective);
    for (Point& point : points) {
        point.tcp = {after.retransmits - before.retransmits, after.timeouts - before.timeouts};
        if (point.fault.empty()) point.fault = fault;
    }
    return points;
}

}  // namespace clearway::bench
