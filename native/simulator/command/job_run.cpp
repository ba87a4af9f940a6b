#include "simulator/command/job_run.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "command_line/json.hpp"
#include "command_line/visible.hpp"
#include "simulator/record/run_writer.hpp"

namespace clearway::simulator {

namespace {

constexpr char kOtherFolder[] = "choose a new folder, where you may write, and whose disk has room: --run DIR";
constexpr char kOtherScript[] = "check what its ranks send to each other: clearway-workload SCRIPT --check";

int fail(const std::string& message, const char* hint) {
    std::fprintf(stderr, "error: %s\n\nhint: %s\n", command_line::visible(message).c_str(), hint);
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
    std::vector<std::uint64_t> mpi_ns;
    mpi_ns.reserve(static_cast<std::size_t>(scenario.script.ranks));
    for (int rank = 0; rank < scenario.script.ranks; ++rank)
        mpi_ns.push_back(calls.of(static_cast<std::uint32_t>(rank)).mpi_ns);
    command_line::Json json(stdout);
    json.object([&] {
        json.member("ranks", scenario.script.ranks);
        json.member("steps", scenario.script.steps);
        json.member("duration_ns", outcome.duration_ns);
        json.members("mpi_ns", mpi_ns);
        json.member("spans_ns", calls.spans_ns());
        json.member("drops", outcome.network.drops);
        json.member("resent", outcome.tcp.resent);
        json.member("timeouts", outcome.tcp.timeouts);
        json.member("hops", outcome.network.hops);
    });
    json.end_line();
}

}  // namespace

int simulate_job(const JobScenario& scenario, const std::string& run) {
    if (!run.empty() && mkdir(run.c_str(), 0777) != 0)
        return fail("cannot make '" + run + "': " + std::strerror(errno), kOtherFolder);
    Job job(scenario);
    CallLog calls(scenario.script, !run.empty());
    ConnectionLog connections(job.machine());
    job.watch(&calls);
    if (!run.empty() && !scenario.has_rdma()) {
        job.machine().watch(&connections);
        job.machine().network().watch(&connections);
    }
    const JobOutcome outcome = job.run();
    if (!outcome.stuck.empty()) return fail("the simulated job hangs: " + outcome.stuck, kOtherScript);
    if (!run.empty()) {
        const int error = write_run(absolute(run), {scenario, calls, connections, job.machine()});
        if (error != 0) return fail("cannot write a Run into '" + run + "': " + std::strerror(error), kOtherFolder);
    }
    print(scenario, outcome, calls);
    return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace clearway::simulator
