// Hand-worked: a link of 1 Gbit/s, where a byte takes 8 ns, and cables of 3 µs. Packets have 24 bytes besides up to
// 1,000 of payload: 8.192 µs.
#include "simulator/rdma/rdma.hpp"

#include <gtest/gtest.h>

#include "simulator/testing/auditor.hpp"

namespace clearway::simulator {
namespace {

constexpr Framing kFraming{
    .header_bytes = 24, .sack_bytes = 0, .frame_bytes = 0, .least_frame_bytes = 0, .gap_bytes = 0};
constexpr LinkSettings kLink{.rate_bps = 1'000'000'000, .latency_ns = 3'000};
constexpr std::uint64_t kFull_ns = 8 * 1'024, kAcknowledgement_ns = 8 * 24;

class Star final : public StreamUser {
public:
    explicit Star(std::uint32_t hosts, bool has_credits = true)
        : network_(topology(hosts, has_credits), kFraming),
          rdma_({.mtu_bytes = 1'000, .most_copied_bytes = 2'000}, network_, timers_) {
        rdma_.serve(*this);
    }

    struct Heard {
        std::uint32_t endpoint;
        Picoseconds time;
        bool is_read;
    };
    std::uint32_t connect(std::uint32_t host, std::uint32_t peer) { return rdma_.connect(host, peer); }
    std::uint64_t write(std::uint32_t endpoint, std::uint64_t bytes) { return rdma_.write(now_, endpoint, bytes); }
    void run() {
        while (network_.next_time() != kNever) {
            now_ = network_.next_time();
            const Network::Arrival arrival = network_.step();
            if (arrival.is_at_host) rdma_.arrive(now_, arrival.packet);
        }
    }
    const std::vector<Heard>& heard() const { return heard_; }
    Rdma& rdma() { return rdma_; }
    Network& network() { return network_; }

    void can_read(Picoseconds now, std::uint32_t endpoint) override { heard_.push_back({endpoint, now, true}); }
    void can_write(Picoseconds now, std::uint32_t endpoint) override { heard_.push_back({endpoint, now, false}); }

private:
    static Topology topology(std::uint32_t hosts, bool has_credits) {
        LinkSettings port = kLink;
        port.buffer_bytes = 100'000;
        Topology made = one_switch(hosts, {kLink, port}, {});
        (has_credits ? made.has_credits : made.is_lossless) = true;
        return made;
    }

    Network network_;
    Timers timers_;
    Rdma rdma_;
    std::vector<Heard> heard_;
    Picoseconds now_ = 0;
};

// Two full packets and one of 524 bytes. The acknowledgement comes back over two links, and only then is it the
// program's again.
TEST(Rdma, AMessageIsReadWhenItIsWholeAndOverWhenItIsAcknowledged) {
    for (const bool has_credits : {true, false}) {
        Star star(2, has_credits);
        const std::uint32_t id = star.connect(0, 1);
        EXPECT_EQ(star.write(id, 2'500), 0U);
        EXPECT_EQ(star.rdma().written(id), 0U);
        star.run();
        ASSERT_EQ(star.heard().size(), 2U);
        const std::uint64_t last = 8 * 524;
        const Picoseconds whole = from_ns(3 * kFull_ns + last + 2 * 3'000);
        EXPECT_EQ(star.heard()[0].time, whole);
        EXPECT_TRUE(star.heard()[0].is_read);
        EXPECT_EQ(star.rdma().received(Transport::peer_of(id)), 2'500U);
        EXPECT_EQ(star.heard()[1].time, whole + from_ns(2 * (kAcknowledgement_ns + 3'000)));
        EXPECT_EQ(star.heard()[1].endpoint, id);
        EXPECT_EQ(star.write(id, 2'500), 2'500U);
        EXPECT_EQ(star.rdma().written(id), 2'500U);
        EXPECT_EQ(star.rdma().counts().segments, 3U);
        EXPECT_EQ(star.rdma().counts().acknowledgements, 1U);
    }
}

// Up to 2,000 bytes are copied, but not before a longer one in the same queue pair is over.
TEST(Rdma, AShortMessageIsCopied) {
    Star star(2);
    const std::uint32_t id = star.connect(0, 1);
    EXPECT_EQ(star.write(id, 2'000), 2'000U);
    EXPECT_EQ(star.write(id, 2'001), 0U);
    EXPECT_EQ(star.write(id, 2'001 + 10), 0U);
    star.run();
    EXPECT_EQ(star.rdma().received(Transport::peer_of(id)), 4'011U);
    EXPECT_EQ(star.write(id, 2'011), 2'011U);
}

// A card sends a packet of each of its queue pairs in turn: of ten packets to host 1 the first has begun when there is
// one to host 2, and the second is before that.
TEST(Rdma, QueuePairsTakeTurns) {
    Star star(3);
    const std::uint32_t longer = star.connect(0, 1), shorter = star.connect(0, 2);
    star.write(longer, 10'000);
    star.write(shorter, 1'000);
    star.run();
    EXPECT_EQ(star.heard()[0].endpoint, Transport::peer_of(shorter));
    EXPECT_EQ(star.heard()[0].time, from_ns(4 * kFull_ns + 2 * 3'000));
    EXPECT_EQ(star.heard()[1].endpoint, Transport::peer_of(longer));
    EXPECT_EQ(star.heard()[1].time, from_ns((1 + 11) * kFull_ns + 2 * 3'000));
}

}  // namespace
}  // namespace clearway::simulator
