// One TCP connection: its cell in the record, and its stalls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "recorder/sockets/echo.hpp"
#include "recorder/sockets/silence.hpp"
#include "recorder/sockets/tcp_info.hpp"
#include "run_record/layout.hpp"

namespace clearway::recorder {

// Whether `fd` is a TCP socket at all.
bool is_tcp(int fd);

class Connection {
public:
    void begin(int fd);
    void forget() { fd_ = -1; }

    int fd() const { return fd_; }
    bool used() const { return fd_ >= 0; }
    bool silent() const { return used() && tracker_.silent(); }

    // Its number in the record.
    std::uint32_t index() const { return index_; }

    // Whether TCP has sent the same again twice by now, and nothing came of it.
    bool waits_long() const { return used() && cell_ != nullptr && tracker_.silent_ns(at_ns_) > kLong_ns; }

    // A question to the peer's host, and what has come of it.
    void ask(std::optional<Echo>& echo) const;
    void note(const SizeSearch& found);

    // Reads the kernel's figures into the cell, which is made once the connection is established. False when
    // the descriptor is no longer this connection.
    bool sample();

    // The last sample: a stall that goes on ends here, as far as this process is concerned.
    void finish();

private:
    static constexpr std::uint64_t kLong_ns = 500'000'000;

    bool identify();
    bool same_peer() const;
    void fill(const TcpInfo& info, std::size_t length);
    bool holds_back(const TcpInfo& info) const;
    void note_stall(const Stall& stall);
    void listen(const TcpInfo& info, bool was_silent);

    int fd_ = -1;                 // the job's
    int open_fd_ = -1;            // the same, while it is sampled
    SocketCell* cell_ = nullptr;  // null until the connection is established
    std::uint32_t index_ = 0;
    std::uint64_t bytes_acked_ = 0;
    SilenceTracker tracker_;
    StallRecord* open_stall_ = nullptr;  // the one that goes on
    bool stall_open_ = false;
    std::uint64_t open_stall_ticks_ = 0;
    // Of the silence: what the connection had received when it was noticed, and what its samples have shown since.
    std::uint32_t segs_in_before_ = 0, heard_ = 0;
    std::uint16_t sacked_ = 0, in_flight_ = 0;
    std::uint16_t passed_ = 0, vanished_ = 0;  // sizes of packets, as far as the peer's host was asked
    std::uint16_t path_bytes_ = 0;             // the largest packet that the connection sends
    std::uint64_t ticks_ = 0, at_ns_ = 0;      // of this sample, on both clocks
};

}  // namespace clearway::recorder
