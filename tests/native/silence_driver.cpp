// Feeds samples from standard input to the tracker of silences and prints the stalls that it sees, in ns.
// A line: at_ns bytes_acked last_ack_ns busy_ns rto_ns rtt_ns unacked total_retrans timeouts recoveries
// backoff in_loss_recovery timeouts_known. Prints "silent" or "quiet" for each, then "stall begin end timeouts over".
#include <cinttypes>
#include <cstdio>

#include "recorder/sockets/silence.hpp"

int main() {
    clearway::recorder::SilenceTracker tracker;
    clearway::recorder::AckSample sample{};
    unsigned timeouts = 0, recoveries = 0, backoff = 0, in_loss = 0, known = 0;
    while (std::scanf("%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %u %u %u %u %u %u %u",
                      &sample.at_ns, &sample.bytes_acked, &sample.last_ack_ns, &sample.busy_ns, &sample.rto_ns,
                      &sample.rtt_ns, &sample.unacked, &sample.total_retrans, &timeouts, &recoveries, &backoff,
                      &in_loss, &known) == 13) {
        sample.timeouts = static_cast<std::uint16_t>(timeouts);
        sample.recoveries = static_cast<std::uint16_t>(recoveries);
        sample.backoff = static_cast<std::uint8_t>(backoff);
        sample.in_loss_recovery = in_loss != 0;
        sample.timeouts_known = known != 0;
        clearway::recorder::Stall stall{};
        if (tracker.observe(sample, stall))
            std::printf("stall %" PRIu64 " %" PRIu64 " %u %d\n", stall.begin_ns, stall.end_ns, stall.timeouts,
                        stall.over);
        std::printf("%s\n", tracker.silent() ? "silent" : "quiet");
        std::fflush(stdout);
    }
}
