// Hand-worked, on a cable of 1 Gbit/s and 10 µs: a full segment takes 12,000 + 10,000 ns, an acknowledgement 416 +
// 10,000 ns, the handshake's round trip is 20,832 ns.
#include "simulator/tcp/tcp.hpp"

#include <gtest/gtest.h>

#include "simulator/testing/pair.hpp"

namespace clearway::simulator {
namespace {

// TCP as of the years before tail loss probes, with every second segment acknowledged.
TcpSettings classic() {
    TcpSettings settings;
    settings.quick_acks = 0;
    settings.probes_tails = false;
    settings.tick_ns = 0;
    settings.congestion = Congestion::reno;
    settings.send_buffer_bytes = 4 << 20;  // as good as any number
    return settings;
}

TEST(Tcp, OneSegmentIsReadAndItsAcknowledgementDelayed) {
    Pair pair(classic());
    pair.write_segments(1);
    pair.run();
    EXPECT_EQ(pair.read_by_right(), 1'448U);
    ASSERT_EQ(pair.acknowledgements().size(), 1U);
    EXPECT_EQ(pair.acknowledgements()[0].time, from_ns(22'000 + 40'000'000));
}

TEST(Tcp, OneSegmentInFlightTakesNoMemoryButTheEndpoints) {
    Pair pair(classic());
    pair.write_segments(1);
    EXPECT_TRUE(is_lone(pair.tcp().endpoint(pair.left()).busy));
    EXPECT_EQ(pair.tcp().written(pair.left()), 1'448U);
    pair.write_segments(1);
    EXPECT_FALSE(is_lone(pair.tcp().endpoint(pair.left()).busy));
    pair.run();
    EXPECT_EQ(pair.tcp().endpoint(pair.left()).busy, kNone);
    EXPECT_EQ(pair.tcp().endpoint(pair.left()).una, 2'896U);
    EXPECT_EQ(pair.read_by_right(), 2'896U);
}

TEST(Tcp, WhoeverWasAcknowledgedNothingSharesWhatItKnows) {
    Pair pair(classic());
    pair.write_segments(1);
    EXPECT_EQ(pair.tcp().endpoint(pair.left()).learnt, pair.tcp().endpoint(pair.right()).learnt);
    EXPECT_EQ(pair.tcp().learnt(pair.left()).srtt_ns, 20'832U);
    pair.run();
    EXPECT_TRUE(pair.tcp().endpoint(pair.left()).has_learnt);
    EXPECT_FALSE(pair.tcp().endpoint(pair.right()).has_learnt);
    EXPECT_EQ(pair.tcp().learnt(pair.left()).least_rtt_ns, 40'032'416U);
    EXPECT_EQ(pair.tcp().learnt(pair.left()).srtt_ns, 20'832U + (40'032'416U - 20'832U) / 8);
    EXPECT_EQ(pair.tcp().learnt(pair.right()).srtt_ns, 20'832U);
}

TEST(Tcp, AYoungConnectionAcknowledgesAtOnce) {
    TcpSettings settings = classic();
    settings.quick_acks = 16;
    Pair pair(settings);
    pair.write_segments(1);
    pair.run();
    ASSERT_EQ(pair.acknowledgements().size(), 1U);
    EXPECT_EQ(pair.acknowledgements()[0].time, from_ns(22'000));
}

// 100 bytes take 1,216 ns. Linux acknowledges what ends short when the program has taken it, RFC 1122's rule in its
// simplest form counts segments.
TEST(Tcp, ShortSegmentsAreAcknowledgedOneByOneOrTogether) {
    for (const std::uint32_t ack_segments : {0U, 2U}) {
        TcpSettings settings = classic();
        settings.ack_segments = ack_segments;
        Pair pair(settings);
        for (int i = 0; i < 2; ++i) pair.tcp().write(0, pair.left(), 100);
        pair.run();
        ASSERT_EQ(pair.acknowledgements().size(), ack_segments == 0 ? 2U : 1U);
        EXPECT_EQ(pair.acknowledgements().back().time, from_ns(2 * 1'216 + 10'000));
    }
}

// Whoever answers once lets the next short segment wait for its answer, and not the one after it: without its
// acknowledgement a window that counts segments would fill with a few bytes, as where ranks go through barriers.
TEST(Tcp, OneShortSegmentWaitsForAnAnswerAndTwoDoNot) {
    Pair pair(classic());
    pair.tcp().write(0, pair.left(), 100);
    pair.run(from_ns(12'000));
    pair.tcp().write(from_ns(12'000), pair.right(), 100);
    pair.run();
    const Picoseconds begin = from_ns(1'000'000);
    for (int i = 0; i < 2; ++i) pair.tcp().write(begin, pair.left(), 100);
    pair.run();
    EXPECT_EQ(pair.acknowledgements().back().packet.length, 0U);
    EXPECT_EQ(pair.acknowledgements().back().time, begin + from_ns(2 * 1'216 + 10'000));
}

// The 11th segment goes with the first acknowledgement: 2 segments have come after 24 + 10 µs, and it takes 10.416 µs.
TEST(Tcp, TenSegmentsGoUnasked) {
    Pair pair(classic());
    pair.write_segments(30);
    pair.run();
    const auto sent = pair.data(Happening::queued);
    ASSERT_EQ(sent.size(), 30U);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(sent[i].time, 0);
    EXPECT_EQ(sent[10].time, from_ns(34'000 + 10'416));
    EXPECT_EQ(pair.read_by_right(), 30U * 1'448);
}

// Small queues: a segment takes 2,280 bytes of the kernel's memory, so the fourth fills 9,000. The fifth follows when
// the first has left, however far it has to go.
TEST(Tcp, AConnectionFillsItsCardOnlySoFar) {
    TcpSettings settings = classic();
    settings.card_queue_bytes = 9'000;
    Pair pair(settings);
    pair.write_segments(10);
    pair.run();
    const auto sent = pair.data(Happening::queued);
    ASSERT_EQ(sent.size(), 10U);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(sent[i].time, 0);
    EXPECT_EQ(sent[4].time, from_ns(12'000));
}

// Ten segments in a round trip of 20 ms are not worth more than two before the card: 2 × 14,480 bytes / 20 ms make
// 1,414 in a millisecond.
TEST(Tcp, ASlowConnectionHasTwoSegmentsBeforeItsCard) {
    TcpSettings settings = classic();
    settings.card_queue_bytes = 9'000;
    Pair pair(settings, kUnlimited, 10'000'000);
    pair.write_segments(10);
    pair.run();
    const auto sent = pair.data(Happening::queued);
    ASSERT_EQ(sent.size(), 10U);
    EXPECT_EQ(sent[1].time, 0);
    EXPECT_EQ(sent[2].time, from_ns(12'000));
    EXPECT_EQ(sent[3].time, from_ns(24'000));
}

// In slow start two acknowledged segments let four go.
TEST(Tcp, SlowStartDoublesTheWindow) {
    Pair pair(classic());
    pair.write_segments(100);
    pair.run();
    const auto sent = pair.data(Happening::queued);
    int together = 0;
    for (const Seen& each : sent)
        if (each.time == from_ns(34'000 + 10'416)) ++together;
    EXPECT_EQ(together, 4);
    EXPECT_FLOAT_EQ(pair.tcp().learnt(pair.left()).threshold, 1e9F);
}

// Ticks of 4 ms, host 1's phase is 0.618034 of one: what comes after 22 µs finds that it has ticked 2.472 ms before. So
// an acknowledgement that is delayed by 40 ms comes after 40 ms less those.
TEST(Tcp, TimersExpireWithTheHostsOwnTick) {
    TcpSettings settings = classic();
    settings.tick_ns = 4'000'000;
    settings.own_ticks = true;
    Pair pair(settings);
    pair.run(from_ns(8'000'000));
    pair.tcp().write(from_ns(8'000'000), pair.left(), 1'448);
    pair.run();
    ASSERT_EQ(pair.acknowledgements().size(), 1U);
    EXPECT_EQ(pair.acknowledgements()[0].time, from_ns(8'000'000 + 40'000'000 - 2'472'136));
}

// Two acknowledged segments let three go where each acknowledgement counts once: the window grows from 10 to 11.
TEST(Tcp, SlowStartOfOldLinuxCountsAcknowledgements) {
    TcpSettings settings = classic();
    settings.counts_acks = true;
    Pair pair(settings);
    pair.write_segments(100);
    pair.run();
    int together = 0;
    for (const Seen& each : pair.data(Happening::queued))
        if (each.time == from_ns(34'000 + 10'416)) ++together;
    EXPECT_EQ(together, 3);
    EXPECT_EQ(pair.read_by_right(), 100U * 1'448);
}

// Six of ten segments are in flight: the window is not full, and does not grow.
TEST(Tcp, AWindowOfOldLinuxThatIsNotFullDoesNotGrow) {
    TcpSettings settings = classic();
    Pair today(settings);
    settings.counts_acks = true;
    Pair old(settings);
    for (Pair* const pair : {&today, &old}) {
        pair->write_segments(6);
        pair->run();
    }
    EXPECT_GT(today.tcp().learnt(today.left()).window, 10);
    EXPECT_FLOAT_EQ(old.tcp().learnt(old.left()).window, 10);
}

// Six segments where the card has room for one on the wire and four waiting: the sixth is lost, and nothing after it
// tells of that. The last progress is the acknowledgement of the fourth, at 4 × 12 + 10 + 10.416 µs; the fifth is
// acknowledged 40 ms after it has come at 70 µs.
TEST(Tcp, ALostTailIsSentAgainAfterTheTimeout) {
    TcpSettings settings = classic();
    settings.timeout_rule = TimeoutRule::rfc6298;
    Pair pair(settings, 4 * 1'500);
    pair.write_segments(6);
    pair.run();
    ASSERT_EQ(pair.data(Happening::dropped).size(), 1U);
    const auto sent = pair.data(Happening::queued);
    ASSERT_EQ(sent.size(), 6U);
    const Picoseconds last_progress = from_ns(70'000 + 40'000'000 + 10'416);
    EXPECT_EQ(sent[5].time, last_progress + from_ns(200'000'000));
    EXPECT_EQ(pair.tcp().counts().timeouts, 1U);
    EXPECT_EQ(pair.read_by_right(), 6U * 1'448);
}

// The same, with Linux's rule: SRTT is added to the minimum. Three round trips were measured, each of the older of the
// segments that were acknowledged: 34 + 10.416, 58 + 10.416 and 40,070 + 10.416 µs. Timers of 4 ms round up.
TEST(Tcp, LinuxAddsTheRoundTripToTheLeastTimeout) {
    std::uint64_t srtt_ns = 20'832;
    for (const std::uint64_t sample_ns : {44'416, 68'416, 40'080'416}) srtt_ns += (sample_ns - srtt_ns) / 8;
    const Picoseconds last_progress = from_ns(70'000 + 40'000'000 + 10'416);
    TcpSettings settings = classic();
    for (const std::uint64_t timeout_ns : {srtt_ns + 200'000'000, std::uint64_t{208'000'000}}) {
        Pair pair(settings, 4 * 1'500);
        pair.write_segments(6);
        pair.run();
        const auto sent = pair.data(Happening::queued);
        ASSERT_EQ(sent.size(), 6U);
        EXPECT_EQ(sent[5].time, last_progress + from_ns(timeout_ns));
        settings.tick_ns = 4'000'000;
    }
}

// Before this card nothing may wait, not even the one packet: all are lost.
TEST(Tcp, TimeoutsInARowDouble) {
    TcpSettings settings = classic();
    settings.timeout_rule = TimeoutRule::rfc6298;
    Pair pair(settings, 0);
    pair.write_segments(1);
    pair.run(from_ns(10'000'000'000));
    const auto lost = pair.data(Happening::dropped);
    ASSERT_EQ(lost.size(), 6U);
    for (std::uint64_t i = 1, ms = 200; i < lost.size(); ++i, ms *= 2)
        EXPECT_EQ(lost[i].time - lost[i - 1].time, from_ns(ms * 1'000'000));
    EXPECT_TRUE(is_lone(pair.tcp().endpoint(pair.left()).busy));  // it takes no more memory than when it was new
}

// The tenth segment is dropped (one is on the wire, eight wait). The window of 10 has grown to 18 with the first eight
// acknowledged, and to 20 with the ninth and the first SACK; the third SACK tells of the gap. It is filled without a
// timeout, and the window is halved.
TEST(Tcp, AGapIsFilledWithoutATimeout) {
    Pair pair(classic(), 8 * 1'500);
    pair.write_segments(13);
    pair.run();
    EXPECT_EQ(pair.read_by_right(), 13U * 1'448);
    ASSERT_EQ(pair.data(Happening::dropped).size(), 1U);
    EXPECT_EQ(pair.data(Happening::queued).back().packet.sequence, pair.data(Happening::dropped)[0].packet.sequence);
    EXPECT_EQ(pair.tcp().counts().recoveries, 1U);
    EXPECT_EQ(pair.tcp().counts().timeouts, 0U);
    EXPECT_FLOAT_EQ(pair.tcp().learnt(pair.left()).window, 10);
}

// With tail loss probes and RACK (RFC 8985) a lost tail waits two round trips and two ticks, not 200 ms.
TEST(Tcp, ATailLossProbeSavesTheTimeout) {
    TcpSettings settings = classic();
    settings.probes_tails = true;
    settings.quick_acks = 16;
    settings.tick_ns = 1'000'000;
    Pair pair(settings, 4 * 1'500);
    pair.write_segments(7);
    pair.run();
    EXPECT_EQ(pair.data(Happening::dropped).size(), 2U);
    EXPECT_EQ(pair.tcp().counts().timeouts, 0U);
    EXPECT_EQ(pair.read_by_right(), 7U * 1'448);
    EXPECT_LT(pair.data(Happening::queued).back().time, from_ns(10'000'000));
}

// 12.5 MB/s: 1,448 bytes every 115.84 µs, after the first ten segments.
TEST(Tcp, APacedConnectionSendsInStep) {
    TcpSettings settings = classic();
    settings.most_bytes_per_s = 12'500'000;
    Pair pair(settings);
    pair.write_segments(40);
    pair.run();
    const auto sent = pair.data(Happening::queued);
    ASSERT_EQ(sent.size(), 40U);
    EXPECT_EQ(sent[9].time, 0);
    for (std::uint64_t i = 10; i < 40; ++i) EXPECT_EQ(sent[i].time, from_ns((i - 9) * 115'840)) << i;
}

// Nobody sends more than the peer has room for, and a closed window opens again.
TEST(Tcp, TheReceiveBufferLimitsWhatIsInFlight) {
    TcpSettings settings = classic();
    settings.receive_buffer_bytes = 4 * 1'448;
    Pair pair(settings);
    pair.write_segments(50);
    pair.run();
    const auto sent = pair.data(Happening::queued);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(sent[i].time, 0);
    EXPECT_GT(sent[4].time, 0);
    EXPECT_EQ(pair.read_by_right(), 50U * 1'448);
    EXPECT_EQ(pair.tcp().counts().timeouts, 0U);
}

// 87,040 bytes are what Linux has for a new connection with segments of 1,448 bytes.
TEST(Tcp, TheSendBufferGrowsWithTheWindowWhereTheProgramWaitsForIt) {
    Pair pair(TcpSettings{});
    pair.write_segments(40);
    pair.run();
    EXPECT_EQ(pair.tcp().send_buffer_bytes(pair.left()), 87'040U);
    pair.write_segments(100);
    pair.run();
    const float window = pair.tcp().learnt(pair.left()).window;
    EXPECT_GT(window, 10.0F);
    EXPECT_EQ(pair.tcp().send_buffer_bytes(pair.left()), 2 * 4'352 * static_cast<std::uint64_t>(window));
    EXPECT_EQ(pair.read_by_right(), 40U * 1'448 + 87'040);
}

TEST(Tcp, ASendBufferThatTheProgramHasSetStaysAsItIs) {
    TcpSettings settings;
    settings.send_buffer_bytes = 16'384;
    Pair pair(settings);
    pair.write_segments(100);
    pair.run();
    EXPECT_EQ(pair.tcp().send_buffer_bytes(pair.left()), 16'384U);
    EXPECT_EQ(pair.read_by_right(), 16'384U);
}

}  // namespace
}  // namespace clearway::simulator
