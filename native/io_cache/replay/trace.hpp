// A recorded trace, as steps on records.
//
// Its lines: `r FILE OFFSET BYTES` and `w FILE OFFSET BYTES`, read and written; `t FILE BYTES`, cut; `d FILE`, deleted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io_cache/policy/frame.hpp"

namespace clearway::io_cache {

enum class Access : std::uint8_t { read, write, cut };

struct Step {
    Access access;
    bool part;      // not all of the record
    RecordKey key;  // of a cut: the first record that is gone
};

struct Trace {
    std::vector<Step> steps;
    std::uint64_t uses = 0;          // steps that are no cuts
    std::uint32_t most_records = 0;  // there at one time
};

// Returns what is wrong, or "".
std::string read_trace(const std::string& path, std::uint32_t record_bytes, Trace& trace);

// For each step the next one that uses its record while it is there; kNever: none.
inline constexpr std::uint32_t kNever = UINT32_MAX;
std::vector<std::uint32_t> next_uses(const Trace& trace);

}  // namespace clearway::io_cache
