// From samples of a connection to its loss stalls.
//
// A stall is the time in which data was in flight and none of it was acknowledged, until a retransmission
// timeout (or a loss probe as late as one) brought the next acknowledgement. A slow receiver makes no stall: its
// kernel acknowledges, whatever the program there does. So the mark is that the silence ended by a
// retransmission of ours.
//
//      last data sent or acknowledged              timeout   first acknowledgement
//   ------+---------------------------------------------+----+--------------------->
//         |<------------------ rto -------------------->|    |
//         |<--------------------- stall -------------------->|
//              ^ noticed here: sampled faster from now on
//
// The kernel tells the left edge three ways, each with a flaw: the last acknowledgement heard (any packet from the
// peer counts, and so does one before a long pause), the last data sent (also a probe), and the moment at which the
// timeout struck less its length (a probe starts it anew). What is used is the last sign of life, unless the third
// says that the silence is much older; within what the samples of the acknowledged bytes themselves show.
#pragma once

#include <cstdint>

namespace clearway {

// What matters here of one reading of TCP_INFO. Counters only ever grow, but may wrap.
struct AckSample {
    std::uint64_t at_ns;
    std::uint64_t bytes_acked;
    std::uint64_t last_ack_ns, last_sent_ns;  // same clock as at_ns
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
    std::uint64_t floor_ns_ = 0;        // samples show that the silence did not begin before this
    std::uint64_t ceiling_ns_ = 0;      // nor after this
    std::uint64_t quiet_since_ns_ = 0;  // what the kernel's ages say
    std::uint64_t begin_ns_ = 0;
    std::uint64_t first_rto_ns_ = 0;  // before it was doubled
    std::uint32_t retrans_before_ = 0;
    std::uint32_t timeouts_ = 0;  // in this silence
};

}  // namespace clearway
