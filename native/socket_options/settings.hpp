// What CLEARWAY_FLOW_SOCKETS says: options for the connections between hosts. Pure: no socket is touched.
#pragma once

#include <cstdint>

namespace clearway::socket_options {

// 0 and empty: the kernel's and the MPI's own choice stands.
struct SocketSettings {
    std::uint64_t pace_bytes_per_s = 0;
    std::uint32_t send_buffer_bytes = 0;
    std::uint32_t receive_buffer_bytes = 0;  // bounds what is on its way to a receiver
    std::uint32_t notsent_lowat_bytes = 0;
    std::uint32_t rto_min_us = 0;     // how long a loss may stall a connection; Linux has 200 ms
    std::uint32_t delack_max_us = 0;  // must be below the other end's rto_min
    bool quickack = false;
    char congestion[16] = "";

    bool any() const {
        return pace_bytes_per_s != 0 || send_buffer_bytes != 0 || receive_buffer_bytes != 0 ||
               notsent_lowat_bytes != 0 || rto_min_us != 0 || delack_max_us != 0 || quickack || congestion[0] != '\0';
    }
};

// `NAME:VALUE`, separated by commas, as "rto_min:5ms,send_buffer:64k"; "off" and "" say nothing. Returns false, with
// `settings` undefined, where the text cannot be understood.
bool parse_socket_settings(const char* text, SocketSettings& settings);

// Of this process: what the environment says, the default without it, and nothing where it is wrong (the launcher
// has complained).
const SocketSettings& socket_settings();

inline constexpr char kSocketSettingsHint[] =
    "pace:20mbit, send_buffer:64k, receive_buffer:16k, notsent_lowat:16k, rto_min:10ms, delack_max:5ms, quickack, "
    "congestion:NAME, separated by commas, or off";

}  // namespace clearway::socket_options
