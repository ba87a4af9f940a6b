#include "io_cache/store/request.hpp"

#include <cstring>

namespace clearway::io_cache {

namespace {

constexpr std::uint64_t kAheadBytes = 256 << 10;  // of a request and what is read ahead of the next ones

}  // namespace

Request::Request(Pool& pool, File& file, std::byte* buffer, std::size_t bytes, off_t offset)
    : pool_(pool), file_(file), buffer_(buffer), offset_(offset), bytes_(0) {
    const std::uint32_t record = pool.record_bytes();
    while (bytes_ < bytes && count_ < kBatchSlots) {
        const auto at = static_cast<std::uint64_t>(offset) + bytes_;
        const auto from = static_cast<std::uint32_t>(at % record);
        const auto to = static_cast<std::uint32_t>(std::min<std::uint64_t>(record, from + (bytes - bytes_)));
        slots_[count_++] = {.index = at / record, .wanted = {from, to}};
        bytes_ += to - from;
    }
}

// All is done, or what lies before `stop`.
Moved Request::done_until(const Slot* stop, int error) {
    if (stop == nullptr) return {bytes_, 0};
    return {static_cast<std::size_t>(start_of(*stop) + stop->wanted.from - offset_), error};
}

bool Request::must_read(const Slot& slot) {
    return slot.frame == kNoFrame ? !slot.moved : !pool_[slot.frame].valid.covers(slot.wanted);
}

bool Request::nothing_here(const Slot& slot) { return slot.frame == kNoFrame || pool_[slot.frame].valid.empty(); }

void Request::add_ahead() {
    const std::uint32_t record = pool_.record_bytes();
    const Slot& last = slots_[count_ - 1];
    const bool goes_on = last.frame != kNoFrame || last.wanted.to == record;
    if (!goes_on || !nothing_here(last)) return;
    const std::uint64_t end = slots_[0].index + kAheadBytes / record;
    for (std::uint64_t index = last.index + 1; index < end && count_ < kBatchSlots; ++index) {
        Slot& slot = slots_[count_];
        slot.index = index;
        if (start_of(slot) >= file_.stored_bytes || !pool_.hold_ahead(file_, slot)) return;
        ++count_;
    }
}

Moved Request::read(bool ahead) {
    pool_.hold(file_, slots(), Direction::read);
    if (ahead) add_ahead();
    const int error = read_missing();
    const Slot* stop = nullptr;
    for (Slot& slot : slots()) {
        if (must_read(slot)) {
            stop = &slot;
            break;
        }
        if (slot.frame != kNoFrame)
            std::memcpy(in_buffer(slot), pool_.bytes(slot.frame) + slot.wanted.from, slot.wanted.bytes());
    }
    pool_.release(file_, slots(), Direction::read);
    return done_until(stop, error);
}

int Request::read_missing() {
    for (int i = 0; i < count_;) {
        if (!must_read(slots_[i])) {
            ++i;
            continue;
        }
        if (!nothing_here(slots_[i])) {
            if (const int error = complete(slots_[i++]); error != 0) return error;
            continue;
        }
        int end = i + 1;
        while (end < count_ && nothing_here(slots_[end])) ++end;
        if (const int error = read_run(i, end); error != 0) return error;
        i = end;
    }
    return 0;
}

// Slots of which nothing is in memory, in one call: whole records into frames, the rest straight into the buffer.
int Request::read_run(int first, int end) {
    const ByteRange whole{0, pool_.record_bytes()};
    std::array<iovec, kBatchSlots> pieces;
    for (int i = first; i < end; ++i) {
        const Slot& slot = slots_[i];
        pieces[i - first] = slot.frame != kNoFrame ? iovec{pool_.bytes(slot.frame), whole.bytes()}
                                                   : iovec{in_buffer(slot), slot.wanted.bytes()};
    }
    const off_t start = start_of(slots_[first]) + (slots_[first].frame != kNoFrame ? 0 : slots_[first].wanted.from);
    const Moved moved = pool_.read(file_, pieces.data(), end - first, start);
    std::size_t left = moved.bytes;
    for (int i = first; i < end; ++i) {
        Slot& slot = slots_[i];
        const std::size_t needed = slot.frame != kNoFrame ? whole.bytes() : slot.wanted.bytes();
        if (left < needed) break;
        left -= needed;
        slot.moved = true;
        if (slot.frame != kNoFrame) pool_[slot.frame].valid = whole;
    }
    return moved.error;
}

// What is not here yet of a record that is here in part.
int Request::complete(Slot& slot) {
    Frame& frame = pool_[slot.frame];
    if (const int error = read_part(slot, {0, frame.valid.from}); error != 0) return error;
    frame.valid.from = 0;
    if (const int error = read_part(slot, {frame.valid.to, pool_.record_bytes()}); error != 0) return error;
    frame.valid.to = pool_.record_bytes();
    return 0;
}

int Request::read_part(Slot& slot, ByteRange part) {
    if (part.empty()) return 0;
    std::byte* into = pool_.bytes(slot.frame) + part.from;
    const off_t start = start_of(slot) + part.from;
    if (start >= file_.stored_bytes) {
        std::memset(into, 0, part.bytes());
        return 0;
    }
    iovec piece{into, part.bytes()};
    slot.moved = true;
    return pool_.read(file_, &piece, 1, start).error;
}

Moved Request::write() {
    pool_.hold(file_, slots(), Direction::write);
    const Slot* stop = nullptr;
    int error = 0;
    for (int i = 0; i < count_ && stop == nullptr;) {
        int end = i;
        while (end < count_ && slots_[end].frame == kNoFrame) ++end;
        if (end > i) {
            error = write_run(i, end);
            while (i < end && slots_[i].moved) ++i;
        } else {
            error = write_slot(slots_[i]);
            if (error == 0) ++i;
        }
        if (error != 0) stop = &slots_[i];
    }
    pool_.release(file_, slots(), Direction::write);
    return done_until(stop, error);
}

int Request::write_slot(Slot& slot) {
    Frame& frame = pool_[slot.frame];
    if (!frame.valid.touches(slot.wanted)) {
        if (const int error = complete(slot); error != 0) return error;
    }
    std::memcpy(pool_.bytes(slot.frame) + slot.wanted.from, in_buffer(slot), slot.wanted.bytes());
    frame.valid = frame.valid.hull(slot.wanted);
    frame.dirty = frame.dirty.hull(slot.wanted);
    return 0;
}

// Slots without frames, in one call.
int Request::write_run(int first, int end) {
    std::byte* from = in_buffer(slots_[first]);
    const std::byte* to = in_buffer(slots_[end - 1]) + slots_[end - 1].wanted.bytes();
    iovec piece{from, static_cast<std::size_t>(to - from)};
    const Moved moved = pool_.write(file_, &piece, 1, start_of(slots_[first]) + slots_[first].wanted.from);
    const std::byte* reached = from + moved.bytes;
    for (int i = first; i < end; ++i) slots_[i].moved = in_buffer(slots_[i]) + slots_[i].wanted.bytes() <= reached;
    return moved.error;
}

}  // namespace clearway::io_cache
