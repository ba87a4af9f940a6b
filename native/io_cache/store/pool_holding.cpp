#include "io_cache/store/pool.hpp"

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
            curve_->use(record_key(file.id, slot.index), slot.wanted.bytes() < record_bytes_,
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
