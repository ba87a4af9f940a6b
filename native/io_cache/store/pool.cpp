#include "io_cache/store/pool.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <new>

#include "io_cache/policy/make.hpp"
#include "io_cache/store/headroom.hpp"

namespace clearway::io_cache {

namespace {

constexpr std::uint32_t kMaxFiles = 1 << 16;
constexpr std::uint32_t kMinRecordBytes = 4096, kMaxRecordBytes = 1 << 24;
constexpr std::uint32_t kMinFrames = 4;
constexpr std::uint64_t kReserveBytes = 128 << 20;  // is left to others
constexpr std::uint32_t kGrowthBytes = 4 << 20;
constexpr std::uint64_t kAskEveryNs = 200'000'000;
constexpr int kWriteBackFrames = 256;  // in one call

std::uint64_t now_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::unique_ptr<Pool> Pool::create(const Settings& settings) {
    const std::uint32_t record = settings.record_bytes;
    if (record < kMinRecordBytes || record > kMaxRecordBytes || !std::has_single_bit(record)) return nullptr;
    const std::uint64_t frames = settings.budget_bytes / (record + FrameTable::kOverheadBytes);
    if (frames < kMinFrames || frames > UINT32_MAX / 2) return nullptr;

    std::unique_ptr<Pool> pool(new (std::nothrow) Pool);
    if (pool == nullptr) return nullptr;
    const auto count = static_cast<std::uint32_t>(frames);
    pool->policy_ = make_policy(settings.policy, count);
    pool->curve_.reset(new (std::nothrow) Curve);
    pool->record_bytes_ = record;
    pool->counts_.memory_available_bytes = settings.budget_bytes;
    pool->counts_.record_bytes = record;
    pool->counts_.records_fitting = frames;
    if (pool->policy_ == nullptr || pool->curve_ == nullptr || !pool->curve_->allocate(settings.policy, record) ||
        !pool->frames_.allocate(count, record) || !pool->files_.allocate(kMaxFiles))
        return nullptr;
    pool->frames_.limit_to(kMinFrames);
    return pool;
}

File* Pool::add(const Backing& backing) {
    const Lock lock(mutex_);
    std::uint32_t id = 0;
    while (id < files_used_ && files_[id].in_use) ++id;
    if (id == kMaxFiles) return nullptr;
    if (id == files_used_) {
        new (&files_[id]) File;
        ++files_used_;
    }
    File& file = files_[id];
    file.id = id;
    file.in_use = true;
    file.requests = {};
    file.serial = true;
    file.last_index = UINT64_MAX;
    file.backing = backing;
    file.size_bytes = backing.size_bytes;
    file.stored_bytes = backing.size_bytes;
    return &file;
}

// At most a few times a second, as it costs some system calls.
bool Pool::may_ask_for_headroom() {
    const std::uint64_t now = now_ns();
    if (now - asked_ns_ < kAskEveryNs) return false;
    asked_ns_ = now;
    return true;
}

// Takes more memory, as long as there is some to spare.
bool Pool::grow() {
    if (frames_.limit() == frames_.count()) return false;
    if (is_short_ && !may_ask_for_headroom()) return false;
    is_short_ = headroom_bytes() < kReserveBytes + kGrowthBytes;
    if (is_short_) return false;
    frames_.limit_to(frames_.limit() + std::max<std::uint32_t>(kMinFrames, kGrowthBytes / record_bytes_));
    return true;
}

// Gives memory back where it has become short.
void Pool::yield_memory() {
    if (frames_.limit() <= kMinFrames || !may_ask_for_headroom()) return;
    const std::uint64_t headroom = headroom_bytes();
    if (headroom >= kReserveBytes / 2) return;
    is_short_ = true;
    const std::uint64_t frames = (kReserveBytes - headroom) / record_bytes_;
    frames_.limit_to(frames_.in_use() > frames + kMinFrames ? static_cast<std::uint32_t>(frames_.in_use() - frames)
                                                            : kMinFrames);
    while (frames_.in_use() > frames_.limit()) {
        const FrameId victim = policy_->victim(RecordKey{0}, true, frames_.pins());
        // To write it back would move it to the page cache, and save nothing before the disk has it.
        if (victim == kNoFrame || !frames_[victim].dirty.empty()) return;
        evict(victim);
        frames_.release_memory(victim);
    }
}

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
    yield_memory();
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

FrameId Pool::make_room(Lock& lock, RecordKey incoming, bool must) {
    FrameId frame = frames_.take(incoming);
    if (frame == kNoFrame && grow()) frame = frames_.take(incoming);
    while (frame == kNoFrame) {
        const FrameId victim = policy_->victim(incoming, must, frames_.pins());
        if (victim == kNoFrame) return kNoFrame;
        if (!frames_[victim].dirty.empty()) {
            if (write_back(lock, victim) != 0) return kNoFrame;
            frame = frames_.take(incoming);  // the lock was open: others came and went
            continue;
        }
        evict(victim);
        frame = frames_.take(incoming);
    }
    policy_->enter(frame, incoming);
    return frame;
}

void Pool::evict(FrameId frame) {
    File& file = files_[file_of(frames_[frame].key)];
    ++(file.serial ? counts_.evicted_serial : counts_.evicted_other);
    policy_->evict(frame);
    remove(file, frame);
}

void Pool::remove(File& file, FrameId frame) {
    file.records.remove(frames_.in_file(), frame);
    frames_.give_back(frame);
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

int Pool::flush(File& file) {
    Lock lock(mutex_);
    for (FrameId frame = file.records.front(); frame != kNoFrame && !frames_[frame].dirty.empty();
         frame = file.records.front()) {
        if (frames_[frame].writing_back)
            written_back_.wait(lock);
        else if (const int error = write_back(lock, frame); error != 0)
            return error;
    }
    curve_->flush(file.id);
    // A file that was made longer without being written to its end.
    if (file.stored_bytes >= file.size_bytes) return 0;
    lock.unlock();
    return set_stored(file, file.size_bytes);
}

int Pool::cut(File& file, off_t size_bytes) {
    if (file.stored_bytes > size_bytes)
        if (const int error = set_stored(file, size_bytes); error != 0) return error;
    {
        Lock lock(mutex_);
        forget_beyond(lock, file, size_bytes);
        curve_->cut(record_key(file.id, (static_cast<std::uint64_t>(size_bytes) + record_bytes_ - 1) / record_bytes_));
    }
    // Records beyond may have been written back between the two.
    return file.stored_bytes > size_bytes ? set_stored(file, size_bytes) : 0;
}

int Pool::set_stored(File& file, off_t size_bytes) {
    if (file.backing.truncate(file.backing.context, size_bytes) != 0) return errno;
    const Lock lock(mutex_);
    file.stored_bytes = size_bytes;
    return 0;
}

void Pool::forget_beyond(Lock& lock, File& file, off_t size_bytes) {
    const std::uint64_t last = static_cast<std::uint64_t>(size_bytes) / record_bytes_;
    const auto kept = static_cast<std::uint32_t>(static_cast<std::uint64_t>(size_bytes) % record_bytes_);
    FrameId frame = file.records.front();
    while (frame != kNoFrame) {
        if (frames_[frame].writing_back) {
            written_back_.wait(lock);
            frame = file.records.front();
            continue;
        }
        const FrameId next = frames_.in_file()[frame].next;
        const std::uint64_t index = index_of(frames_[frame].key);
        if (index == last) {
            frames_[frame].valid = frames_[frame].valid.before(kept);
            frames_[frame].dirty = frames_[frame].dirty.before(kept);
            if (frames_[frame].dirty.empty()) mark_clean(file, frame);
        }
        if (index > last || (index == last && frames_[frame].valid.empty())) {
            policy_->forget(frame);
            remove(file, frame);
        }
        frame = next;
    }
}

void Pool::drop(File& file) {
    Lock lock(mutex_);
    forget_beyond(lock, file, 0);
    policy_->note_drop(file.id);
    curve_->drop(file.id);
    file.in_use = false;
}

void Pool::mark_clean(File& file, FrameId frame) {
    frames_[frame].dirty = {};
    file.records.remove(frames_.in_file(), frame);
    file.records.push_back(frames_.in_file(), frame);
}

void Pool::note_stored(File& file, off_t offset, Moved moved) {
    if (moved.bytes == 0) return;
    file.stored_bytes = std::max<off_t>(file.stored_bytes, offset + static_cast<off_t>(moved.bytes));
}

Curve::Points Pool::curve() {
    const Lock lock(mutex_);
    return curve_->points();
}

Statistics Pool::statistics() {
    const Lock lock(mutex_);
    Statistics now = counts_;
    now.lookups = frames_.lookups();
    now.conflicts = frames_.conflicts();
    now.most_records = frames_.most_in_use();
    return now;
}

}  // namespace clearway::io_cache
