#include <algorithm>

#include "simulator/tcp/congestion.hpp"

namespace clearway::simulator {

namespace {

float after_loss(const Endpoint& endpoint, Trouble&) { return std::max(endpoint.window / 2, kLeastThreshold); }

double growth(const Endpoint& endpoint, Trouble*, double segments, Picoseconds) {
    return segments / static_cast<double>(endpoint.window);
}

}  // namespace

const WindowControl kReno{after_loss, growth, after_loss};

}  // namespace clearway::simulator
