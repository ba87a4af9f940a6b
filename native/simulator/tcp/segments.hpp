// Segments in the order of their stream. Most connections have one in flight at most, which needs no memory elsewhere.
#pragma once

#include <cstdint>

#include "simulator/events/time.hpp"
#include "simulator/network/ring.hpp"

namespace clearway::simulator {

struct Segment {
    Picoseconds sent_at = 0;  // the last time
    std::uint32_t end = 0;
    std::uint16_t length = 0;
    bool is_sacked : 1 = false;
    bool is_lost : 1 = false;
    bool is_sent_again : 1 = false;   // since it was lost
    bool was_sent_again : 1 = false;  // ever: which of them is acknowledged? (Karn and Partridge 1987)

    std::uint32_t begin() const { return end - length; }
};
static_assert(sizeof(Segment) == 16);

class Segments {
public:
    bool empty() const { return size_ == 0; }
    std::uint32_t size() const { return size_; }
    const Segment& front() const { return first_; }
    const Segment& operator[](std::uint32_t i) const { return i == 0 ? first_ : others_[i - 1]; }
    Segment& operator[](std::uint32_t i) { return i == 0 ? first_ : others_[i - 1]; }

    void push(const Segment& segment) {
        if (size_++ == 0) {
            first_ = segment;
        } else {
            others_.push(segment);
        }
    }

    void pop() {
        if (--size_ == 0) return;
        first_ = others_.front();
        others_.pop();
    }

private:
    Segment first_;
    Ring<Segment> others_;
    std::uint32_t size_ = 0;
};

}  // namespace clearway::simulator
