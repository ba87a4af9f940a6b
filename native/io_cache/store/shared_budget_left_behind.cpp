// Budgets of jobs that were killed to the last process.
#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "io_cache/store/shared_budget.hpp"

namespace clearway::io_cache {

// Those whose names differ from `name` behind its last dot.
void SharedBudget::remove_left_behind(const char* name) {
    const char* dot = std::strrchr(name, '.');
    const int folder = static_cast<int>(syscall(SYS_openat, AT_FDCWD, kFolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder < 0 || dot == nullptr) return;
    alignas(dirent64) char entries[4096];  // not by readdir, which takes memory where the program may be doing so
    for (long bytes = 0; (bytes = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0;) {
        for (long at = 0; at < bytes;) {
            const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
            at += entry->d_reclen;
            if (std::strncmp(entry->d_name, name, static_cast<std::size_t>(dot + 1 - name)) != 0) continue;
            if (std::strcmp(entry->d_name, name) != 0) remove_if_left(entry->d_name);
        }
    }
    syscall(SYS_close, folder);
}

void SharedBudget::remove_if_left(const char* name) {
    SharedBudget other;
    const int length = std::snprintf(other.path_, sizeof other.path_, "%s/%s", kFolder, name);
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof other.path_ || !other.open(0)) return;
    other.close();
    other.unmap();
}

}  // namespace clearway::io_cache
