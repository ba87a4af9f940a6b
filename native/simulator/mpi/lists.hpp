// Many short first-in, first-out lists in one piece of memory: there are as many as connections, and most are empty.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace clearway::simulator {

inline constexpr std::uint32_t kNoItem = ~std::uint32_t{0};

struct List {
    std::uint32_t first = kNoItem;
    std::uint32_t last = kNoItem;
    bool empty() const { return first == kNoItem; }
};

template <typename Item>
class Lists {
public:
    Item& operator[](std::uint32_t at) { return nodes_[at].item; }
    std::uint32_t after(std::uint32_t at) const { return nodes_[at].next; }

    std::uint32_t append(List& list, const Item& item) {
        const std::uint32_t at = take();
        nodes_[at] = {item, kNoItem};
        (list.empty() ? list.first : nodes_[list.last].next) = at;
        list.last = at;
        return at;
    }

    Item pop(List& list) { return unlink(list, kNoItem, list.first); }

    // The first item for which `is_wanted`.
    template <typename IsWanted>
    std::optional<Item> take_first(List& list, IsWanted is_wanted) {
        std::uint32_t before = kNoItem;
        for (std::uint32_t at = list.first; at != kNoItem; before = at, at = nodes_[at].next)
            if (is_wanted(nodes_[at].item)) return unlink(list, before, at);
        return {};
    }

private:
    struct Node {
        Item item;
        std::uint32_t next;
    };

    Item unlink(List& list, std::uint32_t before, std::uint32_t at) {
        (before == kNoItem ? list.first : nodes_[before].next) = nodes_[at].next;
        if (list.last == at) list.last = before;
        nodes_[at].next = free_;
        free_ = at;
        return nodes_[at].item;
    }

    std::uint32_t take() {
        if (free_ == kNoItem) {
            nodes_.emplace_back();
            return static_cast<std::uint32_t>(nodes_.size() - 1);
        }
        const std::uint32_t at = free_;
        free_ = nodes_[at].next;
        return at;
    }

    std::vector<Node> nodes_;
    std::uint32_t free_ = kNoItem;
};

}  // namespace clearway::simulator
