#include "recorder/mpi/events.hpp"

#include "recorder/clock.hpp"
#include "recorder/process.hpp"
#include "recorder/tick_rate.hpp"
#include "run_record/event_windows.hpp"

namespace clearway::recorder {

EventWindow event_window{0, 0, 0, true};
EventRoom event_room{};
constinit SpinLock events_lock;

namespace {

// 31,744 events of 64 bytes: 2 MB, in segments that double from 1,024 so that short jobs leave small files. With a
// timeline two for each of its calls (MPI_Sendrecv leaves as many), so that a replay finds them all.
constexpr std::uint32_t kFirstEvents = 1024;
constexpr std::uint32_t kUsualSegments = 5;
constexpr std::uint32_t kMostSegments = 16;
constexpr std::uint64_t kWindow_ns = std::uint64_t{kEventWindow_ms} * 1'000'000U;

EventRecord* bases[kMostSegments];
SegmentEntry* entries[kMostSegments];
std::uint32_t segments = 0;
std::uint32_t most_segments = kUsualSegments;
bool may_grow = true;
std::uint32_t scan_segment = 0, scan_index = 0;  // where the search for a reusable slot goes on
std::uint32_t scanned = 0;                       // slots looked at since the level rose

std::uint32_t capacity_of(std::uint32_t segment) { return kFirstEvents << segment; }

std::uint64_t realtime_at(std::uint64_t ticks) {
    const FileHeader* header = process.file.header();
    const Instant& at = header->heartbeat[__atomic_load_n(&header->heartbeat_index, __ATOMIC_ACQUIRE) & 1];
    if (ticks >= at.ticks) return at.realtime_ns + to_ns(ticks - at.ticks);
    return at.realtime_ns - to_ns(at.ticks - ticks);
}

bool qualifies(const EventRecord& event, std::uint32_t level) {
    return is_long_event(to_ns(event.exit_ticks - event.entry_ticks), level) ||
           selects_window(realtime_at(event.exit_ticks) / kWindow_ns, level);
}

// One more segment, where the newest is full.
bool has_room() {
    if (event_room.next < event_room.end) return true;
    if (segments == most_segments || !may_grow) return false;
    const std::uint32_t capacity = capacity_of(segments);
    void* memory = process.file.add_segment(SegmentKind::events, sizeof(EventRecord), capacity, 0, &entries[segments]);
    may_grow = memory != nullptr;
    if (!may_grow) return false;
    auto* const first = static_cast<EventRecord*>(memory);
    event_room = {first, first, first + capacity, &entries[segments]->count};
    bases[segments++] = first;
    return true;
}

void raise_level() {
    FileHeader* header = process.file.header();
    if (header->event_level < kMostEventLevel) ++header->event_level;
    event_window.end_ticks = event_window.begin_ticks;  // decide anew about the present window
    scanned = 0;
}

// A slot whose event no longer qualifies. The search goes on where the last one ended and looks at each slot once
// a level, so its cost is one pass over the array (under a millisecond) each time the level rises; and levels
// rise with the logarithm of the run's length.
EventRecord* reuse() {
    if (segments == 0) return nullptr;
    const std::uint32_t total = kFirstEvents * ((1U << segments) - 1);
    while (process.file.header()->event_level < kMostEventLevel) {
        while (scanned++ < total) {
            EventRecord* candidate = bases[scan_segment] + scan_index;
            if (++scan_index == capacity_of(scan_segment)) {
                scan_index = 0;
                scan_segment = (scan_segment + 1) % segments;
            }
            if (!qualifies(*candidate, process.file.header()->event_level)) return candidate;
        }
        raise_level();
    }
    return nullptr;
}

// Over one that no longer qualifies.
void store_over_another(EventRecord event) {
    if (process.file.header()->event_level == 0) raise_level();
    EventRecord* const slot = reuse();
    if (!qualifies(event, process.file.header()->event_level)) return;
    if (slot == nullptr) {
        process.file.drop(SegmentKind::events);
        return;
    }
    __atomic_store_n(&slot->commit, std::uint16_t{0}, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    event.commit = 0;
    *slot = event;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&slot->commit, kEventCommitted, __ATOMIC_RELEASE);
}

bool is_of(const EventRecord& event, const Posted& posted) {
    return (event.kind == EventKind::posted || event.kind == EventKind::receive) && event.comm == posted.comm &&
           event.peer == posted.peer && event.tag == posted.tag;
}

void withdraw(EventRecord& event) { __atomic_store_n(&event.commit, std::uint16_t{0}, __ATOMIC_RELEASE); }

// From the event stored last backwards: a program that cancels what it has just posted does so again and again.
void withdraw_newest(const Posted& posted) {
    std::uint32_t segment = scan_segment, index = scan_index;
    for (std::uint32_t left = kFirstEvents * ((1U << segments) - 1); left > 0; --left) {
        if (index == 0) {
            segment = (segment + segments - 1) % segments;
            index = entries[segment]->count;
        }
        if (index == 0) continue;
        EventRecord& event = bases[segment][--index];
        if (event.commit == kEventCommitted && event.seq == posted.sequence && is_of(event, posted))
            return withdraw(event);
    }
}

}  // namespace

void begin_events() {
    event_window.long_ticks = to_ticks(kLongEvent_ns);
    const std::uint64_t wanted = 2 * std::uint64_t{process.settings.timeline};
    while (most_segments < kMostSegments && kFirstEvents * ((std::uint64_t{1} << most_segments) - 1) < wanted)
        ++most_segments;
}

void enter_event_window(std::uint64_t ticks) {
    const std::uint64_t realtime_ns = realtime_at(ticks);
    const std::uint64_t window = realtime_ns / kWindow_ns;
    const std::uint64_t into = to_ticks(realtime_ns - window * kWindow_ns);
    const std::uint32_t level = process.file.header()->event_level;
    event_window.begin_ticks = ticks - into;
    event_window.end_ticks = event_window.begin_ticks + to_ticks(kWindow_ns);
    event_window.long_ticks = to_ticks(kLongEvent_ns << level);
    event_window.selected = selects_window(window, level);
}

void store_elsewhere(EventRecord event) {
    const SpinGuard guard(events_lock);
    if (!has_room()) return store_over_another(event);
    store_next(event_room.next, event);
}

void withdraw_events(const Posted& posted, bool are_others_behind) {
    if (posted.sequence == kNoSequence || (posted.untold && !are_others_behind)) return;
    SpinGuard guard(events_lock);
    if (!are_others_behind) return withdraw_newest(posted);
    for (std::uint32_t segment = 0; segment < segments; ++segment) {
        for (std::uint32_t i = 0; i < entries[segment]->count; ++i) {
            EventRecord& event = bases[segment][i];
            if (!is_of(event, posted)) continue;
            if (event.seq == posted.sequence)
                withdraw(event);
            else if (event.seq > posted.sequence)
                --event.seq;
        }
    }
}

}  // namespace clearway::recorder
