#include "simulator/workload/usual_algorithm.hpp"

#include <string_view>

namespace clearway::simulator {

namespace {

std::string_view usual_name(schedule::Operation operation, std::uint32_t ranks, std::uint64_t bytes) {
    switch (operation) {
        case schedule::Operation::bcast:
            return bytes < kShortBcastBytes || ranks < kFewBcastRanks ? "binomial" : "scatter_ring";
        case schedule::Operation::reduce:
            return bytes <= kShortReduceBytes ? "binomial" : "rabenseifner";
        case schedule::Operation::allreduce:
            return bytes <= kShortReduceBytes ? "recursive_doubling" : "rabenseifner";
        default:
            return "dissemination";
    }
}

}  // namespace

const schedule::Algorithm& usual_algorithm(schedule::Operation operation, std::uint32_t ranks, std::uint64_t bytes) {
    return *schedule::find_algorithm(usual_name(operation, ranks, bytes));
}

}  // namespace clearway::simulator
