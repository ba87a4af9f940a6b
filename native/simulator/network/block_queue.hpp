// First-in, first-out queues that share their memory: a burst goes through one port after another, and what one has
// needed for it serves the next. A queue is a chain of blocks, of which it keeps one when it is empty.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace clearway::simulator {

template <typename Item>
class Blocks {
public:
    static constexpr std::uint32_t kItems = 31;
    struct Block {
        Item items[kItems];
        Block* next;
    };

    Block* take() {
        if (idle_ == nullptr) add();
        Block* const block = std::exchange(idle_, idle_->next);
        block->next = nullptr;
        return block;
    }
    void give_back(Block* block) { block->next = std::exchange(idle_, block); }

private:
    void add() {
        constexpr std::uint32_t kTogether = 32;
        pieces_.push_back(std::make_unique<Block[]>(kTogether));
        for (std::uint32_t i = 0; i < kTogether; ++i) give_back(&pieces_.back()[i]);
    }

    std::vector<std::unique_ptr<Block[]>> pieces_;
    Block* idle_ = nullptr;
};

// `kReaders` of them look at each item once while it is in the queue, in its order.
template <typename Item, std::uint32_t kReaders>
class BlockQueue {
public:
    explicit BlockQueue(Blocks<Item>& blocks) : blocks_(&blocks) {}

    bool empty() const { return size_ == 0; }
    const Item& front() const { return first_.block->items[first_.at]; }

    // One that is still to be filled.
    Item& push() {
        if (last_.block == nullptr) {
            first_ = last_ = {blocks_->take(), 0};
        } else if (last_.at == kItems) {
            last_ = {last_.block->next = blocks_->take(), 0};
        }
        ++size_;
        return last_.block->items[last_.at++];
    }

    void pop() {
        for (Reader& reader : readers_) {
            if (reader.seen > 0) {
                --reader.seen;
            } else {
                reader.place = {};
            }
        }
        if (--size_ == 0) {
            first_.at = last_.at = 0;
            for (Reader& reader : readers_) reader.place = {};
        } else if (++first_.at == kItems) {
            Block* const left = first_.block;
            first_ = {left->next, 0};
            for (Reader& reader : readers_)
                if (reader.place.block == left) reader.place = first_;
            blocks_->give_back(left);
        }
    }

    // The first item that a reader has not seen.
    bool has_seen_front(std::uint32_t reader) const { return readers_[reader].seen > 0; }
    bool has_unseen(std::uint32_t reader) const { return readers_[reader].seen < size_; }
    const Item& unseen(std::uint32_t reader) {
        Place& place = readers_[reader].place;
        if (place.block == nullptr) place = first_;
        if (place.at == kItems) place = {place.block->next, 0};
        return place.block->items[place.at];
    }
    void see(std::uint32_t reader) {
        ++readers_[reader].place.at;
        ++readers_[reader].seen;
    }

private:
    using Block = typename Blocks<Item>::Block;
    static constexpr std::uint32_t kItems = Blocks<Item>::kItems;
    struct Place {
        Block* block = nullptr;
        std::uint32_t at = 0;
    };
    struct Reader {
        Place place;  // of the first that it has not seen; without a block: that is the front
        std::uint32_t seen = 0;
    };

    Blocks<Item>* blocks_;
    Place first_, last_;  // `last_`: behind the last item
    std::uint32_t size_ = 0;
    Reader readers_[kReaders];
};

}  // namespace clearway::simulator
