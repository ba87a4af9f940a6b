// A first-in, first-out queue in one piece of memory, which is given back to nobody.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace clearway::simulator {

template <typename Item>
class Ring {
public:
    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    const Item& front() const { return items_[first_]; }
    const Item& operator[](std::size_t i) const { return items_[(first_ + i) & (items_.size() - 1)]; }
    Item& operator[](std::size_t i) { return items_[(first_ + i) & (items_.size() - 1)]; }

    void push(const Item& item) {
        if (size_ == items_.size()) grow();
        items_[(first_ + size_++) & (items_.size() - 1)] = item;
    }

    void pop() {
        first_ = (first_ + 1) & (items_.size() - 1);
        --size_;
    }

private:
    void grow() {
        std::vector<Item> larger(items_.empty() ? 1 : 2 * items_.size());  // most connections hold one
        for (std::size_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
        items_ = std::move(larger);
        first_ = 0;
    }

    std::vector<Item> items_;  // a power of two
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

}  // namespace clearway::simulator
