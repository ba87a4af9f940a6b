#include <algorithm>

#include "simulator/tcp/congestion.hpp"

namespace clearway::simulator {

namespace {

float half_after_loss(const Learnt& learnt, Trouble&) { return std::max(learnt.window / 2, kLeastThreshold); }

double growth_of_reno(const Learnt& learnt, Trouble*, double segments, Picoseconds) {
    return segments / static_cast<double>(learnt.window);
}

}  // namespace

const WindowControl kReno{half_after_loss, growth_of_reno, half_after_loss};

}  // namespace clearway::simulator
