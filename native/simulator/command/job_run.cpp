#include "simulator/command/job_run.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "simulator/record/run_writer.hpp"

namespace clearway::simulator {

namespace {

int fail(const std::string& message) {
    std::fprintf(stderr, "error: %s\n", message.c_str());
    return 1;
}

std::string absolute(const std::string& path) {
    char* const resolved = realpath(path.c_str(), nullptr);
    std::string found = resolved != nullptr ? resolved : path;
    std::free(resolved);
    return found;
}

// By rank: seconds of the job that it did not spend in MPI are computing.
void print(const JobScenario& scenario, const JobOutcome& outcome, const CallLog& calls) {
    std::printf("{\"ranks\": %d, \"steps\": %d, \"duration_ns\": %" PRIu64 ",\n \"mpi_ns\": [", scenario.script.ranks,
                scenario.script.steps, outcome.duration_ns);
    for (int rank = 0; rank < scenario.script.ranks; ++rank)
        std::printf("%s%" PRIu64, rank > 0 ? ", " : "", calls.of(static_cast<std::uint32_t>(rank)).mpi_ns);
    std::printf("],\n \"drops\": %" PRIu64 ", \"resent\": %" PRIu64 ", \"timeouts\": %" PRIu64 ", \"hops\": %" PRIu64
                "}\n",
                outcome.network.drops, outcome.tcp.resent, outcome.tcp.timeouts, outcome.network.hops);
}

}  // namespace

int simulate_job(const JobScenario& scenario, const std::string& run) {
    if (!run.empty() && mkdir(run.c_str(), 0777) != 0)
        return fail("cannot make '" + run + "': " + std::strerror(errno));
    Job job(scenario);
    CallLog calls(scenario.script, !run.empty());
    ConnectionLog connections(job.machine());
    job.watch(&calls);
    if (!run.empty()) {
        job.machine().watch(&connections);
        job.machine().network().watch(&connections);
    }
    const JobOutcome outcome = job.run();
    if (outcome.is_stuck) return fail("the simulated job hangs: nothing is left to happen");
    if (!run.empty()) {
        const int error = write_run(absolute(run), {scenario, calls, connections, job.machine()});
        if (error != 0) return fail("cannot write a Run into '" + run + "': " + std::strerror(error));
    }
    print(scenario, outcome, calls);
    return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace clearway::simulator
