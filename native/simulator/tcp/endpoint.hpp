// One end of a connection: sender and receiver in one, as TCP's are. Positions count bytes of a stream from its begin.
//
//   what it sends      0 ....... una ======= nxt ------- written         window_end: the peer takes no more
//                        acknowledged   in flight   to be sent
//   what it receives   0 ....... read ======= received                   acknowledged: what the peer was last told
//                        the program's   waits for it
#pragma once

#include <cstdint>

#include "simulator/events/time.hpp"
#include "simulator/tcp/dctcp.hpp"
#include "simulator/tcp/hystart.hpp"
#include "simulator/tcp/ranges.hpp"

namespace clearway::simulator {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

enum class SendState : std::uint8_t {
    open,
    recovery,  // a gap was seen, and is being filled
    loss,      // a timeout has passed: everything in flight is taken for lost
};

// What is done at Endpoint::resend_at.
enum class Alarm : std::uint8_t {
    timeout,
    probe,       // of the tail
    reordering,  // a gap that was not filled until then is a loss
};

struct Endpoint {
    std::uint64_t una = 0, nxt = 0, written = 0, window_end = 0;
    std::uint64_t received = 0, acknowledged = 0, read = 0;
    Picoseconds last_sent = 0, last_received = 0;
    Picoseconds resend_at = kNever, acknowledge_at = kNever;
    Picoseconds waking_at = kNever;  // the earliest timer in the heap
    std::uint32_t srtt_ns = 0, rtt_variation_ns = 0, least_rtt_ns = ~std::uint32_t{0};
    float window = 0, threshold = 0;  // segments
    std::uint32_t card_bytes = 0;     // before the own card
    std::uint32_t flight = kNone;     // while there is something in flight
    std::uint32_t trouble = kNone;
    HyStart hystart;
    SendState state = SendState::open;
    std::uint8_t backoff = 0;  // timeouts in a row
    std::uint8_t quick_acks = 0;
    std::uint8_t owed_segments = 0;  // received since the last acknowledgement
    bool answers = false;            // the program sends as it receives, so acknowledgements may wait for its data
    bool was_window_limited = false;
    bool wants_room = false;   // a write() was not taken whole
    bool ended_short = false;  // the last segment received was not full
    Alarm alarm = Alarm::timeout;
    bool echoes_congestion = false;
};

// What only an endpoint needs that has met a loss, as sender or receiver.
struct Trouble {
    std::uint64_t point = 0;  // recovery ends with this position
    // Proportional rate reduction, in segments since it began.
    std::uint32_t window_before = 0, delivered = 0, sent = 0;
    Ranges held;                    // received beyond a gap
    std::uint32_t next_report = 0;  // which of them the next acknowledgement tells of
    double most_window = 0;         // CUBIC: the window before the last loss
    Picoseconds epoch = kNever;     // CUBIC: when the window began to grow again
    double reno_window = 0;         // CUBIC: what Reno would have
    Dctcp dctcp;
};

}  // namespace clearway::simulator
