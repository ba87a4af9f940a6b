#include "io_cache/store/pool.hpp"

#include <cstring>

namespace clearway::io_cache {

FrameId Pool::find_settled(Lock& lock, RecordKey key) {
    FrameId frame = frames_.find(key);
    while (frame != kNoFrame && frames_[frame].writing_back) {
        written_back_.wait(lock);
        frame = frames_.find(key);  // it may have been evicted
    }
    return frame;
}

void Pool::hold(File& file, Slots slots, Direction direction) {
    Lock lock(mutex_);
    yield_memory(lock);
    for (const Slot& slot : slots)
        if (slot.index != file.last_index)
            miss_ratio_curve_->use(record_key(file.id, slot.index), slot.wanted.bytes() < record_bytes_,
                                   direction == Direction::write);
    for (Slot& slot : slots) {
        slot.frame = find_settled(lock, record_key(file.id, slot.index));
        if (slot.frame == kNoFrame) continue;
        frames_.pin(slot.frame);
        if (slot.index != file.last_index && !frames_[slot.frame].ahead) policy_->touch(slot.frame);
        frames_[slot.frame].ahead = false;
        file.last_index = slot.index;
    }
    // Only now, so that making room for one does not take another of the same request. Pieces of a record must be in
    // memory: what is read or written of it next would be another call.
    for (Slot& slot : slots)
        if (slot.frame == kNoFrame) take_for(lock, file, slot, slot.wanted.bytes() < record_bytes_);
}

void Pool::take_for(Lock& lock, File& file, Slot& slot, bool must) {
    slot.frame = make_room(lock, record_key(file.id, slot.index), must);
    if (slot.frame == kNoFrame) return;
    frames_.pin(slot.frame);
    file.records.push_back(frames_.in_file(), slot.frame);
    file.last_index = slot.index;
}

// Of a small request. The bytes are copied with the lock held: they are few, and to pin the frame would take it twice.
FrameId Pool::find_here(File& file, const Slot& slot, Direction direction) {
    const RecordKey key = record_key(file.id, slot.index);
    const FrameId frame = frames_.find(key);
    if (frame == kNoFrame || frames_[frame].writing_back) return kNoFrame;
    const ByteRange valid = frames_[frame].valid;
    const bool reads = direction == Direction::read;
    if (reads ? !valid.covers(slot.wanted) : valid.empty() || !valid.touches(slot.wanted)) return kNoFrame;
    if (slot.index != file.last_index) {
        miss_ratio_curve_->use(key, slot.wanted.bytes() < record_bytes_, !reads);
        if (!frames_[frame].ahead) policy_->touch(frame);
        file.last_index = slot.index;
    }
    frames_[frame].ahead = false;
    ++(reads ? counts_.records_read : counts_.records_written);
    return frame;
}

bool Pool::copy_out(File& file, const Slot& slot, void* into) {
    Lock lock(mutex_);
    yield_memory(lock);
    const FrameId frame = find_here(file, slot, Direction::read);
    if (frame == kNoFrame) return false;
    std::memcpy(into, frames_.bytes(frame) + slot.wanted.from, slot.wanted.bytes());
    return true;
}

bool Pool::copy_in(File& file, const Slot& slot, const void* from) {
    Lock lock(mutex_);
    yield_memory(lock);
    const FrameId id = find_here(file, slot, Direction::write);
    if (id == kNoFrame) return false;
    Frame& frame = frames_[id];
    std::memcpy(frames_.bytes(id) + slot.wanted.from, from, slot.wanted.bytes());
    frame.valid = frame.valid.hull(slot.wanted);
    if (frame.dirty.empty()) {
        file.records.remove(frames_.in_file(), id);
        file.records.push_front(frames_.in_file(), id);
    }
    frame.dirty = frame.dirty.hull(slot.wanted);
    return true;
}

bool Pool::hold_ahead(File& file, Slot& slot) {
    Lock lock(mutex_);
    if (frames_.find(record_key(file.id, slot.index)) != kNoFrame) return false;
    take_for(lock, file, slot, true);
    if (slot.frame == kNoFrame) return false;
    frames_[slot.frame].ahead = true;
    return true;
}

void Pool::release(File& file, Slots slots, Direction direction) {
    const Lock lock(mutex_);
    std::uint64_t asked = 0, moved = 0;
    for (const Slot& slot : slots) {
        asked += slot.wanted.empty() ? 0 : 1;
        moved += slot.moved ? 1 : 0;
        if (slot.frame == kNoFrame) continue;
        frames_.unpin(slot.frame);
        const Frame& frame = frames_[slot.frame];
        if (frame.valid.empty()) {
            policy_->forget(slot.frame);
            remove(file, slot.frame);
        } else if (direction == Direction::write && !frame.dirty.empty()) {
            file.records.remove(frames_.in_file(), slot.frame);
            file.records.push_front(frames_.in_file(), slot.frame);
        }
    }
    (direction == Direction::read ? counts_.records_read : counts_.records_written) += asked;
    (direction == Direction::read ? counts_.records_read_file : counts_.records_written_file) += moved;
}

}  // namespace clearway::io_cache
