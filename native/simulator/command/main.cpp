// clearway-simulate: one Scenario, or a whole job, and its outcome as JSON on stdout, for `clearway predict` and for
// other programs.
#include <cstdio>

#include "command_line/json.hpp"
#include "simulator/command/job_run.hpp"
#include "simulator/command/options.hpp"
#include "simulator/simulation.hpp"

namespace {

using namespace clearway::simulator;
using clearway::command_line::Json;
using clearway::command_line::Parsed;

void print(const Outcome& outcome) {
    Json json(stdout);
    json.object([&] {
        json.key("calls");
        json.list([&] {
            for (const auto& call : outcome.calls)
                json.object([&] {
                    json.member("duration_ns", call.duration_ns);
                    json.member("drops", call.drops);
                    json.member("resent", call.resent);
                    json.member("timeouts", call.timeouts);
                });
        });
        json.member("hops", outcome.network.hops);
        json.member("segments", outcome.tcp.segments);
        json.member("acknowledgements", outcome.tcp.acknowledgements);
        json.member("recoveries", outcome.tcp.recoveries);
        json.member("stops", outcome.network.stops);
    });
    json.end_line();
}

}  // namespace

int main(int, char** arguments) {
    Request request;
    if (const Parsed parsed = parse_options(arguments, request); parsed != Parsed::run)
        return parsed == Parsed::done ? 0 : 2;
    if (request.made_job) return simulate_job(*request.made_job, request.job.run);
    const Outcome outcome = Simulation(request.scenario).run();
    if (outcome.is_stuck) {
        std::fputs("error: the simulated job hangs: no event is left\n", stderr);
        return 1;
    }
    print(outcome);
    return std::fflush(stdout) == 0 ? 0 : 1;
}
