#include "simulator/tcp/flight.hpp"

#include <gtest/gtest.h>

#include "simulator/events/random.hpp"

namespace clearway::simulator {
namespace {

// Segments of 100 bytes, sent at 0, 1, 2 ...
Flight flight_of(std::uint32_t segments) {
    Flight flight;
    for (std::uint32_t i = 0; i < segments; ++i) flight.send((i + 1) * 100, 100, i);
    return flight;
}

TEST(Flight, CountsWhatIsUnderWay) {
    Flight flight = flight_of(5);
    EXPECT_EQ(flight.in_flight(), 5U);
    Delivery delivery;
    flight.sack(10, 300, 500, 0, delivery);
    EXPECT_EQ(delivery.segments, 2U);
    EXPECT_EQ(flight.in_flight(), 3U);
    flight.lose(0);
    EXPECT_EQ(flight.in_flight(), 2U);
    EXPECT_EQ(flight.next_lost(), 0U);
    flight.send_again(0, 11);
    EXPECT_EQ(flight.in_flight(), 3U);
    EXPECT_EQ(flight.next_lost(), flight.size());
    flight.lose(0);  // once more
    EXPECT_EQ(flight.in_flight(), 2U);
    EXPECT_EQ(flight.next_lost(), 0U);
}

TEST(Flight, KnowsWhatBecameOfItsOnlySegment) {
    Flight flight = flight_of(1);
    EXPECT_FALSE(flight.has_only(0, 100, 100));  // nobody has noted yet how much was in flight
    flight.note_most();
    EXPECT_TRUE(flight.has_only(0, 100, 100));
    EXPECT_FALSE(flight.has_only(1, 100, 100));
    EXPECT_EQ(flight.fate(), Fate{});
    flight.lose(0);
    flight.send_again(0, 7);
    flight.note_probe();
    EXPECT_TRUE(flight.has_only(7, 100, 100));
    EXPECT_EQ(flight.fate(), (Fate{true, true, true, true}));
    flight.clear();
    EXPECT_TRUE(flight.empty());
    EXPECT_EQ(flight.most(), 0U);
}

// Whether there are counts of more segments or not.
TEST(Flight, AnOnlySegmentIsPutBackWithAllThatBecameOfIt) {
    for (const std::uint32_t before : {1U, 3U}) {
        Flight flight = flight_of(before);
        Delivery delivery;
        flight.acknowledge(5, before * 100, 0, delivery);
        flight.forget();
        for (unsigned marks = 0; marks < 16; ++marks) {
            const Fate fate{(marks & 1) != 0, (marks & 2) != 0, (marks & 4) != 0, (marks & 8) != 0};
            flight.send(1'000, 100, 9);
            flight.note_most();
            flight.set_fate(fate);
            EXPECT_TRUE(flight.has_only(9, 1'000, 100));
            EXPECT_EQ(flight.fate(), fate);
            EXPECT_EQ(flight.lost(), fate.is_lost ? 1U : 0U);
            EXPECT_EQ(flight.in_flight(), 1U - (fate.is_lost ? 1U : 0U) + (fate.is_sent_again ? 1U : 0U));
            flight.clear();
        }
    }
}

// The first of two has arrived: RACK compares the second with it.
TEST(Flight, IsNotOfOneSegmentOnlyWhereAnotherHasArrivedBefore) {
    Flight flight = flight_of(2);
    Delivery delivery;
    flight.acknowledge(5, 100, 0, delivery);
    flight.note_most();
    EXPECT_EQ(flight.size(), 1U);
    EXPECT_FALSE(flight.has_only(flight[0].sent_at, 200, 100));
}

// Segments that were told of before do not count again; what was sent twice measures no round trip.
TEST(Flight, TellsWhatHasArrived) {
    Flight flight = flight_of(5);
    Delivery first;
    flight.sack(10, 200, 300, 0, first);
    EXPECT_EQ(first.first_sent_at, 2);
    flight.lose(0);
    flight.send_again(0, 11);
    Delivery second;
    flight.acknowledge(20, 400, 0, second);
    EXPECT_EQ(second.segments, 3U);
    EXPECT_EQ(second.first_sent_at, 1);
    EXPECT_EQ(second.last_sent_at, 3);
    EXPECT_EQ(flight.size(), 1U);
    EXPECT_EQ(flight.in_flight(), 1U);
    EXPECT_EQ(flight.sacked() + flight.lost(), 0U);
}

TEST(Flight, ThreeMustOvertake) {
    Flight flight = flight_of(6);
    Delivery delivery;
    flight.sack(10, 200, 300, 0, delivery);
    flight.sack(10, 400, 500, 0, delivery);
    flight.lose_overtaken(3);
    EXPECT_EQ(flight.lost(), 0U);
    flight.sack(10, 500, 600, 0, delivery);
    flight.lose_overtaken(3);
    EXPECT_EQ(flight.lost(), 2U);  // the fourth was overtaken by two
    EXPECT_FALSE(flight[3].is_lost);
}

// FACK: the fifth has arrived, and the first two lie three before it.
TEST(Flight, WithForwardAcknowledgementsOneOvertakesForThree) {
    Flight flight = flight_of(6);
    Delivery delivery;
    flight.sack(10, 400, 500, 0, delivery);
    flight.lose_overtaken(3, false);
    EXPECT_EQ(flight.lost(), 0U);
    flight.lose_overtaken(3, true);
    EXPECT_EQ(flight.lost(), 2U);
    EXPECT_FALSE(flight[2].is_lost);
    EXPECT_FALSE(flight[5].is_lost);
}

// RACK: the fourth segment has arrived after 10 - 3 = 7. The first ones, sent at 0 and 1, are due at 7 and 8, and the
// third, at 2, at 9: with a patience of 2 it may come until 11.
TEST(Flight, WhatIsOverdueIsLost) {
    Flight flight = flight_of(5);
    Delivery delivery;
    flight.sack(10, 300, 400, 0, delivery);
    EXPECT_EQ(flight.lose_by_time(10, 2), 11);
    EXPECT_EQ(flight.lost(), 2U);
    EXPECT_EQ(flight.lose_by_time(11, 2), kNever);
    EXPECT_EQ(flight.lost(), 3U);
    EXPECT_FALSE(flight[4].is_lost);  // sent later
}

// A segment that was sent again, and arrives, shows that another one sent again before it is lost.
TEST(Flight, ASecondLossIsNoticed) {
    Flight flight = flight_of(2);
    flight.lose(0);
    flight.lose(1);
    flight.send_again(0, 20);
    flight.send_again(1, 21);
    Delivery delivery;
    flight.sack(31, 100, 200, 5, delivery);
    EXPECT_EQ(flight.lose_by_time(31, 0), kNever);
    EXPECT_EQ(flight.next_lost(), 0U);
}

// Sooner than any round trip: it is the first transmission that has arrived.
TEST(Flight, AnAmbiguousArrivalShowsNothing) {
    Flight flight = flight_of(2);
    flight.lose(1);
    flight.send_again(1, 20);
    Delivery delivery;
    flight.sack(22, 100, 200, 5, delivery);
    EXPECT_EQ(flight.last_round_trip(), 0);
}

// One or two segments are kept elsewhere than more. A flight that had more once keeps the memory for them: it is to do
// the same, whatever happens.
TEST(Flight, FewSegmentsDoAsManyDo) {
    Random random(1);
    for (int run = 0; run < 2000; ++run) {
        Flight flights[2] = {Flight(), flight_of(3)};
        Delivery ignored;
        flights[1].acknowledge(3, 300, 0, ignored);
        flights[1].forget();
        std::uint32_t end = 0;
        for (Picoseconds now = 10; now < 40; ++now) {
            const std::uint64_t what = random.next() % 9;
            const std::uint32_t size = flights[0].size();
            const std::uint32_t i = size == 0 ? 0 : static_cast<std::uint32_t>(random.next() % size);
            if (what < 3 && size < 3) end += 100;
            Delivery told[2];
            Picoseconds look_at[2] = {};
            for (int k = 0; k < 2; ++k) {
                Flight& flight = flights[k];
                if (what < 3 && size < 3) {
                    flight.send(end, 100, now);
                    if (what == 0) flight.note_most();
                } else if (what < 5 && size > 0) {
                    flight.acknowledge(now, flight[i].end, 4, told[k]);
                    look_at[k] = flight.lose_by_time(now, 1);
                    if (flight.empty()) flight.forget();
                } else if (what == 5 && size > 1) {
                    flight.sack(now, flight[i].begin(), flight[i].end, 4, told[k]);
                    look_at[k] = flight.lose_by_time(now, 2);
                } else if (what == 6 && size > 0) {
                    flight.lose(i);
                } else if (what == 7 && size > 0 && flight.sacked() == 0 && !flight.is_probed()) {
                    flight.send_again(size - 1, now);
                    flight.note_probe();
                } else if (flight.next_lost() < size) {
                    flight.send_again(flight.next_lost(), now);
                }
            }
            ASSERT_EQ(look_at[0], look_at[1]);
            ASSERT_EQ(told[0].segments, told[1].segments);
            ASSERT_EQ(told[0].first_sent_at, told[1].first_sent_at);
            ASSERT_EQ(flights[0].size(), flights[1].size());
            ASSERT_EQ(flights[0].in_flight(), flights[1].in_flight());
            ASSERT_EQ(flights[0].lost(), flights[1].lost());
            ASSERT_EQ(flights[0].sacked(), flights[1].sacked());
            ASSERT_EQ(flights[0].most(), flights[1].most());
            ASSERT_EQ(flights[0].is_probed(), flights[1].is_probed());
            ASSERT_EQ(flights[0].next_lost(), flights[1].next_lost());
            if (!flights[0].empty()) {
                ASSERT_EQ(flights[0][0].sent_at, flights[1][0].sent_at);
                ASSERT_EQ(flights[0][0].is_lost, flights[1][0].is_lost);
            }
            if (flights[0].size() > 1) {
                ASSERT_EQ(flights[0].last_round_trip(), flights[1].last_round_trip());
            }
        }
    }
}

}  // namespace
}  // namespace clearway::simulator
