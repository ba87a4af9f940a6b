#include "recorder/launch.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "recorder/children.hpp"

// The batch script's shell and all that it starts have this library loaded, without a folder to record into. mpirun is
// who gives its ranks one, by the environment that they get from it: directly, from srun's tasks that it starts on
// other hosts (orted, hydra_pmi_proxy), where the plugin reads the job's name, or from those with the ranks' own
// environment.

namespace clearway::recorder {
namespace {

constexpr char kBatch[] = ".batch";  // ends a folder's name as native/slurm/step.hpp makes it, or what follows it does
constexpr unsigned kMostLaunches = 9999;

bool begins_with(const char* text, const char* begin) { return std::strncmp(text, begin, std::strlen(begin)) == 0; }

// mpirun.openmpi, mpiexec.hydra and the like, too. A launcher that is a script starts one that is none.
bool is_launcher(const char* program) {
    static constexpr const char* kOthers[] = {"orterun", "prterun", "prun"};
    if (begins_with(program, "mpirun") || begins_with(program, "mpiexec")) return true;
    for (const char* other : kOthers)
        if (std::strcmp(program, other) == 0) return true;
    return false;
}

// How often Slurm has put the job back into its queue, as its Run is called: "-2" at the second start.
void name_restart(char (&text)[16]) {
    const char* count = std::getenv("SLURM_RESTART_COUNT");
    const unsigned long restarts = count != nullptr ? std::strtoul(count, nullptr, 10) : 0;
    text[0] = '\0';
    if (restarts > 0) std::snprintf(text, sizeof text, "-%u", static_cast<unsigned>(restarts) + 1);
}

// The first number that nobody has.
unsigned make_folder(const char* batch, const char* again, char (&path)[PATH_MAX]) {
    for (unsigned number = 1; number <= kMostLaunches; ++number) {
        const int length = std::snprintf(path, sizeof path, "%s/mpirun%u%s", batch, number, again);
        if (length < 0 || static_cast<std::size_t>(length) >= sizeof path) return 0;
        if (syscall(SYS_mkdirat, AT_FDCWD, path, 0700) == 0) return number;  // mkdir may be an entry point of our own
        if (errno != EEXIST) return 0;
    }
    return 0;
}

}  // namespace

void begin_launch() {
    const char* batch = std::getenv("CLEARWAY_BATCH");
    if (std::getenv("CLEARWAY_DIR") != nullptr) return;  // of a Run already, or a person's own
    if (batch == nullptr || batch[0] != '/' || !is_launcher(program_invocation_short_name)) return;
    const char* name = std::strrchr(batch, '/') + 1;
    const char* end = std::strstr(name, kBatch);
    if (end == nullptr) return;
    const int saved_errno = errno;
    char path[PATH_MAX], job[NAME_MAX], again[16];
    name_restart(again);
    if (const unsigned number = make_folder(batch, again, path); number > 0) {
        std::snprintf(job, sizeof job, "slurm-%.*s.mpirun%u%s%s", static_cast<int>(end - name), name, number, again,
                      end + sizeof kBatch - 1);
        setenv("CLEARWAY_DIR", path, 1);
        setenv("CLEARWAY_JOB", job, 1);
        watch_children(path);
    }
    errno = saved_errno;
}

}  // namespace clearway::recorder
