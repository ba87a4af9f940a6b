#include "launcher/options.hpp"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "launcher/io_cache.hpp"

namespace clearway::launcher {
namespace {

constexpr char kHelp[] =
    "usage: clearway-record [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
    "\n"
    "Runs PROGRAM with its MPI calls, files and connections recorded. Put it before the program in the\n"
    "launcher's command line:\n"
    "\n"
    "  mpirun -np 8 clearway-record gmx_mpi mdrun -deffnm md\n"
    "\n"
    "  -o, --output DIR      the Run directory (default: clearway-PROGRAM-JOB in the working directory)\n"
    "                        under Slurm with %j %A %a %x %N, as in sbatch;\n"
    "                        under Grid Engine with %j %A %a\n"
    "      --timeline[=N]    keep the newest N calls of each rank (default 65536)\n"
    "      --sample-ms N     time between samples of connections and counters (default 100)\n"
    "      --job TOKEN       a word that all ranks of the job share (default: from the launcher's environment)\n"
    "      --flow[=TABLE]    order collective operations so that they avoid congestion; start from TABLE\n"
    "      --flow-algorithm NAME  use this algorithm for all collectives (\"own\": the MPI's)\n"
    "      --io-cache SIZE   keep scratch files in memory: SIZE on each host (256Mi, 2Gi; 64Mi/rank), or as much as "
    "is free (auto)\n"
    "      --io-cache-files GLOB  which files to keep in memory (default: TMPDIR and the engines' scratch files)\n"
    "      --always          record PROGRAM even if it does not use MPI\n"
    "  -h, --help            show this\n"
    "  -V, --version         show the version\n"
    "\n"
    "The environment variables CLEARWAY_DIR and CLEARWAY_JOB stand for -o and --job, CLEARWAY_FLOW=on for --flow,\n"
    "CLEARWAY_FLOW_TABLE and CLEARWAY_FLOW_ALGORITHM for its table and algorithm, CLEARWAY_IO_CACHE and\n"
    "CLEARWAY_IO_CACHE_FILES for --io-cache and its files. CLEARWAY_FLOW_SOCKETS=off leaves TCP connections as the\n"
    "MPI makes them.\n";

Parsed complain(const char* what, const char* about, const char* hint = "clearway-record --help") {
    std::fprintf(stderr, "clearway-record: %s: '%s'\n\nhint: %s\n", what, about, hint);
    return Parsed::wrong;
}

// The value of `--name=value`, of `--name value` (then one more argument is consumed), or null when
// `argument` is another option.
const char* value_of(const char* name, const char* short_name, char**& argument, bool& missing) {
    const char* text = *argument;
    if (std::strcmp(text, name) == 0 || (short_name != nullptr && std::strcmp(text, short_name) == 0)) {
        missing = argument[1] == nullptr;
        return missing ? nullptr : *++argument;
    }
    const std::size_t length = std::strlen(name);
    if (std::strncmp(text, name, length) == 0 && text[length] == '=') return text + length + 1;
    if (short_name != nullptr && std::strncmp(text, short_name, 2) == 0) return text + 2;
    return nullptr;
}

bool to_number(const char* text, std::uint32_t& number) {
    char* end = nullptr;
    errno = 0;
    const long value = std::strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < 1 || value > INT_MAX) return false;
    number = static_cast<std::uint32_t>(value);
    return true;
}

}  // namespace

Parsed parse_options(char** arguments, Options& options) {
    char** argument = arguments + 1;
    for (; *argument != nullptr && (*argument)[0] == '-'; ++argument) {
        const char* text = *argument;
        bool missing = false;
        if (std::strcmp(text, "--") == 0) {
            ++argument;
            break;
        }
        if (std::strcmp(text, "-h") == 0 || std::strcmp(text, "--help") == 0) {
            std::fputs(kHelp, stdout);
            return Parsed::done;
        }
        if (std::strcmp(text, "-V") == 0 || std::strcmp(text, "--version") == 0) {
            std::puts("clearway-record " CLEARWAY_VERSION);
            return Parsed::done;
        }
        if (std::strcmp(text, "--always") == 0) {
            options.always = true;
        } else if (std::strcmp(text, "--flow") == 0) {
            options.flow = true;
        } else if (std::strncmp(text, "--flow=", 7) == 0) {
            if (text[7] == '\0') return complain("option needs a value", text);
            options.flow = true;
            options.flow_table = text + 7;
        } else if (const char* algorithm = value_of("--flow-algorithm", nullptr, argument, missing)) {
            options.flow = true;
            options.flow_algorithm = algorithm;
        } else if (const char* size = value_of("--io-cache", nullptr, argument, missing)) {
            if (!is_io_cache_size(size)) return complain("not a size for the I/O cache", size, kIoCacheHint);
            options.io_cache = size;
        } else if (const char* files = value_of("--io-cache-files", nullptr, argument, missing)) {
            options.io_cache_files = files;
        } else if (std::strcmp(text, "--timeline") == 0) {
            options.timeline = kTimelineRecords;
        } else if (std::strncmp(text, "--timeline=", 11) == 0) {
            if (!to_number(text + 11, options.timeline)) return complain("not a number of records", text);
        } else if (const char* directory = value_of("--output", "-o", argument, missing)) {
            options.directory = directory;
        } else if (const char* job = value_of("--job", nullptr, argument, missing)) {
            options.job = job;
        } else if (const char* sample = value_of("--sample-ms", nullptr, argument, missing)) {
            if (!to_number(sample, options.sample_ms)) return complain("not a number of milliseconds", sample);
        } else {
            return complain(missing ? "option needs a value" : "unknown option", text);
        }
    }
    if (*argument == nullptr) return complain("no program given", arguments[0]);
    options.program = argument;
    return Parsed::run;
}

}  // namespace clearway::launcher
