// What packets need of a processor.
#pragma once

#include "simulator/events/time.hpp"

namespace clearway::simulator {

struct PacketCost {
    // When a packet that TCP sends at `now` is with the card.
    virtual Picoseconds with_card_at(Picoseconds now) = 0;

    // When a packet that has come to a switch at `now` is in the queue of its port.
    virtual Picoseconds through_relay_at(Picoseconds now) = 0;

    // A link holds a packet back and has to be woken for it.
    virtual void hold_back(Picoseconds now) = 0;

protected:
    ~PacketCost() = default;
};

}  // namespace clearway::simulator
