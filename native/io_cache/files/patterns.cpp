#include "io_cache/files/patterns.hpp"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "io_cache/files/kernel.hpp"

namespace clearway::io_cache {

namespace {

constexpr int kMostPatterns = 64;
char* patterns[kMostPatterns];
int pattern_count = 0;
bool are_said = false;  // by the user; else they name folders by all their names

void add(const char* text, std::size_t length) {
    if (length == 0 || pattern_count == kMostPatterns) return;
    char* copy = strndup(text, length);
    if (copy != nullptr) patterns[pattern_count++] = copy;
}

void add_folder(const char* folder) {
    char pattern[PATH_MAX + 3];
    const int length = std::snprintf(pattern, sizeof pattern, "%s/*", std::strcmp(folder, "/") == 0 ? "" : folder);
    if (length > 0 && static_cast<std::size_t>(length) < sizeof pattern) add(pattern, static_cast<std::size_t>(length));
}

// A program that changes into the folder names its files by where the links in the folder's name lead.
void add_both_names(const char* folder) {
    if (folder == nullptr || folder[0] != '/') return;
    char plain[PATH_MAX], real[PATH_MAX];
    std::size_t length = strnlen(folder, sizeof plain - 1);
    while (length > 1 && folder[length - 1] == '/') --length;
    std::memcpy(plain, folder, length);
    plain[length] = '\0';
    add_folder(plain);
    if (realpath(plain, real) != nullptr && std::strcmp(real, plain) != 0) add_folder(real);
}

void add_list(const char* list) {
    for (const char* at = list; *at != '\0';) {
        const std::size_t length = std::strcspn(at, ":");
        add(at, length);
        at += length + (at[length] == ':' ? 1 : 0);
    }
}

// Where engines write scratch: Psi4, OpenMolcas (the second: as its driver exports it), Quantum ESPRESSO, NWChem, ADF,
// CP2K's and others' TMPDIR. NWChem's integrals are known by their names: its input says where they are.
constexpr const char* kFolders[] = {"PSI_SCRATCH",    "MOLCAS_WORKDIR", "WorkDir",     "ESPRESSO_TMPDIR",
                                    "NWCHEM_SCRATCH", "SCM_TMPDIR",     "GAUSS_SCRDIR"};
constexpr const char* kNames[] = {"*.aoints.[0-9]*", "*.gridpts.[0-9]*"};

bool absolute_name(int directory, const char* path, char (&name)[2 * PATH_MAX]) {
    char link[64];
    long length;
    if (directory == AT_FDCWD) {
        length = syscall(SYS_getcwd, name, PATH_MAX) - 1;  // it counts the NUL
    } else {
        std::snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
        length = syscall(SYS_readlinkat, AT_FDCWD, link, name, PATH_MAX);
    }
    if (length <= 0 || name[0] != '/') return false;
    const std::size_t used = static_cast<std::size_t>(length);
    const int added = std::snprintf(name + used, sizeof name - used, "/%s", path);
    return added > 0 && static_cast<std::size_t>(added) < sizeof name - used;
}

// As the kernel knows it, and so the recorder and the finding that recommends patterns: without links and dots in the
// names of its folders.
bool real_name(int directory, const char* path, char (&name)[2 * PATH_MAX]) {
    char folder[PATH_MAX];
    const char* slash = std::strrchr(path, '/');
    const std::size_t length = slash != nullptr ? static_cast<std::size_t>(slash - path) + 1 : 0;
    if (length == 0 || length >= sizeof folder) return false;  // the name of the working directory is real
    std::memcpy(folder, path, length);
    folder[length] = '\0';
    const auto fd = static_cast<int>(syscall(SYS_openat, directory, folder, O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (fd < 0) return false;
    const bool known = absolute_name(fd, slash + 1, name);
    kernel::close(fd);
    return known;
}

bool matches_any(const char* name) {
    for (int i = 0; i < pattern_count; ++i)
        if (matches(patterns[i], name)) return true;
    return false;
}

}  // namespace

bool matches(const char* pattern, const char* path) {
    const char* slash = std::strrchr(path, '/');
    const bool whole = std::strchr(pattern, '/') != nullptr;
    return fnmatch(pattern, whole || slash == nullptr ? path : slash + 1, 0) == 0;
}

void read_patterns() {
    const char* said = std::getenv("CLEARWAY_IO_CACHE_FILES");
    are_said = said != nullptr && *said != '\0';
    if (are_said) return add_list(said);
    const char* temporary = std::getenv("TMPDIR");
    add_both_names(temporary != nullptr && *temporary != '\0' ? temporary : P_tmpdir);
    for (const char* folder : kFolders) add_both_names(std::getenv(folder));
    for (const char* name : kNames) add(name, std::strlen(name));
}

bool is_chosen(int directory, const char* path) {
    if (path == nullptr || *path == '\0') return false;
    const kernel::ErrnoGuard guard;
    char name[2 * PATH_MAX];
    const bool is_absolute = path[0] == '/';
    if (!is_absolute && !absolute_name(directory, path, name)) return false;
    if (matches_any(is_absolute ? path : name)) return true;
    return are_said && real_name(directory, path, name) && matches_any(name);
}

}  // namespace clearway::io_cache
