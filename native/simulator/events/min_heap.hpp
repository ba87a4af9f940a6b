// A heap of four children a node: fewer cache lines are touched than with two. Entries that compare equal must be the
// same in every respect that matters, or the order of a run would depend on its history.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <type_traits>

namespace clearway::simulator {

template <typename Entry>
class MinHeap {
public:
    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    const Entry& top() const { return *entries(); }

    void push(const Entry& entry) {
        if (size_ == capacity_) grow();
        Entry* const entries = this->entries();
        std::size_t at = size_++;
        while (at > 0 && entry < entries[(at - 1) / 4]) {
            entries[at] = entries[(at - 1) / 4];
            at = (at - 1) / 4;
        }
        entries[at] = entry;
    }

    // Cheaper than pop() and push().
    void replace_top(const Entry& entry) {
        Entry* const entries = this->entries();
        std::size_t at = 0;
        for (;;) {
            const std::size_t first = 4 * at + 1;
            if (first >= size_) break;
            std::size_t least = first;
            for (std::size_t i = first + 1; i < std::min(first + 4, size_); ++i)
                if (entries[i] < entries[least]) least = i;
            if (!(entries[least] < entry)) break;
            entries[at] = entries[least];
            at = least;
        }
        entries[at] = entry;
    }

    void pop() {
        const Entry last = entries()[--size_];
        if (size_ > 0) replace_top(last);
    }

private:
    static_assert(std::is_trivially_copyable_v<Entry>);
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };

    Entry* entries() { return static_cast<Entry*>(memory_.get()); }
    const Entry* entries() const { return static_cast<const Entry*>(memory_.get()); }

    // By realloc, which gives large pieces of memory another address: a copy would need both at once.
    void grow() {
        capacity_ = capacity_ == 0 ? 16 : 2 * capacity_;
        void* const larger = std::realloc(memory_.get(), capacity_ * sizeof(Entry));
        if (larger == nullptr) std::abort();
        static_cast<void>(memory_.release());
        memory_.reset(larger);
    }

    std::unique_ptr<void, Free> memory_;
    std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace clearway::simulator
