#include "io_cache/store/pool.hpp"

#include <algorithm>
#include <array>

namespace clearway::io_cache {

namespace {

constexpr int kWriteBackFrames = 256;  // in one call

}  // namespace

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
    std::array<FrameId, kWriteBackFrames> run;
    std::array<iovec, kWriteBackFrames> pieces;
    int count = 0;
    for (FrameId next = first; count < kWriteBackFrames && can_go(next); next = frames_.find(frames_[next].key + 1)) {
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
    const Moved moved = write_all(file.backing, pieces.data(), count, offset);
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
            written_back_.wait(lock);
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
