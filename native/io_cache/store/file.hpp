// A cached file.
#pragma once

#include <atomic>
#include <mutex>

#include "io_cache/policy/frame_list.hpp"
#include "io_cache/policy/serial.hpp"
#include "io_cache/store/backing.hpp"

namespace clearway::io_cache {

struct File {
    std::recursive_mutex turn;  // held through each call on this file, or several
    std::uint32_t id = 0;
    bool in_use = false;
    Backing backing;
    std::atomic<off_t> size_bytes{0};
    std::atomic<off_t> stored_bytes{0};       // of it in the backing; what is beyond, and not in memory, is zeros
    std::atomic<off_t> backing_bytes{0};      // the backing's own size
    std::atomic<bool> is_size_synced{false};  // which is kept right at each growth

    SerialDetector requests;
    std::atomic<bool> serial{true};
    std::uint64_t last_index = UINT64_MAX;  // of the record used last: to go on in it is the same use

    // Locked by the pool.
    FrameList records;  // dirty ones first
};

}  // namespace clearway::io_cache
