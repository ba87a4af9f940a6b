// Writes one record file (layout.hpp) in place, through a shared mapping, so that whatever was stored
// survives the process. Every block is reserved on the file system before it is mapped: a full disk is
// an error at growth time, never a SIGBUS in the job.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "base/no_signals.hpp"
#include "run_record/layout.hpp"

namespace clearway {

class RecordFile {
public:
    constexpr RecordFile() = default;
    RecordFile(const RecordFile&) = delete;
    RecordFile& operator=(const RecordFile&) = delete;

    // Creates `path` (which must not exist; absolute, for it is opened again at each growth) and maps its
    // header. Returns 0 or an errno; on failure nothing is left behind.
    int create(const char* path, FileKind kind);

    bool is_open() const { return header_ != nullptr; }
    FileHeader* header() { return header_; }

    // Reserves and maps one more segment of `capacity` zeroed elements. Null when the disk or the
    // directory of segments is full. Thread-safe.
    void* add_segment(SegmentKind kind, std::uint32_t element_bytes, std::uint32_t capacity, std::uint32_t thread,
                      SegmentEntry** entry);

    // Counts an element that found no room; the header counts the first kinds only.
    void drop(SegmentKind kind) {
        const auto index = static_cast<unsigned>(kind);
        if (header_ == nullptr || index >= std::size(header_->dropped)) return;
        __atomic_fetch_add(&header_->dropped[index], 1, __ATOMIC_RELAXED);
    }

    // In a forked child: forgets the mapping, so that the parent's record has one writer.
    void abandon();

private:
    int reserve(std::uint64_t offset, std::uint64_t bytes, void** mapped);

    FileHeader* header_ = nullptr;
    SegmentEntry* directory_ = nullptr;
    std::atomic_flag growing_;
    bool full_ = false;  // once refused room it asks no more: every call of the job would pay for the asking
    char path_[4096] = {};
};

// A typed array that grows by doubling segments; elements never move. Adding takes a short spin lock, since
// several threads share a table, and keeps signals away meanwhile; readers of the file see an element only once it is
// whole.
template <class T>
class Table {
public:
    constexpr Table(SegmentKind kind, std::uint32_t first_capacity, std::uint32_t limit)
        : kind_(kind), first_capacity_(first_capacity), limit_(limit) {}

    // Null when the table is full or the disk is; the drop is then counted in the header. `index`
    // receives the element's number among those of this table.
    T* add(RecordFile& file, const T& value, std::uint32_t* index = nullptr) {
        const NoSignals undisturbed;
        while (lock_.test_and_set(std::memory_order_acquire)) {
        }
        T* slot = place(file);
        if (slot != nullptr) {
            if (index != nullptr) *index = size_;
            *slot = value;
            __atomic_store_n(&entry_->count, entry_->count + 1, __ATOMIC_RELEASE);
            __atomic_store_n(&size_, size_ + 1, __ATOMIC_RELEASE);
        }
        lock_.clear(std::memory_order_release);
        if (slot == nullptr) file.drop(kind_);
        return slot;
    }

    // Takes the room for the first ones, which opens the file: in a thread where the program does not see it.
    void prepare(RecordFile& file) {
        const NoSignals undisturbed;
        while (lock_.test_and_set(std::memory_order_acquire)) {
        }
        place(file);
        lock_.clear(std::memory_order_release);
    }

    std::uint32_t size() const { return __atomic_load_n(&size_, __ATOMIC_ACQUIRE); }

    // Element `index` < size(), in order of addition.
    T* at(std::uint32_t index) {
        std::uint32_t segment = 0, capacity = first_capacity_;
        while (index >= capacity) {
            index -= capacity;
            capacity *= 2;
            ++segment;
        }
        return bases_[segment] + index;
    }

    // In a forked child.
    void abandon() {
        size_ = 0;
        used_segments_ = 0;
        entry_ = nullptr;
        lock_.clear();
    }

private:
    static constexpr unsigned kSegments = 16;

    T* place(RecordFile& file) {
        if (size_ >= limit_ || !file.is_open()) return nullptr;
        if (entry_ == nullptr || entry_->count == entry_->capacity) {
            if (used_segments_ == kSegments) return nullptr;
            SegmentEntry* entry = nullptr;
            void* base = file.add_segment(kind_, sizeof(T), first_capacity_ << used_segments_, 0, &entry);
            if (base == nullptr) return nullptr;
            bases_[used_segments_++] = static_cast<T*>(base);
            entry_ = entry;
        }
        return bases_[used_segments_ - 1] + entry_->count;
    }

    SegmentKind kind_;
    std::uint32_t first_capacity_, limit_;
    std::uint32_t size_ = 0, used_segments_ = 0;
    SegmentEntry* entry_ = nullptr;
    T* bases_[kSegments] = {};
    std::atomic_flag lock_;
};

}  // namespace clearway
