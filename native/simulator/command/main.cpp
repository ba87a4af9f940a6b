// clearway-simulate: one Scenario, or a whole job, and its outcome as JSON on stdout, for `clearway predict` and for
// other programs.
#include <cinttypes>
#include <cstdio>
#include <vector>

#include "simulator/command/job_run.hpp"
#include "simulator/command/job_wish.hpp"
#include "simulator/command/options.hpp"
#include "simulator/simulation.hpp"

namespace {

using namespace clearway::simulator;

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
                ", \"recoveries\": %" PRIu64 ", \"stops\": %" PRIu64 "}\n",
                outcome.network.hops, outcome.tcp.segments, outcome.tcp.acknowledgements, outcome.tcp.recoveries,
                outcome.network.stops);
}

int run_job(const JobWish& wish, const Scenario& scenario) {
    JobScenario job{scenario, {}, {}, {}};
    const std::string fault = make_job(wish, ranks_on(scenario.problem.placement, 0), job);
    if (fault.empty()) return simulate_job(job, wish.run);
    std::fprintf(stderr, "error: %s\n\nhint: clearway-simulate --help\n", fault.c_str());
    return 2;
}

}  // namespace

int main(int count, char** words) {
    std::vector<char*> arguments(words, words + count + 1);  // with the null at the end
    JobWish wish;
    Scenario scenario;
    take_job_options(arguments, wish);
    switch (parse_options(arguments.data(), scenario)) {
        case Parsed::done:
            return 0;
        case Parsed::wrong:
            return 2;
        case Parsed::simulate:
            break;
    }
    if (!wish.script.empty()) return run_job(wish, scenario);
    const Outcome outcome = Simulation(scenario).run();
    if (outcome.is_stuck) {
        std::fputs("error: the simulated job hangs: nothing is left to happen\n", stderr);
        return 1;
    }
    print(outcome);
    return std::fflush(stdout) == 0 ? 0 : 1;
}
