// A Script made ready to be simulated: every collective call of a time step with the program that each member runs.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schedule/candidate.hpp"
#include "simulator/mpi/runnables.hpp"
#include "simulator/workload/usual_algorithm.hpp"
#include "workload/script.hpp"

namespace clearway::simulator {

// How the operations are done: those on a vector as this MPI does them (usual_algorithm.hpp), where nothing is said.
struct Choices {
    schedule::Candidate alltoall;
    std::optional<schedule::Candidate> alltoallv;  // as alltoall where nothing is said
    schedule::Candidate allgather;                 // and allgatherv
    std::optional<schedule::Candidate> bcast, reduce, allreduce;
    Library library = Library::mpich;
    std::uint64_t barrier_above_bytes = 0;  // blocks that are all smaller go without barriers: S_barr of Kutzner 2007
};

// Why the Script cannot be simulated so, as a sentence; empty where it can.
std::string fault_of(const workload::Script& script, const Choices& choices);

constexpr bool is_collective(workload::ActivityKind kind) { return kind >= workload::ActivityKind::alltoall; }

class JobPlan {
public:
    // Both must be without fault, and outlive the plan.
    JobPlan(const workload::Script& script, const schedule::Placement& placement, const Choices& choices);

    const workload::Script& script() const { return script_; }

    // Ranks of the world.
    const std::vector<std::uint32_t>& members(int communicator) const {
        return members_[static_cast<std::size_t>(communicator)];
    }

    // What `member` runs in the call that is the `ordinal`-th of its communicator in a time step.
    const RankProgram& part(int communicator, std::uint32_t ordinal, std::uint32_t member) const {
        return (*calls_[static_cast<std::size_t>(communicator)][ordinal])[member];
    }

    // What messages with this tag on this communicator have in common.
    std::uint32_t context(int communicator, int tag) const { return contexts_.at({communicator, tag}); }

private:
    using Parts = std::vector<RankProgram>;  // by member
    using Key = std::vector<std::uint64_t>;  // all that the parts depend on

    void plan_communicator(int communicator, const schedule::Placement& placement, const Choices& choices);
    const Parts* parts_for(const std::vector<const workload::Activity*>& call, const schedule::Placement& placement,
                           const Choices& choices);
    Key key_of(const std::vector<const workload::Activity*>& call) const;
    Parts make(const std::vector<const workload::Activity*>& call, const schedule::Placement& placement,
               const Choices& choices);
    Parts make_on_vector(const workload::Activity& activity, const schedule::Placement& placement,
                         const Choices& choices);
    Parts parts_of(const schedule::Problem& problem, const schedule::Candidate& candidate);

    const workload::Script& script_;
    std::vector<std::vector<std::uint32_t>> members_;
    std::vector<std::vector<const Parts*>> calls_;  // by communicator and ordinal
    std::map<Key, Parts> parts_;
    std::deque<Runnables> scheduled_;
    std::map<std::pair<int, int>, std::uint32_t> contexts_;
};

}  // namespace clearway::simulator
