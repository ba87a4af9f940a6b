// How large the congestion window is: Reno (RFC 5681) and CUBIC (RFC 9438), a file each.
#pragma once

#include "simulator/tcp/endpoint.hpp"
#include "simulator/tcp/settings.hpp"

namespace clearway::simulator {

struct WindowControl {
    // The threshold after a loss, in segments. Called before the window changes.
    float (*after_loss)(const Endpoint& endpoint, Trouble& trouble);
    // Segments to add for `segments` that were acknowledged above the threshold.
    double (*growth)(const Endpoint& endpoint, Trouble* trouble, double segments, Picoseconds now);
};

extern const WindowControl kReno;
extern const WindowControl kCubic;

inline const WindowControl& control_of(Congestion congestion) {
    return congestion == Congestion::reno ? kReno : kCubic;
}

inline constexpr float kLeastThreshold = 2;  // segments

}  // namespace clearway::simulator
