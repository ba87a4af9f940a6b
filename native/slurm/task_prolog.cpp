#include "slurm/task_prolog.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "slurm/gather.hpp"
#include "slurm/step.hpp"

namespace clearway::slurm {
namespace {

bool number(const char* name, std::uint32_t& value) {
    const char* text = std::getenv(name);
    if (text == nullptr || text[0] < '0' || text[0] > '9') return false;
    char* end = nullptr;
    const unsigned long read = std::strtoul(text, &end, 10);
    value = static_cast<std::uint32_t>(read);
    return *end == '\0' && read <= UINT32_MAX;
}

// False outside of a step that srun started.
bool find_step(Step& step) {
    if (!number("SLURM_JOB_ID", step.job) || !number("SLURM_STEP_ID", step.step) || step.step >= kFirstSpecialStep)
        return false;
    number("SLURM_HET_JOB_ID", step.job);
    number("SLURM_RESTART_COUNT", step.restarts);
    if (number("SLURM_ARRAY_JOB_ID", step.array)) number("SLURM_ARRAY_TASK_ID", step.array_task);
    return true;
}

bool own_folder(const char* path) {
    struct stat status;
    if (mkdir(path, 0700) != 0 && errno != EEXIST) return false;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

struct Folders {
    char user[PATH_MAX], step[PATH_MAX + 128];
};

// Of this user, who makes them himself: nobody's privilege is needed.
Folders folders_of(const char* spool, const StepName& name) {
    Folders folders;
    std::snprintf(folders.user, sizeof folders.user, "%s-%u", spool, geteuid());
    std::snprintf(folders.step, sizeof folders.step, "%s/%s", folders.user, name.text);
    return folders;
}

// The recorder beside this program: PREFIX/bin and PREFIX/lib.
bool find_recorder(char (&path)[PATH_MAX]) {
    char own[PATH_MAX], beside[PATH_MAX + 64];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0) return false;
    own[length] = '\0';
    *std::strrchr(own, '/') = '\0';
    std::snprintf(beside, sizeof beside, "%s/../lib/libclearway.so", own);
    return realpath(beside, path) != nullptr && std::strpbrk(path, ": \t$") == nullptr;
}

bool points_to(const char* link, const char* target) {
    char found[PATH_MAX];
    const ssize_t length = readlink(link, found, sizeof found - 1);
    return length > 0 && std::strncmp(found, target, static_cast<std::size_t>(length)) == 0 && target[length] == '\0';
}

// The task's program is not known here. Its loader finds the recorder below a path that each loader reads otherwise,
// and that one which cannot use it does not find: 32-bit programs, and those of musl, which it would end.
bool link_for_loaders(const char* user, const char* library) {
#if defined(__aarch64__)
    constexpr char kDebian[] = "lib/aarch64-linux-gnu";
#else
    constexpr char kDebian[] = "lib/x86_64-linux-gnu";
#endif
    char folder[PATH_MAX], link[PATH_MAX + 64];
    std::snprintf(folder, sizeof folder, "%.*s", static_cast<int>(std::strrchr(library, '/') - library), library);
    std::snprintf(link, sizeof link, "%s/lib", user);
    if (!own_folder(link)) return false;
    const char* const names[] = {"lib64", kDebian};
    for (const char* name : names) {
        std::snprintf(link, sizeof link, "%s/%s", user, name);
        if (!points_to(link, folder) && (unlink(link), symlink(folder, link) != 0) && !points_to(link, folder))
            return false;
    }
    return true;
}

const char* or_empty(const char* text) { return text != nullptr ? text : ""; }

}  // namespace

void print_task_prolog(const char* spool) {
    Step step{};
    char library[PATH_MAX];
    const char* preloaded = or_empty(std::getenv("LD_PRELOAD"));
    if (!find_step(step) || !find_recorder(library) || std::strstr(preloaded, "libclearway.so") != nullptr) return;
    const StepName name = name_of(step);
    const Folders folders = folders_of(spool, name);
    if (!own_folder(folders.user) || !link_for_loaders(folders.user, library) || !own_folder(folders.step)) return;
    std::printf("export CLEARWAY_DIR=%s\nexport CLEARWAY_JOB=slurm-%s\nexport CLEARWAY_EVERY_JOB=1\n", folders.step,
                name.text);
    std::printf("export LD_PRELOAD=%s/$LIB/libclearway.so%s%s\n", folders.user, preloaded[0] != '\0' ? ":" : "",
                preloaded);
}

bool end_task(const char* spool, const char* folder) {
    Step step{};
    if (!find_step(step)) return true;
    const StepName name = name_of(step);
    const Folders folders = folders_of(spool, name);
    char filled[PATH_MAX], run[PATH_MAX + 128];
    if (!fill_in_folder(folder, or_empty(std::getenv("HOME")), or_empty(std::getenv("USER")), filled, sizeof filled))
        return true;
    std::snprintf(run, sizeof run, "%s/%s", filled, name.text);
    const bool kept = gather({folders.step, run});
    rmdir(folders.step);
    return kept;
}

}  // namespace clearway::slurm
