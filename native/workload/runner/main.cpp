// clearway-workload: runs a Script under any MPI and any launcher.

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/clock.hpp"
#include "command_line/visible.hpp"
#include "workload/parse.hpp"
#include "workload/runner/options.hpp"
#include "workload/runner/performer.hpp"
#include "workload/runner/traffic.hpp"

namespace clearway::workload {

namespace {

constexpr char kMessage[] = "clearway-workload: %s\n\nhint: %s\n";

double now_s() { return 1e-9 * static_cast<double>(clock_ns(CLOCK_MONOTONIC)); }

int fail(const World& world, const std::string& message, const std::string& hint) {
    if (world.rank == 0) std::fprintf(stderr, kMessage, command_line::visible(message).c_str(), hint.c_str());
    end_mpi();
    return 1;
}

// Empty, with the reason on stderr, where it cannot be read.
std::string read(const std::string& path) {
    std::string text;
    std::FILE* file = std::fopen(path.c_str(), "re");
    char chunk[65536];
    std::size_t bytes = 0;
    while (file != nullptr && (bytes = std::fread(chunk, 1, sizeof chunk, file)) > 0) text.append(chunk, bytes);
    if (file == nullptr || std::ferror(file) != 0 || text.empty())
        std::fprintf(
            stderr, kMessage,
            command_line::visible("cannot read '" + path + "': " + (errno != 0 ? std::strerror(errno) : "it is empty"))
                .c_str(),
            "make one: clearway workload show gromacs33 --ranks 8 --script FILE");
    if (file != nullptr) std::fclose(file);
    return text;
}

std::string text_of(const std::string& path, const ScriptError& error) {
    return path + (error.line > 0 ? ", line " + std::to_string(error.line) : "") + ": " + error.message;
}

int check(const std::string& path) {
    const std::string text = read(path);
    if (text.empty()) return 1;
    Script script;
    ScriptError error;
    if (parse_script(text, script, error)) return 0;
    std::fprintf(stderr, kMessage, command_line::visible(text_of(path, error)).c_str(), error.hint.c_str());
    return 1;
}

// Hosts need not share a file system: rank 0 reads, the others are told.
std::string text_of(const World& world, const std::string& path) {
    std::string text = world.rank == 0 ? read(path) : "";
    const std::uint64_t bytes = gather_all(world, text.size())[0];
    text.resize(bytes);
    void* const broadcast = own_entry_point("PMPI_Bcast");
    invoke(broadcast, text.data(), static_cast<Arg>(bytes), predefined(kByte), Arg{0}, comm_world());
    return text;
}

// A rank that leaves alone would let the others wait for ever.
[[noreturn]] void abort_job(const World& world, int step, const std::string& fault) {
    std::fprintf(
        stderr,
        "clearway-workload: rank %u, step %d: %s\n\nhint: try again without --flow and preloaded libraries; if it "
        "happens again, it is the "
        "MPI or the network\n",
        world.rank, step, fault.c_str());
    if (void* const abort_mpi = entry_point("MPI_Abort")) invoke(abort_mpi, comm_world(), Arg{1});
    std::abort();
}

void print_times(const std::string& title, const std::vector<double>& steps_s) {
    double sum_s = 0;
    for (const double step_s : steps_s) sum_s += step_s;
    const auto [least, most] = std::minmax_element(steps_s.begin(), steps_s.end());
    std::printf("%s: %zu steps in %.3f s, %.3f ms a step (%.3f to %.3f)\n", title.c_str(), steps_s.size(), sum_s,
                1e3 * sum_s / static_cast<double>(steps_s.size()), 1e3 * *least, 1e3 * *most);
}

int run(const Options& options) {
    if (!open_mpi(options.mpi_library)) return 1;
    World world;
    if (!start_mpi(world)) {
        std::fprintf(stderr, "clearway-workload: %s does not start, or is not an MPI that Clearway knows\n",
                     mpi_library_path().c_str());
        return 1;
    }
    const std::string text = text_of(world, options.script);
    if (text.empty()) return end_mpi(), 1;
    Script script;
    ScriptError error;
    if (!parse_script(text, script, error)) return fail(world, text_of(options.script, error), error.hint);
    if (static_cast<std::uint32_t>(script.ranks) != world.ranks)
        return fail(world,
                    "the Script is for " + std::to_string(script.ranks) + " ranks, but the job has " +
                        std::to_string(world.ranks),
                    "mpirun -np " + std::to_string(script.ranks));
    const int rank = static_cast<int>(world.rank);
    const std::vector<std::uint64_t> fitting = gather_all(world, room_for(script, rank).fits ? 1 : 0);
    if (std::find(fitting.begin(), fitting.end(), 0) != fitting.end())
        return fail(world, "a call moves 2 GiB or more on one rank", "use more ranks, or a smaller system");

    Performer performer(script, rank, options.scale);
    std::vector<double> steps_s;
    barrier();
    for (int step = 0; step < (options.steps > 0 ? options.steps : script.steps); ++step) {
        const double begin_s = now_s();
        if (const std::string fault = performer.perform(step); !fault.empty()) abort_job(world, step, fault);
        steps_s.push_back(now_s() - begin_s);
    }
    if (world.rank == 0) print_times(script.title.empty() ? options.script : script.title, steps_s);
    std::fflush(stdout);
    end_mpi();
    return 0;
}

}  // namespace

}  // namespace clearway::workload

int main(int, char** arguments) {
    using namespace clearway::workload;
    Options options;
    using clearway::command_line::Parsed;
    if (const Parsed parsed = parse_options(arguments, options); parsed != Parsed::run)
        return parsed == Parsed::done ? 0 : 2;
    return options.only_check ? check(options.script) : run(options);
}
