// From samples of a connection to its loss stalls.
//
// A stall is the time in which data was in flight and none of it was acknowledged, until a retransmission
// timeout (or a loss probe as late as one) brought the next acknowledgement. A slow receiver makes no stall: its
// kernel acknowledges, whatever the program there does. So the mark is that the silence ended by a
// retransmission of ours.
//
//      last acknowledgement                        timeout   first acknowledgement
//   ------+---------------------------------------------+----+--------------------->
//         |<------------------ rto -------------------->|    |
//         |<--------------------- stall -------------------->|
//              ^ noticed here: sampled faster from now on
//
// The left edge is the last acknowledgement heard; but after a pause of the sender it is when data left again (which
// the busy time tells), and where packets of the peer's own data count as heard, it is the moment at which the timeout
// struck less its length. All within what the samples of the acknowledged bytes show.
#pragma once

#include <cstdint>

namespace clearway::recorder {

// What matters here of one reading of TCP_INFO. Counters only ever grow, but may wrap.
struct AckSample {
    std::uint64_t at_ns;
    std::uint64_t bytes_acked;
    std::uint64_t last_ack_ns;  // same clock as at_ns
    std::uint64_t busy_ns;      // with data in flight, all together; 0 on kernels that do not tell
    std::uint64_t rto_ns, rtt_ns;
    std::uint32_t unacked;  // segments in flight
    std::uint32_t total_retrans;
    std::uint32_t rto_time_ms;  // in recovery from timeouts, all together
    std::uint16_t timeouts, recoveries;
    std::uint8_t backoff;  // how often rto_ns is doubled
    bool in_loss_recovery;
    bool timeouts_known;  // false on kernels that do not count them
};

struct Stall {
    std::uint64_t begin_ns, end_ns;
    std::uint32_t timeouts;  // 0: ended by a loss probe
    bool over;               // false: end_ns is only how far it has come
};

class SilenceTracker {
public:
    // Takes the next sample. True when `stall` was set: a stall that is over, or one that goes on, again with
    // the same begin and a later end.
    bool observe(const AckSample& sample, Stall& stall);

    // Worth a closer look: samples should come every few milliseconds.
    bool silent() const { return silent_; }

    // How long it has been silent until now.
    std::uint64_t silent_ns(std::uint64_t now_ns) const {
        return silent_ && now_ns > begin_ns_ ? now_ns - begin_ns_ : 0;
    }

private:
    void begin_silence(const AckSample& sample);
    void count_timeouts(const AckSample& sample);
    std::uint64_t bounded(std::uint64_t begin_ns) const;
    std::uint64_t estimate_fire(const AckSample& sample) const;
    std::uint64_t estimate_end(const AckSample& sample) const;
    bool end_silence(const AckSample& sample, Stall& stall);
    bool unseen_stall(const AckSample& sample, Stall& stall);

    AckSample previous_{};
    bool started_ = false;
    bool silent_ = false;
    std::uint64_t floor_ns_ = 0;    // samples show that the silence did not begin before this
    std::uint64_t ceiling_ns_ = 0;  // nor after this
    std::uint64_t begin_ns_ = 0;
    std::uint64_t first_rto_ns_ = 0;  // before it was doubled
    std::uint32_t retrans_before_ = 0;
    std::uint32_t timeouts_ = 0;  // in this silence
};

}  // namespace clearway::recorder
