#include "io_cache/store/request.hpp"

#include <cerrno>
#include <cstring>

#include "io_cache/store/program_copy.hpp"

namespace clearway::io_cache {

namespace {

constexpr std::uint64_t kAheadBytes = 256 << 10;  // of a request and what is read ahead of the next ones

}  // namespace

Request::Request(Pool& pool, File& file, std::byte* buffer, std::size_t bytes, off_t offset)
    : pool_(pool), file_(file), buffer_(buffer), offset_(offset), bytes_(0) {
    const std::uint32_t record = pool.record_bytes();
    while (bytes_ < bytes && count_ < most_) {
        const auto at = static_cast<std::uint64_t>(offset) + bytes_;
        const auto from = static_cast<std::uint32_t>(at % record);
        const auto to = static_cast<std::uint32_t>(std::min<std::uint64_t>(record, from + (bytes - bytes_)));
        parts_[count_++] = {.index = at / record, .wanted = {from, to}};
        bytes_ += to - from;
    }
}

// All is done, or what lies before `stop`.
Moved Request::done_until(const RecordPart* stop, int error) {
    if (stop == nullptr) return {bytes_, 0};
    return {static_cast<std::size_t>(start_of(*stop) + stop->wanted.from - offset_), error};
}

// Of a part that falls short.
void Request::note_done(RecordPart& part, std::size_t bytes) { part.wanted.from += static_cast<std::uint32_t>(bytes); }

bool Request::must_read(const RecordPart& part) {
    return part.frame == kNoFrame ? !part.moved : !pool_[part.frame].valid.covers(part.wanted);
}

bool Request::nothing_here(const RecordPart& part) { return part.frame == kNoFrame || pool_[part.frame].valid.empty(); }

void Request::add_ahead() {
    const std::uint32_t record = pool_.record_bytes();
    const RecordPart& last = parts_[count_ - 1];
    const bool goes_on = last.frame != kNoFrame || last.wanted.to == record;
    if (!goes_on || !nothing_here(last)) return;
    const std::uint64_t end = parts_[0].index + kAheadBytes / record;
    for (std::uint64_t index = last.index + 1; index < end && count_ < most_; ++index) {
        RecordPart& part = parts_[count_];
        part = RecordPart{};
        part.index = index;
        if (start_of(part) >= file_.stored_bytes || !pool_.hold_ahead(file_, part)) return;
        ++count_;
    }
}

Moved Request::read(bool ahead) {
    pool_.hold(file_, parts(), Direction::read);
    if (ahead) add_ahead();
    int error = read_missing();
    const RecordPart* stop = nullptr;
    for (RecordPart& part : parts()) {
        const bool is_missing = must_read(part);
        if (!is_missing && copy_out(part)) continue;
        if (!is_missing) error = EFAULT;
        stop = &part;
        break;
    }
    pool_.release(file_, parts(), Direction::read);
    return done_until(stop, error);
}

bool Request::copy_out(RecordPart& part) {
    if (part.frame == kNoFrame) return true;  // it came straight from the file
    const std::uint32_t bytes = part.wanted.bytes();
    const std::size_t given = give_to_program(in_buffer(part), pool_.bytes(part.frame) + part.wanted.from, bytes);
    if (given < bytes) note_done(part, given);
    return given == bytes;
}

int Request::read_missing() {
    for (int i = 0; i < count_;) {
        if (!must_read(parts_[i])) {
            ++i;
            continue;
        }
        if (!nothing_here(parts_[i])) {
            if (const int error = complete(parts_[i++]); error != 0) return error;
            continue;
        }
        int end = i + 1;
        while (end < count_ && nothing_here(parts_[end])) ++end;
        if (const int error = read_run(i, end); error != 0) return error;
        i = end;
    }
    return 0;
}

// Parts of which nothing is in memory, in one call: whole records into frames, the rest straight into the buffer.
int Request::read_run(int first, int end) {
    const ByteRange whole{0, pool_.record_bytes()};
    std::array<iovec, kBatchParts> pieces;
    for (int i = first; i < end; ++i) {
        const RecordPart& part = parts_[i];
        pieces[i - first] = part.frame != kNoFrame ? iovec{pool_.bytes(part.frame), whole.bytes()}
                                                   : iovec{in_buffer(part), part.wanted.bytes()};
    }
    const off_t start = start_of(parts_[first]) + (parts_[first].frame != kNoFrame ? 0 : parts_[first].wanted.from);
    const Moved moved = pool_.read(file_, pieces.data(), end - first, start);
    std::size_t left = moved.bytes;
    for (int i = first; i < end; ++i) {
        RecordPart& part = parts_[i];
        const std::size_t needed = part.frame != kNoFrame ? whole.bytes() : part.wanted.bytes();
        if (left < needed) {
            if (part.frame == kNoFrame) note_done(part, left);
            break;
        }
        left -= needed;
        part.moved = true;
        if (part.frame != kNoFrame) pool_[part.frame].valid = whole;
    }
    return moved.error;
}

// What is not here yet of a record that is here in part.
int Request::complete(RecordPart& part) {
    Frame& frame = pool_[part.frame];
    if (const int error = read_range(part, {0, frame.valid.from}); error != 0) return error;
    frame.valid.from = 0;
    if (const int error = read_range(part, {frame.valid.to, pool_.record_bytes()}); error != 0) return error;
    frame.valid.to = pool_.record_bytes();
    return 0;
}

int Request::read_range(RecordPart& part, ByteRange range) {
    if (range.empty()) return 0;
    std::byte* into = pool_.bytes(part.frame) + range.from;
    const off_t start = start_of(part) + range.from;
    if (start >= file_.stored_bytes) {
        std::memset(into, 0, range.bytes());
        return 0;
    }
    iovec piece{into, range.bytes()};
    part.moved = true;
    return pool_.read(file_, &piece, 1, start).error;
}

Moved Request::write() {
    pool_.hold(file_, parts(), Direction::write);
    const RecordPart* stop = nullptr;
    int error = 0;
    for (int i = 0; i < count_ && error == 0;) {
        int end = i;
        while (end < count_ && parts_[end].frame == kNoFrame) ++end;
        if (end > i) {
            error = write_run(i, end);
            while (i < end && parts_[i].moved) ++i;
        } else {
            error = write_part(parts_[i]);
            if (error == 0) ++i;
        }
        if (error != 0) stop = &parts_[i];
    }
    pool_.release(file_, parts(), Direction::write);
    return done_until(stop, error);
}

int Request::write_part(RecordPart& part) {
    Frame& frame = pool_[part.frame];
    if (!frame.valid.touches(part.wanted)) {
        if (const int error = complete(part); error != 0) return error;
    }
    pool_.note_base(file_, part.frame);
    const std::uint32_t bytes = part.wanted.bytes();
    const std::size_t taken = take_from_program(pool_.bytes(part.frame) + part.wanted.from, in_buffer(part), bytes);
    if (taken < bytes) {
        if (taken == 0) return EFAULT;
        RecordPart there = part;  // what is there is written, and the rest is not
        there.wanted.to = there.wanted.from + static_cast<std::uint32_t>(taken);
        if (const int error = write_part(there); error != 0) return error;
        note_done(part, taken);
        return EFAULT;
    }
    frame.valid = frame.valid.hull(part.wanted);
    frame.dirty = frame.dirty.hull(part.wanted);
    return 0;
}

// Parts without frames, in one call.
int Request::write_run(int first, int end) {
    std::byte* from = in_buffer(parts_[first]);
    const std::byte* to = in_buffer(parts_[end - 1]) + parts_[end - 1].wanted.bytes();
    iovec piece{from, static_cast<std::size_t>(to - from)};
    const Moved moved = pool_.write(file_, &piece, 1, start_of(parts_[first]) + parts_[first].wanted.from);
    const std::byte* reached = from + moved.bytes;
    for (int i = first; i < end; ++i) {
        RecordPart& part = parts_[i];
        part.moved = in_buffer(part) + part.wanted.bytes() <= reached;
        if (!part.moved && in_buffer(part) < reached)
            note_done(part, static_cast<std::size_t>(reached - in_buffer(part)));
    }
    return moved.error;
}

}  // namespace clearway::io_cache
