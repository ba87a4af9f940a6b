// One batch of a request: at most kBatchSlots records of a file whose turn is held.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "io_cache/store/backing.hpp"
#include "io_cache/store/pool.hpp"

namespace clearway::io_cache {

class Request {
public:
    // Takes the first of `bytes` at `offset`, as many as a batch holds.
    Request(Pool& pool, File& file, std::byte* buffer, std::size_t bytes, off_t offset);

    Moved read(bool ahead);  // into the buffer; also what follows, if the end of the request is not here
    Moved write();           // from it

private:
    Slots slots() { return {slots_.data(), static_cast<std::size_t>(count_)}; }
    off_t start_of(const Slot& slot) const { return static_cast<off_t>(slot.index) * pool_.record_bytes(); }
    std::byte* in_buffer(const Slot& slot) { return buffer_ + (start_of(slot) + slot.wanted.from - offset_); }
    bool must_read(const Slot& slot);

    bool nothing_here(const Slot& slot);
    void add_ahead();
    int read_missing();
    int read_run(int first, int end);
    int complete(Slot& slot);
    int read_part(Slot& slot, ByteRange part);
    int write_slot(Slot& slot);
    int write_run(int first, int end);
    Moved done_until(const Slot* stop, int error);

    Pool& pool_;
    File& file_;
    std::byte* buffer_;
    off_t offset_;
    std::size_t bytes_;
    std::array<Slot, kBatchSlots> slots_;
    int count_ = 0;
};

}  // namespace clearway::io_cache
