// What a Run keeps of a simulated job's calls: sums by function, peer and size, and single calls.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "run_record/call_cell.hpp"
#include "run_record/layout.hpp"
#include "simulator/workload/call_watcher.hpp"

namespace clearway::simulator {

// Simulated time begins at this tick; a tick is a nanosecond. No clock of a Run may say 0.
inline constexpr std::uint64_t kFirstTick = 1'000'000'000;
inline constexpr std::uint64_t kFirstRealtime_ns =
    946'684'800'000'000'000;  // 2000-01-01: the same job leaves the same bytes

// A predicted job is over in seconds: windows of which some are kept must be shorter than a real one's.
inline constexpr std::uint32_t kPredictedWindow_ms = 10;
inline constexpr std::size_t kMostEvents = 1U << 18;  // of a rank

constexpr std::uint64_t ticks(Picoseconds time) { return kFirstTick + to_ns(time); }

struct RankLog {
    std::vector<CallCell> cells;
    std::vector<EventRecord> events;
    std::vector<TimelineRecord> timeline;
    std::unordered_map<std::uint64_t, std::size_t> cell_of;  // by function, communicator, peer and size
    std::uint32_t event_level = 0;                           // as in the FileHeader
    std::uint64_t events_dropped = 0;
    std::uint64_t mpi_ns = 0;
};

class CallLog final : public CallWatcher {
public:
    // Single calls are needed for a Run alone.
    CallLog(const workload::Script& script, bool keeps_single_calls);

    const RankLog& of(std::uint32_t rank) const { return logs_[rank]; }
    void called(const CallSeen& call) override;
    // Of all collective calls but barriers: from when the last had come, of a bcast the root, to when the last was
    // done.
    std::uint64_t spans_ns() const { return spans_ns_; }

private:
    std::size_t members_of(const workload::Activity& activity) const;
    Volume volume_of(const workload::Activity& activity, std::uint32_t rank) const;
    std::int32_t peer_of(const CallSeen& call) const;
    void add_events(const CallSeen& call, RankLog& log) const;
    void add_span(const CallSeen& call);
    static void keep(const EventRecord& event, RankLog& log);

    const workload::Script& script_;
    const bool keeps_single_calls_;
    std::vector<RankLog> logs_;

    struct Span {
        std::uint64_t entry, exit;  // so far
        std::size_t returned;       // members
    };
    std::unordered_map<std::uint64_t, Span> spans_;  // by communicator and ordinal, until all have returned
    std::uint64_t spans_ns_ = 0;
};

}  // namespace clearway::simulator
