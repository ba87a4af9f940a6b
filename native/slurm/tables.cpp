#include "slurm/tables.hpp"

#include <algorithm>
#include <cstddef>

namespace clearway::slurm {
namespace {

constexpr std::size_t kPage = 4096;

// What this program knows the insides of must be as it knows it.
std::size_t known_size(SegmentKind kind) {
    switch (kind) {
        case SegmentKind::events:
            return sizeof(EventRecord);
        case SegmentKind::calls:
            return sizeof(CallCell);
        case SegmentKind::files:
            return sizeof(FileCell);
        case SegmentKind::outputs:
            return sizeof(OutputCell);
        case SegmentKind::readings:
            return sizeof(Reading);
        case SegmentKind::threads_at:
            return sizeof(ThreadsReading);
        case SegmentKind::code_samples:
            return sizeof(CodeSample);
        default:
            return 0;
    }
}

}  // namespace

bool take_apart(std::span<const std::uint8_t> record, Tables& tables) {
    if (record.size() < kFirstSegmentOffset) return false;
    FileHeader& header = tables.header;
    std::memcpy(&header, record.data(), sizeof header);
    if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.version != kVersion ||
        header.byte_order != kByteOrder || header.header_bytes != kHeaderBytes)
        return false;
    for (std::uint32_t i = 0; i < std::min(header.segment_count, kMaxSegments); ++i) {
        SegmentEntry entry;
        std::memcpy(&entry, record.data() + kHeaderBytes + i * sizeof entry, sizeof entry);
        const std::size_t known = known_size(entry.kind);
        if (entry.element_bytes == 0 || (known != 0 && entry.element_bytes != known)) return false;
        if (entry.offset < kFirstSegmentOffset || entry.offset > record.size()) continue;
        const std::size_t room = (record.size() - entry.offset) / entry.element_bytes;
        const std::size_t number = std::min({std::size_t{entry.count}, std::size_t{entry.capacity}, room});
        if (number == 0) continue;
        const auto* begin = record.data() + entry.offset;
        if (entry.count <= entry.capacity) entry.count = static_cast<std::uint32_t>(number);
        entry.capacity = static_cast<std::uint32_t>(number);
        tables.segments.push_back({entry, {begin, begin + number * entry.element_bytes}});
    }
    return true;
}

std::vector<std::uint8_t> put_together(const Tables& tables) {
    std::size_t bytes = kFirstSegmentOffset;
    for (const SegmentOf& segment : tables.segments) bytes += (segment.bytes.size() + kPage - 1) / kPage * kPage;
    std::vector<std::uint8_t> record(bytes);
    FileHeader header = tables.header;
    std::uint32_t number = 0;
    std::size_t offset = kFirstSegmentOffset;
    for (const SegmentOf& segment : tables.segments) {
        if (segment.bytes.empty()) continue;
        SegmentEntry entry = segment.entry;
        entry.offset = offset;
        std::memcpy(record.data() + kHeaderBytes + number++ * sizeof entry, &entry, sizeof entry);
        std::memcpy(record.data() + offset, segment.bytes.data(), segment.bytes.size());
        offset += (segment.bytes.size() + kPage - 1) / kPage * kPage;
    }
    header.segment_count = number;
    header.file_bytes = offset;
    record.resize(offset);
    std::memcpy(record.data(), &header, sizeof header);
    return record;
}

}  // namespace clearway::slurm
