#include "io_cache/store/pool.hpp"

#include <bit>
#include <new>

#include "io_cache/policy/make.hpp"

namespace clearway::io_cache {

namespace {

constexpr std::uint32_t kMaxFiles = 1 << 16;
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
        !pool->files_.allocate(kMaxFiles))
        return nullptr;
    pool->allowance_.set_up(settings, pool->bytes_of(kMinFrames));
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

}  // namespace clearway::io_cache
