#include "recorder/timeline.hpp"

#include <bit>

#include "recorder/process.hpp"

namespace clearway::recorder {

bool timeline_on = false;

namespace {

TimelineRecord* ring = nullptr;
SegmentEntry* ring_entry = nullptr;

}  // namespace

void begin_timeline(std::uint32_t records) {
    if (records == 0) return;
    records = std::bit_ceil(records);  // the counter wraps at 2^32 without a jump in the ring
    ring = static_cast<TimelineRecord*>(
        process.file.add_segment(SegmentKind::timeline, sizeof(TimelineRecord), records, 0, &ring_entry));
    timeline_on = ring != nullptr;
    if (!timeline_on) process.file.drop(SegmentKind::timeline);
}

void record_timeline(std::uint16_t function, std::uint16_t comm, std::int32_t peer, std::uint64_t entry,
                     std::uint64_t exit, std::uint64_t bytes) {
    const std::uint32_t number = __atomic_fetch_add(&ring_entry->count, 1, __ATOMIC_RELAXED);
    ring[number % ring_entry->capacity] = TimelineRecord{entry, exit, bytes, function, comm, peer};
}

}  // namespace clearway::recorder
