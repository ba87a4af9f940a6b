#include "socket_options/settings.hpp"

#include <gtest/gtest.h>

namespace clearway::socket_options {
namespace {

SocketSettings parsed(const char* text) {
    SocketSettings settings;
    EXPECT_TRUE(parse_socket_settings(text, settings)) << text;
    return settings;
}

TEST(SocketSettings, EachOptionHasItsUnits) {
    const SocketSettings settings = parsed(
        "pace:20mbit,send_buffer:64k,receive_buffer:16000,notsent_lowat:8Ki,rto_min:5ms,delack_max:500us,quickack,"
        "congestion:reno");
    EXPECT_EQ(settings.pace_bytes_per_s, 2'500'000u);
    EXPECT_EQ(settings.send_buffer_bytes, 64'000u);
    EXPECT_EQ(settings.receive_buffer_bytes, 16'000u);
    EXPECT_EQ(settings.notsent_lowat_bytes, 8'192u);
    EXPECT_EQ(settings.rto_min_us, 5'000u);
    EXPECT_EQ(settings.delack_max_us, 500u);
    EXPECT_TRUE(settings.quickack);
    EXPECT_STREQ(settings.congestion, "reno");
    EXPECT_TRUE(settings.any());
}

TEST(SocketSettings, OffAndNothingLeaveAllAsItIs) {
    EXPECT_FALSE(parsed("off").any());
    EXPECT_FALSE(parsed("").any());
}

TEST(SocketSettings, WhatIsNotUnderstoodIsRefused) {
    for (const char* text : {"pace", "pace:", "pace:20", "pace:0mbit", "send_buffer:-1", "send_buffer:5000m",
                             "rto_min:5", "rto_min:5000s", "congestion:", "congestion:a-name-that-is-too-long",
                             "quickack:1", "x:1", "quickack,,rto_min:5ms", "off,quickack", " quickack"}) {
        SocketSettings settings;
        EXPECT_FALSE(parse_socket_settings(text, settings)) << text;
    }
}

}  // namespace
}  // namespace clearway::socket_options
