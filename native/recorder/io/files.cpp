#include "recorder/io/files.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/borrowed.hpp"
#include "base/no_signals.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr std::uint32_t kMostFiles = 4096;  // process.files' limit
constexpr std::uint32_t kSlots = 4 * kMostFiles;
constexpr const char* kOtherFiles = "(other files)";

// Open addressing, never emptied: slot holds the cell's index plus one. Readers take no lock.
constinit std::atomic<std::uint16_t> slots[kSlots];
constinit std::atomic_flag inserting;

std::uint32_t hash_of(const char* text) {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (; *text != '\0'; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3;
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

// What stands in the cell for a path: its end, where it is too long; a folder, where all below share a cell.
struct CellName {
    const char* text;
    std::uint64_t flags;
};

CellName cell_name(const char* path) {
    if (std::strncmp(path, "/proc/", 6) == 0) return {"/proc", 0};
    if (std::strncmp(path, "/sys/", 5) == 0) return {"/sys", 0};
    const std::size_t length = std::strlen(path);
    if (length < sizeof FileCell::path) return {path, 0};
    return {path + (length - (sizeof FileCell::path - 1)), kFilePathCut};
}

// The cell under `name`, or the free slot where it would go.
File probe(const char* name, std::uint32_t& slot) {
    for (slot = hash_of(name) % kSlots;; slot = (slot + 1) % kSlots) {
        const std::uint16_t content = slots[slot].load(std::memory_order_acquire);
        if (content == 0) return {};
        const auto index = static_cast<std::uint16_t>(content - 1);
        FileCell* cell = process.files.at(index);
        if (std::strcmp(cell->path, name) == 0) return {cell, index};
    }
}

File insert(const CellName& name, std::uint32_t slot) {
    FileCell cell{};
    cell.flags = name.flags;
    std::strncpy(cell.path, name.text, sizeof cell.path - 1);
    std::uint32_t index = 0;
    FileCell* place = process.files.add(process.file, cell, &index);
    if (place == nullptr) return {};
    slots[slot].store(static_cast<std::uint16_t>(index + 1), std::memory_order_release);
    return {place, static_cast<std::uint16_t>(index)};
}

// "/a/./b//c" and the like are left alone: find_file_at then asks the kernel.
bool join(int directory_fd, const char* path, char* whole, std::size_t size) {
    if (path[0] == '/') return std::snprintf(whole, size, "%s", path) < static_cast<int>(size);
    char link[64];
    std::snprintf(link, sizeof link, directory_fd == AT_FDCWD ? "/proc/thread-self/cwd" : "/proc/self/fd/%d",
                  directory_fd);
    const long length = syscall(SYS_readlinkat, AT_FDCWD, link, whole, size - 1);
    if (length <= 0) return false;
    const auto used = static_cast<std::size_t>(length);
    return std::snprintf(whole + used, size - used, "/%s", path) < static_cast<int>(size - used);
}

struct Names {
    char whole[PATH_MAX], folder[PATH_MAX], resolved_folder[PATH_MAX], resolved[PATH_MAX];
};

// The path of the folder that holds `path`, with no links in it, and the file's own name after it.
bool resolve_folder(const char* path, Names& names) {
    const char* name = std::strrchr(path, '/');
    if (name == nullptr || static_cast<std::size_t>(name - path) >= sizeof names.folder) return false;
    std::snprintf(names.folder, sizeof names.folder, "%.*s", name == path ? 1 : static_cast<int>(name - path), path);
    // Not by a descriptor: another thread of the program might open a file meanwhile.
    char* const resolved = names.resolved_folder;
    if (realpath(names.folder, resolved) == nullptr) return false;
    const char* slash = resolved[1] == '\0' ? "" : "/";
    constexpr std::size_t kSize = sizeof names.resolved;
    return std::snprintf(names.resolved, kSize, "%s%s%s", resolved, slash, name + 1) < static_cast<int>(kSize);
}

}  // namespace

File file_of_path(const char* path, bool* is_new) {
    if (is_new != nullptr) *is_new = false;
    CellName name = cell_name(path);
    std::uint32_t slot = 0;
    File file = probe(name.text, slot);
    if (file.cell != nullptr) return file;
    const NoSignals undisturbed;
    while (inserting.test_and_set(std::memory_order_acquire)) syscall(SYS_sched_yield);
    if (process.files.size() >= kMostFiles - 1) name = {kOtherFiles, 0};
    file = probe(name.text, slot);
    if (file.cell == nullptr) {
        file = insert(name, slot);
        if (is_new != nullptr) *is_new = file.cell != nullptr;
    }
    inserting.clear(std::memory_order_release);
    return file;
}

File find_file(const char* path) {
    if (path == nullptr || path[0] != '/') return {};
    std::uint32_t slot = 0;
    return probe(cell_name(path).text, slot);
}

File find_file_at(int directory_fd, const char* path) {
    Borrowed<Names> names;
    if (!names || path == nullptr || !join(directory_fd, path, names->whole, sizeof names->whole)) return {};
    if (const File file = find_file(names->whole); file.cell != nullptr) return file;
    return resolve_folder(names->whole, *names) ? find_file(names->resolved) : File{};
}

File asked_file(const char* path, int result) {
    if (path == nullptr || (result < 0 && errno == EFAULT)) return {};
    if (const File file = find_file(path); file.cell != nullptr) return file;
    const char* slash = std::strrchr(path, '/');
    const char* folder = slash != nullptr ? path : "./";
    const std::size_t length = slash != nullptr ? static_cast<std::size_t>(slash - path) + 1 : 2;
    char any[sizeof FileCell::path];
    if (length + 2 > sizeof any) return {};
    std::memcpy(any, folder, length);
    std::memcpy(any + length, "*", 2);
    return file_of_path(any, nullptr);
}

}  // namespace clearway::recorder
