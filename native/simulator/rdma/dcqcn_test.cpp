// Against the equations of Zhu et al. 2015, and their fixed point in Zhu et al. 2016 (ECN or Delay: Lessons Learnt from
// Analysis of DCQCN and TIMELY, CoNEXT).
#include "simulator/rdma/dcqcn.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "simulator/network/flow_control.hpp"
#include "simulator/rdma/rdma.hpp"

namespace clearway::simulator {
namespace {

constexpr double kLine_bps = 40e9;
constexpr DcqcnSettings kPaper{};
constexpr double kGain = 1.0 / 256;
constexpr Picoseconds kStep = from_ns(55'000);

RateLimiter notified_once() {
    RateLimiter limiter(kLine_bps);
    limiter.notified(0, kPaper);
    return limiter;
}

TEST(Dcqcn, TheFirstNotificationHalvesTheRate) {
    const RateLimiter limiter = notified_once();
    EXPECT_DOUBLE_EQ(limiter.current_bps(), kLine_bps / 2);
    EXPECT_DOUBLE_EQ(limiter.target_bps(), kLine_bps);
    EXPECT_DOUBLE_EQ(limiter.alpha(), 1);  // (1 - g) + g
}

TEST(Dcqcn, AlphaFallsWithoutNotificationsAndRisesWithThem) {
    RateLimiter limiter = notified_once();
    limiter.sent(3 * kStep, 1'000, kPaper);
    const double fallen = std::pow(1 - kGain, 3);
    EXPECT_DOUBLE_EQ(limiter.alpha(), fallen);
    const double rate_bps = limiter.current_bps();
    limiter.notified(3 * kStep, kPaper);
    EXPECT_DOUBLE_EQ(limiter.current_bps(), rate_bps * (1 - fallen / 2));
    EXPECT_DOUBLE_EQ(limiter.target_bps(), rate_bps);
    EXPECT_DOUBLE_EQ(limiter.alpha(), (1 - kGain) * fallen + kGain);
}

// Each of the first five steps halves what is missing to the target, from the sixth on the target rises, too.
TEST(Dcqcn, TheTimerRecoversAndThenAdds) {
    RateLimiter limiter = notified_once();
    limiter.notified(0, kPaper);  // a quarter, and half is the target
    double current_bps = kLine_bps / 4, target_bps = kLine_bps / 2;
    EXPECT_DOUBLE_EQ(limiter.current_bps(), current_bps);
    for (int step = 1; step <= 8; ++step) {
        limiter.sent(step * kStep - 1, 1'000, kPaper);
        EXPECT_DOUBLE_EQ(limiter.current_bps(), current_bps) << step;
        limiter.sent(step * kStep, 1'000, kPaper);
        if (step > 5) target_bps += 40e6;
        current_bps = (current_bps + target_bps) / 2;
        EXPECT_DOUBLE_EQ(limiter.current_bps(), current_bps) << step;
        EXPECT_DOUBLE_EQ(limiter.target_bps(), target_bps) << step;
    }
}

// Where both the timer and the byte counter have made six steps, the sixth of the later one is the first hyper
// increase.
TEST(Dcqcn, HyperIncreaseNeedsTimerAndByteCounter) {
    RateLimiter limiter = notified_once();
    limiter.notified(0, kPaper);
    double target_bps = kLine_bps / 2;
    for (int step = 1; step <= 6; ++step) limiter.sent(0, 10'000'000, kPaper);
    target_bps += 40e6;
    EXPECT_DOUBLE_EQ(limiter.target_bps(), target_bps);
    limiter.sent(5 * kStep, 1'000, kPaper);
    target_bps += 5 * 40e6;
    EXPECT_DOUBLE_EQ(limiter.target_bps(), target_bps);
    limiter.sent(6 * kStep, 1'000, kPaper);
    EXPECT_DOUBLE_EQ(limiter.target_bps(), target_bps + 400e6);
}

TEST(Dcqcn, ARateNeverFallsBelowTheLowestAndEndsAtTheLine) {
    RateLimiter limiter(kLine_bps);
    for (int i = 0; i < 100; ++i) limiter.notified(i, kPaper);
    EXPECT_DOUBLE_EQ(limiter.current_bps(), 100e6);
    limiter.sent(from_ns(1'000'000'000), 1'000, kPaper);
    EXPECT_FALSE(limiter.is_limited());
    EXPECT_EQ(limiter.free_at(), from_ns(1'000'000'000) + 8 * 1'000 * 25);  // 25 ps a bit
}

// Hosts that send to another all the time, through a switch whose ports mark as the paper's do.
class Incast final : public StreamUser, public Watcher {
public:
    Incast(std::uint32_t senders, bool has_dcqcn)
        : senders_(senders),
          network_(topology(senders + 1), kFraming),
          rdma_({.mtu_bytes = 1'000, .has_dcqcn = has_dcqcn}, network_, timers_),
          arrived_(senders) {
        for (const TopologyLink& link : network_.topology().links)
            if (link.to_node == senders) port_ = static_cast<std::uint32_t>(&link - network_.topology().links.data());
        network_.watch(this);
        rdma_.serve(*this);
        for (std::uint32_t host = 0; host < senders; ++host) rdma_.write(0, rdma_.connect(host, senders), kMuch);
    }

    void run_until(Picoseconds end) {
        arrived_.assign(senders_, 0);
        area_ = 0;
        const Picoseconds begin = now_;
        while (next_time() < end) {
            area_ += static_cast<double>(queued_bytes_) * static_cast<double>(next_time() - now_);
            now_ = next_time();
            if (timer_at() < network_.next_time()) {
                const std::uint32_t endpoint = timers_.top().subject();
                timers_.pop();
                rdma_.wake(now_, endpoint);
            } else if (const Network::Arrival arrival = network_.step(); arrival.is_at_host) {
                arrived_[arrival.packet.to / 2] += arrival.packet.length;
                rdma_.arrive(now_, arrival.packet);
            }
        }
        lasted_ = static_cast<double>(now_ - begin);
    }

    double mean_queue_bytes() const { return area_ / lasted_; }
    std::vector<double> rates_bps() const {
        std::vector<double> rates;
        for (const std::uint64_t bytes : arrived_) rates.push_back(8e12 * static_cast<double>(bytes) / lasted_);
        return rates;
    }
    std::uint64_t stops() const { return network_.counts().stops; }

    void can_read(Picoseconds, std::uint32_t) override {}
    void can_write(Picoseconds, std::uint32_t) override {}
    void saw(Happening happening, Picoseconds, std::uint32_t link, const Packet& packet) override {
        if (link != port_) return;
        const std::int64_t bytes = bytes_in_buffer(kFraming, packet);
        queued_bytes_ += happening == Happening::queued ? bytes : -bytes;
    }

private:
    static constexpr Framing kFraming{
        .header_bytes = 58, .sack_bytes = 0, .frame_bytes = 18, .least_frame_bytes = 64, .gap_bytes = 20};
    static constexpr std::uint64_t kMuch = 1'000'000'000;

    static Topology topology(std::uint32_t hosts) {
        LinkSettings card{.rate_bps = 40'000'000'000, .latency_ns = 500};
        LinkSettings port = card;
        port.buffer_bytes = 600'000;
        port.mark_bytes = 5'000;
        port.mark_all_bytes = 200'000;
        port.mark_share = 0.01;
        Topology made = one_switch(hosts, {card, port}, {});
        make_lossless(made, kFraming, 1'000, true);
        return made;
    }
    Picoseconds timer_at() const { return timers_.empty() ? kNever : timers_.top().time; }
    Picoseconds next_time() const { return std::min(timer_at(), network_.next_time()); }

    std::uint32_t senders_;
    Network network_;
    Timers timers_;
    Rdma rdma_;
    std::vector<std::uint64_t> arrived_;
    std::uint32_t port_ = 0;
    std::int64_t queued_bytes_ = 0;
    double area_ = 0, lasted_ = 1;
    Picoseconds now_ = 0;
};

// Their closed form for small p: where the marks that lower the rates balance the steps that raise them. With eight
// senders and more the queue swings, and its mean stays far below it.
double fixed_point_of_marks(double senders) {
    const double packet_bits = 8 * 1'096, gap_s = 55e-6;  // of alpha and of the timer
    const double line = 40e9 / packet_bits, additive = 40e6 / packet_bits, counter = 8 * 10e6 / packet_bits;
    const double steps = 1 / counter + senders / (gap_s * line);
    return std::cbrt(additive * senders * senders / (gap_s * line * line) * steps * steps);
}

TEST(Dcqcn, TheQueueIsAtTheFixedPointAndFlowsAreFair) {
    for (const std::uint32_t senders : {2U, 3U, 4U}) {
        Incast incast(senders, true);
        incast.run_until(from_ns(50'000'000));
        incast.run_until(from_ns(150'000'000));
        const double expected_bytes = 5'000 + 195'000 * fixed_point_of_marks(senders) / 0.01;
        const double under_way_bytes = 1'096 + 500 * 5;
        EXPECT_NEAR(incast.mean_queue_bytes() - under_way_bytes, expected_bytes, 0.15 * expected_bytes) << senders;
        const double all_bps = 40e9 * 1'000 / 1'096;
        double sum_bps = 0;
        for (const double rate_bps : incast.rates_bps()) {
            EXPECT_NEAR(rate_bps, all_bps / senders, 0.1 * all_bps / senders) << senders;
            sum_bps += rate_bps;
        }
        EXPECT_GT(sum_bps, 0.98 * all_bps) << senders;
    }
}

TEST(Dcqcn, SwitchesNeedNotSayStop) {
    for (const std::uint32_t senders : {2U, 16U}) {
        Incast with(senders, true), without(senders, false);
        with.run_until(from_ns(20'000'000));
        without.run_until(from_ns(20'000'000));
        EXPECT_EQ(with.stops(), 0U) << senders;
        EXPECT_GT(without.stops(), 100U) << senders;
    }
}

}  // namespace
}  // namespace clearway::simulator
