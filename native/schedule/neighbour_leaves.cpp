#include "schedule/neighbour_leaves.hpp"

#include <algorithm>

namespace clearway::schedule {

namespace {

// The peers of this rank's messages in one direction, as (phase, peer), in the order of the phases.
std::vector<Leave> peers_of(const Program& program, Action action) {
    std::vector<Leave> peers;
    for (const Step& step : program.steps)
        if (step.action == action) peers.push_back({step.phase, step.peer});
    return peers;
}

// Each message of phase p stands for a leave at the end of p, where there is a phase after it, and for one at the end
// of the phase before, where there is one.
std::vector<Leave> leaves_about(const std::vector<Leave>& messages, std::uint32_t last_phase) {
    std::vector<Leave> leaves;
    for (const Leave& message : messages) {
        if (message.phase < last_phase) leaves.push_back(message);
        if (message.phase > 0) leaves.push_back({message.phase - 1, message.peer});
    }
    sort_leaves(leaves);
    return leaves;
}

}  // namespace

void sort_leaves(std::vector<Leave>& leaves) {
    std::ranges::sort(leaves);
    leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
}

void add_neighbour_leaves(Program& program, std::uint32_t phases) {
    program.gives = leaves_about(peers_of(program, Action::receive), phases - 1);
    program.needs = leaves_about(peers_of(program, Action::send), phases - 1);
}

}  // namespace clearway::schedule
