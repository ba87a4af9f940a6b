#include "recorder/timeline.hpp"

#include <bit>

#include "recorder/process.hpp"

namespace clearway::recorder {

bool timeline_on = false;

namespace {

TimelineRecord* ring = nullptr;
SegmentEntry* ring_entry = nullptr;
std::uint32_t begun = 0;  // records, by all threads

}  // namespace

void begin_timeline(std::uint32_t records) {
    if (records == 0) return;
    records = std::bit_ceil(records);  // the counter wraps at 2^32 without a jump in the ring
    ring = static_cast<TimelineRecord*>(
        process.file.add_segment(SegmentKind::timeline, sizeof(TimelineRecord), records, 0, &ring_entry));
    begun = 0;
    timeline_on = ring != nullptr;
    if (!timeline_on) process.file.drop(SegmentKind::timeline);
}

void record_timeline(std::uint16_t function, std::uint16_t comm, std::int32_t peer, std::uint64_t entry,
                     std::uint64_t exit, std::uint64_t bytes) {
    // The rank may be killed between any two instructions: a record counts once it is whole. While it is not, it has no
    // function, and readers pass it over: the ring's oldest, or that of a thread which others have overtaken.
    const std::uint32_t number = __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
    TimelineRecord& record = ring[number % ring_entry->capacity];
    __atomic_store_n(&record.function, std::uint16_t{0}, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    record.entry_ticks = entry;
    record.exit_ticks = exit;
    record.bytes = bytes;
    record.comm = comm;
    record.peer = peer;
    __atomic_store_n(&record.function, function, __ATOMIC_RELEASE);
    __atomic_fetch_add(&ring_entry->count, 1, __ATOMIC_RELEASE);
}

}  // namespace clearway::recorder
