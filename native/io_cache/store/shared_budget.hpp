// One budget of memory for all processes of a job on a host, and what each has taken of it.
//
// It lies in shared memory, one place a process:
//
//   closed | used places | place 0: owner, its budget, taken, waiting since | place 1 ...
//
// Whoever takes adds to its own place first and then adds up all of them: of two that do so at once the later one sees
// both, so that together they never have more than the budget. Nobody waits for anybody. A process that is killed
// leaves a place whose owner is no more; what it had is found to be free again. The largest budget counts:
// who comes late may see less to spare, for others have it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace clearway::io_cache {

class SharedBudget {
public:
    SharedBudget() = default;
    SharedBudget(const SharedBudget&) = delete;
    SharedBudget& operator=(const SharedBudget&) = delete;
    ~SharedBudget() { leave(); }

    // `name`: the same in all processes of the job on this host. False: there is no such memory, or no place in it.
    // Takes away what jobs left behind whose names begin alike, up to the last dot.
    bool join(const char* name, std::uint64_t budget_bytes);
    bool is_member() const { return own_ != nullptr; }

    // Gives back all of it. The last one takes the shared memory along.
    void leave();

    // At most so many more, and not fewer than `least_bytes`; 0: so many cannot be had. Who gets nothing counts as
    // waiting for a second.
    std::uint64_t take(std::uint64_t bytes, std::uint64_t least_bytes);
    void give_back(std::uint64_t bytes);

    // What this process should give to those that wait: what it does not use, and beyond its even share also what it
    // uses, to those that have less than theirs.
    struct Owed {
        std::uint64_t unused_bytes = 0, used_bytes = 0;
    };
    Owed owed(std::uint64_t step_bytes) const;

private:
    static constexpr char kFolder[] = "/dev/shm";
    static constexpr std::uint32_t kPlaces = 511;

    struct alignas(64) Place {
        std::atomic<std::uint64_t> owner;  // 0: nobody
        std::atomic<std::uint64_t> budget_bytes;
        std::atomic<std::uint64_t> taken_bytes;
        std::atomic<std::uint64_t> waiting_ns;  // since when, CLOCK_MONOTONIC; 0: does not
    };
    struct alignas(64) Shared {
        std::atomic<std::uint32_t> closed;  // about to go
        std::atomic<std::uint32_t> used;    // places, with those between them
        Place places[kPlaces];
    };

    struct Sum {
        std::uint64_t budget_bytes = 0, taken_bytes = 0, share_bytes = 0;  // all members', an even share
        std::uint64_t waiting = 0;                                         // others
        std::uint64_t poor = 0;  // of these, those that have less than an even share

        std::uint64_t free_bytes() const { return budget_bytes - std::min(budget_bytes, taken_bytes); }
        std::uint64_t beyond_bytes() const { return taken_bytes - std::min(budget_bytes, taken_bytes); }
    };

    bool open(int flags);
    void unmap();
    static void remove_left_behind(const char* name);
    static void remove_if_left(const char* name);
    bool claim(std::uint64_t budget_bytes);
    void release();
    static void empty(Place& place);
    void close();
    void free_places_of_dead();
    void look_for_dead();
    bool any_member() const;
    Sum sum_up() const;

    char path_[96] = "";
    Shared* shared_ = nullptr;
    Place* own_ = nullptr;
    std::uint64_t looked_ns_ = 0;  // for processes that are no more
};

}  // namespace clearway::io_cache
