// Slow start as CUBIC ends it. What HyStart knows of a round is worth nothing to an endpoint with a small window that
// has nothing in flight, for its next round begins with the next acknowledgement: such an endpoint keeps none.
//
// An endpoint without one has been in slow start since it began, at each acknowledgement. So its HyStart would have
// found the least of all round trips, and that a round ended with the last acknowledgement.
#include "simulator/tcp/tcp.hpp"

namespace clearway::simulator {

// Before an acknowledgement that HyStart does not see.
void Tcp::note_round(Learnt& learnt, std::uint64_t una_before) {
    if (learnt.hystart != kNone) return;
    learnt.hystart = hystarts_.take();
    const bool is_measured = learnt.least_rtt_ns != ~std::uint32_t{0};
    HyStart hystart;
    hystart.round_end = una_before;
    hystart.least_ns = is_measured ? learnt.least_rtt_ns : 0;
    hystarts_[learnt.hystart] = hystart;
}

// At an acknowledgement of so many segments, after the least round trip was noted.
bool Tcp::slow_start_ends(Picoseconds now, Endpoint& endpoint, const Busy& busy, std::uint64_t una_before,
                          std::uint32_t segments, std::uint32_t round_trip_ns) {
    Learnt& learnt = learnt_by(endpoint);
    const bool is_small = learnt.window + static_cast<float>(segments) < kLeastHyStartWindow;
    const bool may_forget = is_small && busy.flying_bytes == 0;
    if (learnt.hystart == kNone && may_forget) return false;
    note_round(learnt, una_before);
    HyStart& hystart = hystarts_[learnt.hystart];
    const bool ends = hystart.ends(now, endpoint.una, nxt(endpoint, busy), learnt.window, round_trip_ns);
    if (may_forget && !hystart.has_ended && hystart.least_ns == learnt.least_rtt_ns) {
        hystarts_.give_back(learnt.hystart);
        learnt.hystart = kNone;
    }
    return ends;
}

}  // namespace clearway::simulator
