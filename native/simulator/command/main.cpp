// clearway-simulate: one Scenario, and its Outcome as JSON on stdout, for `clearway predict` and for other programs.
#include <cinttypes>
#include <cstdio>

#include "simulator/command/options.hpp"
#include "simulator/simulation.hpp"

namespace {

using clearway::simulator::Outcome;

void print(const Outcome& outcome) {
    std::printf("{\"calls\": [");
    const char* before = "";
    for (const auto& call : outcome.calls) {
        std::printf("%s\n {\"duration_ns\": %" PRIu64 ", \"drops\": %" PRIu64 ", \"resent\": %" PRIu64
                    ", \"timeouts\": %" PRIu64 "}",
                    before, call.duration_ns, call.drops, call.resent, call.timeouts);
        before = ",";
    }
    std::printf("],\n \"hops\": %" PRIu64 ", \"segments\": %" PRIu64 ", \"acknowledgements\": %" PRIu64
                ", \"recoveries\": %" PRIu64 "}\n",
                outcome.network.hops, outcome.tcp.segments, outcome.tcp.acknowledgements, outcome.tcp.recoveries);
}

}  // namespace

int main(int, char** arguments) {
    using namespace clearway::simulator;
    Scenario scenario;
    switch (parse_options(arguments, scenario)) {
        case Parsed::done:
            return 0;
        case Parsed::wrong:
            return 2;
        case Parsed::simulate:
            break;
    }
    const Outcome outcome = Simulation(scenario).run();
    if (outcome.is_stuck) {
        std::fputs("error: the simulated job hangs: nothing is left to happen\n", stderr);
        return 1;
    }
    print(outcome);
    return std::fflush(stdout) == 0 ? 0 : 1;
}
