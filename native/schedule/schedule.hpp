// How data moves: for each rank a Program of steps, for all of them a Schedule. Plain data that an executor, a
// simulator, the checker and a picture read alike.
//
//   rank 1's Program (ordered, 3 ranks)             send buffer     receive buffer
//     0  copy      phase 0                            slot 1      →   slot 1
//     1  receive   phase 0  from 0                                    slot 0
//     2  send      phase 0  to 2                      slot 2
//     3  join      phase 0            after 0 1 2
//     4  receive   phase 1  from 2    after 3                         slot 2
//     5  send      phase 1  to 0      after 3         slot 0
//
// Steps stand in the order of their phases. A step may start when the steps it names in `after` and all of the phases
// before have ended; steps that may start, start in the order of the list and run side by side. A receive ends with its
// message, a send not before its receive has begun (no message may count on being buffered). The k-th send of a rank to
// a peer meets the k-th receive of that peer from the rank, and neither begins before the one before it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "schedule/problem.hpp"
#include "schedule/separation.hpp"

namespace clearway::schedule {

enum class Buffer : std::uint8_t {
    send,     // the caller's: slot = destination; of an allgather slot 0 alone
    receive,  // the caller's: slot = origin
    scratch,  // the executor's: each slot holds one block; only for operations whose blocks have one size, and vectors
};
// Of a vector's blocks slot k of either is block k: the root alone sends a bcast and receives a reduce, and of a
// reduce_scatter a rank receives, in slot 0, the block of its own number. Slot j of scratch is for block j mod blocks.

// Neighbouring slots of one buffer.
struct Slots {
    Buffer buffer;
    std::uint32_t first;
    std::uint32_t count;
};

enum class Action : std::uint8_t {
    send,
    receive,
    copy,    // inside the rank
    reduce,  // inside the rank: what is read is combined with what stands where it writes
    join,    // nothing by itself: it ends when the steps before it have ended
};

// Elements of an array of the same Program.
struct Range {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

inline constexpr std::uint32_t kNoPeer = ~std::uint32_t{0};
inline constexpr std::uint32_t kNoStep = ~std::uint32_t{0};  // one that was left out, or that there is not

struct Step {
    Action action;
    std::uint32_t phase;
    std::uint32_t peer = kNoPeer;  // of a send or receive
    Range reads;                   // Program::slots, of a send, copy or reduce
    Range writes;                  // Program::slots, of a receive, copy or reduce
    Range after;                   // Program::after
};

// The word that all but a window of what is received until the end of a phase has come (neighbour_leaves.hpp).
struct Leave {
    std::uint32_t phase;
    std::uint32_t peer;
    auto operator<=>(const Leave&) const = default;
};

// What one rank does. An executor makes this and no other rank's.
struct Program {
    std::uint32_t rank = 0;
    std::vector<Step> steps;
    std::vector<Slots> slots;
    std::vector<std::uint32_t> after;  // indices of earlier steps
    std::uint32_t scratch_slots = 0;
    // For Gate::token, in ascending order: whom the rank tells, and whose word it needs before a later phase.
    std::vector<Leave> gives;
    std::vector<Leave> needs;
};

// How an algorithm promises to use each host's network port during a phase, in each direction. Messages between
// ranks of one host use no port.
enum class PortUse : std::uint8_t {
    any,          // no promise
    one_host,     // messages to one host and from one host only
    one_message,  // one message out and one in
};

struct Schedule {
    Problem problem;
    std::string algorithm;
    Separation separation;
    PortUse port_use = PortUse::any;
    std::uint32_t phases = 1;       // the same on all ranks, also on those with nothing to do in some of them
    std::vector<Program> programs;  // by rank
};

// Slots that the buffer has on this rank.
std::uint32_t slots_in(const Problem& problem, const Program& program, Buffer buffer);

// Of a vector: which block the slot is for on `rank`.
std::uint32_t block_in(const Problem& problem, std::uint32_t rank, Buffer buffer, std::uint32_t slot);

// Bytes of one slot on `rank`.
std::uint64_t bytes_of_slot(const Problem& problem, std::uint32_t rank, Buffer buffer, std::uint32_t slot);

// Bytes of all slots in a range of `program`, which is `rank`'s.
std::uint64_t bytes_of(const Problem& problem, const Program& program, std::uint32_t rank, Range slots);

}  // namespace clearway::schedule
