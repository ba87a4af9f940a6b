#include "simulator/tcp/dctcp.hpp"

#include <algorithm>

#include "simulator/tcp/congestion.hpp"

namespace clearway::simulator {

namespace {

constexpr float kGain = 1.0F / 16;

float after_mark(const Learnt& learnt, Trouble& trouble) {
    return std::max(learnt.window * (1 - trouble.dctcp().marked_share / 2), kLeastThreshold);
}

}  // namespace

void Dctcp::count(std::uint32_t segments, bool is_marked, std::uint64_t una, std::uint64_t nxt) {
    delivered += segments;
    if (is_marked) marked += segments;
    if (una < round_end) return;
    if (delivered > 0)
        marked_share += kGain * (static_cast<float>(marked) / static_cast<float>(delivered) - marked_share);
    round_end = nxt;
    delivered = marked = 0;
}

// It grows as Reno does, and a loss is worth half of the window.
const WindowControl kDctcp{kReno.after_loss, kReno.growth, after_mark};

}  // namespace clearway::simulator
