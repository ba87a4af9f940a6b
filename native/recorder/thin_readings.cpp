#include "recorder/readings.hpp"

namespace clearway::recorder {

template <class Element>
std::uint32_t thin_readings(Element* readings, std::uint32_t number) {
    const std::uint32_t odd = number % 2;  // the newest always stays
    const std::uint32_t left = number / 2 + odd;
    for (std::uint32_t i = 0; i < left; ++i) {
        const std::uint32_t from = 2 * i + 1 - odd;
        if (from == i) continue;
        Element reading = readings[from];
        const std::uint64_t ticks = reading.ticks;
        reading.ticks = 0;
        __atomic_store_n(&readings[i].ticks, 0, __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        readings[i] = reading;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        __atomic_store_n(&readings[i].ticks, ticks, __ATOMIC_RELEASE);
    }
    return left;
}

template std::uint32_t thin_readings(Reading*, std::uint32_t);
template std::uint32_t thin_readings(ThreadsReading*, std::uint32_t);

}  // namespace clearway::recorder
