// What a rank computes with: it does one thing after another, and now and then something else (OS noise). Ranks may
// have to share a machine's cores.
#pragma once

#include <algorithm>

#include "simulator/events/random.hpp"
#include "simulator/events/time.hpp"
#include "simulator/mpi/settings.hpp"
#include "simulator/mpi/shared_cores.hpp"

namespace clearway::simulator {

class Core {
public:
    // `shared` is empty where each rank has a core of its own. Else noise is theirs.
    Core(std::uint32_t rank, const NoiseSettings& noise, std::uint64_t seed, SharedCores& shared)
        : rank_(rank), noise_(noise), shared_(&shared), random_(seed) {
        if (noise_.period_ns != 0 && shared.empty()) next_detour_ = draw(noise_.period_ns);
    }

    bool is_free(Picoseconds now) const { return free_at_ <= now; }

    // Returns when work that can begin at `now` and takes `cost` is done.
    Picoseconds work(Picoseconds now, Picoseconds cost) {
        if (noise_.wakeup_ns != 0 && free_at_ < now) now += draw(noise_.wakeup_ns);
        free_at_ = std::max(now, free_at_);
        if (!shared_->empty() && cost != 0) return free_at_ = shared_->work(free_at_, cost, rank_);
        free_at_ += cost;
        while (next_detour_ < free_at_) {
            const Picoseconds detour = draw(noise_.detour_ns);
            free_at_ = std::max(free_at_, next_detour_ + cost + detour);
            next_detour_ += detour + draw(noise_.period_ns);
        }
        return free_at_;
    }

    bool is_idle(Picoseconds now) const { return free_at_ < now; }
    Picoseconds free_at() const { return free_at_; }

    bool draw_one_of(std::size_t number) { return random_.uniform() * static_cast<double>(number) < 1; }

    Picoseconds draw_wakeup() { return noise_.wakeup_ns == 0 ? 0 : draw(noise_.wakeup_ns); }

    // On a core of all, from now on.
    Picoseconds work_shared(Picoseconds now, Picoseconds cost, bool is_woken = false) {
        free_at_ = std::max(now, free_at_);
        if (cost != 0) free_at_ = shared_->work(free_at_, cost, rank_, is_woken);
        return free_at_;
    }

    // The same for long work, which goes on after each detour.
    Picoseconds compute(Picoseconds now, Picoseconds duration) {
        work(now, 0);
        free_at_ += duration;
        while (next_detour_ < free_at_) {
            const Picoseconds detour = draw(noise_.detour_ns);
            free_at_ += detour;
            next_detour_ += detour + draw(noise_.period_ns);
        }
        return free_at_;
    }

    // Until then the rank is not in MPI.
    void away_until(Picoseconds time) { free_at_ = std::max(free_at_, time); }

    Picoseconds draw_skew() {
        return static_cast<Picoseconds>(random_.uniform() * static_cast<double>(from_ns(noise_.skew_ns)));
    }

private:
    Picoseconds draw(std::uint64_t mean_ns) {
        return 1 + static_cast<Picoseconds>(random_.exponential(static_cast<double>(from_ns(mean_ns))));
    }

    std::uint32_t rank_;
    NoiseSettings noise_;
    SharedCores* shared_;
    Random random_;
    Picoseconds free_at_ = 0;
    Picoseconds next_detour_ = kNever;
};

}  // namespace clearway::simulator
