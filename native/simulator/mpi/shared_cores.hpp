// The cores of a machine on which all ranks of all simulated hosts run, as on a testbed: what one rank has of a core
// others wait for, and when a core does something else (OS noise), its ranks go on on another that is free.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulator/events/random.hpp"
#include "simulator/events/time.hpp"
#include "simulator/mpi/settings.hpp"
#include "simulator/tcp/packet_cost.hpp"

namespace clearway::simulator {

class SharedCores final : public PacketCost {
public:
    SharedCores(const NoiseSettings& noise, std::uint64_t seed) : noise_(noise), random_(seed), cores_(noise.cores) {
        if (noise_.period_ns == 0) return;
        for (Each& core : cores_) core.next_detour = draw(noise_.period_ns);
    }

    bool empty() const { return cores_.empty(); }
    std::size_t number() const { return cores_.size(); }

    // Returns when work of a rank that can begin at `from` and takes `cost` is done. One that has been woken may find
    // a core that has worked for others.
    Picoseconds work(Picoseconds from, Picoseconds cost, std::uint32_t rank, bool is_woken = false) {
        for (Each& core : cores_) pass_detours(core, from + 1, 0);
        Each& chosen = next(from, rank);
        if (is_woken && chosen.rank != rank) cost += from_ns(noise_.switch_ns);
        chosen.rank = rank;
        chosen.free_at = std::max(from, chosen.free_at) + cost;
        pass_detours(chosen, chosen.free_at, cost);
        return chosen.free_at;
    }

    // The kernel goes before whatever ranks do: a packet waits for packets alone, and ranks for it.
    Picoseconds with_card_at(Picoseconds now) override { return kernel_work(now, from_ns(noise_.packet_ns)); }

    void hold_back(Picoseconds now) override {
        if (noise_.timer_ns != 0) kernel_work(now, from_ns(noise_.timer_ns));
    }

    // One program passes all packets, one after another.
    Picoseconds through_relay_at(Picoseconds now) override {
        relay_free_at_ = kernel_work(std::max(now, relay_free_at_), from_ns(noise_.relay_ns));
        return relay_free_at_;
    }

private:
    Picoseconds kernel_work(Picoseconds now, Picoseconds cost) {
        Each* best = &cores_.front();
        const auto is_sooner = [&](const Each& one, const Each& other) {
            const Picoseconds one_at = std::max(now, one.kernel_free_at);
            const Picoseconds other_at = std::max(now, other.kernel_free_at);
            return one_at != other_at ? one_at < other_at : one.free_at < other.free_at;
        };
        for (Each& each : cores_)
            if (is_sooner(each, *best)) best = &each;
        best->free_at = std::max(now, best->free_at) + cost;
        return best->kernel_free_at = std::max(now, best->kernel_free_at) + cost;
    }

    struct Each {
        Picoseconds free_at = 0;         // for ranks
        Picoseconds kernel_free_at = 0;  // for packets
        Picoseconds next_detour = kNever;
        std::uint32_t rank = 0xFFFF'FFFF;  // that it has worked for last
    };

    // Those that begin before `end`; work of so much cost comes after them.
    void pass_detours(Each& core, Picoseconds end, Picoseconds cost) {
        while (core.next_detour < end) {
            const Picoseconds detour = draw(noise_.detour_ns);
            core.free_at = std::max(core.free_at, core.next_detour + cost + detour);
            core.next_detour += detour + draw(noise_.period_ns);
            end = std::max(end, core.free_at);
        }
    }

    // Of those that are free by then the one that was busy last, else the one that is free first: none rests in vain.
    // Where going from one rank to another costs something, a rank goes back to the core that it left, if that is
    // free, and else to the one that has been free the longest. One that is bound has no choice.
    Each& next(Picoseconds from, std::uint32_t rank) {
        if (noise_.is_bound) return cores_[rank % cores_.size()];
        const auto is_its = [&](const Each& core) { return core.rank == rank && core.free_at <= from; };
        const auto is_free_sooner = [](const Each& one, const Each& other) { return one.free_at < other.free_at; };
        if (noise_.switch_ns != 0) {
            const auto own = std::ranges::find_if(cores_, is_its);
            return own != cores_.end() ? *own : *std::ranges::min_element(cores_, is_free_sooner);
        }
        Each* best = &cores_.front();
        for (Each& each : cores_)
            if (each.free_at <= from ? best->free_at > from || each.free_at > best->free_at
                                     : each.free_at < best->free_at)
                best = &each;
        return *best;
    }

    Picoseconds draw(std::uint64_t mean_ns) {
        return 1 + static_cast<Picoseconds>(random_.exponential(static_cast<double>(from_ns(mean_ns))));
    }

    NoiseSettings noise_;
    Random random_;
    std::vector<Each> cores_;
    Picoseconds relay_free_at_ = 0;
};

}  // namespace clearway::simulator
