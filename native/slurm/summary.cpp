#include "slurm/summary.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

#include "run_record/event_windows.hpp"
#include "slurm/deflate.hpp"
#include "slurm/tables.hpp"

namespace clearway::slurm {
namespace {

constexpr std::size_t kFewestReadings = 25, kMostFiles = 32;

struct Clock {
    Instant at;
    double ns_per_tick;
};

Clock clock_of(const FileHeader& header) {
    const Instant& begin = header.start;
    const Instant& end = header.heartbeat[header.heartbeat_index & 1];
    if (end.ticks <= begin.ticks || end.monotonic_ns <= begin.monotonic_ns) return {begin, 1.0};
    return {end,
            static_cast<double>(end.monotonic_ns - begin.monotonic_ns) / static_cast<double>(end.ticks - begin.ticks)};
}

std::uint64_t realtime_at(const Clock& clock, std::uint64_t ticks) {
    const auto since = static_cast<double>(static_cast<std::int64_t>(ticks - clock.at.ticks));
    return clock.at.realtime_ns + static_cast<std::uint64_t>(static_cast<std::int64_t>(since * clock.ns_per_tick));
}

// As a reader thins a large Run (python/clearway/run/events.py): the same slices in every process.
struct Thinning {
    Clock clock;
    std::uint64_t slice_ns;
    std::uint32_t recorded_level;

    bool keeps(const EventRecord& event, std::uint32_t level) const {
        const std::uint64_t ticks = event.exit_ticks > event.entry_ticks ? event.exit_ticks - event.entry_ticks : 0;
        return is_long_event(static_cast<std::uint64_t>(static_cast<double>(ticks) * clock.ns_per_tick),
                             recorded_level + level) ||
               selects_window(realtime_at(clock, event.exit_ticks) / slice_ns, level);
    }
};

Thinning thinning_of(const FileHeader& header) {
    const std::uint64_t window_ms = header.event_window_ms != 0 ? header.event_window_ms : kEventWindow_ms;
    return {clock_of(header), std::max<std::uint64_t>(window_ms / kEventSlices, 1) * 1'000'000U, header.event_level};
}

std::uint32_t most_thinning(const FileHeader& header) {
    return kMostEventLevel - std::min(header.event_level, kMostEventLevel);
}

void thin_events(Tables& tables, std::uint32_t level) {
    const Thinning thinning = thinning_of(tables.header);
    keep_elements<EventRecord>(tables, SegmentKind::events,
                               [&](const EventRecord& event) { return thinning.keeps(event, level); });
}

std::size_t bytes_of(const Tables& tables) { return deflate(put_together(tables)).size(); }

Tables without_events(const Tables& tables) {
    Tables others{tables.header, {}};
    for (const SegmentOf& segment : tables.segments)
        if (segment.entry.kind != SegmentKind::events) others.segments.push_back(segment);
    return others;
}

void halve_readings(Tables& tables, SegmentKind kind, auto element) {
    std::size_t number = 0;
    for (const SegmentOf& segment : tables.segments)
        if (segment.entry.kind == kind) number += segment.bytes.size() / sizeof element;
    if (number <= kFewestReadings) return;
    std::size_t at = 0;
    keep_elements<decltype(element)>(tables, kind, [&](const auto&) { return ++at % 2 == 0 || at == number; });
}

// Calls to many peers in one cell, as the recorder does where it has no room for more.
void fold_peers(Tables& tables) {
    for (SegmentOf& segment : tables.segments) {
        if (segment.entry.kind != SegmentKind::calls) continue;
        std::vector<CallCell> folded;
        for (std::size_t at = 0; at < segment.bytes.size(); at += sizeof(CallCell)) {
            CallCell cell;
            std::memcpy(&cell, segment.bytes.data() + at, sizeof cell);
            if (cell.peer >= 0) cell.peer = kPeerOther;
            const auto same = std::find_if(folded.begin(), folded.end(), [&](const CallCell& other) {
                return other.function == cell.function && other.comm == cell.comm && other.peer == cell.peer &&
                       other.size_bin == cell.size_bin && other.thread == cell.thread;
            });
            if (same == folded.end()) {
                folded.push_back(cell);
                continue;
            }
            if (cell.count > 0) {
                same->min_ticks = same->count > 0 ? std::min(same->min_ticks, cell.min_ticks) : cell.min_ticks;
                same->max_ticks = std::max(same->max_ticks, cell.max_ticks);
            }
            same->count += cell.count;
            same->ticks += cell.ticks;
            same->bytes += cell.bytes;
            same->run_delay_ns += cell.run_delay_ns;
        }
        segment.bytes.resize(folded.size() * sizeof(CallCell));
        std::memcpy(segment.bytes.data(), folded.data(), segment.bytes.size());
        segment.entry.count = segment.entry.capacity = static_cast<std::uint32_t>(folded.size());
    }
}

// Others name files by their place: it is the last ones that go.
void cut_files(Tables& tables) {
    std::size_t at = 0;
    keep_elements<FileCell>(tables, SegmentKind::files, [&](const FileCell&) { return at++ < kMostFiles; });
    keep_elements<OutputCell>(tables, SegmentKind::outputs,
                              [](const OutputCell& output) { return output.file < kMostFiles; });
    if (at > kMostFiles) tables.header.dropped[static_cast<unsigned>(SegmentKind::files)] += at - kMostFiles;
}

// Instructions that were met fewer times than that, in one cell for each range: their time stays with its file.
void fold_samples(Tables& tables, std::uint32_t fewest) {
    constexpr std::uint32_t kSomewhere_bytes = 4096;
    for (SegmentOf& segment : tables.segments) {
        if (segment.entry.kind != SegmentKind::code_samples) continue;
        std::vector<CodeSample> folded;
        std::map<std::uint32_t, CodeSample> seldom;
        for (std::size_t at = 0; at < segment.bytes.size(); at += sizeof(CodeSample)) {
            CodeSample cell;
            std::memcpy(&cell, segment.bytes.data() + at, sizeof cell);
            if (cell.bytes == 1 && cell.by_main + cell.by_others >= fewest) {
                folded.push_back(cell);
                continue;
            }
            CodeSample& rest = seldom[cell.range];
            rest = {0, kSomewhere_bytes, cell.range, rest.by_main + cell.by_main, rest.by_others + cell.by_others};
        }
        for (const auto& [range, cell] : seldom) folded.push_back(cell);
        segment.bytes.resize(folded.size() * sizeof(CodeSample));
        std::memcpy(segment.bytes.data(), folded.data(), segment.bytes.size());
        segment.entry.count = segment.entry.capacity = static_cast<std::uint32_t>(folded.size());
    }
}

// All but the events, so that these keep two fifths of the room.
std::size_t shrink_others(Tables& tables, std::size_t most_bytes) {
    constexpr std::uint32_t kMostSeldom = 256;
    const auto size = [&] { return bytes_of(without_events(tables)); };
    for (std::uint32_t fewest = 2; fewest <= kMostSeldom && size() > most_bytes * 3 / 5; fewest *= 2)
        fold_samples(tables, fewest);
    for (int i = 0; i < 3 && size() > most_bytes * 3 / 5; ++i) {
        halve_readings(tables, SegmentKind::readings, Reading{});
        halve_readings(tables, SegmentKind::threads_at, ThreadsReading{});
    }
    if (size() > most_bytes * 3 / 5) fold_peers(tables);
    if (size() > most_bytes * 3 / 5) cut_files(tables);
    return size();
}

std::size_t events_in(const Tables& tables, const Thinning& thinning, std::uint32_t level) {
    std::size_t number = 0;
    for (const SegmentOf& segment : tables.segments) {
        if (segment.entry.kind != SegmentKind::events) continue;
        for (std::size_t at = 0; at < segment.bytes.size(); at += sizeof(EventRecord)) {
            EventRecord event;
            std::memcpy(&event, segment.bytes.data() + at, sizeof event);
            number += thinning.keeps(event, level);
        }
    }
    return number;
}

// The least thinning that may do: an event takes some 8 bytes at least.
std::uint32_t first_thinning(const Tables& tables, std::size_t room_bytes) {
    constexpr std::size_t kLeastOfEvent_bytes = 8;
    const Thinning thinning = thinning_of(tables.header);
    std::uint32_t level = 0;
    while (level < most_thinning(tables.header) &&
           events_in(tables, thinning, level) * kLeastOfEvent_bytes > room_bytes)
        ++level;
    return level;
}

void add_fact(Tables& tables, const Fact& fact) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&fact);
    const auto facts = std::find_if(tables.segments.begin(), tables.segments.end(), [](const SegmentOf& segment) {
        return segment.entry.kind == SegmentKind::facts && segment.entry.element_bytes == sizeof(Fact);
    });
    if (facts == tables.segments.end()) {
        if (tables.segments.size() >= kMaxSegments) return;
        tables.segments.push_back({{SegmentKind::facts, sizeof(Fact), 0, 0, 1, 1}, {bytes, bytes + sizeof fact}});
        return;
    }
    facts->bytes.insert(facts->bytes.end(), bytes, bytes + sizeof fact);
    facts->entry.count = facts->entry.capacity = static_cast<std::uint32_t>(facts->bytes.size() / sizeof fact);
}

