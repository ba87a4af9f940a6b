#include <algorithm>
#include <array>
#include <cstring>

#include "base/borrowed.hpp"
#include "base/not_cancelled.hpp"
#include "io_cache/store/pool.hpp"
#include "io_cache/store/program_copy.hpp"

namespace clearway::io_cache {

namespace {

constexpr int kWriteBackFrames = 256;  // in one call

template <std::size_t kFrames>
struct Run {
    std::array<FrameId, kFrames> frames;
    std::array<iovec, kFrames> pieces;
};

}  // namespace

// Until some of what is being written back has been. Only here a thread could be cancelled in the middle of our own.
void Pool::wait_for_others(Lock& lock) {
    const NotCancelled lasts;
    written_back_.wait(lock);
}

FrameId Pool::find_settled(Lock& lock, RecordKey key) {
    FrameId frame = frames_.find(key);
    while (frame != kNoFrame && frames_[frame].writing_back) {
        wait_for_others(lock);
        frame = frames_.find(key);  // it may have been evicted
    }
    return frame;
}

void Pool::hold(File& file, RecordParts parts, Direction direction) {
    Lock lock(mutex_);
    yield_memory(lock);
    for (const RecordPart& part : parts)
        if (part.index != file.last_index)
            miss_ratio_curve_->use(record_key(file.id, part.index), part.wanted.bytes() < record_bytes_,
                                   direction == Direction::write);
    for (RecordPart& part : parts) {
        part.frame = find_settled(lock, record_key(file.id, part.index));
        if (part.frame == kNoFrame) continue;
        frames_.pin(part.frame);
        if (part.index != file.last_index && !frames_[part.frame].ahead) policy_->touch(part.frame);
        frames_[part.frame].ahead = false;
        file.last_index = part.index;
    }
    // Only now, so that making room for one does not take another of the same request. Pieces of a record must be in
    // memory: what is read or written of it next would be another call.
    for (RecordPart& part : parts)
        if (part.frame == kNoFrame) take_for(lock, file, part, part.wanted.bytes() < record_bytes_);
}

void Pool::take_for(Lock& lock, File& file, RecordPart& part, bool must) {
    part.frame = make_room(lock, record_key(file.id, part.index), must);
    if (part.frame == kNoFrame) return;
    frames_.pin(part.frame);
    file.records.push_back(frames_.in_file(), part.frame);
    file.last_index = part.index;
}

// Of a small request. The bytes are copied with the lock held: they are few, and to pin the frame would take it twice.
FrameId Pool::find_here(File& file, const RecordPart& part, Direction direction) {
    const RecordKey key = record_key(file.id, part.index);
    const FrameId frame = frames_.find(key);
    if (frame == kNoFrame || frames_[frame].writing_back) return kNoFrame;
    const ByteRange valid = frames_[frame].valid;
    const bool reads = direction == Direction::read;
    if (reads ? !valid.covers(part.wanted) : valid.empty() || !valid.touches(part.wanted)) return kNoFrame;
    if (part.index != file.last_index) {
        miss_ratio_curve_->use(key, part.wanted.bytes() < record_bytes_, !reads);
        if (!frames_[frame].ahead) policy_->touch(frame);
        file.last_index = part.index;
    }
    frames_[frame].ahead = false;
    ++(reads ? counts_.records_read : counts_.records_written);
    return frame;
}

bool Pool::copy_out(File& file, const RecordPart& part, void* into) {
    Lock lock(mutex_);
    yield_memory(lock);
    const FrameId frame = find_here(file, part, Direction::read);
    if (frame == kNoFrame) return false;
    const std::uint32_t bytes = part.wanted.bytes();
    return give_to_program(into, frames_.bytes(frame) + part.wanted.from, bytes) == bytes;
}

bool Pool::copy_in(File& file, const RecordPart& part, const void* from) {
    Lock lock(mutex_);
    yield_memory(lock);
    const FrameId id = find_here(file, part, Direction::write);
    if (id == kNoFrame) return false;
    Frame& frame = frames_[id];
    const std::uint32_t bytes = part.wanted.bytes();
    note_base(file, id);
    if (take_from_program(frames_.bytes(id) + part.wanted.from, from, bytes) != bytes) return false;
    frame.valid = frame.valid.hull(part.wanted);
    if (frame.dirty.empty()) {
        file.records.remove(frames_.in_file(), id);
        file.records.push_front(frames_.in_file(), id);
    }
    frame.dirty = frame.dirty.hull(part.wanted);
    return true;
}

// A record of which not all is here may hold anything, unless the rest lies beyond what the file ever had.
void Pool::note_base(const File& file, FrameId id) {
    Frame& frame = frames_[id];
    if (!frame.dirty.empty()) return;
    const off_t start = static_cast<off_t>(index_of(frame.key) * record_bytes_), stored = file.stored_bytes;
    const bool is_whole = frame.valid.from == 0 && !frame.valid.empty() &&
                          (frame.valid.to == record_bytes_ || start + frame.valid.to >= stored);
    if (start >= stored)
        frame.base = kZeroBase;
    else
        frame.base = is_whole ? base_of_sum(sum_of_content(frames_.bytes(id), frame.valid.to)) : kUnknownBase;
}

bool Pool::hold_ahead(File& file, RecordPart& part) {
    Lock lock(mutex_);
    if (frames_.find(record_key(file.id, part.index)) != kNoFrame) return false;
    take_for(lock, file, part, true);
    if (part.frame == kNoFrame) return false;
    frames_[part.frame].ahead = true;
    return true;
}

void Pool::release(File& file, RecordParts parts, Direction direction) {
    const Lock lock(mutex_);
    std::uint64_t asked = 0, moved = 0;
    for (const RecordPart& part : parts) {
        asked += part.wanted.empty() ? 0 : 1;
        moved += part.moved ? 1 : 0;
        if (part.frame == kNoFrame) continue;
        frames_.unpin(part.frame);
        const Frame& frame = frames_[part.frame];
        if (frame.valid.empty()) {
            policy_->forget(part.frame);
            remove(file, part.frame);
        } else if (direction == Direction::write && !frame.dirty.empty()) {
            file.records.remove(frames_.in_file(), part.frame);
            file.records.push_front(frames_.in_file(), part.frame);
        }
    }
    (direction == Direction::read ? counts_.records_read : counts_.records_written) += asked;
    (direction == Direction::read ? counts_.records_read_file : counts_.records_written_file) += moved;
}

// Whether the dirty bytes of the second follow those of the first.
bool Pool::joins(FrameId frame, FrameId next) {
    return frames_[frame].dirty.to == record_bytes_ && frames_[next].dirty.from == 0;
}

int Pool::write_back(Lock& lock, FrameId frame) {
    const auto can_go = [&](FrameId other) {
        return other != kNoFrame && !frames_.pinned(other) && !frames_[other].dirty.empty();
    };
    FrameId first = frame;
    for (int back = 1; back < kWriteBackFrames && index_of(frames_[first].key) > 0; ++back) {
        const FrameId previous = frames_.find(frames_[first].key - 1);
        if (!can_go(previous) || !joins(previous, first)) break;
        first = previous;
    }
    Run<4> few;  // where there is no memory
    Borrowed<Run<kWriteBackFrames>> borrowed;
    const int most = borrowed ? kWriteBackFrames : static_cast<int>(few.frames.size());
    FrameId* const run = borrowed ? borrowed->frames.data() : few.frames.data();
    iovec* const pieces = borrowed ? borrowed->pieces.data() : few.pieces.data();
    if (!borrowed) first = frame;
    int count = 0;
    for (FrameId next = first; count < most && can_go(next); next = frames_.find(frames_[next].key + 1)) {
        if (count > 0 && !joins(run[count - 1], next)) break;
        const ByteRange dirty = frames_[next].dirty;
        run[count] = next;
        pieces[count++] = {frames_.bytes(next) + dirty.from, dirty.bytes()};
        frames_.pin(next);
        frames_[next].writing_back = true;
    }
    File& file = files_[file_of(frames_[first].key)];
    const off_t offset = static_cast<off_t>(index_of(frames_[first].key) * record_bytes_) + frames_[first].dirty.from;

    lock.unlock();
    const Moved moved = write_all(file.backing, pieces, count, offset);
    lock.lock();

    count_write(moved);
    note_stored(file, offset, moved);
    std::size_t left = moved.bytes;
    for (int i = 0; i < count; ++i) {
        Frame& written = frames_[run[i]];
        written.writing_back = false;
        frames_.unpin(run[i]);
        if (left < written.dirty.bytes()) {
            left = 0;
            continue;
        }
        left -= written.dirty.bytes();
        mark_clean(file, run[i]);
        ++counts_.records_written_file;
    }
    written_back_.notify_all();
    if (frames_[frame].dirty.empty()) return 0;
    ++counts_.write_back_errors;
    return moved.error;
}

int Pool::flush(File& file) {
    Lock lock(mutex_);
    for (FrameId frame = file.records.front(); frame != kNoFrame && !frames_[frame].dirty.empty();
         frame = file.records.front()) {
        if (frames_[frame].writing_back)
            wait_for_others(lock);
        else if (const int error = write_back(lock, frame); error != 0)
            return error;
    }
    miss_ratio_curve_->flush(file.id);
    // A file that was made longer without being written to its end.
    lock.unlock();
    return sync_size(file);
}

Moved Pool::read(File& file, iovec* pieces, int count, off_t offset) {
    const Moved moved = read_all(file.backing, pieces, count, offset);
    const Lock lock(mutex_);
    ++counts_.backing_reads;
    counts_.backing_read_bytes += moved.bytes;
    return moved;
}

off_t Pool::unwritten_bytes(File& file, off_t most_bytes) {
    constexpr int kQuickly = 256;
    const Lock lock(mutex_);
    off_t bytes = 0;
    int count = 0;
    for (FrameId frame = file.records.front(); frame != kNoFrame && !frames_[frame].dirty.empty();
         frame = frames_.in_file()[frame].next) {
        bytes += record_bytes_;
        if (bytes >= most_bytes || ++count == kQuickly) return most_bytes;
    }
    return bytes;
}

void Pool::count_write(Moved moved) {
    ++counts_.backing_writes;
    counts_.backing_written_bytes += moved.bytes;
}

Moved Pool::write(File& file, iovec* pieces, int count, off_t offset) {
    const Moved moved = write_all(file.backing, pieces, count, offset);
    const Lock lock(mutex_);
    count_write(moved);
    note_stored(file, offset, moved);
    return moved;
}

void Pool::note_stored(File& file, off_t offset, Moved moved) {
    if (moved.bytes == 0) return;
    const off_t end = offset + static_cast<off_t>(moved.bytes);
    file.stored_bytes = std::max<off_t>(file.stored_bytes, end);
    file.backing_bytes = std::max<off_t>(file.backing_bytes, end);
}

void Pool::mark_clean(File& file, FrameId frame) {
    frames_[frame].dirty = {};
    file.records.remove(frames_.in_file(), frame);
    file.records.push_back(frames_.in_file(), frame);
}

}  // namespace clearway::io_cache
