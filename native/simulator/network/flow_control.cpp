#include "simulator/network/flow_control.hpp"

namespace clearway::simulator {

// Annex 31B.3.7, in quanta of 512 bits: the most that a sender may take.
Picoseconds reaction_time(std::uint64_t rate_bps) {
    constexpr std::uint64_t kGigabit = 1'000'000'000;
    const std::uint64_t quanta = rate_bps < kGigabit         ? 1
                                 : rate_bps == kGigabit      ? 2
                                 : rate_bps <= 10 * kGigabit ? 60
                                 : rate_bps <= 25 * kGigabit ? 80
                                 : rate_bps <= 40 * kGigabit ? 118
                                                             : 394;
    return static_cast<Picoseconds>(quanta * 512 / 8) * ps_per_byte(rate_bps);
}

std::uint64_t headroom_bytes(const LinkSettings& link, const Framing& framing, std::uint32_t segment_bytes) {
    const std::uint64_t frame_bytes = longest_frame_bytes(framing, segment_bytes) + framing.gap_bytes;
    const Picoseconds time = 2 * from_ns(link.latency_ns) + reaction_time(link.rate_bps);
    // One frame was too much, one has just begun before the PAUSE frame, and one when the sender must stop.
    return 3 * frame_bytes + kControlFrameBytes + framing.gap_bytes +
           static_cast<std::uint64_t>(time / ps_per_byte(link.rate_bps));
}

void make_lossless(Topology& topology, const Framing& framing, std::uint32_t segment_bytes, bool stops_switches) {
    for (std::uint32_t link = 0; link < topology.links.size(); ++link) {
        TopologyLink& into = topology.links[link];
        const bool is_from_host = link < topology.hosts;
        if (into.to_node < topology.hosts || (!is_from_host && !stops_switches)) continue;
        const std::uint64_t buffer_bytes = topology.links[into.reverse].settings.buffer_bytes;
        const std::uint64_t headroom = headroom_bytes(into.settings, framing, segment_bytes);
        into.settings.stop_bytes = buffer_bytes > headroom ? buffer_bytes - headroom : 0;
    }
    topology.is_lossless = true;
}

}  // namespace clearway::simulator
