// One end of a connection: sender and receiver in one, as TCP's are. Positions count bytes of a stream from its begin.
//
//   what it sends      0 ....... una ======= nxt ------- written         una + window_bytes: the peer takes no more
//                        acknowledged   in flight   to be sent
//   what it receives   0 ....... read ======= received                   acknowledged: what the peer was last told
//                        the program's   waits for it
//
// There are as many as pairs of ranks, and most of them rest at any time: then nxt and written are una, and read and
// acknowledged are received. So these are kept as distances from them, in a Busy, which a resting endpoint lacks. Nor
// does one need it that has nothing but one segment in flight, as where all ranks send to all at once (kLoneSegment).
#pragma once

#include <cstdint>
#include <memory>

#include "simulator/events/time.hpp"
#include "simulator/tcp/dctcp.hpp"
#include "simulator/tcp/flight.hpp"
#include "simulator/tcp/ranges.hpp"

namespace clearway::simulator {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

// Where the number of an endpoint's Busy would be: all that it has to do with is a segment, the last that it sent, for
// whose acknowledgement it waits until its earliest timer. So many bytes, and what became of it:
//
//     11 | 10 unused | 4 of its Fate | 16 of its length
inline constexpr std::uint32_t kLoneSegment = 0xC0000000U;
constexpr bool is_lone(std::uint32_t busy) { return busy >= kLoneSegment && busy != kNone; }
constexpr std::uint32_t lone_segment(std::uint32_t bytes, const Fate& fate) {
    const std::uint32_t was = (fate.is_lost ? 1U : 0U) | (fate.is_sent_again ? 2U : 0U) |
                              (fate.was_sent_again ? 4U : 0U) | (fate.is_probed ? 8U : 0U);
    return kLoneSegment | was << 16 | bytes;
}
constexpr std::uint32_t bytes_of_lone(std::uint32_t busy) { return busy & 0xFFFFU; }
constexpr Fate fate_of_lone(std::uint32_t busy) {
    return {(busy >> 16 & 1) != 0, (busy >> 16 & 2) != 0, (busy >> 16 & 4) != 0, (busy >> 16 & 8) != 0};
}

enum class SendState : std::uint8_t {
    open,
    recovery,  // a gap was seen, and is being filled
    loss,      // a timeout has passed: everything in flight is taken for lost
};

// What is done at Busy::resend_at.
enum class Alarm : std::uint8_t {
    timeout,
    probe,       // of the tail
    reordering,  // a gap that was not filled until then is a loss
};

inline constexpr std::uint8_t kMostBackoff = 31;  // timeouts in a row that are told apart: the wait is bounded sooner

// What a sender has learnt of the way to its peer, and of the peer. As long as none of its bytes were acknowledged, it
// knows what all know whose handshake took as long, and shares it with them.
struct Learnt {
    std::uint32_t window_bytes = 0;  // from una: the peer takes no more
    std::uint32_t srtt_ns = 0, rtt_variation_ns = 0, least_rtt_ns = ~std::uint32_t{0};
    float window = 0, threshold = 0;  // segments
    float buffered_window = 0;        // the largest for which the send buffer has grown
    std::uint32_t hystart = kNone;    // its number, or what there is in place of it: see slow_start.cpp
    std::uint32_t trouble = kNone;
};
static_assert(sizeof(Learnt) == 36);

inline constexpr std::uint64_t kMostPosition = (std::uint64_t{1} << 48) - 1;  // 281 terabytes

struct Endpoint {
    std::uint64_t una : 48 = 0;
    std::uint8_t quick_acks = 0;
    std::uint8_t owed_segments = 0;  // received since the last acknowledgement
    std::uint64_t received : 48 = 0;
    std::uint8_t backoff : 5 = 0;  // timeouts in a row
    SendState state : 2 = SendState::open;
    bool answers : 1 = false;  // the program sends as it receives, so acknowledgements may wait for its data
    Alarm alarm : 2 = Alarm::timeout;
    bool was_window_limited : 1 = false;
    bool wants_room : 1 = false;   // a write() was not taken whole
    bool ended_short : 1 = false;  // the last segment received was not full
    bool echoes_congestion : 1 = false;
    bool has_learnt : 1 = false;  // its Learnt is its own
    Picoseconds last_sent = 0, last_received = 0;
    Picoseconds waking_at = kNever;  // the earliest timer in the heap
    std::uint32_t busy = kNone;      // the number of its Busy; kNone; or a lone_segment
    std::uint32_t learnt = kNone;    // the number of its Learnt
};
static_assert(sizeof(Endpoint) == 48);

// What an endpoint needs while something is under way.
struct Busy {
    Picoseconds resend_at = kNever, acknowledge_at = kNever;
    std::uint32_t flying_bytes = 0, written_bytes = 0;  // nxt and written, from una
    std::uint32_t untold_bytes = 0, unread_bytes = 0;   // received, from acknowledged and read
    Flight flight;

    bool is_idle() const {
        return flight.empty() && (flying_bytes | written_bytes | untold_bytes | unread_bytes) == 0 &&
               resend_at == kNever && acknowledge_at == kNever;
    }
    // Whether an endpoint can do with a lone segment in place of it.
    bool has_lone_segment(const Endpoint& endpoint) const {
        return flying_bytes == written_bytes && flight.size() == 1 && (untold_bytes | unread_bytes) == 0 &&
               acknowledge_at == kNever && resend_at == endpoint.waking_at && resend_at != kNever &&
               flight.has_only(endpoint.last_sent, static_cast<std::uint32_t>(endpoint.una + flying_bytes),
                               flying_bytes);
    }
    std::uint32_t& next_idle() { return unread_bytes; }
};
static_assert(sizeof(Busy) == 80);

inline std::uint64_t nxt(const Endpoint& endpoint, const Busy& busy) { return endpoint.una + busy.flying_bytes; }

// What only an endpoint needs that has met a loss, as sender or receiver.
struct Trouble {
    std::uint64_t point = 0;  // recovery ends with this position
    // Proportional rate reduction, in segments since it began.
    std::uint32_t window_before = 0, delivered = 0, sent = 0;
    std::uint32_t next_report = 0;  // which of `held` the next acknowledgement tells of
    Ranges held;                    // received beyond a gap
    double most_window = 0;         // CUBIC: the window before the last loss
    Picoseconds epoch = kNever;     // CUBIC: when the window began to grow again
    double reno_window = 0;         // CUBIC: what Reno would have

    Dctcp& dctcp() {
        if (dctcp_ == nullptr) dctcp_ = std::make_unique<Dctcp>();
        return *dctcp_;
    }

private:
    std::unique_ptr<Dctcp> dctcp_;
};
static_assert(sizeof(Trouble) == 64);

}  // namespace clearway::simulator
