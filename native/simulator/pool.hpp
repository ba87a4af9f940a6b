// Items that are taken and given back, by number. They stay where they are, and whoever takes one after another has
// given it back gets it as that one left it, with the memory that it holds: it must be as good as new by then.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace clearway::simulator {

// Item::next_idle(): where an item that nobody has may keep a number; zero while it is taken.
template <typename Item>
class Pool {
public:
    Item& operator[](std::uint32_t at) { return blocks_[at / kBlock][at % kBlock]; }
    const Item& operator[](std::uint32_t at) const { return blocks_[at / kBlock][at % kBlock]; }

    std::uint32_t take() {
        if (idle_ == 0) return add();
        const std::uint32_t at = idle_ - 1;
        idle_ = std::exchange((*this)[at].next_idle(), 0);
        return at;
    }

    void give_back(std::uint32_t at) {
        (*this)[at].next_idle() = idle_;
        idle_ = at + 1;
    }

private:
    static constexpr std::uint32_t kBlock = 512;

    std::uint32_t add() {
        if (size_ % kBlock == 0) blocks_.push_back(std::make_unique<Item[]>(kBlock));
        return size_++;
    }

    std::vector<std::unique_ptr<Item[]>> blocks_;
    std::uint32_t size_ = 0;
    std::uint32_t idle_ = 0;  // one more than the number of the last that was given back
};

}  // namespace clearway::simulator
