// What will be used again latest goes, as far as that can be foretold: each file has shown after how long it comes
// back to a record, and these programs go on as they have begun.
//
// Of a file that is scanned again and again what was just used comes back last: its front stays, the rest passes by.
// Between files the times decide: a short scan is kept before a long one. What did not come back when it should have
// makes room the sooner the longer that is past.
#pragma once

#include <cstdint>

#include "io_cache/mapped_array.hpp"
#include "io_cache/policy/frame_list.hpp"
#include "io_cache/policy/intervals.hpp"
#include "io_cache/policy/policy.hpp"

namespace clearway::io_cache {

class NextUse final : public Policy {
public:
    bool allocate(std::uint32_t frames);

    void insert(FrameId frame, RecordKey key) override;
    void touch(FrameId frame) override;
    FrameId victim(RecordKey incoming, bool must, Pins pins) override;
    void evict(FrameId frame) override;
    void forget(FrameId frame) override { evict(frame); }
    void note_drop(std::uint32_t file) override { files_[file] = {}; }

private:
    // Time is counted in records used.
    using Time = std::uint64_t;

    struct Resident {
        std::uint32_t file;
        Time used;
    };
    struct File {
        FrameList frames;  // latest used first
        Time last_used, uses;
        Intervals intervals;
        std::uint32_t place;  // among the active files
    };

    Time use(File& file);
    Time interval_of(const File& file) const;
    Time next_use_of(const File& file, FrameId frame) const;
    FrameId candidate(const File& file, Pins pins) const;

    MappedArray<FrameLinks> links_;
    MappedArray<Resident> residents_;
    MappedArray<File> files_;
    MappedArray<std::uint32_t> active_;  // files with records here
    std::uint32_t active_count_ = 0;
    Time now_ = 0;
};

}  // namespace clearway::io_cache
