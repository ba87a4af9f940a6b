#include "io_cache/store/cache.hpp"

#include <cerrno>
#include <new>

#include "io_cache/store/pool.hpp"
#include "io_cache/store/request.hpp"

namespace clearway::io_cache {

namespace {

int failed(int error) {
    errno = error;
    return -1;
}

constexpr std::uint32_t kSmallBytes = 4096;

// Whether a request is for a few bytes of one record; which.
bool is_small(std::uint32_t record_bytes, off_t offset, std::size_t bytes, RecordPart& part) {
    const auto from = static_cast<std::uint32_t>(static_cast<std::uint64_t>(offset) & (record_bytes - 1));
    if (bytes == 0 || bytes > std::min(kSmallBytes, record_bytes - from)) return false;
    part.index = static_cast<std::uint64_t>(offset) / record_bytes;
    part.wanted = {from, from + static_cast<std::uint32_t>(bytes)};
    return true;
}

// Whether it goes on where the last request ended.
bool note_request(File& file, off_t offset, std::size_t bytes) {
    const bool follows = file.requests.note(static_cast<std::uint64_t>(offset), bytes);
    file.serial = file.requests.serial();
    return follows;
}

}  // namespace

Cache* Cache::create(const Settings& settings) {
    std::unique_ptr<Pool> pool = Pool::create(settings);
    return pool != nullptr ? new (std::nothrow) Cache(std::move(pool)) : nullptr;
}

Cache::Cache(std::unique_ptr<Pool> pool) : pool_(std::move(pool)) {}
Cache::~Cache() = default;

FileId Cache::add(const Backing& backing) {
    const File* file = pool_->add(backing);
    return file != nullptr ? file->id : kNoFile;
}

Cache::Turn Cache::turn(FileId id) { return Turn(pool_->file(id).turn); }

off_t Cache::size(FileId id) const { return pool_->file(id).size_bytes; }

Statistics Cache::statistics() const { return pool_->statistics(); }

MissRatioCurve::Points Cache::miss_ratio_curve() const { return pool_->miss_ratio_curve(); }

ssize_t Cache::read(FileId id, void* into, std::size_t bytes, off_t offset) {
    if (offset < 0) return failed(EINVAL);
    File& file = pool_->file(id);
    const Turn turn(file.turn);
    const off_t size = file.size_bytes;
    if (offset >= size) return 0;
    bytes = std::min(bytes, static_cast<std::size_t>(size - offset));
    const bool ahead = note_request(file, offset, bytes) && file.serial;
    RecordPart small;
    if (is_small(pool_->record_bytes(), offset, bytes, small) && pool_->copy_out(file, small, into))
        return static_cast<ssize_t>(bytes);
    std::size_t done = 0;
    while (done < bytes) {
        Request request(*pool_, file, static_cast<std::byte*>(into) + done, bytes - done,
                        offset + static_cast<off_t>(done));
        const Moved moved = request.read(ahead);
        done += moved.bytes;
        if (moved.error != 0) return done > 0 ? static_cast<ssize_t>(done) : failed(moved.error);
    }
    return static_cast<ssize_t>(done);
}

ssize_t Cache::write(FileId id, const void* from, std::size_t bytes, off_t offset) {
    if (offset < 0) return failed(EINVAL);
    File& file = pool_->file(id);
    const Turn turn(file.turn);
    auto* buffer = static_cast<std::byte*>(const_cast<void*>(from));  // a Request that writes only reads it
    note_request(file, offset, bytes);
    RecordPart small;
    if (is_small(pool_->record_bytes(), offset, bytes, small) && pool_->copy_in(file, small, from)) {
        file.size_bytes = std::max<off_t>(file.size_bytes, offset + static_cast<off_t>(bytes));
        if (file.is_size_synced) pool_->sync_size(file);
        return static_cast<ssize_t>(bytes);
    }
    std::size_t done = 0;
    int error = 0;
    while (done < bytes && error == 0) {
        Request request(*pool_, file, buffer + done, bytes - done, offset + static_cast<off_t>(done));
        const Moved moved = request.write();
        done += moved.bytes;
        error = moved.error;
        if (moved.bytes > 0) file.size_bytes = std::max<off_t>(file.size_bytes, offset + static_cast<off_t>(done));
    }
    if (file.is_size_synced) pool_->sync_size(file);  // else the next flush tells
    return done > 0 || error == 0 ? static_cast<ssize_t>(done) : failed(error);
}

int Cache::truncate(FileId id, off_t bytes) {
    if (bytes < 0) return failed(EINVAL);
    File& file = pool_->file(id);
    const Turn turn(file.turn);
    if (const int error = pool_->cut(file, bytes); error != 0) return failed(error);
    file.size_bytes = bytes;
    return 0;
}

int Cache::grow(FileId id, off_t bytes) {
    File& file = pool_->file(id);
    const Turn turn(file.turn);
    const off_t had_bytes = file.size_bytes;
    if (bytes <= had_bytes) return 0;
    file.size_bytes = bytes;
    const int error = file.is_size_synced ? pool_->sync_size(file) : 0;
    if (error == 0) return 0;
    file.size_bytes = had_bytes;
    return failed(error);
}

off_t Cache::unwritten_bytes(FileId id, off_t most_bytes) {
    File& file = pool_->file(id);
    const Turn turn(file.turn);
    return pool_->unwritten_bytes(file, most_bytes);
}

void Cache::keep_size_synced(FileId id, bool sized) { pool_->file(id).is_size_synced = sized; }

int Cache::sync_size(FileId id) {
    File& file = pool_->file(id);
    const Turn turn(file.turn);
    const int error = pool_->sync_size(file);
    return error == 0 ? 0 : failed(error);
}

int Cache::flush(FileId id) {
    File& file = pool_->file(id);
    const Turn turn(file.turn);
    const int error = pool_->flush(file);
    return error == 0 ? 0 : failed(error);
}

Merged Cache::merge(FileId id, off_t backing_bytes) {
    File& file = pool_->file(id);
    const Turn turn(file.turn);
    return pool_->merge(file, backing_bytes);
}

void Cache::drop(FileId id) {
    File& file = pool_->file(id);
    const Turn turn(file.turn);
    pool_->drop(file);
}

}  // namespace clearway::io_cache
