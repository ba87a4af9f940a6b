// Follows every packet along its links, and complains of what cannot be: for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "simulator/network/network.hpp"

namespace clearway::simulator {

class Auditor final : public Watcher {
public:
    Auditor(const Topology& topology, const Framing& framing) : topology_(topology), framing_(framing) {}

    void saw(Happening happening, Picoseconds now, std::uint32_t link, const Packet& packet) override {
        EXPECT_GE(now, latest_) << "time runs backwards";
        latest_ = now;
        digest_ = (digest_ ^ static_cast<std::uint64_t>(now) ^ link ^ packet.sequence) * kFnvPrime;
        const std::uint32_t bytes = bytes_in_buffer(framing_, packet);
        const TopologyLink& cable = topology_.links[link];
        const LinkSettings& settings = cable.settings;
        auto& queue = under_way_[link];
        if (happening == Happening::queued) {
            queue.emplace_back(now, packet);
        } else if (happening == Happening::hop) {
            ASSERT_FALSE(queue.empty());
            const auto& [since, same] = queue.front();
            EXPECT_EQ(std::tie(same.to, same.sequence, same.length),
                      std::tie(packet.to, packet.sequence, packet.length));
            const bool is_at_host = cable.to_node < topology_.hosts;
            const Picoseconds on_wire = (bytes + framing_.gap_bytes) * ps_per_byte(settings.rate_bps);
            const Picoseconds least =
                from_ns(settings.latency_ns) + (topology_.cuts_through && !is_at_host ? 0 : on_wire);
            EXPECT_GE(now - since, least) << "faster than the wire";
            if (is_at_host) payload_[packet.to] += packet.length;
            queue.erase(queue.begin());
        } else {
            EXPECT_NE(settings.buffer_bytes, kUnlimited) << "dropped where there is no limit";
        }
    }

    std::uint64_t digest() const { return digest_; }
    std::uint64_t under_way() const {
        std::uint64_t sum = 0;
        for (const auto& [link, packets] : under_way_) sum += packets.size();
        return sum;
    }
    // That reached hosts, what came twice included.
    std::uint64_t payload() const {
        std::uint64_t sum = 0;
        for (const auto& [endpoint, bytes] : payload_) sum += bytes;
        return sum;
    }

private:
    const Topology& topology_;
    const Framing& framing_;
    Picoseconds latest_ = 0;
    std::uint64_t digest_ = kFnvBasis;
    std::map<std::uint32_t, std::vector<std::pair<Picoseconds, Packet>>> under_way_;
    std::map<std::uint32_t, std::uint64_t> payload_;
};

}  // namespace clearway::simulator
