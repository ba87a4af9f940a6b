// What is kept of a record when its job is over: small enough to keep it of every job, whole enough for its page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace clearway::slurm {

inline constexpr std::size_t kMostBytes = 20'000;  // of a process

// The bytes of a gathered record (run_record/layout.hpp, PackedHeader). Single calls are thinned first, then the other
// long tables, as far as it takes to stay below `most_bytes`; what is no record of this version is compressed as it is.
// `signal` ended the process, which could not record that itself: a fact of its own then. 0: none.
std::vector<std::uint8_t> summarise(std::span<const std::uint8_t> record, std::size_t most_bytes = kMostBytes,
                                    int signal = 0);

}  // namespace clearway::slurm
