#include "simulator/rdma/dcqcn.hpp"

#include <algorithm>
#include <cmath>

namespace clearway::simulator {

namespace {

constexpr double kNearlyTheLine = 0.999;  // each step halves what is missing, which would never be nothing

}  // namespace

// The cut: the target is what the rate was.
void RateLimiter::notified(Picoseconds now, const DcqcnSettings& settings) {
    pass(now, settings);
    target_bps_ = current_bps_;
    current_bps_ =
        std::max(current_bps_ * (1 - alpha_ / 2), std::min(line_bps_, static_cast<double>(settings.least_bps)));
    alpha_ += (1 - alpha_) / static_cast<double>(settings.inverse_gain);
    alpha_at_ = raised_at_ = now;
    sent_bytes_ = 0;
    timer_steps_ = byte_steps_ = 0;
}

void RateLimiter::sent(Picoseconds now, std::uint32_t wire_bytes, const DcqcnSettings& settings) {
    pass(now, settings);
    if (is_limited()) {
        sent_bytes_ += wire_bytes;
        for (; sent_bytes_ >= settings.increase_bytes; sent_bytes_ -= settings.increase_bytes) {
            ++byte_steps_;
            raise(settings);
        }
    }
    free_at_ = now + static_cast<Picoseconds>(8e12 * wire_bytes / current_bps_);
}

// What the timers have done until now: alpha fell, and the rate rose.
void RateLimiter::pass(Picoseconds now, const DcqcnSettings& settings) {
    const Picoseconds alpha_time = from_ns(settings.alpha_ns), increase_time = from_ns(settings.increase_ns);
    const Picoseconds falls = (now - alpha_at_) / alpha_time;
    alpha_ *= std::pow(1 - 1 / static_cast<double>(settings.inverse_gain), static_cast<double>(falls));
    alpha_at_ += falls * alpha_time;
    for (; is_limited() && now - raised_at_ >= increase_time; raised_at_ += increase_time) {
        ++timer_steps_;
        raise(settings);
    }
}

// Fast recovery first, which goes back to what was; then additive increase, and hyper increase where both the timer and
// the byte counter are beyond it.
void RateLimiter::raise(const DcqcnSettings& settings) {
    if (std::min(timer_steps_, byte_steps_) > kFastRecovery) {
        const std::uint32_t times = std::min(timer_steps_, byte_steps_) - kFastRecovery;
        target_bps_ += static_cast<double>(times * settings.hyper_bps);
    } else if (std::max(timer_steps_, byte_steps_) > kFastRecovery) {
        target_bps_ += static_cast<double>(settings.additive_bps);
    }
    target_bps_ = std::min(target_bps_, line_bps_);
    current_bps_ = (current_bps_ + target_bps_) / 2;
    if (current_bps_ > kNearlyTheLine * line_bps_) current_bps_ = line_bps_;
}

}  // namespace clearway::simulator
