// A heap of four children a node: fewer cache lines are touched than with two. Entries that compare equal must be the
// same in every respect that matters, or the order of a run would depend on its history.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace clearway::simulator {

template <typename Entry>
class MinHeap {
public:
    bool empty() const { return entries_.empty(); }
    const Entry& top() const { return entries_.front(); }

    void push(const Entry& entry) {
        entries_.push_back(entry);
        std::size_t at = entries_.size() - 1;
        while (at > 0 && entry < entries_[(at - 1) / 4]) {
            entries_[at] = entries_[(at - 1) / 4];
            at = (at - 1) / 4;
        }
        entries_[at] = entry;
    }

    // Cheaper than pop() and push().
    void replace_top(const Entry& entry) {
        std::size_t at = 0;
        for (;;) {
            const std::size_t first = 4 * at + 1;
            if (first >= entries_.size()) break;
            std::size_t least = first;
            for (std::size_t i = first + 1; i < std::min(first + 4, entries_.size()); ++i)
                if (entries_[i] < entries_[least]) least = i;
            if (!(entries_[least] < entry)) break;
            entries_[at] = entries_[least];
            at = least;
        }
        entries_[at] = entry;
    }

    void pop() {
        const Entry last = entries_.back();
        entries_.pop_back();
        if (!entries_.empty()) replace_top(last);
    }

private:
    std::vector<Entry> entries_;
};

}  // namespace clearway::simulator
