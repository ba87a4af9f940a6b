// A network in which a link begins nothing for which its other end may lack room. How ends tell of their room differs:
// by PAUSE (lossless.hpp) or by credits (credited.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/events/min_heap.hpp"
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
    explicit Backpressure(std::size_t links) : scheduled_(links, kNever) {}
    virtual ~Backpressure() = default;

    void feed_cards(CardFeed* feed) { feed_ = feed; }

    Picoseconds next_time() const { return events_.empty() ? kNever : events_.top().time; }
    std::uint64_t stops() const { return stops_; }
    virtual std::uint64_t waiting_bytes(std::uint32_t link) const = 0;

    // After marking, if it is to be marked. Returns false where the port that it came by has no room.
    virtual bool enter(Picoseconds now, std::uint32_t link, const Waiting& item) = 0;

    // There may be something more for the host's card.
    virtual void look_for_more(Picoseconds now, std::uint32_t host) = 0;

    // Carries out what happens at `now`, which is next_time(). Returns the link over which a packet has come; kNoLink:
    // none has.
    virtual std::uint32_t step(Picoseconds now, Packet& packet) = 0;

protected:
    bool is_fed() const { return feed_ != nullptr; }
    bool feed(Picoseconds now, std::uint32_t link, Waiting& item) const {
        return is_fed() && feed_->next_packet(now, link, item);
    }

    // Of each link the earliest event is kept.
    void schedule(std::uint32_t link, Picoseconds time) {
        if (time >= scheduled_[link]) return;
        scheduled_[link] = time;
        events_.push({time, link});
    }
    // Which link has one at `now`; kNoLink: it is not scheduled any more.
    std::uint32_t take_event(Picoseconds now) {
        const std::uint32_t link = events_.top().link;
        events_.pop();
        if (now != scheduled_[link]) return kNoLink;
        scheduled_[link] = kNever;
        return link;
    }

    std::uint64_t stops_ = 0;

private:
    struct Event {
        Picoseconds time;
        std::uint32_t link;
        auto operator<=>(const Event&) const = default;
    };

    MinHeap<Event> events_;
    std::vector<Picoseconds> scheduled_;  // by link
    CardFeed* feed_ = nullptr;
};

}  // namespace clearway::simulator
