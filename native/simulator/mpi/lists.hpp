// Many short first-in, first-out lists in one piece of memory: there are as many as connections, and most are empty.
// Each is a ring, which is known by its last item alone.
#pragma once

#include <cstdint>
#include <optional>

#include "simulator/pool.hpp"

namespace clearway::simulator {

inline constexpr std::uint32_t kNoItem = ~std::uint32_t{0};

struct List {
    std::uint32_t last = kNoItem;
    bool empty() const { return last == kNoItem; }
};

template <typename Item>
class Lists {
public:
    Item& operator[](std::uint32_t at) { return nodes_[at].item; }
    const Item& front(const List& list) const { return nodes_[nodes_[list.last].next].item; }
    std::uint32_t first(const List& list) const { return nodes_[list.last].next; }
    std::uint32_t after(const List& list, std::uint32_t at) const {
        return at == list.last ? kNoItem : nodes_[at].next;
    }

    std::uint32_t append(List& list, const Item& item) {
        const std::uint32_t at = nodes_.take();
        nodes_[at].item = item;
        insert_after(list.empty() ? at : list.last, at);
        list.last = at;
        return at;
    }

    Item pop(List& list) { return unlink(list, list.last); }

    // The first item for which `is_wanted`.
    template <typename IsWanted>
    std::optional<Item> take_first(List& list, IsWanted is_wanted) {
        if (list.empty()) return {};
        std::uint32_t before = list.last;
        do {
            const std::uint32_t at = nodes_[before].next;
            if (is_wanted(nodes_[at].item)) return unlink(list, before);
            before = at;
        } while (before != list.last);
        return {};
    }

private:
    struct Node {
        Item item;
        std::uint32_t next;

        std::uint32_t& next_idle() { return next; }
    };

    void insert_after(std::uint32_t before, std::uint32_t at) {
        nodes_[at].next = before == at ? at : nodes_[before].next;
        nodes_[before].next = at;
    }

    // The item after `before`.
    Item unlink(List& list, std::uint32_t before) {
        const std::uint32_t at = nodes_[before].next;
        nodes_[before].next = nodes_[at].next;
        if (list.last == at) list.last = before == at ? kNoItem : before;
        nodes_.give_back(at);
        return nodes_[at].item;
    }

    Pool<Node> nodes_;
};

}  // namespace clearway::simulator
