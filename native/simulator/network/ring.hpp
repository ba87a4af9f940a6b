// A first-in, first-out queue in one piece of memory, which is given back to nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace clearway::simulator {

template <typename Item>
class Ring {
public:
    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    const Item& front() const { return items_[first_]; }
    const Item& operator[](std::size_t i) const { return items_[(first_ + i) & (capacity_ - 1)]; }
    Item& operator[](std::size_t i) { return items_[(first_ + i) & (capacity_ - 1)]; }

    void push(const Item& item) { push() = item; }

    // One that is still to be filled.
    Item& push() {
        if (size_ == capacity_) grow();
        return items_[(first_ + size_++) & (capacity_ - 1)];
    }

    void pop() {
        first_ = (first_ + 1) & (capacity_ - 1);
        --size_;
    }

private:
    void grow() {
        const std::uint32_t capacity = capacity_ == 0 ? 1 : 2 * capacity_;
        auto larger = std::make_unique<Item[]>(capacity);
        for (std::uint32_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
        items_ = std::move(larger);
        capacity_ = capacity;
        first_ = 0;
    }

    std::unique_ptr<Item[]> items_;
    std::uint32_t capacity_ = 0;  // a power of two
    std::uint32_t first_ = 0;
    std::uint32_t size_ = 0;
};

}  // namespace clearway::simulator
