#include "simulator/workload/job.hpp"

namespace clearway::simulator {

Job::Job(const JobScenario& scenario)
    : plan_(scenario.script, scenario.placement, scenario.choices), machine_(scenario, scenario.placement, *this) {
    const std::uint32_t ranks = schedule::ranks_of(scenario.placement);
    ranks_.reserve(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) ranks_.emplace_back(plan_, rank, machine_.messages());
}

void Job::watch(CallWatcher* watcher) {
    for (RankJob& rank : ranks_) rank.watch(watcher);
}

JobOutcome Job::run() {
    running_ = 0;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        if (ranks_[rank].is_over()) continue;
        ++running_;
        machine_.messages().begin(rank, machine_.messages().core(rank).draw_skew());
    }
    while (running_ > 0 && machine_.step()) {
    }
    return {.duration_ns = to_ns(machine_.now()),
            .stuck = running_ > 0 ? stuck() : "",
            .network = machine_.network().counts(),
            .tcp = machine_.transport().counts()};
}

// Of the first two: each may wait for the other.
std::string Job::stuck() const {
    std::string said;
    for (std::size_t rank = 0, told = 0; rank < ranks_.size() && told < 2; ++rank) {
        if (ranks_[rank].is_over()) continue;
        said += (told++ == 0 ? "rank " : "; rank ") + std::to_string(rank) + " waits " + ranks_[rank].waits_for();
    }
    return said;
}

void Job::sent(std::uint32_t rank, std::uint32_t subject, std::uint32_t bytes) { ranks_[rank].sent(subject, bytes); }

void Job::received(std::uint32_t rank, std::uint32_t subject, std::uint32_t bytes) {
    ranks_[rank].received(subject, bytes);
}

void Job::heard(std::uint32_t rank, MessageKind kind, const Label& label) { ranks_[rank].heard(kind, label); }

void Job::go_on(Picoseconds now, std::uint32_t rank) {
    if (ranks_[rank].is_over()) return;
    ranks_[rank].go_on(now);
    if (ranks_[rank].is_over()) --running_;
}

}  // namespace clearway::simulator
