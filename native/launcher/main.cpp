// clearway-record: stands before the program in the launcher's command line, sets up its environment and
// becomes it. Whatever fails here, the program runs: unrecorded at worst.
#include <unistd.h>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/host.hpp"
#include "launcher/flow.hpp"
#include "launcher/io_cache.hpp"
#include "launcher/job_identity.hpp"
#include "launcher/libraries.hpp"
#include "launcher/open_mpi_words.hpp"
#include "launcher/options.hpp"
#include "launcher/program.hpp"
#include "launcher/run_directory.hpp"
#include "launcher/run_name.hpp"
#include "preload/reach.hpp"
#include "socket_options/settings.hpp"

extern char** environ;

namespace clearway::launcher {
namespace {

constexpr int kExitUsage = 2, kExitNotExecutable = 126, kExitNotFound = 127;  // as shells have it

void say_unrecorded(const char* program, const char* reason, const char* hint) {
    if (!speaks_for_host()) return;
    std::fprintf(stderr, "clearway-record: '%s' runs unrecorded: %s\n", program, reason);
    if (hint != nullptr) std::fprintf(stderr, "hint: %s\n", hint);
}

void say_without(const char* what, const char* program, const char* reason) {
    if (!speaks_for_host()) return;
    std::fprintf(stderr, "clearway-record: '%s' runs without %s: %s\n", program, what, reason);
    std::fputs("hint: install Clearway again, on a file system that all nodes see\n", stderr);
}

void say_wrong_io_cache(const char* said) {
    if (!speaks_for_host()) return;
    std::fprintf(stderr, "clearway-record: ignoring CLEARWAY_IO_CACHE, which is not valid: '%s'\nhint: %s\n", said,
                 kIoCacheHint);
}

void say_without_socket_options(const char* said) {
    if (!speaks_for_host()) return;
    std::fprintf(stderr, "clearway-record: ignoring CLEARWAY_FLOW_SOCKETS, which is not valid: '%s'\nhint: %s\n", said,
                 socket_options::kSocketSettingsHint);
}

// `clearway run` makes the directory and writes run.json into it before the job starts, and names the job by 16
// hexadecimal digits (python/clearway/job/journal.py). A node that does not see that file sees another folder.
void say_not_shared(const char* directory, const char* job) {
    constexpr std::size_t kDigits = 16;
    if (job == nullptr || std::strlen(job) != kDigits || std::strspn(job, "0123456789abcdef") != kDigits) return;
    char journal[PATH_MAX + 16];
    std::snprintf(journal, sizeof journal, "%s/run.json", directory);
    if (access(journal, F_OK) == 0 || errno != ENOENT || !speaks_for_host()) return;
    char host[sizeof utsname::nodename];
    host_name(host);
    std::fprintf(stderr,
                 "clearway-record: %s does not see the folder '%s' that `clearway run` made: its records stay on %s\n"
                 "hint: -o DIR in a folder that all nodes share, or copy what each node has there into one\n",
                 host, directory, host);
}

bool export_number(const char* name, std::uint32_t number) {
    char text[16];
    std::snprintf(text, sizeof text, "%u", number);
    return setenv(name, text, 1) == 0;
}

// Slurm's plugin records every job: a person who records one has it where they want it, and not there as well.
void leave_every_job() {
    if (std::getenv("CLEARWAY_EVERY_JOB") == nullptr) return;
    const char* job = std::getenv("CLEARWAY_JOB");
    if (job != nullptr && std::strncmp(job, "slurm-", std::strlen("slurm-")) == 0) {
        unsetenv("CLEARWAY_DIR");
        unsetenv("CLEARWAY_JOB");
    }
    unsetenv("CLEARWAY_EVERY_JOB");
    unsetenv("CLEARWAY_BATCH");
    forget_preloaded("libclearway.so");
}

void set_up_recording(const Options& options, const char* path) {
    const char* program = options.program[0];
    leave_every_job();
    if (const char* reason = why_not_reached(path))
        return say_unrecorded(program, reason, "`clearway docs troubleshooting` says which programs can be recorded");
    if (wants_flow(options)) {
        if (const char* said = wrong_socket_options()) say_without_socket_options(said);
        if (const char* reason = set_up_flow(options)) say_without("flow", program, reason);
    }
    if (const char* said = wrong_io_cache(options)) {
        say_wrong_io_cache(said);
    } else if (wants_io_cache(options)) {
        say_size_is_decimal(options);
        if (const char* reason = set_up_io_cache(options)) say_without("the I/O cache", program, reason);
    }

    char library[PATH_MAX];
    if (!find_library("libclearway.so", library, sizeof library))
        return say_unrecorded(program, "cannot find libclearway.so, neither beside clearway-record nor in ../lib",
                              "install Clearway again, on a file system that all nodes see");
    if (!is_preloadable(library))
        return say_unrecorded(program, "Clearway is installed under a path that LD_PRELOAD cannot hold",
                              "install it under a path without spaces, colons and dollar signs");

    const char* job = options.job != nullptr ? options.job : std::getenv("CLEARWAY_JOB");
    JobToken found{};
    if (job == nullptr || *job == '\0') {
        found = find_job_token();
        job = found.text;
    }
    const char* given = options.directory != nullptr ? options.directory : std::getenv("CLEARWAY_DIR");
    if (given != nullptr && *given == '\0') given = nullptr;
    char directory[PATH_MAX] = {}, filled[PATH_MAX];
    // `clearway run` has done it already, and names the job.
    if (options.directory != nullptr && options.job == nullptr && fill_in_run_name(given, filled, sizeof filled))
        given = filled;
    int error = choose_run_directory(given, program, job, directory, sizeof directory);
    if (error == 0) error = make_run_directory(directory);
    if (error != 0) {
        char reason[PATH_MAX + 128];
        std::snprintf(reason, sizeof reason, "cannot make the Run directory '%s': %s",
                      directory[0] != '\0' ? directory : given, std::strerror(error));
        return say_unrecorded(program, reason, "give a directory that this node can write to: clearway-record -o DIR");
    }
    say_not_shared(directory, options.job);
    const bool exported = setenv("CLEARWAY_DIR", directory, 1) == 0 && setenv("CLEARWAY_JOB", job, 1) == 0 &&
                          export_number("CLEARWAY_SAMPLE_MS", options.sample_ms) &&
                          export_number("CLEARWAY_TIMELINE", options.timeline) &&
                          (!options.always || setenv("CLEARWAY_ALWAYS", "1", 1) == 0) && preload(library) &&
                          let_sanitizers_follow();
    if (!exported) say_unrecorded(program, std::strerror(errno), nullptr);
}

// The pointers of the environment as the launcher gave it: what is set later stands in texts of its own.
char** copy_environment() {
    std::size_t number = 0;
    while (environ[number] != nullptr) ++number;
    const std::size_t bytes = (number + 1) * sizeof *environ;
    auto* copy = static_cast<char**>(std::malloc(bytes));
    if (copy != nullptr) std::memcpy(copy, environ, bytes);
    return copy;
}

// Returns the error where it cannot be started at all. `file`: a path, or a name that is looked for in the PATH.
int become(const char* file, char** program, char** environment_before) {
    execvp(file, program);
    // The kernel limits arguments and environment together (execve(2)): what fitted may not fit with our variables.
    if (errno != E2BIG || environment_before == nullptr) return errno;
    environ = environment_before;
    say_unrecorded(program[0], "its arguments and environment leave no room for Clearway's variables",
                   "unset large variables that it does not need, or give it fewer arguments");
    std::fflush(stderr);
    execvp(file, program);
    return errno;
}

}  // namespace
}  // namespace clearway::launcher

int main(int, char** arguments) {
    using namespace clearway::launcher;
    Options options;
    switch (parse_options(arguments, options)) {
        case Parsed::done:
            return 0;
        case Parsed::wrong:
            return kExitUsage;
        case Parsed::run:
            break;
    }
    const char* program = options.program[0];
    char path[PATH_MAX];
    const Search where{has_rank() ? folders_before_path() : nullptr, has_rank()};
    int error = find_program(program, where, path, sizeof path);
    if (error == 0) {
        tell_of(options.program);
        char** environment_before = copy_environment();
        set_up_recording(options, path);
        // execvp goes on where one in the PATH is broken, but looks nowhere else. With a slash it does not look.
        char in_path[PATH_MAX];
        const bool is_there =
            find_program(program, {}, in_path, sizeof in_path) == 0 && std::strcmp(path, in_path) == 0;
        error = become(is_there ? program : path, options.program, environment_before);
        std::free(environment_before);
    }
    std::fprintf(stderr, "clearway-record: cannot run '%s': %s\n", program, std::strerror(error));
    return error == ENOENT ? kExitNotFound : kExitNotExecutable;
}
