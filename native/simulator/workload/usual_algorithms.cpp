#include "simulator/workload/usual_algorithms.hpp"

#include <algorithm>
#include <bit>

#include "simulator/workload/rounds.hpp"

namespace clearway::simulator {

namespace {

constexpr std::uint64_t part(std::uint64_t bytes, std::uint64_t parts) { return (bytes + parts - 1) / parts; }

// Ranks counted from the root.
struct Tree {
    Member member;
    std::uint32_t root;

    std::uint32_t own() const { return (member.rank + member.ranks - root) % member.ranks; }
    std::uint32_t rank(std::uint32_t place) const { return (place + root) % member.ranks; }
    std::uint32_t highest() const { return std::bit_ceil(member.ranks) / 2; }
    // How many places are below `place` in the tree whose branches there have `mask` places, itself included.
    std::uint32_t branch(std::uint32_t place, std::uint32_t mask) const { return std::min(mask, member.ranks - place); }
};

// Down the tree. `bytes_for` says how much goes to a branch of so many places.
template <typename BytesFor>
void descend(const Tree& tree, Rounds& rounds, BytesFor bytes_for) {
    const std::uint32_t own = tree.own();
    for (std::uint32_t mask = tree.highest(); mask > 0; mask /= 2, rounds.next()) {
        if (own % (2 * mask) == mask) {
            rounds.receive(tree.rank(own - mask), bytes_for(tree.branch(own, mask)));
        } else if (own % (2 * mask) == 0 && own + mask < tree.member.ranks) {
            rounds.send(tree.rank(own + mask), bytes_for(tree.branch(own + mask, mask)));
        }
    }
}

// A power of two of the members take part; each of the first others hands its part to its neighbour.
class Folded {
public:
    explicit Folded(Member member)
        : member_(member), size_(std::bit_floor(member.ranks)), pairs_(member.ranks - size_) {}

    std::uint32_t size() const { return size_; }
    bool takes_part() const { return member_.rank >= 2 * pairs_ || member_.rank % 2 == 1; }
    std::uint32_t own() const { return place(member_.rank); }
    std::uint32_t place(std::uint32_t rank) const { return rank < 2 * pairs_ ? rank / 2 : rank - pairs_; }
    std::uint32_t rank(std::uint32_t place) const { return place < pairs_ ? 2 * place + 1 : place + pairs_; }

    void fold(Rounds& rounds, std::uint64_t bytes) const {
        if (member_.rank < 2 * pairs_) {
            if (takes_part()) {
                rounds.receive(member_.rank - 1, bytes);
            } else {
                rounds.send(member_.rank + 1, bytes);
            }
        }
        rounds.next();
    }
    void unfold(Rounds& rounds, std::uint64_t bytes) const {
        if (member_.rank >= 2 * pairs_) return;
        if (takes_part()) {
            rounds.send(member_.rank - 1, bytes);
        } else {
            rounds.receive(member_.rank + 1, bytes);
        }
    }

private:
    Member member_;
    std::uint32_t size_, pairs_;
};

// Each round a partner twice as far takes half of what is left: in the end each has reduced one part of it.
void halve(const Folded& folded, Rounds& rounds, std::uint64_t bytes) {
    for (std::uint32_t mask = 1; mask < folded.size(); mask *= 2, rounds.next())
        if (folded.takes_part()) rounds.exchange(folded.rank(folded.own() ^ mask), part(bytes, 2ULL * mask));
}

}  // namespace

Runnable bcast(Member member, std::uint32_t root, std::uint64_t bytes) {
    const Tree tree{member, root};
    Rounds rounds(member.rank);
    if (bytes < kShortBcastBytes || member.ranks < kFewBcastRanks) {
        descend(tree, rounds, [&](std::uint32_t) { return bytes; });
        return rounds.finish();
    }
    const std::uint64_t piece = part(bytes, member.ranks);
    descend(tree, rounds, [&](std::uint32_t places) { return places * piece; });
    for (std::uint32_t round = 1; round < member.ranks; ++round, rounds.next()) {
        rounds.receive((member.rank + member.ranks - 1) % member.ranks, piece);
        rounds.send((member.rank + 1) % member.ranks, piece);
    }
    return rounds.finish();
}

Runnable reduce(Member member, std::uint32_t root, std::uint64_t bytes) {
    Rounds rounds(member.rank);
    if (bytes <= kShortReduceBytes) {
        const Tree tree{member, root};
        const std::uint32_t own = tree.own();
        for (std::uint32_t mask = 1; mask < member.ranks; mask *= 2, rounds.next()) {
            if (own % (2 * mask) == mask) {
                rounds.send(tree.rank(own - mask), bytes);
            } else if (own % (2 * mask) == 0 && own + mask < member.ranks) {
                rounds.receive(tree.rank(own + mask), bytes);
            }
        }
        return rounds.finish();
    }
    const Folded folded(member);
    folded.fold(rounds, bytes);
    halve(folded, rounds, bytes);
    // The way back, toward the root alone. A root that takes no part has its neighbour gather for it.
    const std::uint32_t top = folded.place(root);
    const std::uint32_t away = folded.own() ^ top;
    for (std::uint32_t mask = folded.size() / 2; mask > 0; mask /= 2, rounds.next()) {
        if (!folded.takes_part() || away >= 2 * mask) continue;
        const std::uint32_t peer = folded.rank(folded.own() ^ mask);
        if (away >= mask) {
            rounds.send(peer, part(bytes, 2ULL * mask));
        } else {
            rounds.receive(peer, part(bytes, 2ULL * mask));
        }
    }
    if (folded.rank(top) == root) return rounds.finish();
    if (member.rank == root) rounds.receive(root + 1, bytes);
    if (member.rank == root + 1) rounds.send(root, bytes);
    return rounds.finish();
}

Runnable allreduce(Member member, std::uint64_t bytes) {
    Rounds rounds(member.rank);
    const Folded folded(member);
    folded.fold(rounds, bytes);
    if (bytes <= kShortReduceBytes) {
        for (std::uint32_t mask = 1; mask < folded.size(); mask *= 2, rounds.next())
            if (folded.takes_part()) rounds.exchange(folded.rank(folded.own() ^ mask), bytes);
    } else {
        halve(folded, rounds, bytes);
        for (std::uint32_t mask = folded.size() / 2; mask > 0; mask /= 2, rounds.next())
            if (folded.takes_part()) rounds.exchange(folded.rank(folded.own() ^ mask), part(bytes, 2ULL * mask));
    }
    folded.unfold(rounds, bytes);
    return rounds.finish();
}

Runnable barrier(Member member) {
    Rounds rounds(member.rank);
    rounds.next();
    return rounds.finish(schedule::Gate::barrier);
}

}  // namespace clearway::simulator
