// One batch of a request: at most kBatchParts records of a file whose turn is held.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/borrowed.hpp"
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
    RecordParts parts() { return {parts_, static_cast<std::size_t>(count_)}; }
    off_t start_of(const RecordPart& part) const { return static_cast<off_t>(part.index) * pool_.record_bytes(); }
    std::byte* in_buffer(const RecordPart& part) { return buffer_ + (start_of(part) + part.wanted.from - offset_); }
    bool must_read(const RecordPart& part);

    bool nothing_here(const RecordPart& part);
    void add_ahead();
    int read_missing();
    bool copy_out(RecordPart& part);
    int read_run(int first, int end);
    int complete(RecordPart& part);
    int read_range(RecordPart& part, ByteRange range);
    int write_part(RecordPart& part);
    static void note_done(RecordPart& part, std::size_t bytes);
    int write_run(int first, int end);
    Moved done_until(const RecordPart* stop, int error);

    Pool& pool_;
    File& file_;
    std::byte* buffer_;
    off_t offset_;
    std::size_t bytes_;
    Borrowed<std::array<RecordPart, kBatchParts>> borrowed_;
    RecordPart single_;  // where there is no memory
    RecordPart* const parts_ = borrowed_ ? borrowed_->data() : &single_;
    const int most_ = borrowed_ ? kBatchParts : 1;
    int count_ = 0;
};

}  // namespace clearway::io_cache
