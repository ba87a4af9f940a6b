// Losses: RFC 6675 (SACK), RFC 6937 (proportional rate reduction), RFC 8985 (RACK), RFC 5681 (after a timeout).
#include <algorithm>

#include "simulator/tcp/congestion.hpp"
#include "simulator/tcp/tcp.hpp"

namespace clearway::simulator {

namespace {

constexpr std::uint32_t kDuplicates = 3;  // RFC 5681: so many mean a loss

}  // namespace

// The network delivers in order, so RACK's reordering window need not adapt: a quarter of a round trip.
void Tcp::look_for_gaps(Picoseconds now, std::uint32_t id) {
    Endpoint& endpoint = endpoints_[id];
    const Trouble& trouble = *trouble_or_none(endpoint);
    const bool is_certain = trouble.duplicates >= kDuplicates ||
                            trouble.sacked.bytes() > std::uint64_t{kDuplicates - 1} * settings_.segment_bytes;
    if (is_certain) {
        start_recovery(now, id);
    } else if (settings_.probes_tails) {
        endpoint.resend_at = now + from_ns(endpoint.srtt_ns / 4);
        endpoint.alarm = Alarm::reordering;
    }
}

void Tcp::start_recovery(Picoseconds now, std::uint32_t id) {
    Endpoint& endpoint = endpoints_[id];
    Trouble& trouble = trouble_of(endpoint);
    ++counts_.recoveries;
    endpoint.threshold = control_of(settings_.congestion).after_loss(endpoint, trouble);
    endpoint.state = SendState::recovery;
    trouble.point = endpoint.nxt;
    trouble.flight = endpoint.nxt - endpoint.una;
    trouble.delivered = trouble.sent = 0;
    // The first segment is lost for certain.
    trouble.resent_end = endpoint.una;
    trouble.lost_end = std::min(endpoint.una + settings_.segment_bytes, trouble.sacked[0].begin);
    mark_lost(endpoint);
    pace_recovery(endpoint, trouble.sacked.bytes(), true);
    set_resend_alarm(now, endpoint);
}

void Tcp::mark_lost(Endpoint& endpoint) {
    Trouble& trouble = *trouble_or_none(endpoint);
    const std::uint64_t above = settings_.probes_tails ? 0 : std::uint64_t{kDuplicates - 1} * settings_.segment_bytes;
    trouble.lost_end = std::max(trouble.lost_end, trouble.sacked.begin_of_last(above));
    // What was sent after the gap was filled has arrived, and the filling has not: RACK sends it once more.
    if (settings_.probes_tails && trouble.resent_end > endpoint.una && !trouble.sacked.empty() &&
        trouble.sacked[trouble.sacked.size() - 1].end > trouble.resent_mark) {
        trouble.resent_end = endpoint.una;
        trouble.resent_mark = endpoint.nxt;
    }
}

// Sends in proportion to what arrives, so that the window reaches the threshold when recovery ends.
void Tcp::pace_recovery(Endpoint& endpoint, std::uint64_t delivered, bool is_first) {
    Trouble& trouble = *trouble_or_none(endpoint);
    const auto segment = std::uint64_t{settings_.segment_bytes};
    const auto threshold = static_cast<std::uint64_t>(endpoint.threshold) * segment;
    const std::uint64_t flight = in_flight(endpoint);
    trouble.delivered += delivered;
    std::uint64_t quota = 0;
    if (flight > threshold) {
        const std::uint64_t due =
            (trouble.delivered * threshold + trouble.flight - 1) / std::max<std::uint64_t>(1, trouble.flight);
        quota = due > trouble.sent ? due - trouble.sent : 0;
    } else {
        const std::uint64_t owed = trouble.delivered > trouble.sent ? trouble.delivered - trouble.sent : 0;
        quota = std::min(threshold - flight, std::max(owed, delivered) + segment);
    }
    if (is_first) quota = std::max(quota, segment);
    // Quotas are counted in bytes, the window in segments.
    endpoint.window = static_cast<float>(static_cast<double>(flight + quota) / static_cast<double>(segment));
}

void Tcp::end_recovery(Endpoint& endpoint) {
    Trouble& trouble = *trouble_or_none(endpoint);
    if (endpoint.state == SendState::recovery) endpoint.window = endpoint.threshold;
    endpoint.state = SendState::open;
    trouble.lost_end = trouble.resent_end = endpoint.una;
    trouble.duplicates = 0;
}

void Tcp::start_loss(Endpoint& endpoint) {
    Trouble& trouble = trouble_of(endpoint);
    ++counts_.timeouts;
    // Once a window: neither a recovery that failed nor a second timeout in a row lowers the threshold again.
    const bool is_first = endpoint.state == SendState::open || endpoint.una >= trouble.point ||
                          (endpoint.state == SendState::loss && endpoint.backoff == 0);
    if (is_first) endpoint.threshold = control_of(settings_.congestion).after_loss(endpoint, trouble);
    endpoint.window = 1;
    endpoint.state = SendState::loss;
    trouble.point = endpoint.nxt;
    trouble.resent_end = endpoint.una;
    trouble.lost_end = endpoint.nxt;
    if (endpoint.backoff < 255) ++endpoint.backoff;
}

}  // namespace clearway::simulator
