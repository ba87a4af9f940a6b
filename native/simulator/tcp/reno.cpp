#include <algorithm>

#include "simulator/tcp/congestion.hpp"

namespace clearway::simulator {

namespace {

float half_after_loss(const Endpoint& endpoint, Trouble&) { return std::max(endpoint.window / 2, kLeastThreshold); }

double growth_of_reno(const Endpoint& endpoint, Trouble*, double segments, Picoseconds) {
    return segments / static_cast<double>(endpoint.window);
}

}  // namespace

const WindowControl kReno{half_after_loss, growth_of_reno, half_after_loss};

}  // namespace clearway::simulator
