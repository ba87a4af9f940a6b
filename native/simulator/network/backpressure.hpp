// A network in which a link begins nothing for which its other end may lack room. How ends tell of their room differs:
// by PAUSE (lossless.hpp) or by credits (credited.hpp).
#pragma once

#include <cstdint>

#include "simulator/network/packet.hpp"
#include "simulator/network/stoppable_link.hpp"

namespace clearway::simulator {

// Who has more for hosts' cards than waits in them.
struct CardFeed {
    // The next that the card of `host` sends; false: there is none now.
    virtual bool next_packet(Picoseconds now, std::uint32_t host, Waiting& item) = 0;

protected:
    ~CardFeed() = default;
};

class Backpressure {
public:
    virtual ~Backpressure() = default;

    void feed_cards(CardFeed* feed) { feed_ = feed; }

    virtual Picoseconds next_time() const = 0;
    virtual std::uint64_t stops() const = 0;
    virtual std::uint64_t waiting_bytes(std::uint32_t link) const = 0;

    // After marking, if it is to be marked. Returns false where the port that it came by has no room.
    virtual bool enter(Picoseconds now, std::uint32_t link, const Waiting& item) = 0;

    // There may be something more for the host's card.
    virtual void look_for_more(Picoseconds now, std::uint32_t host) = 0;

    // Carries out what happens at next_time(). Returns the link over which a packet has come; kNoLink: none has.
    virtual std::uint32_t step(Packet& packet) = 0;

protected:
    bool feed(Picoseconds now, std::uint32_t link, Waiting& item) const {
        return feed_ != nullptr && feed_->next_packet(now, link, item);
    }

private:
    CardFeed* feed_ = nullptr;
};

}  // namespace clearway::simulator
