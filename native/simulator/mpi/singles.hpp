// A message, or a receive, that is alone in its list, as four bytes. Where all ranks send to all there are as many as
// pairs of ranks, alike but for their subjects: what they have in common, their family, is kept once.
//
//     1 | family | subject
#pragma once

#include <array>
#include <cstdint>

#include "simulator/mpi/lists.hpp"
#include "simulator/mpi/message.hpp"

namespace clearway::simulator {

class Singles {
public:
    struct Item {
        std::uint32_t bytes;
        Label label;
        MessageKind kind;
    };

    // Whether the list is one item that was put here.
    static constexpr bool holds(const List& list) { return list.last >= kSingle && list.last != kNoItem; }

    // Into an empty list. Returns whether there was room for its family.
    bool put(List& list, const Item& item) {
        if (item.label.subject >= kSubjects - 1) return false;
        const std::uint32_t place = place_of(item);
        Family& family = families_[place];
        if (family.members == 0) {
            family = {item.bytes, item.label.context, item.kind, 0};
        } else if (family.bytes != item.bytes || family.context != item.label.context || family.kind != item.kind) {
            return false;
        }
        ++family.members;
        list.last = kSingle | place << kSubjectBits | item.label.subject;
        return true;
    }

    Item operator[](const List& list) const {
        const Family& family = families_[place_in(list)];
        return {family.bytes, {family.context, list.last & (kSubjects - 1)}, family.kind};
    }

    Item take(List& list) {
        const Item item = (*this)[list];
        --families_[place_in(list)].members;
        list = {};
        return item;
    }

private:
    static constexpr std::uint32_t kSingle = 0x80000000U, kPlaceBits = 4, kSubjectBits = 31 - kPlaceBits;
    static constexpr std::uint32_t kSubjects = 1U << kSubjectBits;

    struct Family {
        std::uint32_t bytes, context;
        MessageKind kind;
        std::uint32_t members;
    };

    // A family has one place: who finds another there is not alone in its list for long, or one of few.
    static constexpr std::uint32_t place_of(const Item& item) {
        const std::uint32_t kind = static_cast<std::uint32_t>(item.kind);
        return (item.bytes * 0x9E3779B9U + item.label.context * 0x85EBCA6BU + kind * 0xC2B2AE35U) >> (32 - kPlaceBits);
    }
    static constexpr std::uint32_t place_in(const List& list) {
        return list.last >> kSubjectBits & ((1U << kPlaceBits) - 1);
    }

    std::array<Family, 1U << kPlaceBits> families_{};
};

}  // namespace clearway::simulator
