// The frames that all files share. Its lock is held for bookkeeping only: bytes are copied, read and written without
// it, while pins hold the frames in place.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "io_cache/policy/policy.hpp"
#include "io_cache/statistics/miss_ratio_curve.hpp"
#include "io_cache/statistics/statistics.hpp"
#include "io_cache/store/backing.hpp"
#include "io_cache/store/file.hpp"
#include "io_cache/store/frame_table.hpp"
#include "io_cache/store/memory_allowance.hpp"
#include "io_cache/store/merged.hpp"
#include "io_cache/store/record_part.hpp"
#include "io_cache/store/settings.hpp"

namespace clearway::io_cache {

class Pool {
public:
    static std::unique_ptr<Pool> create(const Settings& settings);

    std::uint32_t record_bytes() const { return record_bytes_; }
    std::byte* bytes(FrameId frame) { return frames_.bytes(frame); }
    Frame& operator[](FrameId frame) { return frames_[frame]; }

    File* add(const Backing& backing);
    File& file(std::uint32_t id) { return files_[id]; }
    const File& file(std::uint32_t id) const { return files_[id]; }

    // The rest asks that the file's turn is held.

    // Finds the frames of these parts, or makes room for them; until `release` they stay where they are.
    void hold(File& file, RecordParts parts, Direction direction);
    void release(File& file, RecordParts parts, Direction direction);

    // All of that at once for a piece of one record that is here: false where it is not, or where the program's memory
    // ends in it. A request then has all of it to do.
    bool copy_out(File& file, const RecordPart& part, void* into);
    bool copy_in(File& file, const RecordPart& part, const void* from);

    // Makes room for a record that is not here and may be asked for next. False: it is here, or there is no room.
    bool hold_ahead(File& file, RecordPart& part);

    // Before the first bytes of a record become dirty.
    void note_base(const File& file, FrameId frame);

    // To and from the backing, past the frames.
    Moved read(File& file, iovec* pieces, int count, off_t offset);
    Moved write(File& file, iovec* pieces, int count, off_t offset);

    off_t unwritten_bytes(File& file, off_t most_bytes);

    // These return 0 or an error number.
    int flush(File& file);                  // gives all dirty bytes to the backing
    int cut(File& file, off_t size_bytes);  // forgets what lies beyond, in the backing too
    int sync_size(File& file);              // makes the backing as long as the file is

    // Others may have written to the backing, which is so long now: their bytes come in the place of ours.
    Merged merge(File& file, off_t backing_bytes);

    // Forgets the file.
    void drop(File& file);

    Statistics statistics();
    MissRatioCurve::Points miss_ratio_curve();

private:
    using Lock = std::unique_lock<std::mutex>;
    static constexpr std::uint32_t kMinFrames = 4;

    // Memory.
    bool grow();
    void yield_memory(Lock& lock);
    void give(Lock& lock, std::uint32_t unused, std::uint32_t any);
    void keep_memory();
    std::uint64_t bytes_of(std::uint64_t frames) const;
    std::uint32_t frames_in(std::uint64_t bytes) const;
    FrameId make_room(Lock& lock, RecordKey incoming, bool must);
    void evict(FrameId frame);

    // Forgetting.
    void forget_beyond(Lock& lock, File& file, off_t size_bytes);
    int resize(File& file, off_t size_bytes);
    void remove(File& file, FrameId frame);

    // What others wrote (pool_merge.cpp).
    ByteRange others_bytes(File& file, FrameId frame, int& error);
    bool is_as_it_was(File& file, FrameId frame, int& error);
    std::uint64_t merge_record(File& file, FrameId frame, Merged& merged);

    // Records (pool_records.cpp): finding and holding them, and writing them back.
    FrameId find_here(File& file, const RecordPart& part, Direction direction);
    void wait_for_others(Lock& lock);
    FrameId find_settled(Lock& lock, RecordKey key);
    void take_for(Lock& lock, File& file, RecordPart& part, bool must);
    int write_back(Lock& lock, FrameId frame);
    bool joins(FrameId frame, FrameId next);
    void mark_clean(File& file, FrameId frame);
    void count_write(Moved moved);
    static void note_stored(File& file, off_t offset, Moved moved);

    std::uint32_t record_bytes_ = 0;
    MappedArray<File> files_;
    std::uint32_t files_used_ = 0;

    std::mutex mutex_;
    std::condition_variable written_back_;
    FrameTable frames_;
    std::unique_ptr<Policy> policy_;
    std::unique_ptr<MissRatioCurve> miss_ratio_curve_;
    Statistics counts_;
    MemoryAllowance allowance_;
    std::uint32_t most_limit_ = 0;  // of frames, until now
};

}  // namespace clearway::io_cache
