// Moves packets where switches say stop (flow_control.hpp). What a switch has taken and not passed on is counted by the
// link it came over, so that whoever sends too much is stopped, and nobody else.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/network/backpressure.hpp"
#include "simulator/network/framing.hpp"
#include "simulator/network/topology.hpp"

namespace clearway::simulator {

class Lossless final : public Backpressure {
public:
    Lossless(const Topology& topology, const Framing& framing);

    std::uint64_t waiting_bytes(std::uint32_t link) const override { return links_[link].waiting_bytes(); }
    bool enter(Picoseconds now, std::uint32_t link, const Waiting& item) override;
    void look_for_more(Picoseconds now, std::uint32_t host) override;
    std::uint32_t step(Picoseconds now, Packet& packet) override;

private:
    // What belongs to a link, and to the switch's port at its far end.
    struct Port {
        std::uint64_t stop_bytes;
        std::uint64_t buffer_bytes;
        Picoseconds reaction;
        std::uint32_t reverse;
        bool has_said_stop = false;
        std::uint64_t taken_bytes = 0;
    };

    void begin_what_can(Picoseconds now, std::uint32_t link);
    void take_more(Picoseconds now, std::uint32_t link);
    void pass_on(Picoseconds now, const Waiting& item);
    void say(Picoseconds now, std::uint32_t link, bool is_stop);
    void schedule(std::uint32_t link) { Backpressure::schedule(link, links_[link].next_time()); }

    std::uint32_t control_wire_bytes_;
    std::uint32_t hosts_;
    std::vector<StoppableLink> links_;
    std::vector<Port> ports_;  // by link
};

}  // namespace clearway::simulator
