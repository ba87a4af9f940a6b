// Does what a Script says, on one rank, over the job's MPI.
#pragma once

#include <string>
#include <vector>

#include "workload/runner/calls.hpp"
#include "workload/runner/pattern.hpp"
#include "workload/runner/traffic.hpp"
#include "workload/script.hpp"

namespace clearway::workload {

class Performer {
public:
    // `scale`: computing takes so many times what the Script says.
    Performer(const Script& script, int rank, double scale);

    // One time step. Empty, or what went wrong.
    std::string perform(int step);

private:
    struct Arrival {  // what must be in a block of the receive buffer
        Stamp stamp;
        std::uint64_t place, bytes;
    };
    struct Open {  // a request
        int number;
        std::vector<Arrival> arrivals;  // none of a send
        bool is_over = false;
    };

    std::string perform(const Activity& activity);
    int call(const Activity& activity, const Traffic& traffic);
    std::string sum(const Activity& activity);
    std::string wait_for_all();
    std::string wait_for(const std::vector<std::uint64_t>& numbers);
    void forget_requests();
    void prepare(const Activity& activity, const Traffic& traffic);
    std::string check(const std::vector<Arrival>& arrivals) const;
    Stamp stamp_of(const Activity& activity, int source, int destination) const;
    const Communicator& communicator_of(const Activity& activity) const;
    int self_in(const Activity& activity) const;  // this rank, as the activity's communicator numbers it
    Arg handle_of(const Activity& activity) const;
    void* function_for(const Activity& activity) const;

    const Script& script_;
    const int rank_;
    const double scale_;
    int step_ = 0;
    std::vector<Arg> handles_;      // of the communicators
    std::vector<void*> functions_;  // by kind
    TrafficOf traffic_of_;
    // Blocks of open requests lie at the front; a blocking call uses what is behind them.
    std::vector<std::byte> send_, receive_;
    std::uint64_t open_send_bytes_ = 0, open_receive_bytes_ = 0;
    Requests requests_;
    std::vector<Open> open_;  // in the order of requests_
};

}  // namespace clearway::workload
