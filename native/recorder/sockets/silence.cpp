#include "recorder/sockets/silence.hpp"
#include "recorder/tick_rate.hpp"

#include <algorithm>
#include <bit>

namespace clearway::recorder {
namespace {

// Longer than any healthy round trip on a cluster, far shorter than the kernel's least timeout of 200 ms.
constexpr std::uint64_t kNoticeable_ns = 20'000'000;

std::uint16_t new_timeouts(const AckSample& from, const AckSample& to) {
    return to.timeouts_known ? static_cast<std::uint16_t>(to.timeouts - from.timeouts) : 0;
}

// When the peer was last heard, or when data left after a pause in which nothing was in flight: such a pause is what
// is missing from the connection's busy time.
std::uint64_t quiet_since(const AckSample& from, const AckSample& to) {
    const std::uint64_t busy_ns = to.busy_ns - from.busy_ns;
    const std::uint64_t left_ns = to.busy_ns != 0 ? to.at_ns - std::min(to.at_ns, busy_ns) : 0;
    return std::min(to.at_ns, std::max(to.last_ack_ns, left_ns));
}

std::uint64_t undoubled_rto(const AckSample& sample) { return sample.rto_ns >> std::min<int>(sample.backoff, 16); }

}  // namespace

bool SilenceTracker::observe(const AckSample& sample, Stall& stall) {
    if (!started_) {
        started_ = true;
        previous_ = sample;
        floor_ns_ = ceiling_ns_ = sample.at_ns;
        return false;
    }
    const bool progress = sample.bytes_acked != previous_.bytes_acked;
    bool told = false;
    if (silent_) {
        count_timeouts(sample);
        if (progress || sample.unacked == 0) {
            told = end_silence(sample, stall);
        } else if (timeouts_ > 0) {
            stall = {begin_ns_, sample.at_ns, timeouts_, false};
            told = true;
        }
    } else if (progress && new_timeouts(previous_, sample) > 0) {
        told = unseen_stall(sample, stall);
    }
    if (progress) floor_ns_ = std::max(floor_ns_, previous_.at_ns);
    if (sample.unacked == 0) floor_ns_ = sample.at_ns;
    if (progress || previous_.unacked == 0) ceiling_ns_ = sample.at_ns;
    const bool stuck = !progress && previous_.unacked > 0;
    if (!silent_ && sample.unacked > 0 && (stuck || sample.at_ns - quiet_since(previous_, sample) > kNoticeable_ns))
        begin_silence(sample);
    previous_ = sample;
    return told;
}

void SilenceTracker::begin_silence(const AckSample& sample) {
    silent_ = true;
    timeouts_ = 0;
    retrans_before_ = previous_.total_retrans;
    first_rto_ns_ = undoubled_rto(sample);
    begin_ns_ = bounded(quiet_since(previous_, sample));
    // With slow sampling the timeout may have struck before the silence was seen at all.
    if (sample.bytes_acked == previous_.bytes_acked) count_timeouts(sample);
}

std::uint64_t SilenceTracker::bounded(std::uint64_t begin_ns) const {
    return std::max(floor_ns_, std::min(begin_ns, ceiling_ns_));
}

// The first timeout tells the left edge from its other side: less exactly (a probe or a late segment restarts the
// timer), but not misled by packets of the peer's own data.
void SilenceTracker::count_timeouts(const AckSample& sample) {
    const std::uint16_t added = new_timeouts(previous_, sample);
    if (added == 0) return;
    if (timeouts_ == 0) {
        const std::uint64_t fired = estimate_fire(sample);
        const std::uint64_t armed = fired > first_rto_ns_ ? fired - first_rto_ns_ : 0;
        if (begin_ns_ > armed + 2 * sample.rtt_ns + kNoticeable_ns) begin_ns_ = bounded(armed);
    }
    timeouts_ += added;
}

// Since Linux 6.7 the time spent in recovery counts up from the moment the timeout struck.
std::uint64_t SilenceTracker::estimate_fire(const AckSample& sample) const {
    const bool clock_started = sample.in_loss_recovery && !previous_.in_loss_recovery &&
                               static_cast<std::uint16_t>(sample.recoveries - previous_.recoveries) == 1;
    const std::uint64_t age_ns = std::uint64_t{1'000'000} * (sample.rto_time_ms - previous_.rto_time_ms);
    const std::uint64_t gap_ns = sample.at_ns - previous_.at_ns;
    if (clock_started && age_ns <= gap_ns + kNoticeable_ns) return sample.at_ns - std::min(age_ns, gap_ns);
    return previous_.at_ns + gap_ns / 2;
}

// Between the last sample without the acknowledgement and the first one with it. If these lie far apart, a round
// trip after the last timeout, whose moment follows from the doublings, is the better guess.
std::uint64_t SilenceTracker::estimate_end(const AckSample& sample) const {
    const std::uint64_t gap_ns = sample.at_ns - previous_.at_ns;
    if (timeouts_ == 0 || gap_ns <= kNoticeable_ns) return previous_.at_ns + gap_ns / 2;
    const std::uint64_t doublings = (std::uint64_t{1} << std::min(timeouts_, 16U)) - 1;
    return std::clamp(begin_ns_ + first_rto_ns_ * doublings + previous_.rtt_ns, previous_.at_ns, sample.at_ns);
}

bool SilenceTracker::end_silence(const AckSample& sample, Stall& stall) {
    silent_ = false;
    const bool retransmitted = sample.total_retrans != retrans_before_;
    const std::uint64_t end_ns = estimate_end(sample);
    const std::uint64_t length_ns = end_ns > begin_ns_ ? end_ns - begin_ns_ : 0;
    if (!sample.timeouts_known && retransmitted && length_ns > first_rto_ns_ - first_rto_ns_ / 8)
        timeouts_ = static_cast<std::uint32_t>(std::max(
            1, static_cast<int>(std::bit_width(length_ns / std::max<std::uint64_t>(first_rto_ns_, 1) + 1)) - 1));
    const bool late_probe = retransmitted && length_ns > first_rto_ns_ / 2;
    floor_ns_ = end_ns;
    if ((timeouts_ == 0 && !late_probe) || length_ns == 0) return false;
    stall = {begin_ns_, end_ns, timeouts_, true};
    return true;
}

// Timeouts came and went between two samples: all that is known is how many, and how long one takes.
bool SilenceTracker::unseen_stall(const AckSample& sample, Stall& stall) {
    const std::uint64_t earliest = std::max(floor_ns_, previous_.at_ns);
    const std::uint32_t timeouts = new_timeouts(previous_, sample);
    if (sample.at_ns <= earliest) return false;
    const std::uint64_t length_ns = std::min(timeouts * undoubled_rto(previous_), sample.at_ns - earliest);
    if (length_ns == 0) return false;
    stall = {sample.at_ns - length_ns, sample.at_ns, timeouts, true};
    floor_ns_ = sample.at_ns;
    return true;
}

}  // namespace clearway::recorder
