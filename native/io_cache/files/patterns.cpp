#include "io_cache/files/patterns.hpp"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/borrowed.hpp"
#include "io_cache/files/kernel.hpp"

namespace clearway::io_cache {

namespace {

constexpr int kMostPatterns = 64;

struct Patterns {
    char* texts[kMostPatterns];
    int count = 0;
};

constinit Patterns chosen{}, scratch{};
bool are_said = false;  // by the user; else they name folders by all their names

void add(Patterns& to, const char* text, std::size_t length) {
    if (length == 0 || to.count == kMostPatterns) return;
    char* copy = strndup(text, length);
    if (copy != nullptr) to.texts[to.count++] = copy;
}

void add_folder(Patterns& to, const char* folder) {
    char pattern[PATH_MAX + 3];
    const int length = std::snprintf(pattern, sizeof pattern, "%s/*", std::strcmp(folder, "/") == 0 ? "" : folder);
    if (length > 0 && static_cast<std::size_t>(length) < sizeof pattern)
        add(to, pattern, static_cast<std::size_t>(length));
}

// A program that changes into the folder names its files by where the links in the folder's name lead.
void add_both_names(Patterns& to, const char* folder) {
    if (folder == nullptr || folder[0] != '/') return;
    char plain[PATH_MAX], real[PATH_MAX];
    std::size_t length = strnlen(folder, sizeof plain - 1);
    while (length > 1 && folder[length - 1] == '/') --length;
    std::memcpy(plain, folder, length);
    plain[length] = '\0';
    add_folder(to, plain);
    if (realpath(plain, real) != nullptr && std::strcmp(real, plain) != 0) add_folder(to, real);
}

void add_list(const char* list) {
    for (const char* at = list; *at != '\0';) {
        const std::size_t length = std::strcspn(at, ":");
        add(chosen, at, length);
        at += length + (at[length] == ':' ? 1 : 0);
    }
}

// Where engines write scratch: Psi4, OpenMolcas (the second: as its driver exports it), Quantum ESPRESSO, NWChem, ADF,
// SQLite, CP2K's and others' TMPDIR. NWChem's integrals are known by their names: its input says where they are.
constexpr const char* kFolders[] = {"PSI_SCRATCH",    "MOLCAS_WORKDIR", "WorkDir",      "ESPRESSO_TMPDIR",
                                    "NWCHEM_SCRATCH", "SCM_TMPDIR",     "GAUSS_SCRDIR", "SQLITE_TMPDIR"};
constexpr const char* kNames[] = {"*.aoints.[0-9]*", "*.gridpts.[0-9]*"};
constexpr const char* kNamesInTemporary[] = {"psi.[0-9]*.[0-9]*"};  // where Psi4 is told no folder

// Folders that everybody uses are no engine's own.
bool is_common(const char* folder) {
    constexpr const char* kCommon[] = {"/tmp", "/var/tmp", "/dev/shm"};
    for (const char* common : kCommon)
        if (std::strcmp(folder, common) == 0) return true;
    return false;
}

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
    Borrowed<char[PATH_MAX]> folder;
    const char* slash = std::strrchr(path, '/');
    const std::size_t length = slash != nullptr ? static_cast<std::size_t>(slash - path) + 1 : 0;
    if (!folder || length == 0 || length >= sizeof *folder) return false;  // the name of the working directory is real
    std::memcpy(*folder, path, length);
    (*folder)[length] = '\0';
    const auto fd = static_cast<int>(syscall(SYS_openat, directory, *folder, O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (fd < 0) return false;
    const bool known = absolute_name(fd, slash + 1, name);
    kernel::close(fd);
    return known;
}

bool matches_any(const Patterns& of, const char* name) {
    for (int i = 0; i < of.count; ++i)
        if (matches(of.texts[i], name)) return true;
    return false;
}

// By the name that the program gives it, or by its real one where that is asked for.
bool is_one_of(const Patterns& of, bool by_real_name, int directory, const char* path) {
    if (path == nullptr || *path == '\0' || of.count == 0) return false;
    const kernel::ErrnoGuard guard;
    Borrowed<char[2 * PATH_MAX]> name;
    const bool is_absolute = path[0] == '/';
    if (!name || (!is_absolute && !absolute_name(directory, path, *name))) return false;
    if (matches_any(of, is_absolute ? path : *name)) return true;
    return by_real_name && real_name(directory, path, *name) && matches_any(of, *name);
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
    for (const char* variable : kFolders) {
        const char* folder = std::getenv(variable);
        if (folder != nullptr && !is_common(folder)) add_both_names(scratch, folder);
    }
    for (const char* name : kNames) add(scratch, name, std::strlen(name));
    for (const char* name : kNamesInTemporary) add(scratch, name, std::strlen(name));
    if (are_said) return add_list(said);
    const char* temporary = std::getenv("TMPDIR");
    add_both_names(chosen, temporary != nullptr && *temporary != '\0' ? temporary : P_tmpdir);
    for (const char* variable : kFolders) add_both_names(chosen, std::getenv(variable));
    for (const char* name : kNames) add(chosen, name, std::strlen(name));
}

bool is_chosen(int directory, const char* path) { return is_one_of(chosen, are_said, directory, path); }

bool is_own_scratch(int directory, const char* path) { return is_one_of(scratch, true, directory, path); }

}  // namespace clearway::io_cache
