// How a message goes in chunks, and with credits: the receiver's leave for each chunk, as both ends count it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "schedule/separation.hpp"

namespace clearway::schedule {

inline constexpr std::uint32_t kChunksUnderWay = 16;  // of one message; the rest waits its turn

class Credits {
public:
    // `most_bytes`: what one message of the MPI's may have.
    Credits(const Separation& separation, std::uint64_t most_bytes)
        : are_used_(separation.gate == Gate::credits),
          chunk_bytes_(chunk_bytes_for(separation, most_bytes)),
          unasked_(are_used_ ? std::max<std::uint64_t>(1, separation.window_bytes / chunk_bytes_) : 0) {}

    bool are_used() const { return are_used_; }
    std::uint64_t chunk_bytes() const { return chunk_bytes_; }
    std::uint64_t chunks_of(std::uint64_t bytes) const { return (bytes + chunk_bytes_ - 1) / chunk_bytes_; }

    // How many chunks of a message its sender may send before the receiver has had one.
    std::uint64_t chunks_unasked(std::uint64_t bytes) const {
        return are_used_ ? std::min(unasked_, chunks_of(bytes)) : chunks_of(bytes);
    }

    // Whether the receiver, which has had so much of a message, lets one more chunk come.
    bool gives_leave(std::uint64_t bytes, std::uint64_t received_bytes) const {
        return are_used_ && chunks_of(received_bytes) + unasked_ <= chunks_of(bytes);
    }

private:
    static std::uint64_t chunk_bytes_for(const Separation& separation, std::uint64_t most_bytes) {
        std::uint64_t bytes = separation.chunk_bytes;
        if (bytes == 0 && separation.gate == Gate::credits) bytes = separation.window_bytes;
        return bytes != 0 ? std::min(bytes, most_bytes) : most_bytes;
    }

    bool are_used_;
    std::uint64_t chunk_bytes_;
    std::uint64_t unasked_;
};

}  // namespace clearway::schedule
