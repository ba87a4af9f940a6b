#include "io_cache/store/pool.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <new>

#include "io_cache/policy/policy.hpp"

namespace clearway::io_cache {

namespace {

constexpr std::uint32_t kMinRecordBytes = 4096, kMaxRecordBytes = 1 << 24;

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
    pool->miss_ratio_curve_.reset(new (std::nothrow) MissRatioCurve);
    pool->record_bytes_ = record;
    pool->counts_.memory_available_bytes = settings.budget_bytes;
    pool->counts_.record_bytes = record;
    pool->counts_.records_fitting = frames;
    if (pool->policy_ == nullptr || pool->miss_ratio_curve_ == nullptr ||
        !pool->miss_ratio_curve_->allocate(settings.policy, record) || !pool->frames_.allocate(count, record) ||
        !pool->files_.allocate(kMostFilesAtOnce))
        return nullptr;
    pool->allowance_.set_up(settings, pool->bytes_of(kMinFrames));
    return pool;
}

File* Pool::add(const Backing& backing) {
    const Lock lock(mutex_);
    std::uint32_t id = 0;
    while (id < files_used_ && files_[id].in_use) ++id;
    if (id == kMostFilesAtOnce) return nullptr;
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
    file.backing_bytes = backing.size_bytes;
    file.is_size_synced = false;
    return &file;
}

MissRatioCurve::Points Pool::miss_ratio_curve() {
    const Lock lock(mutex_);
    return miss_ratio_curve_->points();
}

Statistics Pool::statistics() {
    const Lock lock(mutex_);
    Statistics now = counts_;
    now.lookups = frames_.lookups();
    now.conflicts = frames_.conflicts();
    now.most_records = frames_.most_in_use();
    if (allowance_.was_refused()) now.records_fitting = most_limit_;  // others of the job have the rest
    return now;
}

int Pool::cut(File& file, off_t size_bytes) {
    if (file.backing_bytes > size_bytes || file.is_size_synced)
        if (const int error = resize(file, size_bytes); error != 0) return error;
    {
        Lock lock(mutex_);
        forget_beyond(lock, file, size_bytes);
        miss_ratio_curve_->cut(
            record_key(file.id, (static_cast<std::uint64_t>(size_bytes) + record_bytes_ - 1) / record_bytes_));
    }
    // Records beyond may have been written back between the two.
    return file.backing_bytes > size_bytes ? resize(file, size_bytes) : 0;
}

int Pool::sync_size(File& file) {
    const off_t size_bytes = file.size_bytes;
    return file.backing_bytes < size_bytes ? resize(file, size_bytes) : 0;
}

// Others may be writing back what lies beyond, even while the backing is cut: what they note then has to stay.
int Pool::resize(File& file, off_t size_bytes) {
    const off_t had_bytes = file.backing_bytes, had_stored_bytes = file.stored_bytes;
    {
        const Lock lock(mutex_);
        file.backing_bytes = std::min<off_t>(file.backing_bytes, size_bytes);
        file.stored_bytes = std::min<off_t>(file.stored_bytes, size_bytes);
    }
    const int error = file.backing.truncate(file.backing.context, size_bytes) != 0 ? errno : 0;
    const Lock lock(mutex_);
    file.backing_bytes = std::max<off_t>(file.backing_bytes, error == 0 ? size_bytes : had_bytes);
    if (error != 0) file.stored_bytes = std::max<off_t>(file.stored_bytes, had_stored_bytes);
    return error;
}

void Pool::forget_beyond(Lock& lock, File& file, off_t size_bytes) {
    const std::uint64_t last = static_cast<std::uint64_t>(size_bytes) / record_bytes_;
    const auto kept = static_cast<std::uint32_t>(static_cast<std::uint64_t>(size_bytes) % record_bytes_);
    FrameId frame = file.records.front();
    while (frame != kNoFrame) {
        if (frames_[frame].writing_back) {
            wait_for_others(lock);
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
    miss_ratio_curve_->drop(file.id);
    file.in_use = false;
    if (allowance_.is_shared() && frames_.in_use() == 0) {
        frames_.limit_to(0);
        frames_.release_unused();
        allowance_.keep_nothing();
    }
}

void Pool::remove(File& file, FrameId frame) {
    file.records.remove(frames_.in_file(), frame);
    frames_.give_back(frame);
}

std::uint64_t Pool::bytes_of(std::uint64_t frames) const {
    return frames * (record_bytes_ + FrameTable::kOverheadBytes);
}

std::uint32_t Pool::frames_in(std::uint64_t bytes) const {
    const std::uint64_t frames = (bytes + bytes_of(1) - 1) / bytes_of(1);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(frames, frames_.count()));
}

void Pool::keep_memory() { allowance_.keep(bytes_of(std::max(frames_.limit(), frames_.resident()))); }

bool Pool::grow() {
    if (frames_.limit() == frames_.count()) return false;
    const std::uint64_t had = allowance_.take(allowance_.step_bytes());
    const auto frames = static_cast<std::uint32_t>(had / bytes_of(1));
    frames_.limit_to(frames_.limit() + frames);
    most_limit_ = std::max(most_limit_, frames_.limit());
    keep_memory();
    return frames > 0;
}

void Pool::yield_memory(Lock& lock) {
    if (const std::uint64_t missing = allowance_.missing_bytes(); missing > 0) {
        frames_.limit_to(frames_.resident());  // more than that would give back nothing
        give(lock, 0, frames_in(missing));
    }
    if (const SharedBudget::Owed owed = allowance_.owed(); owed.unused_bytes + owed.used_bytes > 0)
        give(lock, frames_in(owed.unused_bytes), frames_in(owed.used_bytes));
}

// Gives up `any` frames, or `unused` ones if they are more.
void Pool::give(Lock& lock, std::uint32_t unused, std::uint32_t any) {
    const std::uint32_t idle = frames_.limit() - std::min(frames_.limit(), frames_.in_use());
    const std::uint32_t given = std::min(idle, std::max(unused, any));
    frames_.limit_to(frames_.limit() - given);
    for (std::uint32_t i = given; i < any; ++i) {
        const FrameId victim = policy_->victim(RecordKey{0}, true, frames_.pins());
        if (victim == kNoFrame) break;
        if (!frames_[victim].dirty.empty()) {
            if (write_back(lock, victim) != 0) break;
            continue;  // the lock was open: others came and went
        }
        evict(victim);
        frames_.limit_to(frames_.limit() - 1);
    }
    frames_.release_unused();
    keep_memory();
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
    frames_.release_unused();  // where less may be had than before
    policy_->insert(frame, incoming);
    return frame;
}

void Pool::evict(FrameId frame) {
    File& file = files_[file_of(frames_[frame].key)];
    ++(file.serial ? counts_.evicted_serial : counts_.evicted_other);
    policy_->evict(frame);
    remove(file, frame);
}

}  // namespace clearway::io_cache
