// Moves packets where switches say stop (flow_control.hpp). What a switch has taken and not passed on is counted by the
// link it came over, so that whoever sends too much is stopped, and nobody else.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/events/min_heap.hpp"
#include "simulator/network/framing.hpp"
#include "simulator/network/stoppable_link.hpp"
#include "simulator/network/topology.hpp"

namespace clearway::simulator {

class Lossless {
public:
    Lossless(const Topology& topology, const Framing& framing);

    Picoseconds next_time() const { return events_.empty() ? kNever : events_.top().time; }
    std::uint64_t stops() const { return stops_; }

    // After marking, if it is to be marked. Returns false where the port that it came by has no room.
    bool enter(Picoseconds now, std::uint32_t link, const StoppableLink::Waiting& item);
    bool is_congested(std::uint32_t link) const { return links_[link].waiting_bytes() > ports_[link].mark_bytes; }

    // Carries out what happens at next_time(). Returns the link over which a packet has come; kNoLink: none has.
    std::uint32_t step(Packet& packet);

private:
    struct Event {
        Picoseconds time;
        std::uint32_t link;
        auto operator<=>(const Event&) const = default;
    };
    // What belongs to a link, and to the switch's port at its far end.
    struct Port {
        std::uint64_t mark_bytes;
        std::uint64_t stop_bytes;
        std::uint64_t buffer_bytes;
        Picoseconds reaction;
        std::uint32_t reverse;
        bool has_said_stop = false;
        std::uint64_t taken_bytes = 0;
    };

    void begin_what_can(Picoseconds now, std::uint32_t link);
    void pass_on(Picoseconds now, const StoppableLink::Waiting& item);
    void say(Picoseconds now, std::uint32_t link, bool is_stop);
    void schedule(std::uint32_t link);

    std::uint32_t control_wire_bytes_;
    std::vector<StoppableLink> links_;
    std::vector<Port> ports_;             // by link
    MinHeap<Event> events_;               // entries that are not scheduled_ any more are passed over
    std::vector<Picoseconds> scheduled_;  // by link: its earliest event
    std::uint64_t stops_ = 0;
};

}  // namespace clearway::simulator
