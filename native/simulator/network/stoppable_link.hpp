// One direction of a cable whose sender heeds PAUSE. When a packet leaves is not known before it does, so besides the
// arrivals there are beginnings, and orders to stop and to go on.
#pragma once

#include <cstdint>

#include "simulator/events/time.hpp"
#include "simulator/network/link.hpp"
#include "simulator/network/ring.hpp"

namespace clearway::simulator {

inline constexpr std::uint32_t kNoLink = ~std::uint32_t{0};

// A packet before a link. Lanes: credited.hpp.
struct Waiting {
    Frame frame;
    std::uint32_t came_by;  // the link over which the switch got it; kNoLink: the host's own
    std::uint16_t lane = 0;
    std::uint16_t came_by_lane = 0;
};

class StoppableLink {
public:
    explicit StoppableLink(const LinkSettings& settings);

    std::uint64_t waiting_bytes() const { return waiting_bytes_; }
    void queue(const Waiting& item);

    // A PAUSE frame passes what waits, but not what has begun. Returns when it is at the other end.
    Picoseconds send_control_frame(Picoseconds now, std::uint32_t wire_bytes);

    // From `time` on nothing begins, or something may again. Later orders must not have earlier times.
    void order(Picoseconds time, bool is_stop) { orders_.push({time, is_stop}); }
    void obey(Picoseconds now);

    bool can_begin(Picoseconds now) const { return !waiting_.empty() && !is_stopped_ && free_at_ <= now; }
    Waiting begin(Picoseconds now);

    bool has_arrived(Picoseconds now) const { return !in_flight_.empty() && in_flight_.front().arrival <= now; }
    Packet take_arrived();

    // Of whatever is next; kNever where nothing is.
    Picoseconds next_time() const;

private:
    struct InFlight {
        Picoseconds arrival;
        Packet packet;
    };
    struct Order {
        Picoseconds time;
        bool is_stop;
    };

    Picoseconds ps_per_byte_;
    Picoseconds latency_;
    Picoseconds free_at_ = 0;  // when the wire has carried all that has begun
    bool is_stopped_ = false;
    Ring<Waiting> waiting_;
    std::uint64_t waiting_bytes_ = 0;
    Ring<InFlight> in_flight_;
    Ring<Order> orders_;
};

}  // namespace clearway::simulator
