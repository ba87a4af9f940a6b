// How much memory a pool may take: within its budget, of what its host has to spare, beside the other processes of its
// job.
#pragma once

#include <cstdint>

#include "io_cache/store/settings.hpp"
#include "io_cache/store/shared_budget.hpp"

namespace clearway::io_cache {

class MemoryAllowance {
public:
    // `least_bytes` is had even where the host has nothing to spare.
    void set_up(const Settings& settings, std::uint64_t least_bytes);

    // At most so many more; 0: not now.
    std::uint64_t take(std::uint64_t bytes);

    // Gives back what is beyond these.
    void keep(std::uint64_t bytes);
    void keep_nothing();  // until the next `take`

    // What the pool should give up. Both ask only every now and then, and are 0 in between.
    std::uint64_t missing_bytes();  // to the host
    SharedBudget::Owed owed();      // to other processes of the job

    std::uint64_t step_bytes() const { return step_bytes_; }  // in which to take it, and to give it back
    bool is_shared() const { return shared_budget_.is_member(); }
    bool was_refused() const { return was_refused_; }  // by the budget that is shared

private:
    bool is_spare();
    std::uint64_t within_budget(std::uint64_t bytes);

    Settings settings_;
    std::uint64_t least_bytes_ = 0, step_bytes_ = 0;
    std::uint64_t taken_bytes_ = 0;
    SharedBudget shared_budget_;
    bool has_no_shared_budget_ = true;
    bool is_short_ = false;         // what the kernel said
    std::uint64_t asked_ns_ = 0;    // when
    bool is_used_up_ = false;       // what the shared budget said
    std::uint64_t refused_ns_ = 0;  // when
    std::uint64_t looked_ns_ = 0;   // at what others wait for
    bool was_refused_ = false;
};

}  // namespace clearway::io_cache