void add_signal(Tables& tables, int signal) {
    Fact fact{};
    std::snprintf(fact.name, sizeof fact.name, "process.ended_by_signal");
    std::snprintf(fact.text, sizeof fact.text, "%d", signal);
    add_fact(tables, fact);
}

std::vector<std::uint8_t> packed(std::span<const std::uint8_t> compressed, std::uint32_t thinning,
                                 std::size_t record_bytes) {
    PackedHeader header{};
    std::memcpy(header.magic, kPackedMagic, sizeof kPackedMagic);
    header.byte_order = kByteOrder;
    header.thinning = thinning;
    header.record_bytes = record_bytes;
    std::vector<std::uint8_t> file(sizeof header + compressed.size());
    std::memcpy(file.data(), &header, sizeof header);
    std::memcpy(file.data() + sizeof header, compressed.data(), compressed.size());
    return file;
}

}  // namespace

std::vector<std::uint8_t> summarise(std::span<const std::uint8_t> record, std::size_t most_bytes, int signal) {
    Tables tables;
    if (!take_apart(record, tables)) return packed(deflate(record), 0, record.size());
    if (signal > 0) add_signal(tables, signal);
    most_bytes -= std::min(most_bytes, sizeof(PackedHeader));
    const std::size_t others_bytes = shrink_others(tables, most_bytes);
    std::uint32_t level = first_thinning(tables, most_bytes - std::min(most_bytes, others_bytes));
    while (true) {
        if (level > 0) thin_events(tables, level);
        const std::vector<std::uint8_t> together = put_together(tables);
        const std::vector<std::uint8_t> compressed = deflate(together);
        if (compressed.size() <= most_bytes || level >= most_thinning(tables.header))
            return packed(compressed, level, together.size());
        ++level;
    }
}

}  // namespace clearway::slurm
