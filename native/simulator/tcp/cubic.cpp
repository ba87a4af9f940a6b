// The constants and equations of RFC 9438, sections 4.1 to 4.7; hystart.cpp ends slow start.
#include <algorithm>
#include <cmath>

#include "simulator/tcp/congestion.hpp"

namespace clearway::simulator {

namespace {

constexpr double kC = 0.4;  // segments / s^3
constexpr double kBeta = 0.7;
constexpr double kRenoGrowth = 3 * (1 - kBeta) / (1 + kBeta);

float cubic_after_loss(const Learnt& learnt, Trouble& trouble) {
    const double window = learnt.window;
    // Fast convergence: who has lost before reaching its last window leaves room for newcomers.
    trouble.most_window = window < trouble.most_window ? window * (1 + kBeta) / 2 : window;
    trouble.epoch = kNever;
    return std::max(static_cast<float>(window * kBeta), kLeastThreshold);
}

double growth_of_cubic(const Learnt& learnt, Trouble* trouble, double segments, Picoseconds now) {
    const double window = learnt.window;
    if (trouble == nullptr) return segments / window;  // above a threshold without a loss: after idleness
    if (trouble->epoch == kNever) {
        trouble->epoch = now;
        trouble->most_window = std::max(trouble->most_window, window);
        trouble->reno_window = window;
    }
    const double threshold = learnt.threshold;
    const double k = std::cbrt((trouble->most_window - std::min(threshold, trouble->most_window)) / kC);
    const double round_trip_s = learnt.srtt_ns * 1e-9;
    const double t = static_cast<double>(now - trouble->epoch) / static_cast<double>(kSecond) + round_trip_s;
    const double cubic = kC * std::pow(t - k, 3) + trouble->most_window;
    const double alpha = trouble->reno_window < trouble->most_window ? kRenoGrowth : 1;
    trouble->reno_window += alpha * segments / window;
    const double target = std::clamp(cubic, window, 1.5 * window);
    return std::max(segments * (target - window) / window, trouble->reno_window - window);
}

}  // namespace

const WindowControl kCubic{cubic_after_loss, growth_of_cubic, cubic_after_loss};

}  // namespace clearway::simulator
