// A record taken apart: its header, and its segments as arrays that can become shorter.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "run_record/layout.hpp"

namespace clearway::slurm {

struct SegmentOf {
    SegmentEntry entry;  // its count counts what was written; of a ring that may be more than there is
    std::vector<std::uint8_t> bytes;
};

struct Tables {
    FileHeader header;
    std::vector<SegmentOf> segments;
};

// False where this is no record, or not one of our version. Segments that claim more than the file has are cut.
bool take_apart(std::span<const std::uint8_t> record, Tables& tables);

std::vector<std::uint8_t> put_together(const Tables& tables);

// The elements of a segment that `keep` is true for; how many went is added to the header's count of what is missing.
template <class Element, class Keep>
void keep_elements(Tables& tables, SegmentKind kind, Keep keep) {
    for (SegmentOf& segment : tables.segments) {
        if (segment.entry.kind != kind) continue;
        const std::size_t number = segment.bytes.size() / sizeof(Element);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < number; ++i) {
            Element element;
            std::memcpy(&element, segment.bytes.data() + i * sizeof element, sizeof element);
            if (!keep(element)) continue;
            std::memcpy(segment.bytes.data() + kept++ * sizeof element, &element, sizeof element);
        }
        segment.bytes.resize(kept * sizeof(Element));
        segment.entry.count = segment.entry.capacity = static_cast<std::uint32_t>(kept);
    }
}

}  // namespace clearway::slurm
