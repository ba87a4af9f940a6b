// What a folder lists, by raw system calls, for libc's names may be entry points of our own; no allocation.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace clearway {

// Calls `visit(name)` for each name that does not begin with a dot, in no order, as long as it says true.
template <class Visit>
void for_each_name(const char* path, Visit visit) {
    const int saved_errno = errno;
    const int folder = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
    alignas(dirent64) char entries[4096];
    bool goes_on = folder >= 0;
    for (long length; goes_on && (length = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0;) {
        for (long at = 0; goes_on && at < length;) {
            const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
            at += entry->d_reclen;
            if (entry->d_name[0] != '.') goes_on = visit(entry->d_name);
        }
    }
    if (folder >= 0) syscall(SYS_close, folder);
    errno = saved_errno;
}

}  // namespace clearway
