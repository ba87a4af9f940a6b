// DCQCN, the congestion control of RoCE v2 cards (Zhu et al. 2015, Congestion Control for Large-Scale RDMA
// Deployments, SIGCOMM): switches mark packets (ECN), the receiver's card tells the sender's of it, and that one lowers
// the rate of the queue pair, and raises it again step by step.
#pragma once

#include <cstdint>

#include "simulator/events/time.hpp"

namespace clearway::simulator {

// The defaults are what its authors deployed, but for two that are assumed: `hyper_bps` and `least_bps`.
struct DcqcnSettings {
    std::uint64_t notification_ns = 50'000;     // between two congestion notification packets (CNP) of a queue pair
    std::uint64_t alpha_ns = 55'000;            // after so long without one, alpha falls
    std::uint64_t increase_ns = 55'000;         // the rate is raised each time that so long has passed,
    std::uint64_t increase_bytes = 10'000'000;  // and each time that so much was sent
    std::uint64_t additive_bps = 40'000'000;
    std::uint64_t hyper_bps = 400'000'000;
    std::uint64_t least_bps = 100'000'000;
    std::uint64_t inverse_gain = 256;  // 1 / g
};

// The rate of one queue pair: the paper's reaction point. Time passes in it when it is asked.
class RateLimiter {
public:
    explicit RateLimiter(double line_bps) : line_bps_(line_bps), current_bps_(line_bps), target_bps_(line_bps) {}

    double current_bps() const { return current_bps_; }
    double target_bps() const { return target_bps_; }
    double alpha() const { return alpha_; }

    bool is_limited() const { return current_bps_ < line_bps_; }

    // When the next packet may be sent, if it is.
    Picoseconds free_at() const { return free_at_; }

    void notified(Picoseconds now, const DcqcnSettings& settings);
    // A packet of so many bytes on the wire was begun, at free_at() or later.
    void sent(Picoseconds now, std::uint32_t wire_bytes, const DcqcnSettings& settings);

private:
    static constexpr std::uint32_t kFastRecovery = 5;  // steps: F

    void pass(Picoseconds now, const DcqcnSettings& settings);
    void raise(const DcqcnSettings& settings);

    double line_bps_, current_bps_, target_bps_;
    double alpha_ = 1;
    Picoseconds alpha_at_ = 0, raised_at_ = 0;  // when alpha fell, and the timer raised the rate, the last time
    Picoseconds free_at_ = 0;
    std::uint64_t sent_bytes_ = 0;                    // since the byte counter raised it
    std::uint32_t timer_steps_ = 0, byte_steps_ = 0;  // since the rate was lowered
};

}  // namespace clearway::simulator
