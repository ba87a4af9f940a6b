// Slow start as CUBIC ends it. What HyStart knows of a round is worth nothing as long as the window is small, but for
// where the round ends. So an endpoint whose window will be small until then keeps only how far that is, and nothing at
// all where nothing is in flight, for its next round begins with the next acknowledgement.
//
// An endpoint without a HyStart has been in slow start since it began, at each acknowledgement. So its HyStart would
// have found the least of all round trips.
#include "simulator/tcp/tcp.hpp"

namespace clearway::simulator {

namespace {

// Where the number of a Learnt's HyStart would be: its round ends so many bytes after what is acknowledged. Without it
// the round has ended with the last acknowledgement.
constexpr std::uint32_t kRoundEnd = 0x80000000U;
constexpr std::uint32_t kMostDistance = 0x3FFFFFFFU;

std::uint32_t round_end_from_una(std::uint32_t hystart) { return hystart == kNone ? 0 : hystart - kRoundEnd; }

}  // namespace

// Before an acknowledgement that HyStart does not see.
void Tcp::note_round(Learnt& learnt, std::uint64_t una_before) {
    if (has_hystart(learnt)) return;
    const bool is_measured = learnt.least_rtt_ns != ~std::uint32_t{0};
    HyStart hystart;
    hystart.round_end = una_before + round_end_from_una(learnt.hystart);
    hystart.least_ns = is_measured ? learnt.least_rtt_ns : 0;
    learnt.hystart = hystarts_.take();
    hystarts_[learnt.hystart] = hystart;
}

bool Tcp::has_hystart(const Learnt& learnt) { return learnt.hystart < kRoundEnd; }

// What is acknowledged until the round ends makes the window larger by as much at most; it was all in flight when the
// round began.
bool Tcp::stays_small(const Learnt& learnt, const Busy& busy, std::uint32_t segments) {
    const std::uint32_t in_flight = busy.flight.empty() ? 0 : busy.flight.size() + 1;
    const bool has_met_losses = in_flight > 0 && learnt.trouble != kNone;
    return !has_met_losses && busy.flying_bytes <= kMostDistance &&
           learnt.window + static_cast<float>(segments + in_flight) < kLeastHyStartWindow;
}

// `round_end`: a position that is not before what is acknowledged but where the round has ended.
void Tcp::keep_round_end(Learnt& learnt, const Endpoint& endpoint, const Busy& busy, std::uint64_t round_end) {
    const std::uint64_t end = endpoint.una > round_end ? nxt(endpoint, busy) : round_end;
    learnt.hystart = end == endpoint.una ? kNone : kRoundEnd + static_cast<std::uint32_t>(end - endpoint.una);
}

// At an acknowledgement of so many segments, after the least round trip was noted.
bool Tcp::slow_start_ends(Picoseconds now, Endpoint& endpoint, const Busy& busy, std::uint64_t una_before,
                          std::uint32_t segments, std::uint32_t round_trip_ns) {
    Learnt& learnt = learnt_by(endpoint);
    const bool stays_small = this->stays_small(learnt, busy, segments);
    if (!has_hystart(learnt) && stays_small) {
        keep_round_end(learnt, endpoint, busy, una_before + round_end_from_una(learnt.hystart));
        return false;
    }
    note_round(learnt, una_before);
    HyStart& hystart = hystarts_[learnt.hystart];
    const bool ends = hystart.ends(now, endpoint.una, nxt(endpoint, busy), learnt.window, round_trip_ns);
    if (stays_small && !hystart.has_ended && hystart.least_ns == learnt.least_rtt_ns) {
        hystarts_.give_back(learnt.hystart);
        keep_round_end(learnt, endpoint, busy, hystart.round_end);
    }
    return ends;
}

}  // namespace clearway::simulator
