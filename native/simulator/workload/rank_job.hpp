// One rank of a simulated job: does the activities of its Script one after another, as a program would call MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/workload/call_watcher.hpp"
#include "simulator/workload/job_plan.hpp"

namespace clearway::simulator {

class RankJob {
public:
    RankJob(const JobPlan& plan, std::uint32_t rank, Messages& messages);

    void watch(CallWatcher* watcher) { watcher_ = watcher; }
    bool is_over() const { return step_ == steps_; }
    std::string waits_for() const;  // in words

    // What Messages tells, and then go_on.
    void sent(std::uint32_t subject, std::uint32_t bytes);
    void received(std::uint32_t subject, std::uint32_t bytes);
    void heard(MessageKind kind, const Label& label);
    void go_on(Picoseconds now);

private:
    // A message of the program's own, from the call that began it to the one that completes it.
    struct Request {
        MessageSeen seen;
        int number;  // by which a wait names it
        bool is_done = false;
        bool is_over = false;  // a wait has completed it
    };
    struct Heard {
        MessageKind kind;
        Label label;
    };

    const workload::Activity& activity() const { return activities_[next_]; }
    std::uint32_t peer_of(int peer) const {
        return plan_.members(activity().communicator)[static_cast<std::size_t>(peer)];
    }
    void enter(Picoseconds now);
    bool is_waited(std::size_t at) const;
    void enter_collective();
    bool has_returned() const;
    void leave(Picoseconds now);
    void tell(Picoseconds now);
    void send(Picoseconds now, int peer, std::uint64_t bytes);
    void receive(Picoseconds now, int peer, std::uint64_t bytes);
    void find_waited(const std::vector<std::uint64_t>& numbers);
    std::uint32_t add_request(MessageSeen::What what, std::uint32_t peer, std::uint64_t bytes);

    const JobPlan& plan_;
    const std::vector<workload::Activity>& activities_;
    const std::uint32_t rank_;
    const std::uint32_t steps_;
    Messages& messages_;
    CallWatcher* watcher_ = nullptr;

    std::uint32_t step_ = 0, next_ = 0;  // where it is in the Script
    bool is_inside_ = false;             // of the activity
    Picoseconds entry_ = 0;
    std::vector<Request> requests_;     // open ones of isend and irecv, then those of the present call
    std::size_t own_requests_ = 0;      // where the present call's begin
    std::vector<std::size_t> waited_;   // of a wait: places in requests_
    std::optional<RankCall> call_;      // the collective that it is in
    std::uint32_t context_ = 0;         // of that call
    std::vector<Heard> early_;          // of calls that others have begun before this rank
    std::vector<std::uint32_t> calls_;  // by communicator: collectives begun, since the job began ...
    std::vector<std::uint32_t> calls_in_step_;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // of messages, by direction, context and peer
};

}  // namespace clearway::simulator
