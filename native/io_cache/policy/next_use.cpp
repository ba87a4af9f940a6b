#include "io_cache/policy/next_use.hpp"

namespace clearway::io_cache {

namespace {

constexpr int kSoon = 4;  // chosen by measurement: docs/io-cache-policies.md

}  // namespace

bool NextUse::allocate(std::uint32_t frames) {
    return links_.allocate(frames + 1) && residents_.allocate(frames + 1) && files_.allocate(kMostFilesAtOnce) &&
           active_.allocate(kMostFilesAtOnce);
}

NextUse::Time NextUse::use(File& file) {
    ++file.uses;
    return file.last_used = ++now_;
}

void NextUse::insert(FrameId frame, RecordKey key) {
    const std::uint32_t id = file_of(key);
    File& file = files_[id];
    residents_[frame] = {id, use(file)};
    if (file.frames.size() == 0) {
        file.place = active_count_;
        active_[active_count_++] = id;
    }
    file.frames.push_front(links_.data(), frame);
}

void NextUse::touch(FrameId frame) {
    Resident& resident = residents_[frame];
    File& file = files_[resident.file];
    const Time interval = use(file) - resident.used;
    file.intervals.note(interval, file.frames.size());
    resident.used = now_;
    file.frames.remove(links_.data(), frame);
    file.frames.push_front(links_.data(), frame);
}

// What is new is read soon, or it would not have been written: as long as not enough of a file was used twice, a part
// of the time that it took to get this far.
NextUse::Time NextUse::interval_of(const File& file) const {
    const Time typical = file.intervals.typical(file.frames.size());
    return typical != 0 ? typical : file.uses / kSoon + 1;
}

// What is overdue is the less likely to come the longer it is.
NextUse::Time NextUse::next_use_of(const File& file, FrameId frame) const {
    const bool known = file.intervals.typical(file.frames.size()) != 0;
    const Time due = (known ? residents_[frame].used : file.last_used) + interval_of(file);
    return due >= now_ ? due : now_ + (now_ - due);
}

// The file's record that will be used again latest: it is at one of the ends.
FrameId NextUse::candidate(const File& file, Pins pins) const {
    FrameId oldest = file.frames.back();
    while (oldest != kNoFrame && pins[oldest] != 0) oldest = links_[oldest].previous;
    if (oldest == kNoFrame) return kNoFrame;
    FrameId latest = file.frames.front();
    while (pins[latest] != 0) latest = links_[latest].next;
    return next_use_of(file, latest) < next_use_of(file, oldest) ? oldest : latest;
}

FrameId NextUse::victim(RecordKey incoming, bool must, Pins pins) {
    FrameId latest = kNoFrame;
    Time latest_use = must ? 0 : now_ + interval_of(files_[file_of(incoming)]);
    for (std::uint32_t i = 0; i < active_count_; ++i) {
        const File& file = files_[active_[i]];
        const FrameId frame = candidate(file, pins);
        if (frame == kNoFrame) continue;
        const Time next_use = next_use_of(file, frame);
        if (next_use <= latest_use) continue;
        latest = frame;
        latest_use = next_use;
    }
    if (latest == kNoFrame) use(files_[file_of(incoming)]);  // it passes by
    return latest;
}

void NextUse::evict(FrameId frame) {
    File& file = files_[residents_[frame].file];
    file.frames.remove(links_.data(), frame);
    if (file.frames.size() > 0) return;
    const std::uint32_t last = active_[--active_count_];
    active_[file.place] = last;
    files_[last].place = file.place;
}

}  // namespace clearway::io_cache
