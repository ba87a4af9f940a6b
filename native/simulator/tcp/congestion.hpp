// How large the congestion window is: Reno (RFC 5681), CUBIC (RFC 9438) and DCTCP (RFC 8257), a file each.
#pragma once

#include "simulator/tcp/endpoint.hpp"
#include "simulator/tcp/settings.hpp"

namespace clearway::simulator {

struct WindowControl {
    // The threshold after a loss, in segments. Called before the window changes.
    float (*after_loss)(const Learnt& learnt, Trouble& trouble);
    // Segments to add for `segments` that were acknowledged above the threshold.
    double (*growth)(const Learnt& learnt, Trouble* trouble, double segments, Picoseconds now);
    // The threshold after packets were marked (ECN).
    float (*after_mark)(const Learnt& learnt, Trouble& trouble);
};

extern const WindowControl kReno;
extern const WindowControl kCubic;
extern const WindowControl kDctcp;

inline const WindowControl& control_of(Congestion congestion) {
    switch (congestion) {
        case Congestion::reno:
            return kReno;
        case Congestion::dctcp:
            return kDctcp;
        case Congestion::cubic:
            break;
    }
    return kCubic;
}

inline constexpr float kLeastThreshold = 2;  // segments

}  // namespace clearway::simulator
