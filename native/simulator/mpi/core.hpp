// What a rank computes with: it does one thing after another, and now and then something else (OS noise). Ranks may
// have to share a machine's cores.
#pragma once

#include <algorithm>
#include <vector>

#include "simulator/events/random.hpp"
#include "simulator/events/time.hpp"
#include "simulator/mpi/settings.hpp"

namespace clearway::simulator {

// When each of the cores that all ranks share is free; empty where each rank has its own.
using SharedCores = std::vector<Picoseconds>;

class Core {
public:
    Core(const NoiseSettings& noise, std::uint64_t seed, SharedCores& shared)
        : noise_(noise), shared_(&shared), random_(seed) {
        if (noise_.period_ns != 0) next_detour_ = draw(noise_.period_ns);
    }

    bool is_free(Picoseconds now) const { return free_at_ <= now; }

    // Returns when work that can begin at `now` and takes `cost` is done.
    Picoseconds work(Picoseconds now, Picoseconds cost) {
        if (noise_.wakeup_ns != 0 && free_at_ < now) now += draw(noise_.wakeup_ns);
        free_at_ = std::max(now, free_at_);
        if (shared_->empty() || cost == 0) {
            free_at_ += cost;
        } else {
            Picoseconds& core = next_core();
            core = free_at_ = std::max(free_at_, core) + cost;
        }
        while (noise_.period_ns != 0 && next_detour_ < free_at_) {
            const Picoseconds detour = draw(noise_.detour_ns);
            free_at_ = std::max(free_at_, next_detour_ + cost + detour);
            next_detour_ += detour + draw(noise_.period_ns);
        }
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
    // Of those that are free by then the one that was busy last, else the one that is free first: none rests in vain.
    Picoseconds& next_core() {
        Picoseconds* best = &shared_->front();
        for (Picoseconds& each : *shared_)
            if (each <= free_at_ ? *best > free_at_ || each > *best : each < *best) best = &each;
        return *best;
    }

    Picoseconds draw(std::uint64_t mean_ns) {
        return 1 + static_cast<Picoseconds>(random_.exponential(static_cast<double>(from_ns(mean_ns))));
    }

    NoiseSettings noise_;
    SharedCores* shared_;
    Random random_;
    Picoseconds free_at_ = 0;
    Picoseconds next_detour_ = kNever;
};

}  // namespace clearway::simulator
